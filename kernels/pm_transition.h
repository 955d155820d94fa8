/* SPDX-License-Identifier: MIT
 *
 * Transitions: the offset of what an instance showed before a change from what it shows after it, which decays
 * (docs/crowds.md, "Transitions"). The decay is the quintic of inertialization: D. Bollo, "Inertialization:
 * High-Performance Animation Transitions in Gears of War", GDC 2018. Rows of a state are read and written here alone.
 */
#ifndef PM_TRANSITION_H
#define PM_TRANSITION_H

#include "pm_crowd.h"
#include "pm_memory.h"
#include "pm_pose.h"

/* The state of an instance: a head in a cache line of its own, then a row of 16 bytes for each joint of each channel
 * that clips have, in the order rotations, scales, positions, so that positions may be those of joint 0 alone. Four
 * neighbouring rows are a cache line.
 *
 * A row is four words: the upper 24 bits of a float32 for each number of the rate, with the exponent of the offset, and
 * the lower and upper byte of its z, below them; then its x and y as int16. */
#define PM_TRANSITION_BYTES 16
#define PM_TRANSITION_FLOATS 4
#define PM_TRANSITION_HEAD 64

/* Longest and shortest transition in seconds; others have no effect. Rates and vectors beyond their limits come of no
 * poses. */
#define PM_TRANSITION_MOST 65536.0f
#define PM_TRANSITION_LEAST 0x1p-20f
#define PM_TRANSITION_RATE 0x1p30f
#define PM_TRANSITION_FAR 0x1p20f

typedef struct pm_transition_head {
    pm_s64 time; /* of the change, in ticks of the job's clock */
    float duration;
    pm_u32 reserved;
} pm_transition_head;

/* In the head, for the host: the rates of the root's offset, in rad and units per second, relative to the root. */
#define PM_TRANSITION_ROOT 16
typedef struct pm_transition_root {
    float turn[3], way[3];
} pm_transition_root;

/* How far a transition is. */
typedef struct pm_transit {
    float duration; /* in seconds; 0: there is none, or it is over */
    float passed;   /* likewise, below it */
} pm_transit;

/* Any head is accepted. There is no transition before its time. */
pm_fn pm_transit pm_transit_of(pm_transition_head head, pm_s64 now) {
    pm_transit t = {0.0f, 0.0f};
    float passed = (float)((pm_u64)now - (pm_u64)head.time) * 0x1p-32f;
    if (head.duration >= PM_TRANSITION_LEAST && head.duration <= PM_TRANSITION_MOST &&
        head.time <= now && passed < head.duration) {
        t.duration = head.duration;
        t.passed = passed;
    }
    return t;
}

/* What remains of an offset and of its rate, where neither bends: functions of time alone. */
typedef struct pm_remains {
    real duration; /* 0: there is no transition */
    real part;     /* of it that has passed, in [0, 1] */
    real of_offset, of_rate;
} pm_remains;

pm_fn pm_remains pm_remains_of(real duration, real passed) {
    pm_remains d;
    real one = PM_REAL(1.0f), three = PM_REAL(3.0f);
    real part = pm_least_of(pm_part_of(passed, duration), one), left = one - part;
    real cube = left * left * left, rise = pm_fma(three, part, one);
    d.duration = duration;
    d.part = part;
    d.of_offset = cube * pm_fma(PM_REAL(6.0f) * part, part, rise);
    d.of_rate = duration * part * cube * rise;
    return d;
}

/* The floats from the begin of a state to the row of a joint. */
pm_fn pm_u64 pm_transition_row(pm_u32 channels, pm_u32 joints, pm_u32 c, pm_u32 joint) {
    pm_u32 before = c == PM_CHANNEL_ROTATIONS           ? 0
                    : c == PM_CHANNEL_SCALES            ? joints
                    : channels >> PM_CHANNEL_SCALES & 1 ? 2 * joints
                                                        : joints;
    return PM_TRANSITION_FLOATS * ((pm_u64)before + joint) + PM_TRANSITION_HEAD / sizeof(float);
}

/* An offset and its rate per second. */
typedef struct pm_offset {
    pm_quat at, rate;
} pm_offset;

