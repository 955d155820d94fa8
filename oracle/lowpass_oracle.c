/* SPDX-License-Identifier: MIT
 *
 * The low-pass in double. The window's Bessel function is its integral, the sine that of the C library,
 * keys beyond the ends are reflected one by one, and logarithms are those of the arc tangent.
 */
#include "lowpass_oracle.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846, periods = 5, beta = 6.3;

/* The mean of exp(x cos a) over a circle: the trapezoidal rule converges faster than any power. */
static double bessel(double x) {
    enum { POINTS = 64 };
    double sum = 0;
    for (int i = 0; i < POINTS; i++)
        sum += exp(x * cos(2 * pi * i / POINTS));
    return sum / POINTS;
}

static double window(double cutoff, double at) {
    const double part = at * cutoff / periods;
    return fabs(part) < 1 ? bessel(beta * sqrt(1 - part * part)) : 0;
}

static double sinc(double x) {
    return x == 0 ? 1 : sin(pi * x) / (pi * x);
}

/* The weights of keys from -reach to reach, by their distance from the one before the sample. */
typedef struct taps {
    long reach;
    double *weights; /* of key -reach on */
} taps;

/* window (sinc - slope distance), so that the first moment is 0; and divided by the sum. */
static taps taps_at(double cutoff, double u) {
    taps t = {.reach = (long)ceil(periods / cutoff) + 1};
    const size_t count = 2 * (size_t)t.reach + 1;
    double *windows = calloc(count, sizeof *windows), moment = 0, square = 0, sum = 0;
    t.weights = calloc(count, sizeof *t.weights);
    for (size_t i = 0; windows && t.weights && i < count; i++) {
        const double at = (double)i - (double)t.reach - u;
        windows[i] = window(cutoff, at);
        moment += windows[i] * sinc(2 * cutoff * at) * at;
        square += windows[i] * at * at;
    }
    for (size_t i = 0; windows && t.weights && i < count; i++) {
        const double at = (double)i - (double)t.reach - u;
        t.weights[i] = windows[i] * (sinc(2 * cutoff * at) - moment / square * at);
        sum += t.weights[i];
    }
    for (size_t i = 0; windows && t.weights && i < count; i++)
        t.weights[i] /= sum;
    free(windows);
    return t;
}

static double weight(const taps *t, long key) {
    return t->weights ? t->weights[key + t->reach] : (double)NAN;
}

/* ---- keys beyond the ends ------------------------------------------------------------------ */

static quat rotation_at(const lowpass_track *track, long key) {
    const long last = (long)track->count - 1;
    if (last == 0)
        return track->rotations[0];
    if (key >= 0 && key <= last)
        return track->rotations[key];
    const quat about = track->rotations[key < 0 ? 0 : last];
    const quat other = rotation_at(track, key < 0 ? -key : 2 * last - key);
    return quat_multiply(about, quat_multiply(quat_conjugate(other), about));
}

static double number_at(const lowpass_track *track, long key) {
    const long last = (long)track->count - 1;
    if (last == 0)
        return track->numbers[0];
    if (key >= 0 && key <= last)
        return track->numbers[key];
    return 2 * track->numbers[key < 0 ? 0 : last] -
           number_at(track, key < 0 ? -key : 2 * last - key);
}

/* ---- values -------------------------------------------------------------------------------- */

/* The key before a position, which is not the last one, and the fraction behind it. */
static long key_before(const lowpass_track *track, double position, double *u) {
    const double last = (double)track->count - 1;
    const double at = fmax(0, fmin(position, last));
    *u = at - floor(at);
    return (long)floor(at);
}

static quat step(const lowpass_track *track, const taps *t, long before, quat r) {
    vec3 sum = {0, 0, 0};
    for (long k = -t->reach; k <= t->reach; k++) {
        const quat turn = quat_multiply(quat_conjugate(r), rotation_at(track, before + k));
        sum = vec3_add(sum, vec3_scale(quat_log(turn), weight(t, k)));
    }
    return quat_normalise(quat_multiply(r, quat_exp(sum)));
}

quat lowpass_oracle_rotation(const lowpass_track *track, double cutoff, double position) {
    double u;
    const long before = key_before(track, position, &u);
    const taps t = taps_at(cutoff, u);
    const quat r = quat_slerp(rotation_at(track, before), rotation_at(track, before + 1), u);
    const quat result = step(track, &t, before, step(track, &t, before, r));
    free(t.weights);
    return result;
}

double lowpass_oracle_number(const lowpass_track *track, double cutoff, double position) {
    double u, sum = 0;
    const long before = key_before(track, position, &u);
    const taps t = taps_at(cutoff, u);
    for (long k = -t.reach; k <= t.reach; k++)
        sum += weight(&t, k) * number_at(track, before + k);
    free(t.weights);
    return sum;
}

double lowpass_oracle_weight(double cutoff, double u, long key) {
    const taps t = taps_at(cutoff, u);
    const double result = labs(key) > t.reach ? 0 : weight(&t, key);
    free(t.weights);
    return result;
}
