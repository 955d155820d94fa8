/* SPDX-License-Identifier: MIT
 *
 * Which columns are what: by the name of a layout, by a list of columns, or by the words of the header.
 * A header that contradicts every layout is refused: numbers that are no quaternion would be normalised
 * into one.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion/base/words.h"
#include "motion/csv/csv.h"
#include "motion/model/angles.h"
#include "motion/model/meaning.h"

#define RADIANS (RADIANS_A_TURN / 360)

enum { USUAL_RATE = 30 };
static const double metre = 1000;

static const struct {
    const char *name, *columns;
    int rate;
    double full_turn; /* of the joints */
    double unit_mm;
} layouts[] = {
    {"robot", "position,quaternion-xyzw", USUAL_RATE, RADIANS_A_TURN, 1000},
    {"robot-wxyz", "position,quaternion-wxyz", USUAL_RATE, RADIANS_A_TURN, 1000},
    {"seed", "index,position,euler-xyz", 120, 360, 10}, /* BONES-SEED, in degrees */
    {"tum", "stamp,position,quaternion-xyzw", 0, 0, 1000},
    {"euroc", "stamp-ns,position,quaternion-wxyz", 0, 0, 1000},
    {"kitti", "matrix", 0, 0, 1000},
};
enum { SEED = 2, TUM, EUROC, KITTI, LAYOUTS = sizeof layouts / sizeof *layouts };

static const struct {
    const char *word;
    csv_form form;
    size_t count;
    int power;
} words[] = {
    {"index", CSV_INDEX, 1, 0},          {"time", CSV_TIME, 1, 0},
    {"number", CSV_NUMBERS, 1, 0},       {"position", CSV_POSITION, 3, 0},
    {"quaternion-xyzw", CSV_XYZW, 4, 0}, {"quaternion-wxyz", CSV_WXYZ, 4, 0},
    {"stamp", CSV_STAMP, 1, 0},          {"stamp-ms", CSV_STAMP, 1, 3},
    {"stamp-us", CSV_STAMP, 1, 6},       {"stamp-ns", CSV_STAMP, 1, 9},
    {"matrix", CSV_MATRIX, 12, 0},
};
enum { WORDS = sizeof words / sizeof *words };

static const char expected_layout[] =
    "robot, robot-wxyz, seed, tum, euroc, kitti, or columns such as index,position,euler-xyz";

/* euler-XYZ about the axes as they turn, euler-xyz about fixed ones, as SciPy has it; the columns are in
 * the order of the name. Degrees, or radians if the word ends in -radians. */
static bool read_euler(const char *word, size_t size, csv_group *group) {
    const bool radians = size == 17 && memcmp(word + 9, "-radians", 8) == 0;
    if ((size != 9 && !radians) || memcmp(word, "euler-", 6) != 0)
        return false;
    const bool fixed = islower((unsigned char)word[6]);
    char order[4] = {word[6], word[7], word[8], '\0'};
    for (size_t i = 0; i < 3 && fixed; i++) /* the other way about axes that turn */
        order[i] = (char)(word[8 - i] - 'a' + 'A');
    *group =
        (csv_group){.form = CSV_EULER, .count = 3, .fixed = fixed, .unit = radians ? 1 : RADIANS};
    return pm_euler_order_find(order, &group->order);
}

static bool read_word(const char *word, size_t size, csv_group *group) {
    for (size_t i = 0; i < WORDS; i++)
        if (strlen(words[i].word) == size && memcmp(words[i].word, word, size) == 0) {
            *group = (csv_group){
                .form = words[i].form, .count = words[i].count, .power = words[i].power};
            return true;
        }
    return read_euler(word, size, group);
}

/* Reads "index,position,quaternion-xyzw". */
static bool read_columns(const char *text, csv_layout *layout) {
    layout->count = layout->columns = 0;
    for (const char *at = text;; at++) {
        const size_t size = strcspn(at, ",");
        csv_group *group = &layout->groups[layout->count];
        /* One more group is needed for the columns that follow. */
        if (layout->count + 1 == CSV_MAX_GROUPS || !read_word(at, size, group))
            return false;
        group->column = layout->columns;
        layout->columns += group->count;
        layout->count++;
        at += size;
        if (*at == '\0')
            return true;
    }
}

/* False: the columns are none. */
static bool use_columns(csv_layout *layout, const char *name, const char *columns, int rate,
                        double full_turn) {
    snprintf(layout->name, sizeof layout->name, "%s", name);
    layout->rate = rate;
    layout->full_turn = full_turn;
    layout->unit_mm = metre;
    return read_columns(columns, layout);
}

