/* SPDX-License-Identifier: MIT
 *
 * The motion of every curve: the same formulas as in the methods' own headers, with
 * their derivatives by u, and angular velocity and acceleration from those. A curve is
 * wanted only up to its length here, so gains and renormalisation are left out; and
 * speed is no object, so each family has one form, for narrow and wide alike.
 */
#ifndef PM_MOTION_H
#define PM_MOTION_H

#include "pm_jet.h"
#include "pm_methods.h"

pm_fn pm_quat pm_quat_zero(void) {
    real zero = PM_REAL(0.0f);
    return pm_quat_of(zero, zero, zero, zero);
}

pm_fn pm_quat_jet pm_quat_jet_fixed(pm_quat a) {
    return pm_quat_jet_of(a, pm_quat_zero(), pm_quat_zero());
}

pm_fn pm_quat_jet pm_step_motion(const pm_step_segment *s, real u) {
    (void)u;
    return pm_quat_jet_fixed(s->a);
}

pm_fn pm_quat_jet pm_nlerp_motion(const pm_nlerp_segment *s, real u) {
    pm_jet t = pm_jet_u(u);
    return pm_quat_jet_plus(pm_quat_jet_scaled(pm_jet_rest(t), s->a), t, s->b);
}

pm_fn pm_quat_jet pm_slerp_motion(const pm_slerp_segment *s, real u) {
    return pm_slerp_jet(pm_quat_jet_fixed(s->a), pm_quat_jet_fixed(s->b), pm_jet_u(u));
}

/* At a window's border, as at a key, the part that begins there counts. */
pm_fn pm_jet pm_window_jet(pm_quat window, real u) {
    real t = pm_window_at(window, u);
    real raw = (u - window.x) - window.y;
    real zero = PM_REAL(0.0f);
    real slope = pm_select(raw < zero, zero, window.z);
    return pm_jet_of(t, pm_select(u < window.w, slope, zero), zero);
}

/* cos and sin(t x)/x of x^2 */
pm_fn pm_turn_jet pm_turn_jet_by(real x2, pm_jet t) {
    pm_turn_jet turn;
    pm_jet tx2 = pm_jet_scaled(pm_jet_product(t, t), x2);
    pm_turn_jet f = pm_turn_jet_of(tx2.v);
    turn.cosine = pm_jet_through(tx2, f.cosine);
    turn.sine = pm_jet_product(t, pm_jet_through(tx2, f.sine));
    return turn;
}

pm_fn pm_quat_jet pm_sterp_motion(const pm_sterp_segment *s, real u) {
    pm_turn_jet swing = pm_turn_jet_by(s->swing2, pm_window_jet(s->swing_window, u));
    pm_turn_jet twist = pm_turn_jet_by(s->twist2, pm_window_jet(s->twist_window, u));
    pm_quat_jet r = pm_quat_jet_scaled(pm_jet_product(swing.sine, twist.sine), s->both);
    r = pm_quat_jet_plus(r, pm_jet_product(swing.cosine, twist.sine), s->twist);
    r = pm_quat_jet_plus(r, pm_jet_product(swing.sine, twist.cosine), s->swing);
    return pm_quat_jet_plus(r, pm_jet_product(swing.cosine, twist.cosine), s->a);
}

pm_fn pm_quat_jet pm_squad_motion(const pm_squad_segment *s, real u) {
    pm_jet t = pm_jet_of(pm_centred(u), PM_REAL(2.0f), PM_REAL(0.0f));
    pm_turn_jet turn = pm_turn_jet_by(s->phi2, t);
    pm_quat_jet inner =
        pm_quat_jet_plus(pm_quat_jet_scaled(turn.cosine, s->middle), turn.sine, s->half_arc);
    pm_quat_jet outer = pm_slerp_motion(&s->keys, u);
    /* both must be unit here: the slerp's weights want its gain after all */
    pm_jet gain = pm_jet_of(s->keys.arc.gain, PM_REAL(0.0f), PM_REAL(0.0f));
    outer = pm_quat_jet_weighted(gain, outer);
    pm_jet weight = pm_cubic_jet(PM_REAL(2.0f), PM_REAL(-2.0f), PM_REAL(0.0f), u);
    return pm_slerp_jet(outer, inner, weight);
}

