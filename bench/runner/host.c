/* SPDX-License-Identifier: MIT
 *
 * Reads /proc, /sys and /etc/os-release. Texts are cut to HOST_TEXT and are otherwise as the system
 * has them: who writes them escapes them.
 */
#define _DEFAULT_SOURCE /* _SC_PHYS_PAGES */

#include "host.h"

#include <posemill/posemill.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

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
