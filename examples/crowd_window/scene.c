/* SPDX-License-Identifier: MIT
 *
 * The crowd. Figures of examples/crowd walk by its rules; members of a file stand in a square and
 * play its clips.
 */
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"

static const double figure_height = 1.7;               /* metres, of members from a file */
static const double near_metres = 25, far_metres = 60; /* where levels of detail change */

/* ---- objects ------------------------------------------------------------------------------ */

static pm_status copy_mesh(scene *s, pm_error *error) {
    const mesh *from = &s->model->mesh;
    s->mesh = (mesh){.vertices = malloc(from->vertex_count * sizeof *from->vertices),
                     .vertex_count = from->vertex_count,
                     .indices = malloc(from->index_count * sizeof *from->indices),
                     .index_count = from->index_count};
    if (!s->mesh.vertices || !s->mesh.indices)
        return fault_memory(error);
    memcpy(s->mesh.vertices, from->vertices, from->vertex_count * sizeof *from->vertices);
    memcpy(s->mesh.indices, from->indices, from->index_count * sizeof *from->indices);
    mesh_use_skeleton_order(&s->mesh, s->skeleton);
    return PM_OK;
}

/* Sizes of the resting figure. The figure of examples/crowd is in metres, and stands at 0. */
static pm_status set_sizes(scene *s, const double low[3], const double high[3], pm_error *error) {
    s->height = high[1] - low[1];
    if (!(s->height > 0 && s->height < 1e6))
        return fault(error, PM_ERROR_FILE, "the mesh has no height in the rest pose");
    s->scale = s->model->is_figure ? 1 : figure_height / s->height;
    s->ground = s->model->is_figure ? 0 : low[1];
    s->spacing = 0.5 + s->scale * fmax(high[0] - low[0], high[2] - low[2]);
    return PM_OK;
}

/* A clip that does not exist shows the rest pose. */
static pm_status measure(scene *s, pm_error *error) {
    const pm_crowd_instance rest = {.clip_a = UINT32_MAX};
    double low[3] = {0}, high[3] = {0};
    float *palette = malloc(s->joints * pm_crowd_record_bytes(PM_CROWD_PALETTE));
    if (!palette)
        return fault_memory(error);
    const pm_status status = pm_crowd_pose_one(s->crowd, &rest, PM_CROWD_PALETTE, palette, error);
    if (status == PM_OK)
        mesh_box(&s->mesh, palette, low, high);
    free(palette);
    return status == PM_OK ? set_sizes(s, low, high, error) : status;
}

static pm_status open_crowd(scene *s, pm_error *error) {
    const pm_crowd_desc desc = {.skeleton = s->skeleton,
                                .clips = s->model->clips,
                                .clip_count = s->model->clip_count,
                                .markers = s->model->markers};
    return pm_crowd_create(s->engine, &desc, &s->crowd, error);
}

pm_status scene_open(scene *s, model *m, pm_engine *engine, size_t count, pm_error *error) {
    *s = (scene){.model = m, .engine = engine, .blends = true, .method = m->clips[0].method};
    s->joints = m->skeleton->joint_count;
    pm_status status = pm_skeleton_create(m->skeleton, &s->skeleton, error);
    if (status == PM_OK)
        status = open_crowd(s, error);
    if (status == PM_OK)
        status = copy_mesh(s, error);
    if (status == PM_OK)
        status = measure(s, error);
    if (status == PM_OK)
        status = scene_set_count(s, count, error);
    if (status != PM_OK)
        scene_close(s);
    return status;
}

static void free_members(scene *s) {
    free(s->agents);
    free(s->before);
    free(s->now);
    free(s->motions);
    free(s->places);
    layers_close(&s->layers);
    s->agents = NULL;
    s->before = s->now = NULL;
    s->motions = NULL;
    s->places = NULL;
}

void scene_close(scene *s) {
    free_members(s);
    mesh_free(&s->mesh);
    pm_crowd_destroy(&s->crowd);
    pm_skeleton_destroy(&s->skeleton);
    *s = (scene){0};
}

/* Members of a file stand in a square from the middle outwards and play all clips. */
static void place_in_square(scene *s) {
    const size_t side = (size_t)ceil(sqrt((double)s->count));
    const double middle = 0.5 * (double)(side - 1);
    for (size_t i = 0; i < s->count; i++) {
        const size_t row = i / side, column = i % side;
        s->agents[i] = (agent){.x = s->spacing * ((double)column - middle),
                               .z = s->spacing * ((double)row - middle),
                               .cycles = fmod(0.618034 * (double)i, 1),
                               .kind = (enum agent_kind)(i % AGENT_KINDS)};
    }
}

pm_status scene_set_count(scene *s, size_t count, pm_error *error) {
    free_members(s);
    s->count = count;
    s->agents = calloc(count, sizeof *s->agents);
    s->before = calloc(count, sizeof *s->before);
    s->now = calloc(count, sizeof *s->now);
    s->motions = calloc(count, sizeof *s->motions);
    s->places = calloc(count, sizeof *s->places);
    if (!s->agents || !s->before || !s->now || !s->motions || !s->places)
        return fault_memory(error);
    if (s->model->is_figure)
        agents_place(s->agents, count);
    else
        place_in_square(s);
    s->time = 0;
    return layers_open(&s->layers, count, error);
}

pm_status scene_set_method(scene *s, pm_method method, pm_error *error) {
    pm_status status = model_set_method(s->model, method, error);
    if (status != PM_OK)
        return status;
    pm_crowd_destroy(&s->crowd);
    s->method = method;
    return open_crowd(s, error);
}

