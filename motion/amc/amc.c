/* SPDX-License-Identifier: MIT
 *
 * Reads motions of Acclaim, AMC, with their skeleton: named by an option, or beside the file, take.asf
 * for take.amc, or 11.asf for 11_01.amc. A bone turns about the axes of its own frame C: with M of its
 * degrees of freedom, relative to its parent by C M C^-1. The rest pose has no rotations. Not written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/amc/asf.h"
#include "motion/base/os.h"
#include "motion/model/similarity.h"
#include "motion/text/text.h"

#define NO_NUMBER UINT64_MAX

enum { MOST_FRAMES = (1 << 30) - 2, USUAL_RATE = 120 };

typedef struct reader {
    const motion_input *input;
    pm_motion *motion;
    asf skeleton;
    bool radians;
    double *numbers; /* (frames, freedoms) */
    size_t *given;   /* for each bone the last frame that has a line of it, from 1 */
    size_t complete; /* bones with freedoms that the frame has */
    size_t frames;
    uint64_t number; /* of the frame before */
    bool has_gap;
    pm_error *error;
} reader;

static bool try_beside(const char *folder, const char *stem, size_t size, char *path, size_t room,
                       char **data, size_t *bytes, char reason[INPUT_REASON_SIZE]) {
    const int length = snprintf(path, room, "%s/%.*s.asf", folder, (int)size, stem);
    return length > 0 && (size_t)length < room &&
           input_read_beside(path, NULL, INPUT_BESIDE_MAX, data, bytes, reason);
}

static pm_status load(const reader *r, char *path, size_t room, char **data, size_t *size) {
    const motion_input *input = r->input;
    const char *name = input->warnings.name ? input->warnings.name : "";
    const char *stem = os_last_part(name);
    const char *dot = strrchr(stem, '.'), *line = strchr(stem, '_');
    const size_t length = dot ? (size_t)(dot - stem) : strlen(stem);
    char reason[INPUT_REASON_SIZE] = "";
    if (input->options->skeleton) {
        (void)snprintf(path, room, "%s", input->options->skeleton);
        return input_read_beside(path, NULL, INPUT_BESIDE_MAX, data, size, reason)
                   ? PM_OK
                   : motion_fail_at(r->error, PM_ERROR_FILE, path, NULL, "%s", reason);
    }
    if (input->folder && length < 256 &&
        (try_beside(input->folder, stem, length, path, room, data, size, reason) ||
         (line && line < stem + length &&
          try_beside(input->folder, stem, (size_t)(line - stem), path, room, data, size, reason))))
        return PM_OK;
    (void)motion_refuse(r->error, "has no skeleton beside it, a file of the same name with .asf");
    motion_cure(r->error, "skeleton", "FILE.asf", "names it");
    return PM_ERROR_FILE;
}

static pm_status read_skeleton(reader *r) {
    char path[4096];
    FREED char *data = NULL;
    size_t size = 0;
    MOTION_TRY(load(r, path, sizeof path, &data, &size));
    MOTION_TRY(asf_parse(data, size, path, &r->motion->arena, &r->skeleton, r->error));
    r->radians = r->skeleton.radians;
    r->motion->unit_factor = r->skeleton.length;
    return PM_OK;
}

/* A frame begins with a line of its number alone. */
static bool is_frame(text_span line, uint64_t *number) {
    *number = 0;
    return text_read_integer(line.begin, line.begin + line.size, number) == line.begin + line.size;
}

static size_t count_frames(const motion_input *input) {
    asf_lines lines = {{input->data, input->size}, 0};
    text_span line;
    size_t count = 0;
    uint64_t number;
    while (asf_next_line(&lines, &line))
        count += is_frame(line, &number);
    return count;
}

static pm_status read_bone(reader *r, const asf_lines *lines, text_span line, size_t frame) {
    double *numbers = r->numbers + (frame - 1) * r->skeleton.freedoms;
    text_span name, more;
    (void)asf_next_word(&line, &name);
    const size_t b = asf_find(&r->skeleton, name);
    if (b == SIZE_MAX)
        return asf_refuse(lines, "the skeleton has no bone", name, r->error);
    if (r->given[b] == frame)
        return asf_refuse(lines, "the frame has two lines of", name, r->error);
    const asf_bone *bone = &r->skeleton.bones[b];
    for (size_t i = 0; i < bone->freedom_count; i++)
        if (!asf_next_number(&line, &numbers[bone->first + i]))
            return asf_refuse(lines, "too few numbers, or one that is not finite, of", name,
                              r->error);
    if (asf_next_word(&line, &more))
        return asf_refuse(lines, "more numbers than the skeleton has for", name, r->error);
    r->given[b] = frame;
    r->complete += bone->freedom_count > 0;
    return PM_OK;
}

