/* SPDX-License-Identifier: MIT
 *
 * Checks pairs of left and right against the rest pose, and finds the plane between both sides.
 */
#include <math.h>
#include <stdlib.h>

#include "motion/model/names.h"
#include "motion/model/pose.h"
#include "motion/model/sides.h"

#define NONE PM_NO_INDEX32

/* ---- places -------------------------------------------------------------------------------- */

bool sides_find_world(const pm_motion_content *content, similarity *world) {
    FREED uint32_t *order = calloc(content->node_count + 1, sizeof *order);
    const bool good = order && pose_order(content, order);
    for (size_t i = 0; good && i < content->node_count; i++) {
        const pm_motion_node *node = &content->nodes[order[i]];
        const similarity own = evaluate_rest(node);
        world[order[i]] = node->parent < 0 ? own : similarity_product(&world[node->parent], &own);
    }
    return good;
}

/* Of each node: how many of those below it have partners, itself included, and its root. */
typedef struct branch {
    size_t paired;
    uint32_t root, middle; /* of a root: the joint from which all pairs of the tree branch off */
} branch;

/* NULL: memory is exhausted. */
static branch *find_branches(const pm_motion_content *content, const uint32_t *partners) {
    FREED uint32_t *order = calloc(content->node_count + 1, sizeof *order);
    branch *all = calloc(content->node_count + 1, sizeof *all);
    const bool good = order && all && pose_order(content, order);
    for (size_t i = content->node_count; good && i-- > 0;) {
        const uint32_t n = order[i];
        all[n].paired += partners[n] != n;
        if (content->nodes[n].parent >= 0)
            all[content->nodes[n].parent].paired += all[n].paired;
    }
    for (size_t i = 0; good && i < content->node_count; i++) {
        const uint32_t n = order[i];
        const int32_t parent = content->nodes[n].parent;
        all[n].root = parent < 0 ? n : all[parent].root;
        if (partners[n] == n && all[n].paired == all[all[n].root].paired)
            all[all[n].root].middle = n;
        else if (parent < 0)
            all[n].middle = NONE;
    }
    if (!good)
        free(all);
    return good ? all : NULL;
}

/* ---- images -------------------------------------------------------------------------------- */

/* From the image of the first place across each plane through `middle` to the second. */
static void measure(const double a[3], const double b[3], const double middle[3], double out[3]) {
    for (int normal = 0; normal < 3; normal++) {
        double apart[3];
        for (int i = 0; i < 3; i++)
            apart[i] = i == normal ? a[i] + b[i] - 2 * middle[i] : a[i] - b[i];
        out[normal] = vector_length(apart);
    }
}

static double find_size(const pm_motion_content *content, const similarity *world,
                        const uint32_t *partners) {
    double size = 0;
    for (int i = 0; i < 3; i++) {
        double low = (double)INFINITY, high = -(double)INFINITY;
        for (size_t n = 0; n < content->node_count; n++)
            if (partners[n] != n) {
                low = fmin(low, world[n].p[i]);
                high = fmax(high, world[n].p[i]);
            }
        size = fmax(size, high - low);
    }
    return size;
}

static void add_pair(sides_rest *rest, uint32_t node, const double distance[3]) {
    rest->pairs++;
    for (int i = 0; i < 3; i++) {
        rest->images[i] += distance[i] <= SIDES_TOLERANCE * rest->size;
        if (rest->pairs == 1 || distance[i] > rest->distance[i]) {
            rest->distance[i] = distance[i];
            rest->farthest[i] = node;
        }
    }
}

/* Where all nodes are at one place, each plane has all images. */
static int best_of(const size_t images[3]) {
    const int most = images[1] > images[0] ? 1 : 0, best = images[2] > images[most] ? 2 : most;
    size_t same = 0;
    for (int i = 0; i < 3; i++)
        same += images[i] == images[best];
    return images[best] > 0 && same == 1 ? best : -1;
}

bool sides_check_rest(const pm_motion_content *content, const similarity *world,
                      const uint32_t *partners, double (*distances)[3], sides_rest *rest) {
    static const double origin[3];
    FREED branch *all = find_branches(content, partners);
    *rest = (sides_rest){.size = find_size(content, world, partners)};
    for (uint32_t n = 0; all && n < content->node_count; n++) {
        const uint32_t other = partners[n], root = all[n].root;
        const bool is_within = root == all[other].root && all[root].middle != NONE;
        const double *middle = is_within ? world[all[root].middle].p : origin;
        double apart[3] = {0, 0, 0};
        if (other != n)
            measure(world[n].p, world[other].p, middle, apart);
        if (other > n)
            add_pair(rest, n, apart);
        for (int i = 0; i < 3 && distances; i++)
            distances[n][i] = apart[i];
    }
    rest->best = best_of(rest->images);
    return all != NULL;
}

/* ---- the plane ----------------------------------------------------------------------------- */

static pm_status refuse_plane(const pm_motion_content *content, const uint32_t *partners,
                              const sides_rest *rest, pm_error *error) {
    static const char lacks[] = "the rest pose does not tell the plane between left and right";
    const size_t *images = rest->images;
    const uint32_t n = rest->farthest[0];
    char first[MOTION_PRINTABLE], second[MOTION_PRINTABLE];
    if (!(rest->size > 0))
        motion_report(error, PM_ERROR_FILE, "%s: all joints of both sides are at one place", lacks);
    else if (images[0] + images[1] + images[2] > 0)
        motion_report(error, PM_ERROR_FILE,
                      "%s: it maps %zu of %zu pairs across x, %zu across y, %zu across z", lacks,
                      images[0], rest->pairs, images[1], images[2]);
    else
        motion_report(error, PM_ERROR_FILE,
                      "%s: it maps none of %zu pairs; '%s' and '%s' are %.3g from mirror images "
                      "across x",
                      lacks, rest->pairs, motion_joint_name(first, content->nodes[n].name, n),
                      motion_joint_name(second, content->nodes[partners[n]].name, partners[n]),
                      rest->distance[0]);
    motion_cure(error, "plane", "AXIS", "names the axis that points from right to left");
    return PM_ERROR_FILE;
}

pm_status sides_choose_plane(const pm_motion_content *content, const uint32_t *partners,
                             const sides_rest *rest, pm_motion_axis given, pm_motion_axis known,
                             int *axis, pm_error *error) {
    const pm_motion_axis said = given != 0 ? given : known;
    *axis = said == 0 ? rest->best : (int)said >> 1; /* 1, 2 and 4 */
    return *axis >= 0 ? PM_OK : refuse_plane(content, partners, rest, error);
}
