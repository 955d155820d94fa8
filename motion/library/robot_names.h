/* SPDX-License-Identifier: MIT
 *
 * Names of joints and bodies in a file, and those of a robot: names decide which is which.
 */
#ifndef POSEMILL_MOTION_ROBOT_NAMES_H
#define POSEMILL_MOTION_ROBOT_NAMES_H

#include "motion/model/model.h"

/* Names of one kind. */
typedef struct robot_names {
    const pm_motion_name *names;
    size_t count;
} robot_names;

/* places[i] receives the place in the file of name i of the robot; PM_NO_INDEX32: the file lacks it.
 * Names are equal byte by byte; or all of them without regard to case and to words such as `joint` at
 * their ends, which a note says, unless `notes` is NULL. Names that only count are in the order of the
 * robot, and so are all where one side has no names. Refused with both lists: a name of the file that the
 * robot lacks, one that is there twice and, with `all`, one of the robot that the file lacks. `kind`:
 * "joint" or "body", for messages. */
pm_status robot_match_names(const char *kind, robot_names file, robot_names robot, bool all,
                            uint32_t *places, motion_notes *notes, pm_error *error);

/* Whether there are names. */
bool robot_has_names(robot_names names);

#endif
