/* SPDX-License-Identifier: MIT
 *
 * The container of binary glTF: a header of 12 bytes, and chunks with a length, a type and data. The
 * first is the JSON document, the second the binary buffer if there is one; chunks of other types
 * follow and are carried over.
 */
#pragma once

#include <posemill/posemill.h>

#define GLB_MAGIC 0x46546C67u /* "glTF" */
#define GLB_JSON 0x4E4F534Au
#define GLB_BIN 0x004E4942u
enum { GLB_HEADER = 12, GLB_CHUNK_HEADER = 8 };

typedef struct glb_chunks {
    const unsigned char *json, *bin, *others; /* NULL: none */
    size_t json_size, bin_size, others_size;  /* `others` with their headers */
    size_t unread;                            /* bytes after the end that the header says */
} glb_chunks;

uint32_t glb_load32(const unsigned char *at);
void glb_store32(unsigned char *at, uint32_t value);

pm_status glb_split(const void *data, size_t size, glb_chunks *chunks, pm_error *error);
