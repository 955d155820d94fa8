/* SPDX-License-Identifier: MIT
 *
 * Known answers of tests/vectors, one file per method, on the oracle, the reference path and every
 * device. The answers are those of the exact curve, so the tolerance of float32 implementations is
 * the cost of rounding the keys and the result.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/counts.h"
#include "support/implementation.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef POSEMILL_SOURCE_DIR
#define POSEMILL_SOURCE_DIR "."
#endif

#define SAMPLES_MAX 64
#define EXACT_TOLERANCE 1e-11
#define FLOAT_TOLERANCE 1e-6

typedef struct known_case {
    char name[80];
    pm_clip_desc desc;
    test_track track;
    double given[TRACK_KEYS_MAX][14]; /* rotation tangents in and out, position tangents in and
                                       * out */
    pm_timeline timeline;
    pm_windows windows;
    size_t sample_count;
    double times[SAMPLES_MAX];
    double rotations[SAMPLES_MAX][4];
    double positions[SAMPLES_MAX][3];
} known_case;

/* Reads exactly `count` numbers. */
static bool read_numbers(const char *text, size_t count, double *values) {
    for (size_t n = 0; n < count; n++) {
        char *end = NULL;
        values[n] = strtod(text, &end);
        if (end == text)
            return false;
        text = end;
    }
    return *text == '\n' || *text == '\0';
}

static bool read_key(const char *text, known_case *c) {
    double v[11];
    const size_t i = c->track.key_count;
    if (i == TRACK_KEYS_MAX || !read_numbers(text, 11, v))
        return false;
    c->track.times[i] = v[0];
    memcpy(c->track.keys[i], v + 1, 4 * sizeof *v);
    memcpy(c->track.positions[i], v + 5, 3 * sizeof *v);
    memcpy(c->track.tangents[i], v + 8, 3 * sizeof *v);
    c->track.key_count++;
    return true;
}

static bool read_sample(const char *text, known_case *c) {
    double v[8];
    const size_t k = c->sample_count;
    if (k == SAMPLES_MAX || !read_numbers(text, 8, v))
        return false;
    c->times[k] = v[0];
    memcpy(c->rotations[k], v + 1, 4 * sizeof *v);
    memcpy(c->positions[k], v + 5, 3 * sizeof *v);
    c->sample_count++;
    return true;
}

static int index_of(const char *word, const char *const *words, int count) {
    for (int n = 0; n < count; n++) {
        const size_t length = strlen(words[n]);
        if (strncmp(word, words[n], length) == 0 && word[length] == '\n')
            return n;
    }
    return -1;
}

static bool read_word(const char *name, const char *text, known_case *c) {
    static const char *const tangents[] = {"bessel", "mean", "hold", "tcb", "user"};
    static const char *const ends[] = {"chord", "natural", "parabola", "zero"};
    static const char *const frames[] = {"body", "parent"};
    int found = -1;
    if (strcmp(name, "tangents") == 0)
        c->desc.tangents = (pm_tangents)(found = index_of(text, tangents, PM_TANGENTS_COUNT));
    else if (strcmp(name, "ends") == 0)
        c->desc.ends = (pm_ends)(found = index_of(text, ends, PM_ENDS_COUNT));
    else if (strcmp(name, "frame") == 0)
        c->desc.axis_frame = (pm_axis_frame)(found = index_of(text, frames, PM_AXIS_COUNT));
    return found >= 0;
}

/* One line of a case; false when it is invalid. */
static bool read_line(const char *name, const char *text, known_case *c) {
    double v[4];
    if (strcmp(name, "key") == 0)
        return read_key(text, c);
    if (strcmp(name, "sample") == 0)
        return read_sample(text, c);
    if (strcmp(name, "given") == 0)
        return c->track.key_count > 0 && read_numbers(text, 14, c->given[c->track.key_count - 1]);
    if (strcmp(name, "loop") == 0)
        return read_numbers(text, 1, &c->desc.loop);
    if (strcmp(name, "axis") == 0)
        return read_numbers(text, 3, c->track.axis);
    if (strcmp(name, "unlimited") == 0) {
        c->desc.unlimited = true;
        return true;
    }
    if (strcmp(name, "tcb") == 0 && read_numbers(text, 3, v)) {
        c->desc.tension = v[0];
        c->desc.continuity = v[1];
        c->desc.bias = v[2];
        return true;
    }
    if (strcmp(name, "windows") == 0 && read_numbers(text, 4, v)) {
        c->windows = (pm_windows){v[0], v[1], v[2], v[3]};
        c->desc.windows = &c->windows;
        return true;
    }
    return read_word(name, text, c);
}

