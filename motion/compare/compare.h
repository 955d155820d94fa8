/* SPDX-License-Identifier: MIT
 *
 * Compares two clips joint by joint along their times. Memory does not grow with the number of times: who
 * wants the poses themselves sees them as they are computed.
 */
#pragma once

#include "motion/compare/subject.h"
#include "motion/model/reach.h"

#include <stddef.h>
#include <stdint.h>

/* What a comparison finds: of each joint and of the clip the largest and the rms difference of each
 * measure, feet that slide, and the worst moments. A difference that is not known is NaN. */

typedef enum compare_measure {
    MEASURE_ANGLE,        /* between the local rotations, in degrees */
    MEASURE_DISTANCE,     /* of joints, and of points that move with them, in the world, in units of
                             length */
    MEASURE_VELOCITY,     /* length of the difference of angular velocities, in degrees/s */
    MEASURE_ACCELERATION, /* of angular accelerations, in degrees/s^2 */
    MEASURE_COUNT
} compare_measure;

/* Of one measure. `max`, `rms` and `time` are NaN where no value is known. */
typedef struct extent {
    double max, time; /* seconds after the first key */
    double square_sum;
    uint64_t count;
} extent;

void extent_begin(extent *e);
void extent_add(extent *e, double value, double time);
double extent_rms(const extent *e);

/* A foot that is on the ground in A, and moves in B. */
typedef struct slide {
    double max; /* how far, horizontally; 0: it does not */
    double time;
    double begin, end;      /* of the worst time on the ground */
    double planted_seconds; /* of all */
} slide;

typedef struct joint_statistics {
    extent of[MEASURE_COUNT];
    slide slide;
} joint_statistics;

/* The largest angle within a part of the clip. */
typedef struct moment {
    double degrees, time;
    size_t pair;
} moment;

enum {
    MOMENT_PARTS = 100, /* of the clip, of which each has one */
    MOMENT_COUNT = 10   /* that are kept */
};

/* Which joint of A is compared with which joint of B. */

typedef enum joints_rule { JOINTS_BY_NAME, JOINTS_BY_ORDER, JOINTS_BY_MAP } joints_rule;

typedef struct joint_pair {
    uint32_t a, b;
} joint_pair;

typedef struct joint_pairs {
    joint_pair *pairs; /* in the order of A */
    size_t count;
    joints_rule rule;
    uint32_t *only[2]; /* joints of A and of B that are not compared */
    size_t only_count[2];
} joint_pairs;

/* By name where one is common; of equal names the first with the first, and so on. Else by order, if
 * both have the same number. With a map, pairs are its lines: a name of A, a tab, a name of B.
 * Release the pairs also on failure. */
pm_status joints_match(subject *a, subject *b, const char *map_path, joint_pairs *pairs,
                       pm_error *error);
void joints_release(joint_pairs *pairs);

const char *joints_rule_name(joints_rule rule);

/* Differences of two rotations, and of the motion of two joints along the times. */

#define MEASURE_DEGREES 57.295779513082320877

/* The angle between two unit quaternions in degrees, the shorter way; 0 for equal ones. */
double measure_angle(const double a[4], const double b[4]);

double measure_distance(const double a[3], const double b[3]);

/* Angular velocity and acceleration of a pair of joints, [0] A and [1] B, in degrees, in the frame of
 * the parent. */
typedef struct pair_speeds {
    double velocity[2][3], acceleration[2][3];
} pair_speeds;

/* The last three poses whose times are at least `step` apart. Zero-initialise. */
typedef struct speed_state {
    double step;
    uint64_t index[3]; /* of their times; [2] is the newest */
    double time[3];
    size_t count;         /* of poses so far, at most 3 */
    double *rotations[3]; /* (pairs, 2, 4) */
    pair_speeds *speeds;  /* (pairs): at time[1] */
} speed_state;

/* False: memory is exhausted. */
bool speeds_begin(speed_state *s, motion_arena *arena, size_t pairs, double step);

/* Whether poses at a time are to be added. */
bool speeds_want(const speed_state *s, double time);

/* Adds poses. True: there are speeds at the time before, time[1]. */
bool speeds_add(speed_state *s, uint64_t index, double time, const joint_pairs *pairs,
                const subject_pose *a, const subject_pose *b);

