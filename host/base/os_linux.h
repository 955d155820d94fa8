/* SPDX-License-Identifier: MIT
 *
 * The part of os_linux.c that reads files, for tests.
 */
#ifndef PM_HOST_OS_LINUX_H
#define PM_HOST_OS_LINUX_H

#include "os.h"

/* The processors that the control groups of this process allow, at least 1, SIZE_MAX without a limit.
 * `root` is put before the paths of all files: "" for those of the system. */
size_t pm_linux_quota(const char *root);

#endif
