/* SPDX-License-Identifier: MIT
 *
 * Loads PTX files, checks a kernel's parameters before a launch, and launches it. The driver is
 * told no sizes of arguments, so a list that does not fit the kernel would be read as other numbers.
 */
#include "programs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PTX_BYTES = 4 << 20, LOG_BYTES = 8192 };

/* ---- files --------------------------------------------------------------------------- */

/* The text of a file, or NULL after a message. Free it with free(). */
static char *read_text(const char *path) {
    char *text = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) {
        cuda_say("%s: %s", path, strerror(errno));
        return NULL;
    }
    text = malloc(MAX_PTX_BYTES + 1);
    const size_t size = text ? fread(text, 1, MAX_PTX_BYTES + 1, file) : 0;
    const bool failed = ferror(file) || size == 0 || size > MAX_PTX_BYTES;
    fclose(file);
    if (failed || !text) {
        cuda_say("%s is empty, unreadable or larger than %d bytes", path, (int)MAX_PTX_BYTES);
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

/* ---- parameters ---------------------------------------------------------------------- */

/* The size of one parameter: `.param .u64 name` or `.param .align 8 .b8 name[48]`; 0: neither. */
static size_t size_of_parameter(const char *text, const char *end) {
    unsigned bits = 0, bytes = 0;
    char kind = 0;
    const char *type = text + strlen(".param");
    const char *bracket = memchr(text, '[', (size_t)(end - text));
    if (bracket)
        return sscanf(bracket, "[%u]", &bytes) == 1 ? bytes : 0;
    return sscanf(type, " .%c%u", &kind, &bits) == 2 && bits <= 64 ? bits / 8 : 0;
}

/* Reads the kernel's name and its parameters from `.entry name(...)`. */
static bool read_kernel(cuda_program *program, const char *ptx) {
    const char *entry = strstr(ptx, ".entry");
    const char *end = entry ? strchr(entry, ')') : NULL;
    if (!entry || sscanf(entry, ".entry %63[A-Za-z0-9_]", program->kernel) != 1)
        return false;
    for (const char *at = entry; end && (at = strstr(at, ".param")) && at < end; at++) {
        const char *stop = at + strcspn(at, ",)");
        const size_t size = size_of_parameter(at, stop);
        if (size == 0 || program->parameter_count == MAX_PARAMETERS)
            return false;
        program->parameter_sizes[program->parameter_count++] = size;
    }
    return program->parameter_count > 0;
}

static bool fits(const cuda_program *program, const cuda_argument *arguments, size_t count) {
    if (count != program->parameter_count) {
        cuda_say("%s has %zu parameters, expected %zu", program->name, program->parameter_count,
                 count);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t size = arguments[i].value ? arguments[i].size : sizeof(cuda_address);
        if (size != program->parameter_sizes[i]) {
            cuda_say("%s: parameter %zu has %zu bytes, expected %zu: %s", program->name, i,
                     program->parameter_sizes[i], size, arguments[i].name);
            return false;
        }
    }
    return true;
}

/* ---- loading ------------------------------------------------------------------------- */

/* Sizes are passed in the bits of a pointer. */
static bool compile(const cuda_driver *d, cuda_program *program, const char *ptx) {
    char log[LOG_BYTES] = "";
    int options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(size_t)sizeof log};
    const cuda_result result = d->module_load(&program->module, ptx, 2, options, values);
    if (cuda_done(d, "cuModuleLoadDataEx", result))
        return true;
    program->module = NULL;
    log[sizeof log - 1] = '\0';
    cuda_say("%s: the driver rejects the PTX; its log:\n%s", program->name,
             log[0] ? log : "(empty)");
    return false;
}

static void load(const cuda_programs *programs, cuda_program *program) {
    const cuda_driver *d = programs->driver;
    char path[4096];
    void *function = NULL;
    snprintf(path, sizeof path, "%s/%s.ptx", programs->folder, program->name);
    char *ptx = read_text(path);
    if (!ptx)
        return;
    if (!read_kernel(program, ptx))
        cuda_say("%s has no kernel whose parameters can be read", path);
    else if (compile(d, program, ptx) &&
             cuda_done(d, "cuModuleGetFunction",
                       d->module_function(&function, program->module, program->kernel)) &&
             cuda_done(
                 d, "cuFuncGetAttribute",
                 d->function_attribute(&program->registers, CUDA_FUNCTION_REGISTERS, function)) &&
             cuda_done(
                 d, "cuFuncGetAttribute",
                 d->function_attribute(&program->local_bytes, CUDA_FUNCTION_LOCAL_BYTES, function)))
        program->function = function;
    free(ptx);
}

