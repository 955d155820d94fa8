/* SPDX-License-Identifier: MIT
 *
 * Compiles the kernels' formulas as C++, with a `real` that counts its additions, subtractions,
 * multiplications, divisions, roots and roundings to whole numbers as one operation, and a fused
 * multiply-add as two. Signs, comparisons, selections and operations on bits do not count. What this
 * file defines takes the place of pm_lang.h.
 */
#include "count_operations.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#define PM_LANG_H
#define PM_LANES 1
#define PM_UNROLL
#define PM_NO_UNROLL
#define PM_UNROLL_LANES
#define PM_FOUR_WAVES
#define pm_fn static inline
#define pm_rare_fn static
#define pm_global
#define pm_shared
#define PM_REAL(number) (real(static_cast<float>(number)))
#define PM_BITS(number) (static_cast<pm_mask>(number))
#define pm_sign_bit(bits) (static_cast<pm_mask>(static_cast<std::uint32_t>(bits) << 31))
#define pm_select(mask, yes, no) ((mask) ? (yes) : (no))
#define pm_bits_select pm_select
#define pm_any(mask) (mask)

typedef std::uint8_t pm_u8;
typedef std::uint16_t pm_u16;
typedef std::uint32_t pm_u32;
typedef std::uint64_t pm_u64;
typedef std::int64_t pm_s64;
typedef std::int32_t pm_mask;

static unsigned operations;

struct real {
    float value;
    real() = default;
    explicit real(float number) : value(number) {
    }
};

static real counted(float value, unsigned count) {
    operations += count;
    return real(value);
}

static inline real operator+(real a, real b) {
    return counted(a.value + b.value, 1);
}
static inline real operator-(real a, real b) {
    return counted(a.value - b.value, 1);
}
static inline real operator*(real a, real b) {
    return counted(a.value * b.value, 1);
}
static inline real operator/(real a, real b) {
    return counted(a.value / b.value, 1);
}
static inline real operator-(real a) {
    return real(-a.value);
}
static inline pm_mask operator<(real a, real b) {
    return a.value < b.value;
}
static inline pm_mask operator>(real a, real b) {
    return a.value > b.value;
}
static inline pm_mask operator<=(real a, real b) {
    return a.value <= b.value;
}
static inline pm_mask operator>=(real a, real b) {
    return a.value >= b.value;
}
static inline pm_mask operator==(real a, real b) {
    return a.value == b.value;
}
static inline real pm_fma(real a, real b, real c) {
    return counted(std::fma(a.value, b.value, c.value), 2);
}
static inline real pm_sqrt(real a) {
    return counted(std::sqrt(a.value), 1);
}
static inline real pm_floor(real a) {
    return counted(std::floor(a.value), 1);
}
static inline pm_mask pm_bits_of(real a) {
    pm_mask bits;
    std::memcpy(&bits, &a.value, sizeof bits);
    return bits;
}
static inline real pm_real_of(pm_mask bits) {
    real a;
    std::memcpy(&a.value, &bits, sizeof bits);
    return a;
}

static inline pm_u64 pm_high_product(pm_u64 a, pm_u64 b) {
    return static_cast<pm_u64>(static_cast<unsigned __int128>(a) * b >> 64);
}
/* Of the lengths of segments, which do not count. */
static inline float pm_exact_inverse(float a) {
    return 1.0f / a;
}

#include "kernels/pm_body.h"
#include "kernels/pm_methods.h"
#include "kernels/pm_motion.h"
#include "kernels/pm_pose.h"

/* Loads do not count; this takes the place of pm_memory.h. */
#define PM_MEMORY_H
static inline pm_quat pm_load_items(const float *from) {
    return pm_quat_of(real(from[0]), real(from[1]), real(from[2]), real(from[3]));
}
#include "kernels/pm_lowpass.h"

/* A segment between keys a little apart, whose coefficients are those of a nearly straight path: what
 * clips of motion nearly always are. */
static pm_segment_data near_keys() {
    const real zero(0.0f), one(1.0f), few(0.01f);
    const pm_quat still = pm_quat_of(zero, zero, zero, zero);
    pm_segment_data data;
    data.key = pm_quat_of(zero, zero, zero, one);
    data.next = pm_quat_of(few, zero, zero, one);
    for (pm_quat &plane : data.coefficients)
        plane = still;
    for (pm_quat &plane : data.constants)
        plane = pm_quat_of(zero, zero, one, one);
    return data;
}

/* squad stores the middle of its inner points first, bspline that of the segment; circles have their
 * numbers in the third plane. cubic has the keys beside the segment, at the same distances. */
