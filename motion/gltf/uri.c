/* SPDX-License-Identifier: MIT
 *
 * Data URIs and relative paths. A document reads nothing outside of its folder: no absolute path, no
 * `..`, no other scheme, and nothing but regular files.
 */
#include "motion/gltf/document.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "motion/base/base64.h"
#include "motion/base/os.h"
#include "motion/files/input.h"

static bool decode_data(gltf_reader *reader, const gltf_place *place, const char *uri, size_t size,
                        gltf_buffer *buffer) {
    static const char marker[] = ";base64";
    const size_t marker_size = sizeof marker - 1;
    const char *comma = memchr(uri, ',', size);
    if (!comma || (size_t)(comma - uri) < marker_size ||
        strncasecmp(comma - marker_size, marker, marker_size) != 0)
        return gltf_refuse(reader, place, "is a data URI without ';base64,'");
    const char *text = comma + 1;
    const size_t length = size - (size_t)(text - uri);
    size_t decoded = 0, at = 0;
    if (!base64_decoded_size(text, length, &decoded))
        return gltf_refuse(reader, place, "has %zu base64 characters; expected a multiple of 4",
                           length);
    unsigned char *bytes = gltf_allocate(reader, decoded, 1);
    if (!bytes)
        return false;
    if (!base64_decode(text, length, bytes, &at))
        return gltf_refuse(reader, place, "base64 character %zu is not valid", at);
    buffer->data = bytes;
    buffer->size = decoded;
    return true;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Writes the text with each %41 as A and a NUL; false if a % has no two hexadecimal digits, or the
 * text has a NUL. */
static bool decode_percent(const char *text, size_t size, char *out) {
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (c == '%') {
            const int high = i + 1 < size ? hex_digit(text[i + 1]) : -1;
            const int low = i + 2 < size ? hex_digit(text[i + 2]) : -1;
            if (high < 0 || low < 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (c == '\0')
            return false;
        *out++ = c;
    }
    *out = '\0';
    return true;
}

/* The length of the scheme before the first colon, 0 if there is none. */
static size_t scheme_of(const char *uri, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const char c = (char)(uri[i] | 0x20);
        if (uri[i] == ':')
            return i;
        if (!((c >= 'a' && c <= 'z') ||
              (i > 0 && ((uri[i] >= '0' && uri[i] <= '9') || strchr("+-.", uri[i])))))
            return 0;
    }
    return 0;
}

static bool leaves_folder(const char *path) {
    if (path[0] == '/')
        return true;
    for (const char *part = path;; part++) {
        const size_t length = strcspn(part, "/");
        if (length == 2 && part[0] == '.' && part[1] == '.')
            return true;
        part += length;
        if (*part == '\0')
            return false;
    }
}

/* Takes the data of an earlier buffer that is the same file, by whatever name. */
static bool take_read_file(const gltf_reader *reader, gltf_buffer *buffer) {
    const gltf_buffer *all = reader->document->buffers;
    for (const gltf_buffer *before = all; before < buffer; before++) {
        if (!before->owned || before->device != buffer->device || before->inode != buffer->inode)
            continue;
        buffer->data = before->data;
        buffer->size = before->read_size;
        buffer->same_as = (size_t)(before - all);
        return true;
    }
    return false;
}

static bool read_regular(gltf_reader *reader, const gltf_place *place, const char *path,
                         const char *shown, gltf_buffer *buffer) {
    char reason[INPUT_REASON_SIZE] = "";
    os_info found;
    const bool is_there = os_look(path, &found);
    buffer->is_external = true;
    buffer->device = found.volume;
    buffer->inode = found.file;
    if (is_there && take_read_file(reader, buffer))
        return true;
    if (!input_read_beside(path, NULL, SIZE_MAX, &buffer->owned, &buffer->size, reason))
        return gltf_refuse(reader, place, "%s %s", shown, reason);
    buffer->data = (const unsigned char *)buffer->owned;
    buffer->read_size = buffer->size;
    motion_observe(reader->input->options->observer, buffer->data, buffer->size);
    return true;
}

static bool load_file(gltf_reader *reader, const gltf_place *place, const char *uri, size_t size,
                      gltf_buffer *buffer) {
    const char *folder = reader->input->folder;
    char shown[MOTION_PRINTABLE];
    motion_printable(shown, uri, size);
    if (!folder)
        return gltf_refuse(reader, place, "%s is a file, and no folder is given to read it from",
                           shown);
    const size_t prefix = strlen(folder) + 1;
    FREED char *path = malloc(prefix + size + 1);
    if (!path)
        return gltf_refuse_memory(reader);
    memcpy(path, folder, prefix - 1);
    path[prefix - 1] = '/';
    bool is_good = false;
    if (!decode_percent(uri, size, path + prefix))
        gltf_refuse(reader, place, "%s has a wrong %% code", shown);
    else if (path[prefix] == '\0' || leaves_folder(path + prefix) ||
             !os_can_have_name(path + prefix))
        gltf_refuse(reader, place, "%s is not within the folder of the document", shown);
    else
        is_good = read_regular(reader, place, path, shown, buffer);
    return is_good;
}

bool gltf_load_uri(gltf_reader *reader, const gltf_place *place, const char *uri, size_t size,
                   gltf_buffer *buffer) {
    const size_t scheme = scheme_of(uri, size);
    if (scheme == 4 && strncasecmp(uri, "data", 4) == 0)
        return decode_data(reader, place, uri, size, buffer);
    if (scheme > 0)
        return gltf_refuse(reader, place, "has the scheme '%s'; expected data or a relative path",
                           MOTION_SHOWN(uri, scheme));
    return load_file(reader, place, uri, size, buffer);
}
