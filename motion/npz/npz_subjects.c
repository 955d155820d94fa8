/* SPDX-License-Identifier: MIT
 *
 * Arrays of texts, and the names of bodies and joints in them that the numbers of robots are of.
 */
#include <stdio.h>
#include <string.h>

#include "motion/npz/npz.h"

/* ---- texts -------------------------------------------------------------------------------- */

/* Writes a code point as UTF-8; those that are none as U+FFFD. Returns the bytes written. */
static size_t put_utf8(char *out, uint32_t c) {
    c = c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0xfffd : c;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned lead[] = {0, 0xc0, 0xe0, 0xf0};
    out[0] = (char)(lead[more] | c >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    return more + 1;
}

bool npz_has_texts(const npy_header *header, size_t count) {
    return header->type[0] != '>' && (header->type[1] == 'U' || header->type[1] == 'S') &&
           header->rank == 1 && header->shape[0] == count;
}

/* A string of NumPy is filled up with zeros. */
void npz_read_text(const npy_header *header, zip_bytes bytes, size_t index, motion_arena *arena,
                   pm_motion_name *name) {
    const bool unicode = header->type[1] == 'U';
    size_t size = npy_element_size(header->type), used = 0;
    const char *at = bytes.data + header->data_at + index * size;
    while (size > 0 && at[size - 1] == '\0')
        size--;
    size = unicode ? (size + 3) / 4 * 4 : size;
    char *text = motion_allocate(arena, size + 1, 1);
    for (size_t i = 0; text && i < size && unicode; i += 4) {
        const unsigned char *b = (const unsigned char *)at + i;
        used += put_utf8(text + used,
                         b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);
    }
    if (text && !unicode) {
        memcpy(text, at, size);
        used = size;
    }
    *name = (pm_motion_name){text, used};
}

/* ---- names of bodies and joints ----------------------------------------------------------- */

/* Names that do not fit keep a library of robots from reading the file, and nobody else. */
static pm_status note_odd(const npz_document *document, size_t member, size_t count,
                          pm_motion *motion, pm_error *error) {
    char shown[MOTION_PRINTABLE], text[MOTION_PRINTABLE + 96];
    snprintf(text, sizeof text, "member '%s' has no %zu texts, one for each column",
             npz_shown(shown, &document->archive.members[member]), count);
    motion->odd_names = motion_copy_text(&motion->arena, text, strlen(text));
    return motion->odd_names ? PM_OK : motion_refuse_memory(error);
}

static pm_status read_names(npz_document *document, const npz_rows *rows, pm_motion *motion,
                            pm_motion_channel *channels, pm_error *error) {
    const bool is_scalar = rows->role == NPZ_SCALAR;
    const size_t count = is_scalar ? rows->width : rows->channel_count;
    size_t member;
    npy_header header;
    zip_bytes bytes = {NULL, 0};
    pm_status status = npz_find(&document->archive, rows->names, &member, error);
    if (status != PM_OK || member == SIZE_MAX)
        return status;
    status = npz_load(document, member, &header, &bytes, NULL);
    if (status == PM_ERROR_MEMORY)
        return motion_refuse_memory(error);
    if (status != PM_OK || !bytes.data || !npz_has_texts(&header, count))
        return note_odd(document, member, count, motion, error);
    pm_motion_name *names = motion_allocate(&motion->arena, count, sizeof *names);
    bool good = names != NULL;
    for (size_t i = 0; i < count && good; i++) {
        npz_read_text(&header, bytes, i, &motion->arena, &names[i]);
        good = names[i].text != NULL;
        if (!is_scalar)
            channels[rows->channel + i].subjects = &names[i];
    }
    if (is_scalar)
        channels[rows->channel].subjects = names;
    return good ? PM_OK : motion_refuse_memory(error);
}

pm_status npz_read_subjects(npz_document *document, pm_motion *motion, pm_motion_channel *channels,
                            pm_error *error) {
    pm_status status = PM_OK;
    for (size_t r = 0; r < document->row_count && status == PM_OK; r++) {
        const npz_rows *rows = &document->rows[r];
        if (!rows->names)
            continue;
        if (rows->role == NPZ_SCALAR)
            channels[rows->channel].full_turn = 6.283185307179586477;
        status = read_names(document, rows, motion, channels, error);
    }
    return status;
}
