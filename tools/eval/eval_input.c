/* SPDX-License-Identifier: MIT
 *
 * The input of posemill eval: arrays are combined into one clip description, their shapes are
 * checked against each other, and library errors are attributed to a file.
 */
#include "eval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Reads an array of this shape; see npy_expect. */
static cli_exit read_array(const char *path, const char *shape_name, size_t rank,
                           const size_t *shape, npy_array *array) {
    pm_error error = {0};
    pm_status status = npy_read(path, array, &error);
    if (status == PM_OK)
        status = npy_expect(array, path, shape_name, rank, shape, &error);
    return cli_done(status, &error);
}

static cli_exit read_keys(const command_options *options, eval_input *input) {
    static const size_t shape[] = {SIZE_MAX, SIZE_MAX, 4};
    CLI_TRY(read_array(options->keys, "(n, tracks, 4)", 3, shape, &input->keys));
    if (input->keys.count == 0)
        return cli_fail(CLI_BAD_INPUT, options->keys, NULL, "holds no %s; expected at least one",
                        input->keys.shape[0] == 0 ? "key" : "track");
    input->timeline.key_count = input->keys.shape[0];
    input->track_count = input->keys.shape[1];
    input->desc.rotations = (pm_array){input->keys.data, input->keys.type, 0};
    return CLI_DONE;
}

/* Reads a vector of float64 seconds with `count` elements, or any number with SIZE_MAX. */
static cli_exit read_times(const char *path, size_t count, npy_array *array) {
    const size_t shape[] = {count};
    char shape_name[64] = "(m,)";
    if (count != SIZE_MAX)
        snprintf(shape_name, sizeof shape_name, "(n,), here (%zu,)", count);
    CLI_TRY(read_array(path, shape_name, 1, shape, array));
    if (array->type == PM_FLOAT64)
        return CLI_DONE;
    return cli_fail(CLI_BAD_INPUT, path, "convert it with numpy: times.astype('<f8')",
                    "type is float32; expected float64, because float32 seconds lose precision");
}

/* Reads an array with the shape of the keys or the vectors into the description. */
static cli_exit read_matching(const char *path, const eval_input *input, size_t components,
                              npy_array *array, pm_array *described) {
    const size_t shape[] = {input->timeline.key_count, input->track_count, components};
    char shape_name[96];
    if (!path)
        return CLI_DONE;
    snprintf(shape_name, sizeof shape_name, "(n, tracks, %zu), here (%zu, %zu, %zu)", components,
             shape[0], shape[1], components);
    const cli_exit code = read_array(path, shape_name, 3, shape, array);
    *described = (pm_array){array->data, array->type, 0};
    return code;
}

static cli_exit read_tangents(const command_options *options, eval_input *input) {
    pm_clip_desc *desc = &input->desc;
    npy_array *to = input->tangents;
    CLI_TRY(read_matching(options->in_tangents, input, 4, &to[0], &desc->tangents_in));
    CLI_TRY(read_matching(options->out_tangents, input, 4, &to[1], &desc->tangents_out));
    CLI_TRY(read_matching(options->vectors_in_tangents, input, 3, &to[2], &desc->positions_in));
    return read_matching(options->vectors_out_tangents, input, 3, &to[3], &desc->positions_out);
}

static bool count_samples(const command_options *options, const eval_input *input,
                          uint64_t *count) {
    if (options->times) {
        *count = input->times.count;
        return true;
    }
    if (options->count_given) {
        *count = options->count;
        return true;
    }
    if (!options->key_times)
        return eval_count_uniform(input->timeline.key_count, options->key_rate, options->rate,
                                  count);
    const double *times = input->timeline.times;
    double seconds = times[input->timeline.key_count - 1] - times[0];
    return eval_count_listed(seconds, options->rate, count);
}

/* Without usable key times there is no sample count. The library rejects such times with the index
 * of the key. */
static bool times_usable(const eval_input *input) {
    const double *times = input->timeline.times;
    for (size_t i = 0; times && i < input->timeline.key_count; i++)
        if (!isfinite(times[i]) || (i > 0 && times[i] <= times[i - 1]))
            return false;
    return true;
}

