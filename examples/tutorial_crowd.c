/* SPDX-License-Identifier: MIT
 *
 * A crowd from a GLB file to matrices in an OpenCL buffer: the program of docs/tutorial-crowd.md.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <posemill/posemill_cl.h>
#include <posemill/posemill_motion.h>

enum { PEOPLE = 10000, FRAMES = 60, MATRIX = 12 };

/* The skeleton and the clips of a file, on the engine's device. Returns false after a message. */
static bool load_crowd(const char *path, pm_engine *engine, pm_skeleton **skeleton,
                       pm_crowd **crowd, uint32_t *head) {
    pm_motion *motion = NULL;
    const pm_motion_character *character = NULL;
    pm_error error = {0};
    uint32_t node = 0;
    pm_status status = pm_motion_open(path, NULL, &motion, &error);
    if (status == PM_OK)
        status = pm_motion_character_create(motion, NULL, &character, &error);
    if (status == PM_OK)
        status = pm_skeleton_create(&character->skeleton, skeleton, &error);
    if (status == PM_OK) {
        const pm_crowd_desc desc = {
            .skeleton = *skeleton, .clips = character->clips, .clip_count = character->clip_count};
        status = pm_crowd_create(engine, &desc, crowd, &error);
    }
    if (status == PM_OK)
        *head = pm_motion_find_joint(motion, "Head", &node) ? character->node_slots[node] : 0;
    else {
        char text[PM_ERROR_TEXT_SIZE];
        pm_error_text(&error, PM_SPELLING_FIELD, text, sizeof text);
        fprintf(stderr, "tutorial_crowd: %s\n", text);
    }
    pm_motion_character_destroy(&character);
    pm_motion_destroy(&motion);
    return status == PM_OK;
}

/* Person i at a time. Every fifth changes from the first clip to the last. */
static pm_crowd_instance person(const pm_crowd *crowd, int i, double seconds) {
    pm_crowd_info info;
    pm_crowd_get_info(crowd, &info);
    const uint32_t clips = (uint32_t)info.clip_count;
    const double speed = 0.9 + 0.02 * (i % 11);
    pm_crowd_instance in = {.clip_a = (uint32_t)i % clips,
                            .time_a = pm_crowd_ticks(speed * seconds + 0.037 * i),
                            .flags = PM_CROWD_IN_PLACE};
    if (i % 5 == 0) {
        in.clip_a = 0;
        in.clip_b = clips - 1;
        in.time_b = in.time_a;
        in.weight = (float)fmin(seconds, 1.0); /* one second long */
    }
    return in;
}

/* Enqueues the poses of a frame into the buffer; *posed is complete when they are there. */
static pm_status enqueue_frame(pm_crowd *crowd, int frame, pm_crowd_instance *people,
                               cl_command_queue queue, cl_mem palettes, cl_event *posed,
                               pm_error *error) {
    for (int i = 0; i < PEOPLE; i++)
        people[i] = person(crowd, i, frame / 60.0);
    const pm_cl_crowd_job job = {
        .instances = people, /* copied by the call */
        .instance_count = PEOPLE,
        .frame = (uint64_t)frame,
        .outputs = &(pm_cl_crowd_target){.output = PM_CROWD_PALETTE, .buffer = palettes},
        .output_count = 1};
    return pm_cl_crowd_pose(crowd, &job, queue, 0, NULL, posed, error);
}

/* Runs all frames. False, after a message, when OpenCL or a pose fails. */
static bool run_frames(pm_crowd *crowd, pm_crowd_instance *people, cl_command_queue queue,
                       cl_mem palettes) {
    pm_error error = {0};
    for (int frame = 0; frame < FRAMES; frame++) {
        cl_event posed = NULL;
        if (enqueue_frame(crowd, frame, people, queue, palettes, &posed, &error) != PM_OK) {
            char text[PM_ERROR_TEXT_SIZE];
            pm_error_text(&error, PM_SPELLING_FIELD, text, sizeof text);
            fprintf(stderr, "tutorial_crowd: %s\n", text);
            return false;
        }
        /* A renderer enqueues its own work here, with `posed` in the wait list. */
        const cl_int status = clWaitForEvents(1, &posed);
        clReleaseEvent(posed);
        if (status != CL_SUCCESS) {
            fprintf(stderr, "tutorial_crowd: OpenCL error %d\n", (int)status);
            return false;
        }
    }
    return true;
}

