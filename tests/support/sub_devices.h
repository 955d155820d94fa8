/* SPDX-License-Identifier: MIT
 *
 * Two sub-devices of one OpenCL device: several devices on any CPU with two cores.
 */
#ifndef POSEMILL_TESTS_SUB_DEVICES_H
#define POSEMILL_TESTS_SUB_DEVICES_H

#include <posemill/posemill_cl.h>

enum { SUB_DEVICES = 2 };

typedef struct sub_devices {
    cl_device_id devices[SUB_DEVICES];
    cl_context shared;                 /* a context of both devices */
    pm_cl_target targets[SUB_DEVICES]; /* one context per device */
} sub_devices;

/* Partitions the engine's device. Returns false, after printing its name, if it cannot be
 * partitioned. */
bool sub_devices_open(const pm_engine *engine, sub_devices *s);

/* Accepts an object that was never opened. */
void sub_devices_close(sub_devices *s);

#endif
