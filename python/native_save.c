/* SPDX-License-Identifier: MIT
 *
 * Files of the package that appear when they are complete.
 */
#include "native.h"

#include "motion/base/c_locale.h"
#include "motion/files/output.h"

pm_status native_save(const char *path, const char *text, size_t size, pm_error *error) {
    void *before = c_locale_begin(); /* of messages */
    const pm_status status = motion_output_save(path, text, size, error);
    c_locale_end(before);
    return status;
}
