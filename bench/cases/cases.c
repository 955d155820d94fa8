/* SPDX-License-Identifier: MIT
 *
 * The table of groups and its expansion into cases. Only this file knows groups by name.
 */
#define _POSIX_C_SOURCE 200809L

#include "cases.h"

#include "baseline.h"
#include "batches.h"
#include "crowd_scenes.h"
#include "files.h"
#include "host/base/counts.h"
#include "scenes.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static bool is_slerp(pm_method method) {
    return method == PM_METHOD_SLERP;
}

static bool is_slerp_or_squad(pm_method method) {
    return method == PM_METHOD_SLERP || method == PM_METHOD_SQUAD;
}

/* Groups whose sample positions are computed by the host are timed by wall clock, because that work
 * counts. */
static const bench_group groups[] = {
    {"ceiling", "fill", BENCH_FILL, SCENE_UPSAMPLE_4, CLOCK_KERNEL, false, NULL},
    {"ceiling", "stores", BENCH_STORES, SCENE_UPSAMPLE_4, CLOCK_KERNEL, true, NULL},
    {"ceiling", "copy", BENCH_COPY, SCENE_UPSAMPLE_4, CLOCK_KERNEL, false, NULL},
    {"ceiling", "arithmetic", BENCH_ARITHMETIC, SCENE_UPSAMPLE_4, CLOCK_KERNEL, false, NULL},
    {"ceiling", "palette-fill", BENCH_PALETTE_FILL, SCENE_CROWD, CLOCK_KERNEL, false, NULL},
    {"baseline", NULL, BENCH_BASELINE, SCENE_UPSAMPLE_4, CLOCK_WALL, false, baseline_has},
    {"baseline", NULL, BENCH_CROWD_BASELINE, SCENE_CROWD, CLOCK_WALL, false, NULL},
    {"simple", NULL, BENCH_SIMPLE, SCENE_UPSAMPLE_4, CLOCK_WALL, false, baseline_has_simple},
    {"obvious", NULL, BENCH_OBVIOUS, SCENE_UPSAMPLE_4, CLOCK_KERNEL, true, is_slerp},
    {"upsample-4", NULL, BENCH_JOB, SCENE_UPSAMPLE_4, CLOCK_KERNEL, false, NULL},
    {"upsample-2", NULL, BENCH_JOB, SCENE_UPSAMPLE_2, CLOCK_KERNEL, false, NULL},
    {"downsample-4", NULL, BENCH_JOB, SCENE_DOWNSAMPLE_4, CLOCK_KERNEL, false, NULL},
    {"nonuniform", NULL, BENCH_JOB, SCENE_NONUNIFORM, CLOCK_WALL, false, NULL},
    {"loop", NULL, BENCH_JOB, SCENE_LOOP, CLOCK_KERNEL, false, NULL},
    {"times", NULL, BENCH_JOB, SCENE_TIMES, CLOCK_WALL, false, NULL},
    {"upsample-2-log48", NULL, BENCH_JOB, SCENE_UPSAMPLE_2_LOG48, CLOCK_KERNEL, false, is_slerp},
    {"downsample-4-log48", NULL, BENCH_JOB, SCENE_DOWNSAMPLE_4_LOG48, CLOCK_KERNEL, false,
     is_slerp},
    {"times-log48", NULL, BENCH_JOB, SCENE_TIMES_LOG48, CLOCK_WALL, false, is_slerp},
    {"times-smallest48", NULL, BENCH_JOB, SCENE_TIMES_SMALLEST48, CLOCK_WALL, false, is_slerp},
    {"samples", NULL, BENCH_JOB, SCENE_SAMPLES, CLOCK_WALL, false, NULL},
    {"sizes", NULL, BENCH_SIZE, SCENE_UPSAMPLE_4, CLOCK_WALL, false, is_slerp_or_squad},
    {"crowd", NULL, BENCH_CROWD, SCENE_CROWD, CLOCK_KERNEL, false, NULL},
    {"crowds", NULL, BENCH_CROWD, SCENE_CROWDS, CLOCK_KERNEL, false, NULL},
    {"layers", NULL, BENCH_CROWD, SCENE_LAYERS, CLOCK_KERNEL, false, NULL},
    {"subset", NULL, BENCH_CROWD, SCENE_SUBSET, CLOCK_KERNEL, false, NULL},
    {"bounds", NULL, BENCH_CROWD, SCENE_BOUNDS, CLOCK_KERNEL, false, NULL},
    {"list", NULL, BENCH_CROWD, SCENE_LIST, CLOCK_KERNEL, false, NULL},
    {"poses", NULL, BENCH_CROWD, SCENE_POSES, CLOCK_KERNEL, false, NULL},
    {"state", NULL, BENCH_CROWD, SCENE_STATE, CLOCK_KERNEL, false, NULL},
    {"crowds", NULL, BENCH_CROWD_HOST, SCENE_CROWD_REFERENCE, CLOCK_WALL, true, NULL},
    {"state", NULL, BENCH_CROWD_HOST, SCENE_STATE_REFERENCE, CLOCK_WALL, true, NULL},
    {"state", NULL, BENCH_CROWD_HOST, SCENE_STATE_CALL, CLOCK_WALL, true, NULL},
    {"crowds", NULL, BENCH_CROWD_ONE, SCENE_CROWD_ONE, CLOCK_WALL, false, NULL},
    {"files", NULL, BENCH_FILE, SCENE_FILES, CLOCK_WALL, false, NULL},
    {"lowpass", "taps-32", BENCH_LOWPASS, SCENE_UPSAMPLE_2, CLOCK_WALL, false, NULL},
    {"lowpass", "down-4", BENCH_LOWPASS, SCENE_DOWNSAMPLE_4, CLOCK_WALL, false, NULL},
    {"clip", NULL, BENCH_CLIP, SCENE_UPSAMPLE_4, CLOCK_WALL, false, NULL},
    {"clip-device", NULL, BENCH_CLIP_DEVICE, SCENE_UPSAMPLE_4, CLOCK_WALL, true, NULL},
    {"oneshot-4", NULL, BENCH_ONESHOT, SCENE_UPSAMPLE_4, CLOCK_WALL, false, NULL},
    {"oneshot-2", NULL, BENCH_ONESHOT, SCENE_UPSAMPLE_2, CLOCK_WALL, false, NULL},
    {"oneshot-down-4", NULL, BENCH_ONESHOT, SCENE_DOWNSAMPLE_4, CLOCK_WALL, false, NULL},
    {"oneshot-device", NULL, BENCH_ONESHOT_DEVICE, SCENE_UPSAMPLE_4, CLOCK_WALL, true, NULL},
    {"end-to-end", NULL, BENCH_END_TO_END, SCENE_UPSAMPLE_4, CLOCK_WALL, true, is_slerp_or_squad},
    {"layout", NULL, BENCH_LAYOUT, SCENE_UPSAMPLE_4, CLOCK_WALL, false, NULL},
    {"cold", NULL, BENCH_COLD, SCENE_UPSAMPLE_4, CLOCK_WALL, true, is_slerp_or_squad},
    {"first", NULL, BENCH_FIRST, SCENE_UPSAMPLE_4, CLOCK_WALL, true, is_slerp_or_squad},
    {"warm", NULL, BENCH_WARM, SCENE_UPSAMPLE_4, CLOCK_WALL, true, is_slerp_or_squad},
#if POSEMILL_BATCH
    /* The last group, because a batch changes how the process keeps memory. */
    {"batch", NULL, BENCH_BATCH, SCENE_BATCHES, CLOCK_WALL, false, NULL},
#endif
};
enum { GROUP_COUNT = sizeof groups / sizeof groups[0] };
_Static_assert(GROUP_COUNT *PM_METHOD_COUNT + 2 * BENCH_SIZES_MAX + BENCH_CROWDS_MAX +
                       BENCH_FILES_MAX + BENCH_BATCHES_MAX <=
                   BENCH_CASES_MAX,
               "BENCH_CASES_MAX is too small");

