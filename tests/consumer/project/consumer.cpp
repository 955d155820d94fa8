/* SPDX-License-Identifier: MIT
 *
 * The same test as consumer.c, in C++11; with OpenCL it also includes the interop header.
 */
#if CONSUMER_OPENCL
#include <posemill/posemill_cl.h>
#endif
#include <posemill/posemill.h>

#include <cmath>
#include <iostream>

int main() {
    const double keys[2][4] = {{0, 0, 0, 1}, {0, 0, 0.70710678118654752, 0.70710678118654752}};
    const double halfway = 0.5;
    float result[4] = {};
    pm_error error = pm_error();
    pm_engine *engine = nullptr;
    pm_clip *clip = nullptr;

    pm_engine_desc engine_desc = pm_engine_desc();
    engine_desc.device = "none";
    pm_timeline timeline = pm_timeline();
    timeline.key_count = 2;
    timeline.rate.num = 1;
    timeline.rate.den = 1;
    pm_clip_desc desc = pm_clip_desc();
    desc.track_count = 1;
    desc.timelines = &timeline;
    desc.rotations.data = keys;
    desc.rotations.type = PM_FLOAT64;
    pm_sample_job job = pm_sample_job();
    job.sample_count = 1;
    job.times = &halfway;
    job.rotations = result;

    if (pm_engine_create(&engine_desc, &engine, &error) != PM_OK ||
        pm_clip_create(engine, &desc, &clip, &error) != PM_OK ||
        pm_sample(clip, &job, &error) != PM_OK) {
        std::cerr << "consumer: " << pm_status_name(error.status) << ": " << error.message << "\n";
        return 1;
    }
#if CONSUMER_OPENCL
    if (pm_cl_context(engine) != nullptr)
        return 1;
#endif
    std::cout << "posemill " << pm_version() << ": " << result[2] << "\n";
    pm_clip_destroy(&clip);
    pm_engine_destroy(&engine);
    return std::fabs(result[2] - 0.382683432f) < 1e-6f ? 0 : 1;
}