static pm_status use_row(csv_layout *layout, size_t row) {
    use_columns(layout, layouts[row].name, layouts[row].columns, layouts[row].rate,
                layouts[row].full_turn);
    layout->unit_mm = layouts[row].unit_mm;
    return PM_OK;
}

static pm_status choose_given(csv_document *d, const char *text, pm_error *error) {
    d->layout.is_given = true;
    const size_t size = strcspn(text, ":");
    for (size_t i = 0; i < LAYOUTS; i++)
        if (strncmp(layouts[i].name, text, size) == 0 && !layouts[i].name[size] &&
            (!text[size] || i == KITTI)) {
            d->layout.times = text[size] ? text + size + 1 : NULL;
            return use_row(&d->layout, i);
        }
    return use_columns(&d->layout, text, text, USUAL_RATE, RADIANS_A_TURN)
               ? PM_OK
               : motion_refuse(error, "layout '%s' is none of CSV; expected %s",
                               MOTION_SHOWN(text, strlen(text)), expected_layout);
}

enum { NAME = 48, HEAD_COLUMNS = 9 }; /* two before the root's seven */

/* Names of the first columns, in small letters, without quotes, and their units: "ns" of "#timestamp [ns]",
 * "cm" of "pos_x_cm"; "" where there is none. */
typedef struct head {
    char names[HEAD_COLUMNS][NAME], units[HEAD_COLUMNS][NAME];
} head;

/* A comment is a header: "# timestamp tx"; "#,x" names a column. */
static text_span without_mark(text_span line) {
    const bool is_comment = line.size > 1 && line.begin[0] == '#' && !strchr(",;", line.begin[1]);
    return is_comment ? text_trim((text_span){line.begin + 1, line.size - 1}, "") : line;
}

/* In millimetres. 0: it is none of length. */
static double unit_of(const char *word) {
    for (size_t i = 0; i < MOTION_UNITS; i++)
        if (strcmp(word, motion_unit_words[i]) == 0)
            return motion_unit_values[i];
    return strncmp(word, "meter", 5) == 0 || strncmp(word, "metre", 5) == 0 ? metre : 0;
}

static void read_head(text_span line, head *h) {
    line = without_mark(line);
    const char separator = csv_separator_of(line);
    text_span field;
    memset(h, 0, sizeof *h);
    for (size_t i = 0; i < HEAD_COLUMNS && csv_next_field(&line, separator, &field); i++) {
        const bool is_unit = separator == ' ' && field.size > 2 && field.size < NAME &&
                             (field.begin[0] == '[' || field.begin[0] == '(');
        if (i > 0 && is_unit) { /* "# time [s] x y z" */
            i--;
            memcpy(h->units[i], field.begin + 1, field.size - 2);
            continue;
        }
        char name[NAME] = "";
        for (size_t k = 0, used = 0; k < field.size && used + 1 < NAME; k++)
            if (field.begin[k] != '"' && field.begin[k] != '\'')
                name[used++] = (char)tolower((unsigned char)field.begin[k]);
        size_t end = strcspn(name, "[(");
        if (name[end])
            snprintf(h->units[i], NAME, "%.*s", (int)strcspn(name + end + 1, "])"), name + end + 1);
        while (end > 0 && name[end - 1] == ' ')
            end--;
        name[end > 0 ? end : strlen(name)] = '\0';
        char *last = strrchr(name, '_');
        if (last && unit_of(last + 1) > 0) {
            snprintf(h->units[i], NAME, "%s", last + 1);
            *last = '\0';
        }
        memcpy(h->names[i], name, NAME);
    }
}

static bool has_any(const char *name, const char *const list[]) {
    for (; *list; list++)
        if (strstr(name, *list))
            return true;
    return false;
}

static bool is_turning(const char *name) {
    static const char *const list[] = {"quat",  "rot", "euler", "orient", "roll",
                                       "pitch", "yaw", "angle", NULL};
    return has_any(name, list);
}

static bool is_joint(const char *name) {
    static const char *const list[] = {"joint", "dof", NULL};
    static const char *const roots[] = {"root", "base", "float", "pelvis", "world", NULL};
    return has_any(name, list) && !has_any(name, roots);
}

static bool is_index(const char *name) {
    static const char *const list[] = {"frame", "index", NULL};
    return has_any(name, list) || strcmp(name, "#") == 0 || strcmp(name, "idx") == 0 ||
           strcmp(name, "step") == 0;
}

static bool is_time(const char *name) {
    return strstr(name, "time") || strcmp(name, "t") == 0 || strncmp(name, "sec", 3) == 0;
}

