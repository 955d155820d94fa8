/* SPDX-License-Identifier: MIT
 *
 * Crowds: their clips checked and built one by one, laid side by side (crowd_build.c) and
 * handed to the device.
 */
#include "crowd.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "engine/engine.h"
#include "segments/instruction_set.h"

pm_status pm_crowd_name_clip(size_t clip, pm_status status, pm_error *error) {
    char message[sizeof error->message];
    if (error) {
        snprintf(message, sizeof message, "clips[%zu]: %.200s", clip, error->message);
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return status;
}

/* Clips run through the same kernels. */
static pm_status check_alike(const pm_crowd_desc *desc, size_t i, pm_error *error) {
    const pm_clip_desc *a = &desc->clips[0], *b = &desc->clips[i];
    const char *what = NULL;
    if (b->track_count != desc->skeleton->joint_count)
        return pm_fail(error, PM_ERROR_ARGUMENT, "track_count is %zu, and there are %zu joints",
                       b->track_count, desc->skeleton->joint_count);
    if (!b->rotations.data)
        return pm_fail(error, PM_ERROR_ARGUMENT, "it has no rotations");
    if (a->method != b->method)
        what = "method";
    else if (pm_vector_impl(a).curve != pm_vector_impl(b).curve)
        what = "vector_method";
    else if (a->key_format != b->key_format)
        what = "key_format";
    else if (!a->positions.data != !b->positions.data)
        what = "having positions";
    else if (!a->scales.data != !b->scales.data)
        what = "having scales";
    return what ? pm_fail(error, PM_ERROR_ARGUMENT, "it differs from clips[0] in %s", what) : PM_OK;
}

static pm_status check_clip(const pm_crowd_desc *desc, size_t i, pm_error *error) {
    pm_status status = pm_clip_check(&desc->clips[i], error);
    if (status == PM_OK)
        status = check_alike(desc, i, error);
    return status == PM_OK ? status : pm_crowd_name_clip(i, status, error);
}

static pm_status check(const pm_engine *engine, const pm_crowd_desc *desc, pm_error *error) {
    if (engine->part_count > 1)
        return pm_fail(error, PM_ERROR_ARGUMENT, "a crowd is of one device, and the engine has %zu",
                       engine->part_count);
    if (!desc->skeleton || !desc->clips)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       desc->skeleton ? "clips" : "skeleton");
    if (desc->clip_count == 0 || desc->clip_count >= UINT32_MAX)
        return pm_fail(error, PM_ERROR_ARGUMENT, "clip_count is %zu", desc->clip_count);
    for (size_t i = 0; i < desc->clip_count; i++) {
        pm_status status = check_clip(desc, i, error);
        if (status != PM_OK)
            return status;
    }
    return PM_OK;
}

/* Clips are built as for the reference path: their planes are wanted on the host alone. */
static pm_status build_clips(const pm_crowd_desc *desc, pm_engine *builder, pm_clip **clips,
                             pm_error *error) {
    for (size_t i = 0; i < desc->clip_count; i++) {
        pm_status status = pm_clip_create(builder, &desc->clips[i], &clips[i], error);
        if (status != PM_OK)
            return pm_crowd_name_clip(i, status, error);
    }
    return PM_OK;
}

static pm_status build(const pm_crowd_desc *desc, pm_crowd *crowd, pm_error *error) {
    const pm_engine_desc on_host = {.host_threads = (uint32_t)crowd->engine->host_threads};
    pm_engine *builder = pm_engine_new(&on_host);
    pm_clip **clips = calloc(desc->clip_count, sizeof *clips);
    pm_status status =
        builder && clips ? build_clips(desc, builder, clips, error) : pm_fail_memory(error);
    if (status == PM_OK)
        status = pm_crowd_lay_out(crowd, clips, error);
    for (size_t i = 0; clips && i < desc->clip_count; i++)
        pm_clip_destroy(&clips[i]);
    free(clips);
    pm_engine_destroy(&builder);
    return status;
}

pm_status pm_crowd_create(pm_engine *engine, const pm_crowd_desc *desc, pm_crowd **crowd,
                          pm_error *error) {
    pm_error_clear(error);
    if (!engine || !desc || !crowd)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                       !engine ? "engine"
                       : !desc ? "desc"
                               : "crowd");
    pm_status status = check(engine, desc, error);
    if (status != PM_OK)
        return status;
    pm_crowd *made = calloc(1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    made->engine = engine;
    made->skeleton = desc->skeleton;
    made->clip_count = desc->clip_count;
    made->set = pm_instruction_set_for(SIZE_MAX);
    made->padded_joints =
        (desc->skeleton->joint_count + PM_TRACK_GROUP - 1) / PM_TRACK_GROUP * PM_TRACK_GROUP;
    status = build(desc, made, error);
    if (status == PM_OK)
        status = engine->backend->upload_crowd(made, error);
    if (status == PM_OK)
        *crowd = made;
    else
        pm_crowd_destroy(&made);
    return status;
}

