/* SPDX-License-Identifier: MIT
 *
 * Members of an archive: in messages, as arrays, and compared with those of another one.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/npz/npz.h"

enum { TEXT = 512 };

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

void npz_warn(const npz_reading *r, size_t member, const char *format, ...) {
    char text[TEXT], shown[MOTION_PRINTABLE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    motion_warn(&r->input->warnings, "member '%s' %s", npz_shown(shown, &r->members[member]), text);
}

pm_status npz_doubt(const npz_reading *r, size_t member, const char *done, const char *format,
                    ...) {
    char text[TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (r->input->options->strict)
        return npz_refuse(r->error, &r->members[member], "%s", text);
    npz_warn(r, member, "%s%s", text, done);
    return PM_OK;
}

bool npz_peek_header(const zip_member *member, npy_header *header, char *reason) {
    char first[1024];
    size_t size = zip_peek(member, first, sizeof first);
    if (npy_read_header(first, size, header, reason) || size < sizeof first)
        return reason[0] == '\0';
    FREED char *more = malloc(NPY_MAX_SIZE); /* a long header */
    size = more ? zip_peek(member, more, NPY_MAX_SIZE) : 0;
    return npy_read_header(more, size, header, reason);
}

static pm_status check_size(const zip_member *member, const npy_header *header, uint64_t size,
                            pm_error *error) {
    if (npy_element_size(header->type) == 0)
        return npz_refuse(error, member, "has type '%s'; expected plain numbers", header->type);
    if (!npy_has_size(header, size))
        return npz_refuse(error, member, "has %llu bytes of data, which are not those of its shape",
                          (unsigned long long)(size - header->data_at));
    return PM_OK;
}

/* What a large member cannot be is seen before it is extracted. */
static pm_status check_large(const zip_member *member, npy_header *header, pm_error *error) {
    char reason[NPY_REASON_SIZE] = "";
    MOTION_TRY(zip_check(member, error));
    return npz_peek_header(member, header, reason)
               ? check_size(member, header, member->size, error)
               : npz_refuse(error, member, "cannot be used: %s", reason);
}

pm_status npz_load(npz_reading *r, size_t member, npy_header *header, zip_bytes *bytes) {
    enum { LARGE = 1 << 20, MOST_READ = 16 << 20, MOST_IN_ALL = 64 << 20 };
    npz_document *d = r->document;
    const zip_member *m = &r->members[member];
    char reason[NPY_REASON_SIZE] = "";
    const bool is_there = d->owned[member] != NULL;
    pm_status status = PM_OK;
    *bytes = (zip_bytes){d->owned[member], (size_t)m->size};
    if (!is_there && m->size > LARGE)
        status = check_large(m, header, r->error);
    if (status == PM_OK && d->headers_only && !is_there && m->size > LARGE &&
        (m->size > MOST_READ || d->extracted + m->size > MOST_IN_ALL)) {
        d->unread++;
        return PM_OK;
    }
    if (status == PM_OK && !is_there) {
        status = zip_extract(m, bytes, &d->owned[member], r->error);
        d->extracted += m->size;
    }
    if (status != PM_OK)
        return status;
    if (!npy_read_header(bytes->data, bytes->size, header, reason))
        return npz_refuse(r->error, m, "cannot be used: %s", reason);
    return check_size(m, header, bytes->size, r->error);
}

pm_status npz_load_named(npz_reading *r, const char *name, size_t *member, npy_header *header,
                         zip_bytes *bytes) {
    *bytes = (zip_bytes){NULL, 0};
    MOTION_TRY(npz_find(&r->document->archive, name, member, r->error));
    return *member != SIZE_MAX ? npz_load(r, *member, header, bytes) : PM_OK;
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
    text[0] = '\0';
    for (size_t i = 0; i < first->archive.count; i++) {
        const zip_member *member = &first->archive.members[i];
        const size_t used = strlen(text);
        if (first->uses[i].as == NPZ_CARRIED && !find_equal(second, member))
            snprintf(text + used, size - used, "%s%s", used ? ", " : "", NPZ_SHOWN(member));
    }
}