/* The step of stored offsets: of rotation vectors pi / 32767, of others 2^(exponent - 79). */
#define PM_OFFSET_STEP 9.58767268e-05f
#define PM_OFFSET_BIAS 64

pm_fn real pm_signed_16(pm_mask bits) {
    return pm_converted((bits ^ PM_BITS(0x8000)) - PM_BITS(0x8000));
}

/* Not a number, or infinite, for some bits, which then have no effect. */
pm_fn real pm_offset_rate(real word) {
    return pm_real_of(pm_bits_of(word) & PM_BITS(~0xff));
}

pm_fn pm_offset pm_offset_of(pm_quat row, pm_u32 c) {
    pm_offset o;
    pm_mask low = PM_BITS(0xff), a = pm_bits_of(row.x) & PM_BITS(0x7f), xy = pm_bits_of(row.w);
    pm_mask z = (pm_bits_of(row.z) & low) << 8 | (pm_bits_of(row.y) & low);
    real step = c == PM_CHANNEL_ROTATIONS
                    ? PM_REAL(PM_OFFSET_STEP)
                    : pm_real_of((a + PM_BITS(127 - 15 - PM_OFFSET_BIAS)) << 23);
    real zero = PM_REAL(0.0f);
    o.at =
        pm_quat_of(pm_signed_16(xy & PM_BITS(0xffff)) * step,
                   pm_signed_16((xy >> 16) & PM_BITS(0xffff)) * step, pm_signed_16(z) * step, zero);
    o.rate = pm_quat_of(pm_offset_rate(row.x), pm_offset_rate(row.y), pm_offset_rate(row.z), zero);
    return o;
}

/* The quintic with x(0) = x >= 0, x'(0) = r, and x, x', x'' = 0 at s = 1; x''(0) = max(0, -8 r - 20 x). */
pm_fn real pm_decayed(real x, real r, real s) {
    real bend = pm_most_of(pm_fma(PM_REAL(-4.0f), r, PM_REAL(-10.0f) * x), PM_REAL(0.0f));
    real left = PM_REAL(1.0f) - s, rise = pm_fma(PM_REAL(3.0f), x, r);
    real curve = pm_fma(PM_REAL(3.0f), pm_fma(PM_REAL(2.0f), x, r), bend);
    return left * left * left * pm_fma(s, pm_fma(s, curve, rise), x);
}

/* What remains of a number x, with r the rate times the duration. An x that its rate brings to 0 earlier is over by
 * then: at -5 x / r of the duration. */
pm_fn real pm_number_decayed(real x, real r, real part) {
    real zero = PM_REAL(0.0f), five = PM_REAL(5.0f);
    pm_mask below = (x < zero) | ((x == zero) & (r < zero));
    x = pm_select(below, -x, x);
    r = pm_select(below, -r, r);
    pm_mask early = -r > five * x;
    real quick = pm_least_of(part * (-r * pm_exact_inverse(pm_limited(five * x))), PM_REAL(1.0f));
    real left = pm_decayed(x, pm_select(early, -five * x, r), pm_select(early, quick, part));
    return pm_select(below, -left, left);
}

/* What remains of a rotation vector: along it likewise; the rest of its rate, across it, by the shape of an x of 0. */
pm_fn pm_quat pm_vector_decayed(pm_offset o, real duration, real part) {
    real zero = PM_REAL(0.0f), one = PM_REAL(1.0f), length2 = pm_quat_dot(o.at, o.at);
    real inverse = pm_select(length2 > zero, pm_exact_inverse(pm_limited(length2)), zero);
    real along = pm_quat_dot(o.rate, o.at) * inverse, r = along * duration;
    pm_mask early = r < PM_REAL(-5.0f);
    real quick = pm_least_of(part * (r * PM_REAL(-0.2f)), one);
    real rest = pm_decayed(one, pm_select(early, PM_REAL(-5.0f), r), pm_select(early, quick, part));
    pm_quat across = pm_quat_plus(o.rate, -along, o.at);
    return pm_quat_blend(rest, o.at, pm_decayed(zero, duration, part), across);
}

