/* SPDX-License-Identifier: MIT
 *
 * BVH as a format of the motion library: its channels in the model, and what a file that is written has
 * the form of.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/bvh/bvh.h"
#include "motion/bvh/bvh_form.h"
#include "motion/model/key_samples.h"

static bool recognise(const char *bytes, size_t size) {
    return bvh_kind.find(bytes, size) == INPUT_KIND_YES;
}

static void release(void *of) {
    bvh_file *d = of;
    if (!d)
        return;
    pose_plan_release(&d->plan);
    bvh_free(&d->model);
    free(d);
}

static pm_motion_name name_of(pm_motion *motion, text_span text, bool *good) {
    char *copy = motion_copy_text(&motion->arena, text.begin, text.size);
    *good &= copy != NULL;
    return (pm_motion_name){copy, text.size};
}

static bool make_nodes(pm_motion *motion, const bvh *model) {
    pm_motion_node *nodes = motion_allocate(&motion->arena, model->joint_count, sizeof *nodes);
    bool good = nodes != NULL;
    for (size_t j = 0; good && j < model->joint_count; j++) {
        const bvh_joint *joint = &model->joints[j];
        nodes[j] =
            (pm_motion_node){.name = name_of(motion, joint->name, &good),
                             .parent = joint->parent == BVH_NO_JOINT ? -1 : (int32_t)joint->parent,
                             .position = {joint->offset[0], joint->offset[1], joint->offset[2]},
                             .rotation = {0, 0, 0, 1},
                             .scale = {1, 1, 1}};
    }
    for (size_t i = model->site_count; good && i-- > 0;) { /* the first of several remains */
        pm_motion_node *node = &nodes[model->sites[i].joint];
        node->has_tail = true;
        memcpy(node->tail, model->sites[i].offset, sizeof node->tail);
    }
    motion->content.nodes = nodes;
    motion->content.node_count = model->joint_count;
    return good;
}

/* Numbers of a channel as they lie in the rows. */
static pm_array in_rows(const bvh *model, size_t channel) {
    return (pm_array){.data = model->values + channel,
                      .type = PM_FLOAT64,
                      .stride = model->channel_count * sizeof *model->values};
}

static bool is_laid_out(const pose_vector *v) {
    return v->channel[0] != POSE_NO_CHANNEL && v->channel[1] == v->channel[0] + 1 &&
           v->channel[2] == v->channel[0] + 2;
}

/* A number that the file does not animate has its value in the rest pose. */
static double rest_of(const bvh *model, const pose_vector *v, size_t i) {
    return v->is_scale ? 1.0 : model->joints[v->joint].offset[i];
}

/* What a number of the model is more than that of the file. */
static double added_to(const bvh_file *d, const pose_vector *v, size_t i) {
    return d->adds_offset && !v->is_scale ? d->model->joints[v->joint].offset[i] : 0;
}

static bool vector_keys(pm_motion *motion, const bvh_file *d, const pose_vector *v,
                        pm_array *keys) {
    const bvh *model = d->model;
    if (is_laid_out(v) && (!d->adds_offset || v->is_scale)) {
        *keys = in_rows(model, v->channel[0]);
        return true;
    }
    double *copy = motion_allocate(&motion->arena, model->frame_count, 3 * sizeof *copy);
    for (size_t k = 0; copy && k < model->frame_count; k++)
        for (size_t i = 0; i < 3; i++)
            copy[3 * k + i] =
                v->channel[i] == POSE_NO_CHANNEL
                    ? rest_of(model, v, i)
                    : model->values[k * model->channel_count + v->channel[i]] + added_to(d, v, i);
    *keys = (pm_array){.data = copy, .type = PM_FLOAT64};
    return copy != NULL;
}

static bool add_rotations(pm_motion *motion, bvh_file *d, pm_motion_channel *channels) {
    const size_t count = d->plan.rotation_count, frames = d->model->frame_count;
    if (count == 0)
        return true;
    double *keys = frames > SIZE_MAX / count
                       ? NULL
                       : motion_allocate(&motion->arena, frames * count, 4 * sizeof *keys);
    if (!keys)
        return false;
    pose_rotation_keys(&d->plan, keys);
    d->rotations = keys;
    for (size_t i = 0; i < count; i++)
        channels[i] = (pm_motion_channel){
            .node = (int32_t)d->plan.rotations[i].joint,
            .path = PM_MOTION_ROTATION,
            .components = 4,
            .keys = {.data = keys + 4 * i, .type = PM_FLOAT64, .stride = 4 * count * sizeof *keys}};
    return true;
}

