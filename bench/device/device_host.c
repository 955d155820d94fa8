/* SPDX-License-Identifier: MIT
 *
 * The reference path as a device: its output is host memory. memset and memcpy, which are its ceilings on
 * all cores, choose their instructions themselves. And the choice between it and OpenCL.
 */
#include "cases/loops.h"
#include "device_cl.h"
#include "files/progress.h"

#include <stdlib.h>
#include <string.h>

/* A thread moves less memory than this in less time than threads take to agree. */
enum { THREAD_BYTES = 1 << 20, LINE = 64 };

typedef struct host_device {
    char *output, *source; /* the source is that of copies */
    size_t bytes, source_bytes;
    size_t steps; /* of the multiply-adds; 0: not chosen yet */
    const pm_crowd_job *job;
} host_device;

cli_exit bench_out_of_memory(void) {
    return cli_fail(CLI_DEVICE_FAILED, "bench", "use a smaller --samples", "out of memory");
}

/* ---- memory -------------------------------------------------------------------- */

static void close_host(bench_device *device) {
    host_device *host = device->state;
    free(host->output);
    free(host->source);
    free(host);
}

/* Written, because pages that were never written are all one page, which a cache holds. */
static cli_exit grow(char **memory, size_t *has, size_t bytes) {
    if (*has >= bytes)
        return CLI_DONE;
    free(*memory);
    *memory = malloc(bytes);
    *has = *memory ? bytes : 0;
    if (!*memory)
        return bench_out_of_memory();
    memset(*memory, 0x3e, bytes);
    return CLI_DONE;
}

static cli_exit reserve(bench_device *device, size_t bytes) {
    host_device *host = device->state;
    return grow(&host->output, &host->bytes, bytes);
}

static cli_exit poison(bench_device *device, size_t bytes) {
    const host_device *host = device->state;
    memset(host->output, 0xff, bytes);
    return CLI_DONE;
}

static cli_exit read_output(bench_device *device, size_t offset, size_t bytes, void *to) {
    const host_device *host = device->state;
    memcpy(to, host->output + offset, bytes);
    return CLI_DONE;
}

typedef struct memory_range {
    char *to;
    const char *from; /* NULL: fill */
} memory_range;

static void move_lines(const void *work, size_t begin, size_t end) {
    const memory_range *all = work;
    if (all->from)
        memcpy(all->to + begin, all->from + begin, end - begin);
    else
        memset(all->to + begin, 0x3f, end - begin);
}

/* One call for each thread, because memset and memcpy store large memory past the caches. Little memory
 * is moved by fewer threads. */
static void move(parallel_pool *pool, const memory_range *all, size_t bytes, size_t count,
                 double *seconds) {
    const size_t most = parallel_threads();
    const size_t wanted = bytes / THREAD_BYTES;
    const size_t parts = wanted < most ? wanted : most;
    double sum = 0.0;
    if (parts < 2) {
        const double begun = progress_clock();
        for (size_t i = 0; i < count; i++)
            move_lines(all, 0, bytes);
        sum = progress_clock() - begun;
    } else {
        const size_t range = (bytes / parts / LINE + 1) * LINE;
        for (size_t i = 0; i < count; i++)
            sum += parallel_run(pool, move_lines, all, bytes, range);
    }
    *seconds = sum / (double)count;
}

/* The reference path has only one clock. */
static cli_exit fill(bench_device *device, size_t bytes, bench_clock clock, size_t count,
                     double *seconds) {
    const host_device *host = device->state;
    const memory_range all = {host->output, NULL};
    (void)clock;
    move(device->pool, &all, bytes, count, seconds);
    return CLI_DONE;
}

static cli_exit copy(bench_device *device, size_t bytes, bench_clock clock, size_t count,
                     double *seconds) {
    host_device *host = device->state;
    (void)clock;
    const cli_exit code = grow(&host->source, &host->source_bytes, bytes);
    const memory_range all = {host->output, host->source};
    if (code == CLI_DONE)
        move(device->pool, &all, bytes, count, seconds);
    return code;
}

/* ---- arithmetic ---------------------------------------------------------------- */

cli_exit arithmetic_wrong(void) {
    return cli_fail(CLI_DEVICE_FAILED, "ceiling/arithmetic", NULL,
                    "multiply-adds gave a wrong result");
}

cli_exit arithmetic_lengthen(cli_exit (*run)(void *context, double *seconds), void *context,
                             size_t *steps) {
    const double least = 2e-3;
    double seconds = 0.0;
    cli_exit code = run(context, &seconds);
    while (code == CLI_DONE && seconds < least && *steps < ARITHMETIC_STEPS_MAX) {
        *steps *= 2;
        code = run(context, &seconds);
    }
    return code;
}

typedef struct chains {
    const arithmetic_loop *loop;
    size_t steps;
    float (*numbers)[ARITHMETIC_WIDTH_MAX]; /* of each thread */
} chains;

static void run_chains(const void *work, size_t begin, size_t end) {
    const chains *all = work;
    for (size_t i = begin; i < end; i++) {
        float numbers[ARITHMETIC_WIDTH_MAX];
        for (size_t n = 0; n < all->loop->width; n++)
            numbers[n] = (float)n;
        all->loop->run(numbers, all->steps, arithmetic_factor, arithmetic_term);
        memcpy(all->numbers[i], numbers, sizeof numbers);
    }
}

