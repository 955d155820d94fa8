/* SPDX-License-Identifier: MIT
 *
 * Writes the measured motion files. Every number that moves is a sum of two slow sines with random
 * amplitude, rate and phase.
 */
#define _POSIX_C_SOURCE 200809L

#include "file_content.h"

#include "scenes.h"

#include "motion/npz/npy_file.h"
#include "motion/text/text.h"
#if POSEMILL_NPZ
#include "motion/npz/zip.h"
#endif

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BVH_JOINTS = 60, BVH_RATE = 30, NPZ_JOINTS = 52, NPZ_RATE = 120, FRAMES_MIN = 9 };
enum { BVH_CHANNELS = 3 * BVH_JOINTS + 3, NPZ_COLUMNS = 3 * NPZ_JOINTS };
static const double two_pi = 6.283185307179586;

const char *file_extension(file_content content) {
    return content == FILE_BVH                                          ? "bvh"
           : content == FILE_NPZ_STORED || content == FILE_NPZ_DEFLATED ? "npz"
                                                                        : "glb";
}

size_t file_joints(file_content content) {
    return content == FILE_BVH ? BVH_JOINTS : NPZ_JOINTS;
}

/* ---- motion -------------------------------------------------------------------- */

typedef struct wave {
    double amplitude[2], rate[2], phase[2];
} wave;

/* At most `range` in either direction, up to two periods a second. */
static void choose_waves(wave *waves, size_t count, double range, uint64_t *state) {
    for (size_t i = 0; i < count; i++) {
        for (int part = 0; part < 2; part++) {
            waves[i].amplitude[part] = 0.5 * range * scenes_random(state);
            waves[i].rate[part] = two_pi * (0.1 + 1.9 * scenes_random(state));
            waves[i].phase[part] = two_pi * scenes_random(state);
        }
    }
}

static double wave_at(const wave *w, double time) {
    return w->amplitude[0] * sin(w->rate[0] * time + w->phase[0]) +
           w->amplitude[1] * sin(w->rate[1] * time + w->phase[1]);
}

static size_t frames_of(size_t samples, size_t joints) {
    return samples / joints > FRAMES_MIN ? samples / joints : FRAMES_MIN;
}

/* ---- BVH ----------------------------------------------------------------------- */

/* A spine of six joints, and limbs of six joints on it. */
static size_t bvh_parent(size_t joint) {
    return joint % 6 != 0 ? joint - 1 : joint / 6 % 6;
}

static void indent(FILE *file, int depth) {
    fprintf(file, "%.*s", depth, "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t");
}

static void write_joint(FILE *file, size_t joint, int depth) {
    bool has_children = false;
    indent(file, depth);
    fprintf(file, "%s joint%zu\n", joint == 0 ? "ROOT" : "JOINT", joint);
    indent(file, depth);
    fprintf(file, "{\n");
    indent(file, depth + 1);
    fprintf(file, "OFFSET %zu.500000 %zu.250000 0.000000\n", joint % 6, 4 + joint % 5);
    indent(file, depth + 1);
    fprintf(file, "CHANNELS %sZrotation Xrotation Yrotation\n",
            joint == 0 ? "6 Xposition Yposition Zposition " : "3 ");
    for (size_t child = joint + 1; child < BVH_JOINTS; child++) {
        if (bvh_parent(child) == joint) {
            write_joint(file, child, depth + 1);
            has_children = true;
        }
    }
    if (!has_children) {
        indent(file, depth + 1);
        fprintf(file, "End Site {\nOFFSET 0.000000 5.000000 0.000000\n}\n");
    }
    indent(file, depth);
    fprintf(file, "}\n");
}

