/* SPDX-License-Identifier: MIT
 *
 * Reads /proc, /sys and /etc/os-release. Texts are cut to HOST_TEXT and are otherwise as the system
 * has them: who writes them escapes them.
 */
#define _DEFAULT_SOURCE /* _SC_PHYS_PAGES, getloadavg */

#include "record.h"

#include <math.h>
#include <posemill/posemill.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- host ---------------------------------------------------------------------- */

enum { LINE = 1024 };

/* Removes blanks at both ends, and one pair of quotation marks. */
static void trim(char *text) {
    static const char blanks[] = " \t\r\n";
    char *begin = text + strspn(text, blanks);
    size_t length = strlen(begin);
    while (length > 0 && strchr(blanks, begin[length - 1]))
        length--;
    if (length >= 2 && begin[0] == '"' && begin[length - 1] == '"') {
        begin++;
        length -= 2;
    }
    memmove(text, begin, length);
    text[length] = '\0';
}

/* The text after the key and a separator, or NULL. */
static const char *value_in(const char *line, const char *key) {
    const size_t length = strlen(key);
    if (strncmp(line, key, length) != 0)
        return NULL;
    const char *at = line + length + strspn(line + length, " \t");
    return *at == ':' || *at == '=' ? at + 1 : NULL;
}

void host_read_value(const char *path, const char *key, char value[HOST_TEXT]) {
    char line[LINE];
    FILE *file = fopen(path, "r");
    value[0] = '\0';
    while (file && value[0] == '\0' && fgets(line, sizeof line, file)) {
        const char *found = value_in(line, key);
        if (found) {
            snprintf(value, HOST_TEXT, "%s", found);
            trim(value);
        }
    }
    if (file)
        fclose(file);
}

static void read_line(const char *path, char text[HOST_TEXT]) {
    FILE *file = fopen(path, "r");
    text[0] = '\0';
    if (file) {
        if (!fgets(text, HOST_TEXT, file))
            text[0] = '\0';
        fclose(file);
        trim(text);
    }
}

static uint64_t memory_of_machine(void) {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

static void name_system(char os[HOST_TEXT]) {
    char name[HOST_TEXT];
    struct utsname kernel;
    host_read_value("/etc/os-release", "PRETTY_NAME", name);
    if (uname(&kernel) != 0) {
        memcpy(os, name, sizeof name);
        return;
    }
    const int used = snprintf(os, HOST_TEXT, "%s%s%s %s", name, name[0] != '\0' ? "; " : "",
                              kernel.sysname, kernel.release);
    if (used < 0)
        os[0] = '\0';
}

bench_host host_of_system(void) {
    bench_host host = {.cores = pm_processors(), .memory_bytes = memory_of_machine()};
    host_read_value("/proc/cpuinfo", "model name", host.processor);
    read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", host.governor);
    name_system(host.os);
    return host;
}

/* ---- load ---------------------------------------------------------------------- */

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
