/* SPDX-License-Identifier: MIT
 *
 * Creates clips from keys and samples them in pieces of bounded memory. Library errors about a
 * track or a key are reported with the joint and the frame of the file.
 */
#include "resample_clips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 32 << 20 };

typedef struct clip_source {
    const char *path;
    const bvh *model;
    size_t first_frame;
    pm_timeline timeline;
} clip_source;

/* The joint of a track. */
static size_t joint_of(const pose_plan *plan, const pose_vector *vectors, size_t track) {
    return vectors != NULL ? vectors[track].joint : plan->rotations[track].joint;
}

static cli_exit clip_error(const clip_source *source, const pose_plan *plan,
                           const pose_vector *vectors, const pm_error *error) {
    char joint[BVH_JOINT_TEXT], reason[CLI_ERROR_TEXT];
    size_t tracks = vectors == NULL            ? plan->rotation_count
                    : vectors == plan->vectors ? plan->vector_count
                                               : plan->plain_count;

    if (error->track == PM_NO_INDEX || error->track >= tracks) {
        return cli_fail_error(source->path, error);
    }
    bvh_describe_joint(source->model, joint_of(plan, vectors, error->track), joint);
    if (error->key == PM_NO_INDEX) {
        return cli_fail(CLI_BAD_INPUT, source->path, NULL, "%s: %s", joint,
                        cli_error_text(error, reason));
    }
    return cli_fail(CLI_BAD_INPUT, source->path, NULL, "%s, frame %zu: %s", joint,
                    error->key + source->first_frame, cli_error_text(error, reason));
}

static double *allocate_keys(const clip_source *source, size_t tracks, size_t numbers) {
    size_t keys = source->timeline.key_count;

    if (tracks > SIZE_MAX / sizeof(double) / numbers / keys) {
        return NULL;
    }
    return malloc(keys * tracks * numbers * sizeof(double));
}

static cli_exit no_memory(const char *path) {
    return cli_fail(CLI_BAD_INPUT, path, CLI_MEMORY_HINT, "too large for this machine's memory");
}

/* Without --axis sterp twists about the bones. */
static cli_exit default_axes(const pose_plan *plan, const resample_options *options,
                             pm_clip_desc *desc, double **axes) {
    if (options->curve.method != PM_METHOD_STERP || options->curve.axis_given) {
        return CLI_DONE;
    }
    *axes = calloc(plan->rotation_count, 3 * sizeof **axes);
    if (*axes == NULL) {
        return CLI_BAD_INPUT;
    }
    pose_bone_axes(plan, *axes);
    desc->axes.data = *axes;
    desc->axes.type = PM_FLOAT64;
    desc->axes.stride = 0;
    desc->axis_count = plan->rotation_count;
    desc->axis_frame = PM_AXIS_BODY;
    return CLI_DONE;
}

static cli_exit make_rotations(resample_clips *clips, const clip_source *source,
                               resample_options *options, pm_engine *engine, pose_plan *plan) {
    pm_clip_desc desc;
    pm_error error;
    double *axes = NULL, *keys = allocate_keys(source, plan->rotation_count, 4);
    cli_exit code = CLI_DONE;

    memset(&desc, 0, sizeof desc);
    memset(&error, 0, sizeof error);
    if (keys == NULL) {
        return no_memory(source->path);
    }
    pose_rotation_keys(plan, source->first_frame, keys);
    desc.track_count = plan->rotation_count;
    desc.timelines = &source->timeline;
    desc.rotations.data = keys;
    desc.rotations.type = PM_FLOAT64;
    code = curve_options_apply(&options->curve, source->timeline.key_count, plan->rotation_count,
                               &desc);
    if (code == CLI_DONE && default_axes(plan, options, &desc, &axes) != CLI_DONE) {
        code = no_memory(source->path);
    }
    if (code == CLI_DONE && pm_clip_create(engine, &desc, &clips->rotations, &error) != PM_OK) {
        code = clip_error(source, plan, NULL, &error);
    }
    free(axes);
    free(keys);
    return code;
}

static cli_exit make_vectors(pm_clip **clip, const clip_source *source,
                             const resample_options *options, pm_engine *engine,
                             const pose_plan *plan, pose_vector *vectors, size_t count,
                             pm_vector_method method) {
    pm_clip_desc desc;
    pm_error error;
    double *keys = allocate_keys(source, count, 3);
    cli_exit code = CLI_DONE;

    memset(&desc, 0, sizeof desc);
    memset(&error, 0, sizeof error);
    if (keys == NULL) {
        return no_memory(source->path);
    }
    pose_vector_keys(plan, vectors, count, source->first_frame, keys);
    desc.track_count = count;
    desc.timelines = &source->timeline;
    desc.positions.data = keys;
    desc.positions.type = PM_FLOAT64;
    desc.vector_method = method;
    desc.ends = options->curve.ends;
    desc.loop_period = options->curve.loop_period;
    if (pm_clip_create(engine, &desc, clip, &error) != PM_OK) {
        code = clip_error(source, plan, vectors, &error);
    }
    free(keys);
    return code;
}

