/* SPDX-License-Identifier: MIT
 *
 * Computes digests of results and compares them with a file.
 */
#include "digests.h"

#include <stdlib.h>
#include <string.h>

#include "host/base/counts.h"
#include "kernels/pm_crowd_outputs.h"
#include "scoped.h"

enum { TRACKS = DIGEST_TRACKS, INSTANCES = DIGEST_INSTANCES, PAIRS = DIGEST_PAIRS, SAMPLES = 61 };

static void must(bool good, const char *message) {
    if (good)
        return;
    fprintf(stderr, "digests: %s\n", message);
    exit(1);
}

/* ---- digests -------------------------------------------------------------------------------- */

/* FNV-1a with 64 bits, of these bytes after those that the hash is of. */
static uint64_t digest_of(uint64_t hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

static const uint64_t digest_of_none = 14695981039346656037u;

static void add(digests *d, const char *name, uint64_t digest) {
    d->lines = realloc(d->lines, (d->count + 1) * sizeof *d->lines);
    must(d->lines != NULL, "no memory");
    digest_line *added = &d->lines[d->count++];
    snprintf(added->name, sizeof added->name, "%s", name);
    added->digest = digest;
}

void digests_free(digests *d) {
    free(d->lines);
    *d = (digests){0};
}

/* Of tiny numbers, a device may make a subnormal number 0 of either sign, in a result or in a term
 * of a sum. So results below 2^-100 become +0. In integers, because this must work in any mode of
 * the processor. */
static void drop_tiny(const digest_input *in, void *floats, size_t size) {
    unsigned char *bytes = floats;
    for (size_t i = 0; in->tiny && i < size; i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, bytes + i, sizeof word);
        if ((word & 0x7fffffffu) < 0x0d800000u)
            memset(bytes + i, 0, sizeof word);
    }
}

/* The same for float16, whose subnormal numbers are ordinary ones in float32. */
static void drop_signs_of_zeros(const digest_input *in, void *halves, size_t size) {
    unsigned char *bytes = halves;
    for (size_t i = 0; in->tiny && i < size; i += sizeof(uint16_t)) {
        uint16_t half;
        memcpy(&half, bytes + i, sizeof half);
        if (half == 0x8000u)
            memset(bytes + i, 0, sizeof half);
    }
}

/* ---- samples -------------------------------------------------------------------------------- */

static const char *const key_times_names[KEY_TIMES] = {"uniform", "loop", "several"};

static bool is_possible(pm_method method, key_times times) {
    return times == UNIFORM || !pm_method_get_info(method)->needs_uniform_keys;
}

typedef enum how { GRID, TIMES, EACH, HOWS } how;

static void place_samples(how h, const digest_input *in, pm_sample_job *job) {
    if (h == GRID)
        job->rate = (pm_rational){7, 1};
    else
        job->times = in->sample_times;
}

/* All outputs of a job on a grid, one at times and one of pairs, one after another. */
static void add_samples(digests *d, pm_engine *engine, const digest_input *in,
                        const pm_clip_desc *desc, const char *name) {
    static _Thread_local float values[5][PAIRS * TRACKS * 4];
    char text[64];
    uint64_t digest = digest_of_none;
    pm_error error;
    SCOPED(pm_clip_destroy) pm_clip *clip = NULL;
    must(pm_clip_create(engine, desc, &clip, &error) == PM_OK, error.message);
    for (how h = 0; h < HOWS; h++) {
        memset(values, 0x5A, sizeof values);
        pm_sample_job job = {.sample_count = h == EACH ? PAIRS : SAMPLES,
                             .tracks = h == EACH ? in->tracks : NULL,
                             .velocity_frame = h == TIMES ? PM_AXIS_PARENT : PM_AXIS_BODY,
                             .rotations = values[0],
                             .positions = values[1],
                             .scales = values[2],
                             .velocities = values[3],
                             .accelerations = values[4]};
        place_samples(h, in, &job);
        if (h == GRID)
            job.start_after_first_key = (pm_rational){-1, 3};
        must(pm_sample(clip, &job, &error) == PM_OK, error.message);
        drop_tiny(in, values, sizeof values);
        digest = digest_of(digest, values, sizeof values);
    }
    snprintf(text, sizeof text, "%s%s", in->tiny ? "tiny/" : "", name);
    add(d, text, digest);
}

