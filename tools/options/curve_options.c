/* SPDX-License-Identifier: MIT
 *
 * Curve options: their values, their table, and their transfer into a pm_clip_desc. The library
 * supplies the list of methods; a method is named here only where an option applies to it.
 */
#include "curve_options.h"
#include "host/base/counts.h"

#include <stdio.h>
#include <string.h>

/* ---- words --------------------------------------------------------------------- */

static bool parse_method(const char *text, void *target, char *reason) {
    curve_options *options = target;
    const char *words[PM_METHOD_COUNT + 1];
    size_t count = 0, word = 0;
    for (int i = 0; i < PM_METHOD_COUNT; i++) {
        words[count++] = pm_method_describe((pm_method)i)->name;
    }
    words[count] = "authored";
    if (!option_word(text, words, count + options->takes_authored, &word, reason)) {
        return false;
    }
    options->authored = word == count;
    if (!options->authored) {
        options->method = (pm_method)word;
    }
    options->method_given = true;
    return true;
}

static bool names_npy(const char *text) {
    size_t length = strlen(text);
    return length > 4 && strcmp(text + length - 4, ".npy") == 0;
}

static bool parse_tcb(const char *text, curve_options *options, char *reason) {
    bool good = option_number_list(text, 3, options->tcb);
    for (int i = 0; i < 3 && good; i++) {
        good = options->tcb[i] >= -1.0 && options->tcb[i] <= 1.0;
    }
    if (!good) {
        snprintf(reason, OPTION_REASON_SIZE,
                 "'tcb:%.60s' is invalid; expected tcb:T,C,B with numbers from -1 to 1", text);
        return false;
    }
    options->tangents = PM_TANGENTS_TCB;
    return true;
}

static bool parse_tangents(const char *text, void *target, char *reason) {
    static const char *const words[] = {"bessel", "mean", "hold", "tcb:T,C,B", "FILE.npy"};
    enum { KINDS = 3, FORMS = sizeof words / sizeof words[0] };
    curve_options *options = target;
    size_t word = 0;
    options->tangents_given = true;
    options->tangents_file = NULL;
    if (strncmp(text, "tcb:", 4) == 0) {
        return parse_tcb(text + 4, options, reason);
    }
    if (names_npy(text)) {
        options->tangents = PM_TANGENTS_USER;
        options->tangents_file = text;
        return true;
    }
    if (!option_word(text, words, FORMS, &word, reason) || word >= KINDS) {
        return false;
    }
    options->tangents = (pm_tangents)word;
    return true;
}

static bool parse_ends(const char *text, void *target, char *reason) {
    static const char *const words[PM_ENDS_COUNT] = {"chord", "natural", "parabola", "zero"};
    curve_options *options = target;
    size_t word = 0;
    if (!option_word(text, words, PM_ENDS_COUNT, &word, reason)) {
        return false;
    }
    options->ends = (pm_ends)word;
    options->ends_given = true;
    return true;
}

static bool parse_axis(const char *text, void *target, char *reason) {
    curve_options *options = target;
    options->axis_given = true;
    options->axis_file = names_npy(text) ? text : NULL;
    if (options->axis_file == NULL && !option_number_list(text, 3, options->axis)) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is invalid; expected x,y,z or FILE.npy",
                 text);
        return false;
    }
    if (options->axis_file == NULL && options->axis[0] == 0.0 && options->axis[1] == 0.0 &&
        options->axis[2] == 0.0) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' has zero length; expected a direction x,y,z",
                 text);
        return false;
    }
    return true;
}

static bool parse_axis_frame(const char *text, void *target, char *reason) {
    static const char *const words[PM_AXIS_COUNT] = {"body", "parent"};
    curve_options *options = target;
    size_t word = 0;
    if (!option_word(text, words, PM_AXIS_COUNT, &word, reason)) {
        return false;
    }
    options->axis_frame = (pm_axis_frame)word;
    options->axis_frame_given = true;
    return true;
}

