/* SPDX-License-Identifier: MIT
 *
 * Writes the measured motion files: BVH and GLB by the library, NPZ as AMASS has it. Every number that
 * moves comes from sums of two slow sines with random amplitude, rate and phase.
 */
#define _POSIX_C_SOURCE 200809L

#include "files.h"

#include "motion/model/model.h"
#include "scenes.h"
#if POSEMILL_NPZ
#include "motion/npz/npy_file.h"
#include "motion/npz/zip.h"
#endif

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BVH_JOINTS = 60, NPZ_JOINTS = 52, NPZ_RATE = 120, KEY_RATE = 30, FRAMES_MIN = 9 };
enum { GLB_CLIPS = 50, GLB_JOINTS = 100, GLB_KEYS = 31 };

const char *file_extension(file_content content) {
    return content == FILE_BVH                                          ? "bvh"
           : content == FILE_NPZ_STORED || content == FILE_NPZ_DEFLATED ? "npz"
                                                                        : "glb";
}

size_t file_joints(file_content content) {
    return content == FILE_BVH ? BVH_JOINTS : NPZ_JOINTS;
}

typedef struct wave {
    double amplitude[2], rate[2], phase[2];
} wave;

/* At most `range` in either direction, up to two periods a second. */
static wave choose_wave(double range, uint64_t *state) {
    const double two_pi = 6.283185307179586;
    wave w;
    for (int part = 0; part < 2; part++) {
        w.amplitude[part] = 0.5 * range * scenes_random(state);
        w.rate[part] = two_pi * (0.1 + 1.9 * scenes_random(state));
        w.phase[part] = two_pi * scenes_random(state);
    }
    return w;
}

static double wave_at(const wave *w, double time) {
    return w->amplitude[0] * sin(w->rate[0] * time + w->phase[0]) +
           w->amplitude[1] * sin(w->rate[1] * time + w->phase[1]);
}

/* ---- BVH and GLB --------------------------------------------------------------- */

/* A translation, or a rotation about an axis that tilts. */
static float *make_keys(pm_motion *motion, bool is_position, size_t count, uint64_t *state) {
    const size_t components = is_position ? 3 : 4;
    float *keys = motion_allocate(&motion->arena, count, components * sizeof *keys);
    const wave waves[] = {choose_wave(1.0, state), choose_wave(1.0, state),
                          choose_wave(1.0, state)};
    for (size_t k = 0; k < count && keys; k++) {
        double at[3];
        for (size_t c = 0; c < 3; c++)
            at[c] = wave_at(&waves[c], (double)k / KEY_RATE);
        const double rotation[] = {sin(at[0]) * cos(at[1]), sin(at[0]) * sin(at[1]), 0.0,
                                   cos(at[0])};
        for (size_t c = 0; c < components; c++)
            keys[components * k + c] = (float)(is_position ? at[c] : rotation[c]);
    }
    return keys;
}

/* The root has positions; in GLB all nodes have. */
static bool make_clip(pm_motion *motion, file_content content, size_t keys, uint64_t *state,
                      pm_motion_clip *clip) {
    const size_t most = 2 * motion->content.node_count;
    pm_motion_channel *channels = motion_allocate(&motion->arena, most, sizeof *channels);
    pm_timeline *timelines = motion_allocate(&motion->arena, most, sizeof *timelines);
    *clip = (pm_motion_clip){
        .name = {"clip", 4}, .timelines = timelines, .channels = channels, .rate = {KEY_RATE, 1}};
    bool complete = channels && timelines;
    for (size_t i = 0; i < most && complete; i++) {
        const bool is_position = i % 2 == 0;
        if (is_position && i > 0 && content == FILE_BVH)
            continue;
        if (i == 0 || content == FILE_GLB_TIMES)
            timelines[clip->timeline_count++] =
                (pm_timeline){.key_count = keys, .rate = {KEY_RATE, 1}};
        float *numbers = make_keys(motion, is_position, keys, state);
        channels[clip->channel_count++] =
            (pm_motion_channel){.node = (int32_t)(i / 2),
                                .path = is_position ? PM_MOTION_POSITION : PM_MOTION_ROTATION,
                                .components = is_position ? 3 : 4,
                                .timeline = (uint32_t)clip->timeline_count - 1,
                                .keys = {numbers, PM_FLOAT32, 0}};
        complete = numbers != NULL;
    }
    return complete;
}

/* A spine of six joints, and limbs of six joints on it. */
static bool make_nodes(pm_motion *motion, size_t count) {
    pm_motion_node *nodes = motion_allocate(&motion->arena, count, sizeof *nodes);
    bool complete = nodes != NULL;
    for (size_t j = 0; j < count && complete; j++) {
        char name[24];
        snprintf(name, sizeof name, "joint%zu", j);
        const size_t size = strlen(name);
        nodes[j] = (pm_motion_node){
            .name = {motion_copy_text(&motion->arena, name, size), size},
            .parent = j == 0 ? PM_NO_PARENT : (int32_t)(j % 6 != 0 ? j - 1 : j / 6 % 6),
            .position = {(double)(j % 6) + 0.5, (double)(4 + j % 5) + 0.25, 0.0},
            .rotation = {0.0, 0.0, 0.0, 1.0},
            .scale = {1.0, 1.0, 1.0}};
        complete = nodes[j].name.text != NULL;
    }
    motion->content.nodes = nodes;
    motion->content.node_count = count;
    return complete;
}

