/* SPDX-License-Identifier: MIT
 *
 * Opening everything in order, a frame, and changes by keys.
 */
#define _POSIX_C_SOURCE 200809L

#include "show.h"

#include <stdio.h>
#include <time.h>

#include "fault.h"

double show_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- opening ------------------------------------------------------------------------------ */

/* The device that draws, where it can share; a device that was asked for by name has its own
 * context, whose buffers OpenGL cannot share. */
static pm_status open_engine(show *s, const options *o, pm_error *error) {
    const pm_engine_desc desc = {.device = o->device};
    const char *why;
    if (!o->device)
        s->sharing = sharing_open(&why);
    const pm_status status = s->sharing ? sharing_engine(s->sharing, &s->engine, error)
                                        : pm_engine_create(&desc, &s->engine, error);
    if (status == PM_OK)
        pm_engine_get_info(s->engine, &s->device, sizeof(pm_device_info));
    return status;
}

static palette_way best_way(const show *s) {
    return s->sharing ? PALETTES_SHARED : gl_has_storage() ? PALETTES_MAPPED : PALETTES_COPIED;
}

static pm_status open_scene(show *s, const options *o, pm_error *error) {
    pm_status status = o->file ? model_of_file(&s->model, o->file, o->method, error)
                               : model_of_figure(&s->model, o->method, error);
    if (status == PM_OK)
        status = scene_open(&s->scene, &s->model, s->engine, o->count, error);
    if (status != PM_OK)
        return status;
    s->scene.blends = !o->no_blends;
    s->scene.levels = o->levels;
    for (int which = 0; which < 3 && o->layers; which++)
        show_switch_layer(s, which);
    const bool parts[SHOW_PARTS] = {o->swords, o->cull, o->slope};
    for (int which = 0; which < SHOW_PARTS; which++) {
        if (parts[which])
            show_switch_part(s, which);
        if (s->hint)
            return fault(error, stages_can(s->engine) ? PM_ERROR_ARGUMENT : PM_ERROR_NO_DEVICE,
                         "%s", s->hint);
    }
    s->camera = camera_of(scene_radius(&s->scene));
    return PM_OK;
}

pm_status show_open(show *s, const options *o, pm_error *error) {
    *s = (show){0};
    pm_status status = gl_check_context(error);
    if (status != PM_OK)
        return status;
    status = open_engine(s, o, error);
    if (status == PM_OK)
        status = open_scene(s, o, error);
    if (status == PM_OK)
        status = palettes_open(&s->palettes, o->way_given ? o->way : best_way(s), s->sharing,
                               &s->scene, error);
    if (status == PM_OK)
        status = drawing_open(&s->drawing, &s->scene, error);
    if (status == PM_OK)
        status = overlay_open(&s->overlay, error);
    if (status != PM_OK)
        show_close(s);
    return status;
}

/* OpenCL's objects that share OpenGL's go before them. */
void show_close(show *s) {
    palettes_close(&s->palettes);
    drawing_close(&s->drawing);
    overlay_close(&s->overlay);
    scene_close(&s->scene);
    model_close(&s->model);
    pm_engine_destroy(&s->engine);
    sharing_close(&s->sharing);
    *s = (show){0};
}

/* ---- a frame ------------------------------------------------------------------------------ */

pm_status show_frame(show *s, double seconds, int width, int height, pm_error *error) {
    double eye[3];
    s->camera.steepness = scene_steepness(&s->scene);
    camera_eye(&s->camera, eye);
    pm_status status = scene_step(&s->scene, seconds, eye, error);
    if (status != PM_OK)
        return status;
    float view[16];
    camera_matrix(&s->camera, (double)width / height, view);
    scene_look(&s->scene, view);
    const double begin = show_seconds();
    status = palettes_pose(&s->palettes, &s->scene, s->on_reference, error);
    s->pose_milliseconds = 1e3 * (show_seconds() - begin);
    if (status == PM_OK && s->on_reference)
        status = show_compare_bits(s, error);
    if (status != PM_OK)
        return status;
    drawing_frame(&s->drawing, &s->scene, &s->palettes, &s->camera, width, height);
    return gl_check("a frame", error);
}

/* ---- changes -------------------------------------------------------------------------------- */

static pm_status open_palettes(show *s, palette_way way, pm_error *error) {
    palettes_close(&s->palettes);
    return palettes_open(&s->palettes, way, s->sharing, &s->scene, error);
}