/* How the largest values of each time are spread, and which times lie far above the others: those with
 * more than three times what 95 % of the times have. Values are counted in steps of 3 %, so that memory
 * does not grow with their number. */

enum { SPREAD_PERCENT = 95, SPREAD_STEPS = 1600 /* 32 to an octave: up to 2^50 times the floor */ };

typedef struct spread {
    double floor;                                   /* smaller values are rounding errors */
    uint64_t times[SPREAD_STEPS];                   /* whose largest value lies in the step */
    double first[SPREAD_STEPS], last[SPREAD_STEPS]; /* of these times */
    double most[SPREAD_STEPS];                      /* of their values */
    double largest;                                 /* of the present time */
} spread;

void spread_begin(spread *s, compare_measure measure, double unit_mm);
void spread_add(spread *s, double value);

/* All values of a time are added. */
void spread_end_time(spread *s, double time);

/* Where a scale of the values ends, and what lies beyond. */
typedef struct scale {
    double end;         /* the largest value of the times that are not apart */
    uint64_t times;     /* that are apart; 0: none */
    double first, last; /* of these */
} scale;

scale spread_scale(const spread *s, double max);

/* Joints that stand on the ground in A and move in B. A joint stands while it is near the lowest joint
 * of A and moves slowly. */

/* In millimetres, millimetres per second, and seconds. */
#define SLIDE_HEIGHT 100.0
#define SLIDE_SPEED 50.0
#define SLIDE_SECONDS 0.1

/* What is known of a pair while its joint stands. */
typedef struct standing {
    double start[2][3], last[3]; /* places of A and B when it began; of A at the time before */
    double begin;
    double max, time; /* how far B has moved since */
    bool is_standing;
} standing;

typedef struct slide_state {
    standing *pairs;
    double time; /* of the poses before */
    bool has_poses;
    const subject *of; /* its axis that points up, and its unit of length */
} slide_state;

/* False: memory is exhausted. */
bool slides_begin(slide_state *s, motion_arena *arena, size_t pairs, const subject *of);

void slides_add(slide_state *s, double time, const joint_pairs *pairs, const subject_pose *a,
                const subject_pose *b, joint_statistics *joints);

/* Ends the times of joints that still stand. */
void slides_end(slide_state *s, const joint_pairs *pairs, joint_statistics *joints);

/* When feet are in contact with the ground, in A and in B, and how fast they slide there. A foot is in
 * contact while it is near the lowest joint of its motion and moves slowly, as a joint that stands. */

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

/* The times at which two clips are compared, in seconds after the first key of each: the key times of
 * both within a part of the shorter duration, those of A alone, or a grid. They are given in blocks, so
 * that a long clip needs no memory for them. Where files have many more key times than keys, such as
 * thousands of joints that share theirs or have each their own, every n-th is taken. */

typedef enum times_rule { TIMES_OF_BOTH, TIMES_OF_A } times_rule;

/* Which times. All zero: the key times of both, from the first to the last. */
typedef struct times_request {
    times_rule rule;  /* of key times */
    pm_rational rate; /* of a grid; 0/0: key times */
    double from, to;  /* the part, in seconds; to 0: the end */
} times_request;

/* A timeline, and the key of it that comes next. */
typedef struct times_cursor {
    const pm_timeline *keys;
    double begin; /* of its subject */
    size_t key;
    double time; /* of the key */
} times_cursor;

typedef struct compare_times {
    const subject *subjects[2];
    times_request request;
    size_t sides;       /* whose key times count: 1, A alone, or 2 */
    times_cursor *heap; /* timelines with keys left, the earliest key first */
    size_t heap_count;  /* of them */
    double start, end;  /* of the part */
    uint64_t key_times; /* in the part, or times of the grid */
    uint64_t every;     /* of the key times, one is taken */
    uint64_t count;     /* of times that are taken */
    uint64_t done;      /* of key_times */
} compare_times;

/* Counts the times too. False: memory is exhausted. Release the times also on failure. */
bool times_begin(compare_times *t, const subject *a, const subject *b,
                 const times_request *request);
void times_release(compare_times *t);

/* How many times fit a block whose poses of so many joints stay in the cache; at least 1. */
size_t times_room(size_t joints);

