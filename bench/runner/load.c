/* SPDX-License-Identifier: MIT
 *
 * Reads /proc/stat and /proc/loadavg.
 */
#define _DEFAULT_SOURCE /* getloadavg */

#include "load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A tenth of a processor that others use, or a hundredth of the time stolen, changes medians by more
 * than the intervals of most cases. */
static const double most_others = 0.1;
static const double most_steal = 0.01;

/* The columns of the line "cpu" of /proc/stat. guest is part of user, guest_nice of nice. */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS };

load_counters load_counters_in(const char *text, double ticks) {
    load_counters c = {.known = false};
    unsigned long long column[COLUMNS] = {0};
    if (strncmp(text, "cpu ", 4) != 0 || !(ticks > 0))
        return c;
    const char *at = text + 4;
    for (size_t i = 0; i < COLUMNS; i++) {
        char *end;
        column[i] = strtoull(at, &end, 10);
        if (end == at)
            return c;
        at = end;
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        const double seconds = (double)column[i] / ticks;
        c.all += seconds;
        c.busy += i == IDLE || i == IOWAIT || i == STEAL ? 0 : seconds;
    }
    c.steal = (double)column[STEAL] / ticks;
    c.known = true;
    return c;
}

static double seconds_of(int who) {
    struct rusage usage;
    if (getrusage(who, &usage) != 0)
        return 0;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

load_counters load_counters_now(void) {
    char text[512] = "";
    FILE *file = fopen("/proc/stat", "r");
    if (file) {
        const bool read = fgets(text, sizeof text, file) != NULL;
        text[read ? sizeof text - 1 : 0] = '\0';
        fclose(file);
    }
    load_counters c = load_counters_in(text, (double)sysconf(_SC_CLK_TCK));
    c.own = seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
    return c;
}

bench_load load_between(const load_counters *begin, const load_counters *end, double processors) {
    bench_load load = {.known = begin->known && end->known && end->all > begin->all};
    if (!load.known)
        return load;
    /* Processor time passes on all processors at once. */
    const double seconds = (end->all - begin->all) / processors;
    const double used = end->busy - begin->busy - (end->own - begin->own);
    load.others = fmax(used / seconds, 0);
    load.steal = fmax((end->steal - begin->steal) / (end->all - begin->all), 0);
    load.busy = load.others > most_others || load.steal > most_steal;
    return load;
}

bench_load load_since(const load_counters *begin, double average) {
    const load_counters now = load_counters_now();
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    bench_load load = load_between(begin, &now, online > 0 ? (double)online : 1);
    load.average = average;
    return load;
}

double load_average(void) {
    double average = 0;
    return getloadavg(&average, 1) == 1 ? average : 0;
}
