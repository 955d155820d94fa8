/* SPDX-License-Identifier: MIT
 *
 * Writes ustar headers; sizes from 8 GiB are written in GNU's base 256.
 */
#include "tar_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCK = 512 };

static void put_size(char field[12], uint64_t size) {
    if (size >> 33 == 0) {
        snprintf(field, 12, "%011llo", (unsigned long long)size);
        return;
    }
    field[0] = (char)0x80;
    for (int i = 11; i > 0; i--, size >>= 8)
        field[i] = (char)(size & 0xff);
}

static void put_sum(char header[BLOCK]) {
    unsigned sum = 0;
    memset(header + 148, ' ', 8);
    for (int i = 0; i < BLOCK; i++)
        sum += (unsigned char)header[i];
    snprintf(header + 148, 8, "%06o", sum);
}

void tar_add(file_bytes *tar, const tar_entry *entry) {
    static const char zeros[BLOCK];
    char header[BLOCK] = "";
    assert_true(strlen(entry->name) <= 100);
    memcpy(header, entry->name, strlen(entry->name));
    memcpy(header + 100, "0000644", 8);
    memcpy(header + 108, "0000000", 8);
    memcpy(header + 116, "0000000", 8);
    put_size(header + 124, entry->claimed != 0 ? entry->claimed : entry->size);
    memcpy(header + 136, "00000000000", 12);
    header[156] = entry->type != 0 ? entry->type : TAR_FILE;
    if (entry->target)
        memcpy(header + 157, entry->target, strlen(entry->target));
    memcpy(header + 257,
           "ustar\0"
           "00",
           8);
    put_sum(header);
    bytes_add(tar, header, BLOCK);
    bytes_add(tar, entry->data, entry->size);
    bytes_add(tar, zeros, (BLOCK - entry->size % BLOCK) % BLOCK);
}

void tar_add_text(file_bytes *tar, const char *name, const char *text) {
    tar_add(tar, &(tar_entry){.name = name, .data = text, .size = strlen(text)});
}

void tar_put(file_bytes *tar, const char *path) {
    static const char end[2 * BLOCK];
    bytes_add(tar, end, sizeof end);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(tar->data, 1, tar->size, file), tar->size);
    assert_int_equal(fclose(file), 0);
    free(tar->data);
    *tar = (file_bytes){.size = 0};
}