/* The frame before a line is complete. */
static pm_status end_frame(reader *r, const asf_lines *lines, size_t frame) {
    const bool is_complete = r->complete == r->skeleton.moving;
    r->complete = 0;
    for (size_t b = 0; !is_complete && b < r->skeleton.count; b++) {
        const pm_motion_name name = r->skeleton.bones[b].name;
        if (r->skeleton.bones[b].freedom_count > 0 && r->given[b] != frame)
            return asf_refuse(lines, "the frame before has no line of",
                              (text_span){name.text, name.size}, r->error);
    }
    return PM_OK;
}

/* Frames that were left out would shift those behind them. */
static pm_status check_number(reader *r, const asf_lines *lines, text_span line, uint64_t number) {
    const uint64_t before = r->number;
    const bool follows = before == NO_NUMBER || number == before + 1;
    r->number = number;
    if (follows || r->has_gap)
        return PM_OK;
    r->has_gap = true;
    if (r->input->options->strict)
        return asf_refuse(lines, "expected the number of the next frame, found", line, r->error);
    motion_warn(&r->input->warnings,
                "line %zu: frame %llu follows frame %llu; they are taken as neighbours",
                lines->number, (unsigned long long)number, (unsigned long long)before);
    return PM_OK;
}

static pm_status read_frames(reader *r) {
    asf_lines lines = {{r->input->data, r->input->size}, 0};
    text_span line;
    pm_status status = PM_OK;
    size_t frames = 0;
    while (status == PM_OK && asf_next_line(&lines, &line)) {
        uint64_t number;
        if (is_frame(line, &number)) {
            status = frames > 0 ? end_frame(r, &lines, frames) : PM_OK;
            if (status == PM_OK)
                status = check_number(r, &lines, line, number);
            frames++;
        } else if (frames > 0) {
            status = read_bone(r, &lines, line, frames);
        } else {
            r->radians = text_is(line, ":radians") || (r->radians && !text_is(line, ":degrees"));
        }
    }
    return status == PM_OK ? end_frame(r, &lines, frames) : status;
}

static pm_status read_numbers(reader *r) {
    r->frames = count_frames(r->input);
    if (r->frames == 0)
        return motion_refuse(r->error, "has no frames");
    if (r->frames > MOST_FRAMES ||
        r->skeleton.freedoms > (r->input->size + 1) / 2 / r->frames) /* a digit and a blank each */
        return motion_refuse(r->error, "has fewer numbers than its frames and bones require");
    r->numbers = calloc(r->frames * r->skeleton.freedoms + 1, sizeof *r->numbers);
    r->given = calloc(r->skeleton.count, sizeof *r->given);
    return r->numbers && r->given ? read_frames(r) : motion_refuse_memory(r->error);
}

static void rotation_of(const reader *r, const asf_bone *bone, const double *frame, double q[4]) {
    double turn[4] = {0, 0, 0, 1}, back[4];
    for (size_t i = 0; i < bone->freedom_count; i++)
        if (bone->freedoms[i] >= 'x')
            asf_turn(turn, bone->freedoms[i], frame[bone->first + i], r->radians);
    for (int i = 0; i < 3; i++)
        back[i] = -bone->axis[i];
    back[3] = bone->axis[3];
    quat_multiply(bone->axis, turn, q);
    quat_multiply(q, back, q);
}

static bool has_freedom(const asf_bone *bone, bool rotates) {
    for (size_t i = 0; i < bone->freedom_count; i++)
        if ((bone->freedoms[i] >= 'x') == rotates)
            return true;
    return false;
}

/* Where a bone begins, relative to its parent: where that ends. */
static void place_of(const reader *r, size_t b, double place[3]) {
    const asf_bone *bones = r->skeleton.bones;
    static const double none[3];
    const double *from = b == 0                ? bones[0].offset
                         : bones[b].parent > 0 ? bones[bones[b].parent].offset
                                               : none;
    memcpy(place, from, 3 * sizeof *place);
}

