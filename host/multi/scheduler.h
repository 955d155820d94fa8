/* SPDX-License-Identifier: MIT
 *
 * The scheduler for several devices: the size of the piece that each member takes next, from the
 * throughputs measured so far. Pure arithmetic, without devices, clocks or threads. The functions
 * read the caller's array only; the caller locks it.
 */
#ifndef PM_HOST_SCHEDULER_H
#define PM_HOST_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

/* The throughput of a member during a job. */
typedef struct pm_throughput {
    double before;  /* values/s in previous jobs; 0: never measured */
    double values;  /* values of this job that were timed */
    double seconds; /* time that they took */
    bool retired;   /* the member takes no more pieces of this job */
} pm_throughput;

/* How many of the `rest` remaining items a member takes next: at least `min` items, or all of them.
 * An item is a fixed number of values. 0: the other members finish the rest sooner. Of the members
 * that are not retired, at least one always takes items, so that a job is finished. */
size_t pm_next_piece(const pm_throughput *throughputs, size_t count, size_t member, size_t rest,
                     size_t min);

/* The member that computes a job that is too small to be divided. */
size_t pm_fastest_member(const pm_throughput *throughputs, size_t count);

/* pm_throughput.before for the next job; 0 when the member was never measured. */
double pm_learned_throughput(const pm_throughput *throughputs, size_t count, size_t member);

#endif
