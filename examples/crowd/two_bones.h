/* SPDX-License-Identifier: MIT
 *
 * Inverse kinematics of two legs on a slope, in OpenCL C: from the law of cosines, for knees that
 * are hinges about x, and bones that point along -y.
 */
#ifndef EXAMPLES_CROWD_TWO_BONES_H
#define EXAMPLES_CROWD_TWO_BONES_H

/* A work-item for each instance. `poses` are records of PM_CROWD_LOCAL, `joints` of them; `chain`
 * has root, hips, and thigh, shin and foot of each leg. Where the instance stands, the ground is at
 * y = slope.x * x + slope.y * z. The root has no rotation. Each ankle gets as high above the slope as
 * it was above level ground, and the foot turns with the slope. The hips go down where a leg is too
 * short. */
static const char two_bones[] =
    "typedef struct joint { float4 rotation, position, scale; } joint;\n"
    "float4 times(float4 a, float4 b) {\n"
    "    return (float4)(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz),\n"
    "                    a.w * b.w - dot(a.xyz, b.xyz));\n"
    "}\n"
    "float4 inverse(float4 q) { return (float4)(-q.xyz, q.w); }\n"
    "float3 turned(float4 q, float3 v) {\n"
    "    return v + 2 * cross(q.xyz, cross(q.xyz, v) + q.w * v);\n"
    "}\n"
    "float4 about_x(float angle) { return (float4)(sin(angle / 2), 0, 0, cos(angle / 2)); }\n"
    "float4 from_to(float3 a, float3 b) { /* the shortest turn */\n"
    "    a = normalize(a), b = normalize(b);\n"
    "    return normalize((float4)(cross(a, b), 1 + dot(a, b)));\n"
    "}\n"
    "kernel void stand(global joint *poses, int joints, constant int *chain,\n"
    "                  global const float2 *slopes) {\n"
    "    const float2 slope = slopes[get_global_id(0)];\n"
    "    const float4 tilt = from_to((float3)(0, 1, 0), (float3)(-slope.x, 1, -slope.y));\n"
    "    global joint *pose = poses + get_global_id(0) * joints;\n"
    "    global joint *root = pose + chain[0], *hips = pose + chain[1];\n"
    "    float4 thighs[2], feet[2]; /* rotations in model space */\n"
    "    float3 tops[2], goals[2];\n"
    "    float lower = 0;\n"
    "    const float3 middle = root->position.xyz + hips->position.xyz;\n"
    "    for (int leg = 0; leg < 2; leg++) {\n"
    "        global joint *thigh = pose + chain[2 + 3 * leg], *shin = pose + chain[3 + 3 * leg],\n"
    "                     *foot = pose + chain[4 + 3 * leg];\n"
    "        tops[leg] = middle + turned(hips->rotation, thigh->position.xyz);\n"
    "        thighs[leg] = times(hips->rotation, thigh->rotation);\n"
    "        const float4 low = times(thighs[leg], shin->rotation);\n"
    "        feet[leg] = times(tilt, times(low, foot->rotation));\n"
    "        goals[leg] = tops[leg] + turned(thighs[leg], shin->position.xyz) +\n"
    "                     turned(low, foot->position.xyz);\n"
    "        goals[leg].y += dot(slope, goals[leg].xz);\n"
    "        const float3 way = goals[leg] - tops[leg];\n"
    "        const float length = 0.999f * (-shin->position.y - foot->position.y);\n"
    "        const float2 flat = way.xz;\n"
    "        const float reach = sqrt(fmax(0.0f, length * length - dot(flat, flat)));\n"
    "        lower = fmax(lower, -way.y - reach);\n"
    "    }\n"
    "    hips->position.y -= lower;\n"
    "    for (int leg = 0; leg < 2; leg++) {\n"
    "        global joint *thigh = pose + chain[2 + 3 * leg], *shin = pose + chain[3 + 3 * leg],\n"
    "                     *foot = pose + chain[4 + 3 * leg];\n"
    "        const float3 way = goals[leg] - tops[leg] + (float3)(0, lower, 0);\n"
    "        const float a = -shin->position.y, b = -foot->position.y;\n"
    "        const float bend = acos(clamp((dot(way, way) - a * a - b * b) / (2 * a * b),\n"
    "                                      -1.0f, 1.0f));\n"
    "        shin->rotation = about_x(bend);\n"
    "        const float3 ankle =\n"
    "            shin->position.xyz + turned(shin->rotation, foot->position.xyz);\n"
    "        const float4 new_thigh =\n"
    "            times(from_to(turned(thighs[leg], ankle), way), thighs[leg]);\n"
    "        thigh->rotation = normalize(times(inverse(hips->rotation), new_thigh));\n"
    "        const float4 new_shin = times(new_thigh, shin->rotation);\n"
    "        foot->rotation = normalize(times(inverse(new_shin), feet[leg]));\n"
    "    }\n"
    "}\n";

#endif
