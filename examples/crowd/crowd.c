/* SPDX-License-Identifier: MIT
 *
 * Simulates a crowd and draws its last frame. Each frame moves every agent by its root motion and
 * poses it on the device; only matrices in model space are read back.
 *
 *     crowd [-n AGENTS] [-s SECONDS] [-d DEVICE] [-o FILE]
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "agents.h"
#include "body.h"
#include "picture.h"

enum { FRAMES_PER_SECOND = 30, MAX_AGENTS = 200000, MAX_SECONDS = 600 };

typedef struct options {
    size_t agents;
    double seconds;
    const char *device;
    const char *file; /* NULL: stdout */
    bool help;
} options;

/* A crowd and the buffers of a frame, created once. */
typedef struct scene {
    body body;
    const uint32_t *slots; /* position of each joint in skeleton order */
    size_t count, frames;
    agent *agents;
    pm_crowd_instance *before, *after;
    pm_root_motion *motions;
    float *models; /* (count, joints, 12) */
} scene;

static const char usage[] = "usage: crowd [-n AGENTS] [-s SECONDS] [-d DEVICE] [-o FILE]\n";

static void print_help(void) {
    printf("%s\n"
           "Simulates agents that walk and run round a middle, and draws them as SVG.\n\n"
           "  -n AGENTS   number of agents, 1 to %d; default 10000\n"
           "  -s SECONDS  simulated time before the picture, 0 to 600; default 4\n"
           "  -d DEVICE   auto, cpu, gpu, none (plain C), a number or part of a name\n"
           "  -o FILE     output file; default stdout\n\n"
           "Example: crowd -n 300 -o crowd.svg\n",
           usage, MAX_AGENTS);
}

/* ---- arguments ----------------------------------------------------------------------- */

static bool refuse(const char *name, const char *value, const char *why) {
    fprintf(stderr, "crowd: %s%s%s: %s\n%s", name, value ? " " : "", value ? value : "", why,
            usage);
    return false;
}

static bool number_of(const char *text, double least, double most, double *value) {
    char *end = NULL;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && *value >= least && *value <= most;
}

/* Returns NULL, or why the value is invalid. */
static const char *read_value(char letter, const char *value, options *o) {
    static char why[64];
    double number = 0;
    switch (letter) {
    case 'n':
        snprintf(why, sizeof why, "expected a whole number from 1 to %d", MAX_AGENTS);
        if (!number_of(value, 1, MAX_AGENTS, &number) || number != floor(number))
            return why;
        o->agents = (size_t)number;
        return NULL;
    case 's':
        return number_of(value, 0, MAX_SECONDS, &o->seconds)
                   ? NULL
                   : "expected a number of seconds from 0 to 600";
    case 'd':
        o->device = value;
        return NULL;
    default:
        o->file = value;
        return NULL;
    }
}

/* On an invalid argument prints a message and returns false. */
static bool read_options(int argc, char **argv, options *o) {
    *o = (options){.agents = 10000, .seconds = 4};
    for (int i = 1; i < argc; i += 2) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
            return o->help = true;
        if (strlen(name) != 2 || name[0] != '-' || !strchr("nsdo", name[1]))
            return refuse(name, NULL, "unknown option");
        const char *why = value ? read_value(name[1], value, o) : "expected a value";
        if (why)
            return refuse(name, value, why);
    }
    return true;
}

/* ---- the scene ----------------------------------------------------------------------- */

static pm_status out_of_memory(pm_error *error) {
    snprintf(error->message, sizeof error->message, "out of memory");
    return error->status = PM_ERROR_MEMORY;
}

static pm_status scene_open(scene *s, const options *o, pm_error *error) {
    body_description d;
    body_describe(&d, PM_METHOD_SQUAD);
    const pm_status status = body_open(&s->body, &d, o->device, error);
    if (status != PM_OK)
        return status;
    s->slots = pm_skeleton_slots(s->body.skeleton);
    s->count = o->agents;
    s->frames = (size_t)(o->seconds * FRAMES_PER_SECOND + 0.5);
    s->agents = calloc(s->count, sizeof *s->agents);
    s->before = calloc(s->count, sizeof *s->before);
    s->after = calloc(s->count, sizeof *s->after);
    s->motions = calloc(s->count, sizeof *s->motions);
    s->models = calloc(s->count, pm_crowd_record_bytes(PM_CROWD_MODEL) * BODY_JOINTS);
    if (!s->agents || !s->before || !s->after || !s->motions || !s->models)
        return out_of_memory(error);
    agents_place(s->agents, s->count);
    return PM_OK;
}

