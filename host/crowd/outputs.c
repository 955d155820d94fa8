/* SPDX-License-Identifier: MIT
 *
 * The table of outputs, and what outputs require.
 */
#include "crowd.h"

#include <math.h>

#include "base/base.h"

#define PM_OUTPUT_ROW(name, number, form, numbers, bits, bound)                                    \
    [PM_CROWD_##name] = {"PM_CROWD_" #name, form, numbers, bits, bound, (form) == PM_FORM_BOUNDS},
const pm_crowd_output_row pm_crowd_outputs[PM_CROWD_OUTPUT_COUNT] = {
    PM_CROWD_OUTPUTS(PM_OUTPUT_ROW)};

#define PM_OUTPUT_IS_NUMBERED(name, number, form, numbers, bits, bound)                            \
    _Static_assert((int)PM_CROWD_##name == (number),                                               \
                   "the public header and the table number " #name " alike");
PM_CROWD_OUTPUTS(PM_OUTPUT_IS_NUMBERED)

#define PM_OUTPUT_ROW_NUMBER(name, number, form, numbers, bits, bound) ROW_OF_##name,
enum { PM_CROWD_OUTPUTS(PM_OUTPUT_ROW_NUMBER) ROW_COUNT };
_Static_assert((int)ROW_COUNT == (int)PM_CROWD_OUTPUT_COUNT,
               "each output of the public header has a row");

size_t pm_crowd_output_count(void) {
    return PM_CROWD_OUTPUT_COUNT;
}

size_t pm_crowd_record_bytes(pm_crowd_output output) {
    if ((unsigned)output >= PM_CROWD_OUTPUT_COUNT)
        return 0;
    return (size_t)pm_crowd_outputs[output].numbers * pm_crowd_outputs[output].bits / 8;
}

size_t pm_crowd_view_bytes(const pm_skeleton *skeleton, pm_view view) {
    const size_t records =
        pm_crowd_outputs[view.output].whole ? 1 : skeleton->sets[view.set].record_count;
    return records * pm_crowd_record_bytes(view.output);
}

pm_status pm_crowd_check_view(const pm_skeleton *skeleton, pm_view view, pm_error *error) {
    if ((unsigned)view.output >= PM_CROWD_OUTPUT_COUNT)
        return pm_fail(error, PM_ERROR_ARGUMENT, "output is %d, expected a pm_crowd_output",
                       (int)view.output);
    const char *name = pm_crowd_outputs[view.output].name;
    if (view.set >= skeleton->set_count)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: subset is %lu, the skeleton has %zu", name,
                       (unsigned long)view.set, skeleton->set_count - 1);
    if (skeleton->hinges && !pm_is_body_output(view.output))
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "%s: a skeleton with hinges has states of bodies alone", name);
    if (pm_crowd_outputs[view.output].form == PM_FORM_RIGID &&
        skeleton->flexible < skeleton->joint_count)
        return pm_fail_joint(error, PM_ERROR_ARGUMENT, skeleton->flexible,
                             "%s: its rest pose times its inverse bind matrix is not rigid", name);
    return PM_OK;
}

pm_status pm_crowd_check_parts(const pm_job_parts *parts, pm_error *error) {
    if (!parts->instances && !parts->poses)
        return pm_fail(error, PM_ERROR_ARGUMENT, "instances is NULL");
    if (parts->instances && parts->poses)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "instances and poses are both set, expected one of them");
    if (parts->layers != parts->ranges)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s is NULL, but %s is set",
                       parts->layers ? "ranges" : "layers", parts->layers ? "layers" : "ranges");
    if (parts->layers && parts->poses)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "layers and poses are both set: layers do not apply to poses");
    if (parts->transitions && parts->poses)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "transitions and poses are both set: transitions do not apply to poses");
    if (parts->plants && parts->poses)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "plants and poses are both set: contacts are those of clips");
    if (parts->layer_count && !parts->layers)
        return pm_fail(error, PM_ERROR_ARGUMENT, "the number of layers is %zu, but layers is NULL",
                       parts->layer_count);
    if (parts->layer_count > UINT32_MAX)
        return pm_fail(error, PM_ERROR_SIZE,
                       "the number of layers is %zu, expected at most 2^32 - 1",
                       parts->layer_count);
    return PM_OK;
}

