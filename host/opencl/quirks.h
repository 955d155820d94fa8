/* SPDX-License-Identifier: MIT
 *
 * What drivers do differently from what OpenCL says, or from each other: everything that the
 * library does because of one driver is here, by the driver's name, or by the symptom where several
 * share it.
 */
#ifndef PM_HOST_QUIRKS_H
#define PM_HOST_QUIRKS_H

#include <CL/cl.h>

#include <posemill/posemill.h>

/* Found by names. */
typedef struct pm_quirks {
    /* The driver cannot compile kernels of more than one lane: Mesa 22.3's rusticl takes minutes for
     * a vector, Oclgrind 21.10 crashes. */
    bool one_lane;
    /* The driver's optimiser is to be turned off: Oclgrind 21.10 cannot run what its own makes of
     * the gather kernels. */
    bool no_optimiser;
    /* fma takes a short way when the addend is zero, and loses the zero's sign: rusticl has fma from
     * libclc, in software. */
    bool fma_forgets_zero;
    /* A program takes minutes to compile: rusticl. */
    bool slow_compiler;
} pm_quirks;

pm_quirks pm_cl_quirks(const pm_device_info *info);

/* Events that a command waits for by itself. For more, one marker waits: PoCL 3.1 crashes of failed
 * events that reach a job's event over a marker, so that markers are kept for long lists. */
enum { PM_MAX_WAITS = 8 };

/* The smallest of 8, 16, 32 and 64 work-items that holds `items`, or the maximum: few sizes, because
 * some drivers compile a kernel anew for each. */
size_t pm_cl_group_size(size_t items, size_t max);

/* Whether a device is one of a context's. Of a context that was made for sub-devices, PoCL lists the
 * devices that they are parts of: so parents count. */
cl_int pm_cl_is_listed(cl_device_id device, const cl_device_id *devices, size_t count,
                       bool *is_listed);

#endif
