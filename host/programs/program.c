/* SPDX-License-Identifier: MIT
 *
 * Programs: one per variant, built from the kernel sources on first use. A program that is being
 * built has an entry whose program is NULL; only threads that need the same program wait for it. No
 * lock is held while the driver compiles or a message is delivered. Launches borrow their kernels.
 */
#define _POSIX_C_SOURCE 200809L

#include "state.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* The kernel sources turn contraction off. A device that does not take the rounding option may
 * approximate / and sqrt, which the self-check would detect. */
static pm_status options_of(const pm_programs *p, const pm_variant *variant, bool rounds, char *to,
                            size_t size, pm_error *error) {
    const pm_programs_desc *d = &p->desc;
    char of_vectors[192] = "";
    int length = 0;
    if (variant->vector_curve)
        length = snprintf(of_vectors, sizeof of_vectors,
                          " -DPM_VECTOR_METHOD=pm_%s -DPM_OUTPUT=%u -DPM_PER_JOINT=%u%s%s%s",
                          variant->vector_curve, (unsigned)variant->output,
                          (unsigned)variant->per_joint, variant->layered ? " -DPM_LAYERED=1" : "",
                          variant->given ? " -DPM_GIVEN=1" : "",
                          variant->in_transition ? " -DPM_TRANSITIONS=1" : "");
    const bool cut = length >= (int)sizeof of_vectors;
    length =
        snprintf(to, size, "%s%s -DPM_METHOD=pm_%s -DPM_COMPONENTS=%u -DPM_LANES=1 -DPM_KEYS=%u%s",
                 d->options, rounds ? d->rounding : "", variant->curve, variant->components,
                 (unsigned)variant->format, of_vectors);
    if (cut || length < 0 || length >= (int)size)
        return pm_fail(error, PM_ERROR_BUILD,
                       "the options to build %.40s are longer than %zu bytes", variant->file,
                       size - 1);
    return PM_OK;
}

typedef struct program_text {
    const pm_variant *variant;
    char *source;
    char options[352];
    bool is_trial; /* with an option that the driver may refuse: a failure is tried again */
} program_text;

static pm_status write_program_text(const pm_programs *p, const pm_variant *variant, bool rounds,
                                    program_text *r, pm_error *error) {
    *r = (program_text){.variant = variant, .is_trial = rounds && !p->desc.claims_rounding};
    const pm_status status = options_of(p, variant, rounds, r->options, sizeof r->options, error);
    return status == PM_OK
               ? pm_kernel_text(p->desc.host, p->kernel_folder, variant->file, &r->source, error)
               : status;
}

/* A description of a program for messages. */
typedef struct title {
    char text[160];
} title;

static title title_of(const pm_variant *v) {
    title t;
    if (v->vector_curve)
        snprintf(t.text, sizeof t.text, "%s (%s, %s, output %u%s%s%s)", v->file, v->curve,
                 v->vector_curve, (unsigned)v->output, v->layered ? ", layers" : "",
                 v->given ? ", given poses" : "", v->in_transition ? ", transitions" : "");
    else
        snprintf(t.text, sizeof t.text, "%s (%s)", v->file, v->curve);
    return t;
}

/* Copies the first line of a build log that contains "error", or its first line. */
static void first_error(const char *log, char *to, size_t size) {
    const char *at = strstr(log, "error");
    while (at && at > log && at[-1] != '\n')
        at--;
    at = at ? at : log;
    snprintf(to, size, "%.*s", (int)strcspn(at, "\n"), at);
}

/* Compiles a program. If the driver rejects the source, *log receives its log, and the error its
 * first line after the driver's reason. */
static pm_status compile(pm_programs *p, const program_text *r, void **program, char **log,
                         pm_error *error) {
    char line[128];
    pm_error reason = {.status = PM_OK};
    const pm_status status =
        p->desc.driver->build(p->desc.device, r->source, r->options, program, log, &reason);
    if (status != PM_OK && error)
        *error = reason;
    if (status != PM_ERROR_BUILD)
        return status;
    first_error(*log ? *log : "", line, sizeof line);
    pm_report(error, PM_ERROR_BUILD, pm_nowhere, "building %s: %.40s: %.120s",
              title_of(r->variant).text, reason.message, line);
    if (error)
        error->cl_status = reason.cl_status;
    return status;
}

