/* SPDX-License-Identifier: MIT
 *
 * Failures, a frame, the window and its keys. The window's context is EGL's too, because OpenGL's functions
 * and the sharing with OpenCL are found through EGL.
 */
#define _POSIX_C_SOURCE 200809L
#define GLFW_INCLUDE_NONE

#include "show.h"

#include <GLFW/glfw3.h>
#include <math.h>
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
    char text[PM_ERROR_TEXT_SIZE];
    if (status == PM_OK)
        return;
    pm_error_text(error, PM_SPELLING_FIELD, text, sizeof text);
    die(status == PM_ERROR_NO_DEVICE || status == PM_ERROR_NO_PLATFORM ? EXIT_NO_DEVICE
                                                                       : EXIT_FAILED,
        "%s", text);
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
    scene_open(&s->scene, o->file, o->method, s->palettes.engine, o->count, o->flat);
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
    scene_open(&s->scene, o->file, o->method, s->palettes.engine, before.count, o->flat);
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
    pm_engine_get_info(s->palettes.engine, &device);
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

/* ---- the window and its keys -------------------------------------------------------------------- */

typedef struct window {
    GLFWwindow *handle;
    options options;
    show show;
    bool paused;
    double x, y; /* of the pointer */
} window;

static void zoom(camera *c, double factor) {
    c->distance = fmin(fmax(c->distance * factor, 1.5), 1000);
}

/* Doubles or halves the number of figures, as far as their palettes fit. */
static void change_count(show *s, bool up) {
    const size_t now = s->scene.count,
                 most = palettes_most_bytes() / (scene_bytes(&s->scene) / now);
    const size_t count = up ? 2 * now : now / 2;
    if (count > 0 && count <= most && count <= SCENE_MAX_COUNT)
        show_set_count(s, count);
}

static void change_method(window *w) {
    do
        w->options.method = (pm_method)(((size_t)w->options.method + 1) % pm_method_count());
    while (!show_has_method(w->options.method));
    show_set_method(&w->show, &w->options);
}

static void press(window *w, int key) {
    camera *c = &w->show.camera;
    scene *s = &w->show.scene;
    if (key == GLFW_KEY_UP || key == GLFW_KEY_DOWN)
        change_count(&w->show, key == GLFW_KEY_UP);
    else if (key == GLFW_KEY_L)
        s->levels = !s->levels && !w->show.compares;
    else if (key == GLFW_KEY_C)
        w->show.compares = !w->show.compares, s->levels = false;
    else if (key == GLFW_KEY_B)
        s->unblended = !s->unblended;
    else if (key == GLFW_KEY_M)
        change_method(w);
    else if (key == GLFW_KEY_SPACE)
        w->paused = !w->paused;
    else if (key == GLFW_KEY_ESCAPE)
        glfwSetWindowShouldClose(w->handle, GLFW_TRUE);
    else if (key == GLFW_KEY_LEFT || key == GLFW_KEY_RIGHT)
        c->turn += key == GLFW_KEY_LEFT ? -0.1 : 0.1;
    else if (key == GLFW_KEY_EQUAL || key == GLFW_KEY_KP_ADD)
        zoom(c, 0.9);
    else if (key == GLFW_KEY_MINUS || key == GLFW_KEY_KP_SUBTRACT)
        zoom(c, 1 / 0.9);
}

static void on_key(GLFWwindow *handle, int key, int code, int action, int mods) {
    (void)code;
    (void)mods;
    if (action != GLFW_RELEASE)
        press(glfwGetWindowUserPointer(handle), key);
}

static void on_pointer(GLFWwindow *handle, double x, double y) {
    window *w = glfwGetWindowUserPointer(handle);
    if (glfwGetMouseButton(handle, GLFW_MOUSE_BUTTON_LEFT) == GLFW_PRESS) {
        w->show.camera.turn -= 0.005 * (x - w->x);
        w->show.camera.rise = fmin(fmax(w->show.camera.rise + 0.005 * (y - w->y), 0.01), 1.5);
    }
    w->x = x;
    w->y = y;
}

static void on_wheel(GLFWwindow *handle, double x, double y) {
    window *w = glfwGetWindowUserPointer(handle);
    (void)x;
    zoom(&w->show.camera, pow(0.9, y));
}

/* ---- the window --------------------------------------------------------------------------------- */

static void open_window(window *w, const options *o) {
    const char *reason = NULL;
    if (glfwInit()) {
        glfwWindowHint(GLFW_CONTEXT_CREATION_API, GLFW_EGL_CONTEXT_API);
        glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
        glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
        glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
        glfwWindowHint(GLFW_SAMPLES, 4);
        w->handle = glfwCreateWindow(o->width, o->height, "Posemill: a crowd", NULL, NULL);
    }
    if (!w->handle)
        die(EXIT_NO_DEVICE, "no window: %s", glfwGetError(&reason) ? reason : "unknown reason");
    glfwMakeContextCurrent(w->handle);
    if (gl_lacks())
        die(EXIT_NO_DEVICE, "%s", gl_lacks());
    glfwSwapInterval(1);
    glfwSetWindowUserPointer(w->handle, w);
    glfwSetKeyCallback(w->handle, on_key);
    glfwSetCursorPosCallback(w->handle, on_pointer);
    glfwSetScrollCallback(w->handle, on_wheel);
}

/* The title is written twice a second. */
static void show_frames(window *w) {
    double last = show_seconds(), told = last;
    int frames = 0;
    while (!glfwWindowShouldClose(w->handle)) {
        int width = 0, height = 0;
        const double now = show_seconds(), seconds = fmin(now - last, 0.1);
        last = now;
        glfwGetFramebufferSize(w->handle, &width, &height);
        show_frame(&w->show, w->paused ? 0 : seconds, width > 0 ? width : 1,
                   height > 0 ? height : 1);
        glfwSwapBuffers(w->handle);
        frames++;
        if (now - told > 0.5) {
            char title[512];
            show_describe(&w->show, frames / (now - told), title, sizeof title);
            glfwSetWindowTitle(w->handle, title);
            told = now;
            frames = 0;
        }
        glfwPollEvents();
    }
}

void window_run(const options *o) {
    window w = {.options = *o};
    open_window(&w, o);
    show_open(&w.show, o);
    show_frames(&w);
    show_close(&w.show);
    glfwTerminate(); /* destroys the window too */
}
