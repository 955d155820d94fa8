/* SPDX-License-Identifier: MIT
 *
 * One in-order queue. The engine's job writes local poses into one buffer, and the kernel changes a
 * copy of them: poses that are not updated in a frame stay as the engine wrote them.
 */
#include "stages.h"

#include <stdlib.h>
#include <string.h>

#include "crowd/body.h"
#include "crowd/cull.h"
#include "crowd/queue.h"
#include "crowd/two_bones.h"
#include "fault.h"

struct stages {
    queue queue;
    cl_kernel cull, stand;
    cl_mem spheres, planes, seen, list; /* of culling */
    cl_mem animated, standing;          /* local poses before and after the kernel */
    cl_mem slopes, chain;
    cl_mem records; /* of stages_pose */
    float (*host_spheres)[4], (*host_slopes)[2];
    uint32_t *host_list; /* of stages_job, as the poses */
    void *host_poses;
};

bool stages_can(const pm_engine *engine) {
    return pm_cl_context(engine) != NULL;
}

bool stages_needed(const scene *s) {
    return s->culls || s->sloped;
}

static size_t pose_bytes(const scene *s) {
    return s->count * s->joints * pm_crowd_record_bytes(PM_CROWD_LOCAL);
}

static pm_status check(const queue *q, pm_error *error) {
    if (q->status == CL_SUCCESS)
        return PM_OK;
    error->cl_status = q->status;
    return fault(error, PM_ERROR_DEVICE, "culling or the slope: OpenCL error %d", (int)q->status);
}

/* ---- objects ------------------------------------------------------------------------------ */

static void open_culling(stages *st, const scene *s) {
    queue *q = &st->queue;
    const cl_int planes = SCENE_PLANES;
    st->cull = queue_kernel(q, cull_source, "cull");
    st->spheres = queue_buffer(q, s->count * sizeof *st->host_spheres, NULL);
    st->planes = queue_buffer(q, sizeof s->planes, NULL);
    st->seen = queue_buffer(q, sizeof(cl_uint), NULL);
    st->list = queue_buffer(q, s->count * sizeof(cl_uint), NULL);
    queue_argument(q, st->cull, 0, sizeof(cl_mem), &st->spheres);
    queue_argument(q, st->cull, 1, sizeof(cl_mem), &st->planes);
    queue_argument(q, st->cull, 2, sizeof planes, &planes);
    queue_argument(q, st->cull, 3, sizeof(cl_mem), &st->seen);
    queue_argument(q, st->cull, 4, sizeof(cl_mem), &st->list);
}

static void open_slope(stages *st, const scene *s) {
    queue *q = &st->queue;
    const cl_int joints = (cl_int)s->joints;
    cl_int chain[BODY_LEG_JOINTS];
    body_leg_slots(s->skeleton, chain);
    st->stand = queue_kernel(q, two_bones, "stand");
    st->animated = queue_buffer(q, pose_bytes(s), NULL);
    st->standing = queue_buffer(q, pose_bytes(s), NULL);
    st->slopes = queue_buffer(q, s->count * sizeof *st->host_slopes, NULL);
    st->chain = queue_buffer(q, sizeof chain, chain);
    queue_argument(q, st->stand, 0, sizeof(cl_mem), &st->standing);
    queue_argument(q, st->stand, 1, sizeof joints, &joints);
    queue_argument(q, st->stand, 2, sizeof(cl_mem), &st->chain);
    queue_argument(q, st->stand, 3, sizeof(cl_mem), &st->slopes);
}

pm_status stages_open(stages **st, const scene *s, pm_error *error) {
    *st = calloc(1, sizeof **st);
    if (!*st)
        return fault_memory(error);
    (*st)->host_spheres = calloc(s->count, sizeof *(*st)->host_spheres);
    (*st)->host_slopes = calloc(s->count, sizeof *(*st)->host_slopes);
    (*st)->host_list = calloc(s->count, sizeof *(*st)->host_list);
    queue_open(&(*st)->queue, s->engine);
    pm_status status = check(&(*st)->queue, error);
    if (!(*st)->host_spheres || !(*st)->host_slopes || !(*st)->host_list)
        status = fault_memory(error);
    if (status != PM_OK)
        stages_close(st);
    return status;
}

void stages_close(stages **st) {
    if (*st) {
        queue_close(&(*st)->queue);
        free((*st)->host_spheres);
        free((*st)->host_slopes);
        free((*st)->host_list);
        free((*st)->host_poses);
    }
    free(*st);
    *st = NULL;
}

/* ---- a frame ------------------------------------------------------------------------------ */

