/* SPDX-License-Identifier: MIT
 *
 * The table of outputs, and the checks of output memory that all backends share.
 */
#include "crowd.h"

#include "base/base.h"

#define PM_OUTPUT_ROW(name, number, form, numbers, bits, bound)                                    \
    [PM_CROWD_##name] = {"PM_CROWD_" #name, form, numbers, bits, bound},
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

size_t pm_crowd_stride(const pm_skeleton *skeleton, pm_crowd_output output, size_t stride) {
    return stride ? stride : skeleton->joint_count * pm_crowd_record_bytes(output);
}

pm_status pm_crowd_check_output(const pm_skeleton *skeleton, pm_crowd_output output,
                                pm_error *error) {
    if ((unsigned)output >= PM_CROWD_OUTPUT_COUNT)
        return pm_fail(error, PM_ERROR_ARGUMENT, "output is %d, expected a pm_crowd_output",
                       (int)output);
    if (pm_crowd_outputs[output].form == PM_FORM_RIGID && !skeleton->rigid)
        return pm_fail(error, PM_ERROR_ARGUMENT, "%s: an inverse bind matrix is not rigid",
                       pm_crowd_outputs[output].name);
    return PM_OK;
}

pm_status pm_crowd_check_listed(pm_crowd_output output, size_t index, unsigned *seen,
                                pm_error *error) {
    if ((unsigned)output >= PM_CROWD_OUTPUT_COUNT)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "outputs[%zu].output is %d, expected a pm_crowd_output", index, (int)output);
    if (*seen >> output & 1)
        return pm_fail(error, PM_ERROR_ARGUMENT, "outputs[%zu].output: %s is requested twice",
                       index, pm_crowd_outputs[output].name);
    *seen |= 1u << output;
    return PM_OK;
}

pm_status pm_crowd_check_list(const void *outputs, size_t count, pm_error *error) {
    if (count == 0)
        return pm_fail(error, PM_ERROR_ARGUMENT, "no output is requested: output_count is 0");
    return outputs ? PM_OK : pm_fail(error, PM_ERROR_ARGUMENT, "outputs is NULL");
}

pm_status pm_crowd_check_stride(const pm_skeleton *skeleton, pm_crowd_output output, size_t stride,
                                size_t alignment, size_t instances, size_t *bytes,
                                pm_error *error) {
    pm_status status = pm_crowd_check_output(skeleton, output, error);
    if (status != PM_OK)
        return status;
    const char *name = pm_crowd_outputs[output].name;
    const size_t records = pm_crowd_stride(skeleton, output, 0);
    if (stride && stride < records)
        return pm_fail(error, PM_ERROR_ARGUMENT,
                       "%s: stride is %zu bytes, expected at least the %zu of a pose", name, stride,
                       records);
    status = pm_check_multiple(name, "stride", stride, alignment, error);
    if (status != PM_OK)
        return status;
    if (!pm_multiply(instances - 1, pm_crowd_stride(skeleton, output, stride), bytes) ||
        __builtin_add_overflow(*bytes, records, bytes))
        return pm_fail(error, PM_ERROR_SIZE, "%s: the size in bytes does not fit size_t", name);
    return PM_OK;
}

pm_status pm_crowd_check_previous(pm_crowd_output output, const void *memory, const void *previous,
                                  pm_error *error) {
    return memory != previous
               ? PM_OK
               : pm_fail(error, PM_ERROR_ARGUMENT, "%s: previous is the output's own memory",
                         pm_crowd_outputs[output].name);
}
