/* SPDX-License-Identifier: MIT
 *
 * When feet are in contact with the ground, in A and in B, and how fast they slide there. A foot is in
 * contact while it is near the lowest joint of its motion and moves slowly, as a joint that stands
 * (slides.h).
 */
#ifndef POSEMILL_MOTION_CONTACTS_H
#define POSEMILL_MOTION_CONTACTS_H

#include "motion/compare/joints.h"
#include "motion/compare/slides.h"

/* One of two motions. */
typedef struct contact_side {
    double last[3]; /* the place at the time before */
    uint64_t frames;
    double (
        *spans)[2]; /* from the first to the last frame of each contact, in seconds; malloc'ed */
    size_t span_count, room;
    bool is_on;
} contact_side;

typedef struct contact {
    size_t pair;
    contact_side sides[2];
    uint64_t both;   /* frames in contact in A and in B */
    double seconds;  /* in contact in A */
    double moved[2]; /* horizontally meanwhile, in units of length */
} contact;

typedef struct contact_set {
    contact *feet;
    size_t count; /* 0: they are not asked for */
    uint64_t frames;
    double time; /* of the frame before */
    bool has_poses, lacks_memory;
} contact_set;

/* Chooses feet: `names` are joints of A, separated by commas, or `feet`, which are those with foot, toe or
 * ankle in their names. The memory is the arena's. */
pm_status contacts_choose(contact_set *set, const subject *a, const subject *b,
                          const joint_pairs *pairs, const char *names, motion_arena *arena,
                          pm_error *error);

/* Adds a frame. */
void contacts_add(contact_set *set, double time, const joint_pairs *pairs, const subject *of,
                  const subject_pose *const poses[2]);

/* In millimetres a second, while A is in contact: [0] of A, [1] of B. NaN: it never is. */
double contact_slide(const contact *c, int side, double unit_mm);

void contacts_release(contact_set *set);

#endif
