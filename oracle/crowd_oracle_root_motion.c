/* SPDX-License-Identifier: MIT
 *
 * Root motion of the crowd oracle: rigid motions of the root between two times, over loops that
 * each continue from the end of the previous one.
 */
#include "crowd_oracle_private.h"

motion3 motion3_product(motion3 a, motion3 b) {
    return (motion3){quat_normalise(quat_multiply(a.rotation, b.rotation)),
                     vec3_add(a.position, quat_rotate(a.rotation, b.position))};
}

motion3 motion3_inverse(motion3 a) {
    const quat back = quat_conjugate(a.rotation);
    return (motion3){back, vec3_scale(quat_rotate(back, a.position), -1.0)};
}

static const motion3 still = {{0, 0, 0, 1}, {0, 0, 0}};

/* Computed by repeated squaring. */
static motion3 repeated(motion3 a, int64_t times) {
    motion3 whole = still;
    if (times < 0) {
        a = motion3_inverse(a);
        times = -times;
    }
    for (; times > 0; times /= 2) {
        whole = times % 2 ? motion3_product(whole, a) : whole;
        a = motion3_product(a, a);
    }
    return whole;
}

static motion3 root_at(const crowd_oracle *o, uint32_t clip, int64_t since) {
    const joint_pose pose = crowd_sample(o, clip, o->root, since);
    return (motion3){pose.rotation, pose.position};
}

/* A loop ends with the pose that it starts with. */
static motion3 round_of(const crowd_oracle *o, uint32_t clip) {
    if (o->clips[clip].loop > 0.0)
        return still;
    return motion3_product(root_at(o, clip, o->ticks[clip]), motion3_inverse(root_at(o, clip, 0)));
}

static motion3 clip_root_motion(const crowd_oracle *o, uint32_t clip, int64_t from, int64_t to,
                                bool clamps) {
    if (clip >= o->clip_count || o->ticks[clip] == 0)
        return still;
    const int64_t period = o->ticks[clip];
    int64_t first = 0, last = 0;
    from = clamps ? crowd_clamp(period, from) : crowd_wrap(period, from, &first);
    to = clamps ? crowd_clamp(period, to) : crowd_wrap(period, to, &last);
    const motion3 end =
        motion3_product(repeated(round_of(o, clip), last - first), root_at(o, clip, to));
    return motion3_product(motion3_inverse(root_at(o, clip, from)), end);
}

motion3 crowd_oracle_root_motion(const crowd_oracle *o, const pm_crowd_instance *before,
                                 const pm_crowd_instance *after) {
    const motion3 a = clip_root_motion(o, after->clip_a, before->time_a, after->time_a,
                                       (after->flags & PM_CROWD_CLAMP_A) != 0);
    const double weight = crowd_weight(o, after, o->root);
    if (weight == 0.0 || (after->flags & PM_CROWD_ADDITIVE))
        return a;
    const motion3 b = clip_root_motion(o, after->clip_b, before->time_b, after->time_b,
                                       (after->flags & PM_CROWD_CLAMP_B) != 0);
    return (motion3){crowd_mix(a.rotation, b.rotation, weight),
                     crowd_mix_vectors(a.position, b.position, weight)};
}
