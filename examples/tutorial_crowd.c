/* SPDX-License-Identifier: MIT
 *
 * The program of docs/tutorial-crowd.md, which shows it in steps: from a skeleton and two clips
 * to ten thousand instances posed in an OpenCL buffer each frame.
 *
 *     tutorial_crowd
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <posemill/posemill_cl.h>
#include <posemill/posemill_crowd.h>

enum { HIPS, CHEST, HEAD, LEFT_ARM, RIGHT_ARM, LEFT_LEG, RIGHT_LEG, JOINTS };
enum { WALK, RUN, CLIPS };
enum { PEOPLE = 10000, FRAMES = 60, KEYS = 17, MATRIX = 12 };

static pm_status make_skeleton(pm_skeleton **skeleton, pm_error *error) {
    static const int32_t parents[JOINTS] = {-1, HIPS, CHEST, CHEST, CHEST, HIPS, HIPS};
    static const float offsets[JOINTS][3] = {
        {0, 0.95f, 0},      {0, 0.25f, 0},     {0, 0.35f, 0},      {0.18f, 0.28f, 0},
        {-0.18f, 0.28f, 0}, {0.1f, -0.05f, 0}, {-0.1f, -0.05f, 0},
    };
    const pm_skeleton_desc desc = {.joint_count = JOINTS,
                                   .parents = parents,
                                   .positions = {.data = offsets, .type = PM_FLOAT32}};
    return pm_skeleton_create(&desc, skeleton, error);
}

/* A rotation about x, the axis to a person's left. */
static void turn(float key[4], double radians) {
    key[0] = (float)sin(radians / 2);
    key[1] = key[2] = 0;
    key[3] = (float)cos(radians / 2);
}

/* One cycle: legs and arms swing against each other. The last key equals the first. */
static void make_keys(float keys[KEYS][JOINTS][4], double swing, double lean) {
    for (int k = 0; k < KEYS; k++) {
        const double phase = sin(2 * 3.14159265358979 * (k % (KEYS - 1)) / (KEYS - 1));
        turn(keys[k][HIPS], 0);
        turn(keys[k][CHEST], lean);
        turn(keys[k][HEAD], -lean);
        turn(keys[k][LEFT_ARM], swing * phase);
        turn(keys[k][RIGHT_ARM], -swing * phase);
        turn(keys[k][LEFT_LEG], -swing * phase);
        turn(keys[k][RIGHT_LEG], swing * phase);
    }
}

static pm_status make_crowd(pm_engine *engine, const pm_skeleton *skeleton, pm_crowd **crowd,
                            pm_error *error) {
    static float walk[KEYS][JOINTS][4], run[KEYS][JOINTS][4];
    static const pm_timeline walk_times = {.key_count = KEYS, .rate = {16, 1}}; /* 1 s */
    static const pm_timeline run_times = {.key_count = KEYS, .rate = {25, 1}};  /* 0.64 s */
    make_keys(walk, 0.5, 0.05);
    make_keys(run, 1.0, 0.2);
    const pm_clip_desc clips[CLIPS] = {
        [WALK] = {.track_count = JOINTS,
                  .timelines = &walk_times,
                  .rotations = {.data = walk, .type = PM_FLOAT32},
                  .method = PM_METHOD_SLERP,
                  .loop_period = 1.0},
        [RUN] = {.track_count = JOINTS,
                 .timelines = &run_times,
                 .rotations = {.data = run, .type = PM_FLOAT32},
                 .method = PM_METHOD_SLERP,
                 .loop_period = 0.64},
    };
    const pm_crowd_desc desc = {.skeleton = skeleton, .clips = clips, .clip_count = CLIPS};
    return pm_crowd_create(engine, &desc, crowd, error);
}

/* Person i at a time. Every third person runs, every fifth changes from walking to running. */
static pm_crowd_instance person(int i, double seconds) {
    const double offset = 0.037 * i;
    pm_crowd_instance in = {.clip_a = i % 3 == 0 ? RUN : WALK,
                            .time_a = pm_crowd_ticks(seconds + offset)};
    if (i % 5 == 0) {
        in.clip_a = WALK;
        in.clip_b = RUN;
        in.time_b = pm_crowd_ticks(seconds + offset);
        in.weight = (float)fmin(seconds, 1.0); /* one second long */
    }
    return in;
}