static bool write_bvh(FILE *file, size_t samples, file_source *source) {
    enum { DECIMALS = 6, NUMBER_MAX = 16 };
    wave waves[BVH_CHANNELS];
    char line[BVH_CHANNELS * NUMBER_MAX + TEXT_FIXED_SIZE];
    uint64_t state = 1 + source->seed;
    source->joints = BVH_JOINTS;
    source->frames = frames_of(samples, BVH_JOINTS);
    choose_waves(waves, BVH_CHANNELS, 50.0, &state);
    fprintf(file, "HIERARCHY\n");
    write_joint(file, 0, 0);
    fprintf(file, "MOTION\nFrames: %zu\nFrame Time: 0.0333333\n", source->frames);
    for (size_t f = 0; f < source->frames; f++) {
        char *at = line;
        for (size_t c = 0; c < BVH_CHANNELS; c++) {
            at = text_write_fixed(at, wave_at(&waves[c], (double)f / BVH_RATE), DECIMALS);
            *at++ = c + 1 < BVH_CHANNELS ? ' ' : '\n';
        }
        fwrite(line, 1, (size_t)(at - line), file);
    }
    return true;
}

/* ---- NPZ ----------------------------------------------------------------------- */

#if POSEMILL_NPZ
static pm_status write_to_file(void *user, const void *data, size_t size, pm_error *error) {
    (void)error;
    fwrite(data, 1, size, user); /* errors stay in the FILE for ferror */
    return PM_OK;
}

/* One array with (rows, columns) numbers: waves, or one constant. */
static bool write_array(zip_writer *zip, const char *name, uint16_t method, size_t rows,
                        size_t columns, double range, uint64_t *state) {
    const size_t shape[] = {rows, columns};
    char header[NPY_HEADER_MAX];
    const size_t rank = columns > 1 ? 2 : rows > 1 ? 1 : 0;
    const size_t before = npy_write_header(PM_FLOAT64, rank, shape, header);
    const size_t size = before + rows * columns * sizeof(double);
    wave *waves = malloc(columns * sizeof *waves);
    char *bytes = malloc(size);
    pm_error error = {0};
    bool made = waves != NULL && bytes != NULL;
    if (made) {
        const zip_member member = {.name = {name, strlen(name)}, .method = method};
        if (state)
            choose_waves(waves, columns, range, state);
        memcpy(bytes, header, before);
        for (size_t i = 0; i < rows * columns; i++) {
            const size_t row = i / columns;
            const double time = (double)row / NPZ_RATE;
            const double number = state ? wave_at(&waves[i % columns], time) : range;
            memcpy(bytes + before + i * sizeof number, &number, sizeof number);
        }
        made = zip_write_bytes(zip, &member, (zip_bytes){bytes, size}, &error) == PM_OK;
    }
    free(waves);
    free(bytes);
    return made;
}

static bool write_npz(FILE *file, uint16_t method, size_t samples, file_source *source) {
    const motion_sink sink = {write_to_file, file};
    zip_writer zip = {.sink = &sink};
    pm_error error = {0};
    uint64_t state = 2 + source->seed;
    source->joints = NPZ_JOINTS;
    source->frames = frames_of(samples, NPZ_JOINTS);
    const size_t n = source->frames;
    const bool made = write_array(&zip, "poses.npy", method, n, NPZ_COLUMNS, 0.9, &state) &&
                      write_array(&zip, "trans.npy", method, n, 3, 2.0, &state) &&
                      write_array(&zip, "betas.npy", method, 16, 1, 1.0, &state) &&
                      write_array(&zip, "mocap_framerate.npy", method, 1, 1, NPZ_RATE, NULL) &&
                      zip_write_end(&zip, (zip_bytes){NULL, 0}, &error) == PM_OK;
    zip_writer_release(&zip);
    return made;
}
#endif

/* ---- GLB ----------------------------------------------------------------------- */

enum { TRANSLATION = 3, ROTATION = 4 }; /* components of a key */

static float *put_times(float *at) {
    for (size_t k = 0; k < GLB_KEYS; k++)
        *at++ = (float)((double)k / 30.0);
    return at;
}

/* A rotation about an axis that tilts, and a translation. */
static float *put_keys(float *at, const wave *waves, size_t components) {
    for (size_t k = 0; k < GLB_KEYS; k++) {
        const double time = (double)k / 30.0;
        if (components == TRANSLATION) {
            for (size_t c = 0; c < TRANSLATION; c++)
                *at++ = (float)wave_at(&waves[c], time);
            continue;
        }
        const double half = wave_at(&waves[0], time), tilt = wave_at(&waves[1], time);
        *at++ = (float)(sin(half) * cos(tilt));
        *at++ = (float)(sin(half) * sin(tilt));
        *at++ = 0.0f;
        *at++ = (float)cos(half);
    }
    return at;
}

