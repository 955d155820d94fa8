/* SPDX-License-Identifier: MIT
 *
 * Whether members are what their layout takes them for: velocities that are the derivatives of what they
 * belong to, and the order of quaternions, whose norm is the same in both orders.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/elementary.h"
#include "motion/model/similarity.h"
#include "motion/npz/npz.h"
#include "motion/npz/npz_numbers.h"
#include "motion/time/rate.h"

/* What a velocity belongs to, read as if its quaternions had the order of `role`. */
typedef struct subject {
    const npz_rows *velocity, *of;
    npz_role role;
    double rate;
} subject;

static size_t width_of(const subject *s) {
    return s->velocity->width;
}

/* Numbers that belong together: those of a body, or one of a joint. */
static size_t group_of(const subject *s) {
    return s->of->role == NPZ_SCALAR ? 1 : 3;
}

static void load_rotation(const subject *s, size_t frame, size_t joint, double q[4]) {
    npz_rows rows = *s->of;
    rows.role = s->role;
    npz_convert_rows(&rows, joint, 1, frame, 1, (npz_keys){(char *)q, sizeof(double), 0});
}

/* The angular velocity of the turn from one frame to the next, in the frame of the parent. */
static void turn_between(const subject *s, size_t frame, size_t joint, double out[3]) {
    double a[4], b[4];
    load_rotation(s, frame, joint, a);
    load_rotation(s, frame + 1, joint, b);
    a[3] = -a[3];
    quat_multiply(b, a, b);
    const double length = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    const double speed = 2 * pm_same_atan2(length, fabs(b[3])) * s->rate;
    for (size_t i = 0; i < 3; i++)
        out[i] = length > 0 ? (b[3] > 0 ? b[i] : -b[i]) / length * speed : 0;
}

/* From a frame to the next, per second: as many numbers as the velocity has. */
static void difference(const subject *s, size_t frame, double *out) {
    const npz_rows *of = s->of;
    if (npz_is_rotation(of->role)) {
        for (size_t j = 0; j < of->channel_count; j++)
            turn_between(s, frame, j, out + 3 * j);
        return;
    }
    for (size_t i = 0; i < of->width; i++) {
        double pair[2];
        npz_load_numbers(&pair[0], of->data + (frame * of->width + i) * of->element, of->element,
                         1);
        npz_load_numbers(&pair[1], of->data + ((frame + 1) * of->width + i) * of->element,
                         of->element, 1);
        out[i] = (pair[1] - pair[0]) * s->rate;
    }
}

/* Differences around a frame: velocities are taken at it, before, after, or smoothed. */
enum { AROUND = 4 };

/* How far a velocity is from the differences around each frame. */
typedef struct disagreement {
    double *beyond,
        *speeds; /* sums of squares: of what lies beyond the differences, and of these */
    size_t samples;
    double largest; /* from the central difference */
    size_t frame, index;
} disagreement;

/* What rounding of the numbers makes of a velocity. */
static double rounding_of(const subject *s) {
    const npz_rows *of = s->of;
    double most = npz_is_rotation(of->role) ? 2 : 0;
    for (size_t i = 0; most == 0 && i < of->width; i++) {
        double value;
        npz_load_numbers(&value, of->data + i * of->element, of->element, 1);
        most = fmax(most, fabs(value));
    }
    return 8 * (of->element == sizeof(float) ? 6e-8 : 1.2e-16) * most * s->rate;
}

/* `ring` has the differences that begin at frames - 2 to + 1. */
static void measure_frame(const subject *s, size_t frame, size_t last, const double *ring,
                          double rounding, disagreement *d) {
    const size_t width = width_of(s), group = group_of(s);
    const npz_rows *v = s->velocity;
    for (size_t i = 0; i < width; i++) {
        double value, least = (double)INFINITY, most = -(double)INFINITY;
        npz_load_numbers(&value, v->data + (frame * width + i) * v->element, v->element, 1);
        for (size_t f = frame > 1 ? frame - 2 : 0; f <= frame + 1 && f < last; f++) {
            least = fmin(least, ring[f % AROUND * width + i]);
            most = fmax(most, ring[f % AROUND * width + i]);
        }
        const double before = ring[(frame - 1) % AROUND * width + i];
        const double middle = 0.5 * (before + ring[frame % AROUND * width + i]);
        const double out = fmax(fmax(least - value, value - most) - rounding, 0);
        d->beyond[i / group] += out * out;
        d->speeds[i / group] += middle * middle;
        if (out > 0 && fabs(value - middle) > d->largest) {
            d->largest = fabs(value - middle);
            d->frame = frame;
            d->index = i;
        }
    }
    d->samples++;
}