/* Writes up to `room` further times, ascending, and returns how many; 0 at the end. Key times closer
 * than SUBJECT_SAME_TIME to the first of them are one time, the last of them. */
size_t times_next(compare_times *t, double *times, size_t room);

/* How much the angular velocity of a joint changes from a step between two frames to the next: a pop
 * of a single frame is a large change. */

/* The joints of one subject, along its frames. */
typedef struct jump_state {
    size_t joints;
    double step;        /* frames closer than this are skipped */
    double time;        /* of the frame before */
    size_t count;       /* of frames so far, at most 2 */
    double *rotations;  /* (joints, 4) of the frame before */
    double *velocities; /* (joints, 3) of the step to it, in degrees/s */
    extent *largest;    /* (joints): in degrees/s, at the frame between the two steps */
} jump_state;

/* The memory is the arena's. False: memory is exhausted. */
bool jumps_begin(jump_state *s, motion_arena *arena, const subject *of);

/* Adds a frame: its time, and the poses of all joints. */
void jumps_add(jump_state *s, double time, const subject_pose *poses);

/* Adds all frames of the subject: the key times of all its timelines. */
pm_status jumps_walk(jump_state *s, motion_arena *arena, subject *of, pm_error *error);

/* Compares two clips joint by joint along their times. Memory does not grow with the number of times:
 * who wants the poses themselves sees them as they are computed. */

/* All joints at a time. */
typedef struct compare_frame {
    uint64_t index; /* of the time */
    double time;
    const subject_pose *a, *b;        /* of all joints of A, and of B */
    const double *angles, *distances; /* of the pairs; distances NULL: not known */
} compare_frame;

/* Sees what is computed, in the order of the times. */
typedef struct compare_observer {
    void (*see_frame)(void *user, const compare_frame *frame);
    /* Speeds of the pairs at an earlier time; not all times have them. */
    void (*see_speeds)(void *user, uint64_t index, const pair_speeds *speeds);
    void *user;
} compare_observer;

typedef struct comparison {
    subject *a, *b;
    const joint_pairs *pairs;
    const reach_points
        *points[2];     /* of each pair, in A and in B. NULL: distances are of joints alone */
    double at;          /* as of pm_motion_compare_options; once it is prepared, what was taken */
    const char *unread; /* why a mesh, which would be the default, cannot be read; or NULL */
    times_request times;
    /* Called as times are compared. NULL: not called. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *progress_user;

    /* Results. */
    uint64_t time_count;
    uint64_t key_times;       /* of which `time_count` were taken */
    uint64_t every;           /* one of so many */
    double start;             /* of the part that is compared, in seconds after the first key */
    double seconds;           /* its duration */
    double step;              /* the least distance of times that speeds are computed from */
    joint_statistics *joints; /* of each pair */
    joint_statistics clip;
    scale scales[MEASURE_COUNT];
    size_t *by_worst; /* pairs, the largest angle first, then the largest distance */
    moment moments[MOMENT_COUNT];
    size_t moment_count;
    contact_set contacts; /* whose feet are given */
    motion_arena arena;
} comparison;

/* Counts the times, and finds where distances are measured. `a`, `b`, `pairs`, `at` and `times` are given; the
 * rest is zero. More times than `max_times` are refused, and an `at` that reach_find refuses. Release the
 * comparison also on failure. */
pm_status compare_prepare(comparison *c, uint64_t max_times, pm_error *error);

/* Computes the results. `observer` may be NULL. */
pm_status compare_run(comparison *c, const compare_observer *observer, pm_error *error);

/* Leaves of two trajectories the part whose stamps both have, which `text` says. */
pm_status trajectories_align(comparison *c, char *text, size_t size, pm_error *error);

/* After compare_prepare. The relative error is of poses that are `rpe_delta` apart, at least 1. */
pm_status trajectories_compare(comparison *c, uint64_t rpe_delta,
                               pm_motion_trajectory_error *errors, pm_error *error);

/* After the run: the pair with the largest value of a measure that is known; of equal ones the first. */
size_t compare_worst(const comparison *c, compare_measure measure);

void compare_release(comparison *c);

/* Whether places are known, and so distances. */
static inline bool compare_has_places(const comparison *c) {
    return c->a->has_places && c->b->has_places;
}
