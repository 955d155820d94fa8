/* SPDX-License-Identifier: MIT
 *
 * The program cache on disk. A file's name is a hash of everything that determines its contents. A file with any irregularity is a
 * miss. cache_folder.c checks permissions and limits the size.
 */
#define _POSIX_C_SOURCE 200809L

#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Changes with the layout of the files. */
static const char magic[8] = "pmcache1";

typedef struct cache_header {
    char magic[8];
    uint64_t key[2];
    uint64_t size;
    uint64_t checksum;
} cache_header;

/* FNV-1a */
static uint64_t hash(uint64_t h, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        h = (h ^ bytes[i]) * 0x100000001b3u;
    return h;
}

static const uint64_t hash_start = 0xcbf29ce484222325u;

static uint64_t hash_texts(uint64_t h, pm_programs *p, const char *source, const char *options) {
    h = hash(h, p->desc.identity, strlen(p->desc.identity) + 1);
    h = hash(h, options, strlen(options) + 1);
    return hash(h, source, strlen(source) + 1);
}

static cache_header header_of(pm_programs *p, const char *source, const char *options) {
    cache_header header = {.key = {hash_texts(hash_start, p, source, options),
                                   hash_texts(~hash_start, p, source, options)}};
    memcpy(header.magic, magic, sizeof magic);
    return header;
}

typedef struct file_name {
    char text[PM_CACHE_NAME + 1];
} file_name;

static file_name name_of(const cache_header *header) {
    file_name name;
    snprintf(name.text, sizeof name.text, "%016llx%016llx", (unsigned long long)header->key[0],
             (unsigned long long)header->key[1]);
    return name;
}

static bool read_exactly(int file, void *to, size_t size) {
    unsigned char *at = to;
    while (size) {
        ssize_t got = read(file, at, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* The bytes in an open file, or NULL. */
static void *read_bytes(int file, cache_header expected, size_t *size) {
    cache_header found;
    struct stat info;
    if (fstat(file, &info) != 0 || !read_exactly(file, &found, sizeof found))
        return NULL;
    expected.size = found.size;
    expected.checksum = found.checksum;
    if (memcmp(&expected, &found, sizeof found) != 0 || found.size == 0 ||
        (uint64_t)info.st_size - sizeof found != found.size)
        return NULL;
    void *bytes = malloc(found.size);
    if (!bytes)
        return NULL;
    if (!read_exactly(file, bytes, found.size) ||
        hash(hash_start, bytes, found.size) != found.checksum) {
        free(bytes);
        return NULL;
    }
    *size = found.size;
    return bytes;
}

void *pm_cache_load(pm_programs *p, const char *source, const char *options, size_t *size) {
    cache_header header = header_of(p, source, options);
    int file = p->folder ? pm_cache_folder_read(p->folder, name_of(&header).text) : -1;
    if (file < 0)
        return NULL;
    void *bytes = read_bytes(file, header, size);
    close(file);
    return bytes;
}

bool pm_cache_store(pm_programs *p, const char *source, const char *options, const void *bytes,
                    size_t size) {
    cache_header header = header_of(p, source, options);
    header.size = size;
    header.checksum = hash(hash_start, bytes, size);
    return p->folder && pm_cache_folder_write(p->folder, name_of(&header).text, &header,
                                              sizeof header, bytes, size);
}

void pm_cache_log_problem(pm_programs *p) {
    pm_log_level level;
    char problem[512];
    if (pm_cache_folder_problem(p->folder, &level, problem, sizeof problem))
        pm_log(p->desc.logger, level, "%s", problem);
}
