/* SPDX-License-Identifier: MIT
 *
 * The camera, shaders in GLSL 4.30, buffers of the mesh, and the commands of a frame.
 */
#include "show.h"

#include <math.h>
#include <stddef.h>

/* ---- the camera ----------------------------------------------------------------------------------- */

static const double target_height = 0.9; /* metres: the camera looks at the hips of the middle */
static const double field = 0.7;         /* radians from the lower to the upper edge */
static const double nearest = 0.2, farthest = 1500;

/* Above those who change from walk to run, and above the hills. */
camera camera_of(double radius) {
    const double distance = 6 + 0.62 * radius;
    return (camera){.turn = 0.6, .rise = fmin(0.3, 9.5 / distance), .distance = distance};
}

void camera_eye(const camera *c, double eye[3]) {
    eye[0] = c->distance * cos(c->rise) * sin(c->turn);
    eye[1] = c->distance * sin(c->rise) + target_height;
    eye[2] = c->distance * cos(c->rise) * cos(c->turn);
}

/* From the world to clip space, column by column. `aspect` is width by height. */
static void make_view(const camera *c, const double eye[3], double aspect, float matrix[16]) {
    /* rows of the rotation from the world to the camera, which looks along its -z */
    const double rows[3][3] = {
        {cos(c->turn), 0, -sin(c->turn)},
        {-sin(c->rise) * sin(c->turn), cos(c->rise), -sin(c->rise) * cos(c->turn)},
        {cos(c->rise) * sin(c->turn), sin(c->rise), cos(c->rise) * cos(c->turn)}};
    const double zoom = 1 / tan(field / 2), deep = (farthest + nearest) / (nearest - farthest);
    const double shift = 2 * farthest * nearest / (nearest - farthest);
    const double factors[4] = {zoom / aspect, zoom, deep, -1};
    for (int i = 0; i < 4; i++) {
        const double *r = rows[i < 3 ? i : 2];
        for (int column = 0; column < 3; column++)
            matrix[4 * column + i] = (float)(factors[i] * r[column]);
        matrix[12 + i] = (float)(-factors[i] * (r[0] * eye[0] + r[1] * eye[1] + r[2] * eye[2]) +
                                 (i == 2 ? shift : 0));
    }
}

/* ---- shaders -------------------------------------------------------------------------------------- */

/* Binding 0 has the palettes, 3 rows of 4 for each joint of each instance; binding 1 has a place for each
 * instance, as in show.h. Both are std430. */
#define VERSION "#version 430 core\n"

#define PLACE_OF                                                                                   \
    "struct Place { vec4 position; vec4 turn; vec4 slope; };\n"                                    \
    "layout(std430, binding = 1) readonly buffer Places { Place places[]; };\n"                    \
    "vec3 turned(Place p, vec3 v) {\n"                                                             \
    "    return vec3(p.turn.y * v.x + p.turn.x * v.z, v.y, p.turn.y * v.z - p.turn.x * v.x);\n"    \
    "}\n"

#define SKY "const vec3 sky = vec3(0.86, 0.90, 0.94);\n"

/* Skins a vertex of an instance with its palette. `skinned` is its position in the world. */
static const char figure_vertex[] = VERSION PLACE_OF
    "layout(std430, binding = 0) readonly buffer Palettes { vec4 rows[]; };\n"
    "layout(location = 0) in vec3 position;\n"
    "layout(location = 1) in vec3 normal;\n"
    "layout(location = 2) in vec4 weights;\n"
    "layout(location = 3) in vec4 joints;\n"
    "layout(location = 4) in vec4 colour;\n"
    "uniform mat4 view;\n"
    "uniform uint joint_count;\n"
    "out vec3 skinned;\n"
    "out vec3 skinned_normal;\n"
    "out vec3 shade;\n"
    "const vec3 kinds[5] = vec3[5](vec3(0.25, 0.47, 0.80), vec3(0.55, 0.36, 0.70),\n"
    "                              vec3(0.82, 0.29, 0.25), vec3(0.93, 0.60, 0.16),\n"
    "                              vec3(0.27, 0.62, 0.42));\n"
    "vec4 row(uint instance, uint r) {\n"
    "    uvec4 at = 3u * (instance * joint_count + uvec4(joints)) + r;\n"
    "    return weights.x * rows[at.x] + weights.y * rows[at.y] + weights.z * rows[at.z] +\n"
    "           weights.w * rows[at.w];\n"
    "}\n"
    "void main() {\n"
    "    uint instance = uint(gl_InstanceID);\n"
    "    Place p = places[instance];\n"
    "    mat4 rows_mixed = mat4(row(instance, 0u), row(instance, 1u), row(instance, 2u),\n"
    "                           vec4(0.0, 0.0, 0.0, 1.0));\n"
    "    vec3 moved = (vec4(position, 1.0) * rows_mixed).xyz;\n"
    "    skinned = p.position.xyz + p.position.w * turned(p, moved);\n"
    "    skinned_normal = turned(p, (vec4(normalize(normal), 0.0) * rows_mixed).xyz);\n"
    "    shade = mix(colour.rgb, kinds[uint(p.turn.z)], colour.a);\n"
    "    gl_Position = view * vec4(skinned, 1.0);\n"
    "}\n";

