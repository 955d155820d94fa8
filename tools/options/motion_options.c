/* SPDX-License-Identifier: MIT
 *
 * The table of options about motion files, and opening one with them.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion_options.h"
#include "motion/base/counts.h"
#include "motion/open/formats.h"
#include "motion/task/task_files.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool parse_nan(const char *text, void *target, char *reason) {
    static const char *const words[] = {"hold"};
    size_t word = 0;
    *(bool *)target = value_word(text, words, 1, &word, reason);
    return *(bool *)target;
}

static bool parse_position(const char *text, void *target, char *reason) {
    static const char *const words[] = {"replace", "add"};
    size_t word = 0;
    if (!value_word(text, words, 2, &word, reason))
        return false;
    *(bool *)target = word == 1;
    return true;
}

bool motion_option_format(const char *text, void *target, char *reason) {
    enum { FORMATS = PM_MOTION_FORMAT_COUNT - PM_MOTION_ANY - 1 };
    const char *words[FORMATS];
    size_t word = 0;
    for (size_t i = 0; i < FORMATS; i++) {
        words[i] = pm_motion_format_name((pm_motion_format)(PM_MOTION_ANY + 1 + i));
        if (strcasecmp(text, words[i]) == 0)
            text = words[i];
    }
    if (!value_word(text, words, FORMATS, &word, reason))
        return false;
    *(pm_motion_format *)target = (pm_motion_format)(PM_MOTION_ANY + 1 + word);
    return true;
}

bool motion_option_clip(const char *text, void *target, char *reason) {
    clip_names *names = target;
    if (names->count == TASK_CLIPS_MAX) {
        snprintf(reason, OPTION_REASON_SIZE, "is given more than %d times; without it, all clips",
                 (int)TASK_CLIPS_MAX);
        return false;
    }
    names->names[names->count++] = text;
    return true;
}

#define AT(field) offsetof(motion_options, field)
static const option motion_table[] = {
    {"--format", 0, "FORMAT", "format of inputs without an extension:" MOTION_READ_NAMES,
     motion_option_format, AT(read.format)},
    {"--source-rate", 0, "HZ", "frames per second of the source, instead of what the file says",
     option_rational, AT(read.source_rate)},
    {"--layout", 0, "LAYOUT",
     "NPZ: amass, amass-x, inter-x, beyondmimic, beyondmimic-xyzw, isaaclab, isaaclab-xyzw,\n"
     "plain, or a JSON file with a layout; default: by the names of the members.\n"
     "CSV: robot, robot-wxyz, seed, or columns such as index,position,euler-xyz;\n"
     "default: by the header",
     value_text, AT(read.layout)},
    {"--skeleton", 0, "JOINTS",
     "joints for a file without them: smpl, smplh, smplx, or a file (any motion file, or JSON);\n"
     "of AMC its ASF file; default: the one beside it",
     value_text, AT(read.skeleton)},
    {"--rates", 0, "FILE", "NPZ: a file with rates of paths, for files whose own rate is wrong",
     value_text, AT(read.rates_file)},
    {"--nan", 0, "hold", "BVH: replace a value that is not finite by the one of the row before",
     parse_nan, AT(read.hold_nan)},
    {"--strict", 0, NULL,
     "reject a file whose parts disagree, such as Frames: and its number of rows", NULL,
     AT(read.strict)},
    {"--literal-rate", 0, NULL, "use the frame time exactly as written: .0083333 is not 120 Hz", NULL,
     AT(read.literal_rate)},
    {"--bvh-position", 0, "RULE",
     "how position channels combine with OFFSET: replace (default) or add;\n"
     "from BVH to BVH the result is the same",
     parse_position, AT(read.bvh_adds_offset)},
};
#undef AT

option_group motion_options_group(motion_options *options) {
    return (option_group){"Motion files", motion_table,
                          sizeof motion_table / sizeof motion_table[0], options};
}

void motion_options_warn(const motion_options *options, unsigned formats) {
    enum { BVH = 1 << PM_MOTION_BVH, NPZ = 1 << PM_MOTION_NPZ, CSV = 1 << PM_MOTION_CSV };
    enum { AMC = 1 << PM_MOTION_AMC };
    const pm_motion_read_options *o = &options->read;
    const struct {
        const char *name;
        bool is_given;
        unsigned formats;
        const char *words;
    } all[] = {
        {"--source-rate", o->source_rate.den != 0, BVH | NPZ | CSV | AMC, "bvh, npz, csv and amc"},
        {"--layout", o->layout != NULL, NPZ | CSV, "npz and csv"},
        {"--rates", o->rates_file != NULL, NPZ, "npz"},
        {"--nan", o->hold_nan, BVH, "bvh"},
        {"--literal-rate", o->literal_rate, BVH | NPZ, "bvh and npz"},
        {"--bvh-position", o->bvh_adds_offset, BVH, "bvh"}};
    for (size_t i = 0; formats != 0 && i < sizeof all / sizeof all[0]; i++)
        if (all[i].is_given && (all[i].formats & formats) == 0)
            cli_warn(all[i].name, "has no effect; it is for inputs of %s", all[i].words);
}

cli_exit motion_options_open(const motion_options *options, const char *path, pm_motion **motion) {
    pm_motion_read_options reading = options->read;
    pm_error error = {.status = PM_OK};
    reading.log = options->quiet ? NULL : cli_log;
    return cli_done(task_read(&reading, path, NULL, 0, motion, &error), &error);
}
