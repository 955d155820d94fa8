/* SPDX-License-Identifier: MIT
 *
 * What is asked for has precedence over the convention of a format, and what is not known is left as it is.
 */
#include "motion/model/adjustment.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion/base/counts.h"
#include "motion/model/evaluate.h"
#include "motion/model/meaning.h"

/* ---- options ------------------------------------------------------------------------------- */

static pm_status check_number(const char *name, double value, pm_error *error) {
    return isfinite(value) && value >= 0
               ? PM_OK
               : motion_fail(error, PM_ERROR_ARGUMENT, "%s is %g, expected a number above 0", name,
                             value);
}

static pm_status check_up(const char *name, pm_motion_up up, unsigned count, pm_error *error) {
    return (unsigned)up < count ? PM_OK
                                : motion_fail(error, PM_ERROR_ARGUMENT,
                                              "%s is %d, which is no pm_motion_up", name, (int)up);
}

static pm_status check(const pm_motion_convert_options *o, pm_error *error) {
    const bool keeps_unit = o->to_unit_mm == PM_MOTION_UNIT_KEEP;
    MOTION_TRY(check_up("up", o->up, PM_MOTION_UP_COUNT, error));
    MOTION_TRY(check_up("to_up", o->to_up, PM_MOTION_UP_KEEP + 1, error));
    MOTION_TRY(check_number("scale", o->scale, error));
    MOTION_TRY(check_number("unit_mm", o->unit_mm, error));
    return !keeps_unit ? check_number("to_unit_mm", o->to_unit_mm, error) : PM_OK;
}

static pm_motion_up up_of(const pm_motion_convert_options *o, const pm_motion *motion) {
    return o->up != PM_MOTION_UP_FOUND ? o->up : motion->content.up;
}

static double unit_of(const pm_motion_convert_options *o, const pm_motion *motion) {
    return o->unit_mm > 0 ? o->unit_mm : motion->content.unit_mm;
}

/* ---- conventions --------------------------------------------------------------------------- */

static bool is_own(const motion_format *from, const motion_format *to) {
    return from && strcmp(from->document, to->document) == 0;
}

static pm_motion_up usual_up(const pm_motion_convert_options *o, const motion_format *from,
                             const motion_format *to) {
    return o->to_up != PM_MOTION_UP_FOUND || is_own(from, to) ? PM_MOTION_UP_FOUND : to->up;
}

static double usual_unit(const pm_motion_convert_options *o, const motion_format *from,
                         const motion_format *to) {
    return o->to_unit_mm != 0 || (o->scale > 0 && o->scale != 1) || is_own(from, to) ? 0
                                                                                     : to->unit_mm;
}

/* ---- what is done -------------------------------------------------------------------------- */

static pm_status find_turn(const pm_motion_convert_options *o, const pm_motion *motion,
                           pm_motion_up usual, motion_adjustment *by, pm_error *error) {
    const pm_motion_up up = up_of(o, motion);
    const bool is_asked = o->to_up == PM_MOTION_UP_Y || o->to_up == PM_MOTION_UP_Z;
    const pm_motion_up wanted = is_asked ? o->to_up : usual;
    by->turn = MOTION_TURN_NONE;
    by->result_up = up;
    if (wanted == PM_MOTION_UP_FOUND || wanted == up)
        return PM_OK;
    if (up == PM_MOTION_UP_FOUND && is_asked) {
        motion_fail_option(error, PM_ERROR_ARGUMENT, "to-up",
                           "%s does not say which axis points up, and the figure does not show it",
                           pm_motion_format_name(motion->content.format));
        motion_cure(error, "up", NULL, "says which: y or z");
        return PM_ERROR_ARGUMENT;
    }
    if (up == PM_MOTION_UP_FOUND)
        return PM_OK;
    by->turn = up == PM_MOTION_UP_Z ? MOTION_TURN_Z_TO_Y : MOTION_TURN_Y_TO_Z;
    by->result_up = wanted;
    return PM_OK;
}

/* The unit of all files of a format, or of the layout that a file keeps; 0: they may have any. */
static double fixed_unit(const pm_motion_convert_options *o, const pm_motion *motion,
                         const motion_format *from, const motion_format *to) {
    const bool has_stated = motion->content.unit_from == PM_MOTION_STATED && o->unit_mm == 0;
    if (to->states_meaning || to->unit_mm > 0)
        return to->unit_mm;
    return is_own(from, to) && has_stated ? motion->content.unit_mm : 0;
}