static void add_method(digests *d, pm_engine *engine, const digest_input *in, pm_method method,
                       key_times times) {
    char name[48];
    const pm_clip_desc desc = digest_clip_desc(in, method, times);
    snprintf(name, sizeof name, "%s/%s", pm_method_get_info(method)->name, key_times_names[times]);
    add_samples(d, engine, in, &desc, name);
}

void digests_of_method(digests *d, pm_engine *engine, const digest_input *in, pm_method method) {
    for (key_times t = 0; t < KEY_TIMES; t++)
        if (is_possible(method, t))
            add_method(d, engine, in, method, t);
}

void digests_of_method_once(digests *d, pm_engine *engine, const digest_input *in,
                            pm_method method) {
    const key_times times = (key_times)((unsigned)method % KEY_TIMES);
    add_method(d, engine, in, method, is_possible(method, times) ? times : UNIFORM);
}

void digests_of_key_formats(digests *d, pm_engine *engine, const digest_input *in,
                            pm_method method) {
    for (pm_key_format f = PM_KEYS_FLOAT32 + 1; f < PM_KEYS_COUNT; f++) {
        char name[48];
        pm_clip_desc desc =
            digest_clip_desc(in, method, method == PM_METHOD_STEP ? SEVERAL : LISTED_LOOP);
        desc.key_format = f;
        if (pm_method_get_info(method)->floats_per_segment != 4)
            continue;
        snprintf(name, sizeof name, "%s/format-%d", pm_method_get_info(method)->name, (int)f);
        add_samples(d, engine, in, &desc, name);
    }
}

void digests_of_lowpass(digests *d, pm_engine *engine, const digest_input *in) {
    static _Thread_local float values[3][SAMPLES * TRACKS * 4];
    const pm_clip_desc desc = digest_clip_desc(in, PM_METHOD_SLERP, UNIFORM);
    const double rate = (double)in->uniform.rate.num / (double)in->uniform.rate.den;
    uint64_t digest = digest_of_none;
    pm_error error;
    SCOPED(pm_filter_destroy) pm_filter *filter = NULL;
    must(pm_filter_create(engine, &desc, 0.3 * rate, &filter, &error) == PM_OK, error.message);
    for (how h = 0; h < EACH; h++) {
        memset(values, 0x5A, sizeof values);
        pm_sample_job job = {.sample_count = SAMPLES,
                             .rotations = values[0],
                             .positions = values[1],
                             .scales = values[2]};
        place_samples(h, in, &job);
        must(pm_filter_sample(filter, &job, &error) == PM_OK, error.message);
        drop_tiny(in, values, sizeof values);
        digest = digest_of(digest, values, sizeof values);
    }
    add(d, in->tiny ? "tiny/lowpass" : "lowpass", digest);
}

/* ---- crowds --------------------------------------------------------------------------------- */

static pm_skeleton *skeleton_make(const digest_input *in) {
    const pm_level levels[] = {{0}, {.joints = in->half}, {.update_every = 2}};
    const pm_skeleton_desc desc = {.joint_count = TRACKS,
                                   .parents = in->parents,
                                   .positions = {.data = in->positions},
                                   .levels = levels,
                                   .level_count = 3,
                                   .masks = in->masks,
                                   .mask_count = DIGEST_MASKS};
    /* no scales: dual quaternions require rigid bind matrices */
    pm_skeleton *skeleton = NULL;
    pm_error error;
    must(pm_skeleton_create(&desc, &skeleton, &error) == PM_OK, error.message);
    return skeleton;
}

