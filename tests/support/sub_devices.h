/* SPDX-License-Identifier: MIT
 *
 * Two sub-devices of one OpenCL device: several devices wherever there is a CPU with two
 * cores.
 */
#ifndef POSEMILL_TESTS_SUB_DEVICES_H
#define POSEMILL_TESTS_SUB_DEVICES_H

#include <posemill/posemill_cl.h>

enum { SUB_DEVICES = 2 };

typedef struct sub_devices {
    cl_device_id devices[SUB_DEVICES];
    cl_context shared;                 /* of both */
    pm_cl_target targets[SUB_DEVICES]; /* each in a context of its own */
} sub_devices;

/* Divides the engine's device. False, and says so by name, where it cannot be divided. */
bool sub_devices_open(const pm_engine *engine, sub_devices *s);

/* Takes what was never opened. */
void sub_devices_close(sub_devices *s);

#endif
