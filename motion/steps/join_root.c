/* SPDX-License-Identifier: MIT
 *
 * How a clip continues another: where it begins in the world, one frame behind the end of the one
 * before, and whether its first pose is the last one of that clip again.
 */
#include <math.h>
#include <string.h>

#include "host/base/elementary.h"
#include "motion/model/evaluate.h"
#include "motion/model/mover.h"
#include "motion/steps/join.h"

/* A step below this part of those beside it is none. */
static const double small_step = 0.1;

/* A step that is off the mean of those beside it by less than this part of one is that of a take: nearer
 * to going on than to standing still. */
static const double noise_of_step = 0.5;

/* Of rounded text: radians, and relative to coordinates. */
static const double rounding = 1e-6;

/* ---- the root ------------------------------------------------------------------------------ */

static size_t channel_of_mover(const joining *j, pm_motion_path path) {
    size_t c = 0;
    while (j->channels[c].node != (int32_t)j->mover || j->channels[c].path != path)
        c++;
    return c;
}

similarity join_mover_at(const joining *j, const joined_part *part, size_t frame) {
    similarity local = {.s = 1};
    join_own_value(j, part, channel_of_mover(j, PM_MOTION_ROTATION), frame, local.q);
    join_own_value(j, part, channel_of_mover(j, PM_MOTION_POSITION), frame, local.p);
    evaluate_normalise(local.q);
    return similarity_product(&j->above, &local);
}

/* The turn about the axis that points up from one rotation to another. */
static void find_heading(int up, const double from[4], const double to[4], double turn[4]) {
    double back[4] = {-from[0], -from[1], -from[2], from[3]}, all[4];
    quat_multiply(to, back, all);
    const double length = pm_same_hypot(all[up], all[3]);
    memset(turn, 0, 4 * sizeof *turn);
    turn[up] = length > 1e-6 ? all[up] / length : 0;
    turn[3] = length > 1e-6 ? all[3] / length : 1;
}

/* ---- where a clip begins ------------------------------------------------------------------- */

/* Of a frame on the ground: radians about the axis that points up, and lengths across it. */
typedef struct ground_step {
    double turn, shift[3];
} ground_step;

static ground_step step_between(int up, const similarity *a, const similarity *b) {
    ground_step step;
    double turn[4];
    find_heading(up, a->q, b->q, turn);
    step.turn =
        2 * (turn[3] < 0 ? pm_same_atan2(-turn[up], -turn[3]) : pm_same_atan2(turn[up], turn[3]));
    for (int n = 0; n < 3; n++)
        step.shift[n] = n == up ? 0 : b->p[n] - a->p[n];
    return step;
}

static ground_step step_of_part(const joining *j, const joined_part *part, size_t frame) {
    const similarity a = join_mover_at(j, part, frame), b = join_mover_at(j, part, frame + 1);
    return step_between(j->up, &a, &b);
}

static ground_step mean_of(const ground_step *a, const ground_step *b) {
    ground_step mean = {.turn = (a->turn + b->turn) / 2};
    for (int n = 0; n < 3; n++)
        mean.shift[n] = (a->shift[n] + b->shift[n]) / 2;
    return mean;
}

/* Whether a step lies between two others, or is near their mean. */
static bool is_between(const ground_step *step, const ground_step *a, const ground_step *b,
                       double size) {
    const ground_step mean = mean_of(a, b);
    double off[3], apart[3];
    for (int n = 0; n < 3; n++) {
        off[n] = step->shift[n] - mean.shift[n];
        apart[n] = (b->shift[n] - a->shift[n]) / 2;
    }
    return vector_length(off) <=
               vector_length(apart) + rounding * size +
                   noise_of_step * fmax(vector_length(a->shift), vector_length(b->shift)) &&
           fabs(step->turn - mean.turn) <= fabs(b->turn - a->turn) / 2 + rounding +
                                               noise_of_step * fmax(fabs(a->turn), fabs(b->turn));
}

/* The steps before and behind a seam, where the part behind it is turned; of a clip of one frame that
 * of the other side; none where both clips have the frame of the seam. */
