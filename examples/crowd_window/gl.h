/* SPDX-License-Identifier: MIT
 *
 * The functions of OpenGL 4.3 that this program calls, found through EGL, and helpers for programs
 * of shaders.
 */
#ifndef EXAMPLES_CROWD_WINDOW_GL_H
#define EXAMPLES_CROWD_WINDOW_GL_H

#include <GL/glcorearb.h>
#include <stdbool.h>

#include <posemill/posemill.h>

/* X(type, name without gl) */
#define GL_FUNCTIONS(X)                                                                            \
    X(PFNGLATTACHSHADERPROC, AttachShader)                                                         \
    X(PFNGLBEGINQUERYPROC, BeginQuery)                                                             \
    X(PFNGLBEGINTRANSFORMFEEDBACKPROC, BeginTransformFeedback)                                     \
    X(PFNGLBINDBUFFERPROC, BindBuffer)                                                             \
    X(PFNGLBINDBUFFERBASEPROC, BindBufferBase)                                                     \
    X(PFNGLBINDFRAMEBUFFERPROC, BindFramebuffer)                                                   \
    X(PFNGLBINDRENDERBUFFERPROC, BindRenderbuffer)                                                 \
    X(PFNGLBINDVERTEXARRAYPROC, BindVertexArray)                                                   \
    X(PFNGLBLENDFUNCPROC, BlendFunc)                                                               \
    X(PFNGLBLITFRAMEBUFFERPROC, BlitFramebuffer)                                                   \
    X(PFNGLBUFFERDATAPROC, BufferData)                                                             \
    X(PFNGLBUFFERSUBDATAPROC, BufferSubData)                                                       \
    X(PFNGLCHECKFRAMEBUFFERSTATUSPROC, CheckFramebufferStatus)                                     \
    X(PFNGLCLEARPROC, Clear)                                                                       \
    X(PFNGLCLEARCOLORPROC, ClearColor)                                                             \
    X(PFNGLCLIENTWAITSYNCPROC, ClientWaitSync)                                                     \
    X(PFNGLCOMPILESHADERPROC, CompileShader)                                                       \
    X(PFNGLCREATEPROGRAMPROC, CreateProgram)                                                       \
    X(PFNGLCREATESHADERPROC, CreateShader)                                                         \
    X(PFNGLDELETEBUFFERSPROC, DeleteBuffers)                                                       \
    X(PFNGLDELETEFRAMEBUFFERSPROC, DeleteFramebuffers)                                             \
    X(PFNGLDELETEPROGRAMPROC, DeleteProgram)                                                       \
    X(PFNGLDELETEQUERIESPROC, DeleteQueries)                                                       \
    X(PFNGLDELETERENDERBUFFERSPROC, DeleteRenderbuffers)                                           \
    X(PFNGLDELETESHADERPROC, DeleteShader)                                                         \
    X(PFNGLDELETESYNCPROC, DeleteSync)                                                             \
    X(PFNGLDELETEVERTEXARRAYSPROC, DeleteVertexArrays)                                             \
    X(PFNGLDEPTHMASKPROC, DepthMask)                                                               \
    X(PFNGLDISABLEPROC, Disable)                                                                   \
    X(PFNGLDRAWARRAYSPROC, DrawArrays)                                                             \
    X(PFNGLDRAWARRAYSINSTANCEDPROC, DrawArraysInstanced)                                           \
    X(PFNGLDRAWELEMENTSINSTANCEDPROC, DrawElementsInstanced)                                       \
    X(PFNGLENABLEPROC, Enable)                                                                     \
    X(PFNGLENABLEVERTEXATTRIBARRAYPROC, EnableVertexAttribArray)                                   \
    X(PFNGLENDQUERYPROC, EndQuery)                                                                 \
    X(PFNGLENDTRANSFORMFEEDBACKPROC, EndTransformFeedback)                                         \
    X(PFNGLFENCESYNCPROC, FenceSync)                                                               \
    X(PFNGLFINISHPROC, Finish)                                                                     \
    X(PFNGLFRAMEBUFFERRENDERBUFFERPROC, FramebufferRenderbuffer)                                   \
    X(PFNGLGENBUFFERSPROC, GenBuffers)                                                             \
    X(PFNGLGENFRAMEBUFFERSPROC, GenFramebuffers)                                                   \
    X(PFNGLGENQUERIESPROC, GenQueries)                                                             \
    X(PFNGLGENRENDERBUFFERSPROC, GenRenderbuffers)                                                 \
    X(PFNGLGENVERTEXARRAYSPROC, GenVertexArrays)                                                   \
    X(PFNGLGETBUFFERSUBDATAPROC, GetBufferSubData)                                                 \
    X(PFNGLGETERRORPROC, GetError)                                                                 \
    X(PFNGLGETINTEGER64VPROC, GetInteger64v)                                                       \
    X(PFNGLGETINTEGERVPROC, GetIntegerv)                                                           \
    X(PFNGLGETPROGRAMINFOLOGPROC, GetProgramInfoLog)                                               \
    X(PFNGLGETPROGRAMIVPROC, GetProgramiv)                                                         \
    X(PFNGLGETQUERYOBJECTUI64VPROC, GetQueryObjectui64v)                                           \
    X(PFNGLGETSHADERINFOLOGPROC, GetShaderInfoLog)                                                 \
    X(PFNGLGETSHADERIVPROC, GetShaderiv)                                                           \
    X(PFNGLGETSTRINGPROC, GetString)                                                               \
    X(PFNGLGETSTRINGIPROC, GetStringi)                                                             \
    X(PFNGLGETUNIFORMLOCATIONPROC, GetUniformLocation)                                             \
    X(PFNGLLINKPROGRAMPROC, LinkProgram)                                                           \
    X(PFNGLMAPBUFFERRANGEPROC, MapBufferRange)                                                     \
    X(PFNGLPIXELSTOREIPROC, PixelStorei)                                                           \
    X(PFNGLREADPIXELSPROC, ReadPixels)                                                             \
    X(PFNGLRENDERBUFFERSTORAGEMULTISAMPLEPROC, RenderbufferStorageMultisample)                     \
    X(PFNGLSHADERSOURCEPROC, ShaderSource)                                                         \
    X(PFNGLTRANSFORMFEEDBACKVARYINGSPROC, TransformFeedbackVaryings)                               \
    X(PFNGLUNIFORM1UIPROC, Uniform1ui)                                                             \
    X(PFNGLUNIFORM2FPROC, Uniform2f)                                                               \
    X(PFNGLUNIFORM2UIVPROC, Uniform2uiv)                                                           \
    X(PFNGLUNIFORM3FVPROC, Uniform3fv)                                                             \
    X(PFNGLUNIFORMMATRIX4FVPROC, UniformMatrix4fv)                                                 \
    X(PFNGLUSEPROGRAMPROC, UseProgram)                                                             \
    X(PFNGLVERTEXATTRIBDIVISORPROC, VertexAttribDivisor)                                           \
    X(PFNGLVERTEXATTRIBIPOINTERPROC, VertexAttribIPointer)                                         \
    X(PFNGLVERTEXATTRIBPOINTERPROC, VertexAttribPointer)                                           \
    X(PFNGLVIEWPORTPROC, Viewport)

typedef struct gl_functions {
#define GL_MEMBER(type, name) type name;
    GL_FUNCTIONS(GL_MEMBER)
#undef GL_MEMBER
    PFNGLBUFFERSTORAGEPROC BufferStorage; /* NULL: neither OpenGL 4.4 nor ARB_buffer_storage */
} gl_functions;

/* Of the context that is current; filled by gl_load. */
extern gl_functions gl;

/* Loads the functions of the context that is current. Refused: a version below 4.3, and drivers
 * without two storage buffers in vertex shaders. */
pm_status gl_load(pm_error *error);

/* Compiles and links. `captured` is the name of the output that transform feedback writes, or NULL.
 * On failure 0, with the driver's message. */
GLuint gl_program(const char *vertex, const char *fragment, const char *captured, pm_error *error);

/* A failure for each error that OpenGL recorded; `what` names the step. */
pm_status gl_check(const char *what, pm_error *error);

#endif
