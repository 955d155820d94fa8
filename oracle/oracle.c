/* SPDX-License-Identifier: MIT
 *
 * Keys, times and dispatch of the oracle: reads a description, conditions its keys, finds sample
 * positions, and handles times outside the keys and at keys. The curves are in oracle_curves.c.
 */
#include "oracle_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

__extension__ typedef __int128 wide;

void *oracle_allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "oracle: out of memory\n");
        abort();
    }
    return memory;
}

/* ---- reading a description ------------------------------------------------------ */

static double number_at(const pm_array *array, size_t byte, size_t index) {
    const char *row = (const char *)array->data + byte;
    return array->type == PM_FLOAT64 ? ((const double *)(const void *)row)[index]
                                     : (double)((const float *)(const void *)row)[index];
}

static size_t number_size(const pm_array *array) {
    return array->type == PM_FLOAT64 ? sizeof(double) : sizeof(float);
}

/* The row of a track's key: interleaved over tracks with a common timeline, otherwise track after
 * track. */
typedef struct layout {
    bool common_timeline;
    size_t track, track_count;
    size_t first_row; /* number of keys of this track, when the tracks are stored one after
                       * another */
} layout;

static void read_key(const pm_array *array, layout l, size_t key, size_t width, double *out) {
    const size_t tight = width * number_size(array);
    const size_t stride = array->stride ? array->stride : tight * l.track_count;
    const size_t byte =
        l.common_timeline ? key * stride + l.track * tight : (l.first_row + key) * tight;
    for (size_t n = 0; n < width; n++)
        out[n] = number_at(array, byte, n);
}

static double stored(double component) {
    return fabs(component) < 0x1p-60 ? 0.0 : (double)(float)component;
}

static quat quat_stored(quat q) {
    return (quat){stored(q.x), stored(q.y), stored(q.z), stored(q.w)};
}

/* glTF's cubic keeps the signs and lengths of its keys; its value at a key is normalised. */
static void read_rotations(const pm_clip_desc *desc, layout l, bool unrounded, oracle_track *t) {
    const bool as_given = desc->method == PM_METHOD_CUBICSPLINE;
    t->stored = oracle_allocate(t->key_count, sizeof *t->stored);
    t->keys = oracle_allocate(t->key_count, sizeof *t->keys);
    t->wrap = 1.0;
    quat before = {0.0, 0.0, 0.0, 0.0}, first = before;
    for (size_t i = 0; i < t->key_count; i++) {
        double raw[4];
        read_key(&desc->rotations, l, i, 4, raw);
        const quat given = quat_of(raw);
        quat q = quat_normalise(given);
        if (!as_given && quat_dot(before, q) < 0.0)
            q = quat_scale(q, -1.0);
        first = i == 0 ? q : first;
        before = q;
        t->stored[i] = unrounded ? q : quat_stored(q);
        t->keys[i] = as_given    ? (unrounded ? given : quat_stored(given))
                     : unrounded ? q
                                 : quat_normalise(t->stored[i]);
    }
    if (!as_given && t->period > 0.0 && quat_dot(before, first) < 0.0)
        t->wrap = -1.0;
}

static vec3 *read_vectors(const pm_array *array, layout l, size_t count, bool as_stored) {
    if (!array->data)
        return NULL;
    vec3 *values = oracle_allocate(count, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        double raw[3];
        read_key(array, l, i, 3, raw);
        for (int n = 0; n < 3 && as_stored; n++)
            raw[n] = (double)(float)raw[n];
        values[i] = vec3_of(raw);
    }
    return values;
}

static quat *read_quats(const pm_array *array, layout l, size_t count) {
    if (!array->data)
        return NULL;
    quat *values = oracle_allocate(count, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        double raw[4];
        read_key(array, l, i, 4, raw);
        values[i] = quat_of(raw);
    }
    return values;
}