/* False: memory is exhausted. */
static bool measure(const subject *s, size_t frames, disagreement *d) {
    const size_t width = width_of(s), groups = width / group_of(s), last = frames - 1;
    FREED double *ring = calloc(AROUND, width * sizeof *ring);
    *d = (disagreement){.beyond = calloc(2 * groups + 1, sizeof *d->beyond)};
    d->speeds = d->beyond ? d->beyond + groups : NULL;
    const bool good = ring && d->beyond;
    const double rounding = good ? rounding_of(s) : 0;
    for (size_t f = 0; good && f < last && f < 2; f++)
        difference(s, f, ring + f * width);
    for (size_t f = 1; good && f < last; f++) {
        if (f + 1 < last)
            difference(s, f + 1, ring + (f + 1) % AROUND * width);
        measure_frame(s, f, last, ring, rounding, d);
    }
    return good;
}

/* The largest part of a body that lies beyond, of the speed of all. A twentieth is more than
 * differences and filters make, and less than centres of mass. */
static bool is_large(const subject *s, const disagreement *d) {
    static const double part = 0.05, still = 1e-4;
    const size_t groups = width_of(s) / group_of(s);
    double speed = 0, beyond = 0;
    for (size_t g = 0; g < groups; g++) {
        speed += d->speeds[g];
        beyond = fmax(beyond, d->beyond[g]);
    }
    const double samples = (double)d->samples;
    return d->samples > 0 &&
           sqrt(beyond / samples) > part * sqrt(speed / samples / (double)groups) + still;
}

static pm_status check_velocity(const npz_reading *r, const subject *s) {
    disagreement d;
    char of[MOTION_PRINTABLE];
    const bool good = measure(s, r->document->frames, &d);
    pm_status status = good ? PM_OK : motion_refuse_memory(r->error);
    if (good && is_large(s, &d))
        status = npz_doubt(r, s->velocity->member,
                           ", as velocities of centres of mass do; rows on source frames keep it, "
                           "the others get the derivative",
                           "is not the derivative of '%s': they differ by up to %.3g per second, "
                           "at frame %zu, index %zu",
                           npz_shown(of, &r->members[s->of->member]), d.largest, d.frame, d.index);
    free(d.beyond);
    return status;
}

/* The velocity at an index among the rows; false if it is none, or not in memory. */
static bool find_subject(const npz_reading *r, size_t index, subject *s) {
    const npz_rows *rows = &r->document->rows[index];
    if (rows->role != NPZ_VELOCITY || r->document->frames < 3)
        return false;
    const npz_rows *of = &r->document->rows[rows->of];
    *s = (subject){rows, of, of->role, rate_value(r->rate)};
    return rows->data && of->data;
}

pm_status npz_check_velocities(const npz_reading *r) {
    subject s;
    for (size_t i = 0; i < r->document->row_count; i++)
        if (find_subject(r, i, &s))
            MOTION_TRY(check_velocity(r, &s));
    return PM_OK;
}

typedef enum verdict { UNKNOWN = 0, AS_NAMED, OTHER_ORDER } verdict;

static npz_role other_order(npz_role role) {
    return role == NPZ_WXYZ ? NPZ_XYZW : NPZ_WXYZ;
}

static verdict judge(double named, double other) {
    static const double small = 0.2;
    return named <= small && named < 0.5 * other   ? AS_NAMED
           : other <= small && other < 0.5 * named ? OTHER_ORDER
                                                   : UNKNOWN;
}

/* How much of the angular velocities disagrees: 0 to 1. Negative: memory is exhausted. */
static double share_beyond(const subject *s, size_t frames) {
    disagreement d;
    double beyond = 0, speed = 0;
    const bool good = measure(s, frames, &d);
    for (size_t g = 0; good && g < width_of(s) / 3; g++) {
        beyond += d.beyond[g];
        speed += d.speeds[g];
    }
    free(d.beyond);
    return !good ? -1 : speed > 0 ? sqrt(beyond / speed) : 1;
}

static pm_status judge_by_velocities(const npz_reading *r, verdict *found) {
    enum { ENOUGH = 1024 };
    const size_t frames = r->document->frames < ENOUGH ? r->document->frames : ENOUGH;
    subject s;
    for (size_t i = 0; i < r->document->row_count && *found == UNKNOWN; i++) {
        if (!find_subject(r, i, &s) || !npz_is_rotation(s.of->role))
            continue;
        const double named = share_beyond(&s, frames);
        s.role = other_order(s.role);
        const double other = share_beyond(&s, frames);
        if (named < 0 || other < 0)
            return motion_refuse_memory(r->error);
        *found = judge(named, other);
    }
    return PM_OK;
}

enum { MOST_FRAMES = 24, MOST_BODIES = 128 };

static void position_of(const npz_rows *rows, size_t frame, size_t body, double p[3]) {
    npz_load_numbers(p, rows->data + (frame * rows->width + 3 * body) * rows->element,
                     rows->element, 3);
}

/* Where a body is, seen from another at a frame. */
static void place(const subject *s, const npz_rows *positions, size_t frame, size_t from, size_t to,
                  double out[3]) {
    double q[4], a[3], b[3];
    load_rotation(s, frame, from, q);
    position_of(positions, frame, from, a);
    position_of(positions, frame, to, b);
    q[3] = -q[3];
    for (size_t i = 0; i < 3; i++)
        b[i] -= a[i];
    quat_rotate(q, b, out);
}

