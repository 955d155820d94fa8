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

/* Members with rows, rates and times are the motion. */
static bool is_motion(const npz_document *d, size_t member) {
    bool is = d->has_times && d->times_member == member;
    for (size_t r = 0; r < d->row_count; r++)
        is = is || d->rows[r].member == member;
    for (size_t r = 0; r < d->rate_count; r++)
        is = is || d->rates[r].member == member;
    return is;
}

static const zip_member *find_equal(const npz_document *d, const zip_member *wanted) {
    for (size_t i = 0; i < d->archive.count; i++) {
        const zip_member *m = &d->archive.members[i];
        if (m->name.size == wanted->name.size &&
            memcmp(m->name.data, wanted->name.data, m->name.size) == 0)
            return m->crc == wanted->crc && m->size == wanted->size ? m : NULL;
    }
    return NULL;
}

void npz_list_differences(const pm_motion *a, const pm_motion *b, char *text, size_t size) {
    const npz_document *first = a->document, *second = b->document;
    char shown[MOTION_PRINTABLE];
    text[0] = '\0';
    for (size_t i = 0; i < first->archive.count; i++) {
        const zip_member *member = &first->archive.members[i];
        const size_t used = strlen(text);
        if (!is_motion(first, i) && !find_equal(second, member))
            snprintf(text + used, size - used, "%s%s", used ? ", " : "", npz_shown(shown, member));
    }
}