pm_status show_set_count(show *s, size_t count, pm_error *error) {
    const size_t bytes = scene_palette_bytes(&s->scene) / s->scene.count;
    s->hint = NULL;
    if (count > palettes_most_bytes() / bytes) {
        s->hint = "more figures do not fit into a storage buffer";
        return PM_OK;
    }
    s->bits = 0;
    const pm_status status = scene_set_count(&s->scene, count, error);
    if (status != PM_OK)
        return status;
    s->camera.distance = camera_of(scene_radius(&s->scene)).distance;
    return open_palettes(s, s->palettes.way, error);
}

pm_status show_set_way(show *s, palette_way way, pm_error *error) {
    s->hint = NULL;
    if (!palettes_can(way, s->sharing, &s->hint))
        return PM_OK;
    if (way == PALETTES_SHARED && s->on_reference) {
        s->hint = "plain C cannot write buffers of the device";
        return PM_OK;
    }
    s->hint = NULL;
    return open_palettes(s, way, error);
}

pm_status show_set_reference(show *s, bool on_reference, pm_error *error) {
    s->hint = on_reference && stages_needed(&s->scene)
                  ? "plain C has no culling and no slope: they are off"
                  : NULL;
    s->scene.culls = s->scene.culls && !on_reference;
    s->scene.sloped = s->scene.sloped && !on_reference;
    s->on_reference = on_reference;
    s->bits = 0;
    if (on_reference && s->palettes.way == PALETTES_SHARED)
        return show_set_way(s, gl_has_storage() ? PALETTES_MAPPED : PALETTES_COPIED, error);
    return PM_OK;
}

void show_switch_layer(show *s, int which) {
    layers *l = &s->scene.layers;
    bool *const switches[] = {&l->moves, &l->breath, &l->wave};
    s->hint = s->model.is_figure ? NULL : "layers are for the figure, not for files";
    *switches[which] = s->model.is_figure && !*switches[which];
}

void show_switch_part(show *s, int which) {
    bool *const switches[SHOW_PARTS] = {[SHOW_SWORDS] = &s->scene.swords,
                                        [SHOW_CULLING] = &s->scene.culls,
                                        [SHOW_SLOPE] = &s->scene.sloped};
    s->hint = NULL;
    s->bits = 0;
    if (which != SHOW_CULLING && !s->model.is_figure)
        s->hint = "swords and the slope are for the figure, not for files";
    else if (which != SHOW_SWORDS && !stages_can(s->engine))
        s->hint = "culling and the slope require an OpenCL device";
    else if (which != SHOW_SWORDS && s->on_reference)
        s->hint = "plain C has no culling and no slope";
    else
        *switches[which] = !*switches[which];
    s->palettes.filled[0] = s->palettes.filled[1] = false;
}

void show_describe(const show *s, double frames_per_second, char *text, size_t size) {
    const double joints = (double)s->scene.count * (double)s->scene.joints;
    int used = snprintf(text, size,
                        "%zu figures of %zu joints, %.1f frames/s\n"
                        "pose %.2f ms, %.1f million joints/s   draw %.2f ms\n"
                        "method %s   blends %s   levels %s   buffer %s\n"
                        "blend space %s   breathing %s   waving %s   swords %s\n"
                        "culling %s   slope %s\n"
                        "%s: %.60s",
                        s->scene.count, s->scene.joints, frames_per_second, s->pose_milliseconds,
                        1e-3 * joints / s->pose_milliseconds, s->drawing.milliseconds,
                        pm_method_get_info(s->scene.method)->name, s->scene.blends ? "on" : "off",
                        s->scene.levels ? "on" : "off", palette_way_names[s->palettes.way],
                        s->scene.layers.moves ? "on" : "off", s->scene.layers.breath ? "on" : "off",
                        s->scene.layers.wave ? "on" : "off", s->scene.swords ? "on" : "off",
                        s->scene.culls ? "on" : "off", s->scene.sloped ? "on" : "off",
                        s->on_reference ? "plain c, compared with" : "device", s->device.name);
    if (s->bits && used >= 0 && (size_t)used < size)
        used +=
            snprintf(text + used, size - (size_t)used, "\n%llu of %llu bits differ from the device",
                     (unsigned long long)s->bits_differ, (unsigned long long)s->bits);
    if (s->hint && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "\n%s", s->hint);
}