static const char figure_fragment[] =
    VERSION SKY "in vec3 skinned;\n"
                "in vec3 skinned_normal;\n"
                "in vec3 shade;\n"
                "uniform vec3 eye;\n"
                "out vec4 colour;\n"
                "void main() {\n"
                "    vec3 n = normalize(skinned_normal);\n"
                "    float sun = max(dot(n, normalize(vec3(0.5, 0.8, 0.35))), 0.0);\n"
                "    vec3 lit = shade * (0.42 + 0.16 * n.y + 0.62 * sun);\n"
                "    float haze = 1.0 - exp(-distance(eye, skinned) / 160.0);\n"
                "    colour = vec4(mix(lit, sky, haze), 1.0);\n"
                "}\n";

/* A plane, or with columns the two triangles of each cell of a height field: binding 2 has the heights. */
static const char ground_vertex[] = VERSION
    "layout(std430, binding = 2) readonly buffer Heights { float heights[]; };\n"
    "uniform mat4 view;\n"
    "uniform vec3 field;\n"
    "uniform int columns;\n"
    "out vec3 at;\n"
    "void main() {\n"
    "    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;\n"
    "    at = vec3(900.0 * corner.x, -0.05, 900.0 * corner.y);\n"
    "    if (columns > 0) {\n"
    "        int cell = gl_VertexID / 6, k = int[6](0, 1, 2, 2, 1, 3)[gl_VertexID % 6];\n"
    "        int column = cell % (columns - 1) + (k & 1), row = cell / (columns - 1) + (k >> 1);\n"
    "        at = vec3(field.xy + field.z * vec2(column, row), heights[row * columns + column]).xzy;\n"
    "    }\n"
    "    gl_Position = view * vec4(at, 1.0);\n"
    "}\n";

/* Squares of two metres, which fade into their mean where they are smaller than a pixel. */
static const char ground_fragment[] = VERSION SKY
    "in vec3 at;\n"
    "uniform vec3 eye;\n"
    "out vec4 colour;\n"
    "void main() {\n"
    "    vec2 square = floor(at.xz / 2.0);\n"
    "    float size = max(length(fwidth(at.xz)) / 2.0, 1e-6);\n"
    "    float odd = mix(mod(square.x + square.y, 2.0), 0.5, clamp(size, 0.0, 1.0));\n"
    "    vec3 floor_colour = mix(vec3(0.66, 0.72, 0.62), vec3(0.72, 0.78, 0.68), odd);\n"
    "    vec3 n = normalize(cross(dFdy(at), dFdx(at)));\n"
    "    n = n.y < 0.0 ? -n : n;\n"
    "    float sun = dot(n, normalize(vec3(0.5, 0.8, 0.35))) - 0.81;\n"
    "    float haze = 1.0 - exp(-distance(eye, at) / 160.0);\n"
    "    colour = vec4(mix((1.0 + 1.6 * sun) * floor_colour, sky, haze), 1.0);\n"
    "}\n";

/* What all look at. */
static const char point_vertex[] = VERSION "uniform mat4 view;\n"
                                           "uniform vec3 at;\n"
                                           "uniform float size;\n"
                                           "void main() {\n"
                                           "    gl_Position = view * vec4(at, 1.0);\n"
                                           "    gl_PointSize = size / gl_Position.w;\n"
                                           "}\n";

static const char point_fragment[] = VERSION "out vec4 colour;\n"
                                             "void main() {\n"
                                             "    if (length(gl_PointCoord - 0.5) > 0.5)\n"
                                             "        discard;\n"
                                             "    colour = vec4(0.98, 0.78, 0.12, 1.0);\n"
                                             "}\n";

static const char shadow_vertex[] =
    VERSION PLACE_OF "uniform mat4 view;\n"
                     "out vec2 across;\n"
                     "void main() {\n"
                     "    across = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;\n"
                     "    Place p = places[gl_InstanceID];\n"
                     "    vec3 at = turned(p, 0.55 * vec3(across.x, 0.0, across.y));\n"
                     "    at.y = p.slope.z + dot(at.xz, p.slope.xy) + 0.04;\n"
                     "    at.xz += p.position.xz;\n"
                     "    gl_Position = view * vec4(at, 1.0);\n"
                     "}\n";

static const char shadow_fragment[] =
    VERSION "in vec2 across;\n"
            "out vec4 colour;\n"
            "void main() {\n"
            "    colour = vec4(0.0, 0.0, 0.05, 0.45 * smoothstep(1.0, 0.1, length(across)));\n"
            "}\n";

