/* SPDX-License-Identifier: MIT
 *
 * A unit is estimated by a figure that is as tall as people are in exactly one of the usual units.
 */
#include "motion/model/meaning.h"

#include <math.h>
#include <stdio.h>

#include "motion/base/words.h"
#include "motion/model/figure.h"
#include "motion/model/mover.h"

/* People, in millimetres. */
static const double shortest = 1200, tallest = 2300;

/* An inch by the factor of CMU's skeletons, which the common BVH of its motions are in. */
static const double cmu_mm = 25.4 / 0.45;

/* ---- names --------------------------------------------------------------------------------- */

const char *motion_unit_name(double unit_mm, char *text) {
    snprintf(text, MOTION_UNIT_TEXT, "%.4g mm", unit_mm);
    for (size_t i = 0; i < MOTION_UNITS; i++)
        if (fabs(unit_mm - motion_unit_values[i]) <= 1e-9 * unit_mm)
            snprintf(text, MOTION_UNIT_TEXT, "%s", motion_unit_words[i]);
    return text;
}

const char *motion_up_name(pm_motion_up up) {
    return up == PM_MOTION_UP_Z ? "z" : "y";
}

const char *motion_unit_reason(const pm_motion *motion, char text[MOTION_REASON_TEXT]) {
    char first[MOTION_UNIT_TEXT], second[MOTION_UNIT_TEXT];
    snprintf(text, MOTION_REASON_TEXT, "%s",
             motion->rests_upright
                 ? "no usual unit makes the figure 1.2 to 2.3 m tall"
                 : "at rest there is no figure with its head above its hips and feet");
    if (motion->unit_candidates[0] > 0)
        snprintf(text, MOTION_REASON_TEXT, "%s and %s both fit",
                 motion_unit_name(motion->unit_candidates[0], first),
                 motion_unit_name(motion->unit_candidates[1], second));
    return text;
}

void motion_describe_unit(const pm_motion *motion, char text[MOTION_MEANING_TEXT]) {
    const pm_motion_content *content = &motion->content;
    char unit[MOTION_UNIT_TEXT], reason[MOTION_REASON_TEXT];
    const bool known = content->unit_mm > 0;
    snprintf(text, MOTION_MEANING_TEXT, "%s (%s)",
             known ? motion_unit_name(content->unit_mm, unit) : "unknown",
             known ? motion_source_words[content->unit_from] : motion_unit_reason(motion, reason));
}

void motion_describe_up(const pm_motion_content *content, char text[MOTION_MEANING_TEXT]) {
    if (content->up == PM_MOTION_UP_FOUND)
        snprintf(text, MOTION_MEANING_TEXT, "unknown");
    else
        snprintf(text, MOTION_MEANING_TEXT, "%s (%s)", motion_up_name(content->up),
                 motion_source_words[content->up_from]);
}

/* ---- estimates ----------------------------------------------------------------------------- */

static void estimate_unit(pm_motion *motion, double height) {
    pm_motion_content *content = &motion->content;
    const double factor = motion->unit_factor > 0 ? motion->unit_factor : 1;
    double fits[MOTION_UNITS + 1];
    size_t count = 0;
    for (size_t i = 0; i <= MOTION_UNITS; i++) {
        const double unit = (i < MOTION_UNITS ? motion_unit_values[i] : cmu_mm) / factor;
        if (height * unit >= shortest && height * unit <= tallest)
            fits[count++] = unit;
    }
    content->unit_mm = count == 1 ? fits[0] : 0;
    content->unit_from = count == 1 ? PM_MOTION_ESTIMATED : PM_MOTION_UNKNOWN;
    for (size_t i = 0; i < 2 && count > 1; i++)
        motion->unit_candidates[i] = fits[i];
}

static pm_status estimate(pm_motion *motion, pm_error *error) {
    pm_motion_content *content = &motion->content;
    const pm_motion_clip *clip =
        content->clip_count > 0 ? &content->clips[motion_first_clip(content)] : NULL;
    motion_figure figure;
    MOTION_TRY(motion_measure_figure(content, clip, content->up, &figure, error));
    if (content->up_from == PM_MOTION_UNKNOWN && figure.up != PM_MOTION_UP_FOUND) {
        content->up = figure.up;
        content->up_from = PM_MOTION_ESTIMATED;
    }
    motion->rests_upright = figure.stands_at_rest;
    if (content->unit_from == PM_MOTION_UNKNOWN && content->up != PM_MOTION_UP_FOUND &&
        figure.stands_at_rest)
        estimate_unit(motion, figure.rest_height);
    return PM_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

pm_status motion_find_meaning(pm_motion *motion, const pm_motion_read_options *options,
                              pm_error *error) {
    pm_motion_content *content = &motion->content;
    const motion_format *format = motion->format;
    if (format && format->unit_mm > 0)
        motion_state_meaning(content, format->unit_mm, format->up);
    if (options->unit_mm > 0) {
        content->unit_mm = options->unit_mm;
        content->unit_from = PM_MOTION_GIVEN;
    }
    if (options->up != PM_MOTION_UP_FOUND) {
        content->up = options->up;
        content->up_from = PM_MOTION_GIVEN;
    }
    if (content->node_count > 0 &&
        (content->up_from == PM_MOTION_UNKNOWN || content->unit_from == PM_MOTION_UNKNOWN))
        MOTION_TRY(estimate(motion, error));
    return motion_find_mover(content, error);
}
