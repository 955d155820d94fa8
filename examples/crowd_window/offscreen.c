/* SPDX-License-Identifier: MIT
 *
 * EGL's platforms without windows, and multisampled renderbuffers.
 */
#include "offscreen.h"

#include <epoxy/egl.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "gl.h"

enum { DRAWN, RESOLVED }; /* framebuffers */
enum { COLOUR, DEPTH, RESOLVED_COLOUR, RENDERBUFFERS };

/* ---- the context -------------------------------------------------------------------------- */

static EGLDisplay initialised(EGLDisplay display) {
    return display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL) ? display
                                                                           : EGL_NO_DISPLAY;
}

/* Extension names begin after a space, and no other name continues these. */
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
        display = initialised(display_of(EGL_PLATFORM_DEVICE_EXT, device, NULL));
    if (display == EGL_NO_DISPLAY && strstr(known, "EGL_MESA_platform_surfaceless"))
        display = initialised(display_of(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL));
    return display;
}

pm_status offscreen_open(offscreen *o, pm_error *error) {
    static const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                        4,
                                        EGL_CONTEXT_MINOR_VERSION,
                                        3,
                                        EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                        EGL_NONE};
    *o = (offscreen){.display = find_display()};
    if (o->display == EGL_NO_DISPLAY)
        return fault(error, PM_ERROR_NO_DEVICE, "EGL has no display without a window system");
    o->context = EGL_NO_CONTEXT;
    if (eglBindAPI(EGL_OPENGL_API))
        o->context = eglCreateContext(o->display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    if (o->context != EGL_NO_CONTEXT &&
        eglMakeCurrent(o->display, EGL_NO_SURFACE, EGL_NO_SURFACE, o->context))
        return PM_OK;
    const unsigned code = (unsigned)eglGetError();
    offscreen_close(o);
    return fault(error, PM_ERROR_NO_DEVICE, "no context of OpenGL 4.3 core: EGL error 0x%04x",
                 code);
}

/* ---- the framebuffer ---------------------------------------------------------------------- */

static void attach(GLuint renderbuffer, GLenum format, GLenum point, int samples, int width,
                   int height) {
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, renderbuffer);
}

pm_status offscreen_size(offscreen *o, int width, int height, pm_error *error) {
    o->width = width;
    o->height = height;
    glGenFramebuffers(2, o->framebuffers);
    glGenRenderbuffers(RENDERBUFFERS, o->renderbuffers);
    glBindFramebuffer(GL_FRAMEBUFFER, o->framebuffers[RESOLVED]);
    attach(o->renderbuffers[RESOLVED_COLOUR], GL_RGBA8, GL_COLOR_ATTACHMENT0, 0, width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, o->framebuffers[DRAWN]);
    attach(o->renderbuffers[COLOUR], GL_RGBA8, GL_COLOR_ATTACHMENT0, 4, width, height);
    attach(o->renderbuffers[DEPTH], GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT, 4, width, height);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        return fault(error, PM_ERROR_DEVICE, "no framebuffer of %d by %d pixels", width, height);
    return gl_check("the framebuffer", error);
}

unsigned char *offscreen_pixels(offscreen *o) {
    unsigned char *pixels = malloc(3 * (size_t)o->width * (size_t)o->height);
    if (!pixels)
        return NULL;
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
