/* SPDX-License-Identifier: MIT
 *
 * Samples the middle of a quarter turn with the public header only. Succeeds if the result is an
 * eighth of a turn.
 */
#include <math.h>
#include <stdio.h>

#include <posemill/posemill.h>

static int fail(const pm_error *error) {
    char text[PM_ERROR_TEXT_SIZE];
    pm_error_text(error, PM_SPELLING_FIELD, text, sizeof text);
    fprintf(stderr, "consumer: %s: %s\n", pm_status_name(error->status), text);
    return 1;
}

int main(void) {
    const double keys[2][4] = {{0, 0, 0, 1}, {0, 0, 0.70710678118654752, 0.70710678118654752}};
    const double halfway = 0.5;
    float result[4] = {0, 0, 0, 0};
    pm_error error = {.status = PM_OK};
    pm_engine *engine = NULL;
    pm_clip *clip = NULL;

    const pm_engine_desc engine_desc = {.device = "none"};
    const pm_timeline timeline = {.key_count = 2, .rate = {1, 1}};
    const pm_clip_desc desc = {
        .track_count = 1, .timelines = &timeline, .rotations = {.data = keys, .type = PM_FLOAT64}};
    const pm_sample_job job = {.sample_count = 1, .times = &halfway, .rotations = result};

    if (pm_engine_create(&engine_desc, &engine, &error) != PM_OK ||
        pm_clip_create(engine, &desc, &clip, &error) != PM_OK ||
        pm_sample(clip, &job, &error) != PM_OK)
        return fail(&error);
    printf("posemill %s: %g %g %g %g\n", pm_version(), (double)result[0], (double)result[1],
           (double)result[2], (double)result[3]);
    pm_clip_destroy(&clip);
    pm_engine_destroy(&engine);
    return fabs((double)result[2] - 0.38268343236508977) < 1e-6 ? 0 : 1;
}
