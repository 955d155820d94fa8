/* SPDX-License-Identifier: MIT
 *
 * What a motion file is, as JSON: everything.
 */
#include "info.h"

#include "motion/base/counts.h"
#include "motion/base/json.h"

static void print_counts(json_writer *json, const char *key, const char *const *names,
                         const size_t *counts, size_t count) {
    json_begin_object(json, key);
    for (size_t i = 0; i < count; i++)
        if (counts[i] > 0)
            json_write_integer(json, names[i], counts[i]);
    json_end_object(json);
}

static void print_clip(json_writer *json, const pm_motion_clip *clip) {
    static const char *const paths[PM_MOTION_PATH_COUNT] = {"rotation", "translation", "scale",
                                                            "weights", "scalar"};
    static const char *const kinds[PM_MOTION_INTERPOLATION_COUNT] = {"linear", "step",
                                                                     "cubicspline"};
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
    print_counts(json, "paths", paths, s.paths, PM_MOTION_PATH_COUNT);
    print_counts(json, "interpolations", kinds, s.interpolations, PM_MOTION_INTERPOLATION_COUNT);
    json_write_number(json, "first_step_degrees", s.first_step);
    json_write_number(json, "largest_other_step_degrees", s.other_step);
    json_write_integer(json, "angle_jumps", s.angle_jumps);
    json_write_bool(json, "begins_with_jump", info_begins_with_jump(&s));
    if (clip->fault)
        json_write_string(json, "fault", clip->fault);
    json_end_object(json);
}

static void print_nodes(json_writer *json, const pm_motion_content *content) {
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

void info_print_json(const char *path, const pm_motion_content *content) {
    json_writer json = {stdout, 0, false};
    json_begin_object(&json, NULL);
    json_write_string(&json, "file", path);
    json_write_string(&json, "format", pm_motion_format_name(content->format));
    json_write_string(&json, "layout", content->layout);
    json_write_integer(&json, "bytes", content->file_bytes);
    json_write_integer(&json, "depth", motion_depth(content));
    json_write_integer(&json, "skins", content->skin_count);
    print_nodes(&json, content);
    json_begin_array(&json, "clips");
    for (size_t i = 0; i < content->clip_count; i++)
        print_clip(&json, &content->clips[i]);
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
