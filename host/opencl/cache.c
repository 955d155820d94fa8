/* SPDX-License-Identifier: MIT
 *
 * The program cache on disk: built programs, and the launch configuration that was measured to be
 * fastest. A file's name is a hash of everything that determines its contents. A file with any
 * irregularity is a miss. cache_folder.c checks permissions and limits the size.
 */
#define _POSIX_C_SOURCE 200809L

#include "device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache_folder.h"

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

static uint64_t hash_texts(uint64_t h, pm_opencl_device *cl, const char *source,
                           const char *options) {
    h = hash(h, cl->cache_identity, strlen(cl->cache_identity) + 1);
    h = hash(h, options, strlen(options) + 1);
    return hash(h, source, strlen(source) + 1);
}

static cache_header header_of(pm_opencl_device *cl, const char *source, const char *options) {
    cache_header header = {.key = {hash_texts(hash_start, cl, source, options),
                                   hash_texts(~hash_start, cl, source, options)}};
    memcpy(header.magic, magic, sizeof magic);
    return header;
}

typedef struct file_name {
    char text[PM_CL_NAME + 1];
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

/* The binary in an open file, or NULL. */
static unsigned char *read_binary(int file, cache_header expected, size_t *size) {
    cache_header found;
    struct stat info;
    if (fstat(file, &info) != 0 || !read_exactly(file, &found, sizeof found))
        return NULL;
    expected.size = found.size;
    expected.checksum = found.checksum;
    if (memcmp(&expected, &found, sizeof found) != 0 || found.size == 0 ||
        (uint64_t)info.st_size - sizeof found != found.size)
        return NULL;
    unsigned char *binary = malloc(found.size);
    if (!binary)
        return NULL;
    if (!read_exactly(file, binary, found.size) ||
        hash(hash_start, binary, found.size) != found.checksum) {
        free(binary);
        return NULL;
    }
    *size = found.size;
    return binary;
}

static cl_program program_of(pm_opencl_device *cl, const unsigned char *binary, size_t size,
                             const char *options) {
    cl_int code, status;
    cl_program program =
        clCreateProgramWithBinary(cl->context, 1, &cl->id, &size, &binary, &status, &code);
    if (code != CL_SUCCESS)
        return NULL;
    if (status == CL_SUCCESS &&
        clBuildProgram(program, 1, &cl->id, options, NULL, NULL) == CL_SUCCESS)
        return program;
    clReleaseProgram(program);
    return NULL;
}

/* The bytes stored for a source and options, or NULL. Free with free(). */
static unsigned char *load(pm_opencl_device *cl, const char *source, const char *options,
                           size_t *size) {
    cache_header header = header_of(cl, source, options);
    int file = cl->folder ? pm_cl_folder_read(cl->folder, name_of(&header).text) : -1;
    if (file < 0)
        return NULL;
    unsigned char *binary = read_binary(file, header, size);
    close(file);
    return binary;
}

cl_program pm_cl_cache_load(pm_opencl_device *cl, const char *source, const char *options) {
    size_t size;
    unsigned char *binary = load(cl, source, options, &size);
    cl_program program = binary ? program_of(cl, binary, size, options) : NULL;
    free(binary);
    return program;
}

/* The devices of a program, and the binary for each. */
typedef struct program_devices {
    cl_uint count;
    cl_device_id *devices;
    size_t *sizes;            /* of binaries; 0: not built for it */
    unsigned char **binaries; /* memory for them; NULL: not copied */
} program_devices;

static bool list_devices(cl_program program, program_devices *d) {
    if (clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof d->count, &d->count, NULL) !=
            CL_SUCCESS ||
        d->count == 0)
        return false;
    d->devices = calloc(d->count, sizeof(cl_device_id));
    d->sizes = calloc(d->count, sizeof(size_t));
    d->binaries = calloc(d->count, sizeof(unsigned char *));
    return d->devices && d->sizes && d->binaries &&
           clGetProgramInfo(program, CL_PROGRAM_DEVICES, d->count * sizeof(cl_device_id),
                            d->devices, NULL) == CL_SUCCESS &&
           clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, d->count * sizeof(size_t), d->sizes,
                            NULL) == CL_SUCCESS;
}

/* The index of a device's binary; d->count when there is none. */
static size_t find_binary(const program_devices *d, cl_device_id device) {
    size_t index = d->count;
    if (pm_cl_find_listed(device, d->devices, d->count, &index) != CL_SUCCESS)
        index = d->count;
    return pm_cl_find_binary(d->sizes, d->count, index);
}

/* The binary of one device, or NULL. Free with free(). */
static unsigned char *binary_of(cl_program program, cl_device_id device, size_t *size) {
    program_devices d = {0};
    unsigned char *binary = NULL;
    size_t at = list_devices(program, &d) ? find_binary(&d, device) : d.count;
    if (at < d.count)
        binary = malloc(d.sizes[at]);
    if (binary) {
        *size = d.sizes[at];
        d.binaries[at] = binary;
        if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, d.count * sizeof(unsigned char *),
                             d.binaries, NULL) != CL_SUCCESS) {
            free(binary);
            binary = NULL;
        }
    }
    free(d.devices);
    free(d.sizes);
    free(d.binaries);
    return binary;
}

/* Returns whether the file is in the folder afterwards. */
static bool store(pm_opencl_device *cl, const char *source, const char *options, const void *binary,
                  size_t size) {
    cache_header header = header_of(cl, source, options);
    header.size = size;
    header.checksum = hash(hash_start, binary, size);
    return pm_cl_folder_write(cl->folder, name_of(&header).text, &header, sizeof header, binary,
                              size);
}

void pm_cl_cache_store(pm_opencl_device *cl, const char *source, const char *options,
                       cl_program program) {
    size_t size = 0;
    if (!cl->folder)
        return;
    unsigned char *binary = binary_of(program, cl->id, &size);
    if (binary)
        store(cl, source, options, binary, size);
    free(binary);
}

bool pm_cl_cache_load_bytes(pm_opencl_device *cl, const char *what, void *bytes, size_t size) {
    size_t found = 0;
    unsigned char *stored = load(cl, what, "", &found);
    const bool fits = stored && found == size;
    if (fits)
        memcpy(bytes, stored, size);
    free(stored);
    return fits;
}

bool pm_cl_cache_store_bytes(pm_opencl_device *cl, const char *what, const void *bytes,
                             size_t size) {
    return cl->folder && store(cl, what, "", bytes, size);
}

void pm_cl_cache_log_problem(pm_opencl_device *cl) {
    pm_log_level level;
    char problem[512];
    if (pm_cl_folder_problem(cl->folder, &level, problem, sizeof problem))
        pm_log(pm_cl_logger(cl), level, "%s", problem);
}
