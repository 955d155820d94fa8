/* SPDX-License-Identifier: MIT
 *
 * The table of groups and its expansion into cases. Only this file knows groups of methods by name; the
 * other tables have whole names.
 */
#define _POSIX_C_SOURCE 200809L

#include "cases.h"

#include "baseline.h"
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

static bool takes_listed_times(pm_method method) {
    return !pm_method_get_info(method)->needs_uniform_keys;
}

/* A group has a case for each method. Those whose sample positions are computed by the host are timed by
 * wall clock, because that work counts. */
typedef struct bench_group {
    const char *name;
    bench_runner *run;
    bench_scene scene;
    bench_clock clock;
    bool needs_opencl;
    bool (*has)(pm_method method); /* NULL: every method */
    bench_start start;
} bench_group;

static const bench_group groups[] = {
    {"baseline", samples_run_baseline, SCENE_UPSAMPLE_4, CLOCK_WALL, false, baseline_has, 0},
    {"obvious", samples_run_obvious, SCENE_UPSAMPLE_4, CLOCK_KERNEL, true, is_slerp, 0},
    {"upsample-4", samples_run, SCENE_UPSAMPLE_4, CLOCK_KERNEL, false, NULL, 0},
    {"upsample-2", samples_run, SCENE_UPSAMPLE_2, CLOCK_KERNEL, false, NULL, 0},
    {"downsample-4", samples_run, SCENE_DOWNSAMPLE_4, CLOCK_KERNEL, false, NULL, 0},
    {"nonuniform", samples_run, SCENE_NONUNIFORM, CLOCK_WALL, false, takes_listed_times, 0},
    {"loop", samples_run, SCENE_LOOP, CLOCK_KERNEL, false, NULL, 0},
    {"times", samples_run, SCENE_TIMES, CLOCK_WALL, false, NULL, 0},
    {"upsample-2-log48", samples_run, SCENE_UPSAMPLE_2_LOG48, CLOCK_KERNEL, false, is_slerp, 0},
    {"downsample-4-log48", samples_run, SCENE_DOWNSAMPLE_4_LOG48, CLOCK_KERNEL, false, is_slerp, 0},
    {"times-log48", samples_run, SCENE_TIMES_LOG48, CLOCK_WALL, false, is_slerp, 0},
    {"times-smallest48", samples_run, SCENE_TIMES_SMALLEST48, CLOCK_WALL, false, is_slerp, 0},
    {"samples", samples_run, SCENE_SAMPLES, CLOCK_WALL, false, NULL, 0},
    {"clip", samples_run_clip, SCENE_UPSAMPLE_4, CLOCK_WALL, false, NULL, 0},
    {"oneshot-4", samples_run_oneshot, SCENE_UPSAMPLE_4, CLOCK_WALL, false, NULL, 0},
    {"oneshot-2", samples_run_oneshot, SCENE_UPSAMPLE_2, CLOCK_WALL, false, NULL, 0},
    {"oneshot-down-4", samples_run_oneshot, SCENE_DOWNSAMPLE_4, CLOCK_WALL, false, NULL, 0},
    {"end-to-end", samples_run_to_host, SCENE_UPSAMPLE_4, CLOCK_WALL, true, is_slerp_or_squad, 0},
    {"cold", NULL, SCENE_UPSAMPLE_4, CLOCK_WALL, true, is_slerp_or_squad, START_COLD},
    {"first", NULL, SCENE_UPSAMPLE_4, CLOCK_WALL, true, is_slerp_or_squad, START_FIRST},
    {"warm", NULL, SCENE_UPSAMPLE_4, CLOCK_WALL, true, is_slerp_or_squad, START_WARM},
};
_Static_assert(sizeof groups / sizeof groups[0] <= 32, "BENCH_CASES_MAX is too small");

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

static size_t add_methods(const bench_group *group, const char *glob, bench_case *at) {
    size_t count = 0;
    for (int m = 0; m < PM_METHOD_COUNT; m++) {
        if (group->has && !group->has((pm_method)m))
            continue;
        bench_case *one = at + count;
        *one = (bench_case){.run = group->run,
                            .scene = group->scene,
                            .clock = group->clock,
                            .start = group->start,
                            .method = (pm_method)m};
        snprintf(one->name, sizeof one->name, "%s/%s", group->name,
                 pm_method_get_info((pm_method)m)->name);
        count += is_chosen(glob, one->name) ? 1 : 0;
    }
    return count;
}

/* One case per row, which begins with its whole name. */
static size_t add_rows(const case_table *table, bool opencl, const bench_limits *limits,
                       const char *glob, bench_case *at) {
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        bench_case *one = at + count;
        *one = (bench_case){.run = table->run,
                            .clock = CLOCK_WALL,
                            .row = (const char *)table->rows + i * table->size};
        snprintf(one->name, sizeof one->name, "%s", *(const char *const *)one->row);
        if ((!table->has || table->has(one->row, opencl, limits, glob != NULL)) &&
            is_chosen(glob, one->name))
            count++;
    }
    return count;
}

size_t bench_cases(const char *glob, bool opencl, const bench_limits *limits,
                   bench_case cases[BENCH_CASES_MAX]) {
    const case_table tables[] = {samples_table(), crowds_table(), points_table()};
    size_t count = 0;
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
        if (opencl || !groups[g].needs_opencl)
            count += add_methods(&groups[g], glob, &cases[count]);
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        count += add_rows(&tables[t], opencl, limits, glob, &cases[count]);
    return count;
}