/* The entry of a variant, or NULL. The caller holds the lock. */
static pm_built *find_built(pm_programs *p, const pm_variant *variant) {
    pm_built *b = p->built;
    while (b && !pm_same_variant(&b->variant, variant))
        b = b->next;
    return b;
}

/* Whether a program is built. Waits while another thread builds it. The caller holds the lock. */
static bool is_finished(pm_programs *p, const pm_variant *variant) {
    const pm_built *b;
    while ((b = find_built(p, variant)) && !b->program)
        pthread_cond_wait(&p->program_finished, &p->lock);
    return b != NULL;
}

/* Adds an entry for a program, or with NULL for one that the caller builds. *entry is NULL if another
 * thread has built the variant meanwhile. */
static pm_status add(pm_programs *p, const pm_variant *variant, void *program, pm_built **entry,
                     pm_error *error) {
    pm_built *made = pm_allocate_zeroed(p->desc.host, 1, sizeof *made);
    *entry = NULL;
    if (!made)
        return pm_fail_memory(error);
    *made = (pm_built){.variant = *variant, .program = program};
    pthread_mutex_lock(&p->lock);
    if (!is_finished(p, variant)) {
        made->next = p->built;
        *entry = p->built = made;
    }
    pthread_mutex_unlock(&p->lock);
    if (!*entry)
        pm_release(made);
    return PM_OK;
}

/* Ends the build of an entry. `program` NULL is a failure: the entry is removed, so that the next
 * thread that needs the program tries again. */
static void finish_entry(pm_programs *p, pm_built *entry, void *program) {
    pthread_mutex_lock(&p->lock);
    entry->program = program;
    if (!program) {
        pm_built **at = &p->built;
        while (*at != entry)
            at = &(*at)->next;
        *at = entry->next;
    }
    pthread_cond_broadcast(&p->program_finished);
    pthread_mutex_unlock(&p->lock);
    if (!program)
        pm_release(entry);
}

