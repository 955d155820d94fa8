/* SPDX-License-Identifier: MIT
 *
 * Runs jobs of clips on two paths, compares their bits, and measures each path against double precision:
 * random keys in each kind of job, the adversarial tracks, and the options that a method uses.
 */
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/counts.h"
#include "oracle/oracle.h"
#include "oracle/random_tracks.h"

/* One clip under test. */
typedef struct verify_case {
    const char *name;
    bool random; /* included in the rms */
    pm_clip_desc desc;
} verify_case;

/* The output of one path. */
typedef struct path_output {
    float *rotations;
    float *positions; /* NULL if the clip has none */
} path_output;

static size_t row_count(const verify_case *tested, const pm_sample_job *job) {
    return job->tracks ? job->sample_count : job->sample_count * tested->desc.track_count;
}

/* Fills the output with NaN, so that a sample that was not written is detected. */
static bool output_allocate(path_output *output, size_t rows, bool positions) {
    output->rotations = malloc(rows * 4 * sizeof(float));
    output->positions = positions ? malloc(rows * 3 * sizeof(float)) : NULL;
    if (!output->rotations || (positions && !output->positions))
        return false;
    memset(output->rotations, 0xff, rows * 4 * sizeof(float));
    if (positions)
        memset(output->positions, 0xff, rows * 3 * sizeof(float));
    return true;
}

static void output_free(path_output *output) {
    MOTION_FREE(output->rotations, output->positions);
}

static pm_status sample_path(const pm_clip *clip, const pm_sample_job *job, bool on_reference,
                             const path_output *output, pm_error *error) {
    pm_sample_job full = *job;
    full.rotations = output->rotations;
    full.positions = output->positions;
    full.on_reference = on_reference;
    return pm_sample(clip, &full, error);
}

static bool same_bits(const path_output *a, const path_output *b, size_t row) {
    return memcmp(a->rotations + 4 * row, b->rotations + 4 * row, 4 * sizeof(float)) == 0 &&
           (a->positions == NULL ||
            memcmp(a->positions + 3 * row, b->positions + 3 * row, 3 * sizeof(float)) == 0);
}

