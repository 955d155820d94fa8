/* SPDX-License-Identifier: MIT
 *
 * Clips of a motion file as rows: scaled, turned, in the library's order of joints, and rounded once.
 */

#include <string.h>

#include "motion/base/fault.h"
#include "motion/library/library.h"
#include "motion/model/evaluate.h"
#include "motion/model/made.h"
#include "motion/model/names.h"

#define HALF 0.70710678118654757 /* sin of an eighth of a turn */

/* Replaces the motion by what was made of it. */
static pm_status use(library_source *source, pm_motion *made, pm_status status) {
    MOTION_TRY(status);
    pm_motion_destroy(&source->motion);
    source->motion = made;
    return PM_OK;
}

static pm_status match_robot(library_source *source, const char *path, pm_error *error) {
    const pm_motion_read_options *reading = &source->options->reading;
    pm_motion *made = NULL;
    const pm_status status =
        pm_library_match_robot(source->motion, source->options->robot, &made, error);
    const pm_motion_content *content = pm_motion_get_content(made);
    for (size_t i = 0; status == PM_OK && reading->log && i < content->note_count; i++)
        motion_tell(
            &(motion_warnings){.log = reading->log, .user = reading->log_user, .name = path},
            PM_LOG_WARNING, content->notes[i]);
    return use(source, made, status);
}

static pm_status fill(library_source *source, const char *path, pm_error *error) {
    const pm_motion_read_options *reading = &source->options->reading;
    pm_motion_fill_report found;
    pm_motion *made = NULL;
    const pm_status status =
        pm_motion_fill(source->motion, source->options->fill, &made, &found, error);
    if (status == PM_OK && found.nan_keys + found.frozen_keys > 0)
        motion_warn_at(
            reading->log, reading->log_user, path,
            "filled %zu keys that were not finite and %zu that were frozen, in gaps of at "
            "most %.6g s",
            found.nan_keys, found.frozen_keys, found.longest);
    return use(source, made, status);
}

/* Each channel by its own interpolation where that may be another than slerp. */
static bool is_authored(const pm_motion_content *content) {
    bool authored = motion_is_gltf(content->format);
    for (size_t i = 0; i < content->clip_count; i++)
        for (size_t c = 0; c < content->clips[i].channel_count; c++)
            authored =
                authored || content->clips[i].channels[c].interpolation == PM_MOTION_CUBICSPLINE;
    return authored;
}

static pm_status resample(library_source *source, pm_error *error) {
    const pm_motion_resample_options options = {
        .rate = source->options->rate,
        .authored = is_authored(pm_motion_get_content(source->motion))};
    const pm_engine_desc plain = {.device = "none"};
    SCOPED(pm_engine_destroy) pm_engine *engine = NULL;
    pm_motion *made = NULL;
    pm_status status = pm_engine_create(&plain, &engine, error);
    if (status == PM_OK)
        status = pm_motion_resample_copy(source->motion, engine, &options, &made, NULL, error);
    return use(source, made, status);
}

pm_status library_open_source(const char *path, const pm_library_build_options *options,
                              library_source *source, pm_error *error) {
    pm_motion_read_options reading = options->reading;
    reading.rates_must_agree = true;
    reading.angles_may_jump = options->robot != NULL;
    source->options = options;
    MOTION_TRY(pm_motion_open(path, &reading, &source->motion, error));
    source->is_open = true;
    if (options->fill)
        MOTION_TRY(fill(source, path, error));
    if (options->robot)
        MOTION_TRY(match_robot(source, path, error));
    if (options->rate.den)
        MOTION_TRY(resample(source, error));
    if (!options->robot)
        MOTION_TRY(pm_motion_character_create(source->motion,
                                              &(pm_motion_character_options){.all_positions = true},
                                              &source->character, error));
    source->content = pm_motion_get_content(source->motion);
    if (source->character)
        source->joint_count = source->character->skeleton.joint_count;
    return PM_OK;
}

void library_close_source(library_source *source) {
    pm_motion_character_destroy(&source->character);
    pm_motion_destroy(&source->motion);
    motion_arena_release(&source->arena);
}

static double scale_of(const library_source *source) {
    return source->options->scale != 0 ? source->options->scale : 1;
}

static bool is_turned(const library_source *source, size_t joint) {
    return source->options->quarter_turns != 0 && source->character->skeleton.parents[joint] < 0;
}

