/* SPDX-License-Identifier: MIT
 *
 * Inputs of samplers: rising times from 0 on, and the bounds that the file gives for them.
 */
#include "motion/gltf/accessor.h"

#include <math.h>

#include "motion/time/key_rate.h"

/* What pm_timeline allows. */
#define MAX_KEYS (((size_t)1 << 30) - 2)

static bool copy_times(gltf_reader *r, const gltf_place *place, const float *values, size_t count,
                       const double **copied) {
    double *times = gltf_count_values(r, place, count, sizeof *times)
                        ? gltf_allocate(r, count, sizeof *times)
                        : NULL;
    if (!times)
        return false;
    for (size_t k = 0; k < count; k++) {
        times[k] = (double)values[k];
        if (!(times[k] >= 0.0 && isfinite(times[k]))) /* also where gaps may be */
            return gltf_refuse(r, place, "key %zu is at %.9g s; expected 0 or more", k, times[k]);
        if (k > 0 && times[k] <= times[k - 1])
            return gltf_refuse(r, place, "key %zu is at %.9g s and key %zu at %.9g s", k - 1,
                               times[k - 1], k, times[k]);
        times[k] += 0.0; /* no -0 */
    }
    *copied = times;
    return true;
}

/* min and max are required, but say nothing that the times do not. */
static bool check_bounds(gltf_reader *r, size_t accessor, const double *times, size_t count) {
    static const char *const keys[] = {"min", "max"};
    const gltf_place *const place = GLTF_ITEM_OF("accessors", accessor);
    const json_t *json = json_array_get(r->document->accessors, accessor);
    for (size_t i = 0; i < 2; i++) {
        const gltf_place *const at = GLTF_KEY(place, keys[i]);
        const size_t key = i == 0 ? 0 : count - 1;
        double bound = 0.0;
        bool found = false;
        if (!gltf_get_numbers(r, json, place, keys[i], 1, &bound, &found) ||
            (!found && !gltf_note(r, at, "is missing; times of keys must have it")) ||
            (found && (float)bound != (float)times[key] &&
             !gltf_note(r, at, "is %.9g, but key %zu is at %.9g s", bound, key, times[key])))
            return false;
    }
    return true;
}

static bool check_input(gltf_reader *r, const gltf_accessor *a, const gltf_place *place) {
    if (!gltf_check_type(r, a, place, "SCALAR", false) || !gltf_check_no_stride(r, a, place))
        return false;
    if (a->count > MAX_KEYS)
        return gltf_refuse(r, place, "has %zu keys; expected at most %zu", a->count,
                           (size_t)MAX_KEYS);
    /* Keys that no data stand for are at 0, so that a second one is not later than the first. */
    return a->view != GLTF_NONE || a->count - a->sparse_count <= 1 ||
           gltf_refuse(r, place, "%zu keys of /accessors/%zu without data are at 0 s",
                       a->count - a->sparse_count, a->index);
}

bool gltf_read_timeline(gltf_reader *r, size_t index, const gltf_place *place) {
    gltf_accessor_cache *cache = &r->cache[index];
    const float *values = NULL;
    const double *times = NULL;
    gltf_accessor accessor;
    if (cache->timeline.key_count > 0)
        return true;
    if (!gltf_parse_accessor(r, index, &accessor) || !check_input(r, &accessor, place) ||
        !gltf_read_values(r, &accessor, place, &values) ||
        !copy_times(r, place, values, accessor.count, &times) ||
        !check_bounds(r, index, times, accessor.count))
        return false;
    cache->timeline = (pm_timeline){.key_count = accessor.count, .times = times};
    cache->rate = key_rate(times, accessor.count);
    return true;
}
