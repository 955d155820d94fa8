/* SPDX-License-Identifier: MIT
 *
 * Checks the keys and tangents of a description whose counts and pointers are valid: first all
 * numbers in memory order, with an instruction set's vectors; if a number is invalid, one by one.
 */
#include <string.h>

#include "base/base.h"
#include "description.h"

static const double closing_tolerance = 1e-3;

static pm_status check_rotation(const double *q, bool keeps_keys, size_t track, size_t key,
                                pm_error *error) {
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!isfinite(q[0]) || !isfinite(q[1]) || !isfinite(q[2]) || !isfinite(q[3]))
        return pm_fail_at(error, PM_ERROR_KEY, track, key, "rotation is not finite");
    if (norm == 0)
        return pm_fail_at(error, PM_ERROR_KEY, track, key, "rotation is the zero quaternion");
    if (keeps_keys && !(norm >= PM_LEAST_NORM && norm <= PM_LARGEST_NORM))
        return pm_fail_at(error, PM_ERROR_KEY, track, key,
                          "rotation's norm %.6g is not between 1e-6 and 1e6", norm);
    if (!keeps_keys && !(fabs(norm - 1) <= PM_NORM_TOLERANCE))
        return pm_fail_at(error, PM_ERROR_KEY, track, key,
                          "rotation's norm %.6g is not within 1e-3 of 1", norm);
    return PM_OK;
}

static pm_status check_vector(const double *v, const char *name, size_t track, size_t key,
                              pm_error *error) {
    for (int i = 0; i < 3; i++)
        if (!(fabs(v[i]) <= PM_LARGEST_VECTOR))
            return pm_fail_at(error, PM_ERROR_KEY, track, key,
                              "%s: a value is not finite, or above 1e37", name);
    return PM_OK;
}

static void read_row(const pm_array_view *rows, size_t row, unsigned components, double *to) {
    for (unsigned i = 0; i < components; i++)
        to[i] = pm_number_at(rows, row, i);
}

/* Either sign is the same rotation. */
static bool are_close(const double first[4], const double last[4]) {
    double difference2 = 0, sum2 = 0;
    for (unsigned i = 0; i < 4; i++) {
        difference2 += (last[i] - first[i]) * (last[i] - first[i]);
        sum2 += (last[i] + first[i]) * (last[i] + first[i]);
    }
    return 4 * atan2(sqrt(fmin(difference2, sum2)), sqrt(fmax(difference2, sum2))) <=
           closing_tolerance;
}

/* Whether the dropped closing key equals the first key, within the tolerance. */
static bool is_closed(const pm_array_view *rows, size_t keys, unsigned components) {
    double first[4], last[4], difference2 = 0, largest = 0;
    read_row(rows, 0, components, first);
    read_row(rows, keys - 1, components, last);
    if (components == 4)
        return are_close(first, last);
    for (unsigned i = 0; i < components; i++)
        difference2 += (last[i] - first[i]) * (last[i] - first[i]);
    if (difference2 == 0)
        return true;
    for (size_t k = 0; k < keys; k++)
        for (unsigned i = 0; i < components; i++)
            largest = fmax(largest, fabs(pm_number_at(rows, k, i)));
    return sqrt(difference2) <= closing_tolerance * largest;
}

static pm_status check_values(const pm_clip_desc *desc, const pm_array_view *rows, unsigned channel,
                              size_t track, size_t keys, pm_error *error) {
    const bool keeps_keys = pm_channel_impl(desc, channel).keeps_keys;
    pm_status status = PM_OK;
    for (size_t k = 0; status == PM_OK && k < keys; k++) {
        double value[4] = {0};
        read_row(rows, k, pm_channel_components(channel), value);
        status = channel == PM_ROTATIONS
                     ? check_rotation(value, keeps_keys, track, k, error)
                     : check_vector(value, pm_channel_name(channel), track, k, error);
    }
    return status;
}

static bool closes_on_key(const pm_clip_desc *desc, size_t track) {
    bool closes;
    pm_timeline_check_loop(pm_timeline_of_track(desc, track), desc->loop, &closes, NULL);
    return closes;
}