static bool parse_window(const char *text, double *window, bool *given, char *reason) {
    *given = option_number_list(text, 2, window) && window[0] >= 0.0 && window[0] < window[1] &&
             window[1] <= 1.0;
    if (!*given) {
        snprintf(reason, OPTION_REASON_SIZE,
                 "'%.80s' is invalid; expected a,b with 0 <= a < b <= 1", text);
    }
    return *given;
}

static bool parse_swing(const char *text, void *target, char *reason) {
    curve_options *options = target;
    return parse_window(text, options->swing, &options->swing_given, reason);
}

static bool parse_twist(const char *text, void *target, char *reason) {
    curve_options *options = target;
    return parse_window(text, options->twist, &options->twist_given, reason);
}

/* ---- the table ----------------------------------------------------------------- */

static const option curve_table[] = {
    {"--method", 0, "NAME", "interpolation method; see: posemill methods", parse_method, 0},
    {"--tangents", 0, "KIND",
     "velocities at the keys of squad and hermite: bessel (default), mean, hold,\n"
     "tcb:T,C,B, or FILE.npy (n, tracks, 3) of half-angle rad/s",
     parse_tangents, 0},
    {"--ends", 0, "KIND",
     "end condition of squad, hermite and spline: chord (default), natural,\n"
     "parabola, zero",
     parse_ends, 0},
    {"--no-limit", 0, NULL, "disable the limiter of squad", NULL,
     offsetof(curve_options, no_limit)},
    {"--loop", 0, "P",
     "closed track with a period of P seconds; if P is the span of the keys,\n"
     "the last key must repeat the first",
     option_seconds, offsetof(curve_options, loop_period)},
    {"--axis", 0, "AXIS", "twist axis of sterp: x,y,z for all tracks, or FILE.npy (tracks, 3)",
     parse_axis, 0},
    {"--axis-frame", 0, "FRAME", "frame of --axis: body (default) or parent", parse_axis_frame, 0},
    {"--swing", 0, "A,B", "part of a segment in which sterp swings; default 0,1", parse_swing, 0},
    {"--twist", 0, "C,D", "part of a segment in which sterp twists; default 0,1", parse_twist, 0},
};

option_group curve_options_group(curve_options *options) {
    option_group group = {"Curve", curve_table, sizeof curve_table / sizeof curve_table[0],
                          options};
    return group;
}

/* ---- clip description --------------------------------------------------------- */

static void warn_unread(const curve_options *options) {
    const pm_method_info *info = pm_method_describe(options->method);
    const char *name = info->name;
    if (options->tangents_given && !info->takes_tangents) {
        cli_warn("--tangents", "has no effect on %s", name);
    }
    if (options->ends_given && !info->takes_ends) {
        cli_warn("--ends", "has no effect on %s", name);
    }
    if (options->no_limit && options->method != PM_METHOD_SQUAD) {
        cli_warn("--no-limit", "has no effect on %s; only squad uses it", name);
    }
    if (!info->takes_axes) {
        const char *unread = options->axis_given         ? "--axis"
                             : options->axis_frame_given ? "--axis-frame"
                             : options->swing_given      ? "--swing"
                             : options->twist_given      ? "--twist"
                                                         : NULL;
        if (unread != NULL) {
            cli_warn(unread, "has no effect on %s", name);
        }
    }
}

/* What is authored has a curve of its own in each channel. */
static void warn_of_authored(const curve_options *options) {
    const struct {
        bool given;
        const char *name;
    } all[] = {{options->tangents_given, "--tangents"}, {options->ends_given, "--ends"},
               {options->no_limit, "--no-limit"},       {options->loop_period > 0.0, "--loop"},
               {options->axis_given, "--axis"},         {options->axis_frame_given, "--axis-frame"},
               {options->swing_given, "--swing"},       {options->twist_given, "--twist"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].given) {
            cli_warn(all[i].name, "has no effect on the authored interpolation; give a --method");
        }
    }
}