static bool add_vectors(pm_motion *motion, const bvh_file *d, pm_motion_channel *channels) {
    bool good = true;
    for (size_t i = 0; good && i < d->plan.vector_count; i++) {
        const pose_vector *v = &d->plan.vectors[i];
        channels[i] =
            (pm_motion_channel){.node = (int32_t)v->joint,
                                .path = v->is_scale ? PM_MOTION_SCALE : PM_MOTION_POSITION,
                                .components = 3};
        good = vector_keys(motion, d, v, &channels[i].keys);
    }
    return good;
}

static bool add_plains(pm_motion *motion, const bvh_file *d, pm_motion_channel *channels) {
    bool good = true;
    for (size_t i = 0; good && i < d->plan.plain_count; i++) {
        const bvh_channel *channel = &d->model->channels[d->plan.plains[i]];
        channels[i] = (pm_motion_channel){.node = (int32_t)channel->joint,
                                          .path = PM_MOTION_SCALAR,
                                          .components = 1,
                                          .keys = in_rows(d->model, d->plan.plains[i]),
                                          .name = name_of(motion, channel->name, &good),
                                          .always_linear = true};
    }
    return good;
}

/* Rotations, then vectors, then plain numbers: the order in which `write` expects samples. */
static bool make_clip(pm_motion *motion, bvh_file *d) {
    const pose_plan *plan = &d->plan;
    const size_t count = plan->rotation_count + plan->vector_count + plan->plain_count;
    pm_motion_channel *channels = motion_allocate(&motion->arena, count, sizeof *channels);
    pm_timeline *timeline = motion_allocate(&motion->arena, 1, sizeof *timeline);
    pm_motion_clip *clip = motion_allocate(&motion->arena, 1, sizeof *clip);
    if (!channels || !timeline || !clip || !add_rotations(motion, d, channels) ||
        !add_vectors(motion, d, channels + plan->rotation_count) ||
        !add_plains(motion, d, channels + plan->rotation_count + plan->vector_count))
        return false;
    *timeline = (pm_timeline){.key_count = d->model->frame_count, .rate = d->model->rate};
    bool good = true;
    *clip = (pm_motion_clip){.name = {"", 0},
                             .rate_text = name_of(motion, d->model->frame_time, &good),
                             .rate_is_snapped = d->model->rate_how != RATE_LITERAL,
                             .timelines = timeline,
                             .timeline_count = 1,
                             .channels = channels,
                             .channel_count = count,
                             .rate = d->model->rate,
                             .first_time = {0, 1}};
    motion->content.clips = clip;
    motion->content.clip_count = 1;
    motion->stated_rate = d->model->stated_rate;
    return good;
}

/* Angles are written modulo a turn by some tools. */
static void note_wraps(const bvh *model, motion_notes *notes) {
    size_t wraps = 0;
    for (size_t f = 1; f < model->frame_count; f++)
        for (size_t c = 0; c < model->channel_count; c++) {
            const double *value = model->values + f * model->channel_count + c;
            const bvh_channel_kind kind = model->channels[c].kind;
            const bool is_angle = kind >= BVH_X_ROTATION && kind <= BVH_Z_ROTATION;
            wraps += is_angle && fabs(*value - value[-(ptrdiff_t)model->channel_count]) > 180;
        }
    if (wraps > 0)
        motion_note(notes,
                    "%zu angle%s by more than 180 degrees from a frame to the next, as wrapped "
                    "angles do; what is interpolated are rotations",
                    wraps, wraps == 1 ? " steps" : "s step");
}

