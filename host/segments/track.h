/* SPDX-License-Identifier: MIT
 *
 * Some tracks of one timeline, a track a lane, as segment builders see them: keys as they
 * are stored, in double, with a loop's keys continued over both ends, through a window
 * that moves along the tracks, so that what is in it stays in the cache.
 */
#ifndef PM_HOST_TRACK_H
#define PM_HOST_TRACK_H

#include "lane_memory.h"
#include "segments.h"

/* Where extra e of segment i goes: to + i * row + e * plane, 4 floats a lane. */
typedef struct pm_coefficients_out {
    float *to;
    size_t row;
    size_t plane;
    size_t lanes; /* of PM_DOUBLES, those that a plane has room for */
} pm_coefficients_out;

/* An array of a description in lanes: those beyond the last track repeat it. */
typedef struct pm_lane_views {
    const unsigned char *data[PM_DOUBLES]; /* NULL: not given */
    pm_number type;
    unsigned components;
    size_t stride; /* bytes from key to key */
    bool adjacent; /* rows of neighbouring lanes lie one behind the other */
} pm_lane_views;

enum { PM_WINDOW = 64 };

typedef struct pm_track {
    size_t key_count; /* at least 2: a single key is there twice */
    size_t segment_count;
    bool loop;
    bool single; /* one key, there twice */
    unsigned components;
    dreal wrap;                 /* of a loop: the sign with which key 0 follows the last key */
    const double *times;        /* segment_count + 1 borders of segments */
    pm_coefficients_out stored; /* the keys, once they are read */
    const pm_clip_desc *desc;
    size_t index[PM_DOUBLES]; /* the tracks */
    pm_lane_views user_tangents;
    pm_lane_views tangents_in, tangents_out; /* of cubicspline */

    ptrdiff_t first, end; /* segments that the window shows */
    struct pm_window *window;
} pm_track;

/* Segments [first, end), the one on either side, and their keys: as far as there are. */
typedef struct pm_window {
    dquat keys[PM_WINDOW + 3]; /* unit and unrolled, float32 but for their norm; vectors: w 0 */
    dvec3 logs[PM_WINDOW + 2]; /* of the steps from key to key, when they were asked for */
    double lengths[PM_WINDOW + 2];
} pm_window;

/* Shows the segments from `first` on; none are left when first is end. */
#define pm_track_look PM_SET_NAME(pm_track_look)
void pm_track_look(pm_track *track, ptrdiff_t first, bool needs_logs);

/* Row `key` of an array, with 0 for components that it has not. */
#define pm_given_row PM_SET_NAME(pm_given_row)
dquat pm_given_row(const pm_lane_views *rows, size_t key);

/* Plane 0 of a row, as it is stored. */
static inline dquat pm_get(const pm_coefficients_out *stored, size_t row) {
    const float *from = stored->to + row * stored->row;
    return stored->lanes == PM_DOUBLES ? dquat_load_floats(from)
                                       : dquat_load_some(from, stored->lanes);
}

/* A key from its row, made unit again: rounding moved it off the sphere by 1e-7, of which a
 * circle through near keys, or the middle of far ones, would make much. Vectors as they are. */
static inline dquat pm_stored_key(const pm_track *track, size_t row) {
    dquat key = pm_get(&track->stored, row);
    return track->components == 4 ? dquat_unit(key) : key;
}

/* Key i of first - 1 to end + 1. */
static inline dquat pm_track_key(const pm_track *track, ptrdiff_t i) {
    return track->window->keys[i - track->first + 1];
}

/* log(q_i^-1 q_{i+1}) of segment i of first - 1 to end; only where logs were asked for. */
static inline dvec3 pm_track_log(const pm_track *track, ptrdiff_t i) {
    return track->window->logs[i - track->first + 1];
}

/* Length of segment i of first - 1 to end, in seconds. */
static inline double pm_track_length(const pm_track *track, ptrdiff_t i) {
    return track->window->lengths[i - track->first + 1];
}

/* Whether there is a segment i; in a loop always. */
static inline bool pm_track_has(const pm_track *track, ptrdiff_t i) {
    return track->loop || (i >= 0 && i < (ptrdiff_t)track->segment_count);
}

/* Whether keys i and i + 1 are the same, bit for bit. */
static inline dmask pm_track_repeats(const pm_track *track, ptrdiff_t i) {
    dquat d = dquat_difference(pm_track_key(track, i), pm_track_key(track, i + 1));
    return (dmask)(d.x == 0) & (dmask)(d.y == 0) & (dmask)(d.z == 0) & (dmask)(d.w == 0);
}

/* Rounds and stores. */
static inline void pm_put(const pm_coefficients_out *out, size_t segment, unsigned coefficient,
                          dquat value) {
    float *to = out->to + segment * out->row + coefficient * out->plane;
    if (out->lanes == PM_DOUBLES)
        dquat_store(to, value);
    else
        dquat_store_some(to, value, out->lanes);
}

static inline void pm_put_vector(const pm_coefficients_out *out, size_t segment,
                                 unsigned coefficient, dvec3 value) {
    pm_put(out, segment, coefficient, dquat_of(value, (dreal){0}));
}

#endif
