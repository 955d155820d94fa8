/* SPDX-License-Identifier: MIT
 *
 * The formats of motion files: everything that lists them reads this list. Of each the enumerator
 * PM_MOTION_x, its description motion_x, what its files can be (BOTH, READ or WRITTEN), whether builds
 * leave it out (BUILT, GLTF, NPZ), and its extensions, the first of which is its name. The first bytes of
 * a file are tried in this order; the last one takes any text.
 */
#pragma once

#define MOTION_FORMATS(ROW)                                                                        \
    ROW(BVH, bvh, BOTH, BUILT, "bvh")                                                              \
    ROW(GLTF, gltf, BOTH, GLTF, "gltf")                                                            \
    ROW(GLB, glb, BOTH, GLTF, "glb", "vrm", "vrma")                                                \
    ROW(NPZ, npz, BOTH, NPZ, "npz")                                                                \
    ROW(AMC, amc, READ, BUILT, "amc")                                                              \
    ROW(USDA, usda, WRITTEN, BUILT, "usda")                                                        \
    ROW(TUM, tum, BOTH, BUILT, "tum")                                                              \
    ROW(CSV, csv, BOTH, BUILT, "csv")

/* The names of those that are read, and written, each with a blank before it: " bvh gltf". */
#define MOTION_READ_NAMES MOTION_FORMATS(MOTION_NAME_OF_READ)
#define MOTION_WRITTEN_NAMES MOTION_FORMATS(MOTION_NAME_OF_WRITTEN)
#define MOTION_NAME_OF_READ(id, row, files, ...) MOTION_READ_##files(#row)
#define MOTION_NAME_OF_WRITTEN(id, row, files, ...) MOTION_WRITTEN_##files(#row)
#define MOTION_READ_BOTH(name) " " name
#define MOTION_READ_READ(name) " " name
#define MOTION_READ_WRITTEN(name)
#define MOTION_WRITTEN_BOTH(name) " " name
#define MOTION_WRITTEN_READ(name)
#define MOTION_WRITTEN_WRITTEN(name) " " name

#define MOTION_COUNT_FORMAT(...) +1
#define PM_MOTION_FORMAT_COUNT (1 MOTION_FORMATS(MOTION_COUNT_FORMAT)) /* with PM_MOTION_ANY */