/* Whether one of the globs, with commas between them, matches a case's name; NULL: all names. */
static bool is_chosen(const char *globs, const char *name) {
    for (const char *glob = globs; glob;) {
        char one[128];
        const size_t length = strcspn(glob, ",");
        snprintf(one, sizeof one, "%.*s", (int)(length < sizeof one ? length : 0), glob);
        if (fnmatch(one, name, 0) == 0)
            return true;
        glob = glob[length] == ',' ? glob + length + 1 : NULL;
    }
    return !globs;
}

static size_t add(const bench_group *group, pm_method method, const char *glob, bench_case *at) {
    const char *what = group->what ? group->what : pm_method_get_info(method)->name;
    *at = (bench_case){.group = group, .method = method};
    snprintf(at->name, sizeof at->name, "%s/%s", group->name, what);
    return is_chosen(glob, at->name) ? 1 : 0;
}

/* One case per size: a pose, then eight times as much, and so on up to the largest size. */
static size_t add_sizes(const bench_group *group, pm_method method, size_t largest,
                        const char *glob, bench_case *at) {
    const char *name = pm_method_get_info(method)->name;
    size_t count = 0;
    size_t samples = SCENE_TRACKS;
    bool last = false;
    while (!last) {
        bench_case *size = at + count;
        last = samples >= largest;
        *size = (bench_case){.group = group, .method = method, .samples = samples};
        snprintf(size->name, sizeof size->name, "%s/%s-%zu", group->name, name, samples);
        count += is_chosen(glob, size->name) ? 1 : 0;
        samples = samples < largest / 8 ? 8 * samples : largest;
    }
    return count;
}