void curve_options_warn(curve_options *options, bool authored) {
    bool *is_warned = authored ? &options->is_warned_of_authored : &options->is_warned;
    if (!*is_warned && authored) {
        warn_of_authored(options);
    } else if (!*is_warned) {
        warn_unread(options);
    }
    *is_warned = true;
}

static cli_exit apply_tangents(curve_options *options, size_t key_count, size_t track_count,
                               pm_clip_desc *desc) {
    desc->tangents = options->tangents;
    desc->tension = options->tcb[0];
    desc->continuity = options->tcb[1];
    desc->bias = options->tcb[2];
    if (options->tangents != PM_TANGENTS_USER ||
        !pm_method_describe(options->method)->takes_tangents) {
        desc->tangents = options->tangents == PM_TANGENTS_USER ? 0 : options->tangents;
        return CLI_DONE;
    }
    const size_t shape[] = {key_count, track_count, 3};
    char shape_name[96];
    snprintf(shape_name, sizeof shape_name, "(n, tracks, 3), here (%zu, %zu, 3)", key_count,
             track_count);
    npy_release(&options->tangents_array);
    cli_exit code = npy_read_beside(options->tangents_file, &options->tangents_array);
    if (code == CLI_DONE) {
        code = npy_expect(&options->tangents_array, options->tangents_file, shape_name, 3, shape);
    }
    desc->user_tangents.data = options->tangents_array.data;
    desc->user_tangents.type = options->tangents_array.type;
    return code;
}

static cli_exit apply_axis(curve_options *options, size_t track_count, pm_clip_desc *desc) {
    if (!options->axis_given || options->method != PM_METHOD_STERP) {
        return CLI_DONE;
    }
    if (options->axis_file == NULL) {
        desc->axes.data = options->axis;
        desc->axes.type = PM_FLOAT64;
        desc->axis_count = 1;
        return CLI_DONE;
    }
    const size_t shape[] = {track_count, 3};
    char shape_name[96];
    snprintf(shape_name, sizeof shape_name, "(tracks, 3), here (%zu, 3)", track_count);
    npy_release(&options->axis_array);
    cli_exit code = npy_read_beside(options->axis_file, &options->axis_array);
    if (code == CLI_DONE) {
        code = npy_expect(&options->axis_array, options->axis_file, shape_name, 2, shape);
    }
    desc->axes.data = options->axis_array.data;
    desc->axes.type = options->axis_array.type;
    desc->axis_count = track_count;
    return code;
}

/* If only one window is given, the other one is the whole segment. */
static void apply_windows(curve_options *options, pm_clip_desc *desc) {
    if (options->method != PM_METHOD_STERP || (!options->swing_given && !options->twist_given)) {
        return;
    }
    options->windows = (pm_windows){0.0, 1.0, 0.0, 1.0};
    if (options->swing_given) {
        options->windows.swing_begin = options->swing[0];
        options->windows.swing_end = options->swing[1];
    }
    if (options->twist_given) {
        options->windows.twist_begin = options->twist[0];
        options->windows.twist_end = options->twist[1];
    }
    desc->windows = &options->windows;
    desc->window_count = 1;
}

cli_exit curve_options_apply(curve_options *options, size_t key_count, size_t track_count,
                             pm_clip_desc *desc) {
    curve_options_warn(options, false);
    desc->method = options->method;
    desc->ends = options->ends;
    desc->unlimited = options->no_limit;
    desc->loop_period = options->loop_period;
    desc->axis_frame = options->axis_frame;
    apply_windows(options, desc);
    cli_exit code = apply_tangents(options, key_count, track_count, desc);
    return code == CLI_DONE ? apply_axis(options, track_count, desc) : code;
}

void curve_options_release(curve_options *options) {
    npy_release(&options->tangents_array);
    npy_release(&options->axis_array);
}
