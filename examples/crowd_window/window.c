/* SPDX-License-Identifier: MIT
 *
 * The window and its keys. The context is EGL's, because OpenGL's functions and the sharing with
 * OpenCL are found through EGL.
 */
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <math.h>

#include "show.h"

typedef struct window {
    GLFWwindow *handle;
    options options;
    show show;
    bool paused;
    double x, y; /* of the pointer */
} window;

/* ---- keys --------------------------------------------------------------------------------------- */

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

static void fail(void) {
    const char *reason = NULL;
    glfwGetError(&reason);
    die(EXIT_NO_DEVICE, "no window: %s", reason ? reason : "unknown reason");
}

static void open_window(window *w, const options *o) {
    if (!glfwInit())
        fail();
    glfwWindowHint(GLFW_CONTEXT_CREATION_API, GLFW_EGL_CONTEXT_API);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_SAMPLES, 4);
    w->handle = glfwCreateWindow(o->width, o->height, "Posemill: a crowd", NULL, NULL);
    if (!w->handle)
        fail();
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
static void run_frames(window *w) {
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
    run_frames(&w);
    show_close(&w.show);
    glfwTerminate(); /* destroys the window too */
}
