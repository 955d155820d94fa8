/* SPDX-License-Identifier: MIT
 *
 * Shaders, EGL's platforms without windows, and multisampled renderbuffers.
 */
#define _POSIX_C_SOURCE 200809L

#include "show.h"

#include <epoxy/egl.h>
#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DRAWN, RESOLVED }; /* framebuffers */
enum { COLOUR, DEPTH, RESOLVED_COLOUR, RENDERBUFFERS };

const char *gl_lacks(void) {
    GLint blocks = 0;
    if (epoxy_gl_version() < 43)
        return "OpenGL is older than 4.3";
    glGetIntegerv(GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS, &blocks);
    return blocks < 2 ? "vertex shaders have less than 2 storage buffers" : NULL;
}

void gl_check(const char *what) {
    const GLenum code = glGetError();
    if (code != GL_NO_ERROR)
        die(EXIT_FAILED, "%s: OpenGL error 0x%04x", what, code);
}

/* ---- shaders ------------------------------------------------------------------------------------ */

static void attach(GLuint program, GLenum stage, const char *source) {
    GLint compiled = 0;
    char log[400] = "";
    const GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    if (!compiled)
        die(EXIT_FAILED, "shader: %s", log);
    glAttachShader(program, shader);
    glDeleteShader(shader); /* when its program is deleted */
}

GLuint gl_program(const char *vertices, const char *fragments, const char *captured) {
    const GLuint program = glCreateProgram();
    GLint linked = 0;
    char log[400] = "";
    attach(program, GL_VERTEX_SHADER, vertices);
    attach(program, GL_FRAGMENT_SHADER, fragments);
    if (captured)
        glTransformFeedbackVaryings(program, 1, &captured, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    if (!linked)
        die(EXIT_FAILED, "program of shaders: %s", log);
    return program;
}

/* ---- without a display -------------------------------------------------------------------------- */

/* No other name of an extension continues these. */
static EGLDisplay find_display(void) {
    const char *known = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    const PFNEGLGETPLATFORMDISPLAYEXTPROC display_of =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    const PFNEGLQUERYDEVICESEXTPROC query_devices =
        (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLDeviceEXT device;
    EGLint count = 0;
    if (!known || !display_of)
        return EGL_NO_DISPLAY;
    if (strstr(known, "EGL_EXT_platform_device") && query_devices &&
        query_devices(1, &device, &count) && count > 0)
        display = display_of(EGL_PLATFORM_DEVICE_EXT, device, NULL);
    if (!eglInitialize(display, NULL, NULL) && strstr(known, "EGL_MESA_platform_surfaceless"))
        display = display_of(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    return display;
}

static void attach_buffer(GLuint renderbuffer, GLenum format, GLenum point, int samples,
                          const offscreen *o) {
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, o->width, o->height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, renderbuffer);
}

/* With four samples per pixel. */
static void make_framebuffer(offscreen *o) {
    glGenFramebuffers(2, o->framebuffers);
    glGenRenderbuffers(RENDERBUFFERS, o->renderbuffers);
    glBindFramebuffer(GL_FRAMEBUFFER, o->framebuffers[RESOLVED]);
    attach_buffer(o->renderbuffers[RESOLVED_COLOUR], GL_RGBA8, GL_COLOR_ATTACHMENT0, 0, o);
    glBindFramebuffer(GL_FRAMEBUFFER, o->framebuffers[DRAWN]);
    attach_buffer(o->renderbuffers[COLOUR], GL_RGBA8, GL_COLOR_ATTACHMENT0, 4, o);
    attach_buffer(o->renderbuffers[DEPTH], GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT, 4, o);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        die(EXIT_FAILED, "no framebuffer of %d by %d pixels", o->width, o->height);
    gl_check("the framebuffer");
}

const char *offscreen_open(offscreen *o, int width, int height) {
    static const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 3,
                                     EGL_NONE};
    *o = (offscreen){find_display(), EGL_NO_CONTEXT, .width = width, .height = height};
    if (!eglInitialize(o->display, NULL, NULL))
        return "EGL has no display without a window system";
    if (eglBindAPI(EGL_OPENGL_API))
        o->context = eglCreateContext(o->display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
    if (o->context == EGL_NO_CONTEXT ||
        !eglMakeCurrent(o->display, EGL_NO_SURFACE, EGL_NO_SURFACE, o->context))
        return "EGL has no context of OpenGL 4.3 core";
    if (!gl_lacks())
        make_framebuffer(o);
    return gl_lacks();
}

/* Red, green and blue, a byte each, the lowest row first. */
static unsigned char *read_pixels(const offscreen *o) {
    unsigned char *pixels = zeros(3 * (size_t)o->width * (size_t)o->height, 1);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, o->framebuffers[DRAWN]);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, o->framebuffers[RESOLVED]);
    glBlitFramebuffer(0, 0, o->width, o->height, 0, 0, o->width, o->height, GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, o->framebuffers[RESOLVED]);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, o->width, o->height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
    glBindFramebuffer(GL_FRAMEBUFFER, o->framebuffers[DRAWN]);
    return pixels;
}

/* A file is written beside the one it replaces. A device or a link is opened itself, and never removed. */
void offscreen_write(offscreen *o, const char *path) {
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)o->width,
                       .height = (png_uint_32)o->height,
                       .format = PNG_FORMAT_RGB};
    struct stat found;
    const bool in_place = lstat(path, &found) == 0 && !S_ISREG(found.st_mode);
    char *name = zeros(strlen(path) + sizeof ".part", 1);
    unsigned char *pixels = read_pixels(o);
    strcat(strcpy(name, path), in_place ? "" : ".part");
    FILE *file = fopen(name, in_place ? "wb" : "wbx");
    if (!file)
        die(EXIT_FAILED, "%s: %s", name, strerror(errno));
    /* A negative stride: the first row is the lowest. */
    const bool encoded =
        png_image_write_to_stdio(&image, file, 0, pixels, -3 * o->width, NULL) != 0;
    errno = 0;
    const bool closed = fclose(file) == 0;
    if (!encoded || !closed || (!in_place && rename(name, path) != 0)) {
        const int reason = errno;
        if (!in_place)
            remove(name);
        die(EXIT_FAILED, "%s: %s", path, encoded ? strerror(reason) : image.message);
    }
    free(pixels);
    free(name);
}

/* The display is not terminated: a process has one of its kind, which others may be using. */
void offscreen_close(offscreen *o) {
    if (o->framebuffers[DRAWN]) {
        glDeleteFramebuffers(2, o->framebuffers);
        glDeleteRenderbuffers(RENDERBUFFERS, o->renderbuffers);
    }
    if (o->display != EGL_NO_DISPLAY) {
        eglMakeCurrent(o->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (o->context != EGL_NO_CONTEXT)
            eglDestroyContext(o->display, o->context);
        eglReleaseThread();
    }
    *o = (offscreen){0};
}
