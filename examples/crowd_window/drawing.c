/* SPDX-License-Identifier: MIT
 *
 * Buffers of the mesh, programs, and the commands of a frame.
 */
#include "drawing.h"

#include <stddef.h>

#include "fault.h"
#include "shaders.h"

enum { PALETTES = 0, PLACES = 1 }; /* bindings of storage buffers */

static void add_attribute(GLuint index, GLint size, GLenum type, GLboolean normalised,
                          size_t offset) {
    gl.EnableVertexAttribArray(index);
    gl.VertexAttribPointer(index, size, type, normalised, sizeof(vertex), (const void *)offset);
}

static void upload_mesh(drawing *d, const mesh *m) {
    gl.BindVertexArray(d->figure_array);
    gl.BindBuffer(GL_ARRAY_BUFFER, d->vertices);
    gl.BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(m->vertex_count * sizeof *m->vertices), m->vertices,
                  GL_STATIC_DRAW);
    gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, d->indices);
    gl.BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(m->index_count * sizeof *m->indices),
                  m->indices, GL_STATIC_DRAW);
    add_attribute(0, 3, GL_FLOAT, GL_FALSE, offsetof(vertex, position));
    add_attribute(1, 3, GL_FLOAT, GL_FALSE, offsetof(vertex, normal));
    add_attribute(2, 4, GL_FLOAT, GL_FALSE, offsetof(vertex, weights));
    gl.EnableVertexAttribArray(3);
    gl.VertexAttribIPointer(3, 4, GL_UNSIGNED_SHORT, sizeof(vertex),
                            (const void *)offsetof(vertex, joints));
    add_attribute(4, 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(vertex, colour));
    gl.BindVertexArray(0);
    d->vertex_count = m->vertex_count;
    d->index_count = m->index_count;
}

pm_status drawing_open(drawing *d, const scene *s, pm_error *error) {
    *d = (drawing){0};
    d->figure = gl_program(figure_vertex, figure_fragment, "skinned", error);
    d->ground = d->figure ? gl_program(ground_vertex, ground_fragment, NULL, error) : 0;
    d->shadow = d->ground ? gl_program(shadow_vertex, shadow_fragment, NULL, error) : 0;
    if (!d->shadow) {
        drawing_close(d);
        return error->status;
    }
    gl.GenVertexArrays(1, &d->figure_array);
    gl.GenVertexArrays(1, &d->no_array);
    gl.GenBuffers(1, &d->vertices);
    gl.GenBuffers(1, &d->indices);
    gl.GenBuffers(1, &d->places);
    gl.GenQueries(1, &d->query);
    upload_mesh(d, &s->mesh);
    const pm_status status = gl_check("the mesh", error);
    if (status != PM_OK)
        drawing_close(d);
    return status;
}

/* Names that are 0 are ignored by OpenGL. */
void drawing_close(drawing *d) {
    const GLuint buffers[] = {d->vertices, d->indices, d->places};
    const GLuint arrays[] = {d->figure_array, d->no_array};
    gl.DeleteQueries(1, &d->query);
    gl.DeleteBuffers(3, buffers);
    gl.DeleteVertexArrays(2, arrays);
    gl.DeleteProgram(d->shadow);
    gl.DeleteProgram(d->ground);
    gl.DeleteProgram(d->figure);
    *d = (drawing){0};
}

/* ---- a frame ------------------------------------------------------------------------------ */

static void use(GLuint program, const float view[16], const double eye[3]) {
    const float at[3] = {(float)eye[0], (float)eye[1], (float)eye[2]};
    gl.UseProgram(program);
    gl.UniformMatrix4fv(gl.GetUniformLocation(program, "view"), 1, GL_FALSE, view);
    gl.Uniform3fv(gl.GetUniformLocation(program, "eye"), 1, at); /* -1 is ignored */
}

static void bind(const drawing *d, const scene *s, const palettes *p) {
    gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, d->places);
    gl.BufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)(s->count * sizeof *s->places), s->places,
                  GL_STREAM_DRAW);
    gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, PALETTES, p->buffers[p->now]);
    gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, PLACES, d->places);
}