static bool add_channel(const reader *r, size_t b, bool rotates, pm_motion_channel *to) {
    const asf_bone *bone = &r->skeleton.bones[b];
    const size_t width = rotates ? 4 : 3;
    double *keys = motion_allocate(&r->motion->arena, r->frames, width * sizeof *keys);
    *to = (pm_motion_channel){.node = (int32_t)b,
                              .path = rotates ? PM_MOTION_ROTATION : PM_MOTION_POSITION,
                              .components = (uint32_t)width,
                              .keys = {.data = keys, .type = PM_FLOAT64},
                              .name = {"", 0}};
    for (size_t f = 0; keys && f < r->frames; f++) {
        const double *frame = r->numbers + f * r->skeleton.freedoms;
        double *key = keys + f * width;
        if (rotates) {
            rotation_of(r, bone, frame, key);
            continue;
        }
        place_of(r, b, key);
        for (size_t i = 0; i < bone->freedom_count; i++)
            if (bone->freedoms[i] < 'x')
                key[bone->freedoms[i] - 'X'] += frame[bone->first + i];
    }
    return keys != NULL;
}

static bool make_nodes(const reader *r) {
    const size_t count = r->skeleton.count;
    pm_motion_node *nodes = motion_allocate(&r->motion->arena, count, sizeof *nodes);
    for (size_t b = 0; nodes && b < count; b++) {
        const asf_bone *bone = &r->skeleton.bones[b];
        nodes[b] = (pm_motion_node){.name = bone->name,
                                    .parent = bone->parent,
                                    .rotation = {0, 0, 0, 1},
                                    .scale = {1, 1, 1},
                                    .has_tail = b > 0 && !bone->has_children};
        place_of(r, b, nodes[b].position);
        memcpy(nodes[b].tail, bone->offset, sizeof nodes[b].tail);
    }
    r->motion->content.nodes = nodes;
    r->motion->content.node_count = count;
    return nodes != NULL;
}

/* Rotations in the order of the bones, then translations. */
static pm_status make_clip(const reader *r) {
    const pm_rational given = r->input->options->source_rate;
    const pm_rational rate = given.den != 0 ? given : (pm_rational){USUAL_RATE, 1};
    motion_arena *arena = &r->motion->arena;
    pm_motion_channel *channels = motion_allocate(arena, 2 * r->skeleton.count, sizeof *channels);
    pm_timeline *timeline = motion_allocate(arena, 1, sizeof *timeline);
    pm_motion_clip *clip = motion_allocate(arena, 1, sizeof *clip);
    bool good = channels && timeline && clip;
    size_t count = 0;
    for (int rotates = 1; rotates >= 0; rotates--)
        for (size_t b = 0; good && b < r->skeleton.count; b++)
            if (has_freedom(&r->skeleton.bones[b], rotates))
                good = add_channel(r, b, rotates, &channels[count++]);
    MOTION_TRY_MEMORY(good && make_nodes(r), r->error);
    if (count == 0)
        return motion_refuse(r->error, "has a skeleton in which nothing moves");
    *timeline = (pm_timeline){.key_count = r->frames, .rate = rate};
    *clip = (pm_motion_clip){.name = {"", 0},
                             .timelines = timeline,
                             .timeline_count = 1,
                             .channels = channels,
                             .channel_count = count,
                             .rate = rate,
                             .first_time = {0, 1},
                             .rate_text = {"", 0}};
    r->motion->content.clips = clip;
    r->motion->content.clip_count = 1;
    if (given.den == 0)
        motion_warn_about(&r->input->warnings,
                          (motion_about){.cure = "source-rate", .hint = "gives another"},
                          "has no rate; %d frames per second are taken", (int)USUAL_RATE);
    return PM_OK;
}

static pm_status read(const motion_input *input, pm_motion *motion, pm_error *error) {
    reader r = {.input = input, .motion = motion, .number = NO_NUMBER, .error = error};
    motion->content.format = PM_MOTION_AMC;
    motion->content.layout = "";
    motion->has_given_joints = input->options->skeleton != NULL;
    pm_status status = read_skeleton(&r);
    if (status == PM_OK)
        status = read_numbers(&r);
    if (status == PM_OK)
        status = make_clip(&r);
    MOTION_FREE(r.numbers, r.given);
    return status;
}

static bool recognise(const char *bytes, size_t size) {
    asf_lines lines = {{bytes, size}, 0};
    text_span line;
    return asf_next_line(&lines, &line) && text_is(line, ":fully-specified");
}

const motion_format motion_amc = {
    .id = PM_MOTION_AMC, .name = "amc", .document = "amc", .recognise = recognise, .read = read};
