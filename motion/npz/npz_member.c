/* SPDX-License-Identifier: MIT
 *
 * Members in messages.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "motion/npz/npz.h"

const char *npz_shown(char shown[MOTION_PRINTABLE], const zip_member *member) {
    const zip_bytes name = member->name;
    const bool npy = name.size > 4 && memcmp(name.data + name.size - 4, ".npy", 4) == 0;
    return motion_printable(shown, name.data, name.size - (npy ? 4 : 0));
}

pm_status npz_refuse(pm_error *error, const zip_member *member, const char *format, ...) {
    char text[NPY_REASON_SIZE], shown[MOTION_PRINTABLE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return motion_refuse(error, "member '%s' %s", npz_shown(shown, member), text);
}