static pm_status check_unit(const pm_motion_convert_options *o, const pm_motion *motion,
                            const motion_format *from, const motion_format *to, pm_error *error) {
    const double fixed = fixed_unit(o, motion, from, to);
    const char *title =
        is_own(from, to) && motion->content.layout[0] ? motion->content.layout : NULL;
    char asked[MOTION_UNIT_TEXT], has[MOTION_UNIT_TEXT];
    if (o->to_unit_mm <= 0 || fixed <= 0 || o->to_unit_mm == fixed)
        return PM_OK;
    motion_fail_option(error, PM_ERROR_ARGUMENT, "to-unit", "lengths of %s are in %s, not in %s",
                       title ? title : to->title, motion_unit_name(fixed, has),
                       motion_unit_name(o->to_unit_mm, asked));
    motion_cure(error, "scale", NULL, "multiplies lengths, whatever they mean then");
    return PM_ERROR_ARGUMENT;
}

static pm_status find_scale(const pm_motion_convert_options *o, const pm_motion *motion,
                            double usual, motion_adjustment *by, pm_error *error) {
    const double unit = unit_of(o, motion), wanted = o->to_unit_mm > 0 ? o->to_unit_mm : usual;
    char reason[MOTION_REASON_TEXT];
    by->scale = o->scale > 0 ? o->scale : 1;
    by->unit_mm = by->to_unit_mm = 0;
    by->result_unit_mm = unit;
    if (wanted == 0 || wanted == unit)
        return PM_OK;
    if (unit == 0 && o->to_unit_mm > 0) {
        motion_fail_option(
            error, PM_ERROR_ARGUMENT, "to-unit", "%s does not say its unit of length, and %s",
            pm_motion_format_name(motion->content.format), motion_unit_reason(motion, reason));
        motion_cure(error, "unit", "cm", "says it, or another unit");
        return PM_ERROR_ARGUMENT;
    }
    if (unit == 0)
        return PM_OK;
    by->scale *= unit / wanted;
    by->unit_mm = unit;
    by->to_unit_mm = by->result_unit_mm = wanted;
    return PM_OK;
}

pm_status motion_find_adjustment(const pm_motion_convert_options *o, const pm_motion *motion,
                                 const motion_format *from, const motion_format *to,
                                 motion_adjustment *by, pm_error *error) {
    MOTION_TRY(check(o, error));
    MOTION_TRY(check_unit(o, motion, from, to, error));
    MOTION_TRY(find_turn(o, motion, usual_up(o, from, to), by, error));
    return find_scale(o, motion, usual_unit(o, from, to), by, error);
}

/* ---- what is said -------------------------------------------------------------------------- */

static const char *guess_of(pm_motion_source from, bool is_given) {
    return from == PM_MOTION_ESTIMATED && !is_given ? " (estimated)" : "";
}

const char *motion_adjustment_text(const pm_motion_content *content, motion_adjustment by,
                                   bool unit_is_given, bool up_is_given,
                                   char text[MOTION_ADJUSTMENT_TEXT]) {
    const bool scales = by.to_unit_mm > 0, turns = by.turn != MOTION_TURN_NONE;
    char old[MOTION_UNIT_TEXT], new[MOTION_UNIT_TEXT];
    size_t used = 0;
    text[0] = '\0';
    if (scales)
        used = (size_t)snprintf(text, MOTION_ADJUSTMENT_TEXT, "unit %s%s to %s%s",
                                motion_unit_name(by.unit_mm, old),
                                guess_of(content->unit_from, unit_is_given),
                                motion_unit_name(by.to_unit_mm, new), turns ? ", " : "");
    if (turns)
        snprintf(text + used, MOTION_ADJUSTMENT_TEXT - used, "up %s%s to %s",
                 by.turn == MOTION_TURN_Z_TO_Y ? "z" : "y", guess_of(content->up_from, up_is_given),
                 by.turn == MOTION_TURN_Z_TO_Y ? "y" : "z");
    return text;
}