#define OUTPUT_NAME(name, number, form, numbers, bits, bound) [PM_CROWD_##name] = #name,
static const char *const output_names[PM_CROWD_OUTPUT_COUNT] = {PM_CROWD_OUTPUTS(OUTPUT_NAME)};

static void add_job(digests *d, pm_crowd *crowd, const digest_input *in, pm_crowd_job job,
                    pm_crowd_output output, const char *name, const char *what) {
    static _Thread_local float records[INSTANCES * TRACKS * 12];
    pm_error error;
    char text[64];
    must(pm_crowd_record_bytes(output) * INSTANCES * TRACKS <= sizeof records,
         "a record is larger than 48 bytes");
    memset(records, 0x5A, sizeof records);
    job.instances = job.instances ? job.instances : in->before;
    job.instance_count = INSTANCES;
    job.outputs = &(pm_crowd_target){.output = output, .memory = records};
    job.output_count = 1;
    must(pm_crowd_pose(crowd, &job, &error) == PM_OK, error.message);
    if (output == PM_CROWD_PALETTE_HALF)
        drop_signs_of_zeros(in, records, sizeof records);
    else
        drop_tiny(in, records, sizeof records);
    snprintf(text, sizeof text, "%s/%s", name, what);
    add(d, text, digest_of(digest_of_none, records, sizeof records));
}

/* Layers of each op, some without effect; instance i has those from i on. */
static void add_layers(digests *d, pm_crowd *crowd, const digest_input *in, const char *name) {
    pm_crowd_layer layers[INSTANCES];
    pm_crowd_range ranges[INSTANCES];
    for (size_t i = 0; i < INSTANCES; i++) {
        const pm_crowd_instance *from = &in->before[i];
        layers[i] = (pm_crowd_layer){.time = from->time_b,
                                     .clip = from->clip_a,
                                     .weight = i % 4 ? from->weight : 0.75f,
                                     .mask = from->mask,
                                     .op = (uint8_t)(i / 2 % 3),
                                     .flags = (uint8_t)(i % 2)};
        ranges[i] = (pm_crowd_range){(uint32_t)i, (uint32_t)(i % 12)};
    }
    const pm_crowd_job job = {.layers = layers, .layer_count = INSTANCES, .ranges = ranges};
    add_job(d, crowd, in, job, PM_CROWD_MODEL, name, "layers");
}

/* States of bodies, which show clip A alone, with places and speeds. */
static void add_bodies(digests *d, pm_crowd *crowd, const digest_input *in, const char *name) {
    pm_crowd_instance instances[INSTANCES];
    pm_placement placements[INSTANCES];
    float speeds[INSTANCES];
    for (size_t i = 0; i < INSTANCES; i++) {
        instances[i] = in->before[i];
        instances[i].weight = 0;
        placements[i] =
            (pm_placement){{0, i % 2 ? 0.6f : 0, 0, i % 2 ? 0.8f : 1}, {(float)i, 0.25f, -3, 0}};
        speeds[i] = 0.5f + (float)(i % 4);
    }
    const pm_crowd_job job = {.instances = instances, .placements = placements, .speeds = speeds};
    for (pm_crowd_output o = PM_CROWD_POSE_COUNT; o < PM_CROWD_OUTPUT_COUNT; o++)
        add_job(d, crowd, in, job, o, name, output_names[o]);
}

static void add_root_motion(digests *d, const pm_crowd *crowd, const digest_input *in,
                            const char *name) {
    pm_root_motion motions[INSTANCES];
    char text[64];
    pm_error error;
    must(pm_crowd_root_motion(crowd, in->before, in->after, INSTANCES, motions, &error) == PM_OK,
         error.message);
    drop_tiny(in, motions, sizeof motions);
    snprintf(text, sizeof text, "%s/root-motion", name);
    add(d, text, digest_of(digest_of_none, motions, sizeof motions));
}