static void store(pm_programs *p, const program_text *r, void *program) {
    size_t size = 0;
    void *binary = p->folder ? p->desc.driver->binary(p->desc.device, program, &size) : NULL;
    if (binary)
        pm_cache_store(p, r->source, r->options, binary, size);
    pm_release(binary);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Compiles the program of an added entry. Messages are logged after the entry is finished, because
 * a callback may need the same program. */
static pm_status build_entry(pm_programs *p, const program_text *r, pm_built *entry,
                             pm_error *error) {
    char *log = NULL;
    void *made = NULL;
    const double begun = seconds_now();
    const pm_status status = compile(p, r, &made, &log, error);
    const double seconds = seconds_now() - begun;
    if (status == PM_OK)
        store(p, r, made);
    finish_entry(p, entry, made);
    pm_cache_log_problem(p);
    if (status == PM_OK)
        pm_log(p->desc.logger, PM_LOG_BUILT, "built %s in %.2f s with %s",
               title_of(r->variant).text, seconds, r->options);
    else if (log && !r->is_trial)
        pm_log(p->desc.logger, PM_LOG_WARNING, "build log of %s: %s", r->variant->file, log);
    pm_release(log);
    return status;
}

/* Logs the start of a build before its entry is added, because a callback may need the same
 * program. */
static pm_status build(pm_programs *p, const program_text *r, pm_error *error) {
    pm_built *entry;
    pm_log(p->desc.logger, PM_LOG_BUILDING, "building %s for %s", title_of(r->variant).text,
           p->desc.info->name);
    const pm_status status = add(p, r->variant, NULL, &entry, error);
    if (status != PM_OK)
        return status;
    if (entry)
        return build_entry(p, r, entry, error);
    pm_log(p->desc.logger, PM_LOG_BUILT, "%s was built by another thread",
           title_of(r->variant).text);
    return PM_OK;
}

/* Adds the program from the disk cache. *ready: it was there. */
static pm_status load(pm_programs *p, const program_text *r, bool *ready, pm_error *error) {
    const pm_program_driver *driver = p->desc.driver;
    pm_built *entry;
    size_t size;
    void *binary = pm_cache_load(p, r->source, r->options, &size);
    void *program = binary ? driver->load(p->desc.device, binary, size, r->options) : NULL;
    pm_release(binary);
    *ready = program != NULL;
    if (!program)
        return PM_OK;
    const pm_status status = add(p, r->variant, program, &entry, error);
    if (status != PM_OK || !entry)
        driver->release(program);
    return status;
}

pm_status pm_programs_load(pm_programs *p, const pm_variant *variant, bool *ready,
                           pm_error *error) {
    program_text r;
    pthread_mutex_lock(&p->lock);
    const pm_built *built = find_built(p, variant);
    const bool known = built != NULL, rounds = !p->refuses_rounding;
    *ready = built && built->program;
    pthread_mutex_unlock(&p->lock);
    if (known)
        return PM_OK;
    pm_status status = write_program_text(p, variant, rounds, &r, error);
    if (status == PM_OK)
        status = load(p, &r, ready, error);
    pm_release(r.source);
    return status;
}

/* Loads or builds a program, with or without the option for rounding. */
static pm_status make(pm_programs *p, const pm_variant *variant, bool rounds, pm_error *error) {
    program_text r;
    bool ready = false;
    pm_status status = write_program_text(p, variant, rounds, &r, error);
    if (status == PM_OK)
        status = load(p, &r, &ready, error);
    if (status == PM_OK && !ready)
        status = build(p, &r, error);
    pm_release(r.source);
    return status;
}

/* Some drivers accept the option for rounding, and have an effect for it, without claiming it: Intel's
 * for GPUs. Where one does not claim it, a build that fails with the option is tried without it. */
pm_status pm_programs_build(pm_programs *p, const pm_variant *variant, pm_error *error) {
    pthread_mutex_lock(&p->lock);
    const bool ready = is_finished(p, variant), rounds = !p->refuses_rounding;
    pthread_mutex_unlock(&p->lock);
    if (ready)
        return PM_OK;
    pm_status status = make(p, variant, rounds, error);
    if (status != PM_ERROR_BUILD || !rounds || p->desc.claims_rounding)
        return status;
    pm_error_clear(error);
    status = make(p, variant, false, error);
    pthread_mutex_lock(&p->lock);
    p->refuses_rounding = p->refuses_rounding || status == PM_OK;
    pthread_mutex_unlock(&p->lock);
    return status;
}

/* Kernels are kept for later launches: creating one costs a small job more than its arithmetic. A
 * kernel has one set of arguments, so a launch borrows one. */
static pm_status create_kernel(pm_programs *p, pm_built *built, pm_made_kernel **made,
                               pm_error *error) {
    size_t max = 0;
    pm_made_kernel *fresh = pm_allocate_zeroed(p->desc.host, 1, sizeof *fresh);
    if (!fresh)
        return pm_fail_memory(error);
    const pm_status status = p->desc.driver->make_kernel(
        p->desc.device, built->program, built->variant.file, &fresh->kernel, &max, error);
    if (status != PM_OK) {
        pm_release(fresh);
        return status;
    }
    fresh->program = built;
    for (fresh->max_group = PM_GROUP_ITEMS; fresh->max_group > 1 && fresh->max_group > max;)
        fresh->max_group /= 2;
    *made = fresh;
    return PM_OK;
}

/* The entry of a built program, with an idle kernel if it has one. NULL: it is not built yet. */
static pm_built *take_idle(pm_programs *p, const pm_variant *variant, pm_made_kernel **idle) {
    pthread_mutex_lock(&p->lock);
    pm_built *built = find_built(p, variant);
    if (built && !built->program)
        built = NULL;
    *idle = built ? built->idle : NULL;
    if (*idle)
        built->idle = (*idle)->next;
    pthread_mutex_unlock(&p->lock);
    return built;
}

pm_status pm_kernel_take(pm_programs *p, const pm_variant *variant, pm_made_kernel **made,
                         pm_error *error) {
    pm_built *built;
    while (!(built = take_idle(p, variant, made))) {
        const pm_status status = pm_programs_build(p, variant, error);
        if (status != PM_OK)
            return status;
    }
    return *made ? PM_OK : create_kernel(p, built, made, error);
}

void pm_kernel_give(pm_programs *p, pm_made_kernel *made) {
    pthread_mutex_lock(&p->lock);
    made->next = made->program->idle;
    made->program->idle = made;
    pthread_mutex_unlock(&p->lock);
}

void pm_kernel_release(pm_programs *p, pm_made_kernel *made) {
    p->desc.driver->release_kernel(made->kernel);
    pm_release(made);
}

void pm_kernels_release(pm_programs *p, pm_built *program) {
    while (program->idle) {
        pm_made_kernel *next = program->idle->next;
        pm_kernel_release(p, program->idle);
        program->idle = next;
    }
}
