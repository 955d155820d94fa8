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
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, size, type, normalised, sizeof(vertex), (const void *)offset);
}

static void upload_mesh(drawing *d, const mesh *m) {
    glBindVertexArray(d->figure_array);
    glBindBuffer(GL_ARRAY_BUFFER, d->vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(m->vertex_count * sizeof *m->vertices), m->vertices,
                 GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, d->indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(m->index_count * sizeof *m->indices),
                 m->indices, GL_STATIC_DRAW);
    add_attribute(0, 3, GL_FLOAT, GL_FALSE, offsetof(vertex, position));
    add_attribute(1, 3, GL_FLOAT, GL_FALSE, offsetof(vertex, normal));
    add_attribute(2, 4, GL_FLOAT, GL_FALSE, offsetof(vertex, weights));
    glEnableVertexAttribArray(3);
    glVertexAttribIPointer(3, 4, GL_UNSIGNED_SHORT, sizeof(vertex),
                           (const void *)offsetof(vertex, joints));
    add_attribute(4, 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(vertex, colour));
    glBindVertexArray(0);
    d->vertex_count = m->vertex_count;
    d->index_count = m->index_count;
}

pm_status drawing_open(drawing *d, const scene *s, pm_error *error) {
    *d = (drawing){0};
    d->figure = gl_program(figure_vertex, figure_fragment, "skinned", error);
    d->sword = d->figure ? gl_program(sword_vertex, figure_fragment, NULL, error) : 0;
    d->ground = d->sword ? gl_program(ground_vertex, ground_fragment, NULL, error) : 0;
    d->shadow = d->ground ? gl_program(shadow_vertex, shadow_fragment, NULL, error) : 0;
    if (!d->shadow) {
        drawing_close(d);
        return error->status;
    }
    glGenVertexArrays(1, &d->figure_array);
    glGenVertexArrays(1, &d->no_array);
    glGenBuffers(1, &d->vertices);
    glGenBuffers(1, &d->indices);
    glGenBuffers(1, &d->places);
    glGenQueries(1, &d->query);
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
    glDeleteQueries(1, &d->query);
    glDeleteBuffers(3, buffers);
    glDeleteVertexArrays(2, arrays);
    glDeleteProgram(d->shadow);
    glDeleteProgram(d->ground);
    glDeleteProgram(d->sword);
    glDeleteProgram(d->figure);
    *d = (drawing){0};
}

/* ---- a frame ------------------------------------------------------------------------------ */

static void use(GLuint program, const scene *s, const float view[16], const double eye[3]) {
    const float at[3] = {(float)eye[0], (float)eye[1], (float)eye[2]};
    glUseProgram(program);
    glUniformMatrix4fv(glGetUniformLocation(program, "view"), 1, GL_FALSE, view);
    glUniform3fv(glGetUniformLocation(program, "eye"), 1, at); /* -1 is ignored */
    glUniform1f(glGetUniformLocation(program, "steepness"), (float)scene_steepness(s));
}

static void bind(const drawing *d, const scene *s, const palettes *p) {
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, d->places);
    glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)(s->count * sizeof *s->places), s->places,
                 GL_STREAM_DRAW);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, PALETTES, p->buffers[p->now]);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, PLACES, d->places);
}

static void draw_ground(const drawing *d, const scene *s, const float view[16],
                        const double eye[3]) {
    glBindVertexArray(d->no_array);
    use(d->ground, s, view, eye);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    use(d->shadow, s, view, eye);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)s->count);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
}

static void draw_figures(const drawing *d, const scene *s, const float view[16],
                         const double eye[3]) {
    glBindVertexArray(d->figure_array);
    use(d->figure, s, view, eye);
    glUniform1ui(glGetUniformLocation(d->figure, "joint_count"), (GLuint)s->joints);
    glDrawElementsInstanced(GL_TRIANGLES, (GLsizei)d->index_count, GL_UNSIGNED_INT, NULL,
                            (GLsizei)s->count);
}

static void draw_swords(const drawing *d, const scene *s, const float view[16],
                        const double eye[3]) {
    const size_t row = scene_hands_offset(s) / (4 * sizeof(float));
    if (!s->swords)
        return;
    glBindVertexArray(d->no_array);
    use(d->sword, s, view, eye);
    glUniform1ui(glGetUniformLocation(d->sword, "hands"), (GLuint)row);
    glDrawArraysInstanced(GL_TRIANGLES, 0, 2 * 36, (GLsizei)s->count);
}

/* The query is asked again when its result was read, so that nothing waits for it. */
static void read_query(drawing *d) {
    GLuint64 nanoseconds = 0, available = 0;
    if (!d->asked)
        return;
    glGetQueryObjectui64v(d->query, GL_QUERY_RESULT_AVAILABLE, &available);
    if (!available)
        return;
    glGetQueryObjectui64v(d->query, GL_QUERY_RESULT, &nanoseconds);
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
        glBeginQuery(GL_TIME_ELAPSED, d->query);
    glViewport(0, 0, width, height);
    glClearColor(0.86f, 0.90f, 0.94f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    bind(d, s, p);
    draw_ground(d, s, view, eye);
    draw_figures(d, s, view, eye);
    draw_swords(d, s, view, eye);
    if (asks)
        glEndQuery(GL_TIME_ELAPSED);
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
    glGenBuffers(1, &captured);
    glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, captured);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, (GLsizeiptr)bytes, NULL, GL_STATIC_READ);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, captured);
    bind(d, s, p);
    glBindVertexArray(d->figure_array);
    use(d->figure, s, nowhere, eye);
    glUniform1ui(glGetUniformLocation(d->figure, "joint_count"), (GLuint)s->joints);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArraysInstanced(GL_POINTS, 0, (GLsizei)d->vertex_count, (GLsizei)s->count);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, (GLsizeiptr)bytes, positions);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
    glDeleteBuffers(1, &captured);
    palettes_drawn(p);
    return gl_check("transform feedback", error);
}