static cli_exit find_sample_count(const command_options *options, eval_input *input) {
    uint64_t count = 0;
    if (!times_usable(input))
        return CLI_DONE;
    bool fits = count_samples(options, input, &count);
    size_t sample_bytes = 4 * sizeof(float) * input->track_count;
    if (!fits || count > SIZE_MAX / 2 / sample_bytes)
        return cli_fail(CLI_BAD_INPUT, "--rate", NULL, "requests more samples than fit in a file");
    bool requested = options->times != NULL || options->count_given;
    const uint64_t given = options->set->batch.task.max_samples;
    const uint64_t most = given > 0 ? given : OPTION_MAX_FRAMES;
    if (!requested && count > most)
        return cli_fail(CLI_BAD_INPUT, "--rate",
                        "use --count, or raise the limit with --max-frames",
                        "requests %llu samples; the limit is %llu", (unsigned long long)count,
                        (unsigned long long)most);
    input->sample_count = (size_t)count;
    return CLI_DONE;
}

/* NaN is not a time. In a loop infinity is not one either. */
static cli_exit check_times(const command_options *options, const eval_input *input) {
    const double *times = input->times.data;
    for (size_t i = 0; i < input->times.count; i++)
        if (isnan(times[i]) || (options->set->batch.task.curve.loop > 0.0 && isinf(times[i])))
            return cli_fail(CLI_BAD_INPUT, options->times, NULL, "time %zu is %s", i,
                            isnan(times[i]) ? "NaN; expected a number"
                                            : "infinite; a loop requires finite times");
    return CLI_DONE;
}

cli_exit eval_input_read(command_options *options, eval_input *input) {
    memset(input, 0, sizeof *input);
    cli_exit code = read_keys(options, input);
    if (code == CLI_DONE && options->key_times) {
        code = read_times(options->key_times, input->timeline.key_count, &input->key_times);
        input->timeline.times = input->key_times.data;
    } else {
        input->timeline.rate = options->key_rate;
    }
    if (code == CLI_DONE && options->times) {
        code = read_times(options->times, SIZE_MAX, &input->times);
        code = code == CLI_DONE ? check_times(options, input) : code;
    }
    if (code == CLI_DONE)
        code = read_matching(options->vectors, input, 3, &input->vectors, &input->desc.positions);
    if (code == CLI_DONE)
        code = read_tangents(options, input);
    if (code == CLI_DONE)
        code = find_sample_count(options, input);
    input->desc.track_count = input->track_count;
    input->desc.key_format = options->key_format;
    input->desc.timelines = &input->timeline;
    input->desc.timeline_count = 1;
    if (code == CLI_DONE) {
        pm_error error = {0};
        task_curve_warn(&options->set->batch.task.curve, false, &input->curve, cli_log, NULL);
        code = cli_done(task_curve_apply(&options->set->batch.task.curve, input->timeline.key_count,
                                         input->track_count, &input->curve, &input->desc, &error),
                        &error);
    }
    return code;
}

void eval_input_release(eval_input *input) {
    npy_release(&input->keys);
    npy_release(&input->key_times);
    npy_release(&input->times);
    npy_release(&input->vectors);
    task_curve_release(&input->curve);
    for (size_t i = 0; i < sizeof input->tangents / sizeof input->tangents[0]; i++)
        npy_release(&input->tangents[i]);
}

/* The file that the library rejected: the description is rebuilt one array at a time, and the first
 * array that makes the check fail is the cause. */
static const char *failing_key_file(const command_options *options, const eval_input *input) {
    pm_error ignored = {0};
    pm_clip_desc desc = {
        .track_count = input->track_count,
        .timelines = &input->timeline,
        .timeline_count = 1,
        .rotations = input->desc.rotations,
    };
    if (pm_clip_check(&desc, &ignored) != PM_OK)
        return options->keys;
    desc.positions = input->desc.positions;
    if (options->vectors && pm_clip_check(&desc, &ignored) != PM_OK)
        return options->vectors;
    if (options->set->batch.task.curve.tangents_file && input->desc.user_tangents.data)
        return options->set->batch.task.curve.tangents_file;
    if (input->desc.axes.data)
        return options->set->batch.task.curve.axis_file ? options->set->batch.task.curve.axis_file
                                                        : "--axis";
    return options->keys;
}

static const char *failing_time(const command_options *options, const eval_input *input) {
    if (times_usable(input) && options->set->batch.task.curve.loop > 0.0)
        return "--loop";
    return options->key_times ? options->key_times : "--key-rate";
}

cli_exit eval_input_fail(const command_options *options, const eval_input *input,
                         const pm_error *error) {
    const char *what = options->keys;
    if (error->status == PM_ERROR_KEY)
        what = failing_key_file(options, input);
    else if (error->status == PM_ERROR_TIME)
        what = failing_time(options, input);
    else if (error->status != PM_ERROR_ARGUMENT && error->status != PM_ERROR_SIZE &&
             error->status != PM_ERROR_MEMORY)
        what = "device";
    return cli_fail_error(what, error);
}