pm_motion *file_content_motion(file_content content, const file_source *source) {
    const bool is_bvh = content == FILE_BVH;
    const size_t clip_count = is_bvh ? 1 : GLB_CLIPS;
    uint64_t state = 1 + source->seed;
    pm_motion *motion = calloc(1, sizeof *motion);
    bool complete = motion && make_nodes(motion, is_bvh ? BVH_JOINTS : GLB_JOINTS);
    pm_motion_clip *clips =
        complete ? motion_allocate(&motion->arena, clip_count, sizeof *clips) : NULL;
    complete = clips != NULL;
    for (size_t i = 0; i < clip_count && complete; i++)
        complete = make_clip(motion, content, source->frames, &state, &clips[i]);
    if (!complete) {
        pm_motion_destroy(&motion);
        return NULL;
    }
    motion->content.layout = "";
    motion->content.clips = clips;
    motion->content.clip_count = clip_count;
    return motion;
}

static pm_status write_motion(file_content content, const file_source *source, pm_error *error) {
    pm_motion *motion = file_content_motion(content, source);
    const pm_status status =
        motion ? pm_motion_convert(motion, NULL, source->path, error) : motion_refuse_memory(error);
    pm_motion_destroy(&motion);
    return status;
}

/* ---- NPZ ----------------------------------------------------------------------- */

#if POSEMILL_NPZ
static pm_status write_to_file(void *user, const void *data, size_t size, pm_error *error) {
    (void)error;
    fwrite(data, 1, size, user); /* errors stay in the FILE for ferror */
    return PM_OK;
}

/* One array with (rows, columns) numbers: waves, or one constant. */
static pm_status write_array(zip_writer *zip, const char *name, uint16_t method, size_t rows,
                             size_t columns, double range, uint64_t *state, pm_error *error) {
    const zip_member member = {.name = {name, strlen(name)}, .method = method};
    const size_t shape[] = {rows, columns};
    const size_t rank = columns > 1 ? 2 : rows > 1 ? 1 : 0;
    char header[NPY_HEADER_MAX];
    const size_t before = npy_write_header(PM_FLOAT64, rank, shape, header);
    const size_t size = before + rows * columns * sizeof(double);
    char *bytes = malloc(size);
    if (!bytes)
        return motion_refuse_memory(error);
    memcpy(bytes, header, before);
    for (size_t c = 0; c < columns; c++) {
        const wave w = state ? choose_wave(range, state) : (wave){.amplitude = {0}};
        for (size_t row = 0; row < rows; row++) {
            const double number = state ? wave_at(&w, (double)row / NPZ_RATE) : range;
            memcpy(bytes + before + (row * columns + c) * sizeof number, &number, sizeof number);
        }
    }
    const pm_status status = zip_write_bytes(zip, &member, (zip_bytes){bytes, size}, error);
    free(bytes);
    return status;
}

static pm_status write_npz(uint16_t method, const file_source *source, pm_error *error) {
    FILE *file = fopen(source->path, "wb");
    const motion_sink sink = {write_to_file, file};
    zip_writer zip = {.sink = &sink};
    uint64_t state = 2 + source->seed;
    const size_t n = source->frames;
    if (!file)
        return motion_fail(error, PM_ERROR_OUTPUT, "%s", strerror(errno));
    pm_status status =
        write_array(&zip, "poses.npy", method, n, 3 * NPZ_JOINTS, 0.9, &state, error);
    if (status == PM_OK)
        status = write_array(&zip, "trans.npy", method, n, 3, 2.0, &state, error);
    if (status == PM_OK)
        status = write_array(&zip, "betas.npy", method, 16, 1, 1.0, &state, error);
    if (status == PM_OK)
        status = write_array(&zip, "mocap_framerate.npy", method, 1, 1, NPZ_RATE, NULL, error);
    if (status == PM_OK)
        status = zip_write_end(&zip, (zip_bytes){NULL, 0}, error);
    zip_writer_release(&zip);
    const bool failed = ferror(file) != 0;
    if ((fclose(file) != 0 || failed) && status == PM_OK)
        status = motion_fail(error, PM_ERROR_OUTPUT, "%s", strerror(errno));
    return status;
}
#endif

/* ---- files --------------------------------------------------------------------- */

cli_exit file_content_write(file_content content, size_t samples, file_source *source) {
    const bool is_glb = content == FILE_GLB || content == FILE_GLB_TIMES;
    const size_t joints = file_joints(content), frames = samples / joints;
    pm_error error = {.status = PM_OK};
    pm_status status = PM_OK;
    struct stat about;
    source->joints = is_glb ? (size_t)2 * GLB_JOINTS * GLB_CLIPS : joints;
    source->frames = is_glb ? GLB_KEYS : frames > FRAMES_MIN ? frames : FRAMES_MIN;
    if (is_glb || content == FILE_BVH)
        status = write_motion(content, source, &error);
#if POSEMILL_NPZ
    else
        status = write_npz(content == FILE_NPZ_STORED ? ZIP_STORED : ZIP_DEFLATED, source, &error);
#endif
    if (status == PM_OK && stat(source->path, &about) != 0)
        status = motion_fail(&error, PM_ERROR_OUTPUT, "%s", strerror(errno));
    if (status != PM_OK)
        return cli_fail_error(source->path, &error);
    source->bytes = (size_t)about.st_size;
    return CLI_DONE;
}
