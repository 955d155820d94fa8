/* SPDX-License-Identifier: MIT
 *
 * Summaries of motions, and their print for people and as JSON.
 */
#include "print/print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/counts.h"
#include "motion/base/json.h"
#include "motion/base/printable.h"
#include "motion/base/words.h"
#include "motion/model/jumps.h"
#include "motion/model/meaning.h"
#include "motion/model/model.h"
#include "motion/model/names.h"
#include "motion/model/summary.h"
#include "motion/time/rate.h"

/* Lines for clips and notes; a screen has 24. */
enum { MAX_CLIPS = 8, MAX_NOTES = 6, NAME_TEXT = 48 };

/* The jumps that --fill=jumps finds. Where memory is exhausted, those until then. */
static jump_list find_jumps(const pm_motion_content *content, size_t clip) {
    static const pm_motion_fill_options defaults;
    jump_list found = {.count = 0};
    jumps_of_clip(&found, &content->clips[clip], clip, &defaults);
    return found;
}

static bool begins_with_jump(const jump_list *jumps) {
    for (size_t i = 0; i < jumps->count; i++)
        if (jumps->of[i].kind == PM_MOTION_JUMP_START)
            return true;
    return false;
}

static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

static void append(char *text, size_t size, const char *part) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", part);
}

static void list_paths(const clip_summary *s, char text[160]) {
    text[0] = '\0';
    for (int p = 0; p < PM_MOTION_PATH_COUNT; p++) {
        char part[48];
        snprintf(part, sizeof part, "%zu %s%s", s->paths[p], motion_path_names[p],
                 p == PM_MOTION_WEIGHTS ? "" : plural(s->paths[p]));
        if (s->paths[p] > 0)
            append(text, 160, part);
    }
}

static void list_interpolations(const clip_summary *s, char text[96]) {
    text[0] = '\0';
    for (int i = 0; i < PM_MOTION_INTERPOLATION_COUNT; i++)
        if (s->interpolations[i] > 0)
            append(text, 96, motion_interpolation_names[i]);
}

static void describe_rate(const pm_motion_clip *clip, char text[192]) {
    char rate[RATE_TEXT], shown[4 * NAME_TEXT + 1];
    if (clip->rate.den == 0) {
        snprintf(text, 192, "keys are not uniform");
        return;
    }
    rate_describe(clip->rate, rate);
    const size_t size = utf8_cut(clip->rate_text.text, clip->rate_text.size, NAME_TEXT);
    printable_text(shown, sizeof shown, clip->rate_text.text, size);
    snprintf(text, 192, "%s%s%.100s%s", rate, size > 0 ? " (the file has " : "", shown,
             size == 0               ? ""
             : clip->rate_is_snapped ? ", snapped)"
                                     : ")");
}

void info_odd(const pm_motion_content *content, size_t clip, double first_step,
              void (*say)(void *user, const char *text), void *user) {
    enum { SAID = 2 };
    static const char *const words[2] = {"jumps come back, which resample --fill=jumps repairs",
                                         "jumps stay"};
    jump_list jumps = find_jumps(content, clip);
    jump_shown *shown = NULL;
    size_t count = 0;
    char text[1024] = "";
    if (begins_with_jump(&jumps)) {
        snprintf(text, sizeof text,
                 "key 0 is %.0f degrees from key 1, as a T-pose is; resample with --trim-start 1 "
                 "drops it",
                 first_step);
        say(user, text);
        text[0] = '\0';
    }
    if (jumps_show(&shown, &count, content, jumps.of, jumps.count))
        jumps_describe(shown, count, SAID, words, text, sizeof text);
    if (text[0] != '\0')
        say(user, text);
    MOTION_FREE(shown, jumps.of);
}

static void print_odd(void *user, const char *text) {
    (void)user;
    printable_line(stdout, "    odd: %s", text);
}

static void print_clip(const pm_motion_content *content, size_t index) {
    const pm_motion_clip *clip = &content->clips[index];
    const clip_summary s = motion_summarise(clip);
    char name[4 * NAME_TEXT + 1], rate[192], paths[160], kinds[96];
    printable_text(name, sizeof name, clip->name.text,
                   utf8_cut(clip->name.text, clip->name.size, NAME_TEXT));
    describe_rate(clip, rate);
    list_paths(&s, paths);
    list_interpolations(&s, kinds);
    printable_line(stdout, "  clip %zu %s: %.6g s from %.6g s, %zu key%s, %s", index,
                   name[0] != '\0' ? name : "(no name)", s.end - s.begin, s.begin, s.keys,
                   plural(s.keys), rate);
    printable_line(stdout, "    %s; %s", paths[0] != '\0' ? paths : "no channels",
                   kinds[0] != '\0' ? kinds : "nothing to interpolate");
    if (clip->fault)
        printable_line(stdout, "    cannot be read: %s", clip->fault);
    info_odd(content, index, s.first_step, print_odd, NULL);
}

