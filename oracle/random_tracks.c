/* SPDX-License-Identifier: MIT
 *
 * Seeded random and adversarial tracks for tests. This file evaluates no curves.
 */
#include "random_tracks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define DEGREE (PI / 180.0)

random_source random_start(void) {
    static bool printed = false;
    const char *text = getenv("POSEMILL_TEST_SEED");
    const uint64_t seed = text ? strtoull(text, NULL, 0) : 20260301u;
    if (!printed) {
        fprintf(stderr, "# seed %llu\n", (unsigned long long)seed); /* stdout may hold a table */
        printed = true;
    }
    return (random_source){seed};
}

/* splitmix64: every seed is suitable. */
uint64_t random_bits(random_source *source) {
    uint64_t z = source->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double random_unit(random_source *source) {
    return (double)(random_bits(source) >> 11) * 0x1p-53;
}

double random_between(random_source *source, double low, double high) {
    return low + (high - low) * random_unit(source);
}

double random_normal(random_source *source) {
    const double radius = sqrt(-2.0 * log(1.0 - random_unit(source)));
    return radius * cos(2.0 * PI * random_unit(source));
}

size_t random_size(random_source *source, size_t low, size_t high) {
    return low + (size_t)(random_bits(source) % (high - low + 1));
}

void random_times(random_source *source, size_t count, double low, double high, double *out) {
    for (size_t k = 0; k < count; k++)
        out[k] = random_between(source, low, high);
}

void random_key_times(random_source *source, size_t count, double first, double min, double max,
                      double *out) {
    for (size_t k = 0; k < count; k++)
        out[k] = k == 0 ? first : out[k - 1] + random_between(source, min, max);
}

static void normalise(double *v, int count) {
    double norm2 = 0.0;
    for (int n = 0; n < count; n++)
        norm2 += v[n] * v[n];
    for (int n = 0; n < count; n++)
        v[n] /= sqrt(norm2);
}

void random_quaternion(random_source *source, double q[4]) {
    for (int n = 0; n < 4; n++)
        q[n] = random_normal(source);
    normalise(q, 4);
}

void random_direction(random_source *source, double v[3]) {
    for (int n = 0; n < 3; n++)
        v[n] = random_normal(source);
    normalise(v, 3);
}

static void multiply(const double a[4], const double b[4], double out[4]) {
    const double product[4] = {
        a[3] * b[0] + b[3] * a[0] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] + b[3] * a[1] + a[2] * b[0] - a[0] * b[2],
        a[3] * b[2] + b[3] * a[2] + a[0] * b[1] - a[1] * b[0],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    };
    memcpy(out, product, sizeof product);
}

static void about(const double axis[3], double angle, double q[4]) {
    for (int n = 0; n < 3; n++)
        q[n] = sin(0.5 * angle) * axis[n];
    q[3] = cos(0.5 * angle);
}

void random_track(random_source *source, size_t key_count, double smallest, double largest,
                  bool uneven, test_track *out) {
    *out = (test_track){.name = "random", .key_count = key_count};
    random_direction(source, out->axis);
    double time = 0.0;
    for (size_t i = 0; i < key_count; i++) {
        out->times[i] = time;
        time += uneven ? random_between(source, 0.2, 1.8) : 1.0;
        if (i == 0) {
            random_quaternion(source, out->keys[0]);
        } else {
            double axis[3], step[4];
            random_direction(source, axis);
            about(axis, random_between(source, smallest, largest), step);
            multiply(out->keys[i - 1], step, out->keys[i]);
        }
        for (int n = 0; n < 3; n++) {
            out->positions[i][n] = random_normal(source);
            out->tangents[i][n] = 0.5 * random_normal(source);
        }
    }
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "random tracks: out of memory\n");
        abort();
    }
    return memory;
}

void set_create(size_t count, bool common_timeline, track_set *set) {
    const size_t keys = count * TRACK_KEYS_MAX;
    *set = (track_set){.count = count,
                       .common_timeline = common_timeline,
                       .tracks = allocate(count, sizeof(test_track)),
                       .rotations = allocate(keys * 4, sizeof(double)),
                       .positions = allocate(keys * 3, sizeof(double)),
                       .scales = allocate(keys * 3, sizeof(double)),
                       .tangents = allocate(keys * 3, sizeof(double)),
                       .tangents_in = allocate(keys * 4, sizeof(double)),
                       .tangents_out = allocate(keys * 4, sizeof(double)),
                       .positions_in = allocate(keys * 3, sizeof(double)),
                       .positions_out = allocate(keys * 3, sizeof(double)),
                       .scales_in = allocate(keys * 3, sizeof(double)),
                       .scales_out = allocate(keys * 3, sizeof(double)),
                       .axes = allocate(count * 3, sizeof(double)),
                       .timelines = allocate(count, sizeof(pm_timeline)),
                       .timeline_of = allocate(count, sizeof(uint32_t))};
}