static pm_status refuse_closing(const pm_clip_desc *desc, unsigned channel, size_t track,
                                pm_error *error) {
    const size_t last = pm_timeline_of_track(desc, track)->key_count - 1;
    const pm_status status =
        pm_fail_at(error, PM_ERROR_TIME, track, last,
                   "ends on the last key, of which the %s differ from those of the first",
                   pm_channel_name(channel));
    pm_name_field(error, "loop");
    return status;
}

static pm_status check_closing(const pm_clip_desc *desc, const pm_array_view *rows,
                               unsigned channel, size_t track, pm_error *error) {
    const size_t keys = pm_timeline_of_track(desc, track)->key_count;
    return closes_on_key(desc, track) && !is_closed(rows, keys, pm_channel_components(channel))
               ? refuse_closing(desc, channel, track, error)
               : PM_OK;
}

/* Reads the codes of a track, and keeps the first and the last key. */
static pm_status check_coded(const pm_clip_desc *desc, size_t track, pm_error *error) {
    const size_t keys = pm_timeline_of_track(desc, track)->key_count, tracks = desc->track_count;
    const size_t tight = pm_keys_row_bytes(desc->key_format, tracks);
    const size_t stride = desc->rotations.stride ? desc->rotations.stride : tight;
    const char *row = desc->rotations.data;
    double ends[2][4] = {{0}};
    for (size_t k = 0; k < keys; k++, row += stride) {
        const pm_coded_key key = pm_coded_get(desc->key_format, row, tracks, track);
        if (!pm_coded_exists(desc->key_format, &key))
            return pm_fail_at(error, PM_ERROR_KEY, track, k, "rotation: the code is of no key");
        if (k > 0 && k + 1 < keys)
            continue;
        const pm_quat q = pm_coded_quat(desc->key_format, &key);
        memcpy(ends[k > 0], (double[4]){(double)q.x, (double)q.y, (double)q.z, (double)q.w},
               sizeof *ends);
    }
    return closes_on_key(desc, track) && !are_close(ends[0], ends[1])
               ? refuse_closing(desc, PM_ROTATIONS, track, error)
               : PM_OK;
}

/* Checks that no number of the tangents is larger than `max`. */
static pm_status check_tangents(const pm_clip_desc *desc, const pm_array *array,
                                unsigned components, double max, size_t track, size_t first_row,
                                pm_error *error) {
    const pm_timeline *timeline = pm_timeline_of_track(desc, track);
    pm_array_view rows = pm_track_view(desc, array, components, track, first_row);
    bool closes;
    pm_timeline_check_loop(timeline, desc->loop, &closes, NULL);
    for (size_t k = 0; k < timeline->key_count - closes; k++)
        for (size_t i = 0; i < components; i++)
            if (!(fabs(pm_number_at(&rows, k, i)) <= max))
                return pm_fail_at(error, PM_ERROR_KEY, track, k,
                                  "a tangent is not finite, or above %g", max);
    return PM_OK;
}

static pm_status check_channel(const pm_clip_desc *desc, unsigned channel, size_t track,
                               size_t first_row, bool values_are_good, pm_error *error) {
    const unsigned components = pm_channel_components(channel);
    const pm_array *array = pm_channel_array(desc, channel, PM_ARRAY_KEYS);
    pm_array_view rows = pm_track_view(desc, array, components, track, first_row);
    size_t keys = pm_timeline_of_track(desc, track)->key_count;
    pm_status status = PM_OK;
    if (channel == PM_ROTATIONS && pm_is_coded(desc))
        return check_coded(desc, track, error);
    if (!values_are_good)
        status = check_values(desc, &rows, channel, track, keys, error);
    if (status == PM_OK)
        status = check_closing(desc, &rows, channel, track, error);
    if (values_are_good || !pm_channel_impl(desc, channel).both_tangents)
        return status;
    for (unsigned i = PM_ARRAY_IN; status == PM_OK && i < PM_ARRAY_COUNT; i++)
        status = check_tangents(desc, pm_channel_array(desc, channel, i), components,
                                PM_LARGEST_TANGENT, track, first_row, error);
    return status;
}