/* One case per row. */
static size_t add_layouts(const bench_group *group, const char *glob, bench_case *at) {
    static const struct {
        const char *what;
        size_t tracks, offset;
        pm_method method;
    } rows[] = {
        {"offset-0", 64, 0, PM_METHOD_SLERP},       {"offset-4", 64, 4, PM_METHOD_SLERP},
        {"offset-8", 64, 8, PM_METHOD_SLERP},       {"offset-12", 64, 12, PM_METHOD_SLERP},
        {"offset-16", 64, 16, PM_METHOD_SLERP},     {"offset-20", 64, 20, PM_METHOD_SLERP},
        {"squad-offset-0", 64, 0, PM_METHOD_SQUAD}, {"squad-offset-4", 64, 4, PM_METHOD_SQUAD},
        {"tracks-16", 16, 0, PM_METHOD_SLERP},      {"tracks-16-offset-4", 16, 4, PM_METHOD_SLERP},
        {"tracks-4", 4, 0, PM_METHOD_SLERP},        {"tracks-1", 1, 0, PM_METHOD_SLERP}};
    size_t count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench_case *layout = at + count;
        *layout = (bench_case){.group = group,
                               .method = rows[i].method,
                               .tracks = rows[i].tracks,
                               .offset = rows[i].offset};
        snprintf(layout->name, sizeof layout->name, "%s/%s", group->name, rows[i].what);
        count += is_chosen(glob, layout->name) ? 1 : 0;
    }
    return count;
}

/* One case per crowd whose results fit; a quick run has those of few clips. */
static size_t add_crowds(const bench_group *group, const bench_limits *limits, const char *glob,
                         bench_case *at) {
    size_t row_count;
    const crowd_scene *rows = crowd_scenes_of(group->scene, &row_count);
    size_t count = 0;
    if (limits->quick && !glob && group->scene != SCENE_CROWD)
        return 0;
    for (size_t i = 0; i < row_count; i++) {
        bench_case *crowd = at + count;
        if (limits->quick && rows[i].brief)
            continue;
        *crowd = (bench_case){.group = group,
                              .method = rows[i].method,
                              .crowd = &rows[i],
                              .agents = crowd_scene_agents(&rows[i], limits->crowd_bytes)};
        snprintf(crowd->name, sizeof crowd->name, "%s/%s", group->name, rows[i].what);
        count += crowd->agents > 0 && is_chosen(glob, crowd->name) ? 1 : 0;
    }
    return count;
}

/* One case per row of the table of files. */
static size_t add_files(const bench_group *group, const char *glob, bench_case *at) {
    size_t row_count;
    const file_scene *rows = file_scenes_of(group->scene, &row_count);
    size_t count = 0;
    for (size_t i = 0; i < row_count; i++) {
        bench_case *file = at + count;
        *file = (bench_case){.group = group, .method = PM_METHOD_SLERP, .file = &rows[i]};
        snprintf(file->name, sizeof file->name, "%s/%s", group->name, rows[i].what);
        count += is_chosen(glob, file->name) ? 1 : 0;
    }
    return count;
}

#if POSEMILL_BATCH
/* One case per row of the table of batches. */
static size_t add_batches(const bench_group *group, const char *glob, bench_case *at) {
    size_t row_count;
    const batch_scene *rows = batch_scenes(&row_count);
    size_t count = 0;
    for (size_t i = 0; i < row_count; i++) {
        bench_case *batch = at + count;
        *batch = (bench_case){.group = group, .method = PM_METHOD_SLERP, .batch = &rows[i]};
        snprintf(batch->name, sizeof batch->name, "%s/%s", group->name, rows[i].what);
        count += is_chosen(glob, batch->name) ? 1 : 0;
    }
    return count;
}
#endif

static size_t add_methods(const bench_group *group, const bench_limits *limits, const char *glob,
                          bench_case *at) {
    size_t count = 0;
    for (int m = 0; m < PM_METHOD_COUNT; m++) {
        bool listed = group->scene == SCENE_NONUNIFORM;
        if (listed && pm_method_get_info((pm_method)m)->needs_uniform_keys)
            continue;
        if (group->has && !group->has((pm_method)m))
            continue;
        if (group->kind == BENCH_SIZE)
            count += add_sizes(group, (pm_method)m, limits->largest, glob, at + count);
        else
            count += add(group, (pm_method)m, glob, at + count);
    }
    return count;
}

static bool is_crowd(const bench_group *group) {
    return group->kind == BENCH_CROWD || group->kind == BENCH_CROWD_BASELINE ||
           group->kind == BENCH_CROWD_HOST || group->kind == BENCH_CROWD_ONE;
}

size_t bench_cases(const char *glob, bool opencl, const bench_limits *limits,
                   bench_case cases[BENCH_CASES_MAX]) {
    size_t count = 0;
    for (size_t g = 0; g < GROUP_COUNT; g++) {
        const bench_group *group = &groups[g];
        if (group->needs_opencl && !opencl)
            continue;
        if (group->what) {
            count += add(group, PM_METHOD_SLERP, glob, &cases[count]);
        } else if (is_crowd(group)) {
            count += add_crowds(group, limits, glob, &cases[count]);
        } else if (group->kind == BENCH_FILE) {
            count += add_files(group, glob, &cases[count]);
        } else if (group->kind == BENCH_LAYOUT) {
            count += add_layouts(group, glob, &cases[count]);
#if POSEMILL_BATCH
        } else if (group->kind == BENCH_BATCH) {
            count += add_batches(group, glob, &cases[count]);
#endif
        } else {
            count += add_methods(group, limits, glob, &cases[count]);
        }
    }
    return count;
}