static void read_axis(const pm_clip_desc *desc, size_t track, oracle_track *t) {
    t->windows = (pm_windows){0.0, 1.0, 0.0, 1.0};
    if (desc->windows) {
        const pm_windows w = desc->windows[desc->window_count > 1 ? track : 0];
        if (w.swing_begin != 0.0 || w.swing_end != 0.0 || w.twist_begin != 0.0 ||
            w.twist_end != 0.0)
            t->windows = w;
    }
    if (!desc->axes.data)
        return;
    const size_t tight = 3 * number_size(&desc->axes);
    const size_t stride = desc->axes.stride ? desc->axes.stride : tight;
    const size_t row = desc->axis_count > 1 ? track : 0;
    const vec3 axis = {number_at(&desc->axes, row * stride, 0),
                       number_at(&desc->axes, row * stride, 1),
                       number_at(&desc->axes, row * stride, 2)};
    t->axis = vec3_scale(axis, 1.0 / vec3_norm(axis));
}

static double listed_time(const pm_timeline *line, size_t key) {
    return line->times ? line->times[key]
                       : (double)key * (double)line->rate.den / (double)line->rate.num;
}

static void read_times(const pm_clip_desc *desc, const pm_timeline *line, oracle_track *t) {
    const double span = listed_time(line, line->key_count - 1) - listed_time(line, 0);
    t->period = desc->loop;
    t->key_count = line->key_count;
    if (t->period > 0.0 && t->period == span)
        t->key_count--; /* the closing key repeats the first */
    t->segment_count = t->period > 0.0 ? t->key_count : t->key_count - 1;
    t->segment_count = t->segment_count ? t->segment_count : 1;
    t->uniform = !line->times;
    t->rate = line->rate;
    t->times = oracle_allocate(t->key_count, sizeof *t->times);
    for (size_t i = 0; i < t->key_count; i++)
        t->times[i] = listed_time(line, i);
}

static pm_vector_method vector_class(pm_method method) {
    switch (method) {
    case PM_METHOD_STEP:
        return PM_VECTOR_STEP;
    case PM_METHOD_SQUAD:
    case PM_METHOD_CUBIC:
    case PM_METHOD_HERMITE:
    case PM_METHOD_NCUBIC:
    case PM_METHOD_CIRCULAR:
    case PM_METHOD_CIRCULAR_C1:
        return PM_VECTOR_CATMULL_ROM;
    case PM_METHOD_CIRCULAR_C2:
        return PM_VECTOR_PARABOLAS_C2;
    case PM_METHOD_CIRCULAR_C3:
        return PM_VECTOR_PARABOLAS_C3;
    case PM_METHOD_SPLINE:
        return PM_VECTOR_SPLINE;
    case PM_METHOD_BSPLINE:
        return PM_VECTOR_BSPLINE;
    case PM_METHOD_CUBICSPLINE:
        return PM_VECTOR_CUBICSPLINE;
    case PM_METHOD_SLERP:
    case PM_METHOD_NLERP:
    case PM_METHOD_STERP:
    default:
        return PM_VECTOR_LINEAR;
    }
}

static void prepare_rotations(const oracle *o, oracle_track *t) {
    if (o->method == PM_METHOD_SQUAD || o->method == PM_METHOD_CUBIC)
        squad_prepare(o, t);
    else if (o->method == PM_METHOD_HERMITE)
        tangents_prepare(o, t);
    else if (o->method == PM_METHOD_SPLINE)
        spline_prepare(o, t);
    else if (o->method == PM_METHOD_CIRCULAR || o->method == PM_METHOD_CIRCULAR_C1 ||
             o->method == PM_METHOD_CIRCULAR_C2 || o->method == PM_METHOD_CIRCULAR_C3)
        circular_prepare(t);
}

/* The three arrays of a curve: values, in-tangents and out-tangents. */
static vector_curve read_curve(const oracle *o, const oracle_track *t, const pm_array arrays[3],
                               layout l) {
    vector_curve curve = {read_vectors(&arrays[0], l, t->key_count, !o->unrounded),
                          read_vectors(&arrays[1], l, t->key_count, false),
                          read_vectors(&arrays[2], l, t->key_count, false), NULL};
    if (curve.values && o->vector_method == PM_VECTOR_SPLINE)
        vector_spline_prepare(o, t, &curve);
    return curve;
}

