/* SPDX-License-Identifier: MIT
 *
 * Makes a motion whose root moves: finds the joint, the root and the nodes that are kept in their
 * places, and copies everything else.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion/base/c_locale.h"
#include "motion/model/compose.h"
#include "motion/model/evaluate.h"
#include "motion/model/free_names.h"
#include "motion/model/made.h"
#include "motion/model/mover.h"
#include "motion/model/names.h"
#include "motion/steps/root.h"
#include "motion/steps/steps.h"

static const double degrees_per_radian = 57.29577951308232;

/* Relative, of scales, and absolute, of the rest pose of a root. */
static const double tolerance = 1e-6;

/* ---- options ------------------------------------------------------------------------------- */

static pm_status check_options(const pm_motion_root_options *o, pm_error *error) {
    if ((unsigned)o->up > PM_MOTION_UP_Z)
        return motion_fail(error, PM_ERROR_ARGUMENT, "up is %d, which is no pm_motion_up",
                           (int)o->up);
    if (o->axes > (PM_MOTION_AXIS_X | PM_MOTION_AXIS_Y | PM_MOTION_AXIS_Z))
        return motion_fail(error, PM_ERROR_ARGUMENT, "axes is %u, expected a sum of pm_motion_axis",
                           o->axes);
    if (o->add && o->root)
        return motion_fail(error, PM_ERROR_ARGUMENT,
                           "root is given, and add asks for a node above all");
    if (o->keep_position && (o->axes || o->keep_heading))
        return motion_fail(error, PM_ERROR_ARGUMENT, "keep_position leaves %s",
                           o->axes ? "no use for axes" : "nothing to extract with keep_heading");
    return MOTION_CHECK_NEXT(pm_motion_root_options, o, error);
}

static pm_status find_node(const pm_motion *motion, const char *field, const char *name,
                           uint32_t *node, pm_error *error) {
    char shown[MOTION_PRINTABLE];
    if (pm_motion_find_joint(motion, name, node))
        return PM_OK;
    return motion_fail(error, PM_ERROR_ARGUMENT, "%s: no joint is named '%s'", field,
                       motion_printable(shown, name, strlen(name)));
}

static pm_status find_joint(const pm_motion *motion, const pm_motion_root_options *o,
                            uint32_t *joint, pm_error *error) {
    if (o->joint)
        return find_node(motion, "joint", o->joint, joint, error);
    *joint = motion->content.mover;
    return *joint != PM_NO_INDEX32
               ? PM_OK
               : motion_fail(error, PM_ERROR_ARGUMENT,
                             "no position travels by a twentieth of the figure's size; name the "
                             "joint to extract from");
}

static void choose_axes(root_plan *plan, const pm_motion_root_options *o) {
    for (int i = 0; i < 3; i++)
        plan->axes[i] = !o->keep_position && (o->axes ? (o->axes >> i & 1) != 0 : i != plan->up);
    plan->keeps_heading = o->keep_heading;
}

/* ---- the chain ----------------------------------------------------------------------------- */

static bool make_chain(root_plan *plan, uint32_t joint) {
    const pm_motion_node *nodes = plan->from->nodes;
    for (int32_t n = (int32_t)joint; n >= 0; n = nodes[n].parent)
        plan->chain_count++;
    plan->chain = motion_allocate(plan->arena, plan->chain_count, sizeof *plan->chain);
    size_t at = plan->chain_count;
    for (int32_t n = (int32_t)joint; plan->chain && n >= 0; n = nodes[n].parent)
        plan->chain[--at] = (uint32_t)n;
    return plan->chain != NULL;
}

static bool is_plain_rest(const pm_motion_node *node, int up) {
    bool plain = fabs(fabs(node->rotation[3]) - 1) <= tolerance;
    for (int i = 0; i < 3; i++)
        plain = plain && fabs(node->rotation[i]) <= tolerance &&
                fabs(node->scale[i] - 1) <= tolerance &&
                (i == up || fabs(node->position[i]) <= tolerance);
    return plain;
}

