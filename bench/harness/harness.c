/* SPDX-License-Identifier: MIT
 *
 * The harness of the workload for libraries in C: reads a folder that bench/workload made, times a task
 * of the adapter it is linked with, and writes the results and a line of JSON. bench/workload measure
 * --program calls it, judges the results and writes the record.
 *
 *     PROGRAM FOLDER GROUP/METHOD RESULTS [REPETITIONS]
 */
#define _POSIX_C_SOURCE 200809L

#include "workload_adapter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEY_RATE = 30, LEAST_REPETITIONS = 3, MOST_REPETITIONS = 10000, NPY_HEADER = 128 };
enum { DONE = 0, FAILED = 1, USAGE = 2, NO_TASK = 3, BAD_INPUT = 4, CANNOT_WRITE = 6 };
static const double least_seconds = 1.0;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- inputs -------------------------------------------------------------------- */

typedef struct array {
    void *data;
    size_t count; /* of numbers */
} array;

enum { KEYS, KEY_TIMES, CONTROLS, TIMES, PAIR_TRACKS, PARENTS, REST, INPUTS };

typedef struct inputs {
    array of[INPUTS];
} inputs;

/* The numbers of the file behind its header of 128 bytes; false: they cannot be read. */
static bool read_numbers(FILE *file, const char *type, size_t size, array *out) {
    char header[NPY_HEADER + 1] = "";
    char word[32];
    snprintf(word, sizeof word, "'descr': '%s'", type);
    if (fread(header, 1, NPY_HEADER, file) != NPY_HEADER ||
        memcmp(header, "\x93NUMPY\1\0", 8) != 0 || !strstr(header + 10, word) ||
        fseek(file, 0, SEEK_END) != 0)
        return false;
    const long end = ftell(file);
    if (end < NPY_HEADER || (size_t)(end - NPY_HEADER) % size != 0)
        return false;
    const size_t bytes = (size_t)(end - NPY_HEADER);
    out->count = bytes / size;
    out->data = malloc(bytes > 0 ? bytes : 1);
    return out->data && fseek(file, NPY_HEADER, SEEK_SET) == 0 &&
           fread(out->data, 1, bytes, file) == bytes;
}

static bool load(const char *folder, const char *name, const char *type, array *out) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.npy", folder, name);
    FILE *file = fopen(path, "rb");
    const bool read = file && read_numbers(file, type, (size_t)(type[2] - '0'), out);
    if (file)
        fclose(file);
    if (!read)
        fprintf(stderr, "%s: cannot be read as an array of the workload\n", path);
    return read;
}

static const char *times_of(const char *group) {
    return strcmp(group, "uniform") == 0 ? "uniform_times"
           : strcmp(group, "large") == 0 ? "large_times"
           : strcmp(group, "pairs") == 0 ? "pair_times"
                                         : "random_times";
}

static bool load_all(const char *folder, const char *group, inputs *in) {
    const char *const names[INPUTS] = {"keys",        "key_times", "controls", times_of(group),
                                       "pair_tracks", "parents",   "rest"};
    static const char *const types[INPUTS] = {"<f4", "<f8", "<f4", "<f8", "<i4", "<i4", "<f4"};
    const array *of = in->of;
    for (size_t i = 0; i < INPUTS; i++)
        if (!load(folder, names[i], types[i], &in->of[i]))
            return false;
    const size_t tracks = of[PARENTS].count, keys = of[KEY_TIMES].count;
    if (tracks == 0 || keys < 2 || of[KEYS].count / 4 / tracks != keys ||
        of[CONTROLS].count != of[KEYS].count || of[REST].count != 3 * tracks ||
        (strcmp(group, "pairs") == 0 && of[PAIR_TRACKS].count != of[TIMES].count)) {
        fprintf(stderr, "%s: the arrays do not fit each other\n", folder);
        return false;
    }
    return true;
}

static workload_task task_of(const inputs *in, const char *group, const char *method) {
    return (workload_task){.group = group,
                           .method = method,
                           .track_count = in->of[PARENTS].count,
                           .key_count = in->of[KEY_TIMES].count,
                           .key_rate = KEY_RATE,
                           .keys = in->of[KEYS].data,
                           .key_times = in->of[KEY_TIMES].data,
                           .controls = in->of[CONTROLS].data,
                           .time_count = in->of[TIMES].count,
                           .times = in->of[TIMES].data,
                           .rate = strcmp(group, "uniform") == 0 ? 4 * KEY_RATE
                                   : strcmp(group, "large") == 0 ? 16 * KEY_RATE
                                                                 : 0,
                           .pair_tracks =
                               strcmp(group, "pairs") == 0 ? in->of[PAIR_TRACKS].data : NULL,
                           .parents = in->of[PARENTS].data,
                           .rest = in->of[REST].data};
}

/* ---- measuring ----------------------------------------------------------------- */

