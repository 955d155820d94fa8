/* SPDX-License-Identifier: MIT
 *
 * The shortest useful program: three rotation keys half a second apart, sampled five times per
 * second along a squad curve. README.md shows it with its output.
 */
#include <posemill/posemill.h>

#include <stdio.h>

int main(void) {
    static const float keys[3][4] = {{0, 0, 0, 1}, {0, 0.6f, 0, 0.8f}, {0.5f, 0.5f, 0.5f, 0.5f}};
    const pm_timeline twice_a_second = {.key_count = 3, .rate = {2, 1}};
    const pm_clip_desc desc = {.track_count = 1,
                               .timelines = &twice_a_second,
                               .rotations = {.data = keys, .type = PM_FLOAT32},
                               .method = PM_METHOD_SQUAD};
    float out[6][4];
    const pm_sample_job job = {.sample_count = 6, .rate = {5, 1}, .rotations = out[0]};
    pm_engine *engine = NULL;
    pm_clip *clip = NULL;
    pm_error error = {0};

    if (pm_engine_create(NULL, &engine, &error) == PM_OK &&
        pm_clip_create(engine, &desc, &clip, &error) == PM_OK &&
        pm_sample(clip, &job, &error) == PM_OK)
        for (int k = 0; k < 6; k++)
            printf("%3.1f s  %9.6f %9.6f %9.6f %9.6f\n", 0.2 * k, (double)out[k][0],
                   (double)out[k][1], (double)out[k][2], (double)out[k][3]);
    else {
        char text[PM_ERROR_TEXT_SIZE];
        pm_error_text(&error, PM_SPELLING_FIELD, text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
    pm_clip_destroy(&clip);
    pm_engine_destroy(&engine);
    return error.status == PM_OK ? 0 : 1;
}