/* Enqueues the poses of a frame into the buffer; *posed is complete when they are there. */
static pm_status enqueue_frame(pm_crowd *crowd, int frame, pm_crowd_instance *people,
                               cl_command_queue queue, cl_mem palettes, cl_event *posed,
                               pm_error *error) {
    for (int i = 0; i < PEOPLE; i++)
        people[i] = person(i, frame / 60.0);
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
            fprintf(stderr, "tutorial_crowd: %s\n", error.message);
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

/* The largest difference of a matrix element between the buffer and poses in plain C. */
static double largest_difference(const pm_crowd *crowd, cl_command_queue queue, cl_mem palettes) {
    const size_t size = sizeof(float[JOINTS][MATRIX]);
    double largest = 0;
    for (int i = 0; i < PEOPLE; i += 97) {
        float there[JOINTS * MATRIX], here[JOINTS * MATRIX];
        const pm_crowd_instance in = person(i, (FRAMES - 1) / 60.0);
        if (clEnqueueReadBuffer(queue, palettes, CL_TRUE, (size_t)i * size, size, there, 0, NULL,
                                NULL) != CL_SUCCESS ||
            pm_crowd_pose_one(crowd, &in, PM_CROWD_PALETTE, here, NULL) != PM_OK)
            return HUGE_VAL;
        for (int k = 0; k < JOINTS * MATRIX; k++)
            largest = fmax(largest, fabs((double)there[k] - (double)here[k]));
    }
    return largest;
}

/* Buffer and queue on the engine's context, all frames, and the comparison. */
static int run_crowd(pm_engine *engine, pm_crowd *crowd) {
    cl_int status = CL_SUCCESS;
    int code = 1;
    const size_t bytes = sizeof(float[JOINTS][MATRIX]) * PEOPLE;
    cl_command_queue queue =
        clCreateCommandQueue(pm_cl_context(engine), pm_cl_device(engine), 0, &status);
    cl_mem palettes =
        queue ? clCreateBuffer(pm_cl_context(engine), CL_MEM_READ_WRITE, bytes, NULL, &status)
              : NULL;
    pm_crowd_instance *people = calloc(PEOPLE, sizeof *people);
    if (!queue || !palettes || !people) {
        fprintf(stderr, "tutorial_crowd: no memory (OpenCL error %d)\n", (int)status);
    } else if (run_frames(crowd, people, queue, palettes)) {
        const double largest = largest_difference(crowd, queue, palettes);
        printf("%d people of %d joints, %d frames, %zu bytes of palettes a frame\n", PEOPLE, JOINTS,
               FRAMES, bytes);
        printf("largest difference from poses in plain C: %.1e\n", largest);
        code = largest < 1e-5 ? 0 : 1;
    }
    free(people);
    if (palettes)
        clReleaseMemObject(palettes);
    if (queue)
        clReleaseCommandQueue(queue);
    return code;
}

int main(void) {
    pm_engine *engine = NULL;
    pm_skeleton *skeleton = NULL;
    pm_crowd *crowd = NULL;
    pm_error error = {0};
    int code = 1;
    if (pm_engine_create(NULL, &engine, &error) != PM_OK ||
        make_skeleton(&skeleton, &error) != PM_OK ||
        make_crowd(engine, skeleton, &crowd, &error) != PM_OK) {
        fprintf(stderr, "tutorial_crowd: %s\n", error.message);
    } else if (!pm_cl_context(engine)) {
        fprintf(stderr, "tutorial_crowd: no OpenCL device\n");
        code = 3;
    } else {
        code = run_crowd(engine, crowd);
    }
    pm_crowd_destroy(&crowd);
    pm_skeleton_destroy(&skeleton);
    pm_engine_destroy(&engine);
    return code;
}
