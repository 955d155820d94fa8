/* SPDX-License-Identifier: MIT
 *
 * memset and memcpy choose their instructions themselves; the loop of multiply-adds is chosen by the
 * instruction set of the processor.
 */
#include "host_ceilings.h"

#include "arithmetic.h"
#include "files/progress.h"
#include "loops.h"

#include <stdlib.h>
#include <string.h>

/* A thread moves less memory than this in less time than threads take to agree. */
enum { THREAD_BYTES = 1 << 20, LINE = 64 };

/* ---- memory -------------------------------------------------------------------- */

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

/* One call for each thread, because memset and memcpy store large memory past the caches. */
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

void host_fill(parallel_pool *pool, void *to, size_t bytes, size_t count, double *seconds) {
    const memory_range all = {to, NULL};
    move(pool, &all, bytes, count, seconds);
}

void host_copy(parallel_pool *pool, void *to, const void *from, size_t bytes, size_t count,
               double *seconds) {
    const memory_range all = {to, from};
    move(pool, &all, bytes, count, seconds);
}

/* ---- arithmetic ---------------------------------------------------------------- */

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

cli_exit host_arithmetic(parallel_pool *pool, size_t steps, double *seconds, double *operations) {
    const size_t threads = parallel_threads();
    chains all = {loops_of_processor().arithmetic, steps, malloc(threads * sizeof *all.numbers)};
    if (!all.numbers)
        return cli_fail(CLI_DEVICE_FAILED, "bench", NULL, "out of memory");
    *seconds = parallel_run(pool, run_chains, &all, threads, 1);
    *operations = 2.0 * (double)threads * (double)steps * (double)all.loop->width;
    const cli_exit code = are_right(&all, threads) ? CLI_DONE : arithmetic_wrong();
    free(all.numbers);
    return code;
}