static void add_crowd(digests *d, pm_engine *engine, const digest_input *in, pm_method method,
                      pm_key_format format, key_times times) {
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = skeleton_make(in);
    SCOPED(pm_crowd_destroy) pm_crowd *crowd = NULL;
    pm_error error;
    pm_clip_desc clips[DIGEST_CLIPS];
    char name[48];
    for (size_t i = 0; i < DIGEST_CLIPS; i++) {
        clips[i] = digest_clip_desc(in, method, i == 0 ? UNIFORM : times);
        clips[i].key_format = format;
    }
    const pm_crowd_desc desc = {.skeleton = skeleton, .clips = clips, .clip_count = DIGEST_CLIPS};
    snprintf(name, sizeof name, "%scrowd/%s/%s/format-%d", in->tiny ? "tiny/" : "",
             pm_method_get_info(method)->name, key_times_names[times], (int)format);
    must(pm_crowd_create(engine, &desc, &crowd, &error) == PM_OK, error.message);
    for (pm_crowd_output o = 0; o < PM_CROWD_POSE_COUNT; o++)
        add_job(d, crowd, in, (pm_crowd_job){.frame = 3}, o, name, output_names[o]);
    add_bodies(d, crowd, in, name);
    add_root_motion(d, crowd, in, name);
    if (method == PM_METHOD_SLERP && format == PM_KEYS_FLOAT32)
        add_layers(d, crowd, in, name);
}

void digests_of_crowds(digests *d, pm_engine *engine, const digest_input *in) {
    /* crowds have no clips as long as the slow ones of tiny numbers */
    const key_times several = in->tiny ? LISTED_LOOP : SEVERAL;
    for (pm_method m = 0; m < PM_METHOD_COUNT; m++)
        if (is_possible(m, several))
            add_crowd(d, engine, in, m, PM_KEYS_FLOAT32, m % 2 ? several : LISTED_LOOP);
        else
            add_crowd(d, engine, in, m, PM_KEYS_FLOAT32, UNIFORM);
    for (pm_key_format f = PM_KEYS_FLOAT32 + 1; f < PM_KEYS_COUNT; f++)
        add_crowd(d, engine, in, PM_METHOD_SLERP, f, f % 2 ? several : LISTED_LOOP);
}

/* ---- the file ------------------------------------------------------------------------------- */

static void add_all(digests *d, pm_engine *engine, const digest_input *in) {
    for (pm_method m = 0; m < PM_METHOD_COUNT; m++)
        digests_of_method(d, engine, in, m);
    for (pm_method m = 0; m < PM_METHOD_COUNT; m++)
        digests_of_key_formats(d, engine, in, m);
    digests_of_lowpass(d, engine, in);
    digests_of_crowds(d, engine, in);
}

void digests_of_all(digests *d, pm_engine *engine) {
    SCOPED(free_at) digest_input *ordinary = digest_input_make(), *tiny = digest_input_make_tiny();
    add_all(d, engine, ordinary);
    add_all(d, engine, tiny);
}

static bool has(FILE *file, const digest_line *line) {
    char name[64];
    unsigned long long digest;
    rewind(file);
    while (fscanf(file, "%63s %llx", name, &digest) == 2)
        if (strcmp(line->name, name) == 0)
            return line->digest == digest;
    return false;
}

size_t digests_wrong(const digests *d, const char *path) {
    FILE *file = fopen(path, "r");
    size_t wrong = 0;
    must(file != NULL, path);
    for (size_t i = 0; i < d->count; i++)
        if (!has(file, &d->lines[i])) {
            wrong++;
            fprintf(stderr, "digests: %s has different bits\n", d->lines[i].name);
        }
    fclose(file);
    return wrong;
}

void digests_print(const digests *d, FILE *to) {
    for (size_t i = 0; i < d->count; i++)
        fprintf(to, "%s %016llx\n", d->lines[i].name, (unsigned long long)d->lines[i].digest);
}
