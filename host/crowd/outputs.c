/* SPDX-License-Identifier: MIT
 *
 * The table of outputs, and the checks of output memory that all backends share.
 */
#include "crowd.h"

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

size_t pm_crowd_stride(const pm_skeleton *skeleton, pm_view view, size_t stride) {
    const size_t records =
        pm_crowd_outputs[view.output].whole ? 1 : skeleton->sets[view.set].record_count;
    return stride ? stride : records * pm_crowd_record_bytes(view.output);
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

pm_status pm_crowd_check_listed(const pm_skeleton *skeleton, const pm_view *views, size_t index,
                                pm_error *error) {
    const pm_view view = views[index];
    if ((unsigned)view.output >= PM_CROWD_OUTPUT_COUNT)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "outputs[%zu].output is %d, expected a pm_crowd_output", index,
                       (int)view.output);
    for (size_t i = 0; i < index; i++)
        if (views[i].output == view.output && views[i].set == view.set)
            return pm_fail(error, PM_ERROR_ARGUMENT, "outputs[%zu].output: %s is requested twice",
                           index, pm_crowd_outputs[view.output].name);
    return pm_crowd_check_view(skeleton, view, error);
}

pm_status pm_crowd_check_list(const void *outputs, size_t count, pm_error *error) {
    if (count == 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "no output is requested");
    if (count > PM_CROWD_MAX_TARGETS)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "the number of outputs is %zu, expected at most %d", count,
                       PM_CROWD_MAX_TARGETS);
    return outputs ? PM_OK : pm_fail(error, PM_ERROR_ARGUMENT, "outputs is NULL");
}

pm_status pm_crowd_check_flags(const pm_skeleton *skeleton, pm_crowd_output output, uint64_t flags,
                               pm_error *error) {
    const char *name = pm_crowd_outputs[output].name;
    const bool turns = output == PM_CROWD_BODY_ROT || output == PM_CROWD_LOCAL_ROT;
    if (flags & ~(uint64_t)(PM_TARGET_SCALAR_FIRST | PM_TARGET_AT_POINT))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: flags has a bit that is no pm_target_flag",
                       name);
    if (flags & PM_TARGET_SCALAR_FIRST && !turns)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "%s: PM_TARGET_SCALAR_FIRST is for PM_CROWD_BODY_ROT and PM_CROWD_LOCAL_ROT",
                       name);
    if (flags & PM_TARGET_AT_POINT && output != PM_CROWD_BODY_VEL)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: PM_TARGET_AT_POINT is for PM_CROWD_BODY_VEL",
                       name);
    return flags & PM_TARGET_AT_POINT && !skeleton->points
               ? pm_fail(error, PM_ERROR_ARGUMENT,
                         "%s: PM_TARGET_AT_POINT: the skeleton has no points", name)
               : PM_OK;
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
    if (parts->layer_count && !parts->layers)
        return pm_fail(error, PM_ERROR_ARGUMENT, "the number of layers is %zu, but layers is NULL",
                       parts->layer_count);
    if (parts->layer_count > UINT32_MAX)
        return pm_fail(error, PM_ERROR_SIZE,
                       "the number of layers is %zu, expected at most 2^32 - 1",
                       parts->layer_count);
    return PM_OK;
}

pm_status pm_crowd_check_bodies(const pm_job_parts *parts, pm_error *error) {
    if (!parts->bodies && (parts->placements || parts->speeds))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: no output is a state of bodies",
                       parts->placements ? "placements" : "speeds");
    if (parts->bodies && (parts->layers || parts->poses))
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: states of bodies are those of clip A alone",
                       parts->layers ? "layers" : "poses");
    return PM_OK;
}

/* The distance from the begin of the first of some rows to the end of the last one. */
static pm_status check_rows(const char *name, size_t stride, size_t row, size_t alignment,
                            size_t count, size_t *bytes, pm_error *error) {
    if (stride && stride < row)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "%s: stride is %zu bytes, expected at least the %zu of a pose", name, stride,
                       row);
    const pm_status status = pm_check_multiple(name, "stride", stride, alignment, error);
    if (status != PM_OK)
        return status;
    if (!pm_multiply(count - 1, stride ? stride : row, bytes) ||
        __builtin_add_overflow(*bytes, row, bytes))
        return pm_fail(error, PM_ERROR_SIZE, "%s: the size in bytes does not fit size_t", name);
    return PM_OK;
}

pm_status pm_crowd_check_poses(const pm_skeleton *skeleton, size_t stride, size_t alignment,
                               size_t instances, size_t *bytes, pm_error *error) {
    return check_rows("poses", stride, pm_crowd_stride(skeleton, (pm_view){PM_CROWD_LOCAL, 0}, 0),
                      alignment, instances, bytes, error);
}

pm_status pm_crowd_check_stride(const pm_skeleton *skeleton, pm_view view, size_t stride,
                                size_t alignment, size_t instances, size_t *bytes,
                                pm_error *error) {
    return check_rows(pm_crowd_outputs[view.output].name, stride,
                      pm_crowd_stride(skeleton, view, 0), alignment, instances, bytes, error);
}

pm_status pm_crowd_check_previous(pm_crowd_output output, const void *memory, const void *previous,
                                  pm_error *error) {
    return memory != previous
               ? PM_OK
               : pm_fail(error, PM_ERROR_ARGUMENT, "%s: previous is the output's own memory",
                         pm_crowd_outputs[output].name);
}