/* The axis that a name ends with: x, y, z or w; or 0. */
static char axis_of(const char *name) {
    const size_t size = strlen(name);
    const char last = size > 0 ? name[size - 1] : '\0';
    return last >= 'w' && last <= 'z' ? last : '\0';
}

static bool has_axes(const head *h, size_t first, const char *axes) {
    for (size_t i = 0; axes[i]; i++)
        if (first + i >= HEAD_COLUMNS || axis_of(h->names[first + i]) != axes[i])
            return false;
    return true;
}

static bool is_quaternion(const char *name) {
    return name[0] == 'q' || strstr(name, "quat") || strstr(name, "_q");
}

/* Three numbers: the fourth column is no part of a rotation. */
static bool has_angles(const head *h, size_t first) {
    const char *a = h->names[first], *b = h->names[first + 1], *c = h->names[first + 2];
    if (has_axes(h, first, "wxyz") || has_axes(h, first, "xyzw") || is_quaternion(a))
        return false;
    return (strstr(a, "roll") && strstr(b, "pitch") && strstr(c, "yaw") && !is_joint(a)) ||
           (strstr(a, "yaw") && strstr(b, "pitch") && strstr(c, "roll") && !is_joint(a)) ||
           strstr(a, "euler") || (has_axes(h, first, "xyz") && h->names[first + 3][0]);
}

static bool is_seed(const head *h) {
    return is_index(h->names[0]) && strstr(h->names[1], "translatex") &&
           strstr(h->names[4], "rotatex") && strstr(h->names[5], "rotatey") &&
           strstr(h->names[6], "rotatez");
}

static pm_status refuse_head(const csv_document *d, size_t column, const head *h,
                             const char *expected, pm_error *error) {
    const char *name = h->names[column];
    motion_report(error, PM_ERROR_FILE, "line %zu names column %zu '%s'; expected %s",
                  csv_line_of(d, 0) - 1, column + 1, MOTION_SHOWN(name, strlen(name)), expected);
    motion_cure(error, "layout", "position,euler-xyz",
                "says what the columns are: degrees about fixed axes, or euler-XYZ, "
                "euler-xyz-radians, with index, time or number for columns before");
    return PM_ERROR_FILE;
}

/* Whether neighbouring columns all have axes, and not these in this order. */
static bool has_other_axes(const head *h, size_t first, const char *axes) {
    bool all = true;
    for (size_t i = 0; axes[i]; i++)
        all = all && first + i < HEAD_COLUMNS && axis_of(h->names[first + i]);
    return all && !has_axes(h, first, axes);
}

/* A position x y z from column `first` on, and a quaternion that does not have its axes in another order. */
static pm_status check_pose(const csv_document *d, const head *h, size_t first, pm_error *error) {
    for (size_t i = first; i < first + 3; i++)
        if (is_turning(h->names[i]) || (is_quaternion(h->names[i]) && axis_of(h->names[i])))
            return refuse_head(d, i, h, "a position", error);
    if (has_other_axes(h, first, "xyz"))
        return refuse_head(d, first, h, "a position in the order x y z", error);
    if (has_other_axes(h, first + 3, "xyzw") && !has_axes(h, first + 3, "wxyz"))
        return refuse_head(d, first + 3, h, "a quaternion in the order x y z w or w x y z", error);
    return PM_OK;
}

/* The unit that the header has for the position. */
static pm_status take_unit(csv_document *d, const motion_input *input, pm_error *error) {
    head h;
    char own[MOTION_UNIT_TEXT];
    size_t first = HEAD_COLUMNS;
    read_head(d->header, &h);
    for (size_t i = 0; i < d->layout.count; i++)
        if (d->layout.groups[i].form == CSV_POSITION && first == HEAD_COLUMNS)
            first = d->layout.groups[i].column;
    if (first + 3 > HEAD_COLUMNS)
        return PM_OK;
    const char *unit = h.units[first];
    for (size_t i = first + 1; i < first + 3; i++)
        if (unit_of(h.units[i]) != unit_of(unit))
            return motion_refuse(
                error,
                "line %zu has '%s' for the unit of column %zu and '%s' for that of column %zu",
                csv_line_of(d, 0) - 1, MOTION_SHOWN(unit, strlen(unit)), first + 1,
                MOTION_SHOWN(h.units[i], strlen(h.units[i])), i + 1);
    if (d->usual && unit_of(unit) > 0 && unit_of(unit) != metre)
        return motion_refuse(error, "line %zu has '%s' for the unit of positions; TUM has m",
                             csv_line_of(d, 0) - 1, MOTION_SHOWN(unit, strlen(unit)));
    if (unit_of(unit) > 0)
        d->layout.unit_mm = unit_of(unit);
    else if (unit[0])
        motion_warn_about(&input->warnings, (motion_about){.cure = "unit", .hint = "gives it"},
                          "the unit '%s' of the position is not known; %s is taken",
                          MOTION_SHOWN(unit, strlen(unit)),
                          motion_unit_name(d->layout.unit_mm, own));
    return PM_OK;
}

