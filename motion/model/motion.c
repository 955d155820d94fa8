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

static bool has_same_channels(const pm_motion_clip *a, const pm_motion_clip *b) {
    bool same = a->channel_count == b->channel_count;
    for (size_t c = 0; same && c < a->channel_count; c++)
        same = a->channels[c].node == b->channels[c].node &&
               a->channels[c].path == b->channels[c].path &&
               a->channels[c].components == b->channels[c].components;
    return same;
}

bool motion_has_shape_of(const pm_motion *motion, const pm_motion *source) {
    const pm_motion_content *a = &motion->content, *b = &source->content;
    bool fits = a->clip_count == b->clip_count && a->node_count == b->node_count;
    for (size_t i = 0; fits && i < a->clip_count; i++)
        fits = has_same_channels(&a->clips[i], &b->clips[i]);
    for (size_t n = 0; fits && n < a->node_count; n++)
        fits = a->nodes[n].parent == b->nodes[n].parent &&
               a->nodes[n].name.size == b->nodes[n].name.size &&
               memcmp(a->nodes[n].name.text, b->nodes[n].name.text, a->nodes[n].name.size) == 0;
    return fits;
}

/* Members that are taken from the nearest frame need to know which it is. */
static bool finds_nearest(const pm_motion *motion, const pm_motion *source) {
    bool finds = true;
    const size_t rows = motion->content.clips[0].timelines[0].key_count;
    const size_t own = source->content.clips[0].timelines[0].key_count;
    for (size_t i = 0; i < source->content.other_array_count; i++)
        finds = finds &&
                (!source->content.other_arrays[i].nearest || motion->row_count > 0 || rows == own);
    return finds;
}

bool motion_fits_arrays(const pm_motion *motion, const pm_motion *source,
                        const motion_format *format) {
    if (!format->is_arrays || !motion_writes_document(format, source) ||
        !motion_has_shape_of(motion, source) || motion->content.clip_count != 1)
        return false;
    const pm_motion_clip *clip = &motion->content.clips[0];
    bool fits = clip->channel_count > 0 && !clip->timelines[0].times && clip->rate.den != 0;
    for (size_t c = 0; fits && c < clip->channel_count; c++)
        fits = clip->channels[c].timeline == 0;
    return fits && finds_nearest(motion, source);
}

void motion_carry(pm_motion *motion, size_t count, const char *one, const char *many) {
    if (count > 0)
        motion_note(&motion->carried, "%zu %s", count, count == 1 ? one : many);
}

void pm_motion_destroy(pm_motion **motion) {
    if (!motion || !*motion)
        return;
    pm_motion *m = *motion;
    if (m->document && m->format->release)
        m->format->release(m->document);
    motion_arena_release(&m->arena);
    free(m->file);
    free(m);
    *motion = NULL;
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