static void read_track(const oracle *o, const pm_clip_desc *desc, size_t n, layout l,
                       oracle_track *t) {
    const pm_array positions[3] = {desc->positions, desc->positions_in, desc->positions_out};
    const pm_array scales[3] = {desc->scales, desc->scales_in, desc->scales_out};
    /* Of the root alone, which crowds ask for; here with one timeline. */
    const layout alone = {.common_timeline = true, .track_count = 1};
    t->wrap = 1.0;
    t->positions = read_curve(o, t, positions, desc->root_positions ? alone : l);
    t->scales = read_curve(o, t, scales, l);
    read_axis(desc, n, t);
    if (desc->rotations.data) {
        read_rotations(desc, l, o->unrounded, t);
        t->user = read_vectors(&desc->user_tangents, l, t->key_count, false);
        t->in = read_quats(&desc->tangents_in, l, t->key_count);
        t->out = read_quats(&desc->tangents_out, l, t->key_count);
        prepare_rotations(o, t);
    }
}

static oracle *create(const pm_clip_desc *desc, bool unrounded) {
    oracle *o = oracle_allocate(1, sizeof *o);
    const bool has_own = desc->method == PM_METHOD_CUBIC; /* it is squad with these options */
    *o = (oracle){.unrounded = unrounded,
                  .method = desc->method,
                  .vector_method =
                      desc->vector_method ? desc->vector_method : vector_class(desc->method),
                  .tangents = has_own ? PM_TANGENTS_BESSEL : desc->tangents,
                  .tension = desc->tension,
                  .continuity = desc->continuity,
                  .bias = desc->bias,
                  .ends = desc->ends,
                  .unlimited = desc->unlimited && !has_own,
                  .frame = desc->axis_frame,
                  .track_count = desc->track_count};
    o->tracks = oracle_allocate(o->track_count, sizeof *o->tracks);
    size_t row = 0;
    for (size_t n = 0; n < o->track_count; n++) {
        const pm_timeline *line = &desc->timelines[desc->timeline_of ? desc->timeline_of[n] : 0];
        const layout l = {desc->timeline_count < 2, n, o->track_count, row};
        read_times(desc, line, &o->tracks[n]);
        read_track(o, desc, n, l, &o->tracks[n]);
        row += line->key_count;
    }
    return o;
}

oracle *oracle_create(const pm_clip_desc *desc) {
    return create(desc, false);
}

oracle *oracle_create_unrounded(const pm_clip_desc *desc) {
    return create(desc, true);
}

static void free_curve(vector_curve *curve) {
    free(curve->values);
    free(curve->in);
    free(curve->out);
    free(curve->bend);
}

void oracle_destroy(oracle *o) {
    for (size_t n = 0; o && n < o->track_count; n++) {
        oracle_track *t = &o->tracks[n];
        free(t->times);
        free(t->stored);
        free(t->keys);
        free(t->user);
        free(t->leaving);
        free(t->arriving);
        free(t->cusp);
        free(t->in);
        free(t->out);
        free_curve(&t->positions);
        free_curve(&t->scales);
    }
    if (o)
        free(o->tracks);
    free(o);
}

/* ---- keys and times ---------------------------------------------------------------- */

static ptrdiff_t lap_of(const oracle_track *t, ptrdiff_t i) {
    const ptrdiff_t n = (ptrdiff_t)t->key_count;
    return i >= 0 ? i / n : -((n - 1 - i) / n);
}

bool track_has_key(const oracle_track *t, ptrdiff_t i) {
    return t->period > 0.0 || (i >= 0 && i < (ptrdiff_t)t->key_count);
}

static double sign_of(const oracle_track *t, ptrdiff_t i, int64_t lap) {
    return (lap + lap_of(t, i)) % 2 && t->wrap < 0.0 ? -1.0 : 1.0;
}

