/* SPDX-License-Identifier: MIT
 *
 * The scheduler of several devices: how much of what is left of a job each takes next, by the
 * throughputs measured so far. Arithmetic alone, without devices, clocks and threads.
 */
#ifndef PM_HOST_SCHEDULER_H
#define PM_HOST_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

/* What is known of a device's throughput while a job runs. */
typedef struct pm_throughput {
    double before;  /* values a second in the jobs before; 0: never measured */
    double values;  /* of this job, those that were timed */
    double seconds; /* the time that they took */
    bool retired;   /* takes no more of this job */
} pm_throughput;

/* How many of `rest` items, each some values, a member takes next; at least `least` of them or
 * the whole rest. 0: it leaves the rest to the others, who will be done with it sooner. Parts
 * that are not `left` never all decline, so somebody takes the last item. */
size_t pm_next_piece(const pm_throughput *throughputs, size_t count, size_t member, size_t rest,
                     size_t min);

/* The member that a job too small to be shared goes to. */
size_t pm_fastest_member(const pm_throughput *throughputs, size_t count);

/* pm_throughput.before for the next job; 0 while nothing is known. */
double pm_learned_throughput(const pm_throughput *throughputs, size_t count, size_t member);

#endif
