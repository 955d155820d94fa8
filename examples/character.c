/* SPDX-License-Identifier: MIT
 *
 * From a character on disk to the skinning palettes of a thousand instances: reads a motion file, GLB
 * or any other with a skeleton, creates a skeleton and a crowd, and poses the instances.
 */
#include <stdio.h>
#include <stdlib.h>

#include <posemill/posemill_motion.h>

enum { INSTANCES = 1000, NUMBERS = 12 }; /* a 3x4 matrix for each joint */

/* A thousand instances of all clips, a hundredth of a second apart. */
static void place(pm_crowd_instance *instances, size_t clips) {
    for (size_t i = 0; i < INSTANCES; i++)
        instances[i] = (pm_crowd_instance){.clip_a = (uint32_t)(i % clips),
                                           .time_a = pm_crowd_ticks(0.01 * (double)i)};
}

static pm_status pose(const char *path, float **palettes, size_t *joints, pm_error *error) {
    static pm_crowd_instance instances[INSTANCES];
    pm_motion *motion = NULL;
    const pm_motion_character *character = NULL;
    pm_engine *engine = NULL;
    pm_skeleton *skeleton = NULL;
    pm_crowd *crowd = NULL;

    pm_status status = pm_motion_open(path, NULL, &motion, error);
    if (status == PM_OK)
        status = pm_motion_make_character(motion, NULL, &character, error);
    if (status == PM_OK)
        status = pm_engine_create(NULL, &engine, error);
    if (status == PM_OK)
        status = pm_skeleton_create(&character->skeleton, &skeleton, error);
    if (status == PM_OK) {
        const pm_crowd_desc desc = {skeleton, character->clips, character->clip_count};
        *joints = character->skeleton.joint_count;
        *palettes = malloc(INSTANCES * *joints * NUMBERS * sizeof(float));
        place(instances, character->clip_count);
        status = pm_crowd_create(engine, &desc, &crowd, error);
    }
    if (status == PM_OK && *palettes) {
        pm_crowd_job job = {.instances = instances, .instance_count = INSTANCES};
        job.outputs[PM_CROWD_PALETTE].memory = *palettes;
        status = pm_crowd_pose(crowd, &job, error);
    }
    pm_crowd_destroy(&crowd);
    pm_skeleton_destroy(&skeleton);
    pm_engine_destroy(&engine);
    pm_motion_free_character(&character);
    pm_motion_destroy(&motion);
    return status;
}

int main(int argc, char **argv) {
    pm_error error = {.status = PM_OK};
    float *palettes = NULL;
    size_t joints = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: character FILE.glb\n");
        return 2;
    }
    if (pose(argv[1], &palettes, &joints, &error) != PM_OK || !palettes) {
        fprintf(stderr, "character: %s\n", palettes ? error.message : "out of memory");
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
