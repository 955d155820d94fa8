/* SPDX-License-Identifier: MIT
 *
 * The engines that the tests of the contract run on: the reference path, and the
 * device that POSEMILL_TEST_DEVICE names (unset: "auto"). Where no device is found
 * its tests skip, unless POSEMILL_REQUIRE_DEVICE makes that a failure.
 */
#ifndef POSEMILL_TESTS_ENGINES_H
#define POSEMILL_TESTS_ENGINES_H

#include "check.h"

typedef enum engine_kind { ON_REFERENCE, ON_DEVICE } engine_kind;

extern engine_kind on_reference;
extern engine_kind on_device;

/* Two rows of a cmocka table: one body, on the reference and on the device. */
#define ON_BOTH(body)                                                                              \
    {#body " on the reference", body, NULL, NULL, &on_reference}, {                                \
#body " on the device", body, NULL, NULL, &on_device                                       \
    }
#define ONLY_ON_DEVICE(body)                                                                       \
    { #body " on the device", body, NULL, NULL, &on_device }

/* The engine for a test's state, made on first use and kept; skips or fails without one, so a
 * test asks for it before it owns anything. */
pm_engine *engine_for(void **state);

/* Whether the test's row is the one on the device. */
bool is_for_device(void **state);

/* The device's name as pm_engine_desc takes it; the reference is "none". */
const char *device_for(void **state);

/* An engine of its own on the same device; caller destroys. */
pm_engine *engine_with(void **state, const pm_engine_desc *options);

/* Whether the device is Oclgrind, an interpreter that checks every access: it runs kernels of one
 * thread at a time, and its clFlush waits until the queue is empty. */
bool is_on_oclgrind(void **state);

/* For tests whose threads run kernels at once: skips them there, and says why. */
void skip_without_concurrent_kernels(void **state);

/* Whether kernels of this width can be tested; says why not when they cannot. Rusticl of Mesa
 * 22.3 is early: it takes minutes to compile one kernel of four lanes. Oclgrind dies of them. */
bool can_compile_lanes(const pm_engine *engine, uint32_t lanes);

/* Whether kernels of a method's derivatives can be tested; says why not when they cannot. Those
 * that are slerps of moving operands, or products, take the same rusticl minutes each. */
bool can_compile_motion(const pm_engine *engine, pm_method method);

/* For main() of executables that pose crowds of many kinds: has their rows on the device skipped
 * where that is rusticl of Mesa 22.3, which takes minutes to compile some of their programs. */
void leave_out_crowds_on_rusticl(void);

/* For main() of executables that need a device throughout: 0 when there is one, else the
 * exit code: 77 for a skip, 1 where a device is required. */
int exit_code_without_device(void);

/* cmocka's group teardown: lets the kept engines go. */
int engines_close(void **unused);

#endif
