/* SPDX-License-Identifier: MIT
 *
 * Poses at points' times: trajectories of sensors, cameras and robots, and points that are moved by the pose at
 * each point's own time, in one pass. The conventions of posemill.h apply; docs/points.md is the guide. Everything
 * here is experimental.
 *
 *   trajectory   a rotation R and a position T over time: the pose of a moving frame B in a reference frame W
 *   stamp        a time in ns, as int64; the largest int64 is none
 *   moved        p_W = R(t) p + T(t)
 *   field        numbers in records of the caller's: the address of the first record's, and the bytes to the next
 *                record's, which may be negative. Numbers may be at any address
 */
#ifndef POSEMILL_POINTS_H
#define POSEMILL_POINTS_H

#include <posemill/posemill.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pm_stamp_type {
    PM_STAMP_INT64 = 0,
    PM_STAMP_UINT64,
    PM_STAMP_UINT32,
    PM_STAMP_FLOAT64, /* seconds, rounded to the nearest ns once */
    PM_STAMP_FLOAT32  /* likewise */
} pm_stamp_type;

/* Times: base + value unit. */
typedef struct pm_stamps {
    const void *data;
    pm_stamp_type type;
    ptrdiff_t stride; /* bytes. 0: there is nothing between */
    int64_t base;     /* ns */
    uint32_t unit;    /* ns of 1, of integers. 0: 1 ns. Floats are seconds, and refuse it */
} pm_stamps;

/* The stamp of decimal seconds such as "1403636579.763555527": digits, a sign and a point, without an exponent.
 * Exact up to 9 digits behind the point; further ones round to the nearest. False, and nothing is written: the
 * text is something else, or does not fit. Thread-safe. */
PM_API PM_EXPERIMENTAL bool pm_stamp_parse(const char *text, int64_t *stamp);

typedef enum pm_coordinate_type {
    PM_COORDINATE_FLOAT32 = 0,
    PM_COORDINATE_FLOAT64,
    PM_COORDINATE_INT32 /* inputs alone: offset + scale value, as in LAS */
} pm_coordinate_type;

/* x y z, or x y z w, of each record. */
typedef struct pm_coordinates {
    const void *data; /* of x. NULL: not given */
    pm_coordinate_type type;
    ptrdiff_t stride;           /* bytes. 0: records have nothing else */
    ptrdiff_t step;             /* bytes from x to y. 0: neighbours */
    double scale[3], offset[3]; /* of integers. scale 0: 1 */
} pm_coordinates;

typedef struct pm_coordinates_out {
    void *data; /* of x. NULL: not asked for */
    pm_coordinate_type type;
    ptrdiff_t stride, step; /* as in pm_coordinates */
} pm_coordinates_out;

/* The number of a track for each record. */
typedef struct pm_track_field {
    const void *data; /* NULL: one track for all */
    uint32_t bytes;   /* of a number, which has no sign: 1, 2 or 4 */
    ptrdiff_t stride; /* bytes. 0: there is nothing between */
} pm_track_field;

/* p' = R p + T, R as a quaternion x y z w whose norm is within 1e-3 of 1. All zero: the identity. */
typedef struct pm_fixed_pose {
    double rotation[4], position[3];
} pm_fixed_pose;

/* ---- trajectories ------------------------------------------------------------------------------- */

typedef struct pm_trajectory_desc {
    /* Keys and method as those of a clip, without timelines, loop and scales: `stamps` are the times. With
     * timeline_count 0 or 1 all tracks share them. Positions of PM_FLOAT64 keep their digits: those at 6.4e6 m are
     * exact within 1e-6 m. */
    pm_clip_desc motion;
    size_t key_count;         /* of one timeline */
    const size_t *key_counts; /* (timeline_count) of several; else NULL */
    /* Those of timeline 0, then of timeline 1 and so on. In a timeline they increase; one that jumps back or repeats
     * is refused with `key` in the error, which counts from the first key of its timeline. */
    pm_stamps stamps;
    /* Rotation and position together by the geodesic of SE(3), P exp(u log(P^-1 Q)) from pose P to Q: a motion of
     * constant twist, by the shorter rotation; where that is half a turn, by the one of the keys' signs. With method
     * slerp, vector_method auto or linear, both rotations and positions, and float32 keys. */
    bool screw;

    const void *next; /* must be NULL */
} pm_trajectory_desc;

/* Immutable, therefore thread-safe. Keeps no pointer into its description. */
typedef struct pm_trajectory pm_trajectory;

/* The engine must outlive the trajectory. Thread-safe. */
PM_API PM_EXPERIMENTAL pm_status pm_trajectory_create(pm_engine *engine,
                                                      const pm_trajectory_desc *desc,
                                                      pm_trajectory **trajectory, pm_error *error);

