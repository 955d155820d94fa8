/* SPDX-License-Identifier: MIT
 *
 * Culling in OpenCL C: the instances whose spheres are not behind a plane, and their number.
 */
#ifndef EXAMPLES_CROWD_CULL_H
#define EXAMPLES_CROWD_CULL_H

/* A work-item for each instance. A sphere is its middle x y z and its radius; a plane is its inward
 * normal and its distance. `count` begins with 0. */
static const char cull_source[] =
    "kernel void cull(global const float4 *spheres, constant float4 *planes, int plane_count,\n"
    "                 volatile global uint *count, global uint *list) {\n"
    "    const uint i = get_global_id(0);\n"
    "    const float4 sphere = spheres[i];\n"
    "    for (int p = 0; p < plane_count; p++)\n"
    "        if (dot(planes[p].xyz, sphere.xyz) + planes[p].w < -sphere.w)\n"
    "            return;\n"
    "    list[atomic_inc(count)] = i;\n"
    "}\n";

#endif
