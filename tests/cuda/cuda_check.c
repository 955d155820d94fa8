/* SPDX-License-Identifier: MIT
 *
 * Compares the kernels on a CUDA device with the reference path, bit for bit, for machines whose
 * driver has CUDA and no OpenCL: values, velocities and accelerations of clips, and records of
 * crowds. The programs are PTX files of bench/make-ptx.
 */
#define _POSIX_C_SOURCE 200809L

#include "checks.h"
#include "motion/base/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAME = 0, DIFFERENT = 1, USAGE = 2, NO_DEVICE = 77 };
enum { MAX_SAMPLES = 1000000 };

typedef struct options {
    const char *library, *folder, *json;
    size_t samples;
} options;

/* ---- comparison ---------------------------------------------------------------------- */

void check_compare(cuda_program *program, const char *what, const float *got, const float *wanted,
                   size_t count) {
    const bool first = program->differing == 0;
    size_t at = count, differing = 0;
    for (size_t i = count; i-- > 0;)
        if (memcmp(&got[i], &wanted[i], sizeof *got) != 0) {
            differing++;
            at = i;
        }
    program->compared += count;
    program->differing += differing;
    if (differing && first)
        cuda_say("%s: %s: number %zu is %a, expected %a", program->name, what, at, (double)got[at],
                 (double)wanted[at]);
}

/* ---- report -------------------------------------------------------------------------- */

static const char *verdict(const cuda_program *p) {
    return !p->function   ? "not loaded"
           : !p->compared ? "not run"
           : p->differing ? "differ"
                          : "identical";
}

/* Returns whether all programs have the bits of the reference. */
static bool print_table(const check *c) {
    const cuda_driver *d = c->programs.driver;
    size_t same = 0, all = 0;
    printf("%s, compute capability %d.%d, CUDA %d.%d\n", d->device, d->capability_major,
           d->capability_minor, d->version / 1000, d->version % 1000 / 10);
    printf("%-34s %9s %11s %10s %10s  bits\n", "program", "registers", "local bytes", "numbers",
           "differing");
    for (const cuda_program *p = c->programs.first; p; p = p->next, all++) {
        const char *bits = verdict(p);
        printf("%-34s %9d %11d %10zu %10zu  %s\n", p->name, p->registers, p->local_bytes,
               p->compared, p->differing, bits);
        same += strcmp(bits, "identical") == 0;
    }
    printf("%zu of %zu programs have the bits of the reference path\n", same, all);
    return same == all && all > 0 && !c->failed;
}

static void write_programs(json_writer *json, const check *c) {
    json_begin_array(json, "programs");
    for (const cuda_program *p = c->programs.first; p; p = p->next) {
        json_begin_object(json, NULL);
        json_write_string(json, "program", p->name);
        json_write_integer(json, "registers", (uint64_t)p->registers);
        json_write_integer(json, "local_bytes", (uint64_t)p->local_bytes);
        json_write_integer(json, "numbers", p->compared);
        json_write_integer(json, "differing", p->differing);
        json_write_string(json, "bits", verdict(p));
        json_end_object(json);
    }
    json_end_array(json);
}

static bool write_json(const check *c, const char *path) {
    const cuda_driver *d = c->programs.driver;
    FILE *file = fopen(path, "w");
    json_writer json = {.file = file};
    if (file) {
        json_begin_object(&json, NULL);
        json_write_string(&json, "device", d->device);
        json_write_integer(&json, "capability",
                           10 * (uint64_t)d->capability_major + (uint64_t)d->capability_minor);
        json_write_integer(&json, "cuda_version", (uint64_t)d->version);
        write_programs(&json, c);
        json_end_object(&json);
        const bool failed = ferror(file);
        if (fclose(file) == 0 && !failed)
            return true;
    }
    cuda_say("%s: cannot be written: %s", path, strerror(errno));
    return false;
}

/* ---- main ---------------------------------------------------------------------------- */

static const char usage[] =
    "usage: cuda_check [--library FILE] [--samples N] [--json FILE] FOLDER\n"
    "\n"
    "Runs the programs in FOLDER, PTX files of bench/make-ptx, on the first CUDA device, and compares\n"
    "their results with the reference path, bit for bit.\n"
    "\n"
    "  --library FILE  NVIDIA's driver library; default libcuda.so.1\n"
    "  --samples N     samples of each clip, 1 to 1000000; default 1000\n"
    "  --json FILE     write a record\n"
    "\n"
    "Exit codes: 0 all bits are the same; 1 some differ, or a program or a call failed; 2 a wrong\n"
    "argument; 77 there is no CUDA driver, or it has no device.\n";

static bool read_count(const char *text, size_t *count) {
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    *count = (size_t)number;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && number >= 1 &&
           number <= MAX_SAMPLES;
}

/* 0 to go on; otherwise the exit code, plus 1. */
static int read_options(char **arguments, options *o) {
    *o = (options){.library = "libcuda.so.1", .samples = 1000};
    for (char **a = arguments + 1; *a; a++) {
        const char **to = strcmp(*a, "--library") == 0 ? &o->library
                          : strcmp(*a, "--json") == 0  ? &o->json
                                                       : NULL;
        if (strcmp(*a, "--help") == 0 || strcmp(*a, "-h") == 0) {
            fputs(usage, stdout);
            return 1;
        }
        if (to && a[1]) {
            *to = *++a;
        } else if (strcmp(*a, "--samples") == 0 && a[1] && read_count(a[1], &o->samples)) {
            a++;
        } else if (**a != '-' && !o->folder) {
            o->folder = *a;
        } else {
            cuda_say("%s: unknown, or its value is missing or invalid; see --help", *a);
            return 1 + USAGE;
        }
    }
    if (!o->folder)
        cuda_say("FOLDER is missing; see --help");
    return o->folder ? 0 : 1 + USAGE;
}

static int run(const options *o, cuda_driver *driver) {
    check c = {.programs = {.driver = driver, .folder = o->folder}, .samples = o->samples};
    pm_error error = {0};
    if (pm_engine_create(&(pm_engine_desc){.device = "none"}, &c.engine, &error) != PM_OK) {
        cuda_say("the reference path: %s", error.message);
        return DIFFERENT;
    }
    check_clips(&c);
    check_crowds(&c);
    bool same = print_table(&c);
    same = (!o->json || write_json(&c, o->json)) && same;
    cuda_programs_free(&c.programs);
    pm_engine_destroy(&c.engine);
    return same ? SAME : DIFFERENT;
}

int main(int count, char **arguments) {
    options o;
    cuda_driver driver;
    (void)count;
    const int stop = read_options(arguments, &o);
    if (stop)
        return stop - 1;
    const cuda_opened opened = cuda_open(&driver, o.library);
    int code = opened == CUDA_OPENED   ? run(&o, &driver)
               : opened == CUDA_ABSENT ? NO_DEVICE
                                       : DIFFERENT;
    cuda_close(&driver);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cuda_say("the report cannot be written: %s", strerror(errno));
        code = DIFFERENT;
    }
    return code;
}
