/* SPDX-License-Identifier: MIT
 *
 * The window and its keys. The context is EGL's, because OpenGL's functions and the sharing with
 * OpenCL are found through EGL.
 */
#include "window.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fault.h"
#include "show.h"

static const char keys[] = "up, down: figures   b: blends   l: levels   m: method   w: buffer\n"
                           "layers   1: blend space   2: breathing   3: waving\n"
                           "4: swords   5: culling   6: slope\n"
                           "c: plain c   space: pause   left, right, +, -, mouse: camera\n"
                           "h: hide text   esc: end\n";

typedef struct window {
    GLFWwindow *handle;
    show show;
    bool paused, text;
    double x, y;          /* of the pointer */
    double frame_seconds; /* the mean of the last frames */
    pm_status status;
    pm_error *error; /* of the first key that failed */
} window;

/* ---- keys --------------------------------------------------------------------------------- */

/* 1, 2, 5, 10, 20, 50 ... */
static size_t next_count(size_t count, bool up) {
    size_t power = 1;
    while (10 * power <= count)
        power *= 10;
    const size_t first = count / power;
    if (up)
        count = first < 2 ? 2 * power : first < 5 ? 5 * power : 10 * power;
    else if (first < 2)
        count = power > 1 ? power / 2 : 1;
    else
        count = first < 5 ? power : 2 * power;
    return count < SCENE_MAX_COUNT ? count : SCENE_MAX_COUNT;
}

static pm_status change_method(show *s, pm_error *error) {
    s->bits = 0;
    return scene_set_method(&s->scene, model_next_method(s->scene.method), error);
}

static pm_status change_way(show *s, pm_error *error) {
    return show_set_way(s, (palette_way)((s->palettes.way + 1) % PALETTES_WAYS), error);
}

static void move_camera(window *w, int key) {
    camera *c = &w->show.camera;
    if (key == GLFW_KEY_LEFT || key == GLFW_KEY_RIGHT)
        c->turn += key == GLFW_KEY_LEFT ? -0.1 : 0.1;
    else if (key == GLFW_KEY_EQUAL || key == GLFW_KEY_KP_ADD)
        c->distance = fmax(1.5, 0.9 * c->distance);
    else if (key == GLFW_KEY_MINUS || key == GLFW_KEY_KP_SUBTRACT)
        c->distance = fmin(1000, c->distance / 0.9);
}

static pm_status press(window *w, int key) {
    show *s = &w->show;
    switch (key) {
    case GLFW_KEY_UP:
    case GLFW_KEY_DOWN:
        return show_set_count(s, next_count(s->scene.count, key == GLFW_KEY_UP), w->error);
    case GLFW_KEY_M:
        return change_method(s, w->error);
    case GLFW_KEY_W:
        return change_way(s, w->error);
    case GLFW_KEY_C:
        return show_set_reference(s, !s->on_reference, w->error);
    case GLFW_KEY_B:
        s->scene.blends = !s->scene.blends;
        break;
    case GLFW_KEY_1:
    case GLFW_KEY_2:
    case GLFW_KEY_3:
        show_switch_layer(s, key - GLFW_KEY_1);
        break;
    case GLFW_KEY_4:
    case GLFW_KEY_5:
    case GLFW_KEY_6:
        show_switch_part(s, key - GLFW_KEY_4);
        break;
    case GLFW_KEY_L:
        s->scene.levels = !s->scene.levels;
        break;
    case GLFW_KEY_SPACE:
        w->paused = !w->paused;
        break;
    case GLFW_KEY_H:
        w->text = !w->text;
        break;
    case GLFW_KEY_ESCAPE:
        glfwSetWindowShouldClose(w->handle, GLFW_TRUE);
        break;
    default:
        move_camera(w, key);
    }
    return PM_OK;
}

static void on_key(GLFWwindow *handle, int key, int code, int action, int mods) {
    window *w = glfwGetWindowUserPointer(handle);
    (void)code;
    (void)mods;
    if (action != GLFW_RELEASE && w->status == PM_OK)
        w->status = press(w, key);
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
    w->show.camera.distance = fmin(fmax(w->show.camera.distance * pow(0.9, y), 1.5), 1000);
}

/* ---- frames ------------------------------------------------------------------------------- */

static void draw_text(window *w, int width, int height) {
    char text[1024];
    const size_t used = sizeof keys - 1;
    memcpy(text, keys, sizeof keys);
    show_describe(&w->show, 1 / w->frame_seconds, text + used, sizeof text - used);
    overlay_draw(&w->show.overlay, text, width, height);
}

static pm_status run_frames(window *w) {
    pm_status status = PM_OK;
    double last = show_seconds();
    w->frame_seconds = 1.0 / 60;
    while (status == PM_OK && !glfwWindowShouldClose(w->handle)) {
        int width = 0, height = 0;
        const double now = show_seconds(), seconds = fmin(now - last, 0.1);
        w->frame_seconds += 0.1 * (now - last - w->frame_seconds);
        last = now;
        glfwGetFramebufferSize(w->handle, &width, &height);
        status = show_frame(&w->show, w->paused ? 0 : seconds, width > 0 ? width : 1,
                            height > 0 ? height : 1, w->error);
        if (status == PM_OK && w->text)
            draw_text(w, width, height);
        glfwSwapBuffers(w->handle);
        glfwPollEvents();
        status = status == PM_OK ? w->status : status;
    }
    return status;
}

/* ---- the window --------------------------------------------------------------------------- */

static pm_status fail_by_glfw(pm_error *error) {
    const char *reason = NULL;
    glfwGetError(&reason);
    return fault(error, PM_ERROR_NO_DEVICE, "no window: %.300s",
                 reason ? reason : "unknown reason");
}

static pm_status open_window(window *w, const options *o) {
    glfwWindowHint(GLFW_CONTEXT_CREATION_API, GLFW_EGL_CONTEXT_API);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_SAMPLES, 4);
    w->handle = glfwCreateWindow(o->width, o->height, "Posemill: a crowd", NULL, NULL);
    if (!w->handle)
        return fail_by_glfw(w->error);
    glfwMakeContextCurrent(w->handle);
    glfwSwapInterval(1);
    return show_open(&w->show, o, w->error);
}

pm_status window_run(const options *o, pm_error *error) {
    window w = {.text = true, .error = error};
    if (!glfwInit())
        return fail_by_glfw(error);
    pm_status status = open_window(&w, o);
    if (status == PM_OK) {
        glfwSetWindowUserPointer(w.handle, &w);
        glfwSetKeyCallback(w.handle, on_key);
        glfwSetCursorPosCallback(w.handle, on_pointer);
        glfwSetScrollCallback(w.handle, on_wheel);
        status = run_frames(&w);
        show_close(&w.show);
    }
    glfwTerminate(); /* destroys the window too */
    return status;
}
