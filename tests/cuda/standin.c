/* SPDX-License-Identifier: MIT
 *
 * A stand-in for NVIDIA's driver library, for the test of cuda_check. It checks every argument, and
 * runs the kernels that are compiled for the host. CUDA_STANDIN=WHAT:NAME plants a fault: WHAT is
 * `flip` (a wrong bit in the results of program NAME), `reject` (its PTX) or `fail` (the call NAME).
 */
#define _POSIX_C_SOURCE 200809L

#include "crowd_on_host_variant.h"
#include "cuda/driver.h"
#include "kernels_on_host_variant.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/pm_crowd_outputs.h"
#include "kernels/pm_methods.h"

enum {
    DONE = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_CONTEXT = 201,
    INVALID_PTX = 218,
    NOT_FOUND = 500,
    LAUNCH_FAILED = 719
};

#define CUDA_EXPORT(name, symbol, parameters)                                                      \
    __attribute__((visibility("default"))) cuda_result symbol parameters;
CUDA_CALLS(CUDA_EXPORT)

/* ---- programs ------------------------------------------------------------------------ */

/* Keys of 48 bits: the curves that support them. */
#define CODED_CURVES(X) X(slerp) X(step) X(nlerp)
#define DECLARE(name) extern const kernel_variant gather_##name##_1;
#define DECLARE_MOTION(name)                                                                       \
    extern const kernel_variant velocity_##name##_1, acceleration_##name##_1;
#define DECLARE_CODED(name)                                                                        \
    extern const kernel_variant gather_##name##_1_log48, gather_##name##_1_smallest48,             \
        velocity_##name##_1_log48, velocity_##name##_1_smallest48, acceleration_##name##_1_log48,  \
        acceleration_##name##_1_smallest48;
#define DECLARE_CROWD(name) extern crowd_variant crowd_##name##_1_0;
#define DECLARE_OUTPUT(name, number, form, numbers, bits, bound)                                   \
    extern crowd_variant crowd_slerp_1_##number, crowd_slerp_1_each_##number;
PM_CURVES(DECLARE)
PM_ROTATION_CURVES(DECLARE_MOTION)
PM_ROTATION_CURVES(DECLARE_CROWD)
CODED_CURVES(DECLARE_CODED)
PM_CROWD_OUTPUTS(DECLARE_OUTPUT)
extern crowd_variant crowd_slerp_1_0_log48, crowd_slerp_1_0_smallest48;

/* A program of samples or of crowds, by its name in small letters or capitals, with underscores. */
typedef struct row {
    const char *name;
    const kernel_variant *samples;
    crowd_variant *crowd;
} row;