static void draw_ground(const drawing *d, const scene *s, const float view[16],
                        const double eye[3]) {
    gl.BindVertexArray(d->no_array);
    use(d->ground, view, eye);
    gl.DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    gl.Enable(GL_BLEND);
    gl.BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    gl.DepthMask(GL_FALSE);
    use(d->shadow, view, eye);
    gl.DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)s->count);
    gl.DepthMask(GL_TRUE);
    gl.Disable(GL_BLEND);
}

static void draw_figures(const drawing *d, const scene *s, const float view[16],
                         const double eye[3]) {
    gl.BindVertexArray(d->figure_array);
    use(d->figure, view, eye);
    gl.Uniform1ui(gl.GetUniformLocation(d->figure, "joint_count"), (GLuint)s->joints);
    gl.DrawElementsInstanced(GL_TRIANGLES, (GLsizei)d->index_count, GL_UNSIGNED_INT, NULL,
                             (GLsizei)s->count);
}

/* The query is asked again when its result was read, so that nothing waits for it. */
static void read_query(drawing *d) {
    GLuint64 nanoseconds = 0, available = 0;
    if (!d->asked)
        return;
    gl.GetQueryObjectui64v(d->query, GL_QUERY_RESULT_AVAILABLE, &available);
    if (!available)
        return;
    gl.GetQueryObjectui64v(d->query, GL_QUERY_RESULT, &nanoseconds);
    d->milliseconds = 1e-6 * (double)nanoseconds;
    d->asked = false;
}

void drawing_frame(drawing *d, const scene *s, palettes *p, const camera *c, int width,
                   int height) {
    float view[16];
    double eye[3];
    camera_matrix(c, (double)width / height, view);
    camera_eye(c, eye);
    read_query(d);
    const bool asks = !d->asked;
    if (asks)
        gl.BeginQuery(GL_TIME_ELAPSED, d->query);
    gl.Viewport(0, 0, width, height);
    gl.ClearColor(0.86f, 0.90f, 0.94f, 1.0f);
    gl.Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    gl.Enable(GL_DEPTH_TEST);
    bind(d, s, p);
    draw_ground(d, s, view, eye);
    draw_figures(d, s, view, eye);
    if (asks)
        gl.EndQuery(GL_TIME_ELAPSED);
    d->asked = true;
    palettes_drawn(p);
}

/* ---- what the vertex shader computed -------------------------------------------------------- */

/* Each vertex once, as a point, in the order of the mesh. */
pm_status drawing_positions(drawing *d, const scene *s, palettes *p, float *positions,
                            pm_error *error) {
    const size_t bytes = s->count * d->vertex_count * 3 * sizeof *positions;
    const float nowhere[16] = {0};
    const double eye[3] = {0};
    GLuint captured = 0;
    gl.GenBuffers(1, &captured);
    gl.BindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, captured);
    gl.BufferData(GL_TRANSFORM_FEEDBACK_BUFFER, (GLsizeiptr)bytes, NULL, GL_STATIC_READ);
    gl.BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, captured);
    bind(d, s, p);
    gl.BindVertexArray(d->figure_array);
    use(d->figure, nowhere, eye);
    gl.Uniform1ui(gl.GetUniformLocation(d->figure, "joint_count"), (GLuint)s->joints);
    gl.Enable(GL_RASTERIZER_DISCARD);
    gl.BeginTransformFeedback(GL_POINTS);
    gl.DrawArraysInstanced(GL_POINTS, 0, (GLsizei)d->vertex_count, (GLsizei)s->count);
    gl.EndTransformFeedback();
    gl.Disable(GL_RASTERIZER_DISCARD);
    gl.GetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, (GLsizeiptr)bytes, positions);
    gl.BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
    gl.DeleteBuffers(1, &captured);
    palettes_drawn(p);
    return gl_check("transform feedback", error);
}