pm_fn pm_quat_jet pm_squad_wide_motion(const pm_squad_wide_segment *s, real u) {
    return pm_squad_motion(s, u);
}

/* A point of an arc at phase t, centred. */
pm_fn pm_quat_jet pm_circle_motion(const pm_circular_segment *s, const pm_circle *c, pm_jet t) {
    pm_turn_jet turn = pm_turn_jet_by(c->alpha2, t);
    pm_jet along = pm_jet_scaled(turn.sine, c->stretch);
    pm_jet up = turn.cosine;
    up.v = up.v - pm_cos(c->alpha2);
    pm_quat_jet r = pm_quat_jet_plus(pm_quat_jet_fixed(s->middle), along, s->half_chord);
    return pm_quat_jet_plus(r, up, c->rise);
}

pm_fn pm_quat_jet pm_circular_motion(const pm_circular_segment *s, real u) {
    pm_jet t = pm_jet_of(pm_fma(PM_REAL(2.0f), u, PM_REAL(-1.0f)), PM_REAL(2.0f), PM_REAL(0.0f));
    return pm_slerp_jet(pm_circle_motion(s, &s->leaving, t), pm_circle_motion(s, &s->arriving, t),
                        pm_jet_u(u));
}

/* pm_phase with its derivatives */
pm_fn pm_jet pm_phase_jet(real k, real u) {
    pm_jet t =
        pm_cubic_jet(PM_REAL(2.0f) * k, PM_REAL(2.0f) * (PM_REAL(1.0f) - k), PM_REAL(0.0f), u);
    t.v = pm_phase(k, u);
    return t;
}

pm_fn pm_quat_jet pm_phased_motion(const pm_phased_segment *s, real u, pm_jet weight) {
    const pm_circular_segment *c = &s->circles;
    pm_jet leaving = pm_phase_jet(s->leaving, u);
    pm_jet mirrored = pm_phase_jet(s->arriving, PM_REAL(1.0f) - u);
    pm_jet arriving = pm_jet_of(-mirrored.v, mirrored.d, -mirrored.dd);
    return pm_slerp_jet(pm_circle_motion(c, &c->leaving, leaving),
                        pm_circle_motion(c, &c->arriving, arriving), weight);
}

pm_fn pm_jet pm_smoothstep_jet(real u) {
    return pm_cubic_jet(PM_REAL(0.0f), PM_REAL(3.0f), PM_REAL(-2.0f), u);
}

/* u^3 (10 - 15u + 6u^2), 30 u^2 (1-u)^2, 60 u (1-u) (1-2u) */
pm_fn pm_jet pm_smootherstep_jet(real u) {
    real v = PM_REAL(1.0f) - u;
    return pm_jet_of(pm_smootherstep(u), PM_REAL(30.0f) * u * u * v * v,
                     PM_REAL(60.0f) * u * v * (v - u));
}

#define PM_PHASED_MOTION(name, weight)                                                             \
    pm_fn pm_quat_jet pm_##name##_motion(const pm_##name##_segment *s, real u) {                   \
        return pm_phased_motion(s, u, weight(u));                                                  \
    }
PM_PHASED_MOTION(circular_c1, pm_jet_u)
PM_PHASED_MOTION(circular_c1_wide, pm_jet_u)
PM_PHASED_MOTION(circular_c2, pm_smoothstep_jet)
PM_PHASED_MOTION(circular_c2_wide, pm_smoothstep_jet)
PM_PHASED_MOTION(circular_c3, pm_smootherstep_jet)
PM_PHASED_MOTION(circular_c3_wide, pm_smootherstep_jet)

pm_fn pm_quat_jet pm_hermite_motion(const pm_hermite_segment *s, real u) {
    pm_jet leaving = pm_cubic_jet(PM_REAL(1.0f), PM_REAL(-2.0f), PM_REAL(1.0f), u);
    pm_jet arriving = pm_cubic_jet(PM_REAL(0.0f), PM_REAL(1.0f), PM_REAL(-1.0f), u);
    pm_quat_jet v = pm_quat_jet_scaled(pm_jet_u(u), s->step);
    v = pm_quat_jet_plus(v, leaving, s->leaving);
    v = pm_quat_jet_plus(v, arriving, s->arriving);
    pm_jet x2 = pm_quat_jet_norm2(v);
    pm_turn_jet turn = pm_turn_jet_of(x2.v);
    pm_quat_jet r = pm_quat_jet_weighted(pm_jet_through(x2, turn.sine), v);
    return pm_quat_jet_plus(r, pm_jet_through(x2, turn.cosine), s->a);
}

