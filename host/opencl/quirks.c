/* SPDX-License-Identifier: MIT
 *
 * The table of drivers with quirks, and workarounds.
 */
#include "quirks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"

static const struct {
    const char *platform; /* part of the platform's name */
    pm_quirks quirks;
} drivers[] = {
    {"rusticl", {.fma_forgets_zero = true, .slow_compiler = true}},
    {"Portable Computing Language", {.keeps_programs = true}},
    {"Oclgrind", {.no_optimiser = true, .no_forced_inlining = true}},
};

pm_quirks pm_cl_quirks(const pm_device_info *info) {
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (strstr(info->platform, drivers[i].platform))
            return drivers[i].quirks;
    return (pm_quirks){.fma_forgets_zero = false};
}

bool pm_cl_lacks_cache(const char *platform, char *folder, size_t size) {
    static const struct {
        const char *variable, *below;
    } places[] = {{"POCL_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "/pocl"}, {"HOME", "/.cache/pocl"}};
    if (strcmp(platform, "Portable Computing Language") != 0)
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *base = getenv(places[i].variable);
        if (base && *base) {
            const int length = snprintf(folder, size, "%s%s", base, places[i].below);
            return length > 0 && length < (int)size && !pm_os_can_write(folder);
        }
    }
    return false;
}