static void scene_close(scene *s) {
    free(s->models);
    free(s->motions);
    free(s->after);
    free(s->before);
    free(s->agents);
    body_close(&s->body);
}

static pm_status pose(scene *s, uint64_t frame, pm_error *error) {
    const pm_crowd_job job = {.instances = s->after,
                              .instance_count = s->count,
                              .frame = frame,
                              .outputs =
                                  &(pm_crowd_target){.output = PM_CROWD_MODEL, .memory = s->models},
                              .output_count = 1};
    return pm_crowd_pose(s->body.crowd, &job, error);
}

/* The first frame, and the number of frames requested. */
static pm_status simulate(scene *s, pm_error *error) {
    const double step = 1.0 / FRAMES_PER_SECOND;
    agents_instances(s->agents, s->count, 0, s->after);
    pm_status status = pose(s, 0, error);
    for (size_t frame = 1; status == PM_OK && frame <= s->frames; frame++) {
        double now = (double)(frame - 1) * step;
        status = agents_move(s->body.crowd, s->agents, s->count, now, step, s->before, s->after,
                             s->motions, error);
        if (status == PM_OK)
            status = pose(s, frame, error);
    }
    return status;
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static pm_status simulate_and_report(scene *s, pm_error *error) {
    pm_device_info info;
    double begin = seconds_now();
    pm_status status = simulate(s, error);
    if (status != PM_OK)
        return status;
    pm_engine_get_info(s->body.engine, &info, sizeof(pm_device_info));
    fprintf(stderr, "%s: %zu joints posed, %zu agents in %zu frames, in %.2f s\n", info.name,
            s->count * BODY_JOINTS * (s->frames + 1), s->count, s->frames + 1,
            seconds_now() - begin);
    return PM_OK;
}

/* ---- the file ------------------------------------------------------------------------- */

/* Writes to a temporary file that is renamed when it is complete. A file that is not regular, such
 * as a pipe, is written directly. False, with errno, on failure. */
static bool write_file(const scene *s, const char *path) {
    char temporary[4096];
    struct stat there;
    bool plain = stat(path, &there) != 0 || S_ISREG(there.st_mode);
    int length = snprintf(temporary, sizeof temporary, plain ? "%s.part" : "%s", path);
    if (length < 0 || (size_t)length >= sizeof temporary) {
        errno = ENAMETOOLONG;
        return false;
    }
    FILE *file = fopen(temporary, "w");
    if (!file)
        return false;
    bool good = picture_write(file, s->agents, s->count, s->models, s->slots);
    int reason = errno;
    if (fclose(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && plain && rename(temporary, path) != 0) {
        good = false;
        reason = errno;
    }
    if (!good && plain)
        remove(temporary);
    errno = reason;
    return good;
}

static bool write_picture(const scene *s, const char *path) {
    bool good = path ? write_file(s, path)
                     : picture_write(stdout, s->agents, s->count, s->models, s->slots) &&
                           fflush(stdout) == 0;
    if (!good)
        fprintf(stderr, "crowd: %s: %s\n", path ? path : "stdout", strerror(errno));
    return good;
}

int main(int argc, char **argv) {
    options o;
    scene s = {0};
    pm_error error = {0};
    if (!read_options(argc, argv, &o))
        return 2;
    if (o.help) {
        print_help();
        return 0;
    }
    bool good = scene_open(&s, &o, &error) == PM_OK && simulate_and_report(&s, &error) == PM_OK;
    if (!good)
        fprintf(stderr, "crowd: %s\n", error.message);
    good = good && write_picture(&s, o.file);
    scene_close(&s);
    return good ? 0 : 1;
}