pm_fn pm_quat_jet pm_hermite_wide_motion(const pm_hermite_wide_segment *s, real u) {
    return pm_hermite_motion(s, u);
}

pm_fn pm_quat_jet pm_bspline_motion(const pm_bspline_segment *s, real u) {
    real sixth = PM_REAL(0.166666672f), one_half = PM_REAL(0.5f), third = PM_REAL(0.333333343f);
    pm_jet before = pm_cubic_jet(one_half, -one_half, sixth, u); /* and -1/6 */
    pm_jet during = pm_cubic_jet(one_half, one_half, -third, u); /* and 1/6 - 1/2 */
    pm_jet after = pm_cubic_jet(PM_REAL(0.0f), PM_REAL(0.0f), sixth, u);
    before.v = before.v - sixth;
    during.v = during.v - third;
    pm_quat_jet r =
        pm_quat_jet_product(pm_power_jet(s->before, before), pm_power_jet(s->during, during));
    r = pm_quat_jet_product(r, pm_power_jet(s->after, after));
    return pm_quat_jet_product(pm_quat_jet_fixed(s->middle), r);
}

pm_fn pm_quat_jet pm_cubicspline_motion(const pm_cubicspline_segment *s, real u) {
    pm_jet to_b = pm_smoothstep_jet(u);
    pm_jet leaving = pm_cubic_jet(PM_REAL(1.0f), PM_REAL(-2.0f), PM_REAL(1.0f), u);
    pm_jet arriving = pm_cubic_jet(PM_REAL(0.0f), PM_REAL(-1.0f), PM_REAL(1.0f), u);
    pm_quat_jet r = pm_quat_jet_scaled(pm_jet_rest(to_b), s->a);
    r = pm_quat_jet_plus(r, to_b, s->b);
    r = pm_quat_jet_plus(r, leaving, s->leaving);
    return pm_quat_jet_plus(r, arriving, s->arriving);
}

/* The vector part of conj(a) b, or of b conj(a) in the parent's frame; w is 0. */
pm_fn pm_quat pm_turned_back(pm_quat a, pm_quat b, pm_u32 parent) {
    pm_quat back = pm_quat_of(-a.x, -a.y, -a.z, a.w);
    pm_quat r = parent ? pm_quat_product(b, back) : pm_quat_product(back, b);
    r.w = PM_REAL(0.0f);
    return r;
}

/* Rest is +0: compilers differ in the sign of what a zero is a factor of. */
pm_fn real pm_signless_zero(real x) {
    real zero = PM_REAL(0.0f);
    return pm_select(x == zero, zero, x);
}

pm_fn pm_quat pm_rate_of(pm_quat v, real scale) {
    return pm_quat_of(pm_signless_zero(v.x * scale), pm_signless_zero(v.y * scale),
                      pm_signless_zero(v.z * scale), PM_REAL(0.0f));
}

/* Angular velocity, in rad/s, of a curve of any length; `rate` is 1 over the segment's
 * seconds. */
pm_fn pm_quat pm_angular_velocity(pm_quat_jet q, real rate, pm_u32 parent) {
    pm_quat v = pm_turned_back(q.v, q.d, parent);
    return pm_rate_of(v, PM_REAL(2.0f) * rate / pm_quat_norm2(q.v));
}

/* Angular acceleration, in rad/s^2: with n = |q|^2 and velocity w by u,
 *   2 vec(conj(q) q'')/n - w n'/n, n' = 2 q.q'
 * in either frame, for what differs between them turns with the velocity itself. */
pm_fn pm_quat pm_angular_acceleration(pm_quat_jet q, real rate, pm_u32 parent) {
    real n = pm_quat_norm2(q.v);
    real growth = PM_REAL(2.0f) * pm_quat_dot(q.v, q.d) / n;
    pm_quat a = pm_turned_back(q.v, q.dd, parent);
    a = pm_quat_plus(a, -growth, pm_turned_back(q.v, q.d, parent));
    return pm_rate_of(a, PM_REAL(2.0f) * rate * rate / n);
}

#endif
