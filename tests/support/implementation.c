/* SPDX-License-Identifier: MIT
 *
 * The library's implementations: an engine on the reference path, and one for every OpenCL device.
 * They are made on first use and live until implementation_release, because building programs takes
 * most of the time.
 */
#include "implementation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"

#define SUBJECTS_MAX 64

static implementation implementations[SUBJECTS_MAX];
static size_t implementation_count;

static void widen(const float *from, size_t count, double *to) {
    for (size_t n = 0; to && n < count; n++)
        to[n] = (double)from[n];
}

/* Outputs are NaN before the call, so that an output that is not written is detected. */
static float *poisoned(size_t count) {
    float *values = malloc((count ? count : 1) * sizeof *values);
    if (!values) {
        fprintf(stderr, "implementation: out of memory\n");
        abort();
    }
    for (size_t n = 0; n < count; n++)
        values[n] = (float)NAN;
    return values;
}

static bool sample_engine(const implementation *s, const pm_clip_desc *desc,
                          const pm_sample_job *job, double *rotations, double *positions,
                          double *scales) {
    const size_t rows = job->sample_count * (job->tracks ? 1 : desc->track_count);
    pm_clip *clip = NULL;
    pm_error error = {0};
    pm_sample_job whole = *job;
    whole.rotations = rotations ? poisoned(rows * 4) : NULL;
    whole.positions = positions ? poisoned(rows * 3) : NULL;
    whole.scales = scales ? poisoned(rows * 3) : NULL;
    bool done = false;
    if (pm_clip_create(s->engine, desc, &clip, &error) != PM_OK ||
        pm_sample(clip, &whole, &error) != PM_OK) {
        printf("# %s: %s: %s\n", s->name, pm_status_name(error.status), error.message);
        goto cleanup;
    }
    widen(whole.rotations, rows * 4, rotations);
    widen(whole.positions, rows * 3, positions);
    widen(whole.scales, rows * 3, scales);
    done = true;
cleanup:
    pm_clip_destroy(&clip);
    free(whole.rotations);
    free(whole.positions);
    free(whole.scales);
    return done;
}

static bool add_engine(const char *device, const char *name) {
    pm_error error = {0};
    pm_engine *engine = NULL;
    const pm_engine_desc desc = {.device = device};
    if (implementation_count == SUBJECTS_MAX)
        return false;
    if (pm_engine_create(&desc, &engine, &error) != PM_OK) {
        printf("# no engine on %s: %s\n", name, error.message);
        return false;
    }
    implementation *s = &implementations[implementation_count++];
    *s = (implementation){
        .device = strcmp(device, "none") != 0, .engine = engine, .sample = sample_engine};
    (void)snprintf(s->name, sizeof s->name, "%s", name);
    return true;
}

/* Adds the number of engines that could not be made to *failed. */
static size_t add_devices(size_t *failed) {
    const char *chosen = getenv("POSEMILL_TEST_DEVICE");
    pm_device_info infos[16];
    size_t count = 0, added = 0;
    if (chosen && strcmp(chosen, "none") == 0)
        return 0;
    if (chosen && *chosen) {
        added = add_engine(chosen, chosen);
        *failed += 1 - added;
        return added;
    }
    if (pm_list_devices(infos, sizeof infos / sizeof *infos, &count, NULL) != PM_OK)
        return 0;
    for (size_t n = 0; n < count && n < sizeof infos / sizeof *infos; n++) {
        char index[32];
        (void)snprintf(index, sizeof index, "%zu", infos[n].index);
        const bool made = add_engine(index, infos[n].name);
        added += made;
        *failed += !made;
    }
    return added;
}

bool implementation_list(const implementation **list, size_t *count) {
    static bool listed = false, complete = false;
    if (!listed) {
        const char *required = getenv("POSEMILL_REQUIRE_DEVICE");
        size_t failed = 0;
        listed = true;
        complete = add_engine("none", "reference");
        if (add_devices(&failed) == 0) {
            printf("# no OpenCL device: only the reference is tested\n");
            failed++;
        }
        if (required && strcmp(required, "1") == 0 && failed > 0) {
            printf("# a device is required, but not every engine could be made\n");
            complete = false;
        }
    }
    *list = implementations;
    *count = implementation_count;
    return complete;
}

int implementation_release(void **unused) {
    (void)unused;
    for (size_t n = 0; n < implementation_count; n++)
        pm_engine_destroy(&implementations[n].engine);
    implementation_count = 0;
    return 0;
}