void set_destroy(track_set *set) {
    free(set->tracks);
    free(set->rotations);
    free(set->positions);
    free(set->scales);
    free(set->tangents);
    free(set->tangents_in);
    free(set->tangents_out);
    free(set->positions_in);
    free(set->positions_out);
    free(set->scales_in);
    free(set->scales_out);
    free(set->axes);
    free(set->timelines);
    free(set->timeline_of);
    *set = (track_set){0};
}

void set_random(random_source *source, size_t count, size_t key_count, double smallest,
                double largest, bool uneven, bool common_timeline, track_set *set) {
    set_create(count, common_timeline, set);
    for (size_t n = 0; n < count; n++)
        random_track(source, key_count, smallest, largest, uneven, &set->tracks[n]);
    for (size_t n = 1; common_timeline && n < count; n++)
        memcpy(set->tracks[n].times, set->tracks[0].times, sizeof set->tracks[n].times);
}

pm_clip_desc set_describe(track_set *set) {
    size_t before = 0;
    for (size_t n = 0; n < set->count; n++) {
        const test_track *t = &set->tracks[n];
        for (size_t i = 0; i < t->key_count; i++) {
            const size_t row = set->common_timeline ? i * set->count + n : before + i;
            memcpy(set->rotations + 4 * row, t->keys[i], sizeof t->keys[i]);
            memcpy(set->positions + 3 * row, t->positions[i], sizeof t->positions[i]);
            for (size_t c = 0; c < 3; c++)
                set->scales[3 * row + c] = 2.0 - 0.5 * t->positions[i][c];
            memcpy(set->tangents + 3 * row, t->tangents[i], sizeof t->tangents[i]);
        }
        memcpy(set->axes + 3 * n, t->axis, sizeof t->axis);
        set->timelines[n] = (pm_timeline){.key_count = t->key_count, .times = t->times};
        set->timeline_of[n] = set->common_timeline ? 0 : (uint32_t)n;
        before += t->key_count;
    }
    return (pm_clip_desc){.track_count = set->count,
                          .timelines = set->timelines,
                          .timeline_count = set->common_timeline ? 1 : set->count,
                          .timeline_of = set->timeline_of,
                          .rotations = {set->rotations, PM_FLOAT64, 0},
                          .positions = {set->positions, PM_FLOAT64, 0},
                          .scales = {set->scales, PM_FLOAT64, 0},
                          .axes = {set->axes, PM_FLOAT64, 0},
                          .axis_count = set->count,
                          .loop = set->tracks[0].period};
}

/* The rotation at which an adversarial track starts: none of its axes is special. */
static const double base[4] = {0.1, -0.3, 0.2, 0.92736184954957037525};
static const double tilted[3] = {0.48, 0.6, 0.64};

/* Keys at given angles about one axis, relative to `base`. */
static void angles_track(const char *name, size_t count, const double *degrees, test_track *out) {
    *out = (test_track){.name = name, .key_count = count, .axis = {0.0, 0.0, 1.0}};
    for (size_t i = 0; i < count; i++) {
        double turn[4];
        about(tilted, degrees[i] * DEGREE, turn);
        multiply(base, turn, out->keys[i]);
        out->times[i] = (double)i;
        for (int n = 0; n < 3; n++)
            out->positions[i][n] = 1.0 + degrees[i] * (0.01 + 0.01 * n);
    }
}

static void negate(double q[4]) {
    for (int n = 0; n < 4; n++)
        q[n] = -q[n];
}

static void opposite_signs(const double *degrees, test_track *out) {
    angles_track("opposite signs", 6, degrees, out);
    negate(out->keys[1]);
    negate(out->keys[4]);
}

/* q, q + 1e-7, -q, ... in alternation. */
static void nearly_equal(bool both_signs, test_track *out) {
    const double degrees[6] = {0, 0, 0, 0, 0, 0};
    angles_track(both_signs ? "nearly equal, both signs" : "1e-7 apart", 6, degrees, out);
    random_source source = {7};
    for (size_t i = 0; i < 6; i++) {
        double axis[3], turn[4];
        random_direction(&source, axis);
        about(axis, 1e-7, turn);
        multiply(out->keys[i], turn, out->keys[i]);
        if (both_signs && i % 2 == 1)
            negate(out->keys[i]);
    }
}

static void dot_zero(test_track *out) {
    static const double keys[6][4] = {{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0},
                                      {0, 0, 0, 1}, {0, 0, 1, 0}, {0, 0, 0, -1}};
    const double degrees[6] = {0, 0, 0, 0, 0, 0};
    angles_track("dot exactly zero", 6, degrees, out);
    memcpy(out->keys, keys, sizeof keys);
}

static void there_and_back(test_track *out) {
    const double degrees[6] = {0, 70, 0, 70, 20, 0};
    angles_track("neighbours equal", 6, degrees, out);
    double axis[3] = {1.0, 0.0, 0.0}, turn[4];
    about(axis, 1.0, turn);
    multiply(turn, out->keys[4], out->keys[4]);
}

