/* SPDX-License-Identifier: MIT
 *
 * The bits of outputs as digests, which are stored in vectors/digests.txt: every method, key
 * format, output of samples and output of crowds. A change that must not affect results leaves the
 * digests unchanged; another change shows which results it affects. Inputs are computed from
 * integers and square roots, so that they are the same on every machine. `test_digest --write`
 * prints the file again, from the reference path.
 */
#include "support/engines.h"

#include <math.h>
#include <posemill/posemill_crowd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/pm_crowd_outputs.h"

enum { TRACKS = 19, KEYS = 14, SAMPLES = 61, PAIRS = 300, INSTANCES = 37, CLIPS = 3, MASKS = 2 };

/* ---- digests ------------------------------------------------------------------------------ */

/* FNV-1a with 64 bits */
static uint64_t digest_of(const void *data, size_t size) {
    const unsigned char *bytes = data;
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

typedef struct line {
    char name[64];
    uint64_t digest;
} line;

typedef struct digests {
    line *lines;
    size_t count;
} digests;

static void digests_add(digests *d, const char *name, const void *data, size_t size) {
    d->lines = realloc(d->lines, (d->count + 1) * sizeof *d->lines);
    assert_non_null(d->lines);
    line *added = &d->lines[d->count++];
    snprintf(added->name, sizeof added->name, "%s", name);
    added->digest = digest_of(data, size);
}

/* ---- inputs ------------------------------------------------------------------------------- */

static uint64_t bits_from(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static double between(uint64_t *state, double low, double high) {
    return low + (high - low) * ((double)(bits_from(state) >> 11) * 0x1p-53);
}

/* A step of up to about a radian from the previous key. */
static void walk_on(uint64_t *state, const float *before, float *to) {
    double q[4], norm2 = 0;
    for (size_t i = 0; i < 4; i++) {
        q[i] = (before ? (double)before[i] : 0) + between(state, -0.5, 0.5);
        norm2 += q[i] * q[i];
    }
    for (size_t i = 0; i < 4; i++)
        to[i] = (float)(q[i] / sqrt(norm2));
}

typedef struct input {
    float rotations[KEYS * TRACKS][4];
    float positions[KEYS * TRACKS][3];
    float scales[KEYS * TRACKS][3];
    float tangents[KEYS * TRACKS][4];
    float axes[TRACKS][3];
    double times[2][KEYS];
    double sample_times[PAIRS];
    uint32_t tracks[PAIRS];
    uint32_t timeline_of[TRACKS];
    pm_timeline timelines[2];
    pm_timeline uniform;
    int32_t parents[TRACKS];
    float masks[MASKS * TRACKS];
    uint8_t half[TRACKS];
    pm_crowd_instance before[INSTANCES], after[INSTANCES];
} input;

static void fill_keys(input *in, uint64_t *state) {
    for (size_t i = 0; i < (size_t)KEYS * TRACKS; i++) {
        walk_on(state, i < TRACKS ? NULL : in->rotations[i - TRACKS], in->rotations[i]);
        if (i >= TRACKS && i % 17 == 0)
            memcpy(in->rotations[i], in->rotations[i - TRACKS], sizeof in->rotations[i]);
        for (size_t c = 0; c < 3; c++) {
            in->positions[i][c] = (float)between(state, -10, 10);
            in->scales[i][c] = (float)between(state, 0.5, 2);
        }
        for (size_t c = 0; c < 4; c++)
            in->tangents[i][c] = (float)between(state, -0.3, 0.3);
    }
    for (size_t t = 0; t < TRACKS; t++)
        for (size_t c = 0; c < 3; c++)
            in->axes[t][c] = (float)between(state, 0.1, 1);
}

static void fill_times(input *in, uint64_t *state) {
    for (size_t k = 0; k < KEYS; k++) {
        in->times[0][k] = (double)k + between(state, 0, 0.9);
        in->times[1][k] = 0.5 + 0.75 * (double)k + between(state, 0, 0.5);
    }
    for (size_t k = 0; k < PAIRS; k++) {
        in->sample_times[k] = between(state, -20, 40);
        in->tracks[k] = (uint32_t)(bits_from(state) % TRACKS);
    }
    for (size_t t = 0; t < TRACKS; t++)
        in->timeline_of[t] = t % 3 == 0;
    for (size_t i = 0; i < 2; i++)
        in->timelines[i] = (pm_timeline){.key_count = KEYS, .times = in->times[i]};
    in->uniform = (pm_timeline){.key_count = KEYS, .rate = {3, 2}};
}

static pm_crowd_instance instance_from(uint64_t *state) {
    return (pm_crowd_instance){.time_a = pm_crowd_ticks(between(state, -50, 50)),
                               .time_b = pm_crowd_ticks(between(state, -50, 50)),
                               .clip_a = (uint32_t)(bits_from(state) % (CLIPS + 1)),
                               .clip_b = (uint32_t)(bits_from(state) % (CLIPS + 1)),
                               .weight = (float)between(state, -0.3, 1.3),
                               .mask = (uint16_t)(bits_from(state) % (MASKS + 2)),
                               .level = (uint8_t)(bits_from(state) % 3),
                               .flags = (uint8_t)(bits_from(state) % 16)};
}

static void fill_crowd(input *in, uint64_t *state) {
    for (size_t t = 0; t < TRACKS; t++) {
        in->parents[t] = t ? (int32_t)(bits_from(state) % t) : -1;
        in->half[t] = t % 2 == 0;
    }
    for (size_t i = 0; i < (size_t)MASKS * TRACKS; i++)
        in->masks[i] = (float)between(state, 0, 1);
    for (size_t i = 0; i < INSTANCES; i++) {
        in->before[i] = instance_from(state);
        in->after[i] = in->before[i];
        in->after[i].time_a += pm_crowd_ticks(between(state, -30, 30));
        in->after[i].time_b += pm_crowd_ticks(between(state, -30, 30));
    }
}

static input *input_make(void) {
    uint64_t state = 14;
    input *in = test_array(1, sizeof *in);
    fill_keys(in, &state);
    fill_times(in, &state);
    fill_crowd(in, &state);
    return in;
}

typedef enum key_times { UNIFORM, LISTED_LOOP, SEVERAL, KEY_TIMES } key_times;

static const char *const key_times_names[KEY_TIMES] = {"uniform", "loop", "several"};

static pm_clip_desc desc_of(const input *in, pm_method method, key_times times) {
    pm_clip_desc desc = {.track_count = TRACKS,
                         .timelines = times == UNIFORM ? &in->uniform : in->timelines,
                         .timeline_count = times == SEVERAL ? 2 : 1,
                         .timeline_of = times == SEVERAL ? in->timeline_of : NULL,
                         .rotations = {.data = in->rotations},
                         .positions = {.data = in->positions},
                         .scales = {.data = in->scales},
                         .rotations_in = {.data = in->tangents},
                         .rotations_out = {.data = in->tangents},
                         .positions_in = {.data = in->positions},
                         .positions_out = {.data = in->scales},
                         .scales_in = {.data = in->scales},
                         .scales_out = {.data = in->positions},
                         .axes = {.data = in->axes},
                         .axis_count = TRACKS,
                         .method = method};
    if (times == LISTED_LOOP)
        desc.loop_period = KEYS + 0.25;
    return desc;
}

static bool is_possible(pm_method method, key_times times) {
    return times == UNIFORM || !pm_method_describe(method)->needs_uniform_keys;
}

/* ---- samples ------------------------------------------------------------------------------ */

typedef enum how { GRID, TIMES, EACH, HOWS } how;

static const char *const how_names[HOWS] = {"grid", "times", "pairs"};

/* All outputs of a job, one after another. */
static void add_samples(digests *d, pm_engine *engine, const input *in, const pm_clip_desc *desc,
                        const char *name) {
    static float values[5][PAIRS * TRACKS * 4];
    pm_error error = poisoned_error();
    pm_clip *clip = NULL;
    expect_ok(pm_clip_create(engine, desc, &clip, &error), &error);
    for (how h = 0; h < HOWS; h++) {
        char text[64];
        memset(values, 0x5A, sizeof values);
        pm_sample_job job = {.sample_count = h == EACH ? PAIRS : SAMPLES,
                             .rate = h == GRID ? (pm_rational){7, 1} : (pm_rational){0, 0},
                             .start = h == GRID ? (pm_rational){-1, 3} : (pm_rational){0, 0},
                             .times = h == GRID ? NULL : in->sample_times,
                             .tracks = h == EACH ? in->tracks : NULL,
                             .velocity_frame = h == TIMES ? PM_AXIS_PARENT : PM_AXIS_BODY,
                             .rotations = values[0],
                             .positions = values[1],
                             .scales = values[2],
                             .velocities = values[3],
                             .accelerations = values[4]};
        expect_ok(pm_sample(clip, &job, &error), &error);
        snprintf(text, sizeof text, "%s/%s", name, how_names[h]);
        digests_add(d, text, values, sizeof values);
    }
    pm_clip_destroy(&clip);
}

static void add_methods(digests *d, pm_engine *engine, const input *in) {
    for (pm_method m = 0; m < PM_METHOD_COUNT; m++)
        for (key_times t = 0; t < KEY_TIMES; t++) {
            char name[64];
            if (!is_possible(m, t) || !can_compile_motion(engine, m))
                continue;
            const pm_clip_desc desc = desc_of(in, m, t);
            snprintf(name, sizeof name, "%s/%s", pm_method_describe(m)->name, key_times_names[t]);
            add_samples(d, engine, in, &desc, name);
        }
}

static void add_formats(digests *d, pm_engine *engine, const input *in) {
    for (pm_method m = 0; m < PM_METHOD_COUNT; m++)
        for (pm_key_format f = PM_KEYS_FLOAT32 + 1; f < PM_KEYS_COUNT; f++) {
            char name[64];
            pm_clip_desc desc = desc_of(in, m, m == PM_METHOD_STEP ? SEVERAL : LISTED_LOOP);
            desc.key_format = f;
            if (pm_method_describe(m)->floats_per_segment != 4 || !can_compile_motion(engine, m))
                continue;
            snprintf(name, sizeof name, "%s/format-%d", pm_method_describe(m)->name, (int)f);
            add_samples(d, engine, in, &desc, name);
        }
}

/* ---- crowds ------------------------------------------------------------------------------- */

static pm_skeleton *skeleton_make(const input *in) {
    const pm_level levels[] = {{0}, {.joints = in->half}, {.update_every = 2}};
    const pm_skeleton_desc desc = {.joint_count = TRACKS,
                                   .parents = in->parents,
                                   .positions = {.data = in->positions},
                                   .scales = {.data = in->scales},
                                   .levels = levels,
                                   .level_count = 3,
                                   .masks = in->masks,
                                   .mask_count = MASKS};
    pm_skeleton *skeleton = NULL;
    pm_error error = poisoned_error();
    pm_skeleton_desc rigid = desc;
    rigid.scales.data = NULL; /* dual quaternions require rigid bind matrices */
    expect_ok(pm_skeleton_create(&rigid, &skeleton, &error), &error);
    return skeleton;
}

static void add_root_motion(digests *d, const pm_crowd *crowd, const input *in, const char *name) {
    pm_root_motion motions[INSTANCES];
    char text[64];
    pm_error error = poisoned_error();
    expect_ok(pm_crowd_root_motion(crowd, in->before, in->after, INSTANCES, motions, &error),
              &error);
    snprintf(text, sizeof text, "%s/root-motion", name);
    digests_add(d, text, motions, sizeof motions);
}

#define OUTPUT_NAME(name, number, form, numbers, bits, bound) [PM_CROWD_##name] = #name,
static const char *const output_names[PM_CROWD_OUTPUT_COUNT] = {PM_CROWD_OUTPUTS(OUTPUT_NAME)};

static void add_crowd(digests *d, pm_engine *engine, const input *in, pm_method method,
                      pm_key_format format, key_times times) {
    static unsigned char records[INSTANCES * TRACKS * 48];
    pm_skeleton *skeleton = skeleton_make(in);
    pm_crowd *crowd = NULL;
    pm_error error = poisoned_error();
    pm_clip_desc clips[CLIPS];
    char name[48];
    for (size_t i = 0; i < CLIPS; i++) {
        clips[i] = desc_of(in, method, i == 0 ? UNIFORM : times);
        clips[i].key_format = format;
    }
    const pm_crowd_desc desc = {.skeleton = skeleton, .clips = clips, .clip_count = CLIPS};
    snprintf(name, sizeof name, "crowd/%s/%s/format-%d", pm_method_describe(method)->name,
             key_times_names[times], (int)format);
    expect_ok(pm_crowd_create(engine, &desc, &crowd, &error), &error);
    for (pm_crowd_output o = 0; o < PM_CROWD_OUTPUT_COUNT; o++) {
        pm_crowd_job job = {.instances = in->before, .instance_count = INSTANCES, .frame = 3};
        char text[64];
        assert_true(INSTANCES * TRACKS * pm_crowd_record_bytes(o) <= sizeof records);
        memset(records, 0x5A, sizeof records);
        job.outputs[o].memory = records;
        expect_ok(pm_crowd_pose(crowd, &job, &error), &error);
        snprintf(text, sizeof text, "%s/%s", name, output_names[o]);
        digests_add(d, text, records, sizeof records);
    }
    add_root_motion(d, crowd, in, name);
    pm_crowd_destroy(&crowd);
    pm_skeleton_destroy(&skeleton);
}

static void add_crowds(digests *d, pm_engine *engine, const input *in) {
    for (pm_method m = 0; m < PM_METHOD_COUNT; m++)
        if (is_possible(m, SEVERAL))
            add_crowd(d, engine, in, m, PM_KEYS_FLOAT32, m % 2 ? SEVERAL : LISTED_LOOP);
        else
            add_crowd(d, engine, in, m, PM_KEYS_FLOAT32, UNIFORM);
    for (pm_key_format f = PM_KEYS_FLOAT32 + 1; f < PM_KEYS_COUNT; f++)
        add_crowd(d, engine, in, PM_METHOD_SLERP, f, f % 2 ? SEVERAL : LISTED_LOOP);
}

/* ---- the tests ---------------------------------------------------------------------------- */

static FILE *open_committed(void) {
    FILE *file = fopen(POSEMILL_SOURCE_DIR "/tests/vectors/digests.txt", "r");
    assert_non_null(file);
    return file;
}

/* Names that are missing because a device's compiler is too slow for them are no failure. */
static void expect_committed(const digests *d) {
    FILE *file = open_committed();
    char name[64];
    unsigned long long digest;
    size_t found = 0, wrong = 0;
    while (fscanf(file, "%63s %llx", name, &digest) == 2)
        for (size_t i = 0; i < d->count; i++) {
            if (strcmp(d->lines[i].name, name) != 0)
                continue;
            found++;
            if (d->lines[i].digest != digest) {
                wrong++;
                print_message("%s has different bits\n", name);
            }
        }
    fclose(file);
    print_message("%zu digests, %zu of them different from the stored ones\n", d->count, wrong);
    assert_true(d->count > 0);
    assert_int_equal(found, d->count);
    assert_int_equal(wrong, 0);
}

static void expect_digests(void **state, void (*add)(digests *, pm_engine *, const input *)) {
    pm_engine *engine = engine_for(state);
    input *in = input_make();
    digests d = {0};
    add(&d, engine, in);
    expect_committed(&d);
    free(d.lines);
    free(in);
}

static void samples_of_every_method_have_the_stored_digests(void **state) {
    expect_digests(state, add_methods);
}

static void samples_of_every_key_format_have_the_stored_digests(void **state) {
    expect_digests(state, add_formats);
}

static void crowds_of_every_method_and_output_have_the_stored_digests(void **state) {
    expect_digests(state, add_crowds);
}

static int write_all(void) {
    pm_engine *engine = NULL;
    pm_error error;
    digests d = {0};
    input *in = input_make();
    if (pm_engine_create(&(pm_engine_desc){.device = "none"}, &engine, &error) != PM_OK)
        return 1;
    add_methods(&d, engine, in);
    add_formats(&d, engine, in);
    add_crowds(&d, engine, in);
    for (size_t i = 0; i < d.count; i++)
        printf("%s %016llx\n", d.lines[i].name, (unsigned long long)d.lines[i].digest);
    free(d.lines);
    free(in);
    pm_engine_destroy(&engine);
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--write") == 0)
        return write_all();
    const struct CMUnitTest tests[] = {
        ON_BOTH(samples_of_every_method_have_the_stored_digests),
        ON_BOTH(samples_of_every_key_format_have_the_stored_digests),
        /* On devices test_crowd_bits compares crowds, with fewer programs to build. */
        {"crowds_of_every_method_and_output_have_the_stored_digests on the reference",
         crowds_of_every_method_and_output_have_the_stored_digests, NULL, NULL, &on_reference},
    };
    return cmocka_run_group_tests(tests, NULL, engines_close);
}
