/* SPDX-License-Identifier: MIT
 *
 * Creates folders of outputs.
 */
#pragma once

#include <posemill/posemill.h>

/* Creates the folder of a file and its parents where they do not exist. A path without a folder needs
 * none. Fails with PM_ERROR_OUTPUT. */
pm_status folders_make_for(const char *path, pm_error *error);
