/* SPDX-License-Identifier: MIT
 *
 * The wrappers that the linker puts between the library and its OpenCL and C runtimes. Drivers call
 * from their own threads, so all state is atomic.
 */
#include <posemill/posemill_cl.h>

#include <execinfo.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "check.h"
#include "faults.h"
#include "opencl/cl_calls.h"
#include "wrapped.h"

enum { MAX_RECORDED = 4096, MAX_PLACES = 1 << 16, MAX_CALLERS = 64 };

static atomic_long live_objects, live_blocks;
static atomic_bool armed;
static atomic_long countdown;
static _Atomic(const char *) fired;
/* Written only while no fault is armed. */
static fault_kind armed_kind;
static int armed_code;
static bool armed_sticky;

static atomic_bool noting;
/* The frames above the caller of faults_note_places, which say nothing of the library. */
static _Thread_local int above_noting;
static atomic_size_t place_count;
static _Atomic(uint64_t) noted[MAX_PLACES];

void faults_note_places(fault_kind kind) {
    void *callers[MAX_CALLERS];
    const int depth = backtrace(callers, MAX_CALLERS);
    above_noting = depth > 2 ? depth - 2 : 0;
    atomic_store(&place_count, 0);
    atomic_store(&fired, NULL);
    armed_kind = kind;
    atomic_store(&noting, true);
}

size_t faults_places(const uint64_t **places) {
    static uint64_t copy[MAX_PLACES];
    const size_t count = atomic_load(&place_count);
    assert_true(count <= MAX_PLACES);
    for (size_t i = 0; i < count; i++)
        copy[i] = atomic_load(&noted[i]);
    *places = copy;
    return count;
}

/* A hash (FNV-1a) of the chain of callers. */
static void note_place(void) {
    void *callers[MAX_CALLERS];
    const int depth = backtrace(callers, MAX_CALLERS);
    uint64_t place = 0xcbf29ce484222325;
    for (int i = 0; i < depth - above_noting; i++)
        place = (place ^ (uintptr_t)callers[i]) * 0x100000001b3;
    const size_t at = atomic_fetch_add(&place_count, 1);
    if (at < MAX_PLACES)
        atomic_store(&noted[at], place);
}

void faults_arm(fault_kind kind, size_t nth, int code, bool sticky) {
    armed_kind = kind;
    armed_code = code;
    armed_sticky = sticky;
    atomic_store(&fired, NULL);
    atomic_store(&countdown, (long)nth);
    atomic_store(&armed, true);
}

const char *faults_disarm(void) {
    atomic_store(&armed, false);
    atomic_store(&noting, false);
    return atomic_load(&fired);
}

long faults_live_objects(void) {
    return atomic_load(&live_objects);
}

long faults_live_blocks(void) {
    return atomic_load(&live_blocks);
}

/* Names of calls while they are recorded; calls beyond the size of the table are dropped. */
static atomic_bool recording;
static atomic_size_t record_count;
static _Atomic(const char *) record[MAX_RECORDED];

void faults_record(bool on) {
    if (on)
        atomic_store(&record_count, 0);
    atomic_store(&recording, on);
}

size_t faults_recorded(const char *const **names) {
    static const char *copy[MAX_RECORDED];
    const size_t count = atomic_load(&record_count);
    for (size_t i = 0; i < count && i < MAX_RECORDED; i++)
        copy[i] = atomic_load(&record[i]);
    *names = copy;
    return count < MAX_RECORDED ? count : MAX_RECORDED;
}

static void note(const char *name) {
    if (!atomic_load(&recording))
        return;
    const size_t at = atomic_fetch_add(&record_count, 1);
    if (at < MAX_RECORDED)
        atomic_store(&record[at], name);
}

static bool is_due(fault_kind kind, const char *name) {
    if (atomic_load(&noting) && kind == armed_kind)
        note_place();
    if (!atomic_load(&armed) || kind != armed_kind)
        return false;
    const long left = atomic_fetch_sub(&countdown, 1);
    if (left > 1 || (left < 1 && !armed_sticky))
        return false;
    const char *none = NULL;
    atomic_compare_exchange_strong(&fired, &none, name);
    return true;
}

/* The linker's --wrap requires these names. */

#define WRAP_CALL(type, name, params)                                                              \
    type __real_##name params;                                                                     \
    type __wrap_##name params;                                                                     \
    type __wrap_##name params

