/* SPDX-License-Identifier: MIT
 *
 * Names in the order of their bytes, and nodes that are found by their names.
 */
#pragma once

#include <posemill/posemill_motion.h>

#include "motion/base/counts.h"
#include "motion/base/fault.h"

/* Less than 0, 0, or more than 0, as strcmp. */
int motion_compare_names(pm_motion_name a, pm_motion_name b);

typedef struct motion_named {
    pm_motion_name name; /* borrowed */
    uint32_t index;
} motion_named;

/* By name; those with one name, by index. */
void motion_sort_named(motion_named *all, size_t count);

/* The place of the first whose name is not less; `count`: all are. */
size_t motion_find_place(const motion_named *sorted, size_t count, pm_motion_name name);

/* The index of the first with a name; PM_NO_INDEX32: none has it. */
uint32_t motion_find_named(const motion_named *sorted, size_t count, pm_motion_name name);

/* The nodes of a motion, sorted so. */
typedef struct motion_names {
    motion_named *sorted;
    size_t count;
} motion_names;

/* False: memory is exhausted. Release it in any case. */
bool motion_names_make(motion_names *names, const pm_motion_content *content);
void motion_names_release(motion_names *names);

/* The first node with a name; PM_NO_INDEX32: none has it. */
uint32_t motion_names_find(const motion_names *names, const char *text, size_t size);

/* The one node with a name. Refuses a name that none has, or several. */
pm_status motion_names_require(const motion_names *names, const char *text, uint32_t *node,
                               pm_error *error);

/* "rotation", "translation", "scale", "weights", "scalar", and "linear", "step", "cubicspline". */
extern const char *const motion_path_names[PM_MOTION_PATH_COUNT];
extern const char *const motion_interpolation_names[PM_MOTION_INTERPOLATION_COUNT];

/* A name of a joint for messages, printable; of a joint without a name, `number`: "joint 3". A number
 * below 0 is no joint, and its name is as it is. Returns `shown`. */
const char *motion_joint_name(char shown[MOTION_PRINTABLE], pm_motion_name name, int64_t number);
#define MOTION_SHOWN_JOINT(name, number)                                                           \
    motion_joint_name((char[MOTION_PRINTABLE]){""}, (name), (number))
