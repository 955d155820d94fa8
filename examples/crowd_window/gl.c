/* SPDX-License-Identifier: MIT
 *
 * Loading of OpenGL's functions, and shaders.
 */
#include "gl.h"

#include <EGL/egl.h>
#include <stdio.h>
#include <string.h>

#include "fault.h"

gl_functions gl;

static bool has_extension(const char *name) {
    GLint count = 0;
    gl.GetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; i++)
        if (strcmp((const char *)gl.GetStringi(GL_EXTENSIONS, (GLuint)i), name) == 0)
            return true;
    return false;
}

static pm_status check_limits(pm_error *error) {
    GLint major = 0, minor = 0, blocks = 0;
    gl.GetIntegerv(GL_MAJOR_VERSION, &major);
    gl.GetIntegerv(GL_MINOR_VERSION, &minor);
    if (major < 4 || (major == 4 && minor < 3))
        return fault(error, PM_ERROR_NO_DEVICE, "OpenGL %d.%d; expected 4.3 or newer", major,
                     minor);
    gl.GetIntegerv(GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS, &blocks);
    if (blocks < 2)
        return fault(error, PM_ERROR_NO_DEVICE,
                     "vertex shaders have %d storage buffers; expected 2 or more", blocks);
    if ((major == 4 && minor >= 4) || major > 4 || has_extension("GL_ARB_buffer_storage"))
        gl.BufferStorage = (PFNGLBUFFERSTORAGEPROC)eglGetProcAddress("glBufferStorage");
    return PM_OK;
}

pm_status gl_load(pm_error *error) {
    memset(&gl, 0, sizeof gl);
#define GL_LOAD(type, name)                                                                        \
    gl.name = (type)eglGetProcAddress("gl" #name);                                                 \
    if (!gl.name)                                                                                  \
        return fault(error, PM_ERROR_NO_DEVICE, "OpenGL has no function gl" #name);
    GL_FUNCTIONS(GL_LOAD)
#undef GL_LOAD
    return check_limits(error);
}

/* ---- shaders --------------------------------------------------------------------------- */

static bool attach(GLuint program, GLenum stage, const char *source, pm_error *error) {
    GLint compiled = 0;
    char log[400] = "";
    const GLuint shader = gl.CreateShader(stage);
    gl.ShaderSource(shader, 1, &source, NULL);
    gl.CompileShader(shader);
    gl.GetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (compiled) {
        gl.AttachShader(program, shader);
    } else {
        gl.GetShaderInfoLog(shader, sizeof log, NULL, log);
        fault(error, PM_ERROR_BUILD, "shader: %s", log);
    }
    gl.DeleteShader(shader); /* at the latest when its program is deleted */
    return compiled != 0;
}

static bool link_program(GLuint program, pm_error *error) {
    GLint linked = 0;
    char log[400] = "";
    gl.LinkProgram(program);
    gl.GetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!linked) {
        gl.GetProgramInfoLog(program, sizeof log, NULL, log);
        fault(error, PM_ERROR_BUILD, "program: %s", log);
    }
    return linked != 0;
}

GLuint gl_program(const char *vertex, const char *fragment, const char *captured, pm_error *error) {
    const GLuint program = gl.CreateProgram();
    bool good = attach(program, GL_VERTEX_SHADER, vertex, error) &&
                attach(program, GL_FRAGMENT_SHADER, fragment, error);
    if (good && captured)
        gl.TransformFeedbackVaryings(program, 1, &captured, GL_INTERLEAVED_ATTRIBS);
    if (good && link_program(program, error))
        return program;
    gl.DeleteProgram(program);
    return 0;
}

pm_status gl_check(const char *what, pm_error *error) {
    const GLenum code = gl.GetError();
    while (code != GL_NO_ERROR && gl.GetError() != GL_NO_ERROR)
        ;
    if (code == GL_NO_ERROR)
        return PM_OK;
    return fault(error, code == GL_OUT_OF_MEMORY ? PM_ERROR_DEVICE_MEMORY : PM_ERROR_DEVICE,
                 "%s: OpenGL error 0x%04x", what, code);
}