/* ---- a frame ------------------------------------------------------------------------------ */

/* Two clips of a file in turn, faded into each other for a quarter of the time. */
static void step_square(scene *s, double seconds) {
    const uint32_t clips = (uint32_t)s->model->clip_count;
    s->time += seconds;
    for (size_t i = 0; i < s->count; i++) {
        const int64_t begin = (int64_t)(s->agents[i].cycles * 10 * PM_TICKS_PER_SECOND);
        const double phase = fmod(0.25 * s->time + s->agents[i].cycles, 1);
        const int64_t ticks = begin + pm_crowd_ticks(s->time);
        s->now[i] = (pm_crowd_instance){.clip_a = (uint32_t)i % clips,
                                        .clip_b = (uint32_t)(i + 1) % clips,
                                        .time_a = ticks,
                                        .time_b = ticks,
                                        .weight = (float)fmax(0, 1 - fabs(8 * phase - 4))};
    }
}

static uint8_t level_of(const agent *a, const double eye[3]) {
    const double distance = sqrt((a->x - eye[0]) * (a->x - eye[0]) + eye[1] * eye[1] +
                                 (a->z - eye[2]) * (a->z - eye[2]));
    return distance < near_metres ? 0 : distance < far_metres ? 1 : 2;
}

/* Options of the display, and where members stand. */
static void finish_step(scene *s, const double eye[3]) {
    for (size_t i = 0; i < s->count; i++) {
        const agent *a = &s->agents[i];
        const double facing = a->heading - a->turn;
        if (!s->blends)
            s->now[i].weight = 0;
        s->now[i].level = s->levels ? level_of(a, eye) : 0;
        s->places[i] = (place){
            .position = {(float)a->x, (float)(scene_steepness(s) * a->z - s->ground * s->scale),
                         (float)a->z},
            .scale = (float)s->scale,
            .sine = (float)sin(facing),
            .cosine = (float)cos(facing),
            .kind = (float)a->kind,
        };
    }
}

pm_status scene_step(scene *s, double seconds, const double eye[3], pm_error *error) {
    pm_status status = PM_OK;
    if (s->model->is_figure) {
        layers_steer(&s->layers, s->agents, s->time);
        status = agents_move(s->crowd, s->agents, s->count, s->time, seconds, s->before, s->now,
                             s->motions, error);
        s->time += seconds;
        if (status == PM_OK)
            status = layers_write(&s->layers, s->crowd, s->agents, s->time, error);
    } else {
        step_square(s, seconds);
    }
    finish_step(s, eye);
    s->frame++;
    return status;
}

/* ---- the ground and the view ----------------------------------------------------------------- */

double scene_steepness(const scene *s) {
    return s->sloped ? SCENE_STEEPNESS : 0;
}

void scene_slope(const place *p, float slope[2]) {
    slope[0] = (float)-SCENE_STEEPNESS * p->sine;
    slope[1] = (float)SCENE_STEEPNESS * p->cosine;
}

/* In clip space, a point is in view where no coordinate exceeds w, or -w on the other side. */
void scene_look(scene *s, const float view[16]) {
    for (int i = 0; i < SCENE_PLANES; i++) {
        double plane[4], length = 0;
        for (int c = 0; c < 4; c++) {
            const double along = (double)view[4 * c + i / 2];
            plane[c] = (double)view[4 * c + 3] + (i % 2 ? -along : along);
            length += c < 3 ? plane[c] * plane[c] : 0;
        }
        for (int c = 0; c < 4; c++)
            s->planes[i][c] = (float)(plane[c] / sqrt(length));
    }
}

/* ---- posing --------------------------------------------------------------------------------- */

pm_crowd_job scene_job(const scene *s) {
    pm_crowd_job job = {.instances = s->now, .instance_count = s->count, .frame = s->frame};
    layers_give(&s->layers, &job);
    return job;
}

pm_status scene_pose(const scene *s, pm_crowd_job job, void *records, pm_error *error) {
    const pm_crowd_target targets[SCENE_TARGETS] = {
        {.output = PM_CROWD_PALETTE, .memory = records},
        {.output = PM_CROWD_MODEL,
         .subset = MODEL_HAND,
         .memory = (unsigned char *)records + scene_hands_offset(s)}};
    job.outputs = targets;
    job.output_count = scene_target_count(s);
    return pm_crowd_pose(s->crowd, &job, error);
}

size_t scene_target_count(const scene *s) {
    return s->swords ? 2 : 1;
}

size_t scene_hands_offset(const scene *s) {
    return s->count * s->joints * pm_crowd_record_bytes(PM_CROWD_PALETTE);
}

size_t scene_palette_bytes(const scene *s) {
    const size_t hands = s->model->is_figure ? s->count * pm_crowd_record_bytes(PM_CROWD_MODEL) : 0;
    return scene_hands_offset(s) + hands;
}

uint32_t scene_slowest_level(const scene *s) {
    uint32_t frames = 1;
    for (size_t k = 0; s->levels && k < s->model->skeleton->level_count; k++)
        if (s->model->skeleton->levels[k].update_every > frames)
            frames = s->model->skeleton->levels[k].update_every;
    return frames;
}

double scene_radius(const scene *s) {
    return s->model->is_figure ? agents_radius(s->count)
                               : s->spacing * sqrt(0.5 * (double)s->count);
}
