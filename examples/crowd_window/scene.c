/* SPDX-License-Identifier: MIT
 *
 * Figures of examples/crowd walk by its rules; members of a file stand in a square and play its clips.
 */
#include "show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posemill/posemill_motion.h>

#include "crowd/body.h"

static const double figure_height = 1.7;               /* metres, of members from a file */
static const double near_metres = 25, far_metres = 60; /* where levels of detail change */

/* ---- whom it consists of ---------------------------------------------------------------------- */

/* The motion with its way over the ground in a root of its own, above the hips, where that is possible. */
static pm_motion *open_motion(const char *file, uint32_t *hips) {
    const pm_motion_root_options wanted = {.add = true};
    pm_motion_root_report report = {0};
    pm_motion *motion = NULL, *rooted = NULL;
    pm_error error = {0};
    *hips = PM_NO_INDEX32;
    must(pm_motion_open(file, NULL, &motion, &error), &error);
    if (pm_motion_extract_root(motion, &wanted, &rooted, &report, &error) != PM_OK) {
        char text[PM_ERROR_TEXT_SIZE];
        pm_error_text(&error, PM_SPELLING_FIELD, text, sizeof text);
        fprintf(stderr, "crowd_window: root motion stays in the figure: %s\n", text);
        return motion;
    }
    pm_motion_destroy(&motion);
    *hips = report.joint;
    return rooted;
}

/* Whether the meshes are drawn, and not bones. */
static bool read_mesh(scene *s, const char *file, pm_motion_format format) {
    const pm_motion_character *c = s->character;
    if (!c->skin_slots || (format != PM_MOTION_GLB && format != PM_MOTION_GLTF))
        return false;
#ifdef CROWD_WINDOW_MESHES
    return mesh_of_file(&s->mesh, file, format == PM_MOTION_GLB, c->skin_slots,
                        c->skin_joint_count);
#else
    fprintf(stderr, "crowd_window: bones are drawn: %s: built without TinyGLTF\n", file);
    return false;
#endif
}

static void describe_file(scene *s, const char *file, pm_method method) {
    const pm_motion_character_options wanted = {.method = method};
    pm_error error = {0};
    uint32_t hips;
    pm_motion *motion = open_motion(file, &hips);
    must(pm_motion_character_create(motion, &wanted, &s->character, &error), &error);
    const pm_motion_character *c = s->character;
    s->skeleton_desc = c->skeleton;
    s->clips = c->clips;
    s->clip_count = c->clip_count;
    if (!read_mesh(s, file, pm_motion_get_content(motion)->format))
        s->skeleton_desc.inverse_binds = (pm_array){.data = NULL}; /* bones are bound at rest */
    for (uint32_t j = 0; hips != PM_NO_INDEX32 && j < c->skeleton.joint_count; j++)
        if (c->nodes[j] == hips)
            s->hips = j, s->flags = PM_CROWD_IN_PLACE;
    pm_motion_destroy(&motion);
}

/* A matrix for each joint; of a clip that does not exist, those of the rest pose. */
static float (*pose_of(const scene *s, uint32_t clip, pm_crowd_output output))[12] {
    const pm_crowd_instance instance = {.clip_a = clip, .flags = s->flags};
    pm_error error = {0};
    float(*matrices)[12] = zeros(s->joints, sizeof *matrices);
    must(pm_crowd_pose_one(s->crowd, &(pm_crowd_one){.instance = &instance, .output = output},
                           matrices, &error),
         &error);
    return matrices;
}

static void make_mesh(scene *s) {
    float(*models)[12] = pose_of(s, UINT32_MAX, PM_CROWD_MODEL);
    if (s->figure)
        mesh_of_figure(&s->mesh, pm_skeleton_slots(s->skeleton), (const float(*)[12])models);
    else if (!s->mesh.vertices)
        mesh_of_bones(&s->mesh, &s->skeleton_desc, pm_skeleton_slots(s->skeleton),
                      (const float(*)[12])models, s->hips);
    free(models);
}

/* The size of the first clip's first pose. The figure of examples/crowd is in metres, and stands at 0. */
static void measure(scene *s, const char *file) {
    double low[3], high[3];
    float(*palette)[12] = pose_of(s, 0, PM_CROWD_PALETTE);
    mesh_box(&s->mesh, (const float(*)[12])palette, low, high);
    free(palette);
    s->height = high[1] - low[1];
    s->scale = 1;
    if (s->figure)
        return;
    if (!(s->height > 0 && s->height < 1e6))
        die(EXIT_FAILED, "%s: what is drawn has no height in the first pose", file);
    s->scale = figure_height / s->height;
    s->ground = low[1];
    s->spacing = 0.5 + s->scale * fmax(high[0] - low[0], high[2] - low[2]);
}

/* ---- the ground --------------------------------------------------------------------------------- */

