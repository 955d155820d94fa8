/* SPDX-License-Identifier: MIT
 *
 * Posemill on the workload, all tasks; bench/harness/workload_adapter.h. POSEMILL_DEVICE is the device, as for the
 * command: auto, cpu, gpu, none (plain C), or part of a name.
 */
#include "workload_adapter.h"

#include <posemill/posemill_crowd.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define VERSION TEXT(PM_VERSION_MAJOR) "." TEXT(PM_VERSION_MINOR) "." TEXT(PM_VERSION_PATCH)

typedef struct curves {
    pm_engine *engine;
    pm_clip *clip;
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    pm_crowd_instance *instances;
    pm_error error;
} curves;

static bool ok(curves *c, pm_status status) {
    if (status != PM_OK) {
        char text[PM_ERROR_TEXT_SIZE];
        pm_error_text(&c->error, PM_SPELLING_FIELD, text, sizeof text);
        fprintf(stderr, "posemill: %s\n", text);
    }
    return status == PM_OK;
}

static bool open_engine(curves *c, char *device, size_t size) {
    const pm_engine_desc desc = {.device = getenv("POSEMILL_DEVICE")};
    pm_device_info info;
    if (!ok(c, pm_engine_create(&desc, &c->engine, &c->error)))
        return false;
    pm_engine_get_info(c->engine, &info);
    if (info.type == PM_DEVICE_REFERENCE)
        snprintf(device, size, "CPU, plain C, all processors");
    else
        snprintf(device, size, "%.100s, %.100s", info.name, info.platform);
    return true;
}

/* Times are multiples of 2^-20 s, so ticks of 2^-32 s have them exactly. */
static bool make_crowd(curves *c, const workload_task *task, const pm_clip_desc *clip) {
    const pm_skeleton_desc skeleton = {.joint_count = task->track_count,
                                       .parents = task->parents,
                                       .positions = {.data = task->rest, .type = PM_FLOAT32}};
    if (!ok(c, pm_skeleton_create(&skeleton, &c->skeleton, &c->error)))
        return false;
    const pm_crowd_desc desc = {.skeleton = c->skeleton, .clips = clip, .clip_count = 1};
    c->instances = calloc(task->time_count, sizeof *c->instances);
    if (!c->instances)
        return false;
    for (size_t i = 0; i < task->time_count; i++) {
        c->instances[i].time_a = pm_crowd_ticks(task->times[i]);
        c->instances[i].flags = PM_CROWD_CLAMP_A;
    }
    for (size_t j = 0; j < task->track_count; j++)
        if (pm_skeleton_order(c->skeleton)[j] != j)
            return fprintf(stderr, "posemill: the joints are in another order\n"), false;
    return ok(c, pm_crowd_create(c->engine, &desc, &c->crowd, &c->error));
}

static bool make_curves(curves *c, const workload_task *task) {
    const pm_timeline timeline = {.key_count = task->key_count, .rate = {30, 1}};
    /* Shoemake's control points are those of mean velocities. */
    const pm_clip_desc desc = {.track_count = task->track_count,
                               .timelines = &timeline,
                               .rotations = {.data = task->keys, .type = PM_FLOAT32},
                               .method = strcmp(task->method, "squad") == 0   ? PM_METHOD_SQUAD
                                         : strcmp(task->method, "nlerp") == 0 ? PM_METHOD_NLERP
                                                                              : PM_METHOD_SLERP,
                               .tangents = PM_TANGENTS_MEAN,
                               .unlimited = true};
    if (strcmp(task->group, "crowd") == 0)
        return make_crowd(c, task, &desc);
    return ok(c, pm_clip_create(c->engine, &desc, &c->clip, &c->error));
}

static int prepare(const workload_task *task, workload_prepared *prepared) {
    curves *c = calloc(1, sizeof *c);
    prepared->state = c;
    return c && open_engine(c, prepared->device, sizeof prepared->device) && make_curves(c, task)
               ? 1
               : -1;
}

static bool run(const workload_task *task, void *state, float *results) {
    curves *c = state;
    if (c->crowd) {
        const pm_crowd_target target = {.output = PM_CROWD_MODEL, .memory = results};
        const pm_crowd_job pose = {.instances = c->instances,
                                   .instance_count = task->time_count,
                                   .outputs = &target,
                                   .output_count = 1};
        return ok(c, pm_crowd_pose(c->crowd, &pose, &c->error));
    }
    pm_sample_job job = {.sample_count = task->time_count, .rotations = results};
    if (task->rate > 0)
        job.rate = (pm_rational){task->rate, 1};
    else
        job.times = task->times;
    job.tracks = (const uint32_t *)task->pair_tracks;
    return ok(c, pm_sample(c->clip, &job, &c->error));
}

static void finish(void *state) {
    curves *c = state;
    if (!c)
        return;
    pm_crowd_destroy(&c->crowd);
    pm_skeleton_destroy(&c->skeleton);
    pm_clip_destroy(&c->clip);
    pm_engine_destroy(&c->engine);
    free(c->instances);
    free(c);
}

const workload_adapter workload_library = {.name = "Posemill",
                                           .version = VERSION,
                                           .compiler = "GCC " __VERSION__ ", -O3",
                                           .prepare = prepare,
                                           .run = run,
                                           .finish = finish};