static bool are_right(const chains *all, size_t threads) {
    bool right = true;
    for (size_t i = 0; i < threads; i++)
        for (size_t n = 0; n < all->loop->width; n++)
            right = right && all->numbers[i][n] == (float)(n + all->steps);
    return right;
}

static cli_exit run_steps(void *context, double *seconds) {
    const bench_device *device = context;
    const host_device *host = device->state;
    const size_t threads = parallel_threads();
    chains all = {loops_of_processor().arithmetic, host->steps,
                  malloc(threads * sizeof *all.numbers)};
    if (!all.numbers)
        return bench_out_of_memory();
    *seconds = parallel_run(device->pool, run_chains, &all, threads, 1);
    const cli_exit code = are_right(&all, threads) ? CLI_DONE : arithmetic_wrong();
    free(all.numbers);
    return code;
}

static cli_exit arithmetic(bench_device *device, double *seconds, double *operations) {
    host_device *host = device->state;
    cli_exit code = CLI_DONE;
    if (host->steps == 0) {
        host->steps = 1 << 12;
        code = arithmetic_lengthen(run_steps, device, &host->steps);
    }
    *operations = 2.0 * (double)(parallel_threads() * host->steps) *
                  (double)loops_of_processor().arithmetic->width;
    return code == CLI_DONE ? run_steps(device, seconds) : code;
}

/* ---- jobs ---------------------------------------------------------------------- */

static cli_exit sample(bench_device *device, const pm_clip *clip, const pm_sample_job *job,
                       bench_clock clock, size_t count, double *seconds) {
    const host_device *host = device->state;
    pm_sample_job full = *job;
    pm_error error = {0};
    (void)clock;
    full.rotations = (void *)host->output;
    const double begun = progress_clock();
    for (size_t i = 0; i < count; i++)
        if (pm_sample(clip, &full, &error) != PM_OK)
            return cli_fail_error("bench", &error);
    *seconds = (progress_clock() - begun) / (double)count;
    return CLI_DONE;
}

static cli_exit set_crowd(bench_device *device, const pm_crowd_job *job,
                          const pm_crowd_info *info) {
    host_device *host = device->state;
    (void)info;
    host->job = job;
    return CLI_DONE;
}

void device_targets_at(const device_target *from, size_t count, void *memory, pm_crowd_target *to) {
    for (size_t t = 0; t < count; t++)
        to[t] = (pm_crowd_target){.output = from[t].output,
                                  .subset = from[t].subset,
                                  .memory = (char *)memory + from[t].offset};
}

static cli_exit pose(bench_device *device, pm_crowd *crowd, const device_target *targets,
                     size_t target_count, size_t count, double *seconds) {
    const host_device *host = device->state;
    pm_crowd_job job = *host->job;
    pm_crowd_target into[PM_CROWD_MAX_TARGETS];
    pm_error error = {0};
    device_targets_at(targets, target_count, host->output, into);
    job.outputs = into;
    job.output_count = target_count;
    const double begun = progress_clock();
    for (size_t i = 0; i < count; i++)
        if (pm_crowd_pose(crowd, &job, &error) != PM_OK)
            return cli_fail_error("bench", &error);
    *seconds = (progress_clock() - begun) / (double)count;
    return CLI_DONE;
}

/* ---- the processor --------------------------------------------------------------- */

#define LOOPS_OF(set)                                                                              \
    (bench_loops) {                                                                                \
        &baseline_loops_##set, &baseline_walks_##set, baseline_points_##set,                       \
            &arithmetic_loop_##set                                                                 \
    }

/* The options that the loops are compiled with decide which features are checked. */
bench_loops loops_of_processor(void) {
#if BENCH_AVX
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
        return LOOPS_OF(avx512);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return LOOPS_OF(avx2);
#endif
    return LOOPS_OF(plain);
}

/* ---- opening ------------------------------------------------------------------- */

cli_exit device_open(bench_device *device, pm_engine *engine, parallel_pool *pool) {
    static const device_verbs verbs = {.close = close_host,
                                       .reserve = reserve,
                                       .poison = poison,
                                       .read = read_output,
                                       .fill = fill,
                                       .stores = fill, /* memset chooses by itself */
                                       .copy = copy,
                                       .arithmetic = arithmetic,
                                       .sample = sample,
                                       .set_crowd = set_crowd,
                                       .pose = pose};
    *device = (bench_device){.engine = engine, .pool = pool};
    pm_engine_get_info(engine, &device->info);
#if POSEMILL_OPENCL
    if (device->info.type != PM_DEVICE_REFERENCE)
        return device_open_cl(device);
#endif
    device->state = calloc(1, sizeof(host_device));
    device->verbs = device->state ? &verbs : NULL;
    return device->state ? CLI_DONE : bench_out_of_memory();
}

void device_close(bench_device *device) {
    if (device->verbs)
        device->verbs->close(device);
    memset(device, 0, sizeof *device);
}
