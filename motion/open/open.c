/* SPDX-License-Identifier: MIT
 *
 * Opens motion files: finds out the format, and lets it read.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/c_locale.h"
#include "motion/base/counts.h"
#include "motion/base/os.h"
#include "motion/model/angles.h"
#include "motion/model/meaning.h"
#include "motion/model/names.h"
#include "motion/open/formats.h"
#include "motion/time/rate.h"

static pm_status check_options(const pm_motion_read_options *options, pm_error *error) {
    if ((unsigned)options->format >= PM_MOTION_FORMAT_COUNT)
        return motion_fail(error, PM_ERROR_ARGUMENT, "format is %d, which is no pm_motion_format",
                           (int)options->format);
    if ((options->source_rate.num != 0 || options->source_rate.den != 0) &&
        (options->source_rate.num <= 0 || options->source_rate.den <= 0))
        return motion_fail(error, PM_ERROR_ARGUMENT, "source_rate is not above 0");
    if ((unsigned)options->up >= PM_MOTION_UP_COUNT)
        return motion_fail(error, PM_ERROR_ARGUMENT, "up is %d, which is no axis that points up",
                           (int)options->up);
    if (!isfinite(options->unit_mm) || options->unit_mm < 0)
        return motion_fail(error, PM_ERROR_ARGUMENT, "unit_mm is %g, expected a number above 0",
                           options->unit_mm);
    MOTION_TRY(MOTION_CHECK_NEXT(pm_motion_read_options, options, error));
    return motion_check_observer(options->observer, error);
}

/* Puts the file's name before the message of a refused file. */
static void add_name(const char *name, pm_error *error) {
    if (error && error->status != PM_ERROR_ARGUMENT)
        motion_name_failure(error->status, MOTION_SHOWN(name, strlen(name)), error);
}

/* Arrays use a skeleton, and say so; all other files have one, or no joints. */
static pm_status check_skeleton(const motion_input *input, const pm_motion *motion,
                                pm_error *error) {
    if (motion->content.node_count == 0)
        return motion_refuse(error, "has no rotations of joints; a skeleton requires some");
    if (!motion->has_given_joints)
        motion_warn(&input->warnings, "has a skeleton, which is used in place of the given one");
    return PM_OK;
}

/* Whether rates are one but for how many digits were written. */
static bool are_one(pm_rational a, pm_rational b) {
    return fabs(rate_value(a) - rate_value(b)) <= 1e-4 * rate_value(b);
}

/* A clip has the given rate, or one that its format states in the times of keys. */
static pm_status check_rates(const pm_motion *motion, pm_rational given, pm_error *error) {
    char stated[RATE_TEXT], wanted[RATE_TEXT];
    rate_describe(given, wanted);
    for (size_t i = 0; i < motion->content.clip_count; i++) {
        const pm_motion_clip *clip = &motion->content.clips[i];
        const pm_rational own = motion->stated_rate.den ? motion->stated_rate : clip->rate;
        if (own.den == 0 && clip->channel_count > 0)
            return motion_refuse(
                error, "has times of its own; expected none beside a source rate of %s", wanted);
        if (own.den == 0 || are_one(own, given))
            continue;
        rate_describe(own, stated);
        return motion_refuse(error, "states a rate of %s; the given source rate is %s", stated,
                             wanted);
    }
    return PM_OK;
}

static pm_status open_joints(const char *path, pm_motion **motion, pm_error *error) {
    return pm_motion_open(path, NULL, motion, error);
}

/* glTF refers to nodes by their index, so that names are for people alone. */
static pm_status tell_doubled(const motion_input *input, pm_motion *motion, pm_error *error) {
    motion_names names;
    size_t doubled = 0, last = 0;
    if (!motion_names_make(&names, &motion->content))
        return motion_refuse_memory(error);
    for (size_t i = 1; i < names.count; i++)
        if (names.sorted[i].name.size > 0 &&
            motion_compare_names(names.sorted[i - 1].name, names.sorted[i].name) == 0) {
            doubled++;
            last = i;
        }
    if (doubled > 0) {
        const motion_named *at = &names.sorted[last];
        static const char says[] =
            "%zu joint%s a name used before, such as joint %u (%s); joints are "
            "identified by their order";
        const char *have = doubled == 1 ? " has" : "s have";
        const char *shown = MOTION_SHOWN(at->name.text, at->name.size);
        if (motion->content.format == PM_MOTION_GLTF || motion->content.format == PM_MOTION_GLB)
            motion_note(&motion->notes, says, doubled, have, at->index, shown);
        else
            motion_warn(&input->warnings, says, doubled, have, at->index, shown);
    }
    motion_names_release(&names);
    return PM_OK;
}