float *file_glb_numbers(bool own_times, size_t *count) {
    uint64_t state = 3;
    wave waves[TRANSLATION];
    const size_t timelines = own_times ? GLB_CHANNELS : GLB_CLIPS;
    *count = (size_t)GLB_KEYS *
             (timelines + (size_t)GLB_CLIPS * GLB_JOINTS * (size_t)(TRANSLATION + ROTATION));
    float *numbers = malloc(*count * sizeof *numbers);
    float *at = numbers;
    for (size_t c = 0; c < GLB_CHANNELS && numbers; c++) {
        at = own_times || c % (GLB_CHANNELS / GLB_CLIPS) == 0 ? put_times(at) : at;
        choose_waves(waves, TRANSLATION, 1.0, &state);
        at = put_keys(at, waves, c % 2 == 0 ? TRANSLATION : ROTATION);
    }
    return numbers;
}

static void write_nodes(FILE *json) {
    fprintf(json, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
                  "\"nodes\":[");
    for (size_t i = 0; i < GLB_JOINTS; i++) {
        fprintf(json, "%s{\"name\":\"joint%zu\",\"translation\":[0,0.25,0]", i > 0 ? "," : "", i);
        if (i + 1 < GLB_JOINTS)
            fprintf(json, ",\"children\":[%zu]", i + 1);
        fprintf(json, "}");
    }
    fprintf(json, "]");
}

/* Accessors stand in the order of the numbers: the times of a clip or of a channel, then keys. */
static void write_animations(FILE *json, bool own_times) {
    const size_t of_clip = GLB_CHANNELS / GLB_CLIPS, step = own_times ? 2 : 1;
    fprintf(json, ",\"animations\":[");
    for (size_t clip = 0; clip < GLB_CLIPS; clip++) {
        const size_t first = clip * (own_times ? 2 * of_clip : of_clip + 1);
        fprintf(json, "%s{\"name\":\"clip%zu\",\"channels\":[", clip > 0 ? "," : "", clip);
        for (size_t c = 0; c < of_clip; c++)
            fprintf(json, "%s{\"sampler\":%zu,\"target\":{\"node\":%zu,\"path\":\"%s\"}}",
                    c > 0 ? "," : "", c, c / 2, c % 2 == 0 ? "translation" : "rotation");
        fprintf(json, "],\"samplers\":[");
        for (size_t c = 0; c < of_clip; c++) {
            const size_t input = own_times ? first + 2 * c : first;
            fprintf(json, "%s{\"input\":%zu,\"interpolation\":\"LINEAR\",\"output\":%zu}",
                    c > 0 ? "," : "", input, first + step * c + 1);
        }
        fprintf(json, "]}");
    }
    fprintf(json, "]");
}

