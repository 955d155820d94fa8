/* SPDX-License-Identifier: MIT
 *
 * Checks of a clip description, in the order of its fields; check_keys.c checks keys and
 * tangents. A description that passes can fail later only for lack of memory, or where a method
 * finds no curve.
 */
#include "base/base.h"
#include "description.h"

static pm_status check_timelines(const pm_clip_desc *desc, pm_error *error) {
    size_t count = pm_timeline_count(desc);
    if (!desc->timelines)
        return pm_fail(error, PM_ERROR_ARGUMENT, "timelines is NULL");
    if (count > UINT32_MAX)
        return pm_fail(error, PM_ERROR_SIZE, "the number of timelines, %zu, is above 2^32 - 1",
                       count);
    for (size_t i = 0; i < count; i++) {
        pm_status status = pm_timeline_check(&desc->timelines[i], i, error);
        if (status != PM_OK)
            return status;
    }
    for (size_t t = 0; desc->timeline_of && t < desc->track_count; t++)
        if (desc->timeline_of[t] >= count)
            return pm_fail_at(error, PM_ERROR_ARGUMENT, t, PM_NO_INDEX,
                              "timeline_of is %u, but there are %zu timelines",
                              desc->timeline_of[t], count);
    return PM_OK;
}

/* Whether all steps are equal, including the closing step of a loop. Listed times have a tolerance
 * of 1e-9, for the rounding of decimals and of sums. */
static bool is_uniform(const pm_timeline *timeline, double period, bool closes) {
    size_t n = timeline->key_count;
    if (n < 2)
        return true;
    double first = pm_timeline_time(timeline, 0);
    double step = (pm_timeline_time(timeline, n - 1) - first) / (double)(n - 1);
    for (size_t i = 1; timeline->times && i < n; i++)
        if (fabs(timeline->times[i] - (first + (double)i * step)) > 1e-9 * step * (double)n)
            return false;
    return period == 0 || closes || fabs(period - (double)n * step) <= 1e-9 * period;
}

static bool wants_uniform(const pm_clip_desc *desc) {
    for (unsigned c = 0; c < PM_CHANNEL_COUNT; c++)
        if (pm_channel_array(desc, c, PM_ARRAY_KEYS)->data && pm_channel_impl(desc, c).uniform)
            return true;
    return false;
}

static pm_status check_loop(const pm_clip_desc *desc, pm_error *error) {
    for (size_t i = 0; i < pm_timeline_count(desc); i++) {
        bool closes;
        pm_status status = pm_timeline_check_loop(&desc->timelines[i], desc->loop, &closes, error);
        if (status != PM_OK)
            return status;
        if (wants_uniform(desc) && !is_uniform(&desc->timelines[i], desc->loop, closes))
            return pm_fail(error, PM_ERROR_TIME,
                           "timeline %zu: key times are not uniform, which a B-spline requires", i);
    }
    return PM_OK;
}

static pm_status total_keys(const pm_clip_desc *desc, size_t *total, pm_error *error) {
    *total = 0;
    for (size_t t = 0; t < desc->track_count; t++)
        if (__builtin_add_overflow(*total, pm_timeline_of_track(desc, t)->key_count, total))
            return pm_fail(error, PM_ERROR_SIZE,
                           "the number of keys of all tracks does not fit size_t");
    return PM_OK;
}

/* Checks the layout of an array of keys: type, stride, and that its bytes can be addressed. */
static pm_status check_array(const pm_clip_desc *desc, const pm_array *array, unsigned components,
                             size_t keys, const char *name, pm_error *error) {
    const size_t tracks = pm_array_tracks(desc, array);
    size_t row, bytes;
    if ((unsigned)array->type > PM_FLOAT64)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, name, "has a type that is not a pm_number");
    if (!pm_multiply(tracks, components * pm_number_size(array->type), &row))
        return pm_fail_field(error, PM_ERROR_SIZE, name, "has rows whose bytes do not fit size_t");
    if (pm_timeline_count(desc) > 1 && array->stride)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, name,
                             "has a stride, expected 0 for several timelines");
    if (array->stride && array->stride < row)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, name,
                             "has a stride of %zu, smaller than a row of %zu bytes", array->stride,
                             row);
    size_t rows = desc->timelines[0].key_count;
    if (!pm_multiply(keys, components * pm_number_size(array->type), &bytes) ||
        !pm_multiply(rows, array->stride, &bytes))
        return pm_fail_field(error, PM_ERROR_SIZE, name, "has keys whose bytes do not fit size_t");
    return PM_OK;
}

