/* SPDX-License-Identifier: MIT
 *
 * Parsers of the options about editing.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/task/task_edit.h"
#include "motion/text/text.h"
#include "motion/time/rate.h"

static bool refuse(char *reason, const char *text, const char *expected) {
    (void)snprintf(reason, TASK_REASON, "'%.80s' is invalid; expected %s", text, expected);
    return false;
}

/* ---- cutting ------------------------------------------------------------------------------- */

/* An end of a part, with its unit. An empty word is no end. */
static bool read_end(const char *word, size_t size, pm_rational *end, bool *is_given,
                     bool *frames) {
    char text[64];
    *is_given = size > 0;
    *frames = size > 0 && word[size - 1] == 'f';
    size -= *frames || (size > 0 && word[size - 1] == 's');
    if (!*is_given || size >= sizeof text)
        return !*is_given;
    memcpy(text, word, size);
    text[size] = '\0';
    return rate_parse_seconds(text, end) && (!*frames || end->den == 1);
}

static bool parse_cut(const char *text, pm_motion_edit_options *edit) {
    const char *colon = strchr(text, ':');
    bool given[2], frames[2];
    if (!colon ||
        !read_end(text, (size_t)(colon - text), &edit->start_after_first_key, &given[0],
                  &frames[0]) ||
        !read_end(colon + 1, strlen(colon + 1), &edit->end_after_first_key, &given[1], &frames[1]))
        return false;
    edit->cut_frames = frames[0] || frames[1];
    if (!given[0] || !given[1])
        return given[0] || given[1];
    return frames[0] == frames[1] &&
           rate_value(edit->start_after_first_key) <= rate_value(edit->end_after_first_key);
}

bool task_option_cut(const char *text, void *target, char *reason) {
    task_edit_options *o = target;
    return parse_cut(text, &o->edit) ||
           refuse(reason, text, "seconds such as 1.5:3, or frames such as 10f:40f");
}

/* ---- names --------------------------------------------------------------------------------- */

static bool add_name(task_names *names, const char *text, size_t size) {
    const char **larger = realloc(names->names, (names->count + 1) * sizeof *larger);
    names->names = larger ? larger : names->names;
    char *copy = larger && size > 0 ? strndup(text, size) : NULL;
    if (copy)
        names->names[names->count++] = copy;
    return copy != NULL;
}

bool task_option_joints(const char *text, void *target, char *reason) {
    task_edit_options *o = target;
    bool good = true;
    for (const char *at = text, *end; good && at; at = end ? end + 1 : NULL) {
        end = strchr(at, ',');
        good = add_name(&o->joints, at, end ? (size_t)(end - at) : strlen(at));
    }
    o->edit.joints = o->joints.names;
    o->edit.joint_count = o->joints.count;
    return good || refuse(reason, text, "names with commas between them");
}

bool task_option_rename(const char *text, void *target, char *reason) {
    task_edit_options *o = target;
    const char *sign = strchr(text, '=');
    const bool good = sign && sign > text && sign[1] != '\0' &&
                      add_name(&o->renames, text, (size_t)(sign - text)) &&
                      add_name(&o->renames, sign + 1, strlen(sign + 1));
    o->edit.renames = o->renames.names;
    o->edit.rename_count = o->renames.count / 2;
    return good || refuse(reason, text, "OLD=NEW");
}

void task_edit_release(task_edit_options *o) {
    task_names *const both[] = {&o->joints, &o->renames};
    for (size_t i = 0; i < 2; i++) {
        for (size_t n = 0; n < both[i]->count; n++)
            free((char *)(uintptr_t)both[i]->names[n]);
        free(both[i]->names);
    }
}

/* ---- others -------------------------------------------------------------------------------- */

bool task_option_plane(const char *text, void *target, char *reason) {
    static const char axes[] = "xyz";
    const char *axis = *text && !text[1] ? strchr(axes, *text) : NULL;
    if (axis)
        *(pm_motion_axis *)target = (pm_motion_axis)(1 << (axis - axes));
    return axis || refuse(reason, text, "x, y or z");
}

bool task_option_fill(const char *text, void *target, char *reason) {
    static const char frozen[] = "frozen:";
    task_fill_options *o = target;
    const size_t size = sizeof frozen - 1;
    uint64_t frames = 0;
    const char *end = strncmp(text, frozen, size) == 0
                          ? text_read_integer(text + size, text + strlen(text), &frames)
                          : NULL;
    const bool is_frozen = end && *end == '\0' && frames > 0 && frames < UINT32_MAX;
    o->is_given = true;
    o->how.frozen = is_frozen ? (size_t)frames : 0;
    return is_frozen || *text == '\0' || strcmp(text, "nan") == 0 ||
           refuse(reason, text, "nan or frozen:N, N above 0");
}
