/* SPDX-License-Identifier: MIT
 *
 * The program cache on disk. A file's name is a hash of everything that determines its contents. A file with any irregularity is a
 * miss. cache_folder.c checks permissions and limits the size.
 */
#include "state.h"

#include <stdio.h>
#include <string.h>

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

/* Whether the bytes of a file are what was stored. */
static bool is_whole(const void *file, size_t size, cache_header expected) {
    cache_header found;
    if (size <= sizeof found)
        return false;
    memcpy(&found, file, sizeof found);
    expected.size = size - sizeof found;
    expected.checksum = hash(hash_start, (const char *)file + sizeof found, size - sizeof found);
    return memcmp(&expected, &found, sizeof found) == 0;
}

void *pm_cache_load(pm_programs *p, const char *source, const char *options, size_t *size) {
    const cache_header header = header_of(p, source, options);
    char *file = p->folder ? pm_cache_folder_read(p->folder, name_of(&header).text, size) : NULL;
    if (!file)
        return NULL;
    if (!is_whole(file, *size, header)) {
        pm_release(file);
        return NULL;
    }
    *size -= sizeof header;
    memmove(file, file + sizeof header, *size);
    return file;
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