/* Columns before the root: the number of the frame, which has no name in tables of pandas, its time. */
static size_t skip_leading(const head *h, char *columns, size_t size) {
    size_t first = 0;
    columns[0] = '\0';
    for (; first < 2; first++) {
        const bool is_number =
            is_index(h->names[first]) || (first == 0 && !h->names[0][0] && h->names[1][0]);
        const size_t used = strlen(columns);
        if (!is_number && !is_time(h->names[first]))
            break;
        snprintf(columns + used, size - used, "%s,", is_number ? "index" : "time");
    }
    return first;
}

/* ---- trajectories ------------------------------------------------------------------------------- */

/* A time and a pose: alone, or beside velocities and biases as EuRoC has them. Roots are of robots. */
static bool is_trajectory(const csv_document *d, const head *h) {
    static const char *const roots[] = {"root", "base", "float", "pelvis", "torso", NULL};
    const char *behind = h->names[HEAD_COLUMNS - 1];
    bool is_robot = false;
    for (size_t i = 1; i < HEAD_COLUMNS; i++)
        is_robot = is_robot || has_any(h->names[i], roots) || is_joint(h->names[i]);
    return is_time(h->names[0]) && !is_robot &&
           (d->column_count == HEAD_COLUMNS - 1 ||
            (d->column_count > HEAD_COLUMNS - 1 &&
             (strncmp(behind, "v_", 2) == 0 ||
              has_any(behind, (const char *const[]){"vel", "cov", "bias", NULL}))));
}

/* The word for the unit of the times, by the header, or by how they are written: those that are 2^53 or more
 * and whole are no seconds. NULL: neither says it. */
static const char *stamp_word(const csv_document *d, const head *h, const motion_input *input) {
    static const char *const units[][2] = {
        {"ns", "stamp-ns"},   {"nsec", "stamp-ns"},       {"us", "stamp-us"}, {"usec", "stamp-us"},
        {"ms", "stamp-ms"},   {"msec", "stamp-ms"},       {"s", "stamp"},     {"sec", "stamp"},
        {"seconds", "stamp"}, {"nanoseconds", "stamp-ns"}};
    const char *name = h->names[0], *last = strrchr(name, '_');
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(h->units[0], units[i][0]) == 0 || (last && strcmp(last + 1, units[i][0]) == 0) ||
            (h->units[0][0] == '\0' && strcmp(name, units[i][0]) == 0))
            return units[i][1];
    text_span row = d->rows[0], field = {NULL, 0};
    (void)csv_next_field(&row, csv_separator_of(row), &field);
    const bool is_whole = !memchr(field.begin, '.', field.size);
    const bool is_ns = is_whole && fabs(d->numbers[0]) >= 0x1p53;
    if (is_ns && strncmp(h->names[1], "p_rs_", 5) == 0) /* those of EuRoC have ns */
        return "stamp-ns";
    if (h->units[0][0] || (is_whole && !is_ns))
        return NULL;
    motion_warn_about(&input->warnings,
                      (motion_about){.cure = "layout", .hint = "says the columns"},
                      "the header has no unit of time; %s are taken, as the times are %s",
                      is_ns ? "ns" : "seconds", is_ns ? "whole numbers above 2^53" : "fractions");
    return is_ns ? "stamp-ns" : "stamp";
}

static pm_status choose_trajectory(csv_document *d, const head *h, const motion_input *input,
                                   pm_error *error) {
    char columns[CSV_LAYOUT_TEXT];
    const bool w_first = has_axes(h, 4, "wxyz");
    MOTION_TRY(check_pose(d, h, 1, error));
    if (has_angles(h, 4))
        return refuse_head(d, 4, h, "a quaternion", error);
    if (!w_first && !has_axes(h, 4, "xyzw")) {
        motion_report(error, PM_ERROR_FILE,
                      "line %zu does not say the order of the quaternions; expected names that end "
                      "with x, y, z and w",
                      csv_line_of(d, 0) - 1);
        motion_cure(error, "layout", "stamp,position,quaternion-wxyz", "says the columns");
        return PM_ERROR_FILE;
    }
    const char *stamp = stamp_word(d, h, input);
    if (!stamp) {
        motion_report(
            error, PM_ERROR_FILE,
            "line %zu does not say the unit of the times; expected [ns], [us], [ms] or [s]",
            csv_line_of(d, 0) - 1);
        motion_cure(error, "layout", "stamp-ms,position,quaternion-xyzw",
                    "says the columns; stamp is for seconds, and stamp-us and stamp-ns for others");
        return PM_ERROR_FILE;
    }
    snprintf(columns, sizeof columns, "%s,position,quaternion-%s", stamp,
             w_first ? "wxyz" : "xyzw");
    const bool is_euroc = strcmp(columns, layouts[EUROC].columns) == 0;
    use_columns(&d->layout, is_euroc ? layouts[EUROC].name : columns, columns, 0, 0);
    return PM_OK;
}