/* What `posemill resample` would do. */
static const char *resampling_of(const pm_motion_content *content) {
    if (content->clip_count == 0)
        return "nothing to resample";
    if (content->gap_count > 0)
        return content->format == PM_MOTION_BVH
                   ? "resample: rejects values that are not finite; --fill or --nan hold replaces them"
                   : "resample: rejects values that are not finite; --fill replaces them";
    return motion_is_gltf(content->format)
               ? "resample: each channel by its own interpolation; steps keep their keys"
               : "resample: rotations by slerp, other channels linearly; samples on keys keep "
                 "their values";
}

/* What is neither node nor channel. */
static void print_rest(const pm_motion_content *content) {
    char text[256] = "";
    for (size_t i = 0; i < content->carried_count; i++)
        append(text, sizeof text, content->carried[i]);
    if (text[0] != '\0')
        printable_line(stdout, "  carried over: %s", text);
    for (size_t i = 0; i < content->other_array_count && i < MAX_NOTES; i++) {
        const pm_motion_other_array *other = &content->other_arrays[i];
        printable_line(stdout, "  not named by the layout: %.*s, %s",
                       (int)utf8_cut(other->name.text, other->name.size, NAME_TEXT),
                       other->name.text,
                       other->nearest ? "takes the nearest earlier frame" : "interpolated");
    }
    if (content->other_array_count > MAX_NOTES)
        printable_line(stdout, "  and %zu more arrays", content->other_array_count - MAX_NOTES);
}

/* Unit, axis, and what carries the figure. */
static void print_meaning(const pm_motion *motion) {
    const pm_motion_content *content = &motion->content;
    char unit[MOTION_MEANING_TEXT], up[MOTION_MEANING_TEXT], shown[MOTION_PRINTABLE];
    motion_describe_unit(motion, unit);
    motion_describe_up(content, up);
    printable_line(stdout, "  unit of length: %s; up: %s", unit, up);
    if (content->mover != PM_NO_INDEX32)
        printable_line(
            stdout, "  '%s' carries the figure",
            motion_joint_name(shown, content->nodes[content->mover].name, content->mover));
    else if (content->node_count > 0)
        printable_line(stdout, "  the figure stays in place");
}

void info_print(const char *path, const pm_motion *motion) {
    const pm_motion_content *content = &motion->content;
    printable_line(stdout, "%s: %s%s%s, %zu bytes", path, pm_motion_format_name(content->format),
                   content->layout[0] != '\0' ? ", layout " : "", content->layout,
                   content->file_bytes);
    printable_line(stdout, "  %zu node%s, %zu deep, %zu skin%s, %zu clip%s", content->node_count,
                   plural(content->node_count), motion_depth(content), content->skin_count,
                   plural(content->skin_count), content->clip_count, plural(content->clip_count));
    print_meaning(motion);
    for (size_t i = 0; i < content->clip_count && i < MAX_CLIPS; i++)
        print_clip(content, i);
    if (content->clip_count > MAX_CLIPS)
        printable_line(stdout, "  and %zu more clips", content->clip_count - MAX_CLIPS);
    print_rest(content);
    if (content->gap_count > 0)
        printable_line(stdout, "  gaps: %zu value%s not finite, the first at %s",
                       content->gap_count, content->gap_count == 1 ? " is" : "s are",
                       content->first_gap);
    for (size_t i = 0; i < content->note_count && i < MAX_NOTES; i++) {
        char text[PM_ERROR_TEXT_SIZE];
        pm_error_text(content->notes[i], PM_SPELLING_COMMAND, text, sizeof text);
        printable_line(stdout, "  odd: %s", text);
    }
    if (content->note_count > MAX_NOTES)
        printable_line(stdout, "  and %zu more remarks", content->note_count - MAX_NOTES);
    printable_line(stdout, "  %s", resampling_of(content));
}

static void write_counts(json_writer *json, const char *key, const char *const *names,
                         const size_t *counts, size_t count) {
    json_begin_object(json, key);
    for (size_t i = 0; i < count; i++)
        if (counts[i] > 0)
            json_write_integer(json, names[i], counts[i]);
    json_end_object(json);
}