/* ---- objects -------------------------------------------------------------------------------------- */

enum { PALETTES = 0, PLACES = 1, HEIGHTS = 2 }; /* bindings of storage buffers */

static void add_attribute(GLuint index, GLint size, GLenum type, GLboolean normalised,
                          size_t offset) {
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, size, type, normalised, sizeof(vertex), (const void *)offset);
}

void drawing_open(drawing *d, const mesh *m) {
    d->figure = gl_program(figure_vertex, figure_fragment, "skinned");
    d->ground = gl_program(ground_vertex, ground_fragment, NULL);
    d->shadow = gl_program(shadow_vertex, shadow_fragment, NULL);
    d->point = gl_program(point_vertex, point_fragment, NULL);
    glGenVertexArrays(1, &d->figure_array);
    glGenBuffers(1, &d->vertices);
    glGenBuffers(1, &d->indices);
    glGenBuffers(1, &d->places);
    glGenBuffers(1, &d->heights);
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
    add_attribute(3, 4, GL_UNSIGNED_SHORT, GL_FALSE, offsetof(vertex, joints));
    add_attribute(4, 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(vertex, colour));
    gl_check("the mesh");
}

void drawing_close(drawing *d) {
    const GLuint buffers[] = {d->vertices, d->indices, d->places, d->heights};
    glDeleteBuffers(4, buffers);
    glDeleteVertexArrays(1, &d->figure_array);
    glDeleteProgram(d->point);
    glDeleteProgram(d->shadow);
    glDeleteProgram(d->ground);
    glDeleteProgram(d->figure);
    *d = (drawing){0};
}

/* ---- a frame -------------------------------------------------------------------------------------- */

static void use(GLuint program, const float view[16], const double eye[3]) {
    glUseProgram(program);
    glUniformMatrix4fv(glGetUniformLocation(program, "view"), 1, GL_FALSE, view);
    glUniform3f(glGetUniformLocation(program, "eye"), (float)eye[0], (float)eye[1], (float)eye[2]);
}

/* The plane, and the hills, whose heights change with the number of figures. */
static void draw_ground(const drawing *d, const scene *s) {
    const pm_height_field *f = &s->hills.field;
    const size_t cells = s->goals ? (size_t)(f->columns - 1) * (f->rows - 1) : 0;
    const GLint columns = glGetUniformLocation(d->ground, "columns");
    glUniform1i(columns, 0);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    if (!cells)
        return;
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, d->heights);
    glBufferData(GL_SHADER_STORAGE_BUFFER,
                 (GLsizeiptr)((size_t)f->columns * f->rows * sizeof(float)), s->hills.heights,
                 GL_STREAM_DRAW);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, HEIGHTS, d->heights);
    glUniform1i(columns, (GLint)f->columns);
    glUniform3f(glGetUniformLocation(d->ground, "field"), f->origin[0], f->origin[1], f->cell);
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)(6 * cells));
}

static void draw_point(const drawing *d, const scene *s, const float view[16], const double eye[3],
                       int height) {
    double point[3];
    scene_point(s, point);
    use(d->point, view, eye);
    glUniform3f(glGetUniformLocation(d->point, "at"), (float)point[0], (float)point[1],
                (float)point[2]);
    glUniform1f(glGetUniformLocation(d->point, "size"), (float)height);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glDrawArrays(GL_POINTS, 0, 1);
}

/* All but the figures. */
static void draw_around(const drawing *d, const scene *s, const float view[16], const double eye[3],
                        int height) {
    glBindVertexArray(d->figure_array); /* whose attributes these shaders do not read */
    use(d->ground, view, eye);
    draw_ground(d, s);
    if (s->goals)
        draw_point(d, s, view, eye, height);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    use(d->shadow, view, eye);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)s->count);
    glDepthMask(GL_TRUE);
    glDisable(GL_BLEND);
}

void drawing_frame(drawing *d, const scene *s, const palettes *p, const camera *c, int width,
                   int height) {
    float view[16];
    double eye[3];
    camera_eye(c, eye);
    make_view(c, eye, (double)width / height, view);
    glViewport(0, 0, width, height);
    glClearColor(0.86f, 0.90f, 0.94f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, d->places);
    glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)(s->count * sizeof *s->places), s->places,
                 GL_STREAM_DRAW);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, PALETTES, p->buffer);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, PLACES, d->places);
    draw_around(d, s, view, eye, height);
    use(d->figure, view, eye);
    glUniform1ui(glGetUniformLocation(d->figure, "joint_count"), (GLuint)s->joints);
    glDrawElementsInstanced(GL_TRIANGLES, (GLsizei)s->mesh.index_count, GL_UNSIGNED_INT, NULL,
                            (GLsizei)s->count);
    gl_check("a frame");
}