/* A number that is multiplied besides may be meant as the conversion. */
static void tell_scale(const pm_motion_convert_options *o, const pm_motion *motion,
                       const motion_warnings *to, const motion_format *from,
                       const motion_format *format) {
    const double unit = unit_of(o, motion), usual = is_own(from, format) ? 0 : format->unit_mm;
    char own[MOTION_UNIT_TEXT], other[MOTION_UNIT_TEXT];
    if (o->to_unit_mm != 0 || o->scale <= 0 || o->scale == 1 || unit == 0 || usual == 0 ||
        fabs(o->scale * usual / unit - 1) <= 1e-6)
        return;
    motion_warn_about(to, (motion_about){.cure = "to-unit", .hint = "converts besides, or keep"},
                      "lengths are multiplied by %.9g alone: the unit was %s, and %s has %s",
                      o->scale, motion_unit_name(unit, own), format->title,
                      motion_unit_name(usual, other));
}

/* The largest coordinate of positions. */
static double reach_of(const pm_motion *motion) {
    double reach = 0;
    for (size_t i = 0; i < motion->content.clip_count; i++) {
        const pm_motion_clip *clip = &motion->content.clips[i];
        for (size_t c = 0; c < clip->channel_count; c++) {
            const pm_motion_channel *channel = &clip->channels[c];
            const size_t keys = clip->timelines[channel->timeline].key_count;
            for (size_t k = 0; k < keys && channel->path == PM_MOTION_POSITION; k++)
                for (uint32_t j = 0; j < 3; j++)
                    reach = fmax(reach, fabs(evaluate_number(&channel->keys, 3, k, j)));
        }
    }
    return reach;
}

/* What other formats do not hold of a trajectory: stamps, and more than 0.1 mm of rounding. */
static void tell_trajectory(const pm_motion *motion, const motion_warnings *to,
                            const motion_format *format, motion_adjustment by) {
    const double reach = format->is_single ? reach_of(motion) * by.scale : 0;
    if (motion->content.epoch != 0)
        motion_warn_about(to, (motion_about){.hint = NULL},
                          "times begin at 0: %s has no stamps, and the first one is %" PRId64 " ns",
                          format->title, motion->content.epoch);
    if (reach * 0x1p-24 > 1e-4)
        motion_warn_about(to, (motion_about){.hint = NULL},
                          "positions are single precision in %s, which rounds %.4g m by %.2g m",
                          format->title, reach, reach * 0x1p-24);
}

void motion_tell_adjustment(const pm_motion_convert_options *o, const pm_motion *motion,
                            const motion_format *from, const motion_format *to,
                            motion_adjustment by) {
    const motion_warnings warnings = {.log = o->log, .user = o->log_user};
    const bool states = to->states_meaning && !is_own(from, to);
    char unit[MOTION_UNIT_TEXT], reason[MOTION_REASON_TEXT];
    const double usual = usual_unit(o, from, to);
    char text[MOTION_ADJUSTMENT_TEXT];
    motion_adjustment_text(&motion->content, by, o->unit_mm > 0, o->up != PM_MOTION_UP_FOUND, text);
    if (text[0]) {
        pm_error remark;
        motion_describe(&remark, (motion_about){.hint = NULL}, "%s", text);
        motion_tell(&warnings, strchr(text, '(') ? PM_LOG_WARNING : PM_LOG_INFO, &remark);
    }
    tell_scale(o, motion, &warnings, from, to);
    if (motion->content.has_stamps && to->id != PM_MOTION_TUM && to->id != PM_MOTION_CSV)
        tell_trajectory(motion, &warnings, to, by);
    if (unit_of(o, motion) == 0 && usual > 0)
        motion_warn_about(
            &warnings, (motion_about){.cure = "unit", .hint = "says it, such as cm"},
            "the unit of length is not known: %s; %s has %s, and lengths stay as they are",
            motion_unit_reason(motion, reason), to->title, motion_unit_name(usual, unit));
    else if (unit_of(o, motion) == 0 && states && o->to_unit_mm == 0)
        motion_warn_about(&warnings, (motion_about){.cure = "unit", .hint = "says it, such as cm"},
                          "the unit of length is not known: %s; %s that states none has cm",
                          motion_unit_reason(motion, reason), to->title);
    if (up_of(o, motion) != PM_MOTION_UP_FOUND)
        return;
    if (usual_up(o, from, to) != PM_MOTION_UP_FOUND || (states && o->to_up == PM_MOTION_UP_FOUND))
        motion_warn_about(&warnings, (motion_about){.cure = "up", .hint = "says which: y or z"},
                          "it is not known which axis points up; %s has y, and nothing is turned",
                          to->title);
}