static pm_status check_coded(const pm_clip_desc *desc, pm_error *error) {
    const size_t stride = desc->rotations.stride;
    const size_t row = pm_keys_row_bytes(desc->key_format, desc->track_count);
    size_t bytes = desc->timelines[0].key_count;
    if (desc->key_format == PM_KEYS_FLOAT32 || pm_timeline_count(desc) > 1)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "codes of rotations require a key format of 48 bits and one timeline");
    if (stride && stride < row)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "rotations",
                             "has a stride of %zu, smaller than a row of %zu bytes", stride, row);
    return pm_multiply(bytes, stride ? stride : row, &bytes)
               ? PM_OK
               : pm_fail_field(error, PM_ERROR_SIZE, "rotations",
                               "has keys whose bytes do not fit size_t");
}

/* Checks the keys of a channel, and the tangents where its method takes them in and out. */
static pm_status check_channel(const pm_clip_desc *desc, unsigned c, size_t keys, pm_error *error) {
    static const char *const names[PM_KEYED_COUNT][PM_ARRAY_COUNT] = {
        [PM_ROTATIONS] = {"rotations", "tangents-in", "tangents-out"},
        [PM_POSITIONS] = {"positions", "positions-in", "positions-out"},
        [PM_SCALES] = {"scales", "scales-in", "scales-out"},
        [PM_SCALARS] = {"scalars", "scalars-in", "scalars-out"}};
    const unsigned count = pm_channel_impl(desc, c).both_tangents ? PM_ARRAY_COUNT : 1;
    pm_status status = PM_OK;
    if (c == PM_ROTATIONS && pm_is_coded(desc))
        return check_coded(desc, error);
    for (unsigned i = 0; status == PM_OK && i < count; i++) {
        const pm_array *array = pm_channel_array(desc, c, i);
        const char *name = names[c][i];
        if (!array->data)
            return pm_fail_field(error, PM_ERROR_ARGUMENT, name,
                                 "is missing, but cubicspline requires it");
        status = check_array(desc, array, pm_channel_components(c), keys, name, error);
    }
    return status;
}

static pm_status check_arrays(const pm_clip_desc *desc, size_t root, pm_error *error) {
    size_t keys;
    bool any = false;
    pm_status status = total_keys(desc, &keys, error);
    for (unsigned c = 0; status == PM_OK && c < PM_KEYED_COUNT; c++) {
        if (!pm_channel_array(desc, c, PM_ARRAY_KEYS)->data)
            continue;
        any = true;
        status = check_channel(desc, c, pm_keys_in_array(desc, c, root, keys), error);
    }
    if (status == PM_OK && !any)
        return pm_fail(error, PM_ERROR_ARGUMENT, "rotations, positions and scales are all NULL");
    if (status == PM_OK && pm_takes_user_tangents(desc)) {
        if (!desc->user_tangents.data)
            return pm_fail_field(error, PM_ERROR_ARGUMENT, "tangents",
                                 "those of the user are missing");
        status = check_array(desc, &desc->user_tangents, 3, keys, "tangents", error);
    }
    return status;
}

static pm_status check_windows(const pm_clip_desc *desc, pm_error *error) {
    size_t count = desc->window_count ? desc->window_count : 1;
    if (!desc->windows)
        return PM_OK;
    if (count != 1 && count != desc->track_count)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "the number of windows, %zu, is neither 1 nor that of tracks", count);
    for (size_t i = 0; i < count; i++) {
        pm_windows w = desc->windows[i];
        bool all_zero =
            w.swing_begin == 0 && w.swing_end == 0 && w.twist_begin == 0 && w.twist_end == 0;
        bool good = w.swing_begin >= 0 && w.swing_end > w.swing_begin && w.swing_end <= 1 &&
                    w.twist_begin >= 0 && w.twist_end > w.twist_begin && w.twist_end <= 1;
        /* keeps the float 1/(end - begin) at most 1e6 */
        good = good && w.swing_end - w.swing_begin >= 1e-6 && w.twist_end - w.twist_begin >= 1e-6;
        if (!all_zero && !good)
            return pm_fail_at(error, PM_ERROR_ARGUMENT, count > 1 ? i : PM_NO_INDEX, PM_NO_INDEX,
                              "windows must be within [0, 1] and end at least 1e-6 after their "
                              "begin");
    }
    return PM_OK;
}

