/* SPDX-License-Identifier: MIT
 *
 * Keys of 48 bits in the rows of callers: encoded and decoded without a clip.
 */
#include "base/base.h"
#include "description.h"

static pm_status check(pm_key_format format, const void *rotations, const void *coded, size_t rows,
                       size_t tracks, pm_error *error) {
    const size_t row = pm_keys_row_bytes(format, tracks);
    size_t floats;
    pm_error_clear(error);
    if (!row)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       tracks ? "format is none of 48 bits, or tracks is too large"
                              : "tracks is 0");
    if (!pm_multiply(rows, 4 * sizeof(float) * tracks, &floats))
        return pm_fail(error, PM_ERROR_SIZE, "the bytes of all keys do not fit size_t");
    if (rows && (!rotations || !coded))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", rotations ? "coded" : "rotations");
    return PM_OK;
}

pm_status pm_keys_encode(pm_key_format format, const float *rotations, size_t rows, size_t tracks,
                         void *coded, pm_error *error) {
    const pm_segment_functions *set = pm_segment_functions_for(tracks);
    pm_status status = check(format, rotations, coded, rows, tracks, error);
    if (status != PM_OK || rows == 0)
        return status;
    if (!set->are_rotations(rotations, PM_FLOAT32, rows * tracks)) {
        /* the description of a clip finds which one, and why */
        const pm_timeline line = {.key_count = rows, .rate = {1, 1}};
        const pm_clip_desc desc = {
            .track_count = tracks, .timelines = &line, .rotations.data = rotations};
        status = pm_clip_check(&desc, error);
    }
    if (status == PM_OK)
        set->encode(format, rotations, rows, tracks, coded);
    return status;
}

pm_status pm_keys_decode(pm_key_format format, const void *coded, size_t rows, size_t tracks,
                         float *rotations, pm_error *error) {
    const pm_status status = check(format, rotations, coded, rows, tracks, error);
    const size_t row = pm_keys_row_bytes(format, tracks);
    for (size_t i = 0; status == PM_OK && i < rows * tracks; i++, rotations += 4) {
        const void *from = (const char *)coded + i / tracks * row;
        const pm_coded_key key = pm_coded_get(format, from, tracks, i % tracks);
        if (!pm_coded_exists(format, &key))
            return pm_fail_at(error, PM_ERROR_KEY, i % tracks, i / tracks,
                              "rotation: the code is of no key");
        const pm_quat q = pm_coded_quat(format, &key);
        rotations[0] = q.x;
        rotations[1] = q.y;
        rotations[2] = q.z;
        rotations[3] = q.w;
    }
    return status;
}
