/* SPDX-License-Identifier: MIT
 *
 * Values of a form of their own: curves, axes, parts, names, roots. They fill several fields of a struct.
 */
#include <inttypes.h>
#include <string.h>

#include "motion/options/options.h"
#include "motion/text/text.h"
#include "motion/time/rate.h"

static bool parse_curve_method(const option_target *to, const char *text, char *reason) {
    pm_motion_curve *curve = to->base;
    size_t index = 0;
    if (!option_find_word(to->row, text, &index, reason))
        return false;
    curve->authored = !pm_method_find(option_word_at(to->row, index), &curve->method);
    curve->method_given = true;
    return true;
}

static void write_curve_method(const option_row *row, const void *base, FILE *text) {
    const pm_motion_curve *curve = base;
    (void)row;
    if (curve->method_given)
        fprintf(text, " %d", curve->authored ? -1 : (int)curve->method);
}

const option_type option_curve_method = {parse_curve_method, write_curve_method, NULL};

static bool names_npy(const char *text) {
    const size_t length = strlen(text);
    return length > 4 && strcmp(text + length - 4, ".npy") == 0;
}

static bool copy_text(const option_target *to, const char *text, const char **copy, char *reason) {
    *copy = motion_copy_text(to->arena, text, strlen(text));
    return *copy || snprintf(reason, OPTION_REASON, "memory is exhausted") < 0;
}

static bool parse_tcb(const char *text, pm_motion_curve *curve, char *reason) {
    bool good = option_read_numbers(text, 3, curve->tcb);
    for (int i = 0; i < 3 && good; i++)
        good = curve->tcb[i] >= -1.0 && curve->tcb[i] <= 1.0;
    curve->tangents = PM_TANGENTS_TCB;
    return good || snprintf(reason, OPTION_REASON,
                            "'tcb:%.60s' is invalid; expected tcb:T,C,B with numbers from -1 to 1",
                            text) < 0;
}

static bool parse_tangents(const option_target *to, const char *text, char *reason) {
    pm_motion_curve *curve = to->base;
    size_t word = 0;
    curve->tangents_given = true;
    curve->tangents_file = NULL;
    if (strncmp(text, "tcb:", 4) == 0)
        return parse_tcb(text + 4, curve, reason);
    if (names_npy(text)) {
        curve->tangents = PM_TANGENTS_USER;
        return copy_text(to, text, &curve->tangents_file, reason);
    }
    if (!option_find_word(to->row, text, &word, reason) || word >= PM_TANGENTS_TCB)
        return false;
    curve->tangents = (pm_tangents)word;
    return true;
}

static void write_tangents(const option_row *row, const void *base, FILE *text) {
    const pm_motion_curve *curve = base;
    (void)row;
    if (curve->tangents_given)
        fprintf(text, " %d", (int)curve->tangents);
    for (int i = 0; i < 3 && curve->tangents == PM_TANGENTS_TCB; i++)
        fprintf(text, " %.17g", curve->tcb[i]);
}

static const char *path_of_tangents(const option_row *row, const void *base) {
    (void)row;
    return ((const pm_motion_curve *)base)->tangents_file;
}

const option_type option_tangents = {parse_tangents, write_tangents, path_of_tangents};

static bool parse_axis(const option_target *to, const char *text, char *reason) {
    pm_motion_curve *curve = to->base;
    curve->axis_given = true;
    curve->axis_file = NULL;
    if (names_npy(text))
        return copy_text(to, text, &curve->axis_file, reason);
    if (!option_read_numbers(text, 3, curve->axis))
        return option_refuse(reason, text, "x,y,z or FILE.npy");
    return curve->axis[0] != 0 || curve->axis[1] != 0 || curve->axis[2] != 0 ||
           snprintf(reason, OPTION_REASON, "'%.80s' has zero length; expected a direction x,y,z",
                    text) < 0;
}

static void write_axis(const option_row *row, const void *base, FILE *text) {
    const pm_motion_curve *curve = base;
    (void)row;
    for (int i = 0; i < 3 && curve->axis_given && !curve->axis_file; i++)
        fprintf(text, " %.17g", curve->axis[i]);
}

static const char *path_of_axis(const option_row *row, const void *base) {
    (void)row;
    return ((const pm_motion_curve *)base)->axis_file;
}

const option_type option_axis = {parse_axis, write_axis, path_of_axis};