static void write_jumps(json_writer *json, const pm_motion_content *content, size_t clip) {
    jump_list jumps = find_jumps(content, clip);
    jump_shown *shown = NULL;
    size_t count = 0;
    jumps_show(&shown, &count, content, jumps.of, jumps.count);
    json_write_bool(json, "begins_with_jump", begins_with_jump(&jumps));
    jumps_write(json, "jumps", shown, count);
    MOTION_FREE(shown, jumps.of);
}

static void write_clip(json_writer *json, const pm_motion_content *content, size_t index) {
    const pm_motion_clip *clip = &content->clips[index];
    const clip_summary s = motion_summarise(clip);
    json_begin_object(json, NULL);
    json_write_string(json, "name", clip->name.text);
    json_write_number(json, "begin", s.begin);
    json_write_number(json, "seconds", s.end - s.begin);
    json_write_integer(json, "keys", s.keys);
    json_write_integer(json, "timelines", clip->timeline_count);
    json_write_integer(json, "channels", clip->channel_count);
    json_write_rate(json, "rate", clip->rate);
    if (clip->rate.den != 0) {
        json_write_rate(json, "start", clip->first_time);
        json_write_string(json, "rate_text", clip->rate_text.text);
        json_write_bool(json, "rate_is_snapped", clip->rate_is_snapped);
    }
    write_counts(json, "paths", motion_path_names, s.paths, PM_MOTION_PATH_COUNT);
    write_counts(json, "interpolations", motion_interpolation_names, s.interpolations,
                 PM_MOTION_INTERPOLATION_COUNT);
    json_write_number(json, "first_step_degrees", s.first_step);
    json_write_number(json, "largest_other_step_degrees", s.other_step);
    json_write_integer(json, "angle_jumps", s.angle_jumps);
    write_jumps(json, content, index);
    if (clip->fault)
        json_write_string(json, "fault", clip->fault);
    json_end_object(json);
}

static void write_nodes(json_writer *json, const pm_motion_content *content) {
    json_begin_array(json, "nodes");
    for (size_t n = 0; n < content->node_count; n++) {
        const pm_motion_node *node = &content->nodes[n];
        json_begin_object(json, NULL);
        json_write_string(json, "name", node->name.text);
        json_write_number(json, "parent", node->parent);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_meaning(json_writer *json, const pm_motion *motion) {
    const pm_motion_content *content = &motion->content;
    json_write_number(json, "unit_mm", content->unit_mm > 0 ? content->unit_mm : (double)NAN);
    json_write_string(json, "unit_from", motion_source_words[content->unit_from]);
    json_write_numbers(json, "unit_candidates", motion->unit_candidates,
                       motion->unit_candidates[0] > 0 ? 2 : 0);
    json_write_string(json, "up",
                      content->up != PM_MOTION_UP_FOUND ? motion_up_name(content->up) : NULL);
    json_write_string(json, "up_from", motion_source_words[content->up_from]);
    json_write_string(json, "mover",
                      content->mover != PM_NO_INDEX32 ? content->nodes[content->mover].name.text
                                                      : NULL);
}

void info_print_json(const char *path, const pm_motion *motion) {
    const pm_motion_content *content = &motion->content;
    json_writer json = {stdout, 0, false};
    json_begin_object(&json, NULL);
    json_write_string(&json, "file", path);
    json_write_string(&json, "format", pm_motion_format_name(content->format));
    json_write_string(&json, "layout", content->layout);
    json_write_integer(&json, "bytes", content->file_bytes);
    json_write_integer(&json, "depth", motion_depth(content));
    json_write_integer(&json, "skins", content->skin_count);
    write_meaning(&json, motion);
    write_nodes(&json, content);
    json_begin_array(&json, "clips");
    for (size_t i = 0; i < content->clip_count; i++)
        write_clip(&json, content, i);
    json_end_array(&json);
    json_begin_array(&json, "carried");
    for (size_t i = 0; i < content->carried_count; i++)
        json_write_string(&json, NULL, content->carried[i]);
    json_end_array(&json);
    json_begin_array(&json, "other_arrays");
    for (size_t i = 0; i < content->other_array_count; i++) {
        json_begin_object(&json, NULL);
        json_write_string(&json, "name", content->other_arrays[i].name.text);
        json_write_bool(&json, "nearest", content->other_arrays[i].nearest);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_write_integer(&json, "gaps", content->gap_count);
    if (content->gap_count > 0)
        json_write_string(&json, "first_gap", content->first_gap);
    json_begin_array(&json, "notes");
    for (size_t i = 0; i < content->note_count; i++) {
        char text[PM_ERROR_TEXT_SIZE];
        pm_error_text(content->notes[i], PM_SPELLING_COMMAND, text, sizeof text);
        json_write_string(&json, NULL, text);
    }
    json_end_array(&json);
    json_end_object(&json);
}
