/* SPDX-License-Identifier: MIT
 *
 * From a character on disk to the skinning palettes of a thousand instances: reads a motion file,
 * GLB or any other with a skeleton, creates a skeleton and a crowd, poses the instances, and puts
 * the matrices of each in the order of the skin's joints, to which the vertices of a mesh refer.
 * With the name of a joint it also prints where this joint is, for something that the character
 * holds in its hand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posemill/posemill_motion.h>

enum { INSTANCES = 1000, NUMBERS = 12 }; /* a 3x4 matrix for each joint */

/* A thousand instances of all clips, a hundredth of a second apart. */
static void place(pm_crowd_instance *instances, size_t clips) {
    for (size_t i = 0; i < INSTANCES; i++)
        instances[i] = (pm_crowd_instance){.clip_a = (uint32_t)(i % clips),
                                           .time_a = pm_crowd_ticks(0.01 * (double)i)};
}

/* The matrices of the skin's joints, one instance after another: what a mesh is drawn with. A
 * renderer can instead replace joint j in the vertices of the mesh by skin_slots[j], once. */
static float *in_order_of_skin(const pm_motion_character *character, const float *palettes) {
    const size_t joints = character->skeleton.joint_count, count = character->skin_joint_count;
    const size_t matrix = NUMBERS * sizeof(float);
    float *ordered = malloc(INSTANCES * count * matrix);
    for (size_t i = 0; ordered && i < INSTANCES; i++)
        for (size_t j = 0; j < count; j++)
            memcpy(ordered + NUMBERS * (i * count + j),
                   palettes + NUMBERS * (i * joints + character->skin_slots[j]), matrix);
    return ordered;
}

/* Fills the error as the library does. */
static pm_status out_of_memory(pm_error *error) {
    error->status = PM_ERROR_MEMORY;
    snprintf(error->message, sizeof error->message, "out of memory");
    return PM_ERROR_MEMORY;
}

/* Prints where a joint of the last instance is, from its matrix in model space. */
static pm_status print_joint(const pm_motion *motion, const pm_motion_character *character,
                             const pm_crowd *crowd, const pm_crowd_instance *instance,
                             const char *name, pm_error *error) {
    uint32_t node = 0;
    if (!pm_motion_find_joint(motion, name, &node) || character->node_slots[node] == UINT32_MAX) {
        error->status = PM_ERROR_ARGUMENT;
        snprintf(error->message, sizeof error->message, "no joint is named '%s'", name);
        return error->status;
    }
    float *matrices = malloc(character->skeleton.joint_count * NUMBERS * sizeof(float));
    if (!matrices)
        return out_of_memory(error);
    const float *m = matrices + (size_t)NUMBERS * character->node_slots[node];
    const pm_status status = pm_crowd_pose_one(crowd, instance, PM_CROWD_MODEL, matrices, error);
    if (status == PM_OK)
        printf("%s of the last instance is at %g %g %g\n", name, (double)m[3], (double)m[7],
               (double)m[11]);
    free(matrices);
    return status;
}

static pm_status pose(const char *path, const char *name, float **palettes, size_t *joints,
                      pm_error *error) {
    static pm_crowd_instance instances[INSTANCES];
    pm_motion *motion = NULL;
    const pm_motion_character *character = NULL;
    pm_engine *engine = NULL;
    pm_skeleton *skeleton = NULL;
    pm_crowd *crowd = NULL;

    pm_status status = pm_motion_open(path, NULL, &motion, error);
    if (status == PM_OK)
        status = pm_motion_character_create(motion, NULL, &character, error);
    if (status == PM_OK)
        status = pm_engine_create(NULL, &engine, error);
    if (status == PM_OK)
        status = pm_skeleton_create(&character->skeleton, &skeleton, error);
    if (status == PM_OK) {
        const pm_crowd_desc desc = {
            .skeleton = skeleton, .clips = character->clips, .clip_count = character->clip_count};
        *joints = character->skeleton.joint_count;
        *palettes = malloc(INSTANCES * *joints * NUMBERS * sizeof(float));
        place(instances, character->clip_count);
        status = *palettes ? pm_crowd_create(engine, &desc, &crowd, error) : out_of_memory(error);
    }
    if (status == PM_OK) {
        const pm_crowd_target target = {.output = PM_CROWD_PALETTE, .memory = *palettes};
        const pm_crowd_job job = {.instances = instances,
                                  .instance_count = INSTANCES,
                                  .outputs = &target,
                                  .output_count = 1};
        status = pm_crowd_pose(crowd, &job, error);
    }
    if (status == PM_OK && character->skin_slots) {
        float *ordered = in_order_of_skin(character, *palettes);
        status = ordered ? PM_OK : out_of_memory(error);
        free(*palettes);
        *palettes = ordered;
        *joints = character->skin_joint_count;
    }
    if (status == PM_OK && name)
        status = print_joint(motion, character, crowd, &instances[INSTANCES - 1], name, error);
    pm_crowd_destroy(&crowd);
    pm_skeleton_destroy(&skeleton);
    pm_engine_destroy(&engine);
    pm_motion_character_destroy(&character);
    pm_motion_destroy(&motion);
    return status;
}

int main(int argc, char **argv) {
    pm_error error = {.status = PM_OK};
    float *palettes = NULL;
    size_t joints = 0;
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: character FILE.glb [JOINT]\n");
        return 2;
    }
    if (pose(argv[1], argc == 3 ? argv[2] : NULL, &palettes, &joints, &error) != PM_OK) {
        fprintf(stderr, "character: %s\n", error.message);
        free(palettes);
        return 1;
    }
    printf("%d instances of %zu joints; the last matrix of the last one moves by %g %g %g\n",
           INSTANCES, joints, (double)palettes[INSTANCES * joints * NUMBERS - 9],
           (double)palettes[INSTANCES * joints * NUMBERS - 5],
           (double)palettes[INSTANCES * joints * NUMBERS - 1]);
    free(palettes);
    return 0;
}