static pm_status choose_root(const pm_motion *motion, root_plan *plan,
                             const pm_motion_root_options *o, pm_error *error) {
    uint32_t node = 0;
    if (!o->root) {
        plan->adds = o->add || plan->chain_count == 1 ||
                     !is_plain_rest(&plan->from->nodes[plan->chain[0]], plan->up);
        plan->root_node = plan->adds ? (uint32_t)plan->from->node_count : plan->chain[0];
        return plan->from->node_count < INT32_MAX ? PM_OK : motion_refuse_memory(error);
    }
    MOTION_TRY(find_node(motion, "root", o->root, &node, error));
    plan->root_node = node;
    while (plan->root + 1 < plan->chain_count && plan->chain[plan->root] != node)
        plan->root++;
    if (plan->root + 1 < plan->chain_count)
        return PM_OK;
    char shown[MOTION_PRINTABLE];
    return motion_fail(error, PM_ERROR_ARGUMENT, "root: '%s' is not above the joint",
                       motion_printable(shown, o->root, strlen(o->root)));
}

static void find_rests(root_plan *plan) {
    similarity parent = similarity_identity;
    for (size_t i = 0; i < plan->chain_count; i++) {
        const similarity local = evaluate_rest(&plan->from->nodes[plan->chain[i]]);
        parent = similarity_product(&parent, &local);
        if (!plan->adds && i == plan->root)
            plan->root_rest = parent;
    }
    plan->rest = parent;
}

/* ---- scales -------------------------------------------------------------------------------- */

static bool is_uniform(const double scale[3]) {
    return scale[0] > 0 && fabs(scale[1] - scale[0]) <= tolerance * scale[0] &&
           fabs(scale[2] - scale[0]) <= tolerance * scale[0];
}

static bool has_uniform_scales(const pm_motion_content *content, uint32_t node) {
    bool uniform = is_uniform(content->nodes[node].scale);
    for (size_t i = 0; i < content->clip_count; i++)
        for (size_t c = 0; c < content->clips[i].channel_count; c++) {
            const pm_motion_channel *channel = &content->clips[i].channels[c];
            if (channel->node != (int32_t)node || channel->path != PM_MOTION_SCALE)
                continue;
            const size_t keys = content->clips[i].timelines[channel->timeline].key_count;
            for (size_t k = 0; k < keys && uniform; k++) {
                double scale[3];
                evaluate_key(channel, k, scale);
                uniform = is_uniform(scale);
            }
        }
    return uniform;
}

/* The joint's own scale has no effect on where it is. */
static pm_status check_scales(const root_plan *plan, pm_error *error) {
    char shown[MOTION_PRINTABLE];
    for (size_t i = 0; i + 1 < plan->chain_count; i++) {
        const pm_motion_name name = plan->from->nodes[plan->chain[i]].name;
        if (!has_uniform_scales(plan->from, plan->chain[i]))
            return motion_fail(error, PM_ERROR_ARGUMENT,
                               "'%s', which is above the joint, has a scale that is not uniform",
                               motion_joint_name(shown, name, plan->chain[i]));
    }
    return PM_OK;
}

/* ---- nodes --------------------------------------------------------------------------------- */

/* The joint first, then the children of nodes from the root to the joint. */
static bool find_kept(root_plan *plan) {
    const size_t nodes = plan->from->node_count, joint = plan->chain_count - 1;
    size_t *place = motion_allocate(plan->arena, nodes, sizeof *place); /* in the chain, and 1 */
    plan->kept = motion_allocate(plan->arena, nodes, sizeof *plan->kept);
    if (!place || !plan->kept)
        return false;
    for (size_t i = 0; i < plan->chain_count; i++)
        place[plan->chain[i]] = i + 1;
    plan->kept[plan->kept_count++] = (root_kept){plan->chain[joint], joint - 1};
    for (uint32_t n = 0; n < nodes; n++) {
        const int32_t parent = plan->from->nodes[n].parent;
        const size_t at = parent >= 0 ? place[parent] : 0; /* counted from 1 */
        if (place[n] == 0 && at > 0 && at - 1 < joint && (plan->adds || at - 1 >= plan->root))
            plan->kept[plan->kept_count++] = (root_kept){n, at - 1};
    }
    return true;
}

/* "root", or one with a number: a name that no node has. */
static bool make_name(const pm_motion *motion, motion_arena *arena, pm_motion_name *name) {
    const pm_motion_content *content = &motion->content;
    SCOPED(free_names_close) free_names names;
    bool good = free_names_open(&names, content->node_count + 1, arena);
    for (size_t i = 0; good && i < content->node_count; i++)
        good = free_names_take(&names, 0, content->nodes[i].name, name);
    return good && free_names_take(&names, 0, (pm_motion_name){"root", 4}, name);
}

