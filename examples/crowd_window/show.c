/* SPDX-License-Identifier: MIT
 *
 * Failures, opening everything in order, and a frame.
 */
#define _POSIX_C_SOURCE 200809L

#include "show.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

_Noreturn void die(int code, const char *format, ...) {
    va_list values;
    fputs("crowd_window: ", stderr);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    exit(code);
}

void must(pm_status status, const pm_error *error) {
    if (status != PM_OK)
        die(status == PM_ERROR_NO_DEVICE || status == PM_ERROR_NO_PLATFORM ? EXIT_NO_DEVICE
                                                                           : EXIT_FAILED,
            "%s%s%s", error->message, error->hint ? "\n" : "", error->hint ? error->hint : "");
}

void *zeros(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        die(EXIT_FAILED, "out of memory");
    return memory;
}

double show_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void show_open(show *s, const options *o) {
    *s = (show){0};
    palettes_open(&s->palettes, o->device);
    scene_open(&s->scene, o->file, o->method, s->palettes.engine, o->count);
    s->scene.levels = o->levels;
    s->camera = camera_of(scene_radius(&s->scene));
    drawing_open(&s->drawing, &s->scene.mesh);
}

void show_close(show *s) {
    drawing_close(&s->drawing);
    scene_close(&s->scene);
    palettes_close(&s->palettes);
}

void show_set_count(show *s, size_t count) {
    scene_set_count(&s->scene, count);
    s->camera.distance = camera_of(scene_radius(&s->scene)).distance;
}

bool show_has_method(pm_method method) {
    const pm_method_info *info = pm_method_get_info(method);
    return !info->takes_axes && !info->takes_in_out;
}

void show_set_method(show *s, const options *o) {
    const scene before = s->scene;
    scene_close(&s->scene);
    scene_open(&s->scene, o->file, o->method, s->palettes.engine, before.count);
    s->scene.levels = before.levels;
    s->scene.unblended = before.unblended;
}

/* Each frame is finished before the next one begins: drawing takes no processor from posing. */
void show_frame(show *s, double seconds, int width, int height) {
    double eye[3];
    camera_eye(&s->camera, eye);
    scene_step(&s->scene, seconds, eye);
    const double begin = show_seconds();
    palettes_pose(&s->palettes, &s->scene);
    const double posed = show_seconds();
    drawing_frame(&s->drawing, &s->scene, &s->palettes, &s->camera, width, height);
    glFinish();
    s->pose_seconds = posed - begin;
    s->draw_seconds = show_seconds() - posed;
    if (s->compares)
        s->difference = palettes_compare(&s->palettes, &s->scene);
}

void show_describe(const show *s, double frames_per_second, char *text, size_t size) {
    const double joints = (double)s->scene.count * (double)s->scene.joints;
    pm_device_info device = {0};
    pm_engine_get_info(s->palettes.engine, &device, sizeof(pm_device_info));
    const int used = snprintf(
        text, size,
        "%zu figures of %zu joints, %.1f frames/s; posed in %.2f ms, %.1f million joints/s, drawn in "
        "%.2f ms; %s, %s, palettes %s, levels %s, blends %s",
        s->scene.count, s->scene.joints, frames_per_second, 1e3 * s->pose_seconds,
        1e-6 * joints / s->pose_seconds, 1e3 * s->draw_seconds,
        pm_method_get_info(s->scene.clips[0].method)->name, device.name,
        s->palettes.sharing ? "shared" : "copied", s->scene.levels ? "on" : "off",
        s->scene.unblended ? "off" : "on");
    if (s->compares && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "; %llu of %llu bits differ from plain C",
                 (unsigned long long)s->difference.differ, (unsigned long long)s->difference.bits);
}
