/* SPDX-License-Identifier: MIT
 *
 * The oracle as an implementation, and the sampling of track sets, which is the same for every
 * implementation. Independent of the library.
 */
#include "implementation.h"
#include "oracle/oracle.h"
#include "scoped.h"

#include <stdio.h>
#include <stdlib.h>

static void store3(vec3 v, double *out) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static bool sample_oracle(const implementation *s, const pm_clip_desc *desc,
                          const pm_sample_job *job, double *rotations, double *positions,
                          double *scales) {
    (void)s;
    oracle *o = oracle_create_unrounded(desc);
    const size_t tracks = job->tracks ? 1 : oracle_track_count(o);
    for (size_t k = 0; k < job->sample_count; k++) {
        for (size_t n = 0; n < tracks; n++) {
            const size_t track = job->tracks ? job->tracks[k] : n, row = k * tracks + n;
            const oracle_cursor cursor = oracle_at_sample(o, track, job, k);
            if (rotations) {
                const quat q = oracle_rotation(o, track, cursor);
                store3((vec3){q.x, q.y, q.z}, rotations + 4 * row);
                rotations[4 * row + 3] = q.w;
            }
            if (positions)
                store3(oracle_position(o, track, cursor), positions + 3 * row);
            if (scales)
                store3(oracle_scale(o, track, cursor), scales + 3 * row);
        }
    }
    oracle_destroy(o);
    return true;
}

implementation implementation_oracle(void) {
    return (implementation){.name = "oracle", .exact = true, .sample = sample_oracle};
}

bool implementation_sample_set(const implementation *s, const pm_clip_desc *desc,
                               const track_set *set, size_t per_track, const double *times,
                               quat *out) {
    const size_t total = set->count * per_track;
    SCOPED(free_at) double *rotations = malloc((total ? total : 1) * 4 * sizeof *rotations);
    SCOPED(free_at) uint32_t *tracks = malloc((total ? total : 1) * sizeof *tracks);
    bool done = false;
    if (!rotations || !tracks) {
        fprintf(stderr, "implementation: out of memory\n");
        abort();
    }
    for (size_t n = 0; n < total; n++)
        tracks[n] = (uint32_t)(n / per_track);
    const pm_sample_job job = {.sample_count = set->common_timeline ? per_track : total,
                               .times = times,
                               .tracks = set->common_timeline ? NULL : tracks};
    done = s->sample(s, desc, &job, rotations, NULL, NULL);
    for (size_t n = 0; done && n < total; n++) {
        const size_t track = n / per_track, k = n % per_track;
        const size_t row = set->common_timeline ? k * set->count + track : n;
        out[n] = quat_of(rotations + 4 * row);
    }
    return done;
}