/* Metres, at least 0: level in the middle and around the crowd, and lower where that is small. */
static double hill(double x, double z, double radius) {
    const double part = hypot(x, z) / radius;
    const double rises = fmin(fmax(4 * part - 0.2, 0), 1) * fmin(fmax(6 - 5 * part, 0), 1);
    return rises * fmin(radius / 80, 1) *
           (3.2 + 2.4 * sin(x / 11 + 0.4) * sin(z / 13) + 0.8 * sin(x / 5 - z / 6));
}

static void make_hills(scene *s) {
    const double radius = 1.25 * agents_radius(s->count), cell = fmax(0.5, radius / 128);
    const uint32_t nodes = 2 * (uint32_t)ceil(radius / cell) + 1;
    const float corner = (float)(-0.5 * cell * (nodes - 1));
    free(s->hills.heights);
    s->hills = (hills){{{corner, corner}, (float)cell, nodes, nodes},
                       zeros((size_t)nodes * nodes, sizeof(float))};
    for (uint32_t r = 0; r < nodes; r++)
        for (uint32_t c = 0; c < nodes; c++)
            s->hills.heights[r * nodes + c] = (float)hill(
                (double)corner + cell * c, (double)corner + cell * r, agents_radius(s->count));
}

double ground_at(const hills *h, double x, double z, float slope[2]) {
    if (!h->heights)
        return 0;
    const double last = (double)(h->field.columns - 2), cell = (double)h->field.cell;
    const double u = fmin(fmax((x - (double)h->field.origin[0]) / cell, 0), last + 1);
    const double v = fmin(fmax((z - (double)h->field.origin[1]) / cell, 0), last + 1);
    const double column = fmin(floor(u), last), row = fmin(floor(v), last);
    const float *at = h->heights + (size_t)row * h->field.columns + (size_t)column;
    const double a = (double)at[0], b = (double)at[1], c = (double)at[h->field.columns],
                 d = (double)at[h->field.columns + 1], p = u - column, q = v - row;
    slope[0] = (float)(((1 - q) * (b - a) + q * (d - c)) / cell);
    slope[1] = (float)(((1 - p) * (c - a) + p * (d - b)) / cell);
    return (1 - q) * ((1 - p) * a + p * b) + q * ((1 - p) * c + p * d);
}

void scene_point(const scene *s, double point[3]) {
    const double radius = 0.42 * scene_radius(s), angle = 0.5 * s->time + 0.75;
    point[0] = radius * sin(angle);
    point[1] = 7 + 2 * sin(3 * angle);
    point[2] = radius * cos(angle);
}

/* ---- members ---------------------------------------------------------------------------------- */

void scene_open(scene *s, const char *file, pm_method method, pm_engine *engine, size_t count,
                bool level) {
    pm_error error = {0};
    *s = (scene){.hips = PM_NO_INDEX32};
    if (file) {
        describe_file(s, file, method);
    } else {
        s->figure = zeros(1, sizeof *s->figure);
        body_describe(s->figure, method);
        s->skeleton_desc = s->figure->skeleton;
        s->clips = s->figure->clips;
        s->clip_count = BODY_CLIPS;
    }
    s->joints = s->skeleton_desc.joint_count;
    must(pm_skeleton_create(&s->skeleton_desc, &s->skeleton, &error), &error);
    const pm_crowd_desc desc = {
        .skeleton = s->skeleton, .clips = s->clips, .clip_count = s->clip_count};
    must(pm_crowd_create(engine, &desc, &s->crowd, &error), &error);
    make_mesh(s);
    measure(s, file);
    s->agents = zeros(SCENE_MAX_COUNT, sizeof *s->agents);
    s->now = zeros(SCENE_MAX_COUNT, sizeof *s->now);
    s->moved = (agent_frame){.before = zeros(SCENE_MAX_COUNT, sizeof *s->now),
                             .after = s->now,
                             .motions = zeros(SCENE_MAX_COUNT, sizeof *s->moved.motions)};
    s->places = zeros(SCENE_MAX_COUNT, sizeof *s->places);
    if (file || level) {
        scene_set_count(s, count);
        return;
    }
    for (int i = 0; i < 4; i++)
        s->moved.changes[i] = zeros(SCENE_MAX_COUNT, sizeof *s->now);
    s->moved.changed = zeros(SCENE_MAX_COUNT, sizeof *s->moved.changed);
    s->moved.transitions = zeros(SCENE_MAX_COUNT, pm_crowd_transition_bytes(s->crowd));
    s->placements = zeros(SCENE_MAX_COUNT, sizeof *s->placements);
    s->goals = zeros(SCENE_MAX_COUNT, sizeof *s->goals);
    scene_set_count(s, count);
}

void scene_close(scene *s) {
    free(s->agents);
    free(s->moved.before);
    free(s->now);
    free(s->moved.motions);
    for (int i = 0; i < 4; i++)
        free(s->moved.changes[i]);
    free(s->moved.changed);
    free(s->moved.transitions);
    free(s->places);
    free(s->placements);
    free(s->goals);
    free(s->hills.heights);
    mesh_free(&s->mesh);
    pm_crowd_destroy(&s->crowd);
    pm_skeleton_destroy(&s->skeleton);
    pm_motion_character_destroy(&s->character);
    free(s->figure);
    *s = (scene){0};
}

