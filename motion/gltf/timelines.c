/* SPDX-License-Identifier: MIT
 *
 * Inputs of samplers: rising times from 0 on, and the bounds that the file gives for them.
 */
#include "motion/gltf/timelines.h"

#include <math.h>
#include <stdio.h>

#include "motion/gltf/accessor.h"
#include "motion/time/key_rate.h"

/* What pm_timeline allows. */
#define MAX_KEYS (((size_t)1 << 30) - 2)

static pm_status copy_times(gltf_reader *reader, const gltf_place *place, const float *values,
                            size_t count, const double **copied, pm_error *error) {
    const pm_status status = gltf_count_values(reader, place, count, sizeof **copied, error);
    double *times = status == PM_OK ? gltf_allocate(reader, count, sizeof *times) : NULL;
    if (!times)
        return status == PM_OK ? motion_refuse_memory(error) : status;
    for (size_t k = 0; k < count; k++) {
        times[k] = (double)values[k];
        if (!(times[k] >= 0.0 && isfinite(times[k]))) /* also where gaps may be */
            return gltf_refuse(error, place, "key %zu is at %.9g s; expected 0 or more", k,
                               times[k]);
        if (k > 0 && times[k] <= times[k - 1])
            return gltf_refuse(error, place, "key %zu is at %.9g s and key %zu at %.9g s", k - 1,
                               times[k - 1], k, times[k]);
        times[k] += 0.0; /* no -0 */
    }
    *copied = times;
    return PM_OK;
}

/* min and max are required, but say nothing that the times do not. */
static pm_status check_bounds(gltf_reader *reader, size_t accessor, const double *times,
                              size_t count, pm_error *error) {
    static const char *const keys[] = {"min", "max"};
    const gltf_place *const place = GLTF_ITEM_OF("accessors", accessor);
    const json_t *json = json_array_get(reader->document->accessors, accessor);
    for (size_t i = 0; i < 2; i++) {
        const double expected = i == 0 ? times[0] : times[count - 1];
        double bound = 0.0;
        bool found = false;
        pm_status status = gltf_get_numbers(json, place, keys[i], 1, &bound, &found, error);
        if (status == PM_OK && !found)
            status = gltf_note(reader, error, GLTF_KEY(place, keys[i]),
                               "is missing; times of keys must have it");
        else if (status == PM_OK && (float)bound != (float)expected)
            status = gltf_note(reader, error, GLTF_KEY(place, keys[i]),
                               "is %.9g, but key %zu is at %.9g s", bound,
                               i == 0 ? (size_t)0 : count - 1, expected);
        if (status != PM_OK)
            return status;
    }
    return PM_OK;
}

static pm_status check_input(gltf_reader *reader, const gltf_accessor *a, const gltf_place *place,
                             pm_error *error) {
    pm_status status = gltf_check_type(a, place, "SCALAR", false, error);
    if (status == PM_OK)
        status = gltf_check_no_stride(reader, a, place, error);
    if (status == PM_OK && a->count > MAX_KEYS)
        status = gltf_refuse(error, place, "has %zu keys; expected at most %zu", a->count,
                             (size_t)MAX_KEYS);
    /* Keys that no data stand for are at 0, so that a second one is not later than the first. */
    if (status == PM_OK && a->view == GLTF_NONE && a->count - a->sparse_count > 1)
        status = gltf_refuse(error, place, "%zu keys of /accessors/%zu without data are at 0 s",
                             a->count - a->sparse_count, a->index);
    return status;
}

pm_status gltf_read_timeline(gltf_reader *reader, size_t index, const gltf_place *place,
                             pm_error *error) {
    gltf_accessor_cache *cache = &reader->cache[index];
    const float *values = NULL;
    const double *times = NULL;
    gltf_accessor accessor;
    if (cache->timeline.key_count > 0)
        return PM_OK;
    pm_status status = gltf_parse_accessor(reader, index, &accessor, error);
    if (status == PM_OK)
        status = check_input(reader, &accessor, place, error);
    if (status == PM_OK)
        status = gltf_read_values(reader, &accessor, place, &values, error);
    if (status == PM_OK && values)
        status = copy_times(reader, place, values, accessor.count, &times, error);
    if (status == PM_OK && times)
        status = check_bounds(reader, index, times, accessor.count, error);
    if (status != PM_OK)
        return status;
    cache->timeline = (pm_timeline){.key_count = accessor.count, .times = times};
    cache->rate = key_rate(times, accessor.count);
    return PM_OK;
}
