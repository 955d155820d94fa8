/* SPDX-License-Identifier: MIT
 *
 * The two kinds of models. Files need the motion library with glTF; without it they are refused.
 */
#include "model.h"

#include <stdlib.h>

#include "crowd/body.h"
#include "fault.h"
#include "figure.h"

#ifdef CROWD_WINDOW_GLTF
#include <posemill/posemill_motion.h>

#include "gltf_mesh.h"
#endif

static void describe_figure(model *m, pm_method method) {
    body_description *d = m->described;
    static const uint32_t hand = BODY_RIGHT_HAND;
    static const pm_subset subsets[MODEL_HAND] = {{.joints = &hand, .joint_count = 1}};
    body_describe(d, method);
    d->skeleton.subsets = subsets;
    d->skeleton.subset_count = MODEL_HAND;
    m->skeleton = &d->skeleton;
    m->clips = d->clips;
    m->clip_count = BODY_CLIPS;
    m->markers = d->markers;
}

pm_status model_of_figure(model *m, pm_method method, pm_error *error) {
    *m = (model){.is_figure = true, .described = calloc(1, sizeof(body_description))};
    if (!m->described || !figure_mesh(&m->mesh)) {
        model_close(m);
        return fault_memory(error);
    }
    describe_figure(m, method);
    return PM_OK;
}

pm_method model_next_method(pm_method method) {
    const pm_method_info *info;
    do {
        method = (pm_method)(((size_t)method + 1) % pm_method_count());
        info = pm_method_get_info(method);
    } while (info->takes_axes || info->takes_in_out);
    return method;
}

#ifdef CROWD_WINDOW_GLTF

static pm_status describe_file(model *m, pm_method method, pm_error *error) {
    const pm_motion_character_options options = {.method = method};
    const pm_motion_character *character = NULL;
    const pm_status status = pm_motion_character_create(m->file, &options, &character, error);
    if (status != PM_OK)
        return status;
    const pm_motion_character *before = m->described;
    pm_motion_character_destroy(&before);
    m->described = (void *)(uintptr_t)character;
    m->skeleton = &character->skeleton;
    m->clips = character->clips;
    m->clip_count = character->clip_count;
    return PM_OK;
}

pm_status model_of_file(model *m, const char *path, pm_method method, pm_error *error) {
    pm_motion *motion = NULL;
    *m = (model){0};
    pm_status status = pm_motion_open(path, NULL, &motion, error);
    m->file = motion;
    if (status == PM_OK && pm_motion_get_content(motion)->skin_count == 0)
        status = fault(error, PM_ERROR_FILE, "%.300s: no skin", path);
    if (status == PM_OK)
        status = describe_file(m, method, error);
    if (status == PM_OK)
        status = gltf_mesh_read(path, &pm_motion_get_content(motion)->skins[0], m->described,
                                &m->mesh, error);
    if (status != PM_OK)
        model_close(m);
    return status;
}

static void close_file(model *m) {
    const pm_motion_character *character = m->described;
    pm_motion *motion = m->file;
    pm_motion_character_destroy(&character);
    pm_motion_destroy(&motion);
}

#else

static pm_status describe_file(model *m, pm_method method, pm_error *error) {
    (void)m;
    (void)method;
    return fault(error, PM_ERROR_FILE, "built without glTF");
}

pm_status model_of_file(model *m, const char *path, pm_method method, pm_error *error) {
    *m = (model){0};
    (void)path;
    return describe_file(m, method, error);
}

static void close_file(model *m) {
    (void)m;
}

#endif

pm_status model_set_method(model *m, pm_method method, pm_error *error) {
    if (!m->is_figure)
        return describe_file(m, method, error);
    describe_figure(m, method);
    return PM_OK;
}

void model_close(model *m) {
    if (m->is_figure)
        free(m->described);
    else
        close_file(m);
    mesh_free(&m->mesh);
    *m = (model){0};
}
