/* SPDX-License-Identifier: MIT
 *
 * The caller of the tests of crowds on queues.
 */
#include "crowd_queue.h"
#include "support/motion.h"

#include <stdlib.h>
#include <string.h>

queue_caller caller;

static cl_command_queue make_queue(cl_command_queue_properties properties) {
    cl_int status = CL_SUCCESS;
    cl_command_queue queue =
        clCreateCommandQueue(caller.context, caller.device, properties, &status);
    return status == CL_SUCCESS ? queue : NULL;
}

int queue_open(void **state) {
    (void)state;
    void *kind_state = &on_device;
    cl_int status = CL_SUCCESS;
    pm_error error = poisoned_error();
    caller.device = pm_cl_device(engine_for(&kind_state));
    caller.context = clCreateContext(NULL, 1, &caller.device, NULL, NULL, &status);
    if (status != CL_SUCCESS)
        return 1;
    caller.in_order = make_queue(0);
    caller.out_of_order = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    expect_ok(pm_cl_engine_create(caller.context, caller.device, NULL, &caller.engine, &error),
              &error);
    scene_make(caller.engine,
               &(scene_options){.salt = 0xE01, .joints = QUEUE_JOINTS, .binds = SCENE_BIND_RIGID},
               &caller.scene);
    queue_instances(&caller.scene, 0xE02, caller.instances);
    for (unsigned o = 0; o < PM_CROWD_OUTPUT_COUNT; o++)
        caller.expected[o] = queue_expectation(&caller.scene, caller.instances, o);
    return caller.in_order == NULL;
}

int queue_close(void **state) {
    for (unsigned o = 0; o < PM_CROWD_OUTPUT_COUNT; o++)
        guarded_free(caller.expected[o]);
    scene_free(&caller.scene);
    pm_engine_destroy(&caller.engine);
    if (caller.in_order)
        clReleaseCommandQueue(caller.in_order);
    if (caller.out_of_order)
        clReleaseCommandQueue(caller.out_of_order);
    if (caller.context)
        clReleaseContext(caller.context);
    return engines_close(state);
}

void queue_instances(const scene *s, uint64_t salt, pm_crowd_instance *instances) {
    random_source source = random_salted(salt);
    for (size_t i = 0; i < QUEUE_COUNT; i++)
        instances[i] = scene_instance(&source, s);
}

float *queue_expectation(const scene *s, const pm_crowd_instance *instances,
                         pm_crowd_output output) {
    const size_t width = scene_floats(s, output, 1);
    float *records = guarded_floats(QUEUE_COUNT * width);
    pm_error error = poisoned_error();
    for (size_t i = 0; i < QUEUE_COUNT; i++)
        expect_ok(pm_crowd_pose_one(s->crowd, &instances[i], output, records + i * width, &error),
                  &error);
    return records;
}

size_t queue_bytes(pm_crowd_output output) {
    return QUEUE_COUNT * QUEUE_JOINTS * pm_crowd_record_bytes(output);
}

cl_mem queue_buffer(size_t bytes) {
    const size_t size = QUEUE_OFFSET + bytes + QUEUE_TAIL;
    unsigned char *poison = test_array(size, 1);
    memset(poison, 0xFF, size);
    cl_int status = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(caller.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size,
                                   poison, &status);
    assert_int_equal(status, CL_SUCCESS);
    free(poison);
    return buffer;
}

cl_mem queue_output_buffer(pm_crowd_output output) {
    return queue_buffer(queue_bytes(output));
}

float *queue_read(cl_mem buffer, size_t bytes, cl_event after) {
    const size_t size = QUEUE_OFFSET + bytes + QUEUE_TAIL;
    unsigned char *all = test_array(size, 1);
    assert_int_equal(clEnqueueReadBuffer(caller.in_order, buffer, CL_TRUE, 0, size, all,
                                         after ? 1 : 0, after ? &after : NULL, NULL),
                     CL_SUCCESS);
    for (size_t i = 0; i < QUEUE_OFFSET; i++)
        assert_int_equal(all[i], 0xFF);
    for (size_t i = QUEUE_OFFSET + bytes; i < size; i++)
        assert_int_equal(all[i], 0xFF);
    float *results = test_array(bytes, 1);
    memcpy(results, all + QUEUE_OFFSET, bytes);
    free(all);
    return results;
}

void queue_expect(cl_mem buffer, pm_crowd_output output, const float *expected, cl_event after) {
    const size_t bytes = queue_bytes(output);
    float *results = queue_read(buffer, bytes, after);
    expect_same_bits(results, expected, bytes / sizeof(float),
                     pm_crowd_record_bytes(output) / sizeof(float));
    free(results);
}

pm_cl_crowd_job queue_job(pm_crowd_output output, cl_mem buffer) {
    pm_cl_crowd_job job = {.instances = caller.instances, .instance_count = QUEUE_COUNT};
    job.outputs[output] = (pm_cl_crowd_target){.buffer = buffer, .offset = QUEUE_OFFSET};
    return job;
}

cl_event queue_pose(const pm_cl_crowd_job *job, cl_command_queue queue, cl_event gate) {
    cl_event done = NULL;
    pm_error error = poisoned_error();
    expect_ok(pm_cl_crowd_pose(caller.scene.crowd, job, queue, gate ? 1 : 0, gate ? &gate : NULL,
                               &done, &error),
              &error);
    assert_non_null(done);
    return done;
}
