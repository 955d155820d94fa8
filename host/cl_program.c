/* SPDX-License-Identifier: MIT
 *
 * Programs: one for each variant, from the kernels' text, built when first needed.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl.h"
#include "kernel_source.h"
#include "status.h"

/* ---- text with its includes ---- */

typedef struct text {
    char *data;
    size_t size;
    size_t room;
} text;

enum { MOST_FILES = 32, MOST_FILE_BYTES = 1 << 20 };

typedef struct assembly {
    const pm_engine *engine;
    text out;
    char seen[MOST_FILES][64]; /* files already in: each is wanted once */
    size_t seen_count;
    pm_error *error;
} assembly;

static pm_status append(assembly *a, const char *data, size_t size) {
    if (a->out.size + size + 1 > a->out.room) {
        size_t room = 2 * (a->out.size + size + 1);
        char *grown = realloc(a->out.data, room);
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

static pm_status read_from_folder(const char *folder, const char *name, char **to, size_t *size,
                                  pm_error *error) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return pm_fail(error, PM_ERROR_BUILD, "cannot open kernel source %s", path);
    *to = malloc(MOST_FILE_BYTES);
    *size = *to ? fread(*to, 1, MOST_FILE_BYTES, file) : 0;
    bool failed = ferror(file) || *size == MOST_FILE_BYTES;
    fclose(file);
    if (!*to)
        return pm_fail_memory(error);
    if (!failed)
        return PM_OK;
    free(*to);
    return pm_fail(error, PM_ERROR_BUILD, "cannot read kernel source %s", path);
}

static const struct pm_kernel_source *built_in(const char *name) {
    for (size_t i = 0; i < pm_kernel_source_count; i++)
        if (strcmp(pm_kernel_sources[i].name, name) == 0)
            return &pm_kernel_sources[i];
    return NULL;
}

static pm_status append_file(assembly *a, const char *name);

/* One line; an include of ours is replaced by the file, once. */
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
        return pm_fail(a->error, PM_ERROR_BUILD, "%s:%zu: an include without a name", file, number);
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
    const char *folder = a->engine->cl->kernel_folder;
    for (size_t i = 0; i < a->seen_count; i++)
        if (strcmp(a->seen[i], name) == 0)
            return PM_OK;
    if (a->seen_count == MOST_FILES)
        return pm_fail(a->error, PM_ERROR_BUILD, "too many kernel sources");
    snprintf(a->seen[a->seen_count++], sizeof a->seen[0], "%s", name);
    if (folder) {
        char *data;
        size_t size;
        pm_status status = read_from_folder(folder, name, &data, &size, a->error);
        if (status != PM_OK)
            return status;
        status = append_text(a, name, data, size);
        free(data);
        return status;
    }
    const struct pm_kernel_source *source = built_in(name);
    if (!source)
        return pm_fail(a->error, PM_ERROR_BUILD, "there is no kernel source %s", name);
    return append_text(a, name, (const char *)source->text, source->size);
}

pm_status pm_cl_source(const pm_engine *engine, const char *file, char **source, pm_error *error) {
    char name[64];
    assembly *a = calloc(1, sizeof *a);
    if (!a)
        return pm_fail_memory(error);
    a->engine = engine;
    a->error = error;
    snprintf(name, sizeof name, "%s.cl", file);
    pm_status status = append_file(a, name);
    if (status == PM_OK)
        *source = a->out.data;
    else
        free(a->out.data);
    free(a);
    return status;
}

/* ---- building ---- */

/* Where drivers differ. Contraction is off in the text; without the rounding option a
 * device may take shortcuts in / and sqrt, which the self-check would show. Oclgrind 21.10
 * cannot run what its own optimiser makes of the gather kernels. Rusticl has fma from
 * libclc, in software, which takes a short way when the addend is zero. */
static void options_of(const pm_engine *engine, const pm_variant *variant, char *to, size_t size) {
    snprintf(to, size,
             "-cl-std=CL1.2%s%s%s -DPM_METHOD=pm_%s -DPM_COMPONENTS=%u -DPM_LANES=%u"
             " -DPM_KEYS=%u",
             engine->cl->rounds_correctly ? " -cl-fp32-correctly-rounded-divide-sqrt" : "",
             strstr(engine->info.name, "Oclgrind") ? " -cl-opt-disable" : "",
             strcmp(engine->info.platform, "rusticl") == 0 ? " -DPM_FMA_FORGETS_ZERO" : "",
             variant->curve, variant->components, variant->lanes, (unsigned)variant->format);
    size_t length = strlen(to);
    if (variant->vector_curve)
        snprintf(to + length, size - length, " -DPM_VECTOR_METHOD=pm_%s -DPM_OUTPUT=%u",
                 variant->vector_curve, (unsigned)variant->output);
}

/* The first line of a build log that says "error", or its first. */
static void first_error(char *log) {
    char *at = strstr(log, "error");
    while (at && at > log && at[-1] != '\n')
        at--;
    if (at)
        memmove(log, at, strlen(at) + 1);
    log[strcspn(log, "\n")] = '\0';
}

