/* SPDX-License-Identifier: MIT
 *
 * Curve options: their values and their table. The library supplies the list of methods.
 */
#include "curve_options.h"
#include "host/base/counts.h"

#include <stdio.h>
#include <string.h>

/* ---- words --------------------------------------------------------------------- */

static bool find_method(const char *text, bool takes_authored, pm_motion_curve *curve,
                        char *reason) {
    const char *words[PM_METHOD_COUNT + 1];
    size_t count = 0, word = 0;
    for (int i = 0; i < PM_METHOD_COUNT; i++)
        words[count++] = pm_method_get_info((pm_method)i)->name;
    words[count] = "authored";
    if (!value_word(text, words, count + takes_authored, &word, reason))
        return false;
    curve->authored = word == count;
    if (!curve->authored)
        curve->method = (pm_method)word;
    curve->method_given = true;
    return true;
}

static bool parse_method(const char *text, void *target, char *reason) {
    return find_method(text, false, target, reason);
}

static bool parse_any_method(const char *text, void *target, char *reason) {
    return find_method(text, true, target, reason);
}

static bool names_npy(const char *text) {
    size_t length = strlen(text);
    return length > 4 && strcmp(text + length - 4, ".npy") == 0;
}

static bool parse_tcb(const char *text, pm_motion_curve *curve, char *reason) {
    bool good = option_number_list(text, 3, curve->tcb);
    for (int i = 0; i < 3 && good; i++)
        good = curve->tcb[i] >= -1.0 && curve->tcb[i] <= 1.0;
    if (!good) {
        snprintf(reason, OPTION_REASON_SIZE,
                 "'tcb:%.60s' is invalid; expected tcb:T,C,B with numbers from -1 to 1", text);
        return false;
    }
    curve->tangents = PM_TANGENTS_TCB;
    return true;
}

static bool parse_tangents(const char *text, void *target, char *reason) {
    static const char *const words[] = {"bessel", "mean", "hold", "tcb:T,C,B", "FILE.npy"};
    enum { KINDS = 3, FORMS = sizeof words / sizeof words[0] };
    pm_motion_curve *curve = target;
    size_t word = 0;
    curve->tangents_given = true;
    curve->tangents_file = NULL;
    if (strncmp(text, "tcb:", 4) == 0)
        return parse_tcb(text + 4, curve, reason);
    if (names_npy(text)) {
        curve->tangents = PM_TANGENTS_USER;
        curve->tangents_file = text;
        return true;
    }
    if (!value_word(text, words, FORMS, &word, reason) || word >= KINDS)
        return false;
    curve->tangents = (pm_tangents)word;
    return true;
}

static bool parse_ends(const char *text, void *target, char *reason) {
    static const char *const words[PM_ENDS_COUNT] = {"chord", "natural", "parabola", "zero"};
    pm_motion_curve *curve = target;
    size_t word = 0;
    if (!value_word(text, words, PM_ENDS_COUNT, &word, reason))
        return false;
    curve->ends = (pm_ends)word;
    curve->ends_given = true;
    return true;
}

static bool parse_axis(const char *text, void *target, char *reason) {
    pm_motion_curve *curve = target;
    curve->axis_given = true;
    curve->axis_file = names_npy(text) ? text : NULL;
    if (!curve->axis_file && !option_number_list(text, 3, curve->axis)) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is invalid; expected x,y,z or FILE.npy",
                 text);
        return false;
    }
    if (!curve->axis_file && curve->axis[0] == 0.0 && curve->axis[1] == 0.0 &&
        curve->axis[2] == 0.0) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' has zero length; expected a direction x,y,z",
                 text);
        return false;
    }
    return true;
}

static bool parse_axis_frame(const char *text, void *target, char *reason) {
    static const char *const words[PM_AXIS_COUNT] = {"body", "parent"};
    pm_motion_curve *curve = target;
    size_t word = 0;
    if (!value_word(text, words, PM_AXIS_COUNT, &word, reason))
        return false;
    curve->axis_frame = (pm_axis_frame)word;
    curve->axis_frame_given = true;
    return true;
}

static bool parse_window(const char *text, double *window, bool *given, char *reason) {
    *given = option_number_list(text, 2, window) && window[0] >= 0.0 && window[0] < window[1] &&
             window[1] <= 1.0;
    if (!*given)
        snprintf(reason, OPTION_REASON_SIZE,
                 "'%.80s' is invalid; expected a,b with 0 <= a < b <= 1", text);
    return *given;
}

static bool parse_swing(const char *text, void *target, char *reason) {
    pm_motion_curve *curve = target;
    return parse_window(text, curve->swing, &curve->swing_given, reason);
}

static bool parse_twist(const char *text, void *target, char *reason) {
    pm_motion_curve *curve = target;
    return parse_window(text, curve->twist, &curve->twist_given, reason);
}

/* ---- the table ----------------------------------------------------------------- */

#define METHOD_HELP "interpolation method; see: posemill methods"
static const option method_table[] = {{"--method", 0, "NAME", METHOD_HELP, parse_method, 0},
                                      {"--method", 0, "NAME", METHOD_HELP, parse_any_method, 0}};
static const option curve_table[] = {
    {"--tangents", 0, "KIND",
     "velocities at the keys of squad and hermite: bessel (default), mean, hold,\n"
     "tcb:T,C,B, or FILE.npy (n, tracks, 3) of half-angle rad/s",
     parse_tangents, 0},
    {"--ends", 0, "KIND",
     "end condition of squad, hermite and spline: chord (default), natural,\n"
     "parabola, zero",
     parse_ends, 0},
    {"--unlimited", 0, NULL, "disable the limiter of squad", NULL,
     offsetof(pm_motion_curve, unlimited)},
    {"--loop", 0, "P",
     "closed track with a period of P seconds; if P is the span of the keys,\n"
     "the last key must repeat the first",
     value_seconds, offsetof(pm_motion_curve, loop_period)},
    {"--axis", 0, "AXIS", "twist axis of sterp: x,y,z for all tracks, or FILE.npy (tracks, 3)",
     parse_axis, 0},
    {"--axis-frame", 0, "FRAME", "frame of --axis: body (default) or parent", parse_axis_frame, 0},
    {"--swing", 0, "A,B", "part of a segment in which sterp swings; default 0,1", parse_swing, 0},
    {"--twist", 0, "C,D", "part of a segment in which sterp twists; default 0,1", parse_twist, 0},
};

option_group method_option_group(pm_motion_curve *curve, bool takes_authored) {
    return (option_group){"Curve", &method_table[takes_authored], 1, curve};
}

option_group curve_options_group(pm_motion_curve *curve) {
    return (option_group){NULL, curve_table, sizeof curve_table / sizeof curve_table[0], curve};
}
