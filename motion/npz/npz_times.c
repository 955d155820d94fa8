/* SPDX-License-Identifier: MIT
 *
 * Key times of the layout `plain`: the member `times`, in seconds, of files without a rate.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/npz/npz.h"
#include "motion/npz/npz_numbers.h"

pm_status npz_find_times(npz_document *document, const npz_layout *layout, pm_error *error) {
    const npz_layout *plain = npz_layout_named("plain");
    size_t member = SIZE_MAX;
    if (layout->fields != plain->fields)
        return PM_OK;
    const pm_status status = npz_find(&document->archive, "times", &member, error);
    document->has_times = status == PM_OK && member != SIZE_MAX;
    document->times_member = member;
    return status;
}

static pm_status check_times(const zip_member *member, const double *times, size_t count,
                             pm_error *error) {
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(times[k]) || times[k] < 0)
            return npz_refuse(error, member, "is %g at frame %zu; expected seconds from 0 on",
                              times[k], k);
        if (k > 0 && times[k] <= times[k - 1])
            return npz_refuse(error, member, "is %.9g s at frame %zu and %.9g s at frame %zu",
                              times[k - 1], k - 1, times[k], k);
    }
    return PM_OK;
}

pm_status npz_read_times(npz_document *document, motion_arena *arena, const double **times,
                         pm_error *error) {
    const zip_member *member = &document->archive.members[document->times_member];
    const bool headers_only = document->headers_only;
    npy_header h;
    zip_bytes bytes;
    document->headers_only = false; /* without its times a clip is none */
    const pm_status status = npz_load(document, document->times_member, &h, &bytes, error);
    document->headers_only = headers_only;
    if (status != PM_OK)
        return status;
    if (!npz_is_float(h.type) || h.rank != 1 || h.shape[0] != document->frames)
        return npz_refuse(error, member,
                          "does not fit; expected %zu of float32 or float64, one per frame",
                          document->frames);
    double *read = motion_allocate(arena, document->frames, sizeof *read);
    if (!read)
        return motion_refuse_memory(error);
    npz_load_numbers(read, bytes.data + h.data_at, npy_element_size(h.type), document->frames);
    *times = read;
    return check_times(member, read, document->frames, error);
}

pm_status npz_write_times(const npz_document *document, const motion_samples *samples,
                          zip_writer *zip, pm_error *error) {
    const zip_member *member = &document->archive.members[document->times_member];
    char header[NPY_WRITTEN_MAX];
    npy_header h;
    zip_bytes bytes;
    char *owned = NULL, reason[NPY_REASON_SIZE] = "";
    if (samples->rate.den == 0) /* at the keys */
        return zip_write_member(zip, member, error);
    const pm_status status = zip_extract(member, &bytes, &owned, error);
    if (status != PM_OK)
        return status;
    const bool good = npy_read_header(bytes.data, bytes.size, &h, reason);
    const size_t element = good ? npy_element_size(h.type) : 0;
    free(owned);
    if (!good)
        return npz_refuse(error, member, "cannot be used: %s", reason);
    h.shape[0] = (size_t)samples->count;
    const size_t begin = npy_write_any_header(&h, header);
    if (h.shape[0] > (SIZE_MAX / 2 - begin) / element)
        return motion_refuse_memory(error);
    char *made = malloc(begin + h.shape[0] * element);
    if (!made)
        return motion_refuse_memory(error);
    memcpy(made, header, begin);
    for (size_t k = 0; k < h.shape[0]; k++) {
        const double time = motion_sample_time(samples, k);
        npz_store_numbers(made + begin + k * element, &time, element, 1);
    }
    const pm_status written =
        zip_write_bytes(zip, member, (zip_bytes){made, begin + h.shape[0] * element}, error);
    free(made);
    return written;
}
