/* SPDX-License-Identifier: MIT
 *
 * Builds a motion library from motion files, opens it, and samples the states of thousands of bodies
 * at random times, as a learner does in every step.
 *
 *     motion_library OUTPUT.npz FILE.bvh...
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <posemill/posemill_library.h>

enum { PAIRS = 4096, OFFSETS = 2 };

static int fail(const pm_error *error) {
    char text[PM_ERROR_TEXT_SIZE];
    pm_error_text(error, PM_SPELLING_FIELD, text, sizeof text);
    fprintf(stderr, "motion_library: %s\n", text);
    return 1;
}

/* A number from 0 to 1, excluding 1. */
static double draw(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* Random motions, and times that are uniform in them. */
static void draw_pairs(const pm_library *library, uint32_t *motions, double *times) {
    const pm_library_content *content = pm_library_get_content(library);
    const pm_crowd *crowd = pm_library_get_crowd(library);
    uint64_t state = 7;
    for (size_t i = 0; i < PAIRS; i++) {
        motions[i] = (uint32_t)(draw(&state) * (double)content->motion_count);
        times[i] =
            draw(&state) * (double)pm_crowd_clip_ticks(crowd, motions[i]) / PM_TICKS_PER_SECOND;
    }
}

/* Positions of all bodies, and velocities of the root, now and 20 ms later. */
static int sample(const pm_library *library) {
    static const double offsets[OFFSETS] = {0.0, 0.02};
    static uint32_t motions[PAIRS];
    static double times[PAIRS];
    static float velocities[PAIRS][OFFSETS][3];
    const pm_library_content *content = pm_library_get_content(library);
    const size_t instance = content->body_count * 3;
    float *positions = malloc(PAIRS * OFFSETS * instance * sizeof *positions);
    pm_error error;
    if (!positions)
        return 1;
    draw_pairs(library, motions, times);
    const pm_crowd_target outputs[] = {
        {.output = PM_CROWD_BODY_POS, .subset = PM_LIBRARY_BODIES, .memory = positions},
        {.output = PM_CROWD_BODY_VEL, .subset = PM_LIBRARY_ROOT, .memory = velocities}};
    const pm_library_job job = {.motions = motions,
                                .count = PAIRS,
                                .times = times,
                                .offsets = offsets,
                                .offset_count = OFFSETS,
                                .outputs = outputs,
                                .output_count = 2};
    if (pm_library_sample(library, &job, &error) != PM_OK) {
        free(positions);
        return fail(&error);
    }
    double height = 0, speed = 0; /* means over all pairs */
    for (size_t i = 0; i < PAIRS; i++) {
        const float *root = positions + i * OFFSETS * instance;
        height += (double)root[1] / PAIRS;
        const float *v = velocities[i][0];
        speed += sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])) / PAIRS;
    }
    printf("%d x %d states of %zu bodies: mean height %.3f, mean speed %.3f\n", PAIRS, OFFSETS,
           content->body_count, height, speed);
    free(positions);
    return 0;
}

int main(int argc, char **argv) {
    pm_engine *engine = NULL;
    pm_library *library = NULL;
    pm_error error;
    if (argc < 3)
        return fputs("usage: motion_library OUTPUT.npz FILE.bvh...\n", stderr), 2;
    const pm_library_build_options options = {.scale = 0.01}; /* centimetres to metres */
    if (pm_library_build((const char *const *)argv + 2, (size_t)argc - 2, &options, argv[1],
                         &error) != PM_OK ||
        pm_engine_create(NULL, &engine, &error) != PM_OK)
        return fail(&error);
    int code = 0;
    if (pm_library_open(engine, argv[1], NULL, &library, &error) != PM_OK)
        code = fail(&error);
    if (library) {
        printf("%zu motions, %llu frames\n", pm_library_get_content(library)->motion_count,
               (unsigned long long)pm_library_get_content(library)->row_count);
        code = sample(library);
    }
    pm_library_destroy(&library);
    pm_engine_destroy(&engine);
    return code;
}