static pm_status read_input(const motion_input *input, const char *name, pm_motion *motion,
                            pm_error *error) {
    pm_status status = motion_find_format(input, name, &motion->format, error);
    if (status == PM_OK)
        status =
            motion->format->read
                ? motion->format->read(input, motion, error)
                : motion_refuse(error,
                                "is %s, which is written, and not read; expected" MOTION_READ_NAMES,
                                motion->format->title);
    if (status == PM_OK && input->options->skeleton)
        status = check_skeleton(input, motion, error);
    if (status == PM_OK)
        status = tell_doubled(input, motion, error);
    if (status == PM_OK)
        status = motion_find_meaning(motion, input->options, error);
    if (status == PM_OK && input->options->rates_must_agree && input->options->source_rate.den)
        status = check_rates(motion, input->options->source_rate, error);
    if (status == PM_OK && !input->options->angles_may_jump)
        angles_warn(&input->warnings, &motion->content);
    if (status != PM_OK)
        add_name(name, error);
    return status;
}

static pm_status parse(const char *data, size_t size, char *owned, const char *name,
                       const char *folder, const pm_motion_read_options *options,
                       pm_motion **motion, pm_error *error) {
    pm_motion *made = calloc(1, sizeof *made);
    if (!made) {
        free(owned);
        return motion_refuse_memory(error);
    }
    made->notes.arena = made->carried.arena = &made->arena;
    const motion_input input = {.data = data,
                                .size = size,
                                .folder = folder,
                                .open = open_joints,
                                .options = options,
                                .warnings = {options->log, options->log_user, name, &made->notes},
                                .gaps =
                                    options->count_gaps || options->keep_nan ? &made->gaps : NULL};
    made->gaps.keeps_nan = options->keep_nan;
    made->file = owned;
    motion_observe(options->observer, data, size);
    made->content.file_bytes = size;
    pm_status status = read_input(&input, name, made, error);
    made->content.gap_count = made->gaps.count;
    made->content.first_gap = made->gaps.first;
    if (status == PM_OK && (made->notes.lost || made->carried.lost))
        status = motion_refuse_memory(error);
    if (status != PM_OK)
        pm_motion_destroy(&made);
    else
        *motion = made;
    if (status == PM_OK) {
        made->content.notes = made->notes.all;
        made->content.note_count = made->notes.count;
        made->content.carried = made->carried.texts;
        made->content.carried_count = made->carried.count;
    }
    return status;
}

pm_status pm_motion_parse(const void *data, size_t size, const char *name, const char *folder,
                          const pm_motion_read_options *options, pm_motion **motion,
                          pm_error *error) {
    static const pm_motion_read_options defaults;
    MOTION_REQUIRE(error, data, name, motion);
    options = options ? options : &defaults;
    C_LOCALE_HERE;
    MOTION_TRY(check_options(options, error));
    return parse(data, size, NULL, name, folder, options, motion, error);
}

/* The folder of a path, in malloc'ed memory. */
static char *folder_of(const char *path) {
    const char *last = os_last_part(path);
    const size_t size = (size_t)(last - path); /* with the separator */
    return size == 0 ? strdup(".") : strndup(path, size > 1 ? size - 1 : 1);
}

/* Reads the bytes of a file, unless it cannot be of a format. */
static pm_status read_file(const char *path, const char *name,
                           const pm_motion_read_options *options, char **data, size_t *size,
                           pm_error *error) {
    char reason[INPUT_REASON_SIZE] = "";
    const motion_format *format = NULL;
    MOTION_TRY(motion_find_named_format(options, name, &format, error));
    if (input_read_file(path, motion_kind_of(options, name), data, size, reason))
        return PM_OK;
    return motion_fail(error, errno == ENOMEM ? PM_ERROR_MEMORY : PM_ERROR_FILE, "%s", reason);
}

static pm_status open_file(const char *path, const pm_motion_read_options *options,
                           pm_motion **motion, pm_error *error) {
    char *data = NULL;
    size_t size = 0;
    const bool is_stream = strcmp(path, "-") == 0;
    const char *name = is_stream ? "standard input" : path;
    pm_status status = read_file(path, name, options, &data, &size, error);
    if (status != PM_OK) {
        add_name(name, error);
        return status;
    }
    FREED char *folder = is_stream ? NULL : folder_of(path);
    if (!is_stream && !folder) {
        free(data);
        return motion_refuse_memory(error);
    }
    return parse(data, size, data, name, folder, options, motion, error);
}

pm_status pm_motion_open(const char *path, const pm_motion_read_options *options,
                         pm_motion **motion, pm_error *error) {
    static const pm_motion_read_options defaults;
    MOTION_REQUIRE(error, path, motion);
    options = options ? options : &defaults;
    C_LOCALE_HERE;
    MOTION_TRY(check_options(options, error));
    return open_file(path, options, motion, error);
}
