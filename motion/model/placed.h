/* SPDX-License-Identifier: MIT
 *
 * Joints in model space.
 */
#pragma once

/* A joint in model space: where it is, and where its axes go, with their scales. */
typedef struct placed {
    double origin[3], axes[3][3];
} placed;

/* Places a joint of this pose relative to its parent; NULL: a root. */
void pose_place(const double rotation[4], const double position[3], const double scale[3],
                const placed *parent, placed *to);