typedef struct measurement {
    workload_prepared prepared;
    double seconds[MOST_REPETITIONS];
    size_t count;
    float *results;
    size_t numbers;
} measurement;

static size_t numbers_of(const workload_task *task) {
    const size_t width = task->pair_tracks ? 1 : task->track_count;
    return task->time_count * width * (strcmp(task->group, "crowd") == 0 ? 12 : 4);
}

/* What a run left must not pass for the results of the next one. */
static void erase(measurement *m) {
    memset(m->results, 0xff, m->numbers * sizeof *m->results);
}

static int repeat(const workload_task *task, size_t repetitions, measurement *m) {
    double sum = 0;
    if (!workload_library.run(task, m->prepared.state, m->results))
        return FAILED;
    erase(m);
    while (m->count < MOST_REPETITIONS &&
           (repetitions > 0 ? m->count < repetitions
                            : m->count < LEAST_REPETITIONS || sum < least_seconds)) {
        const double begun = now();
        if (!workload_library.run(task, m->prepared.state, m->results))
            return FAILED;
        m->seconds[m->count] = now() - begun;
        sum += m->seconds[m->count++];
    }
    return DONE;
}

static int measure(const workload_task *task, size_t repetitions, measurement *m) {
    const int prepared = workload_library.prepare(task, &m->prepared);
    if (prepared != 1)
        return prepared == 0 ? NO_TASK : FAILED;
    m->numbers = numbers_of(task);
    m->results = malloc(m->numbers * sizeof *m->results);
    if (!m->results) {
        fprintf(stderr, "%s: no memory for results of %zu bytes\n", task->group,
                m->numbers * sizeof *m->results);
        return FAILED;
    }
    erase(m); /* and the pages are there before the clock starts */
    return repeat(task, repetitions, m);
}

/* ---- output -------------------------------------------------------------------- */

/* The header has 128 bytes, as that of every array of the workload. */
static bool write_results(const workload_task *task, const measurement *m, const char *path) {
    char shape[64], text[NPY_HEADER], header[NPY_HEADER];
    const bool crowd = strcmp(task->group, "crowd") == 0;
    if (task->pair_tracks)
        snprintf(shape, sizeof shape, "%zu, 4", task->time_count);
    else
        snprintf(shape, sizeof shape, "%zu, %zu, %s", task->time_count, task->track_count,
                 crowd ? "3, 4" : "4");
    snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }", shape);
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\1\0\x76\0", 10);
    memcpy(header + 10, text, strlen(text) < 117 ? strlen(text) : 117);
    header[NPY_HEADER - 1] = '\n';
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(header, 1, sizeof header, file) == sizeof header &&
                   fwrite(m->results, sizeof *m->results, m->numbers, file) == m->numbers;
    if (file)
        written = fclose(file) == 0 && written;
    if (!written)
        perror(path);
    return written;
}

static void print_text(const char *key, const char *text) {
    printf("\"%s\": \"", key);
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20)
            printf("\\u%04x", (unsigned)*text);
        else
            printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    printf("\", ");
}

static void print_json(const measurement *m) {
    const workload_adapter *library = &workload_library;
    printf("{");
    print_text("name", library->name);
    print_text("version", library->version);
    if (library->url)
        print_text("url", library->url);
    print_text("compiler", library->compiler);
    print_text("device", m->prepared.device);
    printf("\"seconds\": [");
    for (size_t i = 0; i < m->count; i++)
        printf("%s%.9f", i > 0 ? ", " : "", m->seconds[i]);
    printf("]}\n");
}

static int run(const char *folder, const char *name, const char *results, size_t repetitions) {
    static measurement m;
    char group[32], method[32];
    inputs in = {.of = {{.data = NULL}}};
    if (sscanf(name, "%31[a-z]/%31[a-z]", group, method) != 2)
        return USAGE;
    int code = load_all(folder, group, &in) ? DONE : BAD_INPUT;
    if (code == DONE) {
        const workload_task task = task_of(&in, group, method);
        code = measure(&task, repetitions, &m);
        if (code == DONE && !write_results(&task, &m, results))
            code = CANNOT_WRITE;
        workload_library.finish(m.prepared.state);
    }
    if (code == DONE)
        print_json(&m);
    free(m.results);
    for (size_t i = 0; i < INPUTS; i++)
        free(in.of[i].data);
    return code;
}

int main(int argc, char **argv) {
    const long repetitions = argc == 5 ? strtol(argv[4], NULL, 10) : 0;
    const bool fits =
        repetitions == 0 || (repetitions >= LEAST_REPETITIONS && repetitions <= MOST_REPETITIONS);
    int code = (argc == 4 || argc == 5) && fits
                   ? run(argv[1], argv[2], argv[3], (size_t)repetitions)
                   : USAGE;
    if (code == USAGE)
        fprintf(stderr, "usage: %s FOLDER GROUP/METHOD RESULTS [REPETITIONS]\n", argv[0]);
    return code;
}