cuda_program *cuda_program_of(cuda_programs *programs, const char *name) {
    for (cuda_program *p = programs->first; p; p = p->next)
        if (strcmp(p->name, name) == 0)
            return p;
    cuda_program *made = calloc(1, sizeof *made);
    if (!made) {
        cuda_say("out of memory");
        return NULL;
    }
    snprintf(made->name, sizeof made->name, "%s", name);
    load(programs, made);
    if (programs->last)
        programs->last->next = made;
    else
        programs->first = made;
    programs->last = made;
    return made;
}

void cuda_programs_free(cuda_programs *programs) {
    while (programs->first) {
        cuda_program *program = programs->first;
        programs->first = program->next;
        if (program->module)
            (void)cuda_done(programs->driver, "cuModuleUnload",
                            programs->driver->module_unload(program->module));
        free(program);
    }
    programs->last = NULL;
}

/* ---- launching ----------------------------------------------------------------------- */

static bool upload(const cuda_driver *d, const cuda_argument *argument, cuda_address *address) {
    if (!argument->data)
        return true;
    if (!cuda_done(d, "cuMemAlloc", d->allocate(address, argument->bytes))) {
        *address = 0;
        return false;
    }
    return cuda_done(d, "cuMemcpyHtoD", d->upload(*address, argument->data, argument->bytes));
}

static bool fetch(const cuda_driver *d, const cuda_argument *argument, cuda_address address) {
    return !argument->results ||
           cuda_done(d, "cuMemcpyDtoH", d->download(argument->results, address, argument->bytes));
}

/* Sets the offsets of shared memory, each a multiple of 16; returns the bytes of all. */
static unsigned place_shared(const cuda_argument *arguments, size_t count,
                             cuda_address *addresses) {
    size_t end = 0;
    for (size_t i = 0; i < count; i++)
        if (arguments[i].shared) {
            end = (end + 15) / 16 * 16;
            addresses[i] = end;
            end += arguments[i].shared;
        }
    return (unsigned)end;
}

/* The size of a launch: groups of `group` x 1 items, and bytes that the items of a group share. */
typedef struct launch_size {
    unsigned grid_x, grid_y, group, shared_bytes;
} launch_size;

static bool launch(cuda_programs *programs, const cuda_program *program, void **parameters,
                   const launch_size *size) {
    const cuda_driver *d = programs->driver;
    const bool launched =
        cuda_done(d, "cuLaunchKernel",
                  d->launch(program->function, size->grid_x, size->grid_y, 1, size->group, 1, 1,
                            size->shared_bytes, NULL, parameters, NULL)) &&
        cuda_done(d, "cuCtxSynchronize", d->synchronize());
    if (!launched) {
        cuda_say("%s: the launch failed; nothing else is run", program->name);
        programs->stopped = true;
    }
    return launched;
}

bool cuda_run(cuda_programs *programs, const cuda_program *program, const cuda_argument *arguments,
              size_t count, unsigned grid_x, unsigned grid_y, unsigned group) {
    const cuda_driver *d = programs->driver;
    cuda_address addresses[MAX_PARAMETERS] = {0};
    void *parameters[MAX_PARAMETERS];
    if (programs->stopped || !program->function || !fits(program, arguments, count))
        return false;
    bool done = true;
    const launch_size size = {grid_x, grid_y, group, place_shared(arguments, count, addresses)};
    for (size_t i = 0; i < count; i++) {
        const cuda_argument *argument = &arguments[i];
        parameters[i] = argument->value ? (void *)(size_t)argument->value : &addresses[i];
        done = done && (argument->value || upload(d, argument, &addresses[i]));
    }
    done = done && launch(programs, program, parameters, &size);
    for (size_t i = 0; i < count; i++)
        done = done && fetch(d, &arguments[i], addresses[i]);
    for (size_t i = 0; i < count; i++)
        if (arguments[i].data && addresses[i])
            (void)cuda_done(d, "cuMemFree", d->release(addresses[i]));
    return done;
}
