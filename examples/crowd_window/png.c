/* SPDX-License-Identifier: MIT
 *
 * PNG by its specification (ISO/IEC 15948): 8 bits of red, green and blue, the filter of each row
 * that leaves the smallest numbers, one block of zlib's data.
 */
#include "png.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "fault.h"

enum { NONE, SUB, UP, AVERAGE, PAETH, FILTERS };

static void put32(unsigned char *out, unsigned long value) {
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> (24 - 8 * i));
}

static bool write_chunk(FILE *file, const char type[4], const unsigned char *data, size_t size) {
    unsigned char head[8], tail[4];
    uLong sum = crc32(0, (const Bytef *)type, 4);
    if (size)
        sum = crc32(sum, data, (uInt)size);
    put32(head, size);
    memcpy(head + 4, type, 4);
    put32(tail, sum);
    return fwrite(head, 1, 8, file) == 8 && fwrite(data, 1, size, file) == size &&
           fwrite(tail, 1, 4, file) == 4;
}

/* The neighbour that is nearest to left + up - corner. */
static unsigned paeth(int left, int up, int corner) {
    const int to_left = abs(up - corner), to_up = abs(left - corner);
    const int to_corner = abs(left + up - 2 * corner);
    if (to_left <= to_up && to_left <= to_corner)
        return (unsigned)left;
    return (unsigned)(to_up <= to_corner ? up : corner);
}

static unsigned predicted(int filter, unsigned left, unsigned up, unsigned corner) {
    switch (filter) {
    case SUB:
        return left;
    case UP:
        return up;
    case AVERAGE:
        return (left + up) / 2;
    case PAETH:
        return paeth((int)left, (int)up, (int)corner);
    default:
        return 0;
    }
}

/* Writes a row with a filter after the filter's number, and returns the sum of the magnitudes. */
static unsigned long filter_row(int filter, const unsigned char *row, const unsigned char *above,
                                size_t size, unsigned char *out) {
    unsigned long sum = 0;
    out[0] = (unsigned char)filter;
    for (size_t i = 0; i < size; i++) {
        const unsigned left = i >= 3 ? row[i - 3] : 0, up = above ? above[i] : 0;
        const unsigned corner = i >= 3 && above ? above[i - 3] : 0;
        out[1 + i] = (unsigned char)(row[i] - predicted(filter, left, up, corner));
        sum += (unsigned long)abs((signed char)out[1 + i]);
    }
    return sum;
}

/* Rows from the highest to the lowest. */
static void filter_rows(const unsigned char *pixels, size_t size, int height, unsigned char *out) {
    const unsigned char *above = NULL;
    for (int y = height - 1; y >= 0; y--, out += size + 1) {
        const unsigned char *row = pixels + (size_t)y * size;
        int best = NONE;
        unsigned long least = filter_row(NONE, row, above, size, out);
        for (int filter = SUB; filter < FILTERS; filter++) {
            const unsigned long sum = filter_row(filter, row, above, size, out);
            if (sum < least) {
                least = sum;
                best = filter;
            }
        }
        filter_row(best, row, above, size, out);
        above = row;
    }
}

/* The data of the only IDAT chunk; NULL: out of memory. */
static unsigned char *compressed(const unsigned char *pixels, int width, int height, size_t *size) {
    const size_t row = 3 * (size_t)width, rows = (row + 1) * (size_t)height;
    uLongf bound = compressBound((uLong)rows);
    unsigned char *filtered = malloc(rows), *out = malloc(bound);
    bool good = filtered && out;
    if (good) {
        filter_rows(pixels, row, height, filtered);
        good = compress2(out, &bound, filtered, (uLong)rows, Z_BEST_COMPRESSION) == Z_OK;
    }
    free(filtered);
    *size = bound;
    if (good)
        return out;
    free(out);
    return NULL;
}

static bool write_all(FILE *file, const unsigned char *data, size_t size, int width, int height) {
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    unsigned char header[13] = {[8] = 8, [9] = 2}; /* bits, red green blue */
    put32(header, (unsigned long)width);
    put32(header + 4, (unsigned long)height);
    return fwrite(signature, 1, 8, file) == 8 && write_chunk(file, "IHDR", header, 13) &&
           write_chunk(file, "IDAT", data, size) && write_chunk(file, "IEND", header, 0);
}

pm_status png_write(const char *path, const unsigned char *pixels, int width, int height,
                    pm_error *error) {
    size_t size = 0;
    unsigned char *data = compressed(pixels, width, height, &size);
    if (!data)
        return fault_memory(error);
    FILE *file = fopen(path, "wb");
    bool good = file && write_all(file, data, size, width, height);
    int reason = errno;
    if (file && fclose(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    free(data);
    if (good)
        return PM_OK;
    if (file)
        remove(path);
    return fault(error, PM_ERROR_OUTPUT, "%.300s: %s", path, strerror(reason));
}