/* Clears the handle; accepts NULL and a pointer to NULL. */
PM_API PM_EXPERIMENTAL void pm_trajectory_destroy(pm_trajectory **trajectory);

/* The first and the last stamp of a track. False: there is no such track. Thread-safe. */
PM_API PM_EXPERIMENTAL bool pm_trajectory_span(const pm_trajectory *trajectory, size_t track,
                                               int64_t *first, int64_t *last);

/* ---- points --------------------------------------------------------------------------------------- */

/* Points whose stamps are before the first key or behind the last one. */
typedef enum pm_outside {
    PM_OUTSIDE_REFUSE = 0, /* PM_ERROR_TIME: the first of them, and how far outside it is */
    PM_OUTSIDE_CLAMP,      /* the first or the last pose, at rest */
    PM_OUTSIDE_EXTRAPOLATE, /* the constant twist of the curve at its end, up to max_extrapolation; then invalid */
    PM_OUTSIDE_INVALID
} pm_outside;

/* One frame of a chain. */
typedef struct pm_moving_frame {
    const pm_trajectory *trajectory;
    uint32_t track; /* of all points */
    pm_track_field tracks;
    bool inverse; /* true: its poses are those of W in B */
} pm_moving_frame;

enum { PM_MAX_FRAMES = 4 };

/* p' = after (reference^-1 or -origin) A(t) B(t) ... before p, for each point p with its stamp t. Trajectories of slerp
 * and linear positions, and screws, are evaluated in double, with points in float32 within 5e-7 of their distance;
 * rotations of other curves are float32, within 4e-7 rad of exact ones times the method's factor (docs/accuracy.md), which
 * moves points by as much of their distance: 4e-5 m at 100 m. In place is allowed where output and input are the same
 * field; all other memory of outputs is apart. */
typedef struct pm_points_job {
    size_t count; /* 0: nothing to do */
    pm_stamps stamps;
    pm_coordinates points; /* not given: poses alone */

    /* W <- frames[0] <- frames[1] and so on, at least one. */
    pm_moving_frame frames[PM_MAX_FRAMES];
    size_t frame_count;
    pm_fixed_pose before; /* the sensor's pose in the last frame: p is relative to the sensor */
    pm_fixed_pose after;  /* of the results */

    /* true: results are relative to the pose of the last frame at `reference`, a stamp, to which `outside` applies,
     * but must not make it invalid. Where frames have fields of tracks, with one frame alone: the pose of each
     * track. false: relative to W with its origin at `origin`. */
    bool to_reference;
    int64_t reference;
    double origin[3];

    bool inverse;    /* true: the inverse of all this */
    bool directions; /* true: points are directions, which are turned and not moved */

    pm_outside outside;
    int64_t max_extrapolation; /* ns, above 0, of PM_OUTSIDE_EXTRAPOLATE */
    int64_t max_gap;           /* ns: within longer segments, points are invalid. 0: no limit */

    /* Outputs, float32 or double, at least one. Those of points that are invalid, and of ones with a coordinate
     * that is not finite, are NaN. */
    pm_coordinates_out moved;     /* x y z: the points */
    pm_coordinates_out rotations; /* x y z w: the pose that moves the point */
    pm_coordinates_out positions; /* x y z: likewise */
    /* Of the sensor in W (`before` and the frames), m/s and rad/s; at rest where times are clamped. */
    pm_coordinates_out velocities, angular_velocities;
    pm_axis_frame velocity_frame; /* their axes: 0: of the sensor; PM_AXIS_PARENT: of W */
    uint8_t *valid; /* a byte for each point: 1, or 0 where it is invalid. NULL: not asked for */
    ptrdiff_t valid_stride; /* bytes. 0: 1 */
    size_t *invalid_count;  /* NULL: not asked for */

    uint32_t host_threads; /* at most; 0: as many as the engine allows */

    const void *next; /* must be NULL */
} pm_points_job;

/* Computes a job, on the device of the first frame's engine where that has a kernel for it (docs/points.md), else on the
 * host. Blocks. Stamps may have any order; sorted ones are fastest. Results do not depend on the
 * order and on threads. Fails with PM_ERROR_TIME for stamps that are refused (those that are not finite or do not fit
 * int64 are refused by PM_OUTSIDE_REFUSE and else invalid), PM_ERROR_ARGUMENT, PM_ERROR_MEMORY or
 * PM_ERROR_CANCELLED; then the contents of the outputs are undefined. Thread-safe. */
PM_API PM_EXPERIMENTAL pm_status pm_move_points(const pm_points_job *job, pm_error *error);

#ifdef __cplusplus
}
#endif
#endif
