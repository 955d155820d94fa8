/* SPDX-License-Identifier: MIT
 *
 * The record of a joint in the form of PM_OUTPUT, from its pose or from its transform relative to
 * the model.
 */
#ifndef PM_JOINT_RECORD_H
#define PM_JOINT_RECORD_H

#include "pm_channels.h"
#include "pm_crowd_outputs.h"
#include "pm_instance.h"
#include "pm_pose.h"

pm_fn void pm_put_row(real *words, pm_quat row) {
    words[0] = row.x;
    words[1] = row.y;
    words[2] = row.z;
    words[3] = row.w;
}

#if PM_OUTPUT_FORM == PM_FORM_LOCAL

pm_fn void pm_put_record(real *words, pm_local pose) {
    pm_put_row(words, pose.rotation);
    pm_put_row(words + 4, pose.position);
    pm_put_row(words + 8, pose.scale);
}

#elif PM_OUTPUT_FORM == PM_FORM_RIGID

typedef pm_rigid pm_model;
#define pm_model_product pm_rigid_product

pm_fn pm_model pm_model_of(pm_local pose, pm_global const pm_joint *joint) {
    return pm_rigid_of(pose, joint->parent_scale);
}

pm_fn void pm_put_record(real *words, pm_model model, pm_global const pm_joint *joint) {
    pm_rigid bind;
    bind.rotation = pm_spread(joint->bind_rotation);
    bind.position = pm_spread(joint->bind_position);
    pm_rigid skin = pm_rigid_product(model, bind);
    pm_put_row(words, skin.rotation);
    pm_put_row(words + 4, pm_rigid_dual(skin));
}

#else

typedef pm_matrix pm_model;
#define pm_model_product pm_matrix_product

pm_fn pm_model pm_model_of(pm_local pose, pm_global const pm_joint *joint) {
    pm_model model = pm_matrix_of(pose.rotation, pose.position);
    return PM_GIVEN || joint->scaled ? pm_matrix_scaled(model, pose.scale) : model;
}

#if PM_OUTPUT_BITS == 16
/* Two float16 in a word. The upper half is multiplied as a signed number, because C leaves a shift
 * into the sign bit undefined. */
pm_fn real pm_two_halves(real low, real high) {
    pm_mask above = pm_half_bits(high);
    above -= (above & PM_BITS(0x8000)) * PM_BITS(2);
    return pm_real_of(pm_half_bits(low) | above * PM_BITS(65536));
}

pm_fn void pm_put_numbers(real *words, pm_quat row, pm_u32 at) {
    words[2 * at] = pm_two_halves(row.x, row.y);
    words[2 * at + 1] = pm_two_halves(row.z, row.w);
}
#else
pm_fn void pm_put_numbers(real *words, pm_quat row, pm_u32 at) {
    pm_put_row(words + 4 * at, row);
}
#endif

#if PM_OUTPUT_FORM == PM_FORM_BOUNDS
/* A box about spheres of joints. */
typedef struct pm_box {
    pm_quat low, high;
} pm_box;

/* Adding 0 makes +0 of -0: the order of the joints would decide between them. */
pm_fn pm_box pm_box_about(pm_matrix model, float radius) {
    pm_box box;
    pm_quat r = pm_sphere_extents(model, radius);
    real zero = PM_REAL(0.0f);
    box.low = pm_quat_of((model.x.w - r.x) + zero, (model.y.w - r.y) + zero,
                         (model.z.w - r.z) + zero, zero);
    box.high = pm_quat_of((model.x.w + r.x) + zero, (model.y.w + r.y) + zero,
                          (model.z.w + r.z) + zero, zero);
    return box;
}

#else
pm_fn void pm_put_record(real *words, pm_model model, pm_global const pm_joint *joint) {
    pm_matrix m = model;
#if PM_OUTPUT_BOUND
    pm_matrix bind;
    bind.x = pm_spread(joint->inverse_bind);
    bind.y = pm_spread(joint->inverse_bind + 4);
    bind.z = pm_spread(joint->inverse_bind + 8);
    m = pm_matrix_product(model, bind);
#endif
    (void)joint;
    pm_put_numbers(words, m.x, 0);
    pm_put_numbers(words, m.y, 1);
    pm_put_numbers(words, m.z, 2);
}
#endif

#endif

#endif
