/* SPDX-License-Identifier: MIT
 *
 * Writes USD as text: a SkelRoot with a Skeleton, and a SkelAnimation with a sample of all joints at
 * each frame, whose number is the time code. Joints are paths of identifiers. USD is not read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/model/compose.h"
#include "motion/model/evaluate.h"
#include "motion/model/model.h"
#include "motion/model/rest_pose.h"
#include "motion/text/text.h"
#include "motion/time/rate.h"
#include "motion/usd/usd_names.h"

enum { PIECE = 1 << 16 };

typedef struct composer {
    const pm_motion_content *content;
    const pm_motion_clip *clip; /* NULL: a skeleton alone */
    double unit_mm;             /* 0: not known */
    pm_motion_up up;            /* likewise */
    const motion_sink *sink;
    usd_names names;
    motion_frames frames;
    const pm_motion_channel **channels; /* (joints, 3) by property; NULL: the rest pose */
    double (*world)[3][4];              /* of each node at rest */
    char *buffer;
    size_t used;
    pm_status status;
    pm_error *error;
} composer;

/* ---- text ---------------------------------------------------------------------------------- */

static void flush(composer *c) {
    if (c->status == PM_OK && c->used > 0)
        c->status = c->sink->write(c->sink->user, c->buffer, c->used, c->error);
    c->used = 0;
}

static void put(composer *c, const char *text, size_t size) {
    while (size > 0) {
        const size_t part = size < PIECE - c->used ? size : PIECE - c->used;
        memcpy(c->buffer + c->used, text, part);
        c->used += part;
        text += part;
        size -= part;
        if (c->used == PIECE)
            flush(c);
    }
}

static void put_text(composer *c, const char *text) {
    put(c, text, strlen(text));
}

static void put_size(composer *c, size_t number) {
    char text[24];
    (void)snprintf(text, sizeof text, "%zu", number);
    put_text(c, text);
}

static void put_number(composer *c, double number) {
    char text[TEXT_FLOAT_SIZE];
    put(c, text, (size_t)(text_write_float(text, (float)number) - text));
}

/* Elements in parentheses, with commas. */
static void put_tuple(composer *c, const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        put_text(c, i > 0 ? ", " : "(");
        put_number(c, numbers[i]);
    }
    put_text(c, ")");
}

/* ---- the skeleton -------------------------------------------------------------------------- */

/* USD's vectors are rows, so that a translation is the last row. */
static void put_matrix(composer *c, double m[3][4]) {
    for (int r = 0; r < 4; r++) {
        const double row[4] = {m[0][r], m[1][r], m[2][r], r == 3};
        put_text(c, r > 0 ? ", " : "( ");
        put_tuple(c, row, 4);
    }
    put_text(c, " )");
}

static void put_transforms(composer *c, const char *name, bool in_world) {
    put_text(c, "        uniform matrix4d[] ");
    put_text(c, name);
    put_text(c, " = [");
    for (size_t j = 0; j < c->content->node_count; j++) {
        const uint32_t node = c->names.order[j];
        double local[3][4];
        rest_pose_local(&c->content->nodes[node], local);
        put_text(c, j > 0 ? ", " : "");
        put_matrix(c, in_world ? c->world[node] : local);
    }
    put_text(c, "]\n");
}

static void put_joints(composer *c) {
    put_text(c, "        uniform token[] joints = [");
    for (size_t j = 0; j < c->content->node_count; j++) {
        size_t depth = 0;
        for (int32_t n = (int32_t)c->names.order[j]; n >= 0; n = c->content->nodes[n].parent)
            c->names.chain[depth++] = (uint32_t)n;
        put_text(c, j > 0 ? ", \"" : "\"");
        while (depth > 0) {
            const char *name = c->names.names[c->names.chain[--depth]];
            put_text(c, name);
            put_text(c, depth > 0 ? "/" : "\"");
        }
    }
    put_text(c, "]\n");
}

/* ---- the animation ------------------------------------------------------------------------- */

static pm_status find_channels(composer *c, const motion_writing *options) {
    size_t others = 0;
    for (size_t i = 0; c->clip && i < c->clip->channel_count; i++) {
        const pm_motion_channel *channel = &c->clip->channels[i];
        if (channel->node >= 0 && channel->path <= PM_MOTION_SCALE)
            c->channels[3 * (size_t)channel->node + channel->path] = channel;
        else
            others++;
    }
    motion_leave_out(options, others, "channel of weights or scalars",
                     "channels of weights or scalars");
    const pm_status status = motion_leave_out_skins(options, c->error);
    if (c->content->clip_count > 1)
        motion_leave_out(options, c->content->clip_count - 1, "other clip", "other clips");
    return status;
}

/* Scales need not have the times of the frames. */
static void find_value(const composer *c, size_t node, pm_motion_path path, size_t frame,
                       double value[4]) {
    const pm_motion_channel *channel = c->channels[3 * node + path];
    if (!channel)
        memcpy(value, evaluate_rest_value(&c->content->nodes[node], path),
               (path == PM_MOTION_ROTATION ? 4 : 3) * sizeof *value);
    else if (path == PM_MOTION_SCALE)
        evaluate_channel(channel, &c->clip->timelines[channel->timeline],
                         evaluate_key_time(c->frames.timeline, frame), value);
    else
        evaluate_key(channel, motion_frame_key(&c->frames, c->clip, channel, frame), value);
}