void pm_crowd_destroy(pm_crowd **handle) {
    pm_crowd *crowd = handle ? *handle : NULL;
    if (!crowd)
        return;
    crowd->engine->backend->release_crowd(crowd);
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++) {
        free(crowd->channels[c].keys);
        free(crowd->channels[c].constants);
    }
    free(crowd->layout);
    free(crowd->joints);
    free(crowd->rest);
    free(crowd->binds);
    free(crowd->moved);
    free(crowd->clips);
    free(crowd->timelines);
    free(crowd->times);
    free(crowd->clip_ticks);
    free(crowd);
    *handle = NULL;
}

static uint64_t channel_bytes(const pm_channel *channel) {
    return channel->present ? channel->key_bytes + channel->constant_floats * sizeof(float) : 0;
}

void pm_crowd_get_info(const pm_crowd *crowd, pm_crowd_info *info) {
    if (info)
        *info = (pm_crowd_info){0};
    if (!crowd || !info)
        return;
    *info = (pm_crowd_info){.joint_count = crowd->skeleton->joint_count,
                            .clip_count = crowd->clip_count,
                            .has_positions = crowd->channels[PM_POSITIONS].present,
                            .has_scales = crowd->channels[PM_SCALES].present};
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        info->device_bytes += channel_bytes(&crowd->channels[c]);
    info->device_bytes += crowd->skeleton->joint_count * sizeof *crowd->joints;
}

int64_t pm_crowd_clip_ticks(const pm_crowd *crowd, size_t clip) {
    return crowd && clip < crowd->clip_count ? crowd->clip_ticks[clip] : 0;
}

size_t pm_crowd_record_bytes(pm_crowd_output output) {
    static const size_t bytes[PM_CROWD_OUTPUT_COUNT] = {[PM_CROWD_PALETTE] = 48,
                                                        [PM_CROWD_PALETTE_HALF] = 24,
                                                        [PM_CROWD_DUAL] = 32,
                                                        [PM_CROWD_MODEL] = 48,
                                                        [PM_CROWD_LOCAL] = 48};
    return (unsigned)output < PM_CROWD_OUTPUT_COUNT ? bytes[output] : 0;
}

pm_crowd_size pm_crowd_size_of(const pm_crowd *crowd, uint64_t frame, size_t first, size_t count) {
    pm_crowd_size size = {.frame = frame,
                          .first = first,
                          .instances = (pm_u32)count,
                          .joints = (pm_u32)crowd->skeleton->joint_count,
                          .clips = (pm_u32)crowd->clip_count,
                          .levels = (pm_u32)crowd->skeleton->level_count,
                          .masks = (pm_u32)crowd->skeleton->mask_count,
                          .per_joint = crowd->per_joint};
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        size.channels |= (pm_u32)crowd->channels[c].present << c;
    return size;
}

size_t pm_crowd_stride(const pm_crowd *crowd, pm_crowd_output output, size_t stride) {
    return stride ? stride : crowd->skeleton->joint_count * pm_crowd_record_bytes(output);
}

pm_status pm_crowd_check_output(const pm_crowd *crowd, pm_crowd_output output, pm_error *error) {
    if ((unsigned)output >= PM_CROWD_OUTPUT_COUNT)
        return pm_fail(error, PM_ERROR_ARGUMENT, "output %d is not one", (int)output);
    if (output == PM_CROWD_DUAL && !crowd->skeleton->rigid)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "PM_CROWD_DUAL: some inverse bind matrix is not rigid");
    return PM_OK;
}

static const char *fault_of(const pm_crowd *crowd, const pm_crowd_instance *instance) {
    const unsigned flags =
        PM_CROWD_CLAMP_A | PM_CROWD_CLAMP_B | PM_CROWD_ADDITIVE | PM_CROWD_IN_PLACE;
    if (instance->clip_a >= crowd->clip_count)
        return "clip_a is not a clip";
    if (instance->clip_b >= crowd->clip_count && instance->weight != 0)
        return "clip_b is not a clip";
    if (!(instance->weight >= 0 && instance->weight <= 1))
        return "weight is not within 0 and 1";
    if (instance->mask > crowd->skeleton->mask_count)
        return "mask is not one";
    if (instance->level >= crowd->skeleton->level_count)
        return "level is not one";
    return instance->flags & ~flags ? "flags has one that has no name" : NULL;
}

pm_status pm_crowd_check_instances(const pm_crowd *crowd, const pm_crowd_instance *instances,
                                   size_t count, pm_error *error) {
    pm_error_clear(error);
    if (!crowd || (count && !instances))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", crowd ? "instances" : "crowd");
    for (size_t i = 0; i < count; i++) {
        const char *fault = fault_of(crowd, &instances[i]);
        if (fault)
            return pm_fail_instance(error, PM_ERROR_ARGUMENT, i, "%s", fault);
    }
    return PM_OK;
}

bool pm_crowd_is_updated(const pm_crowd *crowd, const pm_crowd_instance *instance, size_t index,
                         uint64_t frame) {
    const pm_skeleton *s = crowd->skeleton;
    size_t level = instance->level < s->level_count ? instance->level : s->level_count - 1;
    return (frame + index / PM_INSTANCE_GROUP) % s->levels[level].update_every == 0;
}