/* The largest difference of a number between the buffer and poses in plain C. */
static double largest_difference(const pm_crowd *crowd, size_t numbers, cl_command_queue queue,
                                 cl_mem palettes) {
    const size_t size = numbers * sizeof(float);
    float *there = malloc(size), *here = malloc(size);
    double largest = there && here ? 0 : HUGE_VAL;
    for (int i = 0; i < PEOPLE && largest < HUGE_VAL; i += 97) {
        const pm_crowd_instance in = person(crowd, i, (FRAMES - 1) / 60.0);
        if (clEnqueueReadBuffer(queue, palettes, CL_TRUE, (size_t)i * size, size, there, 0, NULL,
                                NULL) != CL_SUCCESS ||
            pm_crowd_pose_one(crowd, &(pm_crowd_one){.instance = &in, .output = PM_CROWD_PALETTE},
                              here, NULL) != PM_OK)
            largest = HUGE_VAL;
        for (size_t k = 0; k < numbers && largest < HUGE_VAL; k++)
            largest = fmax(largest, fabs((double)there[k] - (double)here[k]));
    }
    free(there);
    free(here);
    return largest;
}

/* The height of a joint of one person. */
static double height(const pm_crowd *crowd, uint32_t joint, size_t numbers) {
    const pm_crowd_instance in = person(crowd, 1, 0);
    float *models = malloc(numbers * sizeof(float));
    double y = (double)NAN;
    if (models &&
        pm_crowd_pose_one(crowd, &(pm_crowd_one){.instance = &in, .output = PM_CROWD_MODEL}, models,
                          NULL) == PM_OK)
        y = (double)models[(size_t)joint * MATRIX + 7]; /* the second row's last number */
    free(models);
    return y;
}

/* Buffer and queue on the engine's context, all frames, and the comparison. */
static int run_crowd(pm_engine *engine, pm_crowd *crowd, uint32_t head) {
    pm_crowd_info info;
    pm_crowd_get_info(crowd, &info);
    cl_int status = CL_SUCCESS;
    int code = 1;
    const size_t numbers = info.joint_count * MATRIX, bytes = numbers * sizeof(float) * PEOPLE;
    cl_command_queue queue =
        clCreateCommandQueue(pm_cl_context(engine), pm_cl_device(engine), 0, &status);
    cl_mem palettes =
        queue ? clCreateBuffer(pm_cl_context(engine), CL_MEM_READ_WRITE, bytes, NULL, &status)
              : NULL;
    pm_crowd_instance *people = calloc(PEOPLE, sizeof *people);
    if (!queue || !palettes || !people) {
        fprintf(stderr, "tutorial_crowd: no memory (OpenCL error %d)\n", (int)status);
    } else if (run_frames(crowd, people, queue, palettes)) {
        const double largest = largest_difference(crowd, numbers, queue, palettes);
        printf("%d people of %zu joints, %d frames, %zu bytes of palettes a frame\n", PEOPLE,
               info.joint_count, FRAMES, bytes);
        printf("the head of the second is at a height of %.2f\n", height(crowd, head, numbers));
        printf("largest difference from poses in plain C: %.1e\n", largest);
        code = largest < 1e-4 ? 0 : 1;
    }
    free(people);
    if (palettes)
        clReleaseMemObject(palettes);
    if (queue)
        clReleaseCommandQueue(queue);
    return code;
}

int main(int argc, char **argv) {
    pm_engine *engine = NULL;
    pm_skeleton *skeleton = NULL;
    pm_crowd *crowd = NULL;
    pm_error error = {0};
    uint32_t head = 0;
    int code = 1;
    if (argc != 2) {
        fprintf(stderr, "usage: tutorial_crowd FILE.glb\n");
        return 2;
    }
    if (pm_engine_create(NULL, &engine, &error) != PM_OK) {
        char text[PM_ERROR_TEXT_SIZE];
        pm_error_text(&error, PM_SPELLING_FIELD, text, sizeof text);
        fprintf(stderr, "tutorial_crowd: %s\n", text);
    } else if (!pm_cl_context(engine)) {
        fprintf(stderr, "tutorial_crowd: no OpenCL device\n");
        code = 3;
    } else if (load_crowd(argv[1], engine, &skeleton, &crowd, &head))
        code = run_crowd(engine, crowd, head);
    pm_crowd_destroy(&crowd);
    pm_skeleton_destroy(&skeleton);
    pm_engine_destroy(&engine);
    return code;
}
