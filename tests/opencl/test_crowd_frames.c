/* SPDX-License-Identifier: MIT
 *
 * The cost of a frame loop: after the first frame, posing on a queue allocates nothing, builds
 * nothing and makes no OpenCL object except events, all of which it releases. Wrappers inserted by
 * the linker record all calls between the library and its runtimes.
 */
#include "base/counts.h"
#include "support/cl_objects.h"
#include "support/crowd_queue.h"
#include "support/faults.h"
#include "support/test.h"

#include <string.h>

enum { FRAMES = 10 };

static bool begins(const char *name, const char *with) {
    return strncmp(name, with, strlen(with)) == 0;
}

static bool is_for_frames(const char *name) {
    static const char *const allowed[] = {
        "clSetKernelArg", "clEnqueue",          "clRetainEvent",        "clReleaseEvent",
        "clGetEventInfo", "clGetMemObjectInfo", "clGetCommandQueueInfo"};
    for (size_t i = 0; i < COUNT_OF(allowed); i++)
        if (begins(name, allowed[i]))
            return true;
    return false;
}

/* Poses a frame and records only the library's calls. Returns how many of them make a kernel or a
 * buffer. */
static size_t record_frame(const pm_cl_crowd_job *job, cl_event gate) {
    const char *const *names;
    size_t made = 0;
    cl_event done = NULL;
    faults_record(true);
    const pm_status status = pm_cl_crowd_pose(posed.scene.crowd, job, caller.in_order, gate ? 1 : 0,
                                              gate ? &gate : NULL, &done, new_error());
    faults_record(false);
    expect_success(status);
    const size_t count = faults_recorded(&names);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        made += begins(names[i], "clCreate");
        if (job->frame > 1 && !is_for_frames(names[i]))
            fail_msg("frame %u calls %s", (unsigned)job->frame, names[i]);
    }
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
    return made;
}

/* All outputs, with copies of the previous records. Returns what the first frame made. */
static size_t run_frames(pm_cl_crowd_job job) {
    long live = 0;
    size_t made_first = 0;
    pm_cl_crowd_target targets[PM_CROWD_POSE_COUNT];
    scene_undo(&posed.scene); /* a crowd that was never posed */
    scene_finish(caller.engine, &posed.scene);
    for (unsigned o = 0; o < PM_CROWD_POSE_COUNT; o++)
        targets[o] = (pm_cl_crowd_target){
            .output = o, .buffer = queue_output_buffer(o), .previous = queue_output_buffer(o)};
    job.outputs = targets;
    job.output_count = PM_CROWD_POSE_COUNT;
    for (job.frame = 1; job.frame <= FRAMES; job.frame++) {
        cl_event gate = clCreateUserEvent(caller.context, NULL);
        gate_open(gate);
        const size_t made = record_frame(&job, job.frame % 2 ? gate : NULL);
        clReleaseEvent(gate);
        if (job.frame == 1)
            made_first = made;
        if (job.frame == 3)
            live = faults_live_objects();
    }
    assert_int_equal(faults_live_objects(), live);
    return made_first;
}

TEST(the_linker_wraps_the_calls) {
    assert_true(faults_are_linked());
}

CALLER_TEST(frames_of_host_instances_make_nothing_after_the_first) {
    const pm_cl_crowd_job job = {.instances = posed.instances, .instance_count = QUEUE_COUNT};
    /* The kernels, which the device keeps for the tests that follow. */
    assert_true(run_frames(job) >= PM_CROWD_POSE_COUNT);
}

CALLER_TEST(frames_of_instances_in_a_buffer_make_nothing_after_the_first) {
    cl_mem instances = buffer_of(caller.context, 0, sizeof posed.instances, posed.instances);
    run_frames((pm_cl_crowd_job){.instance_buffer = instances, .instance_count = QUEUE_COUNT});
    clReleaseMemObject(instances);
}

/* Fewer instances than before require no more memory. */
CALLER_TEST(frames_of_fewer_instances_make_nothing) {
    pm_cl_crowd_target target;
    pm_cl_crowd_job job = queue_new_job(&target, PM_CROWD_PALETTE);
    record_frame(&job, NULL);
    for (job.frame = 2; job.frame <= FRAMES; job.frame++) {
        job.instance_count = QUEUE_COUNT - job.frame;
        record_frame(&job, NULL);
    }
}

TEST_GROUP_ON_DEVICE(queue_open, queue_close)