static void place_in_square(scene *s) {
    const size_t side = (size_t)ceil(sqrt((double)s->count));
    const double middle = 0.5 * (double)(side - 1);
    for (size_t i = 0; i < s->count; i++)
        s->agents[i] = (agent){.x = s->spacing * ((double)(i % side) - middle),
                               .z = s->spacing * ((double)(i / side) - middle),
                               .cycles = fmod(0.618034 * (double)i, 1),
                               .kind = (enum agent_kind)(i % AGENT_KINDS)};
}

void scene_set_count(scene *s, size_t count) {
    s->count = count;
    if (s->figure)
        agents_place(s->agents, count);
    else
        place_in_square(s);
    if (s->goals)
        make_hills(s);
    if (s->moved.transitions)
        memset(s->moved.transitions, 0, count * pm_crowd_transition_bytes(s->crowd));
    s->time = 0;
    s->frame = 0;
}

double scene_radius(const scene *s) {
    return s->figure ? agents_radius(s->count) : s->spacing * sqrt(0.5 * (double)s->count);
}

/* ---- a frame ---------------------------------------------------------------------------------- */

/* Two clips of a file in turn, faded into each other for a quarter of the time. */
static void step_square(scene *s) {
    const uint32_t clips = (uint32_t)s->clip_count;
    for (size_t i = 0; i < s->count; i++) {
        const double begin = s->agents[i].cycles, phase = fmod(0.25 * s->time + begin, 1);
        const int64_t ticks = pm_crowd_ticks(10 * begin + s->time);
        s->now[i] = (pm_crowd_instance){.clip_a = (uint32_t)i % clips,
                                        .clip_b = (uint32_t)(i + 1) % clips,
                                        .time_a = ticks,
                                        .time_b = ticks,
                                        .weight = (float)fmax(0, 1 - fabs(8 * phase - 4)),
                                        .flags = s->flags};
    }
}

static uint8_t level_of(const agent *a, const double eye[3]) {
    const double distance = hypot(hypot(a->x - eye[0], a->z - eye[2]), eye[1]);
    return distance < near_metres ? 0 : distance < far_metres ? 1 : 2;
}

/* Feet stand on the hills and take their slope, and all look at the point. */
static void set_goals(scene *s, size_t i, const double point[3]) {
    const agent *a = &s->agents[i];
    s->placements[i] =
        (pm_placement){{0, (float)sin(a->heading / 2), 0, (float)cos(a->heading / 2)},
                       {(float)a->x, s->places[i].position[1], (float)a->z}};
    s->goals[i] = (goals){
        .stand = {.weight = 1, .tilt = 1, .lowest = -0.5f, .highest = 0.1f},
        .look = {.position = {(float)point[0], (float)point[1], (float)point[2]}, .weight = 1}};
}

void scene_step(scene *s, double seconds, const double eye[3]) {
    pm_error error = {0};
    double point[3];
    if (s->figure)
        must(agents_move(s->crowd, s->agents, s->count, s->time, seconds, &s->moved, &error),
             &error);
    s->time += seconds;
    if (!s->figure)
        step_square(s);
    scene_point(s, point);
    for (size_t i = 0; i < s->count; i++) {
        const agent *a = &s->agents[i];
        if (s->unblended)
            s->now[i].weight = 0;
        if (s->levels && s->frame > 0)
            s->now[i].level = level_of(a, eye);
        place *p = &s->places[i];
        *p = (place){.position = {(float)a->x, 0, (float)a->z},
                     .scale = (float)s->scale,
                     .sine = (float)sin(a->heading),
                     .cosine = (float)cos(a->heading),
                     .kind = (float)a->kind};
        p->height = (float)ground_at(&s->hills, a->x, a->z, p->slope);
        p->position[1] = p->height - (float)(s->scale * s->ground);
        if (s->goals)
            set_goals(s, i, point);
    }
    s->frame++;
}

pm_crowd_job scene_job(const scene *s) {
    static const pm_chain_use chains[] = {{BODY_STANDS, PM_CHAIN_IN_WORLD},
                                          {BODY_LOOKS, PM_CHAIN_IN_WORLD}};
    pm_crowd_job job = {.instances = s->now, .instance_count = s->count, .frame = s->frame};
    if (!s->goals)
        return job;
    job.chains = chains;
    job.chain_count = 2;
    job.goals = s->goals;
    job.ground = s->hills.field;
    job.heights = s->hills.heights;
    job.placements = s->placements;
    job.transitions = s->unblended ? NULL : s->moved.transitions;
    job.transition_time = pm_crowd_ticks(s->time);
    return job;
}

size_t scene_bytes(const scene *s) {
    return s->count * s->joints * pm_crowd_record_bytes(PM_CROWD_PALETTE);
}
