/* SPDX-License-Identifier: MIT
 *
 * The kernels' headers compiled as C for 16 samples at a time. The bits of a sample do not depend on the
 * lanes beside it.
 */
#include "sample_lanes.h"

#include "kernels/pm_motion.h"

static inline void set_quat(pm_lane_quats *to, size_t lane, pm_quat q) {
    to->x[lane] = q.x;
    to->y[lane] = q.y;
    to->z[lane] = q.z;
    to->w[lane] = q.w;
}

void pm_sample_lanes_set(pm_sample_lanes *lanes, size_t lane, const pm_curve *curve,
                         const pm_segment_data *data, float u) {
    set_quat(&lanes->key, lane, data->key);
    set_quat(&lanes->next, lane, data->next);
    for (unsigned e = 0; e < curve->coefficients + 2 * curve->four_keys; e++)
        set_quat(&lanes->coefficients[e], lane, data->coefficients[e]);
    for (unsigned s = 0; s < curve->constants + curve->four_keys; s++)
        set_quat(&lanes->constants[s], lane, data->constants[s]);
    lanes->u[lane] = u;
}

static inline pm_quat quat_at(const pm_lane_quats *from, size_t lane) {
    return pm_quat_of(from->x[lane], from->y[lane], from->z[lane], from->w[lane]);
}

#define PM_LANES_OF(name)                                                                          \
    PM_CLONES static void lanes_##name(const pm_sample_lanes *restrict lanes,                      \
                                       pm_lane_quats *restrict values) {                           \
        for (size_t i = 0; i < PM_SAMPLE_LANES; i++) {                                             \
            pm_segment_data data;                                                                  \
            data.key = quat_at(&lanes->key, i);                                                    \
            data.next = quat_at(&lanes->next, i);                                                  \
            for (int e = 0; e < pm_##name##_coefficients + 2 * pm_##name##_four_keys; e++)         \
                data.coefficients[e] = quat_at(&lanes->coefficients[e], i);                        \
            for (int s = 0; s < pm_##name##_constants + pm_##name##_four_keys; s++)                \
                data.constants[s] = quat_at(&lanes->constants[s], i);                              \
            const pm_##name##_segment segment = pm_##name##_begin(&data);                          \
            float basis[pm_##name##_basis_size];                                                   \
            pm_##name##_basis(lanes->u[i], basis);                                                 \
            pm_quat value = pm_##name##_at(&segment, basis);                                       \
            if (pm_##name##_passes)                                                                \
                value = pm_at_ends(&data, lanes->u[i], value, pm_##name##_passes);                 \
            values->x[i] = value.x;                                                                \
            values->y[i] = value.y;                                                                \
            values->z[i] = value.z;                                                                \
            values->w[i] = value.w;                                                                \
        }                                                                                          \
    }
PM_CURVES(PM_LANES_OF)

#define PM_LANES_ROW(name) [PM_CURVE_##name] = lanes_##name,
static void (*const runs[PM_CURVE_COUNT])(const pm_sample_lanes *,
                                          pm_lane_quats *) = {PM_CURVES(PM_LANES_ROW)};

void pm_sample_lanes_run(const pm_sample_lanes *lanes, unsigned curve, pm_lane_quats *values) {
    runs[curve](lanes, values);
}
