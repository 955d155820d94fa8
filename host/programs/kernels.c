/* SPDX-License-Identifier: MIT
 *
 * Kernels of built programs, kept for later launches: creating one costs a small job more than its
 * arithmetic. A kernel has one set of arguments, so a launch borrows one.
 */
#include "state.h"

#include <stdlib.h>

static pm_status create(pm_programs *p, pm_built *built, pm_made_kernel **made, pm_error *error) {
    size_t max = 0;
    pm_made_kernel *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return pm_fail_memory(error);
    const pm_status status = p->desc.driver->make_kernel(
        p->desc.device, built->program, built->variant.file, &fresh->kernel, &max, error);
    if (status != PM_OK) {
        free(fresh);
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
    pm_built *built = pm_find_built(p, variant);
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
    return *made ? PM_OK : create(p, built, made, error);
}

void pm_kernel_give(pm_programs *p, pm_made_kernel *made) {
    pthread_mutex_lock(&p->lock);
    made->next = made->program->idle;
    made->program->idle = made;
    pthread_mutex_unlock(&p->lock);
}

void pm_kernel_release(pm_programs *p, pm_made_kernel *made) {
    p->desc.driver->release_kernel(made->kernel);
    free(made);
}

void pm_kernels_release(pm_programs *p, pm_built *program) {
    while (program->idle) {
        pm_made_kernel *next = program->idle->next;
        pm_kernel_release(p, program->idle);
        program->idle = next;
    }
}
