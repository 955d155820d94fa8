/* SPDX-License-Identifier: MIT
 *
 * Matrices of the rest pose. Scales may differ by axis, so that these are no similarities.
 */
#include "motion/model/rest_pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/model/evaluate.h"
#include "motion/model/pose.h"

void rest_pose_local(const pm_motion_node *node, double m[3][4]) {
    double q[4];
    memcpy(q, node->rotation, sizeof q);
    evaluate_normalise(q);
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double turn[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                               {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                               {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            m[r][c] = turn[r][c] * node->scale[c];
        m[r][3] = node->position[r];
    }
}

static void multiply(double a[3][4], double b[3][4], double out[3][4]) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++) {
            out[r][c] = c == 3 ? a[r][3] : 0;
            for (int i = 0; i < 3; i++)
                out[r][c] += a[r][i] * b[i][c];
        }
}

bool rest_pose_worlds(const pm_motion_content *content, double (*world)[3][4]) {
    FREED uint32_t *order = malloc((content->node_count + 1) * sizeof *order);
    const bool good = order && pose_order(content, order);
    for (size_t i = 0; good && i < content->node_count; i++) {
        const pm_motion_node *node = &content->nodes[order[i]];
        double local[3][4];
        rest_pose_local(node, local);
        if (node->parent >= 0)
            multiply(world[node->parent], local, world[order[i]]);
        else
            memcpy(world[order[i]], local, sizeof local);
    }
    return good;
}

void rest_pose_inverse(double w[3][4], float inverse[12]) {
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    double cofactors[3][3];
    bool is_finite = true;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            cofactors[r][c] = w[r1][c1] * w[r2][c2] - w[r1][c2] * w[r2][c1];
        }
    const double determinant =
        w[0][0] * cofactors[0][0] + w[0][1] * cofactors[0][1] + w[0][2] * cofactors[0][2];
    for (int r = 0; r < 3; r++) {
        double row[4] = {0, 0, 0, 0};
        for (int c = 0; c < 3; c++) {
            row[c] = cofactors[c][r] / determinant;
            row[3] -= row[c] * w[c][3];
        }
        for (int c = 0; c < 4; c++) {
            inverse[4 * r + c] = (float)row[c];
            is_finite = is_finite && isfinite(inverse[4 * r + c]);
        }
    }
    if (!is_finite)
        memcpy(inverse, identity, sizeof identity);
}

/* ---- skins --------------------------------------------------------------------------------- */

/* Whether the joints are the first one and all nodes below it, in the order of nodes. */
static bool has_tree(const pm_motion_content *content, const pm_motion_skin *skin,
                     const uint32_t *order, bool *is_below) {
    size_t below = 0;
    bool good = skin->joint_count > 0;
    for (size_t i = 0; good && i < content->node_count; i++) {
        const int32_t parent = content->nodes[order[i]].parent;
        is_below[order[i]] = order[i] == skin->joints[0] || (parent >= 0 && is_below[parent]);
        below += is_below[order[i]];
    }
    good = good && below == skin->joint_count;
    for (size_t j = 0; good && j < skin->joint_count; j++)
        good = is_below[skin->joints[j]] && (j == 0 || skin->joints[j] > skin->joints[j - 1]);
    return good;
}

/* The largest of the numbers of a part of matrices: places, or all others. */
static double largest_of(const float *matrices, size_t count, bool places) {
    double largest = 0;
    for (size_t i = 0; i < 12 * count; i++)
        if ((i % 4 == 3) == places)
            largest = fmax(largest, fabs((double)matrices[i]));
    return largest;
}

/* Binds were rounded once or twice. */
static bool has_rest_binds(const pm_motion_skin *skin, double (*world)[3][4]) {
    const double tolerance = 1e-5;
    const double places =
        skin->inverse_binds ? largest_of(skin->inverse_binds, skin->joint_count, true) : -1;
    for (size_t j = 0; places >= 0 && j < skin->joint_count; j++) {
        const float *own = skin->inverse_binds + 12 * j;
        const double others = largest_of(own, 1, false);
        float rest[12];
        rest_pose_inverse(world[skin->joints[j]], rest);
        for (size_t i = 0; i < 12; i++)
            if (!(fabs((double)own[i] - (double)rest[i]) <=
                  tolerance * (i % 4 == 3 ? places : others)))
                return false;
    }
    return places >= 0;
}

bool rest_pose_count_skins(const pm_motion_content *content, size_t *count) {
    const size_t nodes = content->node_count;
    *count = 0;
    if (content->skin_count == 0)
        return true;
    FREED uint32_t *order = calloc(nodes + 1, sizeof *order);
    FREED bool *is_below = calloc(nodes + 1, sizeof *is_below);
    FREED double(*world)[3][4] = calloc(nodes + 1, sizeof *world);
    const bool good = order && is_below && world && pose_order(content, order) &&
                      rest_pose_worlds(content, world);
    for (size_t s = 0; good && s < content->skin_count; s++) {
        const pm_motion_skin *skin = &content->skins[s];
        *count += skin->name.size > 0 || !has_tree(content, skin, order, is_below) ||
                  !has_rest_binds(skin, world);
    }
    return good;
}
