/* SPDX-License-Identifier: MIT
 *
 * The kernel files embedded in the library. The build generates the table. Includes between the
 * files are not expanded.
 */
#ifndef POSEMILL_HOST_KERNEL_SOURCE_H
#define POSEMILL_HOST_KERNEL_SOURCE_H

#include <stddef.h>

struct pm_kernel_source {
    const char *name;          /* file name without its folder, such as "pm_math.h" */
    const unsigned char *text; /* ends with a zero byte that `size` does not count */
    size_t size;
};

extern const struct pm_kernel_source pm_kernel_sources[];
extern const size_t pm_kernel_source_count;

#endif
