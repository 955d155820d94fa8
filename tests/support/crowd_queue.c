/* SPDX-License-Identifier: MIT
 *
 * The crowd that tests pose on queues.
 */
#include "crowd_queue.h"
#include "motion.h"

#include <stdlib.h>
#include <string.h>

#include "base/counts.h"
#include "kernels/pm_crowd_outputs.h"

posed_crowd posed;

int queue_open(void **state) {
    (void)state;
    if (!caller_open())
        return 1;
    scene_make(caller.engine,
               &(scene_options){.salt = 0xE01, .joints = QUEUE_JOINTS, .binds = SCENE_BIND_RIGID},
               &posed.scene);
    scene_instances(&posed.scene, 0xE02, QUEUE_COUNT, posed.instances);
    for (unsigned o = 0; o < PM_CROWD_POSE_COUNT; o++)
        posed.expected[o] = queue_expectation(&posed.scene, posed.instances, o);
    return 0;
}

int queue_close(void **state) {
    for (unsigned o = 0; o < PM_CROWD_POSE_COUNT; o++)
        guarded_free(posed.expected[o]);
    scene_free(&posed.scene);
    caller_close();
    return engines_close(state);
}

float *queue_expectation(const scene *s, const pm_crowd_instance *instances,
                         pm_crowd_output output) {
    const size_t width = scene_floats(s, output, 1);
    float *records = guarded_floats(QUEUE_COUNT * width);
    pm_error error = poisoned_error();
    for (size_t i = 0; i < QUEUE_COUNT; i++)
        expect_ok(pm_crowd_pose_one(s->crowd,
                                    &(pm_crowd_one){.instance = &instances[i], .output = output},
                                    records + i * width, &error),
                  &error);
    return records;
}

size_t queue_bytes(pm_crowd_output output) {
    return scene_floats(&posed.scene, output, QUEUE_COUNT) * sizeof(float);
}

#define OUTPUT_ALIGNMENT(name, number, form, numbers, bits, bound)                                 \
    [PM_CROWD_##name] = 4 * (bits) / 8,
size_t queue_alignment(pm_crowd_output output) {
    static const size_t alignments[PM_CROWD_POSE_COUNT] = {PM_CROWD_POSE_OUTPUTS(OUTPUT_ALIGNMENT)};
    return alignments[output];
}

cl_mem queue_output_buffer(pm_crowd_output output) {
    return caller_buffer(queue_bytes(output));
}

void queue_expect(cl_mem buffer, pm_crowd_output output, const float *expected, cl_event after) {
    caller_expect(buffer, expected, queue_bytes(output) / sizeof(float),
                  pm_crowd_record_bytes(output) / sizeof(float), after);
}

pm_cl_crowd_job queue_job(pm_cl_crowd_target *target, pm_crowd_output output, cl_mem buffer) {
    *target = (pm_cl_crowd_target){.output = output, .buffer = buffer, .offset = CALLER_OFFSET};
    return (pm_cl_crowd_job){.instances = posed.instances,
                             .instance_count = QUEUE_COUNT,
                             .outputs = target,
                             .output_count = 1};
}

pm_cl_crowd_job queue_new_job(pm_cl_crowd_target *target, pm_crowd_output output) {
    return queue_job(target, output, queue_output_buffer(output));
}

cl_event queue_pose(const pm_cl_crowd_job *job, cl_command_queue queue, cl_event gate) {
    cl_event done = NULL;
    pm_error error = poisoned_error();
    expect_ok(pm_cl_crowd_pose(posed.scene.crowd, job, queue, gate ? 1 : 0, gate ? &gate : NULL,
                               &done, &error),
              &error);
    return caller_keep_event(done);
}
