/* SPDX-License-Identifier: MIT
 *
 * Reads skeletons of Acclaim. Sections that say nothing about bones are passed over. Bones are few, and
 * more than a bound are refused: while they are read they are found by their names one after another.
 * Lines of motions are many, and find theirs in a sorted list.
 */
#include "motion/amc/asf.h"

#include <math.h>
#include <string.h>

#include "host/base/elementary.h"
#include "motion/model/similarity.h"

enum { MOST_BONES = 4096 };

static const char blanks[] = "(),";

bool asf_next_line(asf_lines *lines, text_span *line) {
    text_span end;
    while (text_next_line(&lines->rest, line, &end)) {
        lines->number++;
        *line = text_trim(*line, blanks);
        if (line->size > 0 && *line->begin != '#')
            return true;
    }
    return false;
}

bool asf_next_word(text_span *line, text_span *word) {
    return text_next_word(line, blanks, "", word);
}

bool asf_next_number(text_span *line, double *number) {
    text_span word;
    return asf_next_word(line, &word) && text_is_number(word, number) && isfinite(*number) &&
           fabs(*number) <= 1e30;
}

pm_status asf_refuse(const asf_lines *lines, const char *what, text_span word, pm_error *error) {
    return motion_refuse(error, "line %zu: %s '%s'", lines->number, what,
                         MOTION_SHOWN(word.begin, word.size));
}

void asf_turn(double q[4], char axis, double angle, bool radians) {
    const double half = (radians ? angle : angle * (3.14159265358979323846 / 180)) / 2;
    double turn[4] = {0, 0, 0, pm_same_cos(half)};
    turn[axis - 'x'] = pm_same_sin(half);
    quat_multiply(turn, q, q);
}

static size_t find_read(const asf *skeleton, text_span name) {
    for (size_t b = 0; b < skeleton->count; b++)
        if (skeleton->bones[b].name.size == name.size &&
            memcmp(skeleton->bones[b].name.text, name.begin, name.size) == 0)
            return b;
    return SIZE_MAX;
}

size_t asf_find(const asf *skeleton, text_span name) {
    const uint32_t found = motion_find_named(skeleton->by_name, skeleton->count,
                                             (pm_motion_name){name.begin, name.size});
    return found == PM_NO_INDEX32 ? SIZE_MAX : found;
}

static bool sort_names(asf *skeleton, motion_arena *arena) {
    skeleton->by_name = motion_allocate(arena, skeleton->count, sizeof *skeleton->by_name);
    for (size_t b = 0; skeleton->by_name && b < skeleton->count; b++)
        skeleton->by_name[b] = (motion_named){skeleton->bones[b].name, (uint32_t)b};
    if (skeleton->by_name)
        motion_sort_named(skeleton->by_name, skeleton->count);
    return skeleton->by_name != NULL;
}

typedef struct parser {
    asf_lines lines;
    asf *skeleton;
    motion_arena *arena;
    pm_error *error;
    asf_bone *bone; /* that is read */
    double direction[3], length;
} parser;

static pm_status refuse(const parser *p, const char *what, text_span word) {
    return asf_refuse(&p->lines, what, word, p->error);
}

static bool set_name(parser *p, asf_bone *bone, text_span name) {
    bone->name = (pm_motion_name){motion_copy_text(p->arena, name.begin, name.size), name.size};
    return bone->name.text != NULL;
}

static bool read_three(text_span *line, double three[3]) {
    return asf_next_number(line, &three[0]) && asf_next_number(line, &three[1]) &&
           asf_next_number(line, &three[2]);
}

static pm_status read_axis(const parser *p, text_span line, double axis[4]) {
    double angles[3];
    text_span order;
    if (!read_three(&line, angles) || !asf_next_word(&line, &order) || order.size != 3)
        return refuse(p, "expected three angles and their order, found", line);
    for (size_t i = 0; i < 3; i++) {
        const char c = (char)(order.begin[i] | 0x20);
        if (c < 'x' || c > 'z')
            return refuse(p, "is no order of axes:", order);
        asf_turn(axis, c, angles[c - 'x'], p->skeleton->radians);
    }
    return PM_OK;
}

