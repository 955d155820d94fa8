/* SPDX-License-Identifier: MIT
 *
 * What mirroring requires: images of rotations, pairs, the plane, and what is said of them.
 */
#include <math.h>
#include <string.h>

#include "motion/model/names.h"
#include "motion/model/sides.h"
#include "motion/steps/edit.h"

/* ---- images -------------------------------------------------------------------------------- */

void edit_mirror_rotation(const edit_mirror_plan *plan, double q[4]) {
    for (int i = 0; i < 3; i++)
        if (i != plan->normal)
            q[i] = -q[i];
}

/* A product with a unit only moves numbers: zeros keep their signs, so that bits return. */
static void multiply_unit(const double a[4], const double b[4], const double of[4], double out[4]) {
    double moved[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++) {
        double unit[4] = {0, 0, 0, 0}, product[4];
        unit[i] = 1;
        quat_multiply(a ? a : unit, a ? unit : b, product);
        const int to = quat_unit_of(product);
        moved[to] = product[to] > 0 ? of[i] : -of[i];
    }
    memcpy(out, moved, sizeof moved);
}

void edit_turn_left(const double a[4], double q[4]) {
    if (quat_unit_of(a) >= 0)
        multiply_unit(a, NULL, q, q);
    else
        quat_multiply(a, q, q);
}

void edit_turn_right(double q[4], const double b[4]) {
    if (quat_unit_of(b) >= 0)
        multiply_unit(NULL, b, q, q);
    else
        quat_multiply(q, b, q);
}

void edit_conjugate(const double q[4], double out[4]) {
    for (int i = 0; i < 3; i++)
        out[i] = -q[i];
    out[3] = q[3];
}

/* m(B(a))^-1 B(b), of rest rotations a and b. Units are exact. */
void edit_find_turn(const edit_mirror_plan *plan, size_t a, size_t b, double turn[4]) {
    double image[4];
    edit_conjugate(plan->world[a].q, image);
    edit_mirror_rotation(plan, image);
    quat_multiply(image, plan->world[b].q, turn);
    for (int i = 0; i < 4; i++)
        if (fabs(fabs(turn[i]) - 1) <= 1e-10) {
            const double sign = turn[i] > 0 ? 1 : -1;
            memset(turn, 0, 4 * sizeof *turn);
            turn[i] = sign;
        }
}

/* ---- the report ---------------------------------------------------------------------------- */

static void report_pairs(const edit_mirror_plan *plan, const sides_rest *rest, const bool *is_alone,
                         uint32_t *alone, double *distances, pm_motion_mirror_report *report) {
    *report = (pm_motion_mirror_report){.partners = plan->partners,
                                        .node_count = plan->from->node_count,
                                        .pair_count = rest->pairs,
                                        .alone = alone,
                                        .plane = (pm_motion_axis)(1 << plan->normal),
                                        .image_count = rest->images[plan->normal],
                                        .farthest = rest->farthest[plan->normal],
                                        .distances = distances};
    for (uint32_t n = 0; n < plan->from->node_count; n++)
        if (is_alone[n])
            alone[report->alone_count++] = n;
}

static void note_pair(const pm_motion_mirror_report *report, uint32_t node,
                      const pm_motion_content *content, motion_notes *notes) {
    const motion_about about = {.cure = "pairs", .cure_value = "FILE", .hint = "names the pairs"};
    const uint32_t other = report->partners[node];
    char first[MOTION_PRINTABLE], second[MOTION_PRINTABLE];
    motion_note_about(notes, about, "%s and %s are %.3g from mirror images at rest",
                      motion_joint_name(first, content->nodes[node].name, node),
                      motion_joint_name(second, content->nodes[other].name, other),
                      report->distances[node]);
}

/* What the plane is known from, and the pairs that it does not map; where it maps all, the one that it maps
 * worst, if that is seen. */
static void note_plane(const pm_motion_mirror_report *r, const sides_rest *rest, bool given,
                       const pm_motion_content *content, motion_notes *notes) {
    enum { MOST = 8 };
    const motion_about about = {
        .cure = "plane", .cure_value = "AXIS", .hint = "names the axis from right to left"};
    const char axis = "xyz"[r->plane >> 1];
    size_t left_out = 0, said = 0;
    if (given)
        motion_note(notes, "plane %c as given", axis);
    else if (rest->size > 0)
        motion_note_about(notes, about, "plane %c found from %zu of %zu pairs", axis,
                          r->image_count, r->pair_count);
    else
        motion_note_about(notes, about, "plane %c by convention of joints without lengths", axis);
    for (uint32_t n = 0; n < r->node_count; n++)
        if (r->partners[n] > n && !(r->distances[n] <= SIDES_TOLERANCE * rest->size)) {
            if (said++ < MOST)
                note_pair(r, n, content, notes);
            else
                left_out++;
        }
    if (left_out > 0)
        motion_note(notes, "%zu more pairs are no mirror images at rest", left_out);
    if (said == 0 && r->pair_count > 0 && r->distances[r->farthest] > 1e-3 * rest->size)
        note_pair(r, r->farthest, content, notes);
}

/* ---- the plan ------------------------------------------------------------------------------ */

pm_status edit_check_mirror(const pm_motion_mirror_options *o, pm_error *error) {
    if (o->normal != 0 && o->normal != PM_MOTION_AXIS_X && o->normal != PM_MOTION_AXIS_Y &&
        o->normal != PM_MOTION_AXIS_Z)
        return motion_fail(error, PM_ERROR_ARGUMENT, "normal is %d, expected one pm_motion_axis",
                           (int)o->normal);
    return MOTION_CHECK_NEXT(pm_motion_mirror_options, o, error);
}

pm_status edit_plan_mirror(edit_mirror_plan *plan, const pm_motion_content *content,
                           pm_motion_axis known, const pm_motion_mirror_options *o,
                           motion_notes *notes, pm_motion_mirror_report *report, pm_error *error) {
    motion_arena *arena = notes->arena;
    const size_t nodes = content->node_count;
    uint32_t *partners = motion_allocate(arena, nodes, sizeof *partners);
    uint32_t *alone = motion_allocate(arena, nodes, sizeof *alone);
    bool *is_alone = motion_allocate(arena, nodes, sizeof *is_alone);
    double(*apart)[3] = motion_allocate(arena, nodes, sizeof *apart);
    double *distances = motion_allocate(arena, nodes, sizeof *distances);
    sides_rest rest;
    *plan = (edit_mirror_plan){.from = content,
                               .partners = partners,
                               .world = motion_allocate(arena, nodes, sizeof *plan->world)};
    MOTION_TRY_MEMORY(partners && alone && is_alone && apart && distances && plan->world, error);
    MOTION_TRY(edit_find_pairs(plan->from, o->pairs, partners, is_alone, error));
    MOTION_TRY_MEMORY(sides_find_world(plan->from, plan->world) &&
                          sides_check_rest(plan->from, plan->world, partners, apart, &rest),
                      error);
    MOTION_TRY(
        sides_choose_plane(plan->from, partners, &rest, o->normal, known, &plan->normal, error));
    for (size_t n = 0; n < nodes; n++)
        distances[n] = apart[n][plan->normal];
    report_pairs(plan, &rest, is_alone, alone, distances, report);
    note_plane(report, &rest, o->normal != 0, plan->from, notes);
    return notes->lost ? motion_refuse_memory(error) : PM_OK;
}