static pm_segment_data data_of(const char *name) {
    pm_segment_data data = near_keys();
    const bool is_circle = std::strncmp(name, "circular", 8) == 0;
    const bool is_phased = is_circle && name[8] != '\0';
    if (std::strcmp(name, "squad") == 0 || std::strcmp(name, "bspline") == 0)
        data.coefficients[0] = data.key;
    if (std::strcmp(name, "cubic") == 0) {
        data.coefficients[0] = pm_quat_of(real(-0.01f), real(0.0f), real(0.0f), real(1.0f));
        data.coefficients[1] = pm_quat_of(real(0.02f), real(0.0f), real(0.0f), real(1.0f));
        pm_set_spacing(&data, real(1.0f), real(1.0f));
    }
    if (is_circle) {
        const real alpha2(0.01f), one(1.0f);
        data.coefficients[2] = pm_quat_of(alpha2, alpha2, one, one);
    }
    if (is_phased)
        data.coefficients[3] = pm_quat_scaled(data.next, real(0.5f));
    return data;
}

template <typename Segment>
static unsigned uncommon(pm_quat (*fast)(const Segment *, const real *, pm_mask *),
                         const Segment *s, const real *basis) {
    pm_mask failed = 0;
    fast(s, basis, &failed);
    return failed != 0;
}

#define COMMON_squad uncommon(pm_squad_fast, &segment, basis)
#define COMMON_cubic uncommon(pm_cubic_fast, &segment, basis)
#define COMMON_circular_c1 uncommon(pm_circular_c1_fast, &segment, basis)
#define COMMON_circular_c2 uncommon(pm_circular_c2_fast, &segment, basis)
#define COMMON_circular_c3 uncommon(pm_circular_c3_fast, &segment, basis)
#define COMMON_hermite uncommon(pm_hermite_fast, &segment, basis)
#define COMMON_slerp 0
#define COMMON_step 0
#define COMMON_nlerp 0
#define COMMON_sterp 0
#define COMMON_circular 0
#define COMMON_bspline 0
#define COMMON_cubicspline 0

#define COUNT(name)                                                                                \
    static operation_count count_##name() {                                                        \
        const pm_segment_data data = data_of(#name);                                               \
        const real u(0.25f);                                                                       \
        real basis[pm_##name##_basis_size];                                                        \
        operation_count count = {#name, 0, 0, 0, pm_##name##_constants, pm_##name##_passes, 0};    \
        operations = 0;                                                                            \
        const pm_##name##_segment segment = pm_##name##_begin(&data);                              \
        count.segment = operations;                                                                \
        operations = 0;                                                                            \
        pm_##name##_basis(u, basis);                                                               \
        count.basis = operations;                                                                  \
        operations = 0;                                                                            \
        pm_##name##_at(&segment, basis);                                                           \
        count.sample = operations;                                                                 \
        count.is_uncommon = COMMON_##name;                                                         \
        return count;                                                                              \
    }
PM_ROTATION_CURVES(COUNT)

const operation_count *count_curves(void) {
#define COUNTED(name) count_##name(),
    static const operation_count counts[] = {
        PM_ROTATION_CURVES(COUNTED){nullptr, 0, 0, 0, 0, 0, 0}};
    return counts;
}

template <typename Work> static unsigned count_of(Work work) {
    operations = 0;
    work();
    return operations;
}

joint_count count_joint(void) {
    const real half(0.5f);
    const pm_quat q = pm_quat_of(half, half, half, half);
    const pm_matrix m = pm_matrix_of(q, q);
    const pm_rigid r = {q, q};
    const pm_body b = {q, q, q, q};
    const pm_slerp_segment s = {};
    joint_count count;
    count.mixed = count_of([&] { pm_rotations_mixed(q, q, half); });
    count.added = count_of([&] { pm_rotation_added(q, q, q, half); });
    count.matrix = count_of([&] { pm_matrix_of(q, q); });
    count.product = count_of([&] { pm_matrix_product(m, m); });
    count.rigid_product = count_of([&] { pm_rigid_product(r, r); });
    count.dual = count_of([&] { pm_rigid_dual(r); });
    count.spin = count_of([&] { pm_angular_velocity({q, q, q}, half, 0); });
    count.slerp_spin = count_of([&] { pm_slerp_spin(&s, half, half); });
    count.body = count_of([&] { pm_body_product(b, b, 1, 0); });
    count.halves = 12 * count_of([&] { pm_half_bits(half); });
    return count;
}

unsigned count_weight(void) {
    const real zero(0.0f), one(1.0f);
    const pm_quat from = pm_quat_of(zero, zero, zero, one);
    const pm_quat to = pm_quat_of(real(0.01f), zero, zero, one);
    return count_of([&] {
        const pm_quat x = pm_lowpass_log(from, to);
        pm_fma(one, x.x, zero);
        pm_fma(one, x.y, zero);
        pm_fma(one, x.z, zero);
    });
}
