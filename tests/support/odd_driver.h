/* SPDX-License-Identifier: MIT
 *
 * A driver whose devices give odd but legal answers to queries, and hold to them: it refuses groups,
 * buffers, queues and build options beyond what it answered, as the specification allows. Beneath it
 * is the test machine's driver. tests/CMakeLists.txt lists the calls that tests of it wrap.
 */
#ifndef POSEMILL_TESTS_ODD_DRIVER_H
#define POSEMILL_TESTS_ODD_DRIVER_H

#include <posemill/posemill_cl.h>

#include <stdbool.h>
#include <stddef.h>

/* Replaces the answer of clGetDeviceInfo, for all devices, until odd_reset. The value is copied. */
void odd_answer(cl_device_info what, const void *value, size_t size);

/* The same for answers that are one number. */
void odd_number(cl_device_info what, size_t size, cl_ulong value);

/* Build options that contain this text are refused with `code`. NULL: none. */
void odd_refuse_option(const char *text, cl_int code);

/* Restores the driver's own answers, and sets all counts to 0. */
void odd_reset(void);

/* What the library did since odd_reset. */
typedef struct odd_counts {
    size_t launches;
    size_t finishes; /* calls that wait for all commands of a queue */
    size_t largest_group;
    size_t largest_arguments; /* bytes of all arguments of one kernel */
    size_t refusals;          /* calls that went beyond an answer */
    size_t builds_with;       /* with the option for rounding, and without it */
    size_t builds_without;
} odd_counts;
odd_counts odd_counted(void);

#endif