static pm_status build_failed(const pm_engine *engine, cl_program program,
                              const pm_variant *variant, cl_int code, pm_error *error) {
    size_t size = 0;
    char *log = NULL;
    if (clGetProgramBuildInfo(program, engine->cl->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) ==
            CL_SUCCESS &&
        size)
        log = calloc(size + 1, 1);
    if (log && clGetProgramBuildInfo(program, engine->cl->device, CL_PROGRAM_BUILD_LOG, size, log,
                                     NULL) != CL_SUCCESS)
        log[0] = '\0';
    if (log)
        pm_log(engine, PM_LOG_WARNING, "build log of %s: %s", variant->file, log);
    if (log)
        first_error(log);
    pm_report(error, PM_ERROR_BUILD, PM_NOWHERE, PM_NOWHERE,
              "building %s (%s, %u lanes): OpenCL error %d: %.120s", variant->file, variant->curve,
              variant->lanes, code, log ? log : "");
    if (error)
        error->cl_status = code;
    free(log);
    return PM_ERROR_BUILD;
}

static pm_status compile(const pm_engine *engine, const pm_variant *variant, const char *source,
                         const char *options, cl_program *program, pm_error *error) {
    cl_int code;
    *program = clCreateProgramWithSource(engine->cl->context, 1, &source, NULL, &code);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clCreateProgramWithSource");
    code = clBuildProgram(*program, 1, &engine->cl->device, options, NULL, NULL);
    if (code == CL_SUCCESS)
        return PM_OK;
    pm_status status = code == CL_OUT_OF_HOST_MEMORY
                           ? pm_cl_fail(error, code, "clBuildProgram")
                           : build_failed(engine, *program, variant, code, error);
    clReleaseProgram(*program);
    *program = NULL;
    return status;
}

static pm_status build(const pm_engine *engine, const pm_variant *variant, cl_program *program,
                       pm_error *error) {
    char options[256];
    char *source = NULL;
    pm_status status = pm_cl_source(engine, variant->file, &source, error);
    if (status != PM_OK)
        return status;
    options_of(engine, variant, options, sizeof options);
    *program = pm_cl_cache_load(engine->cl, source, options);
    if (!*program) {
        status = compile(engine, variant, source, options, program, error);
        if (status == PM_OK)
            pm_cl_cache_store(engine->cl, source, options, *program);
        pm_log(engine, PM_LOG_DEBUG, "built %s with %s", variant->file, options);
    }
    free(source);
    return status;
}

static bool same_name(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same(const pm_variant *a, const pm_variant *b) {
    return same_name(a->file, b->file) && same_name(a->curve, b->curve) &&
           a->components == b->components && a->lanes == b->lanes && a->format == b->format &&
           same_name(a->vector_curve, b->vector_curve) && a->output == b->output;
}

static pm_status create_kernel(const pm_built *built, cl_kernel *kernel, pm_error *error) {
    cl_int code;
    *kernel = clCreateKernel(built->program, built->variant.file, &code);
    return code == CL_SUCCESS ? PM_OK : pm_cl_fail(error, code, "clCreateKernel");
}

/* Devices may give a kernel smaller groups than they have, by the registers that it takes. */
static pm_status find_most_group(const pm_engine *engine, pm_built *built, pm_error *error) {
    cl_kernel kernel;
    size_t most = 0;
    pm_status status = create_kernel(built, &kernel, error);
    if (status != PM_OK)
        return status;
    cl_int code = clGetKernelWorkGroupInfo(kernel, engine->cl->device, CL_KERNEL_WORK_GROUP_SIZE,
                                           sizeof most, &most, NULL);
    clReleaseKernel(kernel);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clGetKernelWorkGroupInfo");
    for (built->most_group = PM_GROUP_ITEMS; built->most_group > 1 && built->most_group > most;)
        built->most_group /= 2;
    return PM_OK;
}

static pm_status find_or_build(const pm_engine *engine, const pm_variant *variant,
                               const pm_built **built, pm_error *error) {
    pm_cl_engine *cl = engine->cl;
    for (pm_built *b = cl->built; b; b = b->next)
        if (same(&b->variant, variant)) {
            *built = b;
            return PM_OK;
        }
    pm_built *made = calloc(1, sizeof *made);
    if (!made)
        return pm_fail_memory(error);
    pm_status status = build(engine, variant, &made->program, error);
    if (status == PM_OK) {
        made->variant = *variant;
        status = find_most_group(engine, made, error);
    }
    if (status != PM_OK) {
        if (made->program)
            clReleaseProgram(made->program);
        free(made);
        return status;
    }
    made->next = cl->built;
    cl->built = made;
    *built = made;
    return PM_OK;
}

pm_status pm_cl_kernel(const pm_engine *engine, const pm_variant *variant, pm_made_kernel *made,
                       pm_error *error) {
    const pm_built *built = NULL;
    pthread_mutex_lock(&engine->cl->lock);
    pm_status status = find_or_build(engine, variant, &built, error);
    pthread_mutex_unlock(&engine->cl->lock);
    if (status != PM_OK)
        return status;
    made->lanes = variant->lanes;
    made->most_group = built->most_group;
    return create_kernel(built, &made->kernel, error);
}

size_t pm_cl_program_count(const pm_engine *engine) {
    size_t count = 0;
    pthread_mutex_lock(&engine->cl->lock);
    for (const pm_built *b = engine->cl->built; b; b = b->next)
        count++;
    pthread_mutex_unlock(&engine->cl->lock);
    return count;
}