static void wild_times(test_track *out) {
    random_source source = {11};
    random_track(&source, 8, 0.0, PI, false, out);
    out->name = "time ratios 1:1000";
    for (size_t i = 1; i < 8; i++)
        out->times[i] = out->times[i - 1] + (i % 2 ? 0.001 : 1.0);
}

/* Half turns about (twist) or across (swing) the twist axis, in the body frame. The first three are
 * exact: the products of their keys have no rounding error. The direction of a half turn must not
 * depend on the last bit of a dot product. */
static void half_turns(bool twist, test_track *out) {
    static const double z[3] = {0, 0, 1}, x[3] = {1, 0, 0};
    const double degrees[5] = {0, 0, 0, 0, 0};
    angles_track(twist ? "180 degree twist" : "180 degree swing", 5, degrees, out);
    for (int n = 0; n < 4; n++)
        out->keys[0][n] = n == 3 ? 1.0 : 0.0;
    for (size_t i = 1; i < 5; i++) {
        double turn[4];
        about(twist ? z : x, i == 4 ? 179.9999 * DEGREE : PI, turn);
        turn[3] = i == 4 ? turn[3] : 0.0;
        multiply(out->keys[i - 1], turn, out->keys[i]);
    }
}

/* Keys at rest, and rotations of a half turn less 2e-8 rad about oblique axes: the dot product of
 * the keys is positive in double, and has either sign in float32. */
static void resting_half_turns(test_track *out) {
    const double degrees[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    angles_track("half turns between rests", 8, degrees, out);
    random_source source = {19};
    for (size_t i = 2; i < 8; i++) {
        memcpy(out->keys[i], out->keys[i - 1], sizeof out->keys[i]);
        if (i % 2 == 0) {
            double axis[3], turn[4];
            random_direction(&source, axis);
            about(axis, PI - 2e-8, turn);
            multiply(out->keys[i - 1], turn, out->keys[i]);
        }
    }
}

static void full_turn_loop(test_track *out) {
    const double degrees[5] = {0, 80, 150, 220, 290};
    angles_track("loop of a full turn", 5, degrees, out);
    out->period = 5.0;
}

static void closing_key_loop(test_track *out) {
    const double degrees[6] = {0, 100, 130, 200, 300, 360};
    angles_track("full turn with closing key", 6, degrees, out);
    memcpy(out->positions[5], out->positions[0], sizeof out->positions[0]);
    out->period = 5.0;
}

static void random_loop(test_track *out) {
    random_source source = {13};
    random_track(&source, 5, 0.0, PI, true, out);
    out->name = "random loop";
    out->period = out->times[4] + 0.7;
}

static void few_keys(size_t count, bool loop, test_track *out) {
    static const char *const names[2][3] = {{"one key", "two keys", "three keys"},
                                            {"one key loop", "two key loop", "three key loop"}};
    random_source source = {17};
    random_track(&source, count, 0.0, 2.5, true, out);
    out->name = names[loop][count - 1];
    out->period = loop ? out->times[count - 1] + 1.3 : 0.0;
}

size_t adversarial_count(void) {
    return 23;
}

void adversarial_track(size_t index, test_track *out) {
    static const double equal[6] = {40, 40, 40, 40, 40, 40};
    static const double signs[6] = {0, 50, 30, 90, 90, 20};
    static const double steep[6] = {0, 179.99, 0, 179.99, 359.98, 180};
    static const double three[7] = {0, 60, 60, 60, 100, 100, 30};
    static const double reversal[4] = {0, 30, 10, 20};
    static const double steady[6] = {0, 25, 50, 75, 100, 125};
    static const double held[6] = {0, 30, 30, 80, 80, 120};
    switch (index) {
    case 0:
        angles_track("all equal", 6, equal, out);
        break;
    case 1:
        opposite_signs(signs, out);
        break;
    case 2:
        nearly_equal(true, out);
        break;
    case 3:
        nearly_equal(false, out);
        break;
    case 4:
        dot_zero(out);
        break;
    case 5:
        angles_track("179.99 degrees apart", 6, steep, out);
        break;
    case 6:
        there_and_back(out);
        break;
    case 7:
        angles_track("three equal", 7, three, out);
        break;
    case 8:
        wild_times(out);
        break;
    case 9:
        angles_track("reversal 0 30 10 20", 4, reversal, out);
        break;
    case 10:
        half_turns(false, out);
        break;
    case 11:
        half_turns(true, out);
        break;
    case 12:
        full_turn_loop(out);
        break;
    case 13:
        closing_key_loop(out);
        break;
    case 14:
        random_loop(out);
        break;
    case 15:
        angles_track("single axis, steady", 6, steady, out);
        break;
    case 16:
        angles_track("held pairs", 6, held, out);
        break;
    case 17:
    case 18:
    case 19:
        few_keys(index - 16, false, out);
        break;
    case 22:
        resting_half_turns(out);
        break;
    case 20:
    case 21:
    default:
        few_keys(index - 18, true, out);
        break;
    }
}