#define ROW(name)                                                                                  \
    {"walk/" #name, &gather_##name##_1, NULL}, {"gather/" #name, &gather_##name##_1, NULL},
#define MOTION_ROW(name)                                                                           \
    {"velocity/" #name, &velocity_##name##_1, NULL},                                               \
        {"acceleration/" #name, &acceleration_##name##_1, NULL},
#define CODED_ROWS(name, format)                                                                   \
    {"walk/" #name "/" #format, &gather_##name##_1_##format, NULL},                                \
        {"gather/" #name "/" #format, &gather_##name##_1_##format, NULL},                          \
        {"velocity/" #name "/" #format, &velocity_##name##_1_##format, NULL},                      \
        {"acceleration/" #name "/" #format, &acceleration_##name##_1_##format, NULL},
#define CODED_ROW(name) CODED_ROWS(name, log48) CODED_ROWS(name, smallest48)
#define CROWD_ROW(name) {"crowd/palette/" #name, NULL, crowd_##name##_1_0},
#define OUTPUT_ROW(name, number, form, numbers, bits, bound)                                       \
    {"crowd/" #name "/slerp", NULL, crowd_slerp_1_##number},                                       \
        {"crowd/" #name "/slerp/per-joint", NULL, crowd_slerp_1_each_##number},
static const row rows[] = {{"crowd/palette/slerp/log48", NULL, crowd_slerp_1_0_log48},
                           {"crowd/palette/slerp/smallest48", NULL, crowd_slerp_1_0_smallest48},
                           PM_CURVES(ROW) PM_ROTATION_CURVES(MOTION_ROW) CODED_CURVES(CODED_ROW)
                               PM_ROTATION_CURVES(CROWD_ROW) PM_CROWD_OUTPUTS(OUTPUT_ROW)};

typedef struct module {
    char name[64], kernel[64];
    const row *program;
} module;

static bool is_planted(const char *what, const char *name) {
    const char *planted = getenv("CUDA_STANDIN");
    const size_t length = strlen(what);
    return planted && strncmp(planted, what, length) == 0 && planted[length] == ':' &&
           strcmp(planted + length + 1, name) == 0;
}

#define FAIL_IF_PLANTED(call, code)                                                                \
    if (is_planted("fail", call))                                                                  \
    return code

/* Names of programs have dashes and small letters. */
static bool is_same(const char *name, const char *program) {
    for (;
         *name && (tolower((unsigned char)*name) == *program || (*name == '_' && *program == '-'));
         name++)
        program++;
    return *name == '\0' && *program == '\0';
}

/* The program that the first line of the PTX names, and the kernel's name. */
static bool find_program(const char *ptx, module *found) {
    const char *entry = strstr(ptx, ".entry ");
    if (sscanf(ptx, "// %63s", found->name) != 1 || !entry ||
        sscanf(entry, ".entry %63[a-z_]", found->kernel) != 1)
        return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_same(rows[i].name, found->name))
            found->program = &rows[i];
    return found->program != NULL;
}

/* ---- device and context -------------------------------------------------------------- */

static int contexts;

cuda_result cuInit(unsigned flags) {
    FAIL_IF_PLANTED("cuInit", NO_DEVICE);
    return flags == 0 ? DONE : INVALID_VALUE;
}

cuda_result cuDriverGetVersion(int *version) {
    *version = 12040;
    return DONE;
}

cuda_result cuGetErrorName(cuda_result result, const char **name) {
    *name = result == INVALID_PTX ? "CUDA_ERROR_INVALID_PTX" : "CUDA_ERROR_OF_THE_STAND_IN";
    return DONE;
}

cuda_result cuDeviceGetCount(int *count) {
    *count = is_planted("fail", "cuDeviceGetCount") ? 0 : 1;
    return DONE;
}

cuda_result cuDeviceGet(int *device, int index) {
    *device = 7;
    return index == 0 ? DONE : INVALID_VALUE;
}

cuda_result cuDeviceGetName(char *name, int size, int device) {
    snprintf(name, (size_t)size, "a stand-in");
    return device == 7 ? DONE : INVALID_VALUE;
}

cuda_result cuDeviceGetAttribute(int *value, int attribute, int device) {
    *value = attribute == CUDA_CAPABILITY_MAJOR ? 9 : 0;
    return device == 7 ? DONE : INVALID_VALUE;
}

cuda_result cuCtxCreate_v2(void **context, unsigned flags, int device) {
    *context = &contexts;
    contexts++;
    return flags == 0 && device == 7 ? DONE : INVALID_VALUE;
}

/* ---- memory -------------------------------------------------------------------------- */

typedef struct block {
    unsigned char *bytes;
    size_t size;
    struct block *next;
} block;

static block *blocks;
static int modules;

/* The block that holds all of these bytes, as no copy may leave one; NULL: none. */
static block *block_of(cuda_address address, size_t bytes) {
    for (block *b = blocks; b; b = b->next) {
        const cuda_address first = (uintptr_t)b->bytes;
        if (address >= first && address - first <= b->size && bytes <= b->size - (address - first))
            return b;
    }
    return NULL;
}

/* What the caller left is an error. */
cuda_result cuCtxDestroy_v2(void *context) {
    contexts--;
    return context == &contexts && contexts == 0 && !blocks && modules == 0 ? DONE
                                                                            : INVALID_CONTEXT;
}

cuda_result cuCtxSynchronize(void) {
    FAIL_IF_PLANTED("cuCtxSynchronize", LAUNCH_FAILED);
    return contexts == 1 ? DONE : INVALID_CONTEXT;
}

cuda_result cuMemAlloc_v2(cuda_address *address, size_t bytes) {
    FAIL_IF_PLANTED("cuMemAlloc", OUT_OF_MEMORY);
    block *made = calloc(1, sizeof *made);
    if (!made || bytes == 0)
        abort();
    *made = (block){malloc(bytes), bytes, blocks};
    if (!made->bytes)
        abort();
    blocks = made;
    *address = (uintptr_t)made->bytes;
    return DONE;
}

cuda_result cuMemFree_v2(cuda_address address) {
    for (block **b = &blocks; *b; b = &(*b)->next)
        if ((uintptr_t)(*b)->bytes == address) {
            block *gone = *b;
            *b = gone->next;
            free(gone->bytes);
            free(gone);
            return DONE;
        }
    return INVALID_VALUE;
}

cuda_result cuMemcpyHtoD_v2(cuda_address to, const void *from, size_t bytes) {
    if (!block_of(to, bytes))
        return INVALID_VALUE;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return DONE;
}

cuda_result cuMemcpyDtoH_v2(void *to, cuda_address from, size_t bytes) {
    if (!block_of(from, bytes))
        return INVALID_VALUE;
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return DONE;
}

/* ---- modules ------------------------------------------------------------------------- */

cuda_result cuModuleLoadDataEx(void **loaded, const void *image, unsigned count, int *options,
                               void **values) {
    module *made = calloc(1, sizeof *made);
    if (!made || count != 2 || options[0] != CUDA_JIT_ERROR_LOG ||
        options[1] != CUDA_JIT_ERROR_LOG_BYTES)
        abort();
    if (!find_program(image, made) || is_planted("reject", made->name)) {
        snprintf(values[0], (size_t)(uintptr_t)values[1], "ptxas fatal: %s is rejected",
                 made->name);
        free(made);
        return INVALID_PTX;
    }
    modules++;
    *loaded = made;
    return DONE;
}

cuda_result cuModuleUnload(void *loaded) {
    free(loaded);
    modules--;
    return DONE;
}

/* A module has one function, so that they are the same object here. */
cuda_result cuModuleGetFunction(void **function, void *loaded, const char *name) {
    const module *from = loaded;
    *function = loaded;
    return strcmp(from->kernel, name) == 0 ? DONE : NOT_FOUND;
}

cuda_result cuFuncGetAttribute(int *value, int attribute, void *function) {
    (void)function;
    *value = attribute == CUDA_FUNCTION_REGISTERS ? 32 : 0;
    return DONE;
}

/* ---- launches ------------------------------------------------------------------------ */

/* The bytes of a buffer argument; its address must begin a block, or be 0. */
static void *buffer(void **parameters, size_t index) {
    cuda_address address = 0;
    memcpy(&address, parameters[index], sizeof address);
    const block *found = block_of(address, 0);
    if (address != 0 && (!found || (uintptr_t)found->bytes != address)) {
        fprintf(stderr, "stand-in: parameter %zu is no buffer\n", index);
        abort();
    }
    return (void *)(uintptr_t)address;
}

static pm_u32 number(void **parameters, size_t index) {
    pm_u32 value = 0;
    memcpy(&value, parameters[index], sizeof value);
    return value;
}

static pm_u64 long_number(void **parameters, size_t index) {
    pm_u64 value = 0;
    memcpy(&value, parameters[index], sizeof value);
    return value;
}

static float *run_walk(const row *program, void **p, pm_u32 columns, pm_u32 rows_of_items) {
    const kernel_arguments a = {.keys = buffer(p, 0),
                                .constants = buffer(p, 1),
                                .wraps = buffer(p, 2),
                                .cursors = buffer(p, 3),
                                .values = buffer(p, 4),
                                .values_offset = long_number(p, 5),
                                .plane_floats = number(p, 6),
                                .track_count = number(p, 7),
                                .sample_count = number(p, 8),
                                .span = number(p, 9),
                                .run = number(p, 10)};
    program->samples->walk(&a, columns, rows_of_items);
    return a.values + a.values_offset;
}

static float *run_gather(const row *program, void **p, pm_u32 items) {
    const kernel_arguments a = {.keys = buffer(p, 0),
                                .constants = buffer(p, 1),
                                .layout = buffer(p, 2),
                                .cursors = buffer(p, 3),
                                .tracks = buffer(p, 4),
                                .values = buffer(p, 5),
                                .values_offset = long_number(p, 6),
                                .constant_floats = number(p, 7),
                                .track_count = number(p, 8),
                                .sample_count = number(p, 9),
                                .value_count = number(p, 10),
                                .pairs = number(p, 11),
                                .rates = buffer(p, 12),
                                .parent = number(p, 13)};
    program->samples->gather(&a, items);
    return a.values + a.values_offset;
}

/* The shared memory of a launch, of its exact size. */
static unsigned char *make_shared(unsigned bytes) {
    unsigned char *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        abort();
    return memset(memory, 0xA5, bytes);
}

/* A parameter that is an offset in shared memory. */
static void *shared_at(void **parameters, size_t index, unsigned char *shared, unsigned bytes) {
    const pm_u64 offset = long_number(parameters, index);
    if (offset % 16 != 0 || offset >= bytes) {
        fprintf(stderr, "stand-in: parameter %zu is no offset in shared memory\n", index);
        abort();
    }
    return shared + offset;
}

static float *run_crowd(const row *program, void **p, pm_u32 groups, unsigned shared_bytes) {
    unsigned char *shared = make_shared(shared_bytes);
    crowd_arguments a = {.instances = buffer(p, 0),
                         .instances_offset = long_number(p, 1),
                         .joints = buffer(p, 2),
                         .clips = buffer(p, 3),
                         .timelines = buffer(p, 4),
                         .times = buffer(p, 5),
                         .levels = buffer(p, 6),
                         .level_joints = buffer(p, 7),
                         .masks = buffer(p, 8),
                         .layout = buffer(p, 9),
                         .rotations = buffer(p, 10),
                         .constants = buffer(p, 11),
                         .positions = buffer(p, 12),
                         .scales = buffer(p, 13),
                         .stages = buffer(p, 14),
                         .stage_joints = buffer(p, 15),
                         .records = buffer(p, 16),
                         .records_offset = long_number(p, 17),
                         .stride = long_number(p, 18),
                         .per_group = number(p, 20),
                         .slots = number(p, 21),
                         .shared = shared_at(p, 22, shared, shared_bytes),
                         .transforms = shared_at(p, 23, shared, shared_bytes)};
    memcpy(&a.size, p[19], sizeof a.size);
    program->crowd(&a, groups);
    free(shared);
    return (float *)(uintptr_t)(a.records + a.records_offset);
}

cuda_result cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                           unsigned block_x, unsigned block_y, unsigned block_z,
                           unsigned shared_bytes, void *stream, void **parameters, void **extra) {
    const module *m = function;
    const pm_u32 columns = grid_x * block_x;
    float *results = NULL;
    FAIL_IF_PLANTED("cuLaunchKernel", INVALID_VALUE);
    if (grid_x == 0 || grid_y == 0 || grid_z != 1 || block_x == 0 || block_x > 1024 ||
        block_y != 1 || block_z != 1 || (shared_bytes != 0 && !m->program->crowd) || stream ||
        extra)
        return INVALID_VALUE;
    if (m->program->crowd)
        results = run_crowd(m->program, parameters, grid_x, shared_bytes);
    else if (strncmp(m->name, "walk/", 5) == 0)
        results = run_walk(m->program, parameters, columns, grid_y);
    else
        results = run_gather(m->program, parameters, columns);
    if (is_planted("flip", m->name)) {
        uint32_t bits = 0;
        memcpy(&bits, results, sizeof bits);
        bits ^= 1;
        memcpy(results, &bits, sizeof bits);
    }
    return DONE;
}