/* "xz": each letter once. 0: it is no such text. */
static unsigned read_axes(const char *text) {
    unsigned axes = 0;
    for (const char *c = text; *c; c++) {
        const unsigned axis = *c >= 'x' && *c <= 'z' ? 1u << (*c - 'x') : 0;
        if (axis == 0 || (axes & axis) != 0)
            return 0;
        axes |= axis;
    }
    return axes;
}

static bool parse_axes(const option_target *to, const char *text, char *reason) {
    const unsigned axes = read_axes(text);
    *(unsigned *)option_field(to) = axes;
    return axes != 0 || option_refuse(reason, text, "axes such as xz");
}

static bool parse_plane(const option_target *to, const char *text, char *reason) {
    size_t axis = 0;
    const bool good = option_find_word(to->row, text, &axis, reason);
    *(pm_motion_axis *)option_field(to) = (pm_motion_axis)(1u << axis);
    return good;
}

static void write_axes(const option_row *row, const void *base, FILE *text) {
    const unsigned axes = *(const unsigned *)((const char *)base + row->field);
    if (axes != 0 && axes != (unsigned)row->usual_number)
        fprintf(text, " %u", axes);
}

const option_type option_axes = {parse_axes, write_axes, NULL};
const option_type option_plane = {parse_plane, write_axes, NULL};

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