/* Of rotations the real part comes first. */
static void put_sample(composer *c, pm_motion_path path, size_t frame) {
    put_text(c, "[");
    for (size_t j = 0; j < c->content->node_count; j++) {
        double value[4], real[4];
        find_value(c, c->names.order[j], path, frame, value);
        put_text(c, j > 0 ? ", " : "");
        real[0] = value[3];
        memcpy(real + 1, value, 3 * sizeof *value);
        if (path == PM_MOTION_ROTATION)
            put_tuple(c, real, 4);
        else
            put_tuple(c, value, 3);
    }
    put_text(c, "]");
}

static bool is_animated(const composer *c, pm_motion_path path) {
    bool any = path != PM_MOTION_SCALE;
    for (size_t n = 0; n < c->content->node_count; n++)
        any = any || c->channels[3 * n + path];
    return any;
}

static void put_samples(composer *c, const char *name, pm_motion_path path) {
    put_text(c, "        ");
    put_text(c, name);
    if (!is_animated(c, path)) {
        put_text(c, " = ");
        put_sample(c, path, 0);
        put_text(c, "\n");
        return;
    }
    put_text(c, ".timeSamples = {\n");
    for (size_t f = 0; f < c->frames.count && c->status == PM_OK; f++) {
        put_text(c, "            ");
        put_size(c, f);
        put_text(c, ": ");
        put_sample(c, path, f);
        put_text(c, ",\n");
    }
    put_text(c, "        }\n");
}

static void put_animation(composer *c) {
    put_text(c, "\n    def SkelAnimation \"Animation\"\n    {\n");
    put_joints(c);
    put_samples(c, "quatf[] rotations", PM_MOTION_ROTATION);
    put_samples(c, "half3[] scales", PM_MOTION_SCALE);
    put_samples(c, "float3[] translations", PM_MOTION_POSITION);
    put_text(c, "    }\n");
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* What is not known is what readers take without it: centimetres, and y. */
static void put_stage(composer *c) {
    char metres[40];
    (void)snprintf(metres, sizeof metres, "%.17g", c->unit_mm > 0 ? c->unit_mm / 1000 : 0.01);
    put_text(c, "    metersPerUnit = ");
    put_text(c, metres);
    put_text(c, c->up == PM_MOTION_UP_Z ? "\n    upAxis = \"Z\"\n" : "\n    upAxis = \"Y\"\n");
}

static void put_head(composer *c) {
    char rate[40] = "";
    put_text(c, "#usda 1.0\n(\n    defaultPrim = \"Motion\"\n");
    put_stage(c);
    if (c->clip) {
        (void)snprintf(rate, sizeof rate, "%.17g", rate_value(c->frames.rate));
        put_text(c, "    endTimeCode = ");
        put_size(c, c->frames.count - 1);
        put_text(c, "\n    framesPerSecond = ");
        put_text(c, rate);
        put_text(c, "\n    startTimeCode = 0\n    timeCodesPerSecond = ");
        put_text(c, rate);
        put_text(c, "\n");
    }
    put_text(c, ")\n\ndef SkelRoot \"Motion\"\n{\n    def Skeleton \"Skeleton\" (\n"
                "        prepend apiSchemas = [\"SkelBindingAPI\"]\n    )\n    {\n");
}

static void put_all(composer *c) {
    put_head(c);
    put_transforms(c, "bindTransforms", true);
    put_joints(c);
    put_transforms(c, "restTransforms", false);
    if (c->clip)
        put_text(c, "        rel skel:animationSource = </Motion/Animation>\n");
    put_text(c, "    }\n");
    if (c->clip)
        put_animation(c);
    put_text(c, "}\n");
    flush(c);
}

static pm_status prepare(composer *c, const motion_writing *options) {
    const size_t count = c->content->node_count;
    MOTION_TRY(motion_check_nodes(c->content, "USD", c->error));
    if (c->clip)
        MOTION_TRY(motion_find_frames(c->clip, "USD", false, &c->frames, c->error));
    if (c->clip && (c->frames.count == 0 || c->frames.rate.den == 0))
        c->clip = NULL; /* nothing moves, or there is one pose without a rate */
    MOTION_TRY(usd_names_make(&c->names, c->content, c->error));
    c->channels = calloc(3 * count, sizeof *c->channels);
    c->world = calloc(count, sizeof *c->world);
    c->buffer = malloc(PIECE);
    MOTION_TRY_MEMORY(
        c->channels && c->world && c->buffer && rest_pose_worlds(c->content, c->world), c->error);
    return find_channels(c, options);
}

static pm_status write(const motion_writing *options, const motion_sink *sink, pm_error *error) {
    const pm_motion_content *content = &options->motion->content;
    composer c = {.content = content,
                  .clip =
                      options->clip < content->clip_count ? &content->clips[options->clip] : NULL,
                  .unit_mm = options->unit_mm,
                  .up = options->up,
                  .sink = sink,
                  .error = error};
    pm_status status = prepare(&c, options);
    if (status == PM_OK) {
        put_all(&c);
        status = c.status;
    }
    usd_names_release(&c.names);
    MOTION_FREE(c.channels, c.world, c.buffer);
    return status;
}

static bool recognise(const char *bytes, size_t size) {
    return size >= 5 && memcmp(bytes, "#usda", 5) == 0;
}

const motion_format motion_usda = {.id = PM_MOTION_USDA,
                                   .name = "usda",
                                   .title = "USD",
                                   .document = "usda",
                                   .is_single = true,
                                   .states_meaning = true,
                                   .recognise = recognise,
                                   .write = write,
                                   .scales = MOTION_SCALES_ANIMATED};
