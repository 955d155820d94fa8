/* SPDX-License-Identifier: MIT
 *
 * Binding 0 has the palettes, 3 rows of 4 for each joint of each instance, and after them the hands,
 * 3 rows for each instance; binding 1 has a place for each instance, as in scene.h. Both are std430.
 * `steepness` is that of the ground along z.
 */
#include "shaders.h"

#define VERSION "#version 430 core\n"

#define PLACES                                                                                     \
    "struct Place { vec4 position; vec4 turn; };\n"                                                \
    "layout(std430, binding = 1) readonly buffer Places { Place places[]; };\n"                    \
    "vec3 turned(Place p, vec3 v) {\n"                                                             \
    "    return vec3(p.turn.y * v.x + p.turn.x * v.z, v.y, p.turn.y * v.z - p.turn.x * v.x);\n"    \
    "}\n"

#define SKY "const vec3 sky = vec3(0.86, 0.90, 0.94);\n"

const char figure_vertex[] = VERSION PLACES
    "layout(std430, binding = 0) readonly buffer Palettes { vec4 rows[]; };\n"
    "layout(location = 0) in vec3 position;\n"
    "layout(location = 1) in vec3 normal;\n"
    "layout(location = 2) in vec4 weights;\n"
    "layout(location = 3) in uvec4 joints;\n"
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
    "    uvec4 at = 3u * (instance * joint_count + joints) + r;\n"
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
    "    skinned_normal = turned(p, (vec4(normal, 0.0) * rows_mixed).xyz);\n"
    "    shade = mix(colour.rgb, kinds[uint(p.turn.z)], colour.a);\n"
    "    gl_Position = view * vec4(skinned, 1.0);\n"
    "}\n";

const char figure_fragment[] =
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

/* A box of 36 vertices, a corner of a face each: a blade along z of the hand, and a guard across it. */
const char sword_vertex[] = VERSION PLACES
    "layout(std430, binding = 0) readonly buffer Palettes { vec4 rows[]; };\n"
    "uniform mat4 view;\n"
    "uniform uint hands; /* row of the first hand */\n"
    "out vec3 skinned;\n"
    "out vec3 skinned_normal;\n"
    "out vec3 shade;\n"
    "const int corners[6] = int[6](0, 1, 3, 0, 3, 2);\n"
    "const vec3 half_size[2] = vec3[2](vec3(0.012, 0.025, 0.42), vec3(0.02, 0.09, 0.015));\n"
    "const vec3 middle[2] = vec3[2](vec3(0.0, -0.09, 0.46), vec3(0.0, -0.09, 0.10));\n"
    "void main() {\n"
    "    int box = gl_VertexID / 36, face = gl_VertexID % 36 / 6, c = corners[gl_VertexID % 6];\n"
    "    int axis = face / 2;\n"
    "    vec3 corner = vec3(0.0), n = vec3(0.0);\n"
    "    n[axis] = corner[axis] = face % 2 == 0 ? 1.0 : -1.0;\n"
    "    corner[(axis + 1) % 3] = float(c % 2) * 2.0 - 1.0;\n"
    "    corner[(axis + 2) % 3] = float(c / 2) * 2.0 - 1.0;\n"
    "    uint at = hands + 3u * uint(gl_InstanceID);\n"
    "    mat4 hand = mat4(rows[at], rows[at + 1u], rows[at + 2u], vec4(0.0, 0.0, 0.0, 1.0));\n"
    "    Place p = places[gl_InstanceID];\n"
    "    vec3 moved = (vec4(middle[box] + half_size[box] * corner, 1.0) * hand).xyz;\n"
    "    skinned = p.position.xyz + p.position.w * turned(p, moved);\n"
    "    skinned_normal = turned(p, (vec4(n, 0.0) * hand).xyz);\n"
    "    shade = box == 0 ? vec3(0.80, 0.83, 0.88) : vec3(0.45, 0.36, 0.20);\n"
    "    gl_Position = view * vec4(skinned, 1.0);\n"
    "}\n";

const char ground_vertex[] =
    VERSION "uniform mat4 view;\n"
            "uniform float steepness;\n"
            "out vec3 at;\n"
            "void main() {\n"
            "    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;\n"
            "    at = 900.0 * vec3(corner.x, steepness * corner.y, corner.y);\n"
            "    gl_Position = view * vec4(at, 1.0);\n"
            "}\n";

/* Squares of two metres, which fade into their mean where they are smaller than a pixel. */
const char ground_fragment[] = VERSION SKY
    "in vec3 at;\n"
    "uniform vec3 eye;\n"
    "out vec4 colour;\n"
    "void main() {\n"
    "    vec2 square = floor(at.xz / 2.0);\n"
    "    float size = max(length(fwidth(at.xz)) / 2.0, 1e-6);\n"
    "    float odd = mix(mod(square.x + square.y, 2.0), 0.5, clamp(size, 0.0, 1.0));\n"
    "    vec3 floor_colour = mix(vec3(0.72, 0.74, 0.72), vec3(0.78, 0.80, 0.78), odd);\n"
    "    float haze = 1.0 - exp(-distance(eye, at) / 160.0);\n"
    "    colour = vec4(mix(floor_colour, sky, haze), 1.0);\n"
    "}\n";

const char shadow_vertex[] =
    VERSION PLACES "uniform mat4 view;\n"
                   "uniform float steepness;\n"
                   "out vec2 across;\n"
                   "void main() {\n"
                   "    across = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;\n"
                   "    Place p = places[gl_InstanceID];\n"
                   "    vec3 at = vec3(p.position.x, 0.01, p.position.z) +\n"
                   "              turned(p, 0.55 * vec3(across.x, 0.0, across.y));\n"
                   "    at.y += steepness * at.z;\n"
                   "    gl_Position = view * vec4(at, 1.0);\n"
                   "}\n";

const char shadow_fragment[] =
    VERSION "in vec2 across;\n"
            "out vec4 colour;\n"
            "void main() {\n"
            "    colour = vec4(0.0, 0.0, 0.05, 0.45 * smoothstep(1.0, 0.1, length(across)));\n"
            "}\n";

const char text_vertex[] = VERSION
    "layout(location = 0) in uvec3 place; /* column, line, character */\n"
    "uniform vec2 size;                   /* of the picture, in dots of the font */\n"
    "out vec2 dot_at;\n"
    "flat out uint character;\n"
    "void main() {\n"
    "    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
    "    dot_at = corner * vec2(6.0, 10.0);\n"
    "    character = place.z;\n"
    "    vec2 at = vec2(6.0, 10.0) * vec2(place.xy) + dot_at + vec2(4.0);\n"
    "    gl_Position = vec4(2.0 * at / size * vec2(1.0, -1.0) + vec2(-1.0, 1.0), 0.0, 1.0);\n"
    "}\n";

/* A character has 35 dots: 30 in the first number, row by row, and 5 in the second. */
const char text_fragment[] = VERSION
    "in vec2 dot_at;\n"
    "flat in uint character;\n"
    "uniform uvec2 font[64];\n"
    "out vec4 colour;\n"
    "void main() {\n"
    "    ivec2 d = ivec2(floor(dot_at)) - ivec2(0, 1);\n"
    "    uint bits = d.y < 6 ? font[character].x >> uint(max(5 * d.y, 0)) : font[character].y;\n"
    "    bool lit = d.x < 5 && d.y >= 0 && d.y < 7 && (bits >> uint(4 - min(d.x, 4)) & 1u) == 1u;\n"
    "    colour = lit ? vec4(1.0) : vec4(0.05, 0.07, 0.10, 0.62);\n"
    "}\n";