static cli_exit allocate_samples(resample_clips *clips, const char *path, uint64_t sample_count,
                                 bool check) {
    size_t numbers = 4 * clips->rotation_count + 3 * (clips->vector_count + clips->plain_count);
    size_t reference = 4 * clips->rotation_count > 3 * clips->vector_count
                           ? 4 * clips->rotation_count
                           : 3 * clips->vector_count;

    clips->piece = PIECE_BYTES / sizeof(float) / (numbers + 1) + 1;
    if (sample_count < clips->piece) {
        clips->piece = (size_t)sample_count;
    }
    /* At most PIECE_BYTES and one sample, whose numbers already fitted in memory as keys. */
    clips->rotation_samples =
        malloc((4 * clips->rotation_count * clips->piece + 1) * sizeof(float));
    clips->vector_samples = malloc((3 * clips->vector_count * clips->piece + 1) * sizeof(float));
    clips->plain_samples = malloc((3 * clips->plain_count * clips->piece + 1) * sizeof(float));
    if (check) {
        clips->reference_samples = malloc((reference * clips->piece + 1) * sizeof(float));
    }
    return clips->rotation_samples == NULL || clips->vector_samples == NULL ||
                   clips->plain_samples == NULL || (check && clips->reference_samples == NULL)
               ? no_memory(path)
               : CLI_DONE;
}

cli_exit resample_clips_make(resample_clips *clips, const char *path, resample_options *options,
                             pm_engine *engine, pose_plan *plan, pm_rational source_rate,
                             uint64_t sample_count) {
    clip_source source = {path, plan->model, options->trim_start, {0, {0, 0}, NULL}};
    cli_exit code = CLI_DONE;

    memset(clips, 0, sizeof *clips);
    source.timeline.key_count = plan->model->frame_count - options->trim_start;
    source.timeline.rate = source_rate;
    clips->rotation_count = plan->rotation_count;
    clips->vector_count = plan->vector_count;
    clips->plain_count = plan->plain_count;
    if (plan->rotation_count > 0) {
        code = make_rotations(clips, &source, options, engine, plan);
    }
    if (code == CLI_DONE && plan->vector_count > 0) {
        const pm_method_info *info = pm_method_describe(options->curve.method);
        code = make_vectors(&clips->vectors, &source, options, engine, plan, plan->vectors,
                            plan->vector_count, info->vector_method);
    }
    if (code == CLI_DONE && plan->plain_count > 0) {
        code = make_vectors(&clips->plains, &source, options, engine, plan, plan->plains,
                            plan->plain_count, PM_VECTOR_LINEAR);
    }
    return code == CLI_DONE ? allocate_samples(clips, path, sample_count, options->check) : code;
}

void resample_clips_release(resample_clips *clips) {
    pm_clip_destroy(&clips->rotations);
    pm_clip_destroy(&clips->vectors);
    pm_clip_destroy(&clips->plains);
    free(clips->rotation_samples);
    free(clips->vector_samples);
    free(clips->plain_samples);
    free(clips->reference_samples);
    memset(clips, 0, sizeof *clips);
}

/* ---- sampling ------------------------------------------------------------------------ */

static double rotation_error(const float *a, const float *b) {
    double sum = 0, difference = 0, dot = 0;
    int n;

    for (n = 0; n < 4; n++) {
        dot += (double)a[n] * (double)b[n];
    }
    for (n = 0; n < 4; n++) {
        double other = dot < 0 ? -(double)b[n] : (double)b[n];
        difference += ((double)a[n] - other) * ((double)a[n] - other);
        sum += ((double)a[n] + other) * ((double)a[n] + other);
    }
    return 4.0 * atan2(sqrt(difference), sqrt(sum));
}

/* Runs the same job on the reference path and compares the results. */
static bool check_rotations(resample_clips *clips, pm_sample_job job, resample_report *report,
                            pm_error *error) {
    size_t numbers = 4 * clips->rotation_count * job.sample_count, i;

    job.rotations = clips->reference_samples;
    job.on_reference = true;
    if (pm_sample(clips->rotations, &job, error) != PM_OK) {
        return false;
    }
    report->identical &=
        memcmp(clips->reference_samples, clips->rotation_samples, numbers * sizeof(float)) == 0;
    for (i = 0; i < numbers; i += 4) {
        report->max_error = fmax(report->max_error, rotation_error(clips->reference_samples + i,
                                                                   clips->rotation_samples + i));
    }
    return true;
}

static bool check_vectors(resample_clips *clips, pm_sample_job job, resample_report *report,
                          pm_error *error) {
    size_t numbers = 3 * clips->vector_count * job.sample_count;

    job.positions = clips->reference_samples;
    job.on_reference = true;
    if (pm_sample(clips->vectors, &job, error) != PM_OK) {
        return false;
    }
    report->identical &=
        memcmp(clips->reference_samples, clips->vector_samples, numbers * sizeof(float)) == 0;
    return true;
}

cli_exit resample_clips_sample(resample_clips *clips, const char *path, pm_rational rate,
                               pm_rational start, uint64_t first, size_t count,
                               resample_report *report) {
    pm_sample_job job, rotations, vectors, plains;
    pm_error error;
    bool good = true;

    memset(&job, 0, sizeof job);
    memset(&error, 0, sizeof error);
    job.sample_count = count;
    job.rate = rate;
    job.start = start;
    job.first = first;
    rotations = vectors = plains = job;
    rotations.rotations = clips->rotation_samples;
    vectors.positions = clips->vector_samples;
    plains.positions = clips->plain_samples;
    if (clips->rotations != NULL) {
        good = pm_sample(clips->rotations, &rotations, &error) == PM_OK;
    }
    if (good && clips->vectors != NULL) {
        good = pm_sample(clips->vectors, &vectors, &error) == PM_OK;
    }
    if (good && clips->plains != NULL) {
        good = pm_sample(clips->plains, &plains, &error) == PM_OK;
    }
    if (good && clips->reference_samples != NULL && clips->rotations != NULL) {
        good = check_rotations(clips, rotations, report, &error);
    }
    if (good && clips->reference_samples != NULL && clips->vectors != NULL) {
        good = check_vectors(clips, vectors, report, &error);
    }
    return good ? CLI_DONE : cli_fail_error(path, &error);
}