static pm_status check_tracks(const pm_clip_desc *desc, size_t root, bool values_are_good,
                              pm_error *error) {
    bool user = pm_takes_user_tangents(desc);
    pm_status status = PM_OK;
    size_t first_row = 0;
    for (size_t t = 0; status == PM_OK && t < desc->track_count; t++) {
        for (unsigned c = 0; status == PM_OK && c < PM_CHANNEL_COUNT; c++)
            if (pm_channel_array(desc, c, PM_ARRAY_KEYS)->data &&
                (t == root || !pm_is_of_root(desc, c)))
                status = check_channel(desc, c, t, first_row, values_are_good, error);
        if (status == PM_OK && user && !values_are_good)
            status = check_tangents(desc, &desc->user_tangents, 3, PM_LARGEST_USER_TANGENT, t,
                                    first_row, error);
        first_row += pm_timeline_of_track(desc, t)->key_count;
    }
    for (size_t n = 0; status == PM_OK && n < pm_scalar_count(desc); n++)
        status = check_channel(desc, PM_SCALARS, n, 0, values_are_good, error);
    return status;
}

/* Checks all numbers of an array in memory order with an instruction set's vectors: if `max` is 0
 * that they are rotations, otherwise that no number is larger than `max`. */
static bool looks_good(const pm_clip_desc *desc, const pm_array *array, unsigned components,
                       size_t keys, double max) {
    const pm_segment_functions *set = pm_segment_functions_for(PM_BLOCK_TRACKS);
    const size_t tracks = pm_array_tracks(desc, array);
    size_t tight = tracks * components * pm_number_size(array->type);
    bool strided = array->stride && array->stride != tight;
    size_t runs = strided ? desc->timelines[0].key_count : 1;
    size_t run = strided ? tracks : keys;
    const unsigned char *at = array->data;
    bool good = true;
    for (size_t k = 0; good && k < runs; k++, at += array->stride)
        good = max == 0 ? set->are_rotations(at, array->type, run)
                        : set->are_within(at, array->type, run * components, max);
    return good;
}

static bool channel_looks_good(const pm_clip_desc *desc, unsigned channel, size_t keys) {
    const unsigned n = pm_channel_components(channel);
    const double max = channel == PM_ROTATIONS ? 0 : PM_LARGEST_VECTOR;
    bool good = looks_good(desc, pm_channel_array(desc, channel, PM_ARRAY_KEYS), n, keys, max);
    if (!pm_channel_impl(desc, channel).both_tangents)
        return good;
    good = good && desc->loop == 0;
    for (unsigned i = PM_ARRAY_IN; good && i < PM_ARRAY_COUNT; i++)
        good = looks_good(desc, pm_channel_array(desc, channel, i), n, keys, PM_LARGEST_TANGENT);
    return good;
}

/* Whether the fast check finds no invalid number. It does not handle the tangents of a loop,
 * because those of the closing key may be missing. */
static bool all_look_good(const pm_clip_desc *desc, size_t root, size_t keys) {
    bool good = true;
    if (pm_takes_user_tangents(desc))
        good = desc->loop == 0 &&
               looks_good(desc, &desc->user_tangents, 3, keys, PM_LARGEST_USER_TANGENT);
    for (unsigned c = 0; good && c < PM_KEYED_COUNT; c++)
        if (pm_channel_array(desc, c, PM_ARRAY_KEYS)->data &&
            !(c == PM_ROTATIONS && pm_is_coded(desc)))
            good = channel_looks_good(desc, c, pm_keys_in_array(desc, c, root, keys));
    return good;
}

/* Reports the first error in track order, for any order in memory. */
pm_status pm_clip_check_keys(const pm_clip_desc *desc, size_t root, pm_error *error) {
    size_t keys = 0;
    for (size_t t = 0; t < desc->track_count; t++)
        keys += pm_timeline_of_track(desc, t)->key_count;
    return check_tracks(desc, root, all_look_good(desc, root, keys), error);
}
