/* SPDX-License-Identifier: MIT
 *
 * Writes a motion: finds the clips that get new data, in its document or in one that is made for it, and
 * lets the steps change a copy of the JSON.
 */
#include "motion/gltf/write.h"

#include <stdlib.h>

#include "motion/model/made.h"

/* ---- clips that get new data --------------------------------------------------------------- */

/* All channels of all clips are written again if one has changed: their data mostly are one view, which
 * remains as long as one accessor refers to it. */
static bool has_changed(const pm_motion *motion) {
    bool is_same = true;
    for (size_t i = 0; i < motion->content.clip_count; i++)
        is_same = is_same && motion_is_untouched(motion, i);
    return !is_same;
}

static void add_clip(gltf_writer *w, const motion_writing *writing,
                     const pm_motion_content *content, size_t clip, const motion_samples *samples) {
    w->clips[w->clip_count++] = (gltf_new_clip){
        .clip = &content->clips[clip],
        .rest = writing->drops_rest ? writing->motion->content.nodes : NULL,
        .index = clip,
        .samples = samples,
        .animation = json_array_get(json_object_get(w->root, "animations"), clip),
        .json_channels = w->document->json_channels[clip],
    };
}

static pm_status find_clips(gltf_writer *w, const motion_writing *writing, pm_error *error) {
    const pm_motion_content *source = &writing->document->content;
    const pm_motion_content *content = &writing->motion->content;
    w->clips = calloc(source->clip_count + 1, sizeof *w->clips);
    MOTION_TRY_MEMORY(w->clips, error);
    for (size_t i = 0; i < writing->sample_count; i++) {
        const size_t clip = writing->samples[i].clip;
        if (clip >= source->clip_count)
            return motion_fail(error, PM_ERROR_ARGUMENT, "samples of clip %zu are not valid", clip);
        for (size_t k = 0; k < i; k++)
            if (w->clips[k].index == clip)
                return motion_fail(error, PM_ERROR_ARGUMENT, "clip %zu has samples twice", clip);
        add_clip(w, writing, source, clip, &writing->samples[i]);
    }
    if (!writing->samples && (writing->drops_rest || w->packing.quantizes ||
                              w->packing.compresses || has_changed(writing->motion)))
        for (size_t i = 0; i < content->clip_count; i++)
            add_clip(w, writing, content, i, NULL);
    return PM_OK;
}

/* ---- all ----------------------------------------------------------------------------------- */

/* An array without elements is not valid. */
static void drop_empty(json_t *root) {
    static const char *const arrays[] = {"skins", "animations", "buffers", "bufferViews",
                                         "accessors"};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (json_array_size(json_object_get(root, arrays[i])) == 0)
            json_object_del(root, arrays[i]);
}

/* `writing` NULL: of a document that is made of the motion. */
static pm_status change(gltf_writer *w, const motion_writing *writing, pm_error *error) {
    w->accessor_count = json_array_size(json_object_get(w->root, "accessors"));
    w->view_count = json_array_size(json_object_get(w->root, "bufferViews"));
    MOTION_TRY(writing ? gltf_replace_rest(w, writing, error) : PM_OK);
    for (size_t i = 0; i < w->clip_count; i++)
        MOTION_TRY(gltf_replace_clip(w, &w->clips[i], error));
    MOTION_TRY(gltf_drop_unused(w, error));
    MOTION_TRY(gltf_compress(w, error));
    return gltf_lay_out(w, error);
}

static void release(gltf_writer *w) {
    for (size_t i = 0; i < w->clip_count; i++)
        MOTION_FREE(w->clips[i].parts, w->clips[i].kinds);
    for (size_t i = 0; i < w->stream_count; i++)
        MOTION_FREE(w->streams[i].words, w->streams[i].packed);
    MOTION_FREE(w->binds, w->dropped_views, w->pieces);
}

static pm_status write_new(const motion_writing *writing, bool is_binary, const motion_sink *sink,
                           pm_error *error) {
    gltf_new_document made = {0};
    gltf_writer w = {.document = &made.document, .packing = writing->motion->packing};
    pm_status status = gltf_make_document(writing, &made, error);
    w.root = made.document.root;
    w.clips = made.clips;
    w.clip_count = made.clip_count;
    if (status == PM_OK)
        status = change(&w, NULL, error);
    if (status == PM_OK) {
        drop_empty(w.root);
        status = gltf_write_container(&w, is_binary, sink, error);
    }
    release(&w);
    gltf_release_document(&made);
    return status;
}

pm_status gltf_write(const motion_writing *writing, bool is_binary, const motion_sink *sink,
                     pm_error *error) {
    if (!writing->document)
        return write_new(writing, is_binary, sink, error);
    gltf_writer w = {.document = writing->document->document};
    if (!writing->samples)
        w.packing = writing->motion->packing;
    w.root = gltf_copy(w.document->root);
    pm_status status = w.root ? find_clips(&w, writing, error) : motion_refuse_memory(error);
    if (status == PM_OK)
        status = change(&w, writing, error);
    if (status == PM_OK)
        status = gltf_write_container(&w, is_binary, sink, error);
    release(&w);
    free(w.clips);
    json_decref(w.root);
    return status;
}