static bool add_node(const pm_motion *motion, root_plan *plan, const char *given, pm_motion *to) {
    const size_t count = to->content.node_count;
    pm_motion_node *nodes = motion_allocate(&to->arena, count + 1, sizeof *nodes);
    pm_motion_name name = {given, given ? strlen(given) : 0};
    if (!nodes || (!given && !make_name(motion, &to->arena, &name)))
        return false;
    memcpy(nodes, to->content.nodes, count * sizeof *nodes);
    nodes[count] = (pm_motion_node){.name = motion_copy_name(&to->arena, name),
                                    .parent = -1,
                                    .rotation = {0, 0, 0, 1},
                                    .scale = {1, 1, 1}};
    nodes[plan->chain[0]].parent = (int32_t)count;
    to->content.nodes = nodes;
    to->content.node_count = count + 1;
    return nodes[count].name.text != NULL;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static pm_status make_plan(const pm_motion *motion, const pm_motion_root_options *o,
                           root_plan *plan, pm_error *error) {
    uint32_t joint = 0;
    MOTION_TRY(find_joint(motion, o, &joint, error));
    MOTION_TRY(motion_require_up(plan->from, o->up, &plan->up, error));
    MOTION_TRY_MEMORY(make_chain(plan, joint), error);
    MOTION_TRY(choose_root(motion, plan, o, error));
    MOTION_TRY(check_scales(plan, error));
    choose_axes(plan, o);
    find_rests(plan);
    return find_kept(plan) ? PM_OK : motion_refuse_memory(error);
}

static pm_status make(const pm_motion *motion, const pm_motion_root_options *o, pm_motion *to,
                      pm_motion_clip *clips, pm_motion_root_report *report, pm_error *error) {
    root_plan plan = {.from = &motion->content, .arena = &to->arena};
    MOTION_TRY(make_plan(motion, o, &plan, error));
    MOTION_TRY_MEMORY(!plan.adds || add_node(motion, &plan, o->new_name, to), error);
    for (size_t i = 0; i < to->content.clip_count; i++)
        MOTION_TRY(root_make_clip(&plan, i, &clips[i], error));
    /* scales of ancestors may be so small that positions overflow */
    MOTION_TRY(motion_check_numbers(&to->content, DBL_MAX, error));
    if (report)
        *report = (pm_motion_root_report){.joint = plan.chain[plan.chain_count - 1],
                                          .root = plan.root_node,
                                          .is_added = plan.adds,
                                          .up = (pm_motion_up)plan.up,
                                          .distance = plan.distance,
                                          .degrees = plan.turn * degrees_per_radian};
    return PM_OK;
}

static pm_status extract(const pm_motion *motion, const pm_motion_root_options *o,
                         pm_motion **extracted, pm_motion_root_report *report, pm_error *error) {
    MOTION_TRY(check_options(o, error));
    MOTION_TRY(motion_check_keys(motion, error));
    MOTION_TRY(motion_check_nodes(&motion->content, "root motion", error));
    if (motion->content.clip_count == 0)
        return motion_refuse(error, "has no clips; there is no root motion");
    pm_motion_clip *clips = NULL;
    SCOPED(pm_motion_destroy) pm_motion *to = made_begin(motion, &clips);
    MOTION_TRY_MEMORY(to, error);
    to->form = NULL;
    MOTION_TRY(make(motion, o, to, clips, report, error));
    return made_end(&to, extracted, error);
}

pm_status pm_motion_extract_root(const pm_motion *motion, const pm_motion_root_options *options,
                                 pm_motion **extracted, pm_motion_root_report *report,
                                 pm_error *error) {
    static const pm_motion_root_options defaults;
    MOTION_REQUIRE(error, motion, extracted);
    C_LOCALE_HERE;
    return extract(motion, options ? options : &defaults, extracted, report, error);
}

/* ---- the step ------------------------------------------------------------------------------- */

static bool is_asked(const pm_motion_batch_task *task) {
    return task->extracts_root;
}

static pm_status make_step(task_work *w, const pm_motion_batch_task *task, pm_motion **made,
                           pm_error *error) {
    pm_motion_root_report *report = &w->report->root;
    MOTION_TRY(pm_motion_extract_root(w->motion, &task->root, made, report, error));
    motion_joint_name(w->report->root_joint, (*made)->content.nodes[report->joint].name,
                      report->joint);
    return PM_OK;
}

const task_step step_root = {
    "root",
    "convert",
    "extract-root root-node root-name root-axes keep-heading keep-position "
    "up",
    STEP_KEEPS_TIMES | STEP_IS_REPORTED,
    is_asked,
    make_step};
