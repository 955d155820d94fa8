/* SPDX-License-Identifier: MIT
 *
 * States of bodies as they are written: hinges, and the arrays of the outputs.
 */
#ifndef PM_BODY_STATES_H
#define PM_BODY_STATES_H

#include "pm_body.h"
#include "pm_channels.h"
#include "pm_motion.h"

/* The arrays of the outputs that a job asks for, and the numbers of the records of each active lane. */
typedef struct pm_body_arrays {
    pm_global pm_u8 *of[PM_BODY_OUTPUTS];
} pm_body_arrays;

typedef struct pm_body_lanes {
    pm_u32 record[PM_LANES], active;
} pm_body_lanes;

/* The angle of a hinge, and its rate. */
typedef struct pm_turn {
    real angle, rate;
} pm_turn;

/* Of a joint that is no hinge. */
pm_fn pm_turn pm_turn_begin(void) {
    pm_turn turn;
    turn.angle = turn.rate = PM_REAL(0.0f);
    return turn;
}

/* The turn of a hinge, whose rotation and spin `own` gets. The angle is one of four `numbers`; in the lanes of
 * `still` it is the reference. */
pm_fn pm_turn pm_body_turn(pm_body *own, pm_hinge_joint hinge, pm_mask still, pm_quat numbers,
                           pm_quat rates) {
    pm_turn turn;
    pm_u32 n = hinge.number % 4;
    turn.angle = pm_select(still, PM_REAL(hinge.reference), pm_number_of(numbers, n));
    turn.rate = pm_select(still, PM_REAL(0.0f), pm_number_of(rates, n));
    own->rotation =
        pm_quat_select(still, own->rotation, pm_hinge_rotation(hinge, pm_half_turn(turn.angle)));
    own->spin = pm_hinge_spin(hinge, turn.rate);
    return turn;
}

/* Stores the first `numbers` numbers of a record in each active lane, where the output is asked for. */
pm_fn void pm_body_store(const pm_body_arrays *to, const pm_body_targets *targets, pm_u32 output,
                         const pm_body_lanes *lanes, pm_u32 record, pm_u32 numbers, pm_quat value) {
    float x[PM_LANES], y[PM_LANES], z[PM_LANES], w[PM_LANES];
    pm_set_reals(x, value.x);
    pm_set_reals(y, value.y);
    pm_set_reals(z, value.z);
    pm_set_reals(w, value.w);
    for (int i = 0; i < PM_LANES; i++) {
        if (!(lanes->active >> i & 1))
            continue;
        pm_global float *at = (pm_global float *)(to->of[output] + targets->offset[output] +
                                                  lanes->record[i] * targets->stride[output]) +
                              record * numbers;
        at[0] = x[i];
        if (numbers > 1) {
            at[1] = y[i];
            at[2] = z[i];
        }
        if (numbers > 3)
            at[3] = w[i];
    }
}

pm_fn pm_quat pm_body_rotation(const pm_body_targets *targets, pm_u32 output, pm_quat q) {
    return targets->scalar_first >> output & 1 ? pm_scalar_first(q) : q;
}

pm_fn pm_quat pm_body_number(real x) {
    return pm_quat_of(x, x, x, x);
}

pm_fn pm_quat pm_body_rate(pm_quat v) {
    return pm_rate_of(v, PM_REAL(1.0f));
}

/* Stores the state of a joint: `body` in the world, `own` relative to its parent. Its velocity is that of the point
 * at `point`, if not NULL. */
pm_fn void pm_body_put(const pm_body_arrays *to, const pm_body_targets *targets,
                       const pm_body_lanes *lanes, pm_u32 record, pm_body body, pm_body own,
                       pm_turn turn, pm_global const float *point) {
    pm_u32 fields = targets->fields;
    if (fields >> PM_BODY_POS & 1)
        pm_body_store(to, targets, PM_BODY_POS, lanes, record, 3, body.position);
    if (fields >> PM_BODY_ROT & 1)
        pm_body_store(to, targets, PM_BODY_ROT, lanes, record, 4,
                      pm_body_rotation(targets, PM_BODY_ROT, body.rotation));
    if (fields >> PM_BODY_VEL & 1) {
        pm_quat velocity = body.velocity;
        if (point)
            velocity = pm_velocity_at(body, pm_spread(point));
        pm_body_store(to, targets, PM_BODY_VEL, lanes, record, 3, pm_body_rate(velocity));
    }
    if (fields >> PM_BODY_ANG_VEL & 1)
        pm_body_store(to, targets, PM_BODY_ANG_VEL, lanes, record, 3, pm_body_rate(body.spin));
    if (fields >> PM_BODY_LOCAL_ROT & 1)
        pm_body_store(to, targets, PM_BODY_LOCAL_ROT, lanes, record, 4,
                      pm_body_rotation(targets, PM_BODY_LOCAL_ROT, own.rotation));
    if (fields >> PM_BODY_LOCAL_ANG_VEL & 1)
        pm_body_store(to, targets, PM_BODY_LOCAL_ANG_VEL, lanes, record, 3, pm_body_rate(own.spin));
    if (fields >> PM_BODY_ANGLE & 1)
        pm_body_store(to, targets, PM_BODY_ANGLE, lanes, record, 1, pm_body_number(turn.angle));
    if (fields >> PM_BODY_ANGLE_RATE & 1)
        pm_body_store(to, targets, PM_BODY_ANGLE_RATE, lanes, record, 1,
                      pm_body_rate(pm_body_number(turn.rate)));
}

#endif