static pm_status check_axes(const pm_clip_desc *desc, pm_error *error) {
    const pm_array *axes = &desc->axes;
    size_t count = desc->axis_count ? desc->axis_count : 1;
    if (!axes->data)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "axis", "is missing, but sterp requires it");
    if (count != 1 && count != desc->track_count)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "the number of axes, %zu, is neither 1 nor that of tracks", count);
    if ((unsigned)axes->type > PM_FLOAT64)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "axis",
                             "has a type that is not a pm_number");
    size_t row = 3 * pm_number_size(axes->type);
    if (axes->stride && axes->stride < row)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "axis", "has a stride smaller than a row");
    pm_array_view rows = {axes->data, axes->type, axes->stride ? axes->stride : row};
    for (size_t i = 0; i < count; i++) {
        double largest = 0;
        for (size_t k = 0; k < 3; k++) {
            double value = pm_number_at(&rows, i, k);
            if (!isfinite(value))
                return pm_fail_at(error, PM_ERROR_KEY, count > 1 ? i : PM_NO_INDEX, PM_NO_INDEX,
                                  "twist axis is not finite");
            largest = fmax(largest, fabs(value));
        }
        if (largest == 0)
            return pm_fail_at(error, PM_ERROR_KEY, count > 1 ? i : PM_NO_INDEX, PM_NO_INDEX,
                              "twist axis is zero");
    }
    return PM_OK;
}

/* Segment coefficients are computed from float32 keys. */
static pm_status check_key_format(const pm_clip_desc *desc, pm_error *error) {
    pm_method_impl impl = pm_rotation_impl(desc);
    bool keys_alone =
        pm_curves[impl.curve].coefficients == 0 && pm_curves[impl.curve].constants == 0;
    if ((unsigned)desc->key_format >= PM_KEYS_COUNT)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "key-format", "is not a pm_key_format");
    if (desc->key_format != PM_KEYS_FLOAT32 && !keys_alone)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "key-format",
                             "is not float32, but %s stores more than keys",
                             pm_method_get_info(desc->method)->name);
    return PM_OK;
}

static pm_status check_options(const pm_clip_desc *desc, pm_error *error) {
    if ((unsigned)desc->method >= PM_METHOD_COUNT)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "method", "is not a pm_method");
    if ((unsigned)desc->vector_method >= PM_VECTOR_COUNT)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "vector-method",
                             "is not a pm_vector_method");
    if ((unsigned)desc->tangents >= PM_TANGENTS_COUNT)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "tangents", "is not a pm_tangents");
    if ((unsigned)desc->ends >= PM_ENDS_COUNT)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "ends", "is not a pm_ends");
    if ((unsigned)desc->axis_frame >= PM_AXIS_COUNT)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, "axis-frame", "is not a pm_axis_frame");
    if (desc->tangents == PM_TANGENTS_TCB &&
        !(fabs(desc->tension) <= 1 && fabs(desc->continuity) <= 1 && fabs(desc->bias) <= 1))
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "tension, continuity and bias must be within [-1, 1]");
    pm_status status = check_key_format(desc, error);
    if (status != PM_OK || desc->method != PM_METHOD_STERP)
        return status;
    status = check_axes(desc, error);
    return status == PM_OK ? check_windows(desc, error) : status;
}

/* All but keys. */
static pm_status check_shape(const pm_clip_desc *desc, size_t root, pm_error *error) {
    if (!desc)
        return pm_fail(error, PM_ERROR_ARGUMENT, "desc is NULL");
    if (desc->track_count == 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "the number of tracks is 0");
    if (desc->track_count > UINT32_MAX - PM_TRACK_GROUP)
        return pm_fail(error, PM_ERROR_SIZE, "the number of tracks, %zu, is too large",
                       desc->track_count);
    pm_status status = PM_CHECK_NEXT(pm_clip_desc, desc, error);
    if (status == PM_OK)
        status = check_timelines(desc, error);
    if (status == PM_OK)
        status = check_options(desc, error);
    if (status == PM_OK)
        status = check_arrays(desc, root, error);
    return status == PM_OK ? check_loop(desc, error) : status;
}

pm_status pm_clip_check_joints(const pm_clip_desc *desc, size_t root, pm_error *error) {
    pm_error_clear(error);
    const pm_status status = check_shape(desc, root, error);
    return status == PM_OK ? pm_clip_check_keys(desc, root, error) : status;
}

pm_status pm_clip_check_shape(const pm_clip_desc *desc, pm_error *error) {
    pm_error_clear(error);
    const char *name = !desc                  ? NULL
                       : desc->root_positions ? "root-positions"
                       : desc->root_rotations ? "root-rotations"
                       : desc->scalars        ? "scalars"
                                              : NULL;
    if (name)
        return pm_fail_field(error, PM_ERROR_ARGUMENT, name, "is for clips of crowds alone");
    return check_shape(desc, 0, error);
}

pm_status pm_clip_check(const pm_clip_desc *desc, pm_error *error) {
    const pm_status status = pm_clip_check_shape(desc, error);
    return status == PM_OK ? pm_clip_check_keys(desc, 0, error) : status;
}