static void place_rotation(const library_source *source, size_t joint, const double *from,
                           double *to) {
    const double quarter[] = {source->options->quarter_turns * HALF, 0, 0, HALF};
    if (is_turned(source, joint))
        quat_multiply(quarter, from, to);
    else
        memcpy(to, from, 4 * sizeof *to);
}

static void place_position(const library_source *source, size_t joint, const double *from,
                           double *to) {
    const double scale = scale_of(source), turns = source->options->quarter_turns;
    const double p[] = {from[0] * scale, from[1] * scale, from[2] * scale};
    const bool turned = is_turned(source, joint);
    to[0] = p[0];
    to[1] = turned ? -turns * p[2] : p[1];
    to[2] = turned ? turns * p[1] : p[2];
}

static pm_motion_name name_of(const library_source *source, size_t joint) {
    return source->content->nodes[source->character->nodes[joint]].name;
}

/* All arrays of pm_motion_character_create have doubles. */
static const double *doubles_of(const pm_array *array) {
    return array->data;
}

pm_status library_take_skeleton(const library_source *source, motion_arena *arena,
                                pm_library_content *c, pm_error *error) {
    const size_t joints = source->joint_count;
    const pm_skeleton_desc *from = &source->character->skeleton;
    pm_motion_name *names = motion_allocate(arena, joints, sizeof *names);
    int32_t *parents = motion_allocate(arena, joints, sizeof *parents);
    double *rotations = motion_allocate(arena, joints, 4 * sizeof *rotations);
    double *positions = motion_allocate(arena, joints, 3 * sizeof *positions);
    uint32_t *bodies = motion_allocate(arena, joints, sizeof *bodies);
    if (!names || !parents || !rotations || !positions || !bodies)
        return motion_refuse_memory(error);
    for (size_t j = 0; j < joints; j++) {
        names[j] = motion_copy_name(arena, name_of(source, j));
        if (!names[j].text)
            return motion_refuse_memory(error);
        parents[j] = from->parents[j];
        bodies[j] = (uint32_t)j;
        place_rotation(source, j, doubles_of(&from->rotations) + 4 * j, rotations + 4 * j);
        place_position(source, j, doubles_of(&from->positions) + 3 * j, positions + 3 * j);
    }
    c->joint_count = c->body_count = joints;
    c->joint_names = names;
    c->parents = parents;
    c->rotations = rotations;
    c->positions = positions;
    c->bodies = bodies;
    return PM_OK;
}

/* Joints whose names differ, in the order of another file. */
static pm_status sort_joints(library_source *source, const pm_library_content *c, pm_error *error) {
    const size_t joints = source->joint_count;
    motion_named *own = motion_allocate(&source->arena, joints, 2 * sizeof *own);
    if (!own)
        return motion_refuse_memory(error);
    motion_named *first = own + joints;
    for (size_t j = 0; j < joints; j++) {
        own[j] = (motion_named){name_of(source, j), (uint32_t)j};
        first[j] = (motion_named){c->joint_names[j], (uint32_t)j};
    }
    motion_sort_named(own, joints);
    motion_sort_named(first, joints);
    for (size_t j = 0; j < joints; j++) {
        if (motion_compare_names(own[j].name, first[j].name) != 0 ||
            (j > 0 && motion_compare_names(own[j - 1].name, own[j].name) == 0))
            return motion_refuse(error, "has other joints than the first file");
        source->order[first[j].index] = own[j].index;
    }
    return PM_OK;
}

pm_status library_match_joints(library_source *source, const pm_library_content *c,
                               pm_error *error) {
    const int32_t *parents = source->character ? source->character->skeleton.parents : NULL;
    bool same = true;
    if (!parents) /* a robot's files have no joints */
        return PM_OK;
    if (source->joint_count != c->joint_count)
        return motion_refuse(error, "has other joints than the first file");
    source->order = motion_allocate(&source->arena, c->joint_count, sizeof *source->order);
    if (!source->order)
        return motion_refuse_memory(error);
    for (size_t j = 0; j < c->joint_count; j++) {
        source->order[j] = (uint32_t)j;
        same = same && motion_compare_names(name_of(source, j), c->joint_names[j]) == 0;
    }
    const pm_status status = same ? PM_OK : sort_joints(source, c, error);
    for (size_t j = 0; j < c->joint_count && status == PM_OK; j++) {
        const int32_t wanted = c->parents[j] < 0 ? -1 : (int32_t)source->order[c->parents[j]];
        if (parents[source->order[j]] != wanted)
            return motion_refuse(error, "'%s' has another parent than in the first file",
                                 MOTION_SHOWN_JOINT(c->joint_names[j], (int64_t)j));
    }
    return status;
}