static quat stored_key(const oracle_track *t, ptrdiff_t i, int64_t lap) {
    return quat_scale(t->stored[i - lap_of(t, i) * (ptrdiff_t)t->key_count], sign_of(t, i, lap));
}

quat track_key(const oracle_track *t, ptrdiff_t i) {
    return quat_scale(t->keys[i - lap_of(t, i) * (ptrdiff_t)t->key_count], sign_of(t, i, 0));
}

double track_time(const oracle_track *t, ptrdiff_t i) {
    const ptrdiff_t lap = lap_of(t, i);
    return t->times[i - lap * (ptrdiff_t)t->key_count] + (double)lap * t->period;
}

double track_step(const oracle_track *t, ptrdiff_t i) {
    /* The difference is computed within one lap, because adding the lap's own time would round
     * it. */
    const ptrdiff_t lap = lap_of(t, i), k = i - lap * (ptrdiff_t)t->key_count;
    return track_time(t, k + 1) - track_time(t, k);
}

size_t oracle_track_count(const oracle *o) {
    return o->track_count;
}

size_t oracle_key_count(const oracle *o, size_t track) {
    return o->tracks[track].key_count;
}

size_t oracle_segment_count(const oracle *o, size_t track) {
    return o->tracks[track].segment_count;
}

double oracle_key_time(const oracle *o, size_t track, size_t key) {
    return track_time(&o->tracks[track], (ptrdiff_t)key);
}

double oracle_wrap(const oracle *o, size_t track) {
    return o->tracks[track].wrap;
}

quat oracle_key(const oracle *o, size_t track, ptrdiff_t key) {
    return stored_key(&o->tracks[track], key, 0);
}

/* ---- sample positions -------------------------------------------------------------- */

/* Many laps away a double loses bits of the time within the lap, and u could round to the other
 * neighbouring float32. long double has enough bits. */
static oracle_cursor locate_in_double(const oracle_track *t, double at) {
    oracle_cursor cursor = {0, 0, 0.0};
    long double time = (long double)at;
    if (t->key_count < 2)
        return cursor;
    const size_t last = t->segment_count - 1;
    if (t->period > 0.0) {
        const long double first = (long double)t->times[0], period = (long double)t->period;
        long double lap = floorl((time - first) / period);
        const long double in_lap = time - lap * period;
        /* The quotient may round across the start of a lap, so the remainder decides. */
        lap += in_lap < first ? -1.0L : in_lap >= first + period ? 1.0L : 0.0L;
        cursor.lap = (int64_t)lap;
        time -= lap * period;
    } else if (at <= t->times[0]) {
        return cursor;
    } else if (at >= t->times[t->key_count - 1]) {
        return (oracle_cursor){0, last, 1.0};
    }
    size_t low = 0, high = last + 1;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(time >= (long double)t->times[middle] ? &low : &high) = middle;
    }
    cursor.segment = low;
    cursor.u = (double)(time - (long double)t->times[low]) / track_step(t, (ptrdiff_t)low);
    return cursor;
}

static oracle_cursor rounded(const oracle *o, oracle_cursor cursor) {
    if (o->unrounded)
        return cursor;
    /* A sample before a key never has the position of the key: the maximum is the largest float32
     * below 1. */
    const double below = cursor.u < 1.0 ? 0x1.fffffep-1 : 1.0;
    cursor.u = cursor.u < 0x1p-32 ? 0.0 : fmin((double)(float)cursor.u, below);
    return cursor;
}

oracle_cursor oracle_at_exact_time(const oracle *o, size_t track, double time) {
    return locate_in_double(&o->tracks[track], time);
}

oracle_cursor oracle_at_time(const oracle *o, size_t track, double time) {
    return rounded(o, locate_in_double(&o->tracks[track], time));
}