#define WRAP_STATUS(name, params, args)                                                            \
    WRAP_CALL(cl_int, name, params) {                                                              \
        note(#name);                                                                               \
        return is_due(FAULT_CL, #name) ? armed_code : __real_##name args;                          \
    }

#define WRAP_ENQUEUE(name, params, args)                                                           \
    WRAP_CALL(cl_int, name, params) {                                                              \
        note(#name);                                                                               \
        if (is_due(FAULT_CL, #name))                                                               \
            return armed_code;                                                                     \
        const cl_int result = __real_##name args;                                                  \
        if (result == CL_SUCCESS && event)                                                         \
            atomic_fetch_add(&live_objects, 1);                                                    \
        return result;                                                                             \
    }

static bool is_creation_due(const char *name, fault_kind also) {
    return is_due(FAULT_CL, name) || (also == FAULT_BUFFER && is_due(FAULT_BUFFER, name));
}

static fault_kind kind_of_creation(const char *name) {
    const char buffer[] = "clCreateBuffer";
    for (size_t i = 0; i < sizeof buffer; i++)
        if (name[i] != buffer[i])
            return FAULT_CL;
    return FAULT_BUFFER;
}

/* A call that makes an object: what it returns, or its event. */
#define WRAP_MAKING(type, name, params, args, made)                                                \
    WRAP_CALL(type, name, params) {                                                                \
        note(#name);                                                                               \
        if (is_creation_due(#name, kind_of_creation(#name))) {                                     \
            if (status)                                                                            \
                *status = armed_code;                                                              \
            return NULL;                                                                           \
        }                                                                                          \
        type result = __real_##name args;                                                          \
        if (result && (made))                                                                      \
            atomic_fetch_add(&live_objects, 1);                                                    \
        return result;                                                                             \
    }
#define WRAP_CREATE(type, name, params, args) WRAP_MAKING(type, name, params, args, result)
#define WRAP_MAP(name, params, args) WRAP_MAKING(void *, name, params, args, event)

#define WRAP_COUNTING(name, type, change)                                                          \
    WRAP_CALL(cl_int, name, (type object)) {                                                       \
        note(#name);                                                                               \
        atomic_fetch_add(&live_objects, change);                                                   \
        return __real_##name(object);                                                              \
    }
#define WRAP_RETAIN(name, type) WRAP_COUNTING(name, type, 1)
#define WRAP_RELEASE(name, type) WRAP_COUNTING(name, type, -1)

PM_CL_CALLS(WRAP_STATUS, WRAP_ENQUEUE, WRAP_CREATE, WRAP_MAP, WRAP_RETAIN, WRAP_RELEASE)

#define NAME_OF_CALL(name, params, args) #name " "
#define NAME_OF_CREATION(type, name, params, args) #name " "
#define NAME_OF_COUNTER(name, type) #name " "
const char faults_known_calls[] = PM_CL_CALLS(NAME_OF_CALL, NAME_OF_CALL, NAME_OF_CREATION,
                                              NAME_OF_CALL, NAME_OF_COUNTER, NAME_OF_COUNTER);

#define WRAP_ALLOCATION(type, name, args, ...)                                                     \
    WRAPPED(type, name, __VA_ARGS__) {                                                             \
        note(#name);                                                                               \
        if (is_due(FAULT_ALLOCATION, #name))                                                       \
            return NULL;                                                                           \
        type block = __real_##name args;                                                           \
        if (block)                                                                                 \
            atomic_fetch_add(&live_blocks, 1);                                                     \
        return block;                                                                              \
    }

WRAP_ALLOCATION(void *, malloc, (size), size_t size)
WRAP_ALLOCATION(void *, calloc, (count, size), size_t count, size_t size)
WRAP_ALLOCATION(void *, aligned_alloc, (alignment, size), size_t alignment, size_t size)
WRAP_ALLOCATION(char *, strdup, (text), const char *text)

WRAPPED(void *, realloc, void *block, size_t size) {
    note("realloc");
    if (is_due(FAULT_ALLOCATION, "realloc"))
        return NULL;
    void *moved = __real_realloc(block, size);
    if (moved && !block)
        atomic_fetch_add(&live_blocks, 1);
    return moved;
}

WRAPPED(void, free, void *block) {
    if (block)
        atomic_fetch_sub(&live_blocks, 1);
    __real_free(block);
}

/* ---- the application's memory ---- */

/* Before a block of the application's, at the end of what its alignment takes. */
typedef struct block_note {
    size_t size, alignment;
} block_note;

static size_t note_bytes(size_t alignment) {
    return alignment > sizeof(block_note) ? alignment : sizeof(block_note);
}

static void *allocate(void *user, size_t size, size_t alignment) {
    (void)user;
    note("allocate");
    if (is_due(FAULT_ALLOCATION, "allocate"))
        return NULL;
    const size_t before = note_bytes(alignment), whole = before + size + alignment - 1;
    char *block = __real_aligned_alloc(alignment, whole / alignment * alignment);
    if (!block)
        return NULL;
    atomic_fetch_add(&live_blocks, 1);
    *((block_note *)(void *)(block + before) - 1) = (block_note){size, alignment};
    return block + before;
}

static void release(void *user, void *memory, size_t size, size_t alignment) {
    const block_note note = *((block_note *)memory - 1);
    (void)user;
    if (note.size != size || note.alignment != alignment)
        abort();
    atomic_fetch_sub(&live_blocks, 1);
    __real_free((char *)memory - note_bytes(alignment));
}

const pm_host faults_host = {.allocate = allocate, .release = release};

bool faults_are_linked(void) {
    faults_arm(FAULT_ALLOCATION, 1, 0, false);
    void *volatile block = malloc(1);
    const bool linked = faults_disarm() != NULL && block == NULL;
    free(block);
    faults_arm(FAULT_CL, 1, -9999, false);
    cl_uint count = 0;
    const cl_int status = clGetPlatformIDs(0, NULL, &count);
    return faults_disarm() != NULL && status == -9999 && linked;
}
