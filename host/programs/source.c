/* SPDX-License-Identifier: MIT
 *
 * Assembles the source of a kernel file with its includes, from the embedded sources or from a
 * folder.
 */
#include "state.h"

#include <stdio.h>
#include <string.h>

#include "kernel_source.h"

typedef struct text {
    char *data;
    size_t size;
    size_t room;
} text;

enum { MAX_FILES = 32, MAX_FILE_BYTES = 1 << 20 };

typedef struct assembly {
    const pm_host *host;
    const char *folder; /* NULL: the embedded sources */
    text out;
    char seen[MAX_FILES][64]; /* files that are included already: each is included once */
    size_t seen_count;
    pm_error *error;
} assembly;

static pm_status append(assembly *a, const char *data, size_t size) {
    if (a->out.size + size + 1 > a->out.room) {
        size_t room = 2 * (a->out.size + size + 1);
        char *grown = pm_reallocate(a->host, a->out.data, room);
        if (!grown)
            return pm_fail_memory(a->error);
        a->out.data = grown;
        a->out.room = room;
    }
    memcpy(a->out.data + a->out.size, data, size);
    a->out.size += size;
    a->out.data[a->out.size] = '\0';
    return PM_OK;
}

static pm_status read_from_folder(assembly *a, const char *name, char **to, size_t *size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", a->folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return pm_fail(a->error, PM_ERROR_BUILD, "cannot open kernel source %s", path);
    *to = pm_allocate(a->host, MAX_FILE_BYTES);
    *size = *to ? fread(*to, 1, MAX_FILE_BYTES, file) : 0;
    bool failed = ferror(file) || *size == MAX_FILE_BYTES;
    fclose(file);
    if (!*to)
        return pm_fail_memory(a->error);
    if (!failed)
        return PM_OK;
    pm_release(*to);
    return pm_fail(a->error, PM_ERROR_BUILD, "cannot read kernel source %s", path);
}

static const struct pm_kernel_source *built_in(const char *name) {
    for (size_t i = 0; i < pm_kernel_source_count; i++)
        if (strcmp(pm_kernel_sources[i].name, name) == 0)
            return &pm_kernel_sources[i];
    return NULL;
}

static pm_status append_file(assembly *a, const char *name);

/* Appends one line. An include with quotes is replaced by the file on its first occurrence, and
 * removed on later ones. */
static pm_status append_line(assembly *a, const char *line, size_t length, const char *file,
                             size_t number) {
    static const char include[] = "#include \"";
    char name[64], marker[128];
    size_t prefix = sizeof include - 1;
    if (length <= prefix || memcmp(line, include, prefix) != 0)
        return append(a, line, length);
    const char *end = memchr(line + prefix, '"', length - prefix);
    size_t size = end ? (size_t)(end - line) - prefix : 0;
    if (size == 0 || size >= sizeof name)
        return pm_fail(a->error, PM_ERROR_BUILD, "%s:%zu: #include has no valid file name", file,
                       number);
    memcpy(name, line + prefix, size);
    name[size] = '\0';
    pm_status status = append_file(a, name);
    snprintf(marker, sizeof marker, "#line %zu \"%s\"\n", number + 1, file);
    return status == PM_OK ? append(a, marker, strlen(marker)) : status;
}

static pm_status append_text(assembly *a, const char *name, const char *data, size_t size) {
    char marker[128];
    size_t number = 1;
    snprintf(marker, sizeof marker, "#line 1 \"%s\"\n", name);
    pm_status status = append(a, marker, strlen(marker));
    for (size_t at = 0; status == PM_OK && at < size; number++) {
        const char *newline = memchr(data + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - (data + at)) + 1 : size - at;
        status = append_line(a, data + at, length, name, number);
        at += length;
    }
    return status;
}

static pm_status append_file(assembly *a, const char *name) {
    for (size_t i = 0; i < a->seen_count; i++)
        if (strcmp(a->seen[i], name) == 0)
            return PM_OK;
    if (a->seen_count == MAX_FILES)
        return pm_fail(a->error, PM_ERROR_BUILD, "too many kernel sources");
    snprintf(a->seen[a->seen_count++], sizeof a->seen[0], "%s", name);
    if (a->folder) {
        char *data;
        size_t size;
        pm_status status = read_from_folder(a, name, &data, &size);
        if (status != PM_OK)
            return status;
        status = append_text(a, name, data, size);
        pm_release(data);
        return status;
    }
    const struct pm_kernel_source *source = built_in(name);
    if (!source)
        return pm_fail(a->error, PM_ERROR_BUILD, "kernel source %s does not exist", name);
    return append_text(a, name, (const char *)source->text, source->size);
}

pm_status pm_kernel_text(const pm_host *host, const char *folder, const char *file, char **source,
                         pm_error *error) {
    char name[64];
    assembly *a = pm_allocate_zeroed(host, 1, sizeof *a);
    if (!a)
        return pm_fail_memory(error);
    a->host = host;
    a->folder = folder;
    a->error = error;
    snprintf(name, sizeof name, "%s.cl", file);
    pm_status status = append_file(a, name);
    if (status == PM_OK)
        *source = a->out.data;
    else
        pm_release(a->out.data);
    pm_release(a);
    return status;
}
