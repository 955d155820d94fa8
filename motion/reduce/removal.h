/* SPDX-License-Identifier: MIT
 *
 * Few keys of a method's curve, whose segments depend on more keys than their own two: keys are removed in
 * rounds. A round tries keys that lie apart, builds the curve without them, and puts back those near which
 * the curve leaves the bound. Earlier rounds have a part of the bound, so that keys that matter least are
 * removed first.
 */
#ifndef POSEMILL_MOTION_REDUCE_REMOVAL_H
#define POSEMILL_MOTION_REDUCE_REMOVAL_H

#include "motion/reduce/path.h"
#include "motion/reduce/turns.h"

typedef struct removal_problem {
    pm_method method;        /* that method_curve_knows */
    turns *const *rotations; /* with the same times, which keep the same keys; at least 1 */
    size_t rotation_count;
    /* Whether keys between two may be dropped, as far as all else goes. NULL: there is nothing else */
    bool (*holds)(void *user, size_t from, size_t to);
    void *user;
} removal_problem;

/* As path_find. Where the curve through all keys exceeds the bound, keys remain: this is seen in the end.
 * PATH_NONE: times do not rise as they are written. */
path_end removal_find(const removal_problem *problem, size_t **keys, size_t *count);

#endif
