/* SPDX-License-Identifier: MIT
 *
 * Where the bytes of an output go, in their order.
 */
#pragma once

#include <posemill/posemill.h>

typedef struct motion_sink {
    pm_status (*write)(void *user, const void *data, size_t size, pm_error *error);
    void *user;
} motion_sink;