static pm_status read_freedoms(const parser *p, text_span line, asf_bone *bone) {
    text_span word;
    while (asf_next_word(&line, &word)) {
        const char kind = word.size == 2 ? (char)(word.begin[0] | 0x20) : '\0';
        const char axis = word.size == 2 ? (char)(word.begin[1] | 0x20) : '\0';
        if ((kind != 'r' && kind != 't') || axis < 'x' || axis > 'z' ||
            bone->freedom_count == ASF_MOST_FREEDOMS)
            return refuse(p, "expected rx, ry, rz, tx, ty or tz, found", word);
        bone->freedoms[bone->freedom_count++] = kind == 'r' ? axis : (char)(axis - 0x20);
    }
    return PM_OK;
}

/* A line of a bone. */
static pm_status read_bone_line(parser *p, text_span line) {
    asf_bone *bone = p->bone;
    text_span word, name;
    (void)asf_next_word(&line, &word);
    if (text_is(word, "name")) {
        if (!asf_next_word(&line, &name) || find_read(p->skeleton, name) != SIZE_MAX)
            return refuse(p, "is no new name of a bone:", name);
        return set_name(p, bone, name) ? PM_OK : motion_refuse_memory(p->error);
    }
    if (text_is(word, "direction"))
        return read_three(&line, p->direction) ? PM_OK
                                               : refuse(p, "expected three numbers, found", line);
    if (text_is(word, "length"))
        return asf_next_number(&line, &p->length) ? PM_OK
                                                  : refuse(p, "expected a number, found", line);
    if (text_is(word, "axis"))
        return read_axis(p, line, bone->axis);
    return text_is(word, "dof") ? read_freedoms(p, line, bone) : PM_OK; /* limits, mass */
}

static void end_bone(parser *p) {
    const double *d = p->direction, size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int i = 0; i < 3; i++)
        p->bone->offset[i] = size > 0 ? d[i] / size * p->length : 0;
    p->skeleton->count++;
    p->bone = NULL;
}

static pm_status read_bones(parser *p, text_span line) {
    text_span rest = line, word;
    (void)asf_next_word(&rest, &word);
    if (!p->bone && !text_is(word, "begin"))
        return refuse(p, "expected begin, found", word);
    if (p->bone && text_is(word, "end")) {
        if (p->bone->name.size == 0)
            return refuse(p, "a bone without a name before", word);
        end_bone(p);
    } else if (p->bone) {
        return read_bone_line(p, line);
    } else {
        if (p->skeleton->count == MOST_BONES)
            return refuse(p, "more than 4096 bones at", word);
        p->bone = &p->skeleton->bones[p->skeleton->count];
        *p->bone = (asf_bone){.parent = -1, .axis = {0, 0, 0, 1}, .name = {"", 0}};
        memset(p->direction, 0, sizeof p->direction);
        p->length = 0;
    }
    return PM_OK;
}

/* The order of the root is that of the numbers of a frame; its rotations are applied in that of `axis`. */
static pm_status read_root(const parser *p, text_span line) {
    asf_bone *root = p->skeleton->bones;
    text_span word, whole = line;
    (void)asf_next_word(&line, &word);
    if (text_is(word, "order"))
        return read_freedoms(p, line, root);
    if (text_is(word, "position") && !read_three(&line, root->offset))
        return refuse(p, "expected three numbers, found", line);
    if (text_is(word, "orientation")) {
        double angles[3];
        if (!read_three(&line, angles))
            return refuse(p, "expected three numbers, found", whole);
        for (int i = 0; i < 3; i++)
            asf_turn(root->axis, (char)('x' + i), angles[i], p->skeleton->radians);
    }
    return PM_OK;
}

