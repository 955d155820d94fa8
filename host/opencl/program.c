/* SPDX-License-Identifier: MIT
 *
 * Programs: one per variant, built from the kernel sources on first use. A program that is being
 * built has an entry whose program is NULL; only threads that need the same program wait for it. No
 * lock is held while the driver compiles or a message is delivered.
 */
#define _POSIX_C_SOURCE 200809L

#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- source and options ---- */

/* The kernel sources turn contraction off. A device that does not take the rounding option may
 * approximate / and sqrt, which the self-check would detect. */
static pm_status options_of(pm_opencl_device *cl, const pm_variant *variant, char *to, size_t size,
                            pm_error *error) {
    const bool one_lane_of_cpu = variant->lanes == 1 && cl->device.info.type == PM_DEVICE_CPU;
    char of_vectors[160] = "", sub_group[32] = "";
    int length = 0;
    if (variant->vector_curve)
        length = snprintf(of_vectors, sizeof of_vectors,
                          " -DPM_VECTOR_METHOD=pm_%s -DPM_OUTPUT=%u -DPM_PER_JOINT=%u",
                          variant->vector_curve, (unsigned)variant->output,
                          (unsigned)variant->per_joint);
    const bool cut = length >= (int)sizeof of_vectors;
    if (variant->vector_curve && cl->quirks.crowd_sub_group)
        snprintf(sub_group, sizeof sub_group, " -DPM_SUB_GROUP=%u", cl->quirks.crowd_sub_group);
    length =
        snprintf(to, size,
                 "-cl-std=CL1.2%s%s%s%s%s -DPM_METHOD=pm_%s -DPM_COMPONENTS=%u -DPM_LANES=%u"
                 " -DPM_KEYS=%u%s%s",
                 pm_cl_takes_rounding_option(cl) ? " " PM_CL_ROUNDING_OPTION : "",
                 cl->quirks.no_optimiser ? " -cl-opt-disable" : "",
                 cl->quirks.no_forced_inlining ? " -DPM_NO_FORCED_INLINING" : "",
                 cl->quirks.fma_forgets_zero ? " -DPM_FMA_FORGETS_ZERO" : "",
                 one_lane_of_cpu ? " -DPM_NATIVE_ROOTS" : "", variant->curve, variant->components,
                 variant->lanes, (unsigned)variant->format, of_vectors, sub_group);
    if (cut || length < 0 || length >= (int)size)
        return pm_fail(error, PM_ERROR_BUILD,
                       "the options to build %.40s are longer than %zu bytes", variant->file,
                       size - 1);
    return PM_OK;
}

typedef struct program_text {
    const pm_variant *variant;
    char *source;
    char options[320];
} program_text;

static pm_status write_program_text(pm_opencl_device *cl, const pm_variant *variant,
                                    program_text *r, pm_error *error) {
    *r = (program_text){.variant = variant};
    const pm_status status = options_of(cl, variant, r->options, sizeof r->options, error);
    return status == PM_OK ? pm_cl_source(cl, variant->file, &r->source, error) : status;
}

/* A description of a program for messages. */
typedef struct title {
    char text[160];
} title;

static title title_of(const pm_variant *v) {
    title t;
    if (v->vector_curve)
        snprintf(t.text, sizeof t.text, "%s (%s, %s, output %u, %u lanes)", v->file, v->curve,
                 v->vector_curve, (unsigned)v->output, v->lanes);
    else
        snprintf(t.text, sizeof t.text, "%s (%s, %u lanes)", v->file, v->curve, v->lanes);
    return t;
}

/* ---- compiling ---- */

/* Copies the first line of a build log that contains "error", or its first line. */
static void first_error(const char *log, char *to, size_t size) {
    const char *at = strstr(log, "error");
    while (at && at > log && at[-1] != '\n')
        at--;
    at = at ? at : log;
    snprintf(to, size, "%.*s", (int)strcspn(at, "\n"), at);
}

