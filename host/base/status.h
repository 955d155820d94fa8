/* SPDX-License-Identifier: MIT
 *
 * Functions with which the library reports failure. All are thread-safe.
 */
#ifndef PM_HOST_STATUS_H
#define PM_HOST_STATUS_H

#include <posemill/posemill.h>

/* Where a description or a job is wrong. PM_NO_INDEX: not told. */
typedef struct pm_indices {
    size_t track, key, joint, instance;
} pm_indices;

#define pm_nowhere ((pm_indices){PM_NO_INDEX, PM_NO_INDEX, PM_NO_INDEX, PM_NO_INDEX})

/* Fills *error; does nothing for NULL. " (track T, key K)" with the indices that are known is appended
 * to the message, which is truncated to the error's array. */
void pm_report(pm_error *error, pm_status status, pm_indices at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* pm_fail(error, status, format, ...), pm_fail_at(error, status, track, key, format, ...) and so on
 * report the failure and evaluate to `status`. They are macros so that compilers and analysers see
 * its value. */
#define pm_fail(error, status, ...)                                                                \
    (pm_report((error), (status), pm_nowhere, __VA_ARGS__), (status))
#define pm_fail_at(error, status, track, key, ...)                                                 \
    (pm_report((error), (status), (pm_indices){(track), (key), PM_NO_INDEX, PM_NO_INDEX},          \
               __VA_ARGS__),                                                                       \
     (status))
#define pm_fail_joint(error, status, joint, ...)                                                   \
    (pm_report((error), (status), (pm_indices){PM_NO_INDEX, PM_NO_INDEX, (joint), PM_NO_INDEX},    \
               __VA_ARGS__),                                                                       \
     (status))
#define pm_fail_instance(error, status, instance, ...)                                             \
    (pm_report((error), (status), (pm_indices){PM_NO_INDEX, PM_NO_INDEX, PM_NO_INDEX, (instance)}, \
               __VA_ARGS__),                                                                       \
     (status))

/* pm_fail of one field of a description or a job, by its canonical name, such as "tangents-in". The message
 * goes on behind the name: "is -1, expected above 0". */
#define pm_fail_field(error, status, field, ...)                                                   \
    (pm_report((error), (status), pm_nowhere, __VA_ARGS__), pm_name_field((error), (field)),       \
     (status))
static inline void pm_name_field(pm_error *error, const char *field) {
    if (error)
        error->option = field;
}

/* Puts words before the message of a failure: of which of several things it is. */
void pm_prefix_failure(pm_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reports that the OpenCL call named `what` failed with `cl_status`. `status` is not PM_OK. */
void pm_report_cl(pm_error *error, pm_status status, int cl_status, const char *what);

static inline pm_status pm_fail_memory(pm_error *error) {
    return pm_fail(error, PM_ERROR_MEMORY, "out of host memory");
}

/* PM_ERROR_ARGUMENT unless `value`, the `what` (address, offset or stride) of the output or buffer
 * `name`, is a multiple of the alignment. */
pm_status pm_check_multiple(const char *name, const char *what, uintptr_t value, size_t alignment,
                            pm_error *error);

/* PM_ERROR_ARGUMENT unless `next` of a description of the named type is NULL. */
#define PM_CHECK_NEXT(type, of, error)                                                             \
    (pm_status)((of)->next ? pm_fail(error, PM_ERROR_ARGUMENT, "%s", #type ".next is not NULL")    \
                           : PM_OK)

/* PM_ERROR_DEVICE_MEMORY when one allocation of `bytes` bytes for `what` exceeds max_bytes.
 * max_bytes 0: no maximum. */
pm_status pm_check_allocation(uint64_t max_bytes, const char *what, size_t bytes, pm_error *error);

/* Sets PM_OK, no indices and an empty message; does nothing for NULL. */
void pm_error_clear(pm_error *error);

/* Sets *product = a * b; false when the product does not fit size_t. */
bool pm_multiply(size_t a, size_t b, size_t *product);

#endif
