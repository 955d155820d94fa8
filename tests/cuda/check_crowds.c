/* SPDX-License-Identifier: MIT
 *
 * Crowds: palettes of every rotation curve, with slerp all outputs, 48-bit keys and timelines per
 * joint.
 */
#include "checks.h"
#include "launches.h"
#include "support/crowd_scene.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"

enum { INSTANCES = 301 };

typedef struct posing {
    check *check;
    const char *what;
    const scene *scene;
    const pm_crowd_instance *instances; /* (INSTANCES) */
} posing;

/* Twice: contiguous records whose memory is aligned, and records that are aligned to their numbers
 * alone. */
static void check_output(const posing *p, pm_crowd_output output) {
    check *c = p->check;
    char name[64];
    const pm_crowd_data *crowd = p->scene->crowd->data;
    const size_t count = scene_floats(p->scene, output, INSTANCES);
    float *wanted = scene_pose(p->scene, output, p->instances, INSTANCES, true);
    float *got = calloc(count, sizeof *got);
    cuda_crowd_name(crowd, output, name, sizeof name);
    cuda_program *program = cuda_program_of(&c->programs, name);
    for (size_t offset = 0; offset <= sizeof(float); offset += sizeof(float)) {
        const cuda_pose_job job = {.crowd = crowd,
                                   .instances = p->instances,
                                   .instance_count = INSTANCES,
                                   .output = output,
                                   .offset = offset};
        if (program && got && cuda_pose(&c->programs, program, &job, got))
            check_compare(program, p->what, got, wanted, count);
        else
            c->failed = true;
    }
    free(got);
    guarded_free(wanted);
}

static void check_scene(check *c, const char *what, const scene_options *options,
                        unsigned outputs) {
    random_source source = {options->salt};
    pm_crowd_instance instances[INSTANCES];
    scene s;
    scene_make(c->engine, options, &s);
    for (size_t i = 0; i < INSTANCES; i++)
        instances[i] = i % 3 ? scene_instance(&source, &s) : scene_bad_instance(&source, &s);
    const posing p = {c, what, &s, instances};
    for (unsigned o = 0; o < outputs; o++)
        check_output(&p, (pm_crowd_output)o);
    scene_free(&s);
}

/* Skeletons of several shapes and sizes; the one of 200 joints is posed joint by joint. */
static void check_slerp(check *c) {
    static const struct {
        const char *what;
        scene_options options;
        unsigned outputs;
    } kinds[] = {
        {"64 joints", {.salt = 0xC0DA, .joints = 64, .binds = SCENE_BIND_RIGID}, 5},
        {"listed keys",
         {.salt = 0xC0DB, .joints = 23, .times = SCENE_LISTED, .looped = true, .scales = true},
         5},
        {"timelines per joint",
         {.salt = 0xC0DC, .joints = 31, .times = SCENE_PER_JOINT_UNEVEN, .binds = SCENE_BIND_RIGID},
         5},
        {"a chain", {.salt = 0xC0DD, .joints = 40, .shape = SCENE_CHAIN}, 1},
        {"200 joints", {.salt = 0xC0D9, .joints = 200}, 1},
        {"log48", {.salt = 0xC0DE, .key_format = PM_KEYS_LOG48}, 1},
        {"smallest48", {.salt = 0xC0DF, .key_format = PM_KEYS_SMALLEST48, .looped = true}, 1}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        check_scene(c, kinds[k].what, &kinds[k].options, kinds[k].outputs);
}

/* The first variant of each rotation curve. */
static void check_curves(check *c) {
    bool met[PM_CURVE_COUNT] = {false};
    for (size_t n = 0; n < variant_count(); n++) {
        const variant *v = variant_at(n);
        const pm_curve_id curve = pm_rotation_impl(&(pm_clip_desc){.method = v->method}).curve;
        if (curve != PM_CURVE_slerp && !met[curve])
            check_scene(c, v->name,
                        &(scene_options){.salt = 0xC0E0 + n, .curve = v, .scales = true}, 1);
        met[curve] = true;
    }
}

void check_crowds(check *c) {
    check_slerp(c);
    check_curves(c);
}
