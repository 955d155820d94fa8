/* SPDX-License-Identifier: MIT
 *
 * .npy files in memory: types and sizes that `eval` takes, reading and writing. The header is read
 * by the motion library.
 */
#include "motion/npz/npy_file.h"

#include "motion/base/fault.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the data of .npy files are used in place and are little-endian"
#endif

static input_kind_found find_magic(const char *bytes, size_t size) {
    if (!npy_has_magic(bytes, size))
        return INPUT_KIND_NO;
    return size >= 6 ? INPUT_KIND_YES : INPUT_KIND_UNKNOWN;
}

const input_kind npy_kind = {find_magic, "not a .npy file"};

static bool accept_type(const npy_header *header, npy_array *array, char *reason) {
    const char *type = header->type;
    const bool is_float = strcmp(type, "<f4") == 0, is_double = strcmp(type, "<f8") == 0;
    array->type = is_double ? PM_FLOAT64 : PM_FLOAT32;
    if (type[0] == '>')
        snprintf(reason, NPY_REASON_SIZE,
                 "type is '%s', big-endian; expected little-endian '<f4' or '<f8'", type);
    else if (!is_float && !is_double)
        snprintf(reason, NPY_REASON_SIZE, "type is '%s'; expected float32 '<f4' or float64 '<f8'",
                 type);
    else if (header->fortran_order)
        snprintf(reason, NPY_REASON_SIZE,
                 "array is in Fortran order; expected C order, see numpy.ascontiguousarray");
    else
        return true;
    return false;
}

bool npy_parse(const char *file, size_t size, npy_array *array, char *reason) {
    npy_header header;
    memset(array, 0, sizeof *array);
    if (!npy_read_header(file, size, &header, reason) || !accept_type(&header, array, reason))
        return false;
    array->rank = header.rank;
    memcpy(array->shape, header.shape, sizeof array->shape);
    if (!npy_count(&header, &array->count) || !npy_bytes(&header, &array->bytes)) {
        snprintf(reason, NPY_REASON_SIZE, "shape is too large for any file");
        return false;
    }
    size_t rest = size - header.data_at;
    if (rest != array->bytes) {
        char shape[96];
        npy_shape_text(array->rank, array->shape, shape, sizeof shape);
        snprintf(reason, NPY_REASON_SIZE, "data has %zu bytes; shape %s requires %zu", rest, shape,
                 array->bytes);
        return false;
    }
    array->data = file + header.data_at;
    return true;
}

static const char *shown_name(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Takes the bytes of a file. */
static pm_status take_file(const char *path, char *file, size_t size, npy_array *array,
                           pm_error *error) {
    char reason[NPY_REASON_SIZE] = "";
    if (!npy_parse(file, size, array, reason)) {
        free(file);
        memset(array, 0, sizeof *array);
        return motion_fail_at(error, PM_ERROR_FILE, shown_name(path), NULL, "%s", reason);
    }
    /* Writers usually pad headers to 16 or 64 bytes, but the format does not require it. */
    if (((const char *)array->data - file) % 8 != 0) {
        memmove(file, array->data, array->bytes);
        array->data = file;
    }
    array->owned = file;
    return PM_OK;
}

pm_status npy_read(const char *path, npy_array *array, pm_error *error) {
    char *file = NULL, reason[INPUT_REASON_SIZE] = "";
    size_t size = 0;
    return input_read_file(path, &npy_kind, &file, &size, reason)
               ? take_file(path, file, size, array, error)
               : motion_fail_at(error, PM_ERROR_FILE, shown_name(path), NULL, "%s", reason);
}

pm_status npy_read_beside(const char *path, npy_array *array, pm_error *error) {
    char *file = NULL, reason[INPUT_REASON_SIZE] = "";
    size_t size = 0;
    return input_read_beside(path, &npy_kind, SIZE_MAX, &file, &size, reason)
               ? take_file(path, file, size, array, error)
               : motion_fail_at(error, PM_ERROR_FILE, path, NULL, "%s", reason);
}

void npy_release(npy_array *array) {
    free(array->owned);
    memset(array, 0, sizeof *array);
}

pm_status npy_expect(const npy_array *array, const char *path, const char *shape_name, size_t rank,
                     const size_t *shape, pm_error *error) {
    bool same = array->rank == rank;
    for (size_t i = 0; i < rank && same; i++)
        same = shape[i] == SIZE_MAX || array->shape[i] == shape[i];
    if (same)
        return PM_OK;
    char found[96];
    npy_shape_text(array->rank, array->shape, found, sizeof found);
    return motion_fail_at(error, PM_ERROR_FILE, path, NULL, "shape is %s; expected %s", found,
                          shape_name);
}

size_t npy_write_header(pm_number type, size_t rank, const size_t *shape, char *header) {
    npy_header made = {.fortran_order = false, .rank = rank};
    memcpy(made.type, type == PM_FLOAT32 ? "<f4" : "<f8", 4);
    if (rank > 0)
        memcpy(made.shape, shape, rank * sizeof *shape);
    return npy_write_any_header(&made, header);
}
