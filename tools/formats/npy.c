/* SPDX-License-Identifier: MIT
 *
 * .npy files in memory: the magic bytes, version and length around the header, sizes, reading and
 * writing. The dictionary in the header is read by npy_header.c.
 */
#define _POSIX_C_SOURCE 200809L

#include "npy.h"
#include "npy_header.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the data of .npy files are used in place and are little-endian"
#endif

static const char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

/* ---- reading ------------------------------------------------------------------- */

static input_kind_found find_magic(const char *bytes, size_t size) {
    size_t seen = size < sizeof magic ? size : sizeof magic;
    if (memcmp(bytes, magic, seen) != 0) {
        return INPUT_KIND_NO;
    }
    return seen == sizeof magic ? INPUT_KIND_YES : INPUT_KIND_UNKNOWN;
}

const input_kind npy_kind = {find_magic, "not a .npy file"};

/* Finds the dictionary. False with the reason. */
static bool find_header(const char *file, size_t size, size_t *begin, size_t *length,
                        char *reason) {
    const unsigned char *bytes = (const unsigned char *)file;
    if (find_magic(file, size) != INPUT_KIND_YES) {
        snprintf(reason, NPY_REASON_SIZE, "%s", npy_kind.refusal);
        return false;
    }
    if (size < 12) {
        snprintf(reason, NPY_REASON_SIZE, "header is truncated");
        return false;
    }
    if (bytes[6] < 1 || bytes[6] > 3) {
        snprintf(reason, NPY_REASON_SIZE, ".npy version %d.%d is not supported; expected 1 to 3",
                 bytes[6], bytes[7]);
        return false;
    }
    *begin = bytes[6] == 1 ? 10 : 12;
    *length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] != 1) {
        *length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (*length > size - *begin) {
        snprintf(reason, NPY_REASON_SIZE, "header is truncated");
        return false;
    }
    return true;
}

static bool accept_type(const npy_header *header, npy_array *array, char *reason) {
    if (strcmp(header->type, "<f4") == 0) {
        array->type = PM_FLOAT32;
    } else if (strcmp(header->type, "<f8") == 0) {
        array->type = PM_FLOAT64;
    } else if (header->type[0] == '>') {
        snprintf(reason, NPY_REASON_SIZE,
                 "type is '%s', big-endian; expected little-endian '<f4' or '<f8'", header->type);
        return false;
    } else {
        snprintf(reason, NPY_REASON_SIZE, "type is '%s'; expected float32 '<f4' or float64 '<f8'",
                 header->type);
        return false;
    }
    if (header->fortran_order) {
        snprintf(reason, NPY_REASON_SIZE,
                 "array is in Fortran order; expected C order, see numpy.ascontiguousarray");
        return false;
    }
    return true;
}

/* A dimension of 0 makes the array empty, whatever the other dimensions are. */
static bool count_numbers(const npy_header *header, npy_array *array) {
    bool empty = false;
    array->rank = header->rank;
    array->count = 1;
    for (size_t i = 0; i < header->rank; i++) {
        array->shape[i] = header->shape[i];
        empty = empty || header->shape[i] == 0;
    }
    for (size_t i = 0; i < header->rank && !empty; i++) {
        if (array->count > SIZE_MAX / header->shape[i]) {
            return false;
        }
        array->count *= header->shape[i];
    }
    array->count = empty ? 0 : array->count;
    size_t width = array->type == PM_FLOAT32 ? 4 : 8;
    if (array->count > SIZE_MAX / width) {
        return false;
    }
    array->bytes = array->count * width;
    return true;
}

bool npy_parse(const char *file, size_t size, npy_array *array, char *reason) {
    size_t begin = 0;
    size_t length = 0;
    npy_header header;
    memset(array, 0, sizeof *array);
    if (!find_header(file, size, &begin, &length, reason) ||
        !npy_header_parse(file + begin, length, &header, reason) ||
        !accept_type(&header, array, reason)) {
        return false;
    }
    if (!count_numbers(&header, array)) {
        snprintf(reason, NPY_REASON_SIZE, "shape is too large for any file");
        return false;
    }
    size_t rest = size - begin - length;
    if (rest != array->bytes) {
        char shape[96];
        npy_shape_text(array->rank, array->shape, shape, sizeof shape);
        snprintf(reason, NPY_REASON_SIZE, "data has %zu bytes; shape %s requires %zu", rest, shape,
                 array->bytes);
        return false;
    }
    array->data = file + begin + length;
    return true;
}

cli_exit npy_read(const char *path, npy_array *array) {
    char *file = NULL;
    size_t size = 0;
    char reason[NPY_REASON_SIZE] = "";
    cli_exit code = cli_read_file(path, &npy_kind, &file, &size);
    if (code != CLI_DONE) {
        return code;
    }
    if (!npy_parse(file, size, array, reason)) {
        free(file);
        memset(array, 0, sizeof *array);
        return cli_fail(CLI_BAD_INPUT, strcmp(path, "-") == 0 ? "standard input" : path, NULL, "%s",
                        reason);
    }
    /* Writers usually pad headers to 16 or 64 bytes, but the format does not require it. */
    if (((const char *)array->data - file) % 8 != 0) {
        memmove(file, array->data, array->bytes);
        array->data = file;
    }
    array->owned = file;
    return CLI_DONE;
}

void npy_release(npy_array *array) {
    free(array->owned);
    memset(array, 0, sizeof *array);
}

/* ---- shapes -------------------------------------------------------------------- */

void npy_shape_text(size_t rank, const size_t *shape, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "(");
    for (size_t i = 0; i < rank && used < size; i++) {
        const char *mark = rank == 1 ? "," : (i + 1 < rank ? ", " : "");
        used += (size_t)snprintf(text + used, size - used, "%zu%s", shape[i], mark);
    }
    if (used < size) {
        snprintf(text + used, size - used, ")");
    }
}

cli_exit npy_expect(const npy_array *array, const char *path, const char *shape_name, size_t rank,
                    const size_t *shape) {
    bool same = array->rank == rank;
    for (size_t i = 0; i < rank && same; i++) {
        same = shape[i] == SIZE_MAX || array->shape[i] == shape[i];
    }
    if (same) {
        return CLI_DONE;
    }
    char found[96];
    npy_shape_text(array->rank, array->shape, found, sizeof found);
    return cli_fail(CLI_BAD_INPUT, path, NULL, "shape is %s; expected %s", found, shape_name);
}

/* ---- writing ------------------------------------------------------------------- */

size_t npy_write_header(pm_number type, size_t rank, const size_t *shape, char *header) {
    enum { FRAME = 10, ALIGNMENT = 64 };
    char shape_text[128];
    npy_shape_text(rank, shape, shape_text, sizeof shape_text);
    int used = snprintf(header + FRAME, NPY_HEADER_MAX - FRAME,
                        "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                        type == PM_FLOAT32 ? "<f4" : "<f8", shape_text);
    size_t text = used > 0 ? (size_t)used : 0;
    size_t total = (FRAME + text + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(header + FRAME + text, ' ', total - FRAME - text - 1);
    header[total - 1] = '\n';
    memcpy(header, magic, sizeof magic);
    header[6] = 1;
    header[7] = 0;
    header[8] = (char)((total - FRAME) & 0xff);
    header[9] = (char)((total - FRAME) >> 8);
    return total;
}
