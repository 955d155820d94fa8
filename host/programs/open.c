/* SPDX-License-Identifier: MIT
 *
 * Opens and closes the programs of a device.
 */
#include "state.h"

#include <string.h>

static void close_all(pm_programs *p) {
    while (p->built) {
        pm_built *next = p->built->next;
        pm_kernels_release(p, p->built);
        p->desc.driver->release(p->built->program);
        pm_release(p->built);
        p->built = next;
    }
}

pm_status pm_programs_open(const pm_programs_desc *desc, pm_cache_folder *folder,
                           pm_programs **programs, pm_error *error) {
    pm_programs *p = pm_allocate_zeroed(desc->host, 1, sizeof *p);
    char *kernel_folder =
        desc->kernel_folder ? pm_copy_text(desc->host, desc->kernel_folder) : NULL;
    if (!p || !desc->identity || (desc->kernel_folder && !kernel_folder)) {
        pm_release(p);
        pm_release(kernel_folder);
        pm_release(desc->identity);
        return pm_fail_memory(error);
    }
    p->desc = *desc;
    p->kernel_folder = kernel_folder;
    p->folder = pm_cache_folder_share(folder);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->program_finished, NULL);
    pthread_cond_init(&p->requested, NULL);
    *programs = p;
    return PM_OK;
}

void pm_programs_close(pm_programs *p) {
    if (!p)
        return;
    pm_builder_close(p);
    close_all(p);
    pthread_cond_destroy(&p->program_finished);
    pthread_cond_destroy(&p->requested);
    pthread_mutex_destroy(&p->lock);
    pm_cache_folder_close(p->folder);
    pm_release(p->kernel_folder);
    pm_release(p->desc.identity);
    pm_release(p);
}