/* A sphere about each member, arms and sword included. */
static void enqueue_culling(stages *st, const scene *s, pm_cl_crowd_job *job) {
    queue *q = &st->queue;
    if (!st->cull)
        open_culling(st, s);
    const float size = (float)(s->height * s->scale);
    for (size_t i = 0; i < s->count; i++) {
        memcpy(st->host_spheres[i], s->places[i].position, 3 * sizeof(float));
        st->host_spheres[i][1] += 0.5f * size;
        st->host_spheres[i][3] = 1.2f * size;
    }
    queue_write(q, st->spheres, s->count * sizeof *st->host_spheres, st->host_spheres);
    queue_write(q, st->planes, sizeof s->planes, s->planes);
    queue_set_zero(q, st->seen, sizeof(cl_uint));
    queue_run(q, st->cull, s->count);
    job->indices.buffer = st->list;
    job->index_count = s->count; /* the most that there can be */
    job->counted.buffer = st->seen;
}

/* Poses the members locally, and makes the job one of the poses that the kernel changed. */
static pm_status enqueue_slope(stages *st, const scene *s, pm_cl_crowd_job *job, pm_error *error) {
    queue *q = &st->queue;
    if (!st->stand)
        open_slope(st, s);
    if (q->status != CL_SUCCESS)
        return check(q, error);
    const pm_cl_crowd_target local = {.output = PM_CROWD_LOCAL, .buffer = st->animated};
    pm_cl_crowd_job animate = *job;
    animate.outputs = &local;
    animate.output_count = 1;
    const pm_status status =
        pm_cl_crowd_pose(s->crowd, &animate, q->commands, 0, NULL, NULL, error);
    if (status != PM_OK)
        return status;
    for (size_t i = 0; i < s->count; i++)
        scene_slope(&s->places[i], st->host_slopes[i]);
    queue_write(q, st->slopes, s->count * sizeof *st->host_slopes, st->host_slopes);
    queue_copy(q, st->animated, st->standing, pose_bytes(s));
    queue_run(q, st->stand, s->count);
    job->instances = NULL;
    job->layers = job->ranges = (pm_cl_input){0};
    job->layer_count = 0;
    job->poses.buffer = st->standing;
    return check(q, error);
}

static pm_status enqueue(stages *st, const scene *s, cl_mem records, pm_error *error) {
    const pm_crowd_job from = scene_job(s);
    const pm_cl_crowd_target targets[SCENE_TARGETS] = {
        {.output = PM_CROWD_PALETTE, .buffer = records},
        {.output = PM_CROWD_MODEL,
         .subset = MODEL_HAND,
         .buffer = records,
         .offset = scene_hands_offset(s)}};
    pm_cl_crowd_job job = {.instances = from.instances,
                           .instance_count = from.instance_count,
                           .frame = from.frame,
                           .layers = {.memory = from.layers},
                           .layer_count = from.layer_count,
                           .ranges = {.memory = from.ranges},
                           .outputs = targets,
                           .output_count = scene_target_count(s)};
    if (s->culls)
        enqueue_culling(st, s, &job);
    pm_status status = check(&st->queue, error);
    if (status == PM_OK && s->sloped)
        status = enqueue_slope(st, s, &job, error);
    if (status == PM_OK)
        status = pm_cl_crowd_pose(s->crowd, &job, st->queue.commands, 0, NULL, NULL, error);
    return status;
}

pm_status stages_enqueue(stages *st, const scene *s, void *commands, void *records,
                         pm_error *error) {
    cl_command_queue own = st->queue.commands;
    st->queue.commands = commands;
    const pm_status status = enqueue(st, s, records, error);
    st->queue.commands = own;
    return status;
}

pm_status stages_pose(stages *st, const scene *s, void *records, pm_error *error) {
    if (!st->records)
        st->records = queue_buffer(&st->queue, scene_palette_bytes(s), NULL);
    const pm_status status = enqueue(st, s, st->records, error);
    if (status != PM_OK)
        return status;
    queue_read(&st->queue, st->records, scene_palette_bytes(s), records);
    return check(&st->queue, error);
}

pm_status stages_job(stages *st, const scene *s, pm_crowd_job *job, pm_error *error) {
    cl_uint seen = 0;
    *job = scene_job(s);
    if (s->culls) {
        queue_read(&st->queue, st->seen, sizeof seen, &seen);
        if (seen > 0) /* OpenCL reads no empty ranges */
            queue_read(&st->queue, st->list, seen * sizeof(cl_uint), st->host_list);
        job->indices = st->host_list;
        job->index_count = seen;
    }
    if (s->sloped) {
        if (!st->host_poses)
            st->host_poses = malloc(pose_bytes(s));
        if (!st->host_poses)
            return fault_memory(error);
        queue_read(&st->queue, st->standing, pose_bytes(s), st->host_poses);
        job->instances = NULL;
        job->layers = NULL;
        job->ranges = NULL;
        job->layer_count = 0;
        job->poses = st->host_poses;
    }
    return check(&st->queue, error);
}