/* Sets the pointers of the description. */
static void complete(known_case *c, pm_method method) {
    c->timeline = (pm_timeline){.key_count = c->track.key_count, .times = c->track.times};
    c->desc.track_count = 1;
    c->desc.timelines = &c->timeline;
    c->desc.method = method;
    c->desc.rotations = (pm_array){c->track.keys, PM_FLOAT64, 0};
    c->desc.positions = (pm_array){c->track.positions, PM_FLOAT64, 0};
    if (c->desc.tangents == PM_TANGENTS_USER)
        c->desc.user_tangents = (pm_array){c->track.tangents, PM_FLOAT64, 0};
    if (method == PM_METHOD_CUBICSPLINE) {
        const size_t stride = sizeof c->given[0];
        c->desc.tangents_in = (pm_array){&c->given[0][0], PM_FLOAT64, stride};
        c->desc.tangents_out = (pm_array){&c->given[0][4], PM_FLOAT64, stride};
        c->desc.positions_in = (pm_array){&c->given[0][8], PM_FLOAT64, stride};
        c->desc.positions_out = (pm_array){&c->given[0][11], PM_FLOAT64, stride};
    }
    if (method == PM_METHOD_STERP)
        c->desc.axes = (pm_array){c->track.axis, PM_FLOAT64, 0};
}

static void check_case(const implementation *s, known_case *c, const char *method) {
    double rotations[4 * SAMPLES_MAX], positions[3 * SAMPLES_MAX];
    const double tolerance = s->exact ? EXACT_TOLERANCE : FLOAT_TOLERANCE;
    const pm_sample_job job = {.sample_count = c->sample_count, .times = c->times};
    for (size_t n = 0; n < 4 * SAMPLES_MAX; n++) {
        rotations[n] = (double)NAN;
        positions[n % (3 * SAMPLES_MAX)] = (double)NAN;
    }
    assert_true(s->sample(s, &c->desc, &job, rotations, positions, NULL));
    for (size_t k = 0; k < c->sample_count; k++) {
        const quat got = quat_of(rotations + 4 * k), expected = quat_of(c->rotations[k]);
        /* The sign counts: twice the chord is the angle of a small difference. */
        const double error = 2.0 * quat_norm(quat_subtract(got, expected));
        const vec3 off = vec3_subtract(vec3_of(positions + 3 * k), vec3_of(c->positions[k]));
        if (!(error <= tolerance) || !(vec3_norm(off) <= 8.0 * tolerance))
            fail_msg("%s on %s: %s: time %g: rotation off by %g, position by %g", method, s->name,
                     c->name, c->times[k], error, vec3_norm(off));
    }
}

static FILE *open_vectors(const char *method) {
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/tests/vectors/%s.txt", POSEMILL_SOURCE_DIR, method);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be opened", path);
    return file;
}

static void check_method(const implementation *s, pm_method method, const char *name) {
    static known_case c;
    char line[1024];
    size_t cases = 0;
    FILE *file = open_vectors(name);
    for (bool more = true; more;) {
        more = fgets(line, sizeof line, file) != NULL;
        const bool begins = more && strncmp(line, "case ", 5) == 0;
        if ((begins || !more) && cases > 0) {
            complete(&c, method);
            check_case(s, &c, name);
        }
        char *space = more ? strpbrk(line, " \n") : NULL;
        if (begins) {
            memset(&c, 0, sizeof c);
            (void)snprintf(c.name, sizeof c.name, "%.70s", line + 5);
            c.name[strcspn(c.name, "\n")] = '\0';
            cases++;
        } else if (space && line[0] != '#' && line[0] != '\n') {
            *space = '\0';
            if (cases == 0 || !read_line(line, space + 1, &c))
                fail_msg("%s.txt: a line with the name %s is invalid", name, line);
        }
    }
    (void)fclose(file);
    assert_true(cases >= 3);
}

static void check_implementations(pm_method method, const char *name) {
    const implementation *implementations = NULL;
    size_t count = 0;
    const implementation in_double = implementation_oracle();
    check_method(&in_double, method, name);
    assert_true(implementation_list(&implementations, &count));
    for (size_t n = 0; n < count; n++)
        check_method(&implementations[n], method, name);
}

static void the_method_gives_the_known_answers(void **state) {
    const pm_method method = *(const pm_method *)*state;
    check_implementations(method, pm_method_get_info(method)->name);
}

TEST_GROUP(NULL, implementation_release)

int main(int argc, char **argv) {
    static pm_method methods[PM_METHOD_COUNT];
    static char names[PM_METHOD_COUNT][80];
    for (int n = 0; n < PM_METHOD_COUNT; n++) {
        methods[n] = (pm_method)n;
        (void)snprintf(names[n], sizeof names[n], "%s_gives_the_known_answers",
                       pm_method_get_info(methods[n])->name);
        test_add(names[n], the_method_gives_the_known_answers, NULL, NULL, &methods[n]);
    }
    return test_main(argc, argv);
}