/* The driver's log of a failed build, or NULL. Free with free(). */
static char *read_log(pm_opencl_device *cl, cl_program program) {
    cl_device_id device = cl->id;
    size_t size = 0;
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) !=
            CL_SUCCESS ||
        size == 0)
        return NULL;
    char *log = calloc(size + 1, 1);
    if (log &&
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL) != CL_SUCCESS)
        log[0] = '\0';
    return log;
}

static pm_status report_failed_build(const pm_variant *variant, const char *log, cl_int code,
                                     pm_error *error) {
    char line[128];
    first_error(log ? log : "", line, sizeof line);
    pm_report(error, PM_ERROR_BUILD, PM_NO_INDEX, PM_NO_INDEX,
              "building %s: OpenCL error %d: %.120s", title_of(variant).text, code, line);
    if (error)
        error->cl_status = code;
    return PM_ERROR_BUILD;
}

/* Compiles a program. If the driver rejects the source, *log receives its log. Free *log with
 * free(). */
static pm_status compile(pm_opencl_device *cl, const program_text *r, cl_program *program,
                         char **log, pm_error *error) {
    cl_int code;
    const char *source = r->source;
    cl_program made = clCreateProgramWithSource(cl->context, 1, &source, NULL, &code);
    if (code != CL_SUCCESS)
        return pm_cl_fail(error, code, "clCreateProgramWithSource");
    code = clBuildProgram(made, 1, &cl->id, r->options, NULL, NULL);
    if (code == CL_SUCCESS) {
        *program = made;
        return PM_OK;
    }
    pm_status status;
    if (code == CL_OUT_OF_HOST_MEMORY) {
        status = pm_cl_fail(error, code, "clBuildProgram");
    } else {
        *log = read_log(cl, made);
        status = report_failed_build(r->variant, *log, code, error);
    }
    clReleaseProgram(made);
    return status;
}

/* ---- the list of built programs and programs being built ---- */

pm_built *pm_cl_find_built(pm_opencl_device *cl, const pm_variant *variant) {
    pm_built *b = cl->built;
    while (b && !pm_same_variant(&b->variant, variant))
        b = b->next;
    return b;
}

/* Like find, but waits while another thread builds the program. NULL: no thread builds it, or the
 * build failed. */
static pm_built *find_finished(pm_opencl_device *cl, const pm_variant *variant) {
    pm_built *b;
    while ((b = pm_cl_find_built(cl, variant)) && !b->program)
        pthread_cond_wait(&cl->program_finished, &cl->lock);
    return b;
}

static bool find_program(pm_opencl_device *cl, const pm_variant *variant, cl_program *program) {
    pthread_mutex_lock(&cl->lock);
    const pm_built *b = find_finished(cl, variant);
    if (b)
        *program = b->program;
    pthread_mutex_unlock(&cl->lock);
    return b != NULL;
}

/* Adds an entry. If another thread has added the variant, sets *program to its program and returns
 * false. */
static bool add(pm_opencl_device *cl, pm_built *entry, cl_program *program) {
    pthread_mutex_lock(&cl->lock);
    const pm_built *other = find_finished(cl, &entry->variant);
    if (other) {
        *program = other->program;
    } else {
        entry->next = cl->built;
        cl->built = entry;
    }
    pthread_mutex_unlock(&cl->lock);
    return other == NULL;
}

/* Ends the build of an entry. `program` NULL is a failure: the entry is removed, so that the next
 * thread that needs the program tries again. */
static void finish_entry(pm_opencl_device *cl, pm_built *entry, cl_program program) {
    pthread_mutex_lock(&cl->lock);
    entry->program = program;
    if (!program) {
        pm_built **at = &cl->built;
        while (*at != entry)
            at = &(*at)->next;
        *at = entry->next;
    }
    pthread_cond_broadcast(&cl->program_finished);
    pthread_mutex_unlock(&cl->lock);
    if (!program)
        free(entry);
}

/* ---- building ---- */

/* Compiles the program of an added entry. Messages are logged after the entry is finished, because
 * a callback may need the same program. */
