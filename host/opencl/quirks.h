/* SPDX-License-Identifier: MIT
 *
 * Workarounds for drivers that differ from the OpenCL specification or from each other. All
 * driver-specific decisions are here, by the driver's name, or by the symptom where several drivers
 * share it. The functions are thread-safe.
 */
#ifndef PM_HOST_QUIRKS_H
#define PM_HOST_QUIRKS_H

#include <posemill/posemill_cl.h>

/* Quirks that are found by the driver's name. */
typedef struct pm_quirks {
    /* The driver's optimiser must be turned off: Oclgrind 21.10 cannot run its own optimised code
     * of the gather kernels. */
    bool no_optimiser;
    /* Functions whose inlining is forced cannot be run: Oclgrind 21.10. */
    bool no_forced_inlining;
    /* fma has a special case for an addend of zero that loses the zero's sign: rusticl uses the
     * software fma of libclc. */
    bool fma_forgets_zero;
    /* A program takes minutes to compile: rusticl. */
    bool slow_compiler;
    /* The driver keeps the kernels that ran on disk, and compiles all kernels of a program once more
     * when it is asked for the binary: PoCL. */
    bool keeps_programs;
} pm_quirks;

/* The quirks of a device's driver. */
pm_quirks pm_cl_quirks(const pm_device_info *info);

/* Writes the folder in which a platform's driver keeps its programs, if it cannot be created or
 * written: PoCL then lists no device. False: another driver, or the folder is not the reason. */
bool pm_cl_lacks_cache(const char *platform, char *folder, size_t size);

/* Maximum number of events that a command waits for directly. For longer lists, it waits for a
 * marker. PoCL 3.1 crashes when the event of a failed command reaches a job's event through a
 * marker, so markers are used for long lists only. */
enum { PM_MAX_WAITS = 8 };

#endif
