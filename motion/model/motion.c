/* SPDX-License-Identifier: MIT
 *
 * A motion in memory, and what is refused of it.
 */
#include "motion/model/model.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/printable.h"

double motion_largest_of(const motion_format *format) {
    /* NULL: a copy in memory, whose format is not known yet. */
    return format && format->is_single ? (double)FLT_MAX : DBL_MAX;
}

pm_status motion_check_keys(const pm_motion *motion, pm_error *error) {
    if (motion->headers_only)
        return motion_fail(
            error, PM_ERROR_ARGUMENT,
            "motion was read with headers_only; only pm_motion_get_content takes it");
    if (!motion->resample_only)
        return PM_OK;
    return motion_fail(error, PM_ERROR_ARGUMENT,
                       "motion was read with resample_only; only pm_motion_resample takes it");
}

size_t motion_first_clip(const pm_motion_content *content) {
    for (size_t i = 0; i < content->clip_count; i++)
        if (content->clips[i].channel_count > 0)
            return i;
    return 0;
}

pm_status motion_check_clip(const pm_motion_content *content, size_t index, pm_error *error) {
    const pm_motion_clip *clip = &content->clips[index];
    char name[MOTION_PRINTABLE];
    if (clip->channel_count > 0)
        return PM_OK;
    motion_printable(name, clip->name.text, clip->name.size);
    return motion_refuse(error, "clip %zu%s%s%s: %s", index, *name ? " '" : "", name,
                         *name ? "'" : "",
                         clip->fault ? clip->fault : "has no channels that move a node");
}

bool motion_writes_document(const motion_format *writer, const pm_motion *motion) {
    return motion->document && strcmp(writer->document, motion->format->document) == 0;
}

const pm_motion *motion_form_of(const pm_motion *motion) {
    return motion->document ? motion : motion->form;
}

void motion_carry(pm_motion *motion, size_t count, const char *one, const char *many) {
    if (count > 0)
        motion_note(&motion->carried, "%zu %s", count, count == 1 ? one : many);
}

static pm_motion *release(pm_motion *m) {
    if (m->document && m->format->release)
        m->format->release(m->document);
    for (size_t i = 1; i < m->made_of_count; i++) {
        pm_motion *from = (pm_motion *)(uintptr_t)m->made_of[i];
        pm_motion_destroy(&from);
    }
    pm_motion *first = m->made_of_count > 0 ? (pm_motion *)(uintptr_t)m->made_of[0] : NULL;
    motion_arena_release(&m->arena);
    MOTION_FREE(m->file, m);
    return first;
}

/* A loop: what is made step by step is a long chain. */
void pm_motion_destroy(pm_motion **motion) {
    pm_motion *at = motion ? *motion : NULL;
    if (motion)
        *motion = NULL;
    while (at && atomic_fetch_sub(&at->references, 1) == 0)
        at = release(at);
}

const pm_motion_content *pm_motion_get_content(const pm_motion *motion) {
    return motion ? &motion->content : NULL;
}

bool pm_motion_find_joint(const pm_motion *motion, const char *name, uint32_t *node) {
    const size_t count = motion ? motion->content.node_count : 0, size = name ? strlen(name) : 0;
    for (size_t n = 0; name && node && n < count; n++) {
        const pm_motion_name *own = &motion->content.nodes[n].name;
        if (own->size != size || (size && memcmp(own->text, name, size) != 0))
            continue;
        *node = (uint32_t)n;
        return true;
    }
    return false;
}
