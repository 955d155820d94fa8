/* SPDX-License-Identifier: MIT
 *
 * The ceilings of the reference path: memory filled and copied, and multiply-adds, in C on all cores.
 */
#ifndef POSEMILL_BENCH_HOST_CEILINGS_H
#define POSEMILL_BENCH_HOST_CEILINGS_H

#include "commands/cli.h"
#include "parallel.h"

/* Each sets its seconds. Little memory is filled and copied by fewer threads. `count` operations follow
 * one another; the seconds are those of one. */
void host_fill(parallel_pool *pool, void *to, size_t bytes, size_t count, double *seconds);
void host_copy(parallel_pool *pool, void *to, const void *from, size_t bytes, size_t count,
               double *seconds);

/* Runs as many steps of all chains on every core; `operations` is their number. */
cli_exit host_arithmetic(parallel_pool *pool, size_t steps, double *seconds, double *operations);

#endif