/* Samples and keys are both uniform: integer arithmetic up to u. */
static oracle_cursor locate_in_integers(const oracle_track *t, const pm_sample_job *job, size_t k) {
    const int64_t start_den = job->start_after_first_key.den ? job->start_after_first_key.den : 1;
    const wide num = ((wide)job->start_after_first_key.num * job->rate.num +
                      ((wide)job->first + (wide)k) * job->rate.den * start_den) *
                     t->rate.num;
    const wide den = (wide)start_den * job->rate.num * t->rate.den;
    wide segment = num / den - (num % den < 0);
    const wide rest = num - segment * den;
    const wide count = (wide)t->segment_count;
    oracle_cursor cursor = {0, 0, fmin((double)rest / (double)den, 0x1.fffffffffffffp-1)};
    if (t->period > 0.0) {
        const wide lap = segment / count - (segment % count < 0);
        cursor.lap = (int64_t)lap;
        segment -= lap * count;
    } else if (segment < 0) {
        return (oracle_cursor){0, 0, 0.0};
    } else if (segment >= count) {
        return (oracle_cursor){0, t->segment_count - 1, 1.0};
    }
    cursor.segment = (size_t)segment;
    return cursor;
}

oracle_cursor oracle_at_sample(const oracle *o, size_t track, const pm_sample_job *job, size_t k) {
    const oracle_track *t = &o->tracks[track];
    if (job->times)
        return oracle_at_time(o, track, job->times[k]);
    if (t->key_count < 2)
        return (oracle_cursor){0, 0, 0.0};
    const double step = (double)t->rate.den / (double)t->rate.num;
    const bool even = t->period == 0.0 || fabs(t->period / step - (double)t->key_count) < 1e-9;
    if (t->uniform && even)
        return rounded(o, locate_in_integers(t, job, k));
    const double start = job->start_after_first_key.den ? (double)job->start_after_first_key.num /
                                                              (double)job->start_after_first_key.den
                                                        : 0.0;
    const double count = (double)job->first + (double)k;
    return oracle_at_time(
        o, track, t->times[0] + (start + count * (double)job->rate.den / (double)job->rate.num));
}

/* ---- evaluation ---------------------------------------------------------------------- */

static quat inside(const oracle *o, const oracle_track *t, ptrdiff_t i, double u) {
    const quat p = track_key(t, i), q = track_key(t, i + 1);
    switch (o->method) {
    case PM_METHOD_STEP:
        return p;
    case PM_METHOD_NLERP:
        return quat_normalise(quat_add(quat_scale(p, 1.0 - u), quat_scale(q, u)));
    case PM_METHOD_STERP:
        return sterp_inside(o, t, i, u);
    case PM_METHOD_SQUAD:
    case PM_METHOD_CUBIC:
        return squad_inside(o, t, i, u);
    case PM_METHOD_CIRCULAR:
        return circular_inside(t, i, u);
    case PM_METHOD_CIRCULAR_C1:
    case PM_METHOD_CIRCULAR_C2:
    case PM_METHOD_CIRCULAR_C3:
        return phased_inside(o->method, t, i, u);
    case PM_METHOD_HERMITE:
    case PM_METHOD_SPLINE:
        return hermite_inside(t, i, u);
    case PM_METHOD_BSPLINE:
        return bspline_at(t, i, u);
    case PM_METHOD_CUBICSPLINE:
        return quat_normalise(cubicspline_inside(t, i, u));
    case PM_METHOD_NCUBIC:
        return quat_normalise(ncubic_inside(t, i, u));
    case PM_METHOD_SLERP:
    default:
        return quat_slerp(p, q, u);
    }
}

quat oracle_rotation(const oracle *o, size_t track, oracle_cursor cursor) {
    const oracle_track *t = &o->tracks[track];
    const ptrdiff_t i = (ptrdiff_t)cursor.segment;
    if (t->key_count < 2)
        return t->stored[0];
    if (o->method != PM_METHOD_BSPLINE && (cursor.u <= 0.0 || cursor.u >= 1.0))
        return stored_key(t, cursor.u <= 0.0 ? i : i + 1, cursor.lap);
    const quat q = inside(o, t, i, cursor.u);
    return cursor.lap % 2 && t->wrap < 0.0 ? quat_scale(q, -1.0) : q;
}