static pm_status build(pm_opencl_device *cl, const program_text *r, pm_built *entry,
                       cl_program *program, pm_error *error) {
    char *log = NULL;
    cl_program made = NULL;
    double begun = pm_seconds_now();
    pm_status status = compile(cl, r, &made, &log, error);
    double seconds = pm_seconds_now() - begun;
    if (status == PM_OK)
        pm_cl_cache_store(cl, r->source, r->options, made);
    finish_entry(cl, entry, made);
    pm_cl_cache_log_problem(cl);
    if (status == PM_OK)
        pm_log(pm_cl_logger(cl), PM_LOG_BUILT, "built %s in %.2f s with %s",
               title_of(r->variant).text, seconds, r->options);
    else if (log)
        pm_log(pm_cl_logger(cl), PM_LOG_WARNING, "build log of %s: %s", r->variant->file, log);
    free(log);
    *program = made;
    return status;
}

static pm_status make_entry(const program_text *r, pm_built **entry, pm_error *error) {
    *entry = calloc(1, sizeof **entry);
    if (!*entry)
        return pm_fail_memory(error);
    (*entry)->variant = *r->variant;
    return PM_OK;
}

/* Adds the program from the disk cache; *program remains NULL on a miss. */
static pm_status load(pm_opencl_device *cl, const program_text *r, cl_program *program,
                      pm_error *error) {
    pm_built *entry;
    cl_program loaded = pm_cl_cache_load(cl, r->source, r->options);
    if (!loaded)
        return PM_OK;
    pm_status status = make_entry(r, &entry, error);
    if (status != PM_OK) {
        clReleaseProgram(loaded);
        return status;
    }
    entry->program = *program = loaded;
    if (!add(cl, entry, program)) {
        clReleaseProgram(loaded);
        free(entry);
    }
    return PM_OK;
}

/* Logs the start of a build before its entry is added, because a callback may need the same
 * program. */
static pm_status log_and_build(pm_opencl_device *cl, const program_text *r, cl_program *program,
                               pm_error *error) {
    pm_built *entry;
    pm_status status = make_entry(r, &entry, error);
    if (status != PM_OK)
        return status;
    pm_log(pm_cl_logger(cl), PM_LOG_BUILDING, "building %s for %s", title_of(r->variant).text,
           cl->device.info.name);
    if (add(cl, entry, program))
        return build(cl, r, entry, program, error);
    free(entry);
    pm_log(pm_cl_logger(cl), PM_LOG_BUILT, "%s was built by another thread",
           title_of(r->variant).text);
    return PM_OK;
}

pm_status pm_cl_program_load(pm_opencl_device *cl, const pm_variant *variant, bool *ready,
                             pm_error *error) {
    program_text r;
    cl_program program = NULL;
    pthread_mutex_lock(&cl->lock);
    const pm_built *built = pm_cl_find_built(cl, variant);
    const bool done = built && built->program, known = built != NULL;
    pthread_mutex_unlock(&cl->lock);
    *ready = done;
    if (known)
        return PM_OK;
    pm_status status = write_program_text(cl, variant, &r, error);
    if (status == PM_OK)
        status = load(cl, &r, &program, error);
    free(r.source);
    *ready = program != NULL;
    return status;
}

pm_status pm_cl_program(pm_opencl_device *cl, const pm_variant *variant, cl_program *program,
                        pm_error *error) {
    program_text r;
    if (find_program(cl, variant, program))
        return PM_OK;
    *program = NULL;
    pm_status status = write_program_text(cl, variant, &r, error);
    if (status == PM_OK)
        status = load(cl, &r, program, error);
    if (status == PM_OK && !*program)
        status = log_and_build(cl, &r, program, error);
    free(r.source);
    return status;
}

void pm_cl_programs_close(pm_opencl_device *cl) {
    while (cl->built) {
        pm_built *next = cl->built->next;
        pm_cl_kernels_release(cl->built);
        clReleaseProgram(cl->built->program);
        free(cl->built);
        cl->built = next;
    }
}