static pm_status read_hierarchy(const parser *p, text_span line) {
    text_span word;
    (void)asf_next_word(&line, &word);
    if (text_is(word, "begin") || text_is(word, "end"))
        return PM_OK;
    const size_t parent = find_read(p->skeleton, word);
    if (parent == SIZE_MAX)
        return refuse(p, "no bone is named", word);
    while (asf_next_word(&line, &word)) {
        const size_t child = find_read(p->skeleton, word);
        if (child == SIZE_MAX || child == 0)
            return refuse(p, "no bone is named", word);
        if (p->skeleton->bones[child].parent >= 0)
            return refuse(p, "has a parent already:", word);
        p->skeleton->bones[child].parent = (int32_t)parent;
        p->skeleton->bones[parent].has_children = true;
    }
    return PM_OK;
}

/* All bones hang on the root: there is no circle. */
static pm_status check_tree(const parser *p) {
    asf *s = p->skeleton;
    for (size_t b = 0; b < s->count; b++) {
        size_t at = b;
        for (size_t steps = 0; at != 0 && s->bones[at].parent >= 0 && steps < s->count; steps++)
            at = (size_t)s->bones[at].parent;
        if (at != 0)
            return motion_refuse(p->error, "bone '%s' does not hang on the root",
                                 MOTION_SHOWN(s->bones[b].name.text, s->bones[b].name.size));
        s->bones[b].first = s->freedoms;
        s->freedoms += s->bones[b].freedom_count;
        s->moving += s->bones[b].freedom_count > 0;
    }
    return PM_OK;
}

typedef enum section {
    SECTION_OTHER,
    SECTION_UNITS,
    SECTION_ROOT,
    SECTION_BONES,
    SECTION_TREE
} section;

static section section_of(text_span word) {
    return text_is(word, ":units")       ? SECTION_UNITS
           : text_is(word, ":root")      ? SECTION_ROOT
           : text_is(word, ":bonedata")  ? SECTION_BONES
           : text_is(word, ":hierarchy") ? SECTION_TREE
                                         : SECTION_OTHER;
}

static pm_status read_line(parser *p, section in, text_span line) {
    text_span rest = line, word;
    if (in == SECTION_UNITS && asf_next_word(&rest, &word) && text_is(word, "angle")) {
        (void)asf_next_word(&rest, &word);
        p->skeleton->radians = text_is(word, "rad") || text_is(word, "radians");
        if (!p->skeleton->radians && !text_is(word, "deg") && !text_is(word, "degrees"))
            return refuse(p, "expected deg or rad, found", line);
    }
    rest = line;
    if (in == SECTION_UNITS && asf_next_word(&rest, &word) && text_is(word, "length") &&
        (!asf_next_number(&rest, &p->skeleton->length) || p->skeleton->length <= 0))
        return refuse(p, "expected a number above 0, found", line);
    return in == SECTION_ROOT    ? read_root(p, line)
           : in == SECTION_BONES ? read_bones(p, line)
           : in == SECTION_TREE  ? read_hierarchy(p, line)
                                 : PM_OK;
}

static pm_status parse(parser *p) {
    section in = SECTION_OTHER;
    text_span line, word;
    pm_status status = PM_OK;
    while (status == PM_OK && asf_next_line(&p->lines, &line)) {
        text_span rest = line;
        if (*line.begin == ':' && asf_next_word(&rest, &word))
            in = section_of(word);
        else
            status = read_line(p, in, line);
    }
    if (status == PM_OK && p->bone)
        return motion_refuse(p->error, "ends inside a bone");
    return status == PM_OK ? check_tree(p) : status;
}

pm_status asf_parse(const char *data, size_t size, const char *name, motion_arena *arena,
                    asf *skeleton, pm_error *error) {
    parser p = {.lines = {{data, size}, 0}, .skeleton = skeleton, .arena = arena, .error = error};
    *skeleton =
        (asf){.bones = motion_allocate(arena, MOST_BONES + 1, sizeof *skeleton->bones), .count = 1};
    MOTION_TRY_MEMORY(skeleton->bones, error);
    skeleton->bones[0] = (asf_bone){.parent = -1, .axis = {0, 0, 0, 1}};
    if (!set_name(&p, skeleton->bones, (text_span){"root", 4}))
        return motion_refuse_memory(error);
    const pm_status status = motion_name_failure(parse(&p), name, error);
    return status != PM_OK || sort_names(skeleton, arena) ? status : motion_refuse_memory(error);
}
