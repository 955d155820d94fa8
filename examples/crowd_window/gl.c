/* SPDX-License-Identifier: MIT
 *
 * What the context must have, and shaders.
 */
#include "gl.h"

#include "fault.h"

pm_status gl_check_context(pm_error *error) {
    const int version = epoxy_gl_version();
    GLint blocks = 0;
    if (version < 43)
        return fault(error, PM_ERROR_NO_DEVICE, "OpenGL %d.%d; expected 4.3 or newer", version / 10,
                     version % 10);
    glGetIntegerv(GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS, &blocks);
    if (blocks < 2)
        return fault(error, PM_ERROR_NO_DEVICE,
                     "vertex shaders have %d storage buffers; expected 2 or more", blocks);
    return PM_OK;
}

bool gl_has_storage(void) {
    return epoxy_gl_version() >= 44 || epoxy_has_gl_extension("GL_ARB_buffer_storage");
}

/* ---- shaders --------------------------------------------------------------------------- */

static bool attach(GLuint program, GLenum stage, const char *source, pm_error *error) {
    GLint compiled = 0;
    char log[400] = "";
    const GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (compiled) {
        glAttachShader(program, shader);
    } else {
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        fault(error, PM_ERROR_BUILD, "shader: %s", log);
    }
    glDeleteShader(shader); /* at the latest when its program is deleted */
    return compiled != 0;
}

static bool link_program(GLuint program, pm_error *error) {
    GLint linked = 0;
    char log[400] = "";
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!linked) {
        glGetProgramInfoLog(program, sizeof log, NULL, log);
        fault(error, PM_ERROR_BUILD, "program: %s", log);
    }
    return linked != 0;
}

GLuint gl_program(const char *vertex, const char *fragment, const char *captured, pm_error *error) {
    const GLuint program = glCreateProgram();
    bool good = attach(program, GL_VERTEX_SHADER, vertex, error) &&
                attach(program, GL_FRAGMENT_SHADER, fragment, error);
    if (good && captured)
        glTransformFeedbackVaryings(program, 1, &captured, GL_INTERLEAVED_ATTRIBS);
    if (good && link_program(program, error))
        return program;
    glDeleteProgram(program);
    return 0;
}

pm_status gl_check(const char *what, pm_error *error) {
    const GLenum code = glGetError();
    while (code != GL_NO_ERROR && glGetError() != GL_NO_ERROR)
        ;
    if (code == GL_NO_ERROR)
        return PM_OK;
    return fault(error, code == GL_OUT_OF_MEMORY ? PM_ERROR_DEVICE_MEMORY : PM_ERROR_DEVICE,
                 "%s: OpenGL error 0x%04x", what, code);
}