pm_status pm_crowd_find_chains(const pm_skeleton *skeleton, const pm_chain_use *uses, size_t count,
                               pm_chain_list *list, pm_error *error) {
    const uint32_t known = PM_CHAIN_IN_WORLD | PM_CHAIN_POLE_DIRECTION;
    list->count = 0;
    if (!uses != !count || count > PM_CROWD_MAX_CHAINS)
        return pm_fail(error, PM_ERROR_ARGUMENT, "chains: expected 1 to %d, or none",
                       PM_CROWD_MAX_CHAINS);
    for (size_t i = 0; i < count; i++) {
        if (uses[i].chain >= skeleton->chain_count)
            return pm_fail(error, PM_ERROR_ARGUMENT, "chains[%zu]: the skeleton has %zu, not %lu",
                           i, skeleton->chain_count, (unsigned long)uses[i].chain);
        if (uses[i].flags & ~known)
            return pm_fail(error, PM_ERROR_ARGUMENT,
                           "chains[%zu]: flags has a bit that is no pm_chain_flag", i);
        const bool stands = skeleton->chains[uses[i].chain].kind == PM_REACH_STAND;
        if (stands && uses[i].flags & PM_CHAIN_POLE_DIRECTION)
            return pm_fail(error, PM_ERROR_ARGUMENT, "chains[%zu]: what stands has no pole", i);
        list->of[list->count++] =
            uses[i].chain | (uses[i].flags | (stands ? PM_REACH_ON_GROUND : 0)) << 16;
    }
    return PM_OK;
}

pm_status pm_crowd_find_ground(const pm_height_field *field, bool given,
                               const pm_chain_list *chains, pm_height_grid *grid, pm_error *error) {
    const float cell = field->cell;
    bool stands = false;
    *grid = (pm_height_grid){{0, 0}, 0, 0, 0};
    for (pm_u32 n = 0; n < chains->count; n++)
        stands = stands || pm_chain_stands(chains, n);
    if (!given)
        return field->columns || field->rows
                   ? pm_fail(error, PM_ERROR_ARGUMENT, "ground: has nodes, but heights is NULL")
                   : PM_OK;
    if (!stands)
        return pm_fail(error, PM_ERROR_ARGUMENT, "heights: no chain of the job stands");
    if (field->columns < 1 || field->columns > PM_MOST_NODES || field->rows < 1 ||
        field->rows > PM_MOST_NODES)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "ground: %lu columns and %lu rows, expected 1 to 2^24 of each",
                       (unsigned long)field->columns, (unsigned long)field->rows);
    if (!(cell >= 1e-6f && cell <= 1e6f) || !isfinite(field->origin[0]) ||
        !isfinite(field->origin[1]))
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "ground: expected a cell of 1e-6 to 1e6, and a finite origin");
    *grid =
        (pm_height_grid){{pm_stored((double)field->origin[0]), pm_stored((double)field->origin[1])},
                         (float)(1 / (double)cell),
                         field->columns,
                         field->rows};
    return PM_OK;
}

pm_status pm_crowd_find_plants(const pm_skeleton *skeleton, bool given, pm_chain_list *chains,
                               pm_error *error) {
    bool found = false;
    for (pm_u32 n = 0; given && n < chains->count; n++)
        if (skeleton->chains[chains->of[n] & 0xffffu].plants) {
            chains->of[n] |= PM_REACH_PLANTS << 16;
            found = true;
        }
    return given && !found
               ? pm_fail(error, PM_ERROR_ARGUMENT, "plants: no chain of the job has contacts")
               : PM_OK;
}

pm_status pm_crowd_check_bodies(const pm_job_parts *parts, pm_error *error) {
    bool in_world = false;
    for (size_t i = 0; i < parts->chains->count; i++)
        in_world = in_world || parts->chains->of[i] >> 16 & PM_CHAIN_IN_WORLD;
    if (!parts->goals != !parts->chains->count)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s",
                       parts->goals ? "goals are given, but no chains" : "goals is NULL");
    if (parts->bodies && (parts->goals || parts->transitions))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: states of bodies are those of clips",
                       parts->goals ? "chains" : "transitions");
    if (in_world && !parts->placements)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "chains: goals are in the world, but placements is NULL");
    if (!parts->bodies && ((parts->placements && !in_world) || parts->speeds))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: no output is a state of bodies",
                       parts->placements && !in_world ? "placements" : "speeds");
    if (parts->bodies && (parts->layers || parts->poses))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: states of bodies are those of clip A alone",
                       parts->layers ? "layers" : "poses");
    return PM_OK;
}