double oracle_reach(const oracle *o, size_t track, size_t segment) {
    const oracle_track *t = &o->tracks[track];
    const ptrdiff_t i = (ptrdiff_t)segment;
    if (t->key_count < 2)
        return 0.0;
    switch (o->method) {
    case PM_METHOD_HERMITE:
    case PM_METHOD_SPLINE:
        return hermite_reach(t, i);
    case PM_METHOD_CIRCULAR_C1:
    case PM_METHOD_CIRCULAR_C2:
    case PM_METHOD_CIRCULAR_C3:
        return phased_reach(t, i);
    case PM_METHOD_NCUBIC:
        return ncubic_reach(t, i);
    default:
        return 2.0 * vec3_norm(chord_log(t, i));
    }
}

double oracle_magnification(const oracle *o, size_t track, oracle_cursor cursor) {
    const oracle_track *t = &o->tracks[track];
    if (t->key_count < 2)
        return 1.0;
    const ptrdiff_t i = (ptrdiff_t)cursor.segment;
    if (o->method == PM_METHOD_CUBICSPLINE)
        return fmax(1.0, 1.0 / quat_norm(cubicspline_inside(t, i, cursor.u)));
    if (o->method == PM_METHOD_NCUBIC)
        return fmax(1.0, 1.0 / quat_norm(ncubic_inside(t, i, cursor.u)));
    return fmax(1.0, oracle_reach(o, track, cursor.segment) / PI);
}

double oracle_condition(const oracle *o, size_t track, oracle_cursor cursor) {
    const oracle_track *t = &o->tracks[track];
    const bool inside_segment = t->key_count > 1 && cursor.u > 0.0 && cursor.u < 1.0;
    const bool may_be_antipodal =
        (o->method == PM_METHOD_SQUAD && o->unlimited) || o->method == PM_METHOD_CUBIC;
    if (!may_be_antipodal || !inside_segment)
        return 1.0;
    /* Inner points that are made in float32, from rounded logarithms and tangents, have up to twice the
     * error of stored ones: what their slerp adds counts twice. */
    const double condition = squad_condition(t, (ptrdiff_t)cursor.segment, cursor.u);
    return o->method == PM_METHOD_CUBIC ? 2.0 * condition - 1.0 : condition;
}

bool oracle_cusp(const oracle *o, size_t track, size_t key) {
    return o->tracks[track].cusp && o->tracks[track].cusp[key];
}

void oracle_smooth_part(const oracle *o, size_t track, double u, double *from, double *to) {
    const pm_windows *w = &o->tracks[track].windows;
    const double breaks[] = {w->swing_begin, w->swing_end, w->twist_begin, w->twist_end};
    *from = 0.0;
    *to = 1.0;
    for (size_t n = 0; o->method == PM_METHOD_STERP && n < 4; n++)
        if (breaks[n] <= u && breaks[n] < 1.0)
            *from = fmax(*from, breaks[n]);
        else
            *to = fmin(*to, breaks[n]);
}

bool oracle_diverged(const oracle *o, size_t track) {
    return o->tracks[track].diverged;
}

bool oracle_beyond_reason(const pm_clip_desc *desc) {
    oracle *o = oracle_create(desc);
    double reach = 0.0;
    for (size_t i = 0; o->method == PM_METHOD_SPLINE && i < oracle_segment_count(o, 0); i++)
        reach = fmax(reach, oracle_reach(o, 0, i));
    oracle_destroy(o);
    return reach > 1000.0;
}

vec3 oracle_position(const oracle *o, size_t track, oracle_cursor cursor) {
    const oracle_track *t = &o->tracks[track];
    return vector_at(o, t, &t->positions, (ptrdiff_t)cursor.segment, cursor.u);
}

vec3 oracle_scale(const oracle *o, size_t track, oracle_cursor cursor) {
    const oracle_track *t = &o->tracks[track];
    return vector_at(o, t, &t->scales, (ptrdiff_t)cursor.segment, cursor.u);
}