static void find_steps(const joining *j, size_t i, const double turned[4], ground_step *before,
                       ground_step *behind) {
    const joined_part *a = &j->parts[i - 1], *b = &j->parts[i];
    *before = *behind = (ground_step){.turn = 0};
    if (b->shared > 0)
        return;
    if (a->frames.count > 1)
        *before = step_of_part(j, a, a->frames.count - 2);
    if (b->frames.count > 1)
        *behind = step_of_part(j, b, 0);
    quat_rotate(a->placed.q, before->shift, before->shift);
    quat_rotate(turned, behind->shift, behind->shift);
    *behind = b->frames.count > 1 ? *behind : *before;
    *before = a->frames.count > 1 ? *before : *behind;
}

void join_continue_part(joining *j, size_t i) {
    joined_part *before = &j->parts[i - 1], *part = &j->parts[i];
    const size_t last = before->frames.count - (part->shared > 0 ? part->shared : 1);
    similarity there = join_mover_at(j, before, last), here = join_mover_at(j, part, 0);
    double turn[4] = {0};
    ground_step leaving, arriving;
    there = similarity_product(&before->placed, &there);
    part->placed = similarity_identity;
    find_steps(j, i, part->placed.q, &leaving, &arriving);
    const ground_step own = step_between(j->up, &there, &here);
    if (is_between(&own, &leaving, &arriving, vector_length(there.p)))
        return;
    turn[j->up] = pm_same_sin(mean_of(&leaving, &arriving).turn / 2);
    turn[3] = pm_same_cos(mean_of(&leaving, &arriving).turn / 2);
    quat_multiply(turn, there.q, there.q);
    find_heading(j->up, here.q, there.q, part->placed.q);
    find_steps(j, i, part->placed.q, &leaving, &arriving);
    const ground_step step = mean_of(&leaving, &arriving);
    here = similarity_product(&part->placed, &here);
    for (int n = 0; n < 3; n++)
        part->placed.p[n] = n == j->up ? 0 : there.p[n] + step.shift[n] - here.p[n];
}

/* ---- poses that are the same --------------------------------------------------------------- */

/* How far two poses are apart: the largest of rotations, in radians, and of positions. The place on the
 * ground and the heading count for nothing. */
typedef struct pose_step {
    double by_path[2], size; /* the largest number */
} pose_step;

static double apart(const double *a, const double *b, pm_motion_path path) {
    double same = 0, opposite = 0;
    for (int i = 0; i < (path == PM_MOTION_ROTATION ? 4 : 3); i++) {
        same += (a[i] - b[i]) * (a[i] - b[i]);
        opposite += (a[i] + b[i]) * (a[i] + b[i]);
    }
    return path == PM_MOTION_ROTATION ? 2 * sqrt(fmin(same, opposite)) : sqrt(same);
}

/* In the world, after a turn about the axis that points up. */
static void add_mover(const joining *j, similarity a, similarity b, pose_step *step) {
    double turn[4];
    find_heading(j->up, b.q, a.q, turn);
    quat_multiply(turn, b.q, b.q);
    const double height = fabs(a.p[j->up] - b.p[j->up]);
    step->by_path[PM_MOTION_ROTATION] =
        fmax(step->by_path[PM_MOTION_ROTATION], apart(a.q, b.q, PM_MOTION_ROTATION));
    step->by_path[PM_MOTION_POSITION] = fmax(step->by_path[PM_MOTION_POSITION], height);
    step->size = fmax(step->size, fabs(a.p[j->up]));
}

static pose_step pose_between(const joining *j, const joined_part *a, size_t from,
                              const joined_part *b, size_t to) {
    pose_step step = {.size = 1};
    for (size_t c = 0; c < j->channel_count; c++) {
        const pm_motion_channel *of = &j->channels[c];
        double x[4], y[4];
        if (!motion_is_pose_channel(of) ||
            (of->node == (int32_t)j->mover && of->path <= PM_MOTION_POSITION))
            continue;
        join_own_value(j, a, c, from, x);
        join_own_value(j, b, c, to, y);
        if (of->path == PM_MOTION_ROTATION) {
            evaluate_normalise(x);
            evaluate_normalise(y);
        }
        step.by_path[of->path] = fmax(step.by_path[of->path], apart(x, y, of->path));
        for (int i = 0; i < 3; i++)
            step.size = fmax(step.size, fabs(x[i]));
    }
    add_mover(j, join_mover_at(j, a, from), join_mover_at(j, b, to), &step);
    return step;
}