/* Whether the rate brings an offset to 0 so fast that it bends, or is there early: x''(0) is not 0. With products of
 * both and of the offset by itself. */
pm_fn pm_mask pm_offset_bends(real rate_at, real at_at, real duration) {
    return rate_at * duration < PM_REAL(-2.5f) * at_at;
}

pm_fn real pm_number_shown(real value, real x, real rate, const pm_remains *d) {
    real most = PM_REAL(PM_TRANSITION_FAR);
    real left = pm_fma(rate, d->of_rate, x * d->of_offset);
    pm_mask bends = pm_offset_bends(rate * x, x * x, d->duration);
    if (pm_any(bends))
        left = pm_select(bends, pm_number_decayed(x, rate * d->duration, d->part), left);
    left = value + left;
    return pm_select((d->duration > PM_REAL(0.0f)) & (left <= most) & (left >= -most), left, value);
}

/* A channel of a joint's pose with what remains of the offset in a row of the state. */
pm_fn pm_quat pm_transition_applied(pm_u32 c, pm_quat value, pm_quat row, const pm_remains *d) {
    pm_offset o = pm_offset_of(row, c);
    real half_ = PM_REAL(0.5f);
    if (c != PM_CHANNEL_ROTATIONS) {
        value.x = pm_number_shown(value.x, o.at.x, o.rate.x, d);
        value.y = pm_number_shown(value.y, o.at.y, o.rate.y, d);
        value.z = pm_number_shown(value.z, o.at.z, o.rate.z, d);
        return value;
    }
    pm_quat turn = pm_quat_blend(half_ * d->of_offset, o.at, half_ * d->of_rate, o.rate);
    pm_mask bends =
        pm_offset_bends(pm_quat_dot(o.rate, o.at), pm_quat_dot(o.at, o.at), d->duration);
    if (pm_any(bends))
        turn = pm_quat_select(
            bends, pm_quat_scaled(pm_vector_decayed(o, d->duration, d->part), half_), turn);
    real angle2 = pm_quat_dot(turn, turn);
    pm_mask shows = (d->duration > PM_REAL(0.0f)) & (angle2 <= PM_REAL(1e8f));
    pm_cos_sinc of = pm_cos_sinc_of(pm_select(shows, angle2, PM_REAL(0.0f)));
    turn = pm_quat_scaled(turn, of.sinc);
    turn.w = of.cosine;
    return pm_quat_select(shows, pm_quat_renormalized(pm_quat_product(value, turn)), value);
}

/* ---- capture --------------------------------------------------------------------------- */

/* The rotation vector of a unit quaternion, of a length up to pi. */
pm_fn pm_quat pm_whole_log(pm_quat q) {
    real size = pm_select(q.w < PM_REAL(0.0f), -q.w, q.w);
    real sign = pm_select(q.w < PM_REAL(0.0f), PM_REAL(-2.0f), PM_REAL(2.0f));
    q.w = PM_REAL(0.0f);
    real sine = pm_root_of(pm_quat_dot(q, q));
    pm_mask steep = sine > size;
    real t = pm_part_of(pm_select(steep, size, sine), pm_select(steep, sine, size));
    real angle = t * pm_atan_ratio(t * t);
    angle = pm_select(steep, PM_REAL(1.57079637f) - angle, angle);
    return pm_quat_scaled(q, sign * pm_part_of(angle, sine));
}

/* The rate of the rotation vector x for an angular velocity in the body's axes: the inverse of the right Jacobian of
 * the rotation group, I + [x]/2 + k [x]^2 with k = (1 - (|x|/2) cot(|x|/2))/|x|^2 (pm_rotation_vector.h). */
pm_fn pm_quat pm_log_rate(pm_quat x, pm_quat velocity) {
    real k = PM_REAL(0.0833333358f) *
             pm_nonic_from_1(pm_quat_dot(x, x), 0.0166666675f, 3.96825402e-4f, 9.92063410e-6f,
                             2.50522012e-7f, 6.34040592e-9f, 1.60856379e-10f, 3.99201025e-12f,
                             1.17586093e-13f, 7.18100873e-16f);
    pm_quat once = pm_cross(x, velocity);
    return pm_quat_plus(pm_quat_plus(velocity, PM_REAL(0.5f), once), k, pm_cross(x, once));
}