/* How far a body moves as seen from another, of its distance: 0 for two ends of a bone. */
static double looseness(const subject *s, const npz_rows *positions, size_t frames, size_t from,
                        size_t to) {
    const size_t count = frames < MOST_FRAMES ? frames : MOST_FRAMES;
    double sum[3] = {0}, squares = 0;
    for (size_t k = 0; k < count; k++) {
        double p[3];
        place(s, positions, k * (frames - 1) / (count - 1), from, to, p);
        for (size_t i = 0; i < 3; i++) {
            sum[i] += p[i];
            squares += p[i] * p[i];
        }
    }
    const double n = (double)count;
    const double mean = (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / n;
    return squares > 0 ? sqrt(fmax(squares - mean, 0) / squares) : 1;
}

/* The least looseness that a body finds among the others. */
static double tightest(const subject *s, const npz_rows *positions, size_t frames, size_t from) {
    const size_t all = s->of->channel_count, bodies = all < MOST_BODIES ? all : MOST_BODIES;
    double least = 1;
    for (size_t to = 0; to < bodies; to++)
        if (to != from)
            least = fmin(least, looseness(s, positions, frames, from, to));
    return least;
}

/* Each body that holds a bone in one order alone has a vote. */
static verdict vote(subject *s, const npz_rows *positions, size_t frames) {
    static const double stiff = 0.02, times = 3;
    const size_t all = s->of->channel_count, bodies = all < MOST_BODIES ? all : MOST_BODIES;
    size_t votes[2] = {0, 0};
    for (size_t body = 0; body < bodies; body++) {
        double found[2];
        for (size_t i = 0; i < 2; i++) {
            s->role = i == 0 ? s->of->role : other_order(s->of->role);
            found[i] = tightest(s, positions, frames, body);
        }
        for (size_t i = 0; i < 2; i++)
            votes[i] += found[i] < stiff && found[1 - i] > times * found[i] + stiff;
    }
    return votes[0] > 4 * votes[1] ? AS_NAMED : votes[1] > 4 * votes[0] ? OTHER_ORDER : UNKNOWN;
}

static verdict judge_by_bones(const npz_document *document) {
    verdict found = UNKNOWN;
    for (size_t r = 0; r < document->row_count && found == UNKNOWN; r++)
        for (size_t p = 0; p < document->row_count && found == UNKNOWN; p++) {
            const npz_rows *q = &document->rows[r], *v = &document->rows[p];
            if (!npz_is_rotation(q->role) || v->role != NPZ_VECTOR || !q->data || !v->data ||
                q->channel_count < 2 || v->channel_count != q->channel_count)
                continue;
            subject s = {.of = q};
            found = vote(&s, v, document->frames);
        }
    return found;
}

static pm_status use_other_order(npz_reading *r) {
    npz_document *d = r->document;
    const npz_layout *twin = npz_layout_named(r->layout.twin);
    const char *order = "";
    for (size_t i = 0; i < d->row_count; i++)
        if (d->rows[i].role == NPZ_WXYZ || d->rows[i].role == NPZ_XYZW) {
            d->rows[i].role = other_order(d->rows[i].role);
            order = d->rows[i].role == NPZ_WXYZ ? "w x y z" : "x y z w";
        }
    if (r->input->options->strict)
        return motion_refuse(
            r->error, "quaternions are %s, as velocities or bones show; expected the layout %s",
            order, twin->name);
    motion_warn_about(&r->input->warnings,
                      (motion_about){.cure = "layout", .cure_value = twin->name, .hint = "says so"},
                      "quaternions are read as %s, as velocities or bones show", order);
    r->layout = *twin;
    return PM_OK;
}

static bool turns(const npz_document *document) {
    bool found = false;
    for (size_t r = 0; r < document->row_count; r++) {
        const npz_rows *rows = &document->rows[r];
        const size_t size = rows->width * rows->element;
        for (size_t f = 1; npz_is_rotation(rows->role) && rows->data && f < document->frames; f++)
            found = found || memcmp(rows->data, rows->data + f * size, size) != 0;
    }
    return found;
}

/* Only layouts with a twin of the other order that nobody chose are doubted. */
pm_status npz_find_order(npz_reading *r) {
    const char *name = r->layout.name, *twin = r->layout.twin;
    verdict found = UNKNOWN;
    if (!twin || r->layout.is_given || !turns(r->document))
        return PM_OK;
    MOTION_TRY(judge_by_velocities(r, &found));
    if (found == UNKNOWN && r->document->frames > 1)
        found = judge_by_bones(r->document);
    if (found != UNKNOWN)
        return found == OTHER_ORDER ? use_other_order(r) : PM_OK;
    if (r->input->options->strict)
        return motion_refuse(r->error,
                             "nothing in the file tells the order of its quaternions; expected "
                             "the layout %s or %s",
                             name, twin);
    motion_warn_about(
        &r->input->warnings,
        (motion_about){.cure = "layout", .cure_value = twin, .hint = "reads x y z w"},
        "nothing in the file tells the order of its quaternions; they are read as those of layout "
        "%s, w x y z",
        name);
    return PM_OK;
}