/* Of figures that keep their pose the mover tells whether a frame is there twice. */
static bool repeats_place(const joining *j, size_t i) {
    const similarity last = join_mover_at(j, &j->parts[i - 1], j->parts[i - 1].frames.count - 1);
    const similarity first = join_mover_at(j, &j->parts[i], 0);
    const ground_step seam = step_between(j->up, &last, &first);
    const ground_step step = step_of_part(j, &j->parts[i], 0);
    const double size = fmax(1, vector_length(first.p));
    return vector_length(step.shift) > rounding * size &&
           vector_length(seam.shift) <= small_step * vector_length(step.shift) + rounding * size;
}

bool join_repeats_pose(const joining *j, size_t i) {
    const joined_part *a = &j->parts[i - 1], *b = &j->parts[i];
    const size_t count = a->frames.count;
    bool moves = false;
    if (count < 2 || b->frames.count < 2)
        return false;
    const pose_step seam = pose_between(j, a, count - 1, b, 0);
    const pose_step before = pose_between(j, a, count - 2, a, count - 1);
    const pose_step behind = pose_between(j, b, 0, b, 1);
    for (int p = 0; p < 2; p++) {
        const double step = fmax(before.by_path[p], behind.by_path[p]);
        const double tiny = rounding * (p == PM_MOTION_ROTATION ? 1 : seam.size);
        moves = moves || step > tiny;
        if (seam.by_path[p] > small_step * step + tiny)
            return false;
    }
    return moves || repeats_place(j, i);
}

/* ---- who moves, and what is up ------------------------------------------------------------- */

static pm_status check_above(joining *j, uint32_t node, pm_error *error) {
    for (size_t i = 0; i < j->count; i++)
        for (size_t c = 0; c < j->parts[i].clip->channel_count; c++) {
            const pm_motion_channel *channel = &j->parts[i].clip->channels[c];
            const pm_timeline *timeline = &j->parts[i].clip->timelines[channel->timeline];
            if (channel->node == (int32_t)node && motion_is_pose_channel(channel) &&
                !motion_is_constant(channel, timeline))
                return motion_fail_at(error, PM_ERROR_FILE, j->parts[i].from->name, NULL,
                                      "moves a joint above the one that is continued");
        }
    return PM_OK;
}

/* A figure in place is carried by the first node that has positions, or the first of all. */
static uint32_t find_carrier(const pm_motion_content *content) {
    int32_t node = INT32_MAX;
    for (size_t i = 0; i < content->clip_count; i++)
        for (size_t c = 0; c < content->clips[i].channel_count; c++) {
            const pm_motion_channel *channel = &content->clips[i].channels[c];
            if (channel->path == PM_MOTION_POSITION && channel->node >= 0 && channel->node < node)
                node = channel->node;
        }
    return content->mover != PM_NO_INDEX32 ? content->mover
           : node != INT32_MAX             ? (uint32_t)node
                                           : 0;
}

pm_status join_find_mover(joining *j, pm_error *error) {
    const pm_motion_content *content = &j->parts[0].from->motion->content;
    j->mover = UINT32_MAX;
    if (!j->options->continue_root)
        return PM_OK;
    pm_status status = motion_check_nodes(content, "a root that is continued", error);
    if (status != PM_OK)
        return status;
    j->mover = find_carrier(content);
    j->above = similarity_identity;
    for (int32_t n = content->nodes[j->mover].parent; status == PM_OK && n >= 0;
         n = content->nodes[n].parent) {
        const similarity rest = evaluate_rest(&content->nodes[n]);
        j->above = similarity_product(&rest, &j->above);
        status = check_above(j, (uint32_t)n, error);
    }
    return status == PM_OK ? motion_require_up(content, j->options->up, &j->up, error) : status;
}