static bool read_cut(const char *text, pm_motion_edit_options *edit) {
    const char *colon = strchr(text, ':');
    bool given[2], frames[2];
    edit->start_after_first_key = edit->end_after_first_key = (pm_rational){0, 0};
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

static bool parse_cut(const option_target *to, const char *text, char *reason) {
    return read_cut(text, to->base) ||
           option_refuse(reason, text, "seconds such as 1.5:3, or frames such as 10f:40f");
}

static void write_cut(const option_row *row, const void *base, FILE *text) {
    const pm_motion_edit_options *edit = base;
    const pm_rational begin = edit->start_after_first_key, end = edit->end_after_first_key;
    (void)row;
    if (begin.den != 0 || end.den != 0)
        fprintf(text, " %lld/%lld %lld/%lld %d", (long long)begin.num, (long long)begin.den,
                (long long)end.num, (long long)end.den, edit->cut_frames);
}

const option_type option_cut = {parse_cut, write_cut, NULL};

/* Adds a name to a list in the arena. */
static bool add_name(const option_target *to, const char *const **names, size_t *count,
                     const char *text, size_t size) {
    const char **larger = motion_allocate(to->arena, *count + 1, sizeof *larger);
    const char *copy = larger && size > 0 ? motion_copy_text(to->arena, text, size) : NULL;
    if (!copy)
        return false;
    if (*count > 0)
        memcpy(larger, *names, *count * sizeof *larger);
    larger[(*count)++] = copy;
    *names = larger;
    return true;
}

/* A list of names is followed in its struct by their count, or by half of it for pairs. */
static void write_names(const option_row *row, const void *base, FILE *text) {
    const char *const *names = *(const char *const *const *)((const char *)base + row->field);
    const size_t count = *(const size_t *)((const char *)base + row->field + sizeof names);
    for (size_t i = 0; i < count * row->numbers; i++)
        fprintf(text, " %zu %s", strlen(names[i]), names[i]);
}

static bool parse_joints(const option_target *to, const char *text, char *reason) {
    pm_motion_edit_options *edit = to->base;
    bool good = true;
    for (const char *at = text, *end; good && at; at = end ? end + 1 : NULL) {
        end = strchr(at, ',');
        good = add_name(to, &edit->joints, &edit->joint_count, at,
                        end ? (size_t)(end - at) : strlen(at));
    }
    return good || option_refuse(reason, text, "names with commas between them");
}

const option_type option_joints = {parse_joints, write_names, NULL};

static bool parse_rename(const option_target *to, const char *text, char *reason) {
    pm_motion_edit_options *edit = to->base;
    const char *sign = strchr(text, '=');
    size_t count = 2 * edit->rename_count;
    const bool good = sign && sign > text && sign[1] != '\0' &&
                      add_name(to, &edit->renames, &count, text, (size_t)(sign - text)) &&
                      add_name(to, &edit->renames, &count, sign + 1, strlen(sign + 1));
    edit->rename_count = count / 2;
    return good || option_refuse(reason, text, "OLD=NEW");
}

const option_type option_rename = {parse_rename, write_names, NULL};

static bool parse_clips(const option_target *to, const char *text, char *reason) {
    pm_motion_batch_task *task = to->base;
    if (task->clip_count == OPTION_CLIPS_MAX)
        return snprintf(reason, OPTION_REASON, "is given more than %d times; without it, all clips",
                        (int)OPTION_CLIPS_MAX) < 0;
    return add_name(to, &task->clips, &task->clip_count, text, strlen(text)) ||
           snprintf(reason, OPTION_REASON, "value is empty; expected a text") < 0;
}

const option_type option_clips = {parse_clips, write_names, NULL};

static bool parse_root_joint(const option_target *to, const char *text, char *reason) {
    pm_motion_batch_task *task = to->base;
    task->extracts_root = true;
    task->root.joint = NULL;
    return strcmp(text, "auto") == 0 || option_text.parse(to, text, reason);
}

static void write_root_joint(const option_row *row, const void *base, FILE *text) {
    const pm_motion_batch_task *task = base;
    if (task->extracts_root)
        fprintf(text, " %d", task->root.joint != NULL);
    option_text.write(row, base, text);
}

const option_type option_root_joint = {parse_root_joint, write_root_joint, NULL};

static bool parse_root_node(const option_target *to, const char *text, char *reason) {
    pm_motion_root_options *root = to->base;
    root->add = strcmp(text, "new") == 0;
    root->root = NULL;
    return root->add || option_text.parse(to, text, reason);
}

static void write_root_node(const option_row *row, const void *base, FILE *text) {
    const pm_motion_root_options *root = base;
    if (root->add)
        fputs(" new", text);
    option_text.write(row, base, text);
}

const option_type option_root_node = {parse_root_node, write_root_node, NULL};

/* "frozen:12" of `text`: the number behind the colon, up to `end`. */
static bool read_frozen(const char *text, const char *end, pm_motion_fill_options *fill) {
    static const char word[] = "frozen:";
    const size_t size = sizeof word - 1;
    uint64_t frames = 0;
    if ((size_t)(end - text) <= size || memcmp(text, word, size) != 0 ||
        text_read_integer(text + size, end, &frames) != end)
        return false;
    fill->frozen = (size_t)frames;
    return frames > 0 && frames < UINT32_MAX;
}

/* "jumps" or "jumps:20". */
static bool read_jumps(const char *text, const char *end, pm_motion_fill_options *fill) {
    static const char word[] = "jumps";
    const size_t size = sizeof word - 1;
    if ((size_t)(end - text) < size || memcmp(text, word, size) != 0)
        return false;
    fill->jumps = true;
    if (text + size == end)
        return true;
    size_t commas = 0;
    return text[size] == ':' &&
           text_read_number(text + size + 1, end, &fill->jump_degrees, &commas) == end &&
           fill->jump_degrees > 0 && fill->jump_degrees <= 180;
}

static bool is_plain(const char *text, const char *end) {
    const size_t size = (size_t)(end - text);
    return (size == 4 && memcmp(text, "true", 4) == 0) ||
           (size == 3 && memcmp(text, "nan", 3) == 0);
}

/* Words between commas. */
static bool parse_fill(const option_target *to, const char *text, char *reason) {
    pm_motion_fill_options *fill = to->base;
    fill->frozen = 0;
    fill->jumps = false;
    fill->jump_degrees = 0;
    for (const char *at = text, *end;; at = end + 1) {
        end = at + strcspn(at, ",");
        if (!is_plain(at, end) && !read_frozen(at, end, fill) && !read_jumps(at, end, fill))
            return option_refuse(reason, text,
                                 "nan, frozen:N, N above 0, jumps or jumps:DEGREES up to 180, "
                                 "several with commas");
        if (*end == '\0')
            return true;
    }
}

/* That there is one is seen by the struct. */
static void write_fill(const option_row *row, const void *base, FILE *text) {
    const pm_motion_fill_options *fill = base;
    (void)row;
    fprintf(text, " %zu", fill->frozen);
    if (fill->jumps)
        fprintf(text, " jumps %.17g", fill->jump_degrees);
}

const option_type option_fill = {parse_fill, write_fill, NULL};

static bool parse_size(const option_target *to, const char *text, char *reason) {
    pm_motion_picture_options *o = to->base;
    char end = 0;
    const bool good = sscanf(text, "%5" SCNu32 "x%5" SCNu32 "%c", &o->width, &o->height, &end) == 2;
    return (good && o->width > 0 && o->height > 0) ||
           option_refuse(reason, text, "pixels, such as 640x320");
}

const option_type option_size = {parse_size, NULL, NULL};
