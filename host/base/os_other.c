/* SPDX-License-Identifier: MIT
 *
 * Processors of POSIX systems other than Linux, such as macOS: without affinity and quotas.
 */
#define _DARWIN_C_SOURCE /* _SC_NPROCESSORS_ONLN */

#include <stdint.h>
#include <unistd.h>

#include "os.h"

size_t pm_os_processors(void) {
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}

size_t pm_os_quota(void) {
    return SIZE_MAX;
}

int pm_os_current_processor(void) {
    return -1;
}

void pm_os_leave_processor(int processor) {
    (void)processor;
}