static pm_status describe_robot(const library_source *source, size_t clip,
                                pm_library_motion *motion, pm_error *error) {
    const pm_motion_clip *own = &source->content->clips[clip];
    char shown[MOTION_PRINTABLE];
    motion_printable(shown, own->name.text, own->name.size);
    if (own->rate.den == 0)
        return motion_refuse(error, "'%s' has keys at times of their own; resample it first",
                             shown);
    motion->frames = own->timelines[0].key_count;
    motion->rate = own->rate;
    return PM_OK;
}

void library_fill_robot(const library_source *source, size_t clip, pm_motion_path path,
                        float *rows) {
    const pm_motion_clip *own = &source->content->clips[clip];
    const pm_motion_channel *channel = own->channels;
    while (channel->path != path)
        channel++;
    for (size_t k = 0; k < own->timelines[0].key_count; k++)
        for (uint32_t i = 0; i < channel->components; i++)
            *rows++ = (float)evaluate_number(&channel->keys, channel->components, k, i);
}

static const pm_clip_desc *clip_of(const library_source *source, size_t clip) {
    return &source->character->clips[clip];
}

pm_status library_describe_clip(const library_source *source, size_t clip,
                                pm_library_motion *motion, pm_error *error) {
    const pm_motion_clip *own = &source->content->clips[clip];
    char shown[MOTION_PRINTABLE];
    motion_printable(shown, own->name.text, own->name.size);
    if (own->fault)
        return motion_refuse(error, "'%s' has no keys: %s", shown, own->fault);
    if (!source->character)
        return describe_robot(source, clip, motion, error);
    const pm_clip_desc *desc = clip_of(source, clip);
    motion->frames = desc->timelines[0].key_count;
    motion->rate = desc->timelines[0].rate;
    motion->loop = desc->loop;
    if (desc->timeline_count > 1 || desc->timelines[0].times)
        return motion_refuse(error, "'%s' has keys at times of their own; resample it first",
                             shown);
    return PM_OK;
}

void library_fill_rotations(const library_source *source, size_t clip, float *rows) {
    const pm_clip_desc *desc = clip_of(source, clip);
    const double *keys = doubles_of(&desc->rotations);
    const size_t joints = source->joint_count;
    for (size_t k = 0; k < desc->timelines[0].key_count; k++)
        for (size_t j = 0; j < joints; j++, rows += 4) {
            double q[4];
            const size_t joint = source->order[j];
            place_rotation(source, joint, keys + 4 * (k * joints + joint), q);
            for (size_t i = 0; i < 4; i++)
                rows[i] = (float)q[i];
        }
}

/* Files without positions have the places of the library's rest pose. */
static void place_of(const library_source *source, const pm_library_content *c, size_t clip,
                     size_t key, size_t j, float out[3]) {
    const pm_array *positions = &clip_of(source, clip)->positions;
    const size_t joint = source->order[j];
    double p[3];
    if (positions->data)
        place_position(source, joint,
                       doubles_of(positions) + 3 * (key * source->joint_count + joint), p);
    else
        memcpy(p, c->positions + 3 * j, sizeof p);
    for (size_t i = 0; i < 3; i++)
        out[i] = (float)p[i];
}

void library_fill_positions(const library_source *source, const pm_library_content *c, size_t clip,
                            float *rows) {
    const size_t keys = clip_of(source, clip)->timelines[0].key_count, root = library_root(c);
    const bool root_alone = c->position_count == 1;
    for (size_t k = 0; k < keys; k++)
        for (size_t j = root_alone ? root : 0; j < (root_alone ? root + 1 : c->joint_count);
             j++, rows += 3)
            place_of(source, c, clip, k, j, rows);
}

bool library_moves_others(const library_source *source, const pm_library_content *c, size_t clip) {
    const size_t keys = clip_of(source, clip)->timelines[0].key_count, root = library_root(c);
    for (size_t k = 0; k < keys && clip_of(source, clip)->positions.data; k++)
        for (size_t j = 0; j < c->joint_count; j++) {
            float p[3];
            place_of(source, c, clip, k, j, p);
            for (size_t i = 0; i < 3 && j != root; i++)
                if (p[i] != (float)c->positions[3 * j + i])
                    return true;
        }
    return false;
}