static pm_status read(const motion_input *input, pm_motion *motion, pm_error *error) {
    bvh_file *d = calloc(1, sizeof *d);
    MOTION_TRY_MEMORY(d, error);
    motion->document = d;
    d->adds_offset = input->options->bvh_adds_offset;
    motion->content.format = PM_MOTION_BVH;
    motion->content.layout = "";
    MOTION_TRY(bvh_parse(input, &d->model, error));
    MOTION_TRY(pose_plan_make(&d->plan, d->model, error));
    MOTION_TRY_MEMORY(make_nodes(motion, d->model) && make_clip(motion, d), error);
    if (input->options->examine)
        note_wraps(d->model, &motion->notes);
    return PM_OK;
}

/* Whether a file with this rate can be read again: frame times have a limited range. */
static bool is_readable(pm_rational rate) {
    const double seconds = 1.0 / rate_value(rate);
    return seconds > 1.000001e-9 && seconds < 0.999999e9;
}

static pm_status write_again(const motion_writing *writing, const motion_sink *sink,
                             pm_error *error) {
    const bvh_file *d = writing->document->document;
    const motion_samples *samples = writing->sample_count ? writing->samples : NULL;
    const bvh_form form = {
        .model = d->model, .plan = d->plan, .adds_offset = d->adds_offset, .rows = d};
    if (!is_readable(samples ? samples->rate : d->model->rate)) {
        motion_refuse(error, "gives a frame time outside 1e-9 to 1e9 seconds");
        motion_name_option(error, "rate");
        return PM_ERROR_FILE;
    }
    return bvh_write_frames(writing, &form, samples, sink, error);
}

/* In a form that held them, numbers of unknown meaning alone have frames too. */
static pm_status find_frames(const pm_motion_clip *clip, const bvh_file *kept,
                             motion_frames *frames, pm_error *error) {
    const pm_status status = motion_find_frames(clip, "BVH", false, frames, error);
    if (status == PM_OK && frames->count == 0 && kept && clip->rate.den != 0)
        *frames = (motion_frames){.rate = clip->rate,
                                  .count = clip->timelines[0].key_count,
                                  .timeline = &clip->timelines[0]};
    if (status != PM_OK || frames->count > 0)
        return status;
    return kept ? motion_refuse(error, "key times are not uniform; BVH requires a rate")
                : motion_refuse(error, "has no channel that BVH can hold");
}

static pm_status write_anew(const motion_writing *writing, const motion_sink *sink,
                            pm_error *error) {
    const pm_motion *motion = writing->motion;
    const pm_motion_content *content = &motion->content;
    const pm_motion *file = motion_form_of(motion);
    const bvh_file *kept = file ? bvh_file_of(file) : NULL;
    SCOPED(bvh_form_release) bvh_form form = {.model = NULL};
    SCOPED(key_samples_close) key_samples keys = {.resampled = NULL};
    motion_frames frames;
    MOTION_TRY(kept ? PM_OK : motion_check_nodes(content, "BVH", error));
    if (writing->clip >= content->clip_count)
        return motion_refuse(error, "has no clip; BVH requires one");
    MOTION_TRY(find_frames(&content->clips[writing->clip], kept, &frames, error));
    MOTION_TRY(kept ? bvh_form_change(kept->model, writing, &form, error)
                    : bvh_form_make(writing, &form, error));
    MOTION_TRY(key_samples_open(&keys, motion, writing->clip, &frames, error));
    const motion_samples samples = key_samples_of(&keys);
    form.adds_offset = kept && kept->adds_offset;
    form.rows = kept;
    return bvh_write_frames(writing, &form, &samples, sink, error);
}

static pm_status write(const motion_writing *writing, const motion_sink *sink, pm_error *error) {
    return writing->document ? write_again(writing, sink, error) : write_anew(writing, sink, error);
}

const bvh_file *bvh_file_of(const pm_motion *motion) {
    return motion->format == &motion_bvh ? motion->document : NULL;
}

const motion_format motion_bvh = {.id = PM_MOTION_BVH,
                                  .name = "bvh",
                                  .title = "BVH",
                                  .document = "bvh",
                                  .kind = &bvh_kind,
                                  .recognise = recognise,
                                  .read = read,
                                  .write = write,
                                  .scales = MOTION_SCALES_NONE,
                                  .is_text = true,
                                  .release = release};
