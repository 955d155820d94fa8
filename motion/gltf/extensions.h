/* SPDX-License-Identifier: MIT
 *
 * What is known about extensions of glTF: whether a file that requires one can be read, and where it
 * refers to accessors and buffer views.
 */
#pragma once

#define GLTF_MESHOPT "EXT_meshopt_compression"
#define GLTF_MESHOPT_KHR "KHR_meshopt_compression"
#define GLTF_DRACO "KHR_draco_mesh_compression"
#define GLTF_INSTANCING "EXT_mesh_gpu_instancing"
#define GLTF_OUTLINE "CESIUM_primitive_outline"
#define GLTF_POINTER_EXTENSION "KHR_animation_pointer"
