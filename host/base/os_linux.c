/* SPDX-License-Identifier: MIT
 *
 * Processors of Linux: those of an affinity mask, and the processor time that control groups allow, of
 * either version.
 */
#define _GNU_SOURCE /* sched_getaffinity, sched_getcpu */

#include "os_linux.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 4096, MAX_PROCESSORS = 1 << 16 };

/* A set of processors, of any kernel. */
typedef struct mask {
    unsigned long bits[MAX_PROCESSORS / (8 * sizeof(unsigned long))];
} mask;

/* Those of the calling thread, and their number; 0 if it is not known. */
static int of_thread(mask *m) {
    memset(m, 0, sizeof *m);
    return sched_getaffinity(0, sizeof *m, (cpu_set_t *)m->bits) == 0
               ? CPU_COUNT_S(sizeof *m, (cpu_set_t *)m->bits)
               : 0;
}

size_t pm_os_processors(void) {
    mask m;
    const int count = of_thread(&m);
    if (count > 0)
        return (size_t)count;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}

int pm_os_current_processor(void) {
    return sched_getcpu();
}

void pm_os_leave_processor(int processor) {
    mask before;
    if (processor < 0 || processor >= MAX_PROCESSORS || of_thread(&before) < 2)
        return;
    mask others = before;
    CPU_CLR_S((size_t)processor, sizeof others, (cpu_set_t *)others.bits);
    if (sched_setaffinity(0, sizeof others, (cpu_set_t *)others.bits) == 0)
        sched_setaffinity(0, sizeof before, (cpu_set_t *)before.bits);
}

static FILE *open_in(const char *folder, const char *name) {
    char path[2 * PATH];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && length < (int)sizeof path ? fopen(path, "re") : NULL;
}

/* The first two numbers of a file. Stays 0 what is missing, or a word such as "max". */
static void read_numbers(const char *folder, const char *name, int64_t numbers[2]) {
    FILE *file = open_in(folder, name);
    char line[64];
    numbers[0] = numbers[1] = 0;
    if (file && fgets(line, sizeof line, file)) {
        char *end;
        numbers[0] = strtoll(line, &end, 10);
        numbers[1] = end != line ? strtoll(end, NULL, 10) : 0;
    }
    if (file)
        fclose(file);
}

/* The limit of one group: its quota in periods, rounded up. SIZE_MAX: none. */
static size_t limit_of(const char *group) {
    int64_t quota[2], period[2];
    read_numbers(group, "cpu.max", quota); /* version 2: both in one file */
    if (quota[0] <= 0) {
        read_numbers(group, "cpu.cfs_quota_us", quota); /* -1: no limit */
        read_numbers(group, "cpu.cfs_period_us", period);
        quota[1] = period[0];
    }
    if (quota[0] <= 0 || quota[1] <= 0)
        return SIZE_MAX;
    return (size_t)(quota[0] / quota[1] + (quota[0] % quota[1] != 0));
}

/* The least limit of a group and those around it, up to the folder of the mount, which is the first
 * `top` characters of the path. */
static size_t limit_along(char *path, size_t top) {
    size_t least = SIZE_MAX;
    for (;;) {
        const size_t limit = limit_of(path);
        least = limit < least ? limit : least;
        char *slash = strrchr(path + top, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

/* Whether a list with commas contains a word. */
static bool lists(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* The limit of a line "number:controllers:group", at the place where systems mount its hierarchy.
 * Where that is a container's part of the hierarchy, the group is not below it, and the limit of the
 * mount's own folder counts. */
static size_t limit_of_line(const char *root, char *line) {
    char path[2 * PATH];
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return SIZE_MAX;
    *group++ = '\0';
    const bool second = controllers[1] == '\0'; /* version 2 */
    if (!second && !lists(controllers + 1, "cpu"))
        return SIZE_MAX;
    const int top = snprintf(path, sizeof path, "%s/sys/fs/cgroup%s", root, second ? "" : "/cpu");
    if (top < 0 || (size_t)top + strlen(group) >= sizeof path)
        return SIZE_MAX;
    if (!strstr(group, "/..") && strcmp(group, "/") != 0)
        memcpy(path + top, group, strlen(group) + 1);
    return limit_along(path, (size_t)top);
}

size_t pm_linux_quota(const char *root) {
    FILE *file = open_in(root, "proc/self/cgroup");
    char *line = NULL;
    size_t room = 0, least = SIZE_MAX;
    while (file && getline(&line, &room, file) > 0) {
        const size_t limit = limit_of_line(root, line);
        least = limit < least ? limit : least;
    }
    free(line);
    if (file)
        fclose(file);
    return least;
}

size_t pm_os_quota(void) {
    return pm_linux_quota("");
}