/* Of a format that fixes the columns: a header may only agree. */
static pm_status choose_usual(csv_document *d, pm_error *error) {
    head h;
    use_row(&d->layout, TUM);
    read_head(d->header, &h);
    MOTION_TRY(check_pose(d, &h, 1, error));
    if (h.units[0][0] && h.units[0][0] != 's')
        return motion_refuse(error, "line %zu has '%s' for the unit of times; TUM has s",
                             csv_line_of(d, 0) - 1, MOTION_SHOWN(h.units[0], strlen(h.units[0])));
    if (has_axes(&h, 4, "wxyz")) {
        motion_report(error, PM_ERROR_FILE,
                      "line %zu names w before x; TUM has t x y z qx qy qz qw",
                      csv_line_of(d, 0) - 1);
        motion_cure(error, "layout", "stamp,position,quaternion-wxyz", "takes w first");
        return PM_ERROR_FILE;
    }
    if (d->column_count != d->layout.columns)
        return motion_refuse(error, "line %zu has %zu columns; expected 8: t x y z qx qy qz qw",
                             csv_line_of(d, 0), d->column_count);
    return PM_OK;
}

/* ---- headers --------------------------------------------------------------------------------- */

static pm_status choose_by_header(csv_document *d, const motion_input *input, pm_error *error) {
    char columns[CSV_LAYOUT_TEXT];
    head h;
    read_head(d->header, &h);
    if (!d->header.begin && csv_has_matrices(d)) {
        motion_warn_about(&input->warnings,
                          (motion_about){.cure = "layout", .hint = "says the columns"},
                          "rows are matrices 3 x 4; they are taken as poses of KITTI");
        return use_row(&d->layout, KITTI);
    }
    if (is_trajectory(d, &h))
        return choose_trajectory(d, &h, input, error);
    if (is_seed(&h))
        return use_row(&d->layout, SEED);
    const size_t first = skip_leading(&h, columns, sizeof columns), rotation = first + 3;
    for (size_t i = first; i < rotation; i++)
        if (is_joint(h.names[i]))
            return refuse_head(d, i, &h, "the root's position", error);
    MOTION_TRY(check_pose(d, &h, first, error));
    if (has_angles(&h, rotation))
        return refuse_head(d, rotation, &h, "the root's quaternion x y z w", error);
    for (size_t i = rotation; i < rotation + 4; i++)
        if (is_joint(h.names[i]))
            return refuse_head(d, i, &h, "the root's quaternion x y z w", error);
    const bool w_first = has_axes(&h, rotation, "wxyz");
    const size_t used = strlen(columns);
    snprintf(columns + used, sizeof columns - used, "position,quaternion-%s",
             w_first ? "wxyz" : "xyzw");
    use_columns(&d->layout,
                first > 0 ? columns
                : w_first ? "robot-wxyz"
                          : "",
                columns, USUAL_RATE, RADIANS_A_TURN);
    return PM_OK;
}

pm_status csv_choose_layout(csv_document *d, const motion_input *input, pm_error *error) {
    const char *given = input->options->layout;
    csv_layout *layout = &d->layout;
    MOTION_TRY(given      ? choose_given(d, given, error)
               : d->usual ? choose_usual(d, error)
                          : choose_by_header(d, input, error));
    if (d->column_count < layout->columns)
        return motion_refuse(error, "line %zu has %zu columns; expected %zu or more: %s, joints",
                             csv_line_of(d, 0), d->column_count, layout->columns,
                             layout->name[0] ? layout->name
                                             : "root position x y z, root quaternion x y z w");
    MOTION_TRY(take_unit(d, input, error));
    if (d->column_count > layout->columns)
        layout->groups[layout->count++] = (csv_group){.form = CSV_NUMBERS,
                                                      .column = layout->columns,
                                                      .count = d->column_count - layout->columns};
    return PM_OK;
}