/* An accessor and its buffer view, in two texts. */
static void write_accessor(FILE *accessors, FILE *views, size_t components, size_t *index,
                           size_t *offset) {
    static const char *const types[] = {
        [1] = "SCALAR", [TRANSLATION] = "VEC3", [ROTATION] = "VEC4"};
    const size_t size = GLB_KEYS * components * sizeof(float);
    const char *comma = *index > 0 ? "," : "";
    fprintf(accessors,
            "%s{\"bufferView\":%zu,\"componentType\":5126,\"count\":%d,\"type\":\"%s\"%s}", comma,
            *index, GLB_KEYS, types[components], components == 1 ? ",\"min\":[0],\"max\":[1]" : "");
    fprintf(views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", comma, *offset, size);
    *index += 1;
    *offset += size;
}

static void write_accessors(FILE *accessors, FILE *views, bool own_times) {
    size_t index = 0, offset = 0;
    for (size_t c = 0; c < GLB_CHANNELS; c++) {
        if (own_times || c % (GLB_CHANNELS / GLB_CLIPS) == 0)
            write_accessor(accessors, views, 1, &index, &offset);
        write_accessor(accessors, views, c % 2 == 0 ? TRANSLATION : ROTATION, &index, &offset);
    }
}

static void put32(FILE *file, size_t number) {
    for (int i = 0; i < 4; i++)
        fputc((int)(number >> (8 * i) & 0xff), file);
}

static void put_chunk(FILE *file, const char *type, const void *data, size_t size, char padding) {
    const size_t rest = (4 - size % 4) % 4;
    put32(file, size + rest);
    fwrite(type, 1, 4, file);
    fwrite(data, 1, size, file);
    for (size_t i = 0; i < rest; i++)
        fputc(padding, file);
}

/* The JSON document in malloc'ed memory; NULL when it is exhausted. */
static char *make_json(bool own_times, size_t bin_size, size_t *size) {
    char *texts[2] = {NULL, NULL};
    size_t view_size = 0;
    FILE *json = open_memstream(&texts[0], size);
    FILE *views = open_memstream(&texts[1], &view_size);
    bool made = json != NULL && views != NULL;
    if (made) {
        write_nodes(json);
        write_animations(json, own_times);
        fprintf(json, ",\"accessors\":[");
        write_accessors(json, views, own_times);
        fflush(views);
        fprintf(json, "],\"bufferViews\":[%s],\"buffers\":[{\"byteLength\":%zu}]}", texts[1],
                bin_size);
        made = ferror(json) == 0 && ferror(views) == 0;
    }
    made = (views == NULL || fclose(views) == 0) && made;
    made = (json == NULL || fclose(json) == 0) && made;
    free(texts[1]);
    if (!made) {
        free(texts[0]);
        texts[0] = NULL;
    }
    return texts[0];
}

static bool write_glb(FILE *file, bool own_times, file_source *source) {
    size_t count = 0, json_size = 0;
    float *numbers = file_glb_numbers(own_times, &count);
    const size_t bin_size = count * sizeof *numbers;
    char *json = make_json(own_times, bin_size, &json_size);
    const bool made = numbers != NULL && json != NULL;
    source->joints = GLB_CHANNELS;
    source->frames = GLB_KEYS;
    if (made) {
        fwrite("glTF", 1, 4, file);
        put32(file, 2);
        put32(file, 12 + 8 + (json_size + 3) / 4 * 4 + 8 + bin_size);
        put_chunk(file, "JSON", json, json_size, ' ');
        put_chunk(file, "BIN", numbers, bin_size, '\0');
    }
    free(json);
    free(numbers);
    return made;
}

/* ---- files --------------------------------------------------------------------- */

static bool write_content(FILE *file, file_content content, size_t samples, file_source *source) {
    switch (content) {
    case FILE_BVH:
        return write_bvh(file, samples, source);
#if POSEMILL_NPZ
    case FILE_NPZ_STORED:
        return write_npz(file, ZIP_STORED, samples, source);
    case FILE_NPZ_DEFLATED:
        return write_npz(file, ZIP_DEFLATED, samples, source);
#else
    case FILE_NPZ_STORED:
    case FILE_NPZ_DEFLATED:
        break;
#endif
    case FILE_GLB:
    case FILE_GLB_TIMES:
        return write_glb(file, content == FILE_GLB_TIMES, source);
    case FILE_CONTENT_COUNT:
        break;
    }
    return false;
}

cli_exit file_content_write(file_content content, size_t samples, file_source *source) {
    FILE *file = fopen(source->path, "wb");
    if (!file)
        return cli_fail(CLI_CANNOT_WRITE, source->path, NULL, "%s", strerror(errno));
    const bool made = write_content(file, content, samples, source);
    const long bytes = ftell(file);
    const bool written = ferror(file) == 0 && bytes > 0;
    if (fclose(file) != 0 || !written)
        return cli_fail(CLI_CANNOT_WRITE, source->path, "set TMPDIR to another folder", "%s",
                        strerror(errno));
    if (!made)
        return cli_fail(CLI_DEVICE_FAILED, "bench", "use a smaller --samples", "out of memory");
    source->bytes = (size_t)bytes;
    return CLI_DONE;
}