static bool all_finite(const float *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

/* Adds one sample. True if its error is the largest so far. */
static bool add_sample(verify_errors *errors, const path_output *output, size_t row, quat exact,
                       double magnification, bool random) {
    const float *got = output->rotations + 4 * row;
    if (!all_finite(got, 4) || (output->positions && !all_finite(output->positions + 3 * row, 3))) {
        errors->not_finite++;
        return false;
    }
    const quat rotation = {(double)got[0], (double)got[1], (double)got[2], (double)got[3]};
    double norm = quat_norm(rotation);
    double raw = oracle_error(quat_scale(rotation, 1.0 / norm), exact);
    double error = raw / magnification;
    errors->raw_max = fmax(errors->raw_max, raw);
    errors->norm = fmax(errors->norm, fabs(norm - 1.0));
    if (random)
        errors->squares += error * error;
    if (!(error > errors->max))
        return false;
    errors->max = error;
    return true;
}

static void compare(const verify_case *tested, const pm_sample_job *job, const path_output *device,
                    const path_output *reference, verify_result *result) {
    oracle *exact = oracle_create(&tested->desc);
    size_t tracks = job->tracks ? 1 : tested->desc.track_count;
    for (size_t k = 0; k < job->sample_count; k++) {
        for (size_t t = 0; t < tracks; t++) {
            size_t row = k * tracks + t;
            size_t track = job->tracks ? job->tracks[k] : t;
            oracle_cursor location = oracle_at_sample(exact, track, job, k);
            quat wanted = oracle_rotation(exact, track, location);
            double times = oracle_magnification(exact, track, location) *
                           oracle_condition(exact, track, location);
            /* max measures the rotation only; the norm error is measured separately. */
            wanted = quat_normalise(wanted);
            if (add_sample(&result->device, device, row, wanted, times, tested->random)) {
                memset(result->worst, 0, sizeof result->worst);
                strncpy(result->worst, tested->name, sizeof result->worst - 1);
            }
            (void)add_sample(&result->reference, reference, row, wanted, times, tested->random);
            result->differing += !same_bits(device, reference, row);
        }
    }
    oracle_destroy(exact);
    size_t rows = row_count(tested, job);
    result->samples += rows;
    result->random_samples += tested->random ? rows : 0;
}

/* Samples a clip of the case with a job without outputs on both paths, and adds the errors to the
 * result. On failure prints and returns the code. */
static cli_exit verify_case_run(pm_engine *engine, const verify_case *tested,
                                const pm_sample_job *job, verify_result *result) {
    SCOPED(pm_clip_destroy) pm_clip *clip = NULL;
    SCOPED(output_free) path_output device = {NULL, NULL}, reference = {NULL, NULL};
    pm_error error = {0};
    size_t rows = row_count(tested, job);
    bool positions = tested->desc.positions.data != NULL;
    if (!output_allocate(&device, rows, positions) || !output_allocate(&reference, rows, positions))
        return cli_fail(CLI_DEVICE_FAILED, "verify", NULL, "out of memory");
    if (pm_clip_create(engine, &tested->desc, &clip, &error) != PM_OK ||
        sample_path(clip, job, false, &device, &error) != PM_OK ||
        sample_path(clip, job, true, &reference, &error) != PM_OK) {
        const cli_exit code = cli_fail_error(tested->name, &error);
        /* No user input is involved, so the error is attributed to the device. */
        return code == CLI_NO_DEVICE ? code : CLI_DEVICE_FAILED;
    }
    compare(tested, job, &device, &reference, result);
    result->clips++;
    return CLI_DONE;
}

double verify_rms(const verify_result *result, const verify_errors *errors) {
    return result->random_samples > 0 ? sqrt(errors->squares / (double)result->random_samples)
                                      : 0.0;
}

static bool within_bounds(const verify_result *result, const verify_errors *errors) {
    const pm_method_info *info = pm_method_get_info(result->method);
    return errors->not_finite == 0 && errors->max <= info->max_error &&
           errors->norm <= VERIFY_NORM_BOUND && verify_rms(result, errors) <= info->rms_error;
}

bool verify_passed(const verify_result *result) {
    return result->samples > 0 && within_bounds(result, &result->device) &&
           within_bounds(result, &result->reference);
}

enum { SQUAD_VARIANTS = 6, SQUAD_UNLIMITED = 5, HERMITE_VARIANTS = 5, STERP_VARIANTS = 3 };

static size_t variant_count(pm_method method) {
    switch (method) {
    case PM_METHOD_SQUAD:
        return SQUAD_VARIANTS;
    case PM_METHOD_HERMITE:
        return HERMITE_VARIANTS;
    case PM_METHOD_SPLINE:
    case PM_METHOD_CUBIC:
        return PM_ENDS_COUNT;
    case PM_METHOD_STERP:
        return STERP_VARIANTS;
    default:
        return 1;
    }
}

/* Without its limiter squad has no error bound for steep keys: its inner points can be opposite,
 * where no precision suffices. */
static bool is_unlimited(pm_method method, size_t variant) {
    return method == PM_METHOD_SQUAD && variant == SQUAD_UNLIMITED;
}

/* The largest rotation between random keys, in half turns. Near a half turn the tangents and inner points
 * of cubic, which are made in float32, magnify rounding. */
static double largest_part(pm_method method, size_t variant) {
    if (method == PM_METHOD_CUBIC)
        return 0.5;
    return is_unlimited(method, variant) ? 1.0 / 3.0 : 1.0;
}

/* Variants of squad. hermite has all but the last, which is squad without its limiter. */
static void apply_tangents_variant(size_t variant, const track_set *set, pm_clip_desc *desc) {
    static const pm_tangents tangents[SQUAD_VARIANTS] = {PM_TANGENTS_BESSEL, PM_TANGENTS_MEAN,
                                                         PM_TANGENTS_HOLD,   PM_TANGENTS_TCB,
                                                         PM_TANGENTS_USER,   PM_TANGENTS_BESSEL};
    static const pm_ends ends[SQUAD_VARIANTS] = {PM_ENDS_CHORD, PM_ENDS_NATURAL, PM_ENDS_PARABOLA,
                                                 PM_ENDS_ZERO,  PM_ENDS_CHORD,   PM_ENDS_CHORD};
    desc->tangents = tangents[variant];
    desc->ends = ends[variant];
    desc->unlimited = is_unlimited(desc->method, variant);
    if (desc->tangents == PM_TANGENTS_TCB) {
        desc->tension = 0.3;
        desc->continuity = -0.4;
        desc->bias = 0.2;
    } else if (desc->tangents == PM_TANGENTS_USER) {
        desc->user_tangents = (pm_array){set->tangents, PM_FLOAT64, 0};
    }
}

static void apply_sterp_variant(size_t variant, pm_clip_desc *desc) {
    static const pm_windows swing_first = {0.0, 0.5, 0.5, 1.0};
    desc->axis_frame = variant == 1 ? PM_AXIS_PARENT : PM_AXIS_BODY;
    desc->windows = variant == 2 ? &swing_first : NULL;
    desc->window_count = variant == 2 ? 1 : 0;
}

/* Requirements of bspline on the keys are met by prepare_keys(), those of cubicspline here. */
static void apply_variant(pm_method method, size_t variant, track_set *set, pm_clip_desc *desc) {
    desc->method = method;
    if (method == PM_METHOD_SQUAD || method == PM_METHOD_HERMITE)
        apply_tangents_variant(variant, set, desc);
    else if (method == PM_METHOD_SPLINE || method == PM_METHOD_CUBIC)
        desc->ends = (pm_ends)variant;
    else if (method == PM_METHOD_STERP)
        apply_sterp_variant(variant, desc);
    else if (method == PM_METHOD_CUBICSPLINE)
        set_give_tangents(set, desc);
}

static void prepare_keys(pm_method method, track_set *set) {
    if (method == PM_METHOD_BSPLINE)
        set_make_uniform(set);
}

/* The kinds of job, each with the kind of clip that is hardest for it. */
typedef enum random_kind {
    UNIFORM_SAMPLES, /* one common timeline of uneven key times */
    UNIFORM_KEYS,    /* uniform keys and samples; positions are integers */
    TIMES,           /* random times, also before and after the keys */
    PAIRS,           /* (track, time) pairs; every track has its own timeline */
    CLOSED,          /* a loop over many periods */
    RANDOM_KINDS
} random_kind;

static const char *const random_names[RANDOM_KINDS] = {
    "random keys, uniform samples", "random keys, uniform both", "random keys, any time",
    "random keys, own timelines", "random keys, loop"};

/* 37 tracks leave a remainder in every lane width. */
enum { RANDOM_TRACKS = 37, RANDOM_KEYS = 12 };

/* Times and tracks of a job, freed by random_case. */
typedef struct sample_points {
    double *times;
    uint32_t *tracks;
} sample_points;

static bool sample_points_make(random_source *source, const pm_clip_desc *desc, size_t count,
                               bool with_tracks, sample_points *points) {
    const pm_timeline *timeline = &desc->timelines[0];
    points->times = malloc(count * sizeof *points->times);
    points->tracks = with_tracks ? malloc(count * sizeof *points->tracks) : NULL;
    if (!points->times || (with_tracks && !points->tracks))
        return false;
    for (size_t k = 0; k < count; k++) {
        size_t track = (size_t)random_bits(source) % desc->track_count;
        const pm_timeline *own =
            with_tracks ? &desc->timelines[desc->timeline_of[track]] : timeline;
        double last = own->times[own->key_count - 1];
        points->times[k] = desc->loop > 0.0 ? random_between(source, -10.0 * last, 10.0 * last)
                                            : random_between(source, -0.05 * last, 1.05 * last);
        if (with_tracks)
            points->tracks[k] = (uint32_t)track;
    }
    return true;
}

/* A rate that spreads `count` samples over the keys and never coincides with the key rate. */
static pm_rational spreading_rate(const pm_timeline *timeline, size_t count) {
    double seconds = timeline->times ? timeline->times[timeline->key_count - 1]
                                     : (double)(timeline->key_count - 1);
    pm_rational rate = {(int64_t)(1001.0 * (double)count / seconds) + 1, 1001};
    return rate;
}

static cli_exit random_case(pm_engine *engine, pm_method method, random_kind kind, size_t variant,
                            random_source *source, size_t rows, verify_result *result) {
    const double half_turn = 3.14159265358979323846;
    const double largest = half_turn * largest_part(method, variant);
    SCOPED(set_destroy) track_set set;
    sample_points points = {NULL, NULL};
    set_random(source, RANDOM_TRACKS, RANDOM_KEYS, 0.0, largest, true, kind != PAIRS, &set);
    if (kind == CLOSED)
        set.tracks[0].period = set.tracks[0].times[RANDOM_KEYS - 1] + 0.7;
    prepare_keys(method, &set);
    verify_case tested = {random_names[kind], true, set_describe(&set)};
    apply_variant(method, variant, &set, &tested.desc);
    pm_timeline uniform = {.key_count = RANDOM_KEYS, .rate = {1, 1}};
    if (kind == UNIFORM_KEYS)
        tested.desc.timelines = &uniform;
    size_t count = kind == PAIRS ? rows : rows / RANDOM_TRACKS + 1;
    pm_sample_job job = {.sample_count = count};
    cli_exit code = CLI_DONE;
    if (kind == UNIFORM_SAMPLES || kind == UNIFORM_KEYS)
        job.rate = spreading_rate(&tested.desc.timelines[0], count);
    else if (!sample_points_make(source, &tested.desc, count, kind == PAIRS, &points))
        code = cli_fail(CLI_DEVICE_FAILED, "verify", NULL, "out of memory");
    job.times = points.times;
    job.tracks = points.tracks;
    if (code == CLI_DONE)
        code = verify_case_run(engine, &tested, &job, result);
    MOTION_FREE(points.times, points.tracks);
    return code;
}

enum { ADVERSARIAL_SAMPLES = 400 };

/* In a loop that ends with a closing key, positions must be closed too. */
static void close_positions(test_track *track) {
    size_t last = track->key_count - 1;
    if (track->period > 0.0 && track->times[last] - track->times[0] >= track->period)
        memcpy(track->positions[last], track->positions[0], sizeof track->positions[0]);
}

static cli_exit adversarial_case(pm_engine *engine, pm_method method, size_t index, size_t variant,
                                 verify_result *result) {
    SCOPED(set_destroy) track_set set;
    set_create(1, true, &set);
    adversarial_track(index, &set.tracks[0]);
    close_positions(&set.tracks[0]);
    prepare_keys(method, &set);
    const test_track *track = &set.tracks[0];
    verify_case tested = {track->name, false, set_describe(&set)};
    apply_variant(method, variant, &set, &tested.desc);
    if (oracle_beyond_reason(&tested.desc))
        return CLI_DONE;
    double last = track->times[track->key_count - 1];
    double end = track->period > 0.0 ? 2.5 * track->period : last;
    double times[ADVERSARIAL_SAMPLES];
    for (size_t k = 0; k < ADVERSARIAL_SAMPLES; k++)
        times[k] = end * ((double)k / (double)(ADVERSARIAL_SAMPLES - 1));
    /* Some of the samples lie exactly at the key times. */
    for (size_t i = 0; i < track->key_count; i++)
        times[3 * i] = track->times[i];
    pm_sample_job job = {.sample_count = ADVERSARIAL_SAMPLES, .times = times};
    return verify_case_run(engine, &tested, &job, result);
}

cli_exit verify_method(pm_engine *engine, pm_method method, uint64_t seed, size_t samples,
                       verify_result *result) {
    size_t variants = variant_count(method);
    size_t rows = samples / (variants * RANDOM_KINDS) + 1;
    random_source source = {seed + (uint64_t)method};
    cli_exit code = CLI_DONE;
    memset(result, 0, sizeof *result);
    result->method = method;
    for (size_t variant = 0; variant < variants && code == CLI_DONE; variant++) {
        for (int kind = 0; kind < RANDOM_KINDS && code == CLI_DONE; kind++)
            code = random_case(engine, method, (random_kind)kind, variant, &source, rows, result);
        size_t adversaries = is_unlimited(method, variant) ? 0 : adversarial_count();
        for (size_t i = 0; i < adversaries && code == CLI_DONE; i++)
            code = adversarial_case(engine, method, i, variant, result);
    }
    return code;
}
