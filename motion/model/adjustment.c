/* SPDX-License-Identifier: MIT
 *
 * glTF alone has an axis that points up and a unit: y and metres.
 */
#include "motion/model/adjustment.h"

#include <math.h>

#include "motion/base/counts.h"
#include "motion/base/fault.h"
#include "motion/model/model.h"

static pm_status check_number(const char *name, double value, pm_error *error) {
    return isfinite(value) && value >= 0
               ? PM_OK
               : motion_fail(error, PM_ERROR_ARGUMENT, "%s is %g, expected a number above 0", name,
                             value);
}

static pm_status check_up(const char *name, pm_motion_up up, pm_error *error) {
    return (unsigned)up < PM_MOTION_UP_COUNT
               ? PM_OK
               : motion_fail(error, PM_ERROR_ARGUMENT, "%s is %d, which is no pm_motion_up", name,
                             (int)up);
}

static pm_status find_turn(const pm_motion_convert_options *o, pm_motion_format format,
                           motion_turn *turn, pm_error *error) {
    const pm_motion_up up = o->up != PM_MOTION_UP_FOUND ? o->up
                            : motion_is_gltf(format)    ? PM_MOTION_UP_Y
                                                        : PM_MOTION_UP_FOUND;
    *turn = MOTION_TURN_NONE;
    if (o->to_up == PM_MOTION_UP_FOUND || o->to_up == up)
        return PM_OK;
    if (up == PM_MOTION_UP_FOUND) {
        motion_fail_option(error, PM_ERROR_ARGUMENT, "to-up",
                           "%s does not say which axis points up", pm_motion_format_name(format));
        motion_cure(error, "up", NULL, "says which: y or z");
        return PM_ERROR_ARGUMENT;
    }
    *turn = up == PM_MOTION_UP_Z ? MOTION_TURN_Z_TO_Y : MOTION_TURN_Y_TO_Z;
    return PM_OK;
}

static pm_status find_scale(const pm_motion_convert_options *o, pm_motion_format format,
                            double *scale, pm_error *error) {
    const double metre = 1000, unit = o->unit_mm > 0           ? o->unit_mm
                                      : motion_is_gltf(format) ? metre
                                                               : 0;
    *scale = o->scale > 0 ? o->scale : 1;
    if (o->to_unit_mm == 0 || o->to_unit_mm == unit)
        return PM_OK;
    if (unit == 0) {
        motion_fail_option(error, PM_ERROR_ARGUMENT, "to-unit",
                           "%s does not say its unit of length", pm_motion_format_name(format));
        motion_cure(error, "unit", "cm", "says it, or another unit");
        return PM_ERROR_ARGUMENT;
    }
    *scale *= unit / o->to_unit_mm;
    return PM_OK;
}

pm_status motion_find_adjustment(const pm_motion_convert_options *o, pm_motion_format format,
                                 motion_adjustment *by, pm_error *error) {
    pm_status status = check_up("up", o->up, error);
    if (status == PM_OK)
        status = check_up("to_up", o->to_up, error);
    if (status == PM_OK)
        status = check_number("scale", o->scale, error);
    if (status == PM_OK)
        status = check_number("unit_mm", o->unit_mm, error);
    if (status == PM_OK)
        status = check_number("to_unit_mm", o->to_unit_mm, error);
    if (status == PM_OK)
        status = find_turn(o, format, &by->turn, error);
    return status == PM_OK ? find_scale(o, format, &by->scale, error) : status;
}
