/* SPDX-License-Identifier: MIT
 *
 * The chunks of binary glTF.
 */
#include "motion/gltf/glb.h"

#include "motion/base/fault.h"

uint32_t glb_load32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

void glb_store32(unsigned char *at, uint32_t value) {
    for (unsigned i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static pm_status check_header(const unsigned char *data, size_t size, size_t *length,
                              pm_error *error) {
    if (size < GLB_HEADER || glb_load32(data) != GLB_MAGIC)
        return motion_refuse(error, "GLB header: does not begin with glTF and 8 more bytes");
    if (glb_load32(data + 4) != 2)
        return motion_refuse(error, "GLB header: version is %u; expected 2",
                             (unsigned)glb_load32(data + 4));
    *length = glb_load32(data + 8);
    if (*length > size)
        return motion_refuse(error, "GLB header: length is %zu, but the file has %zu bytes",
                             *length, size);
    return PM_OK;
}

/* The chunk at `at`, and the position after it. */
static pm_status next_chunk(const unsigned char *data, size_t length, size_t at, uint32_t *type,
                            size_t *end, pm_error *error) {
    if (length - at < GLB_CHUNK_HEADER)
        return motion_refuse(error, "GLB chunk at byte %zu: the file ends in its header", at);
    const size_t size = glb_load32(data + at);
    *type = glb_load32(data + at + 4);
    if (size > length - at - GLB_CHUNK_HEADER)
        return motion_refuse(error, "GLB chunk at byte %zu: length is %zu, but %zu bytes remain",
                             at, size, length - at - GLB_CHUNK_HEADER);
    if (size % 4 != 0)
        return motion_refuse(
            error, "GLB chunk at byte %zu: length is %zu; expected a multiple of 4", at, size);
    *end = at + GLB_CHUNK_HEADER + size;
    return PM_OK;
}

pm_status glb_split(const void *file, size_t size, glb_chunks *chunks, pm_error *error) {
    const unsigned char *data = file;
    size_t length = 0, at = GLB_HEADER;
    *chunks = (glb_chunks){0};
    pm_status status = check_header(data, size, &length, error);
    for (size_t i = 0; status == PM_OK && (at < length || i == 0); i++) {
        uint32_t type = 0;
        size_t end = at;
        status = at <= length ? next_chunk(data, length, at, &type, &end, error)
                              : motion_refuse(error, "GLB header: length is %zu", length);
        const size_t begin = at + GLB_CHUNK_HEADER;
        at = end;
        if (status != PM_OK)
            break;
        if (i == 0 && type != GLB_JSON)
            return motion_refuse(error, "GLB chunk at byte %d: type is %08x; expected JSON",
                                 GLB_HEADER, (unsigned)type);
        if (i == 0) {
            chunks->json = data + begin;
            chunks->json_size = end - begin;
        } else if (type == GLB_JSON || (type == GLB_BIN && i > 1)) {
            return motion_refuse(error, "GLB chunk at byte %zu: is a second one, or out of order",
                                 begin - GLB_CHUNK_HEADER);
        } else if (type == GLB_BIN) {
            chunks->bin = data + begin;
            chunks->bin_size = end - begin;
        } else {
            if (!chunks->others)
                chunks->others = data + begin - GLB_CHUNK_HEADER;
            chunks->others_size += end - begin + GLB_CHUNK_HEADER;
        }
    }
    chunks->unread = size - length;
    return status;
}