/* The offset of a channel before a change from that after it. Both are given one step before the change, and at it;
 * `rate` is one over the step in seconds. Angular velocities are constant between both. */
pm_fn pm_offset pm_offset_between(pm_u32 c, const pm_quat before[2], const pm_quat after[2],
                                  real rate) {
    pm_offset o;
    if (c == PM_CHANNEL_ROTATIONS) {
        pm_quat apart = pm_quat_product(pm_quat_conjugate(after[1]), before[1]);
        pm_quat old = pm_whole_log(pm_quat_product(pm_quat_conjugate(before[0]), before[1]));
        pm_quat now = pm_whole_log(pm_quat_product(pm_quat_conjugate(after[0]), after[1]));
        now = pm_vector_turned(pm_quat_conjugate(apart), now);
        o.at = pm_whole_log(apart);
        o.rate = pm_log_rate(o.at, pm_quat_difference(old, now));
    } else {
        o.at = pm_quat_difference(before[1], after[1]);
        o.rate = pm_quat_difference(pm_quat_difference(before[1], before[0]),
                                    pm_quat_difference(after[1], after[0]));
    }
    o.rate = pm_quat_scaled(o.rate, rate);
    return o;
}

/* A number within -most and most; 0 of NaN. */
pm_fn real pm_number_within(real a, real most) {
    a = pm_select((a >= PM_REAL(0.0f)) | (a < PM_REAL(0.0f)), a, PM_REAL(0.0f));
    return pm_most_of(pm_least_of(a, most), -most);
}

/* The nearest whole number, as an int16 in the lower half. */
pm_fn pm_mask pm_bits_16(real a) {
    real whole = pm_floor(pm_number_within(a, PM_REAL(32767.0f)) + PM_REAL(0.5f));
    return pm_bits_of(whole + PM_REAL(12582912.0f)) & PM_BITS(0xffff); /* 1.5 2^23 */
}

/* The upper 24 bits of a rate, rounded, and a byte. */
pm_fn real pm_rate_word(real rate, pm_mask byte) {
    pm_mask bits = pm_bits_of(pm_number_within(rate, PM_REAL(PM_TRANSITION_RATE)));
    return pm_real_of(((bits + PM_BITS(0x80)) & PM_BITS(~0xff)) | byte);
}

pm_fn pm_quat pm_offset_row(pm_u32 c, pm_offset o) {
    real most = PM_REAL(2 * PM_TRANSITION_FAR), per = PM_REAL(10430.0596f); /* 32767 / pi */
    pm_mask exponent = PM_BITS(0);
    o.at = pm_quat_of(pm_number_within(o.at.x, most), pm_number_within(o.at.y, most),
                      pm_number_within(o.at.z, most), PM_REAL(0.0f));
    if (c != PM_CHANNEL_ROTATIONS) {
        real size = pm_most_of(pm_most_of(o.at.x, -o.at.x), pm_most_of(o.at.y, -o.at.y));
        size = pm_most_of(size, pm_most_of(pm_most_of(o.at.z, -o.at.z), PM_REAL(0x1p-63f)));
        exponent = (pm_bits_of(size) >> 23) - PM_BITS(126 - PM_OFFSET_BIAS);
        per = pm_real_of((PM_BITS(127 + 15 + PM_OFFSET_BIAS) - exponent) << 23);
    }
    pm_mask x = pm_bits_16(o.at.x * per), y = pm_bits_16(o.at.y * per);
    pm_mask z = pm_bits_16(o.at.z * per);
    pm_mask below = pm_sign_bit(y >> 15); /* a shift into the sign is undefined for one lane */
    return pm_quat_of(pm_rate_word(o.rate.x, exponent), pm_rate_word(o.rate.y, z & PM_BITS(0xff)),
                      pm_rate_word(o.rate.z, z >> 8),
                      pm_real_of(x | ((y & PM_BITS(0x7fff)) << 16) | below));
}

#endif
