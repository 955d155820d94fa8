/* SPDX-License-Identifier: MIT
 *
 * The content of motion libraries for tests: a skeleton whose parents come after their children, motions that
 * share rows in another order, and extras.
 */
#ifndef POSEMILL_TESTS_LIBRARY_CONTENT_H
#define POSEMILL_TESTS_LIBRARY_CONTENT_H

#include <posemill/posemill_library.h>

enum { JOINTS = 4, MOTIONS = 3, ROWS = 23, HINGES = 2, BODIES = 3, COORDINATES = 4 };

/* Of positions and joints. */
typedef enum library_kind {
    REST = 0,
    ROOT_ALONE,
    ALL_JOINTS,
    CODED, /* with positions of the root, and codes of log48 of `turns` */
    ROBOT,
    ROBOT_WITH_BALL, /* rotations of all joints; the root moves freely */
    LIBRARY_KINDS
} library_kind;

/* Content, and the memory to which it points. */
typedef struct library_made {
    pm_library_content content;
    pm_library_motion motions[MOTIONS];
    pm_library_extra extras[2];
    double rotations[4 * JOINTS], positions[3 * JOINTS], axes[3 * JOINTS], references[JOINTS];
    float points[3 * JOINTS], turns[ROWS * JOINTS * 4], places[ROWS * JOINTS * 3];
    float angles[ROWS * HINGES], phases[ROWS * 2];
    uint8_t contacts[ROWS], codes[ROWS * (6 * JOINTS + 2)];
} library_made;

void library_content_make(library_made *m, library_kind which, uint64_t salt);

/* Fails unless they are equal, but for positions and angles. */
void library_content_expect(const pm_library_content *found, const pm_library_content *wanted);

/* Writes a.npz, and opens it. */
pm_library *library_content_open(pm_engine *engine, const pm_library_content *content,
                                 const pm_library_write_options *options);

#endif
