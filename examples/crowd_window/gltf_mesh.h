/* SPDX-License-Identifier: MIT
 *
 * The skinned mesh of a GLB file. The motion library reads skins and clips, and leaves meshes alone.
 */
#ifndef EXAMPLES_CROWD_WINDOW_GLTF_MESH_H
#define EXAMPLES_CROWD_WINDOW_GLTF_MESH_H

#include <posemill/posemill_motion.h>

#include "mesh.h"

/* All triangles of all meshes that are bound to the file's first skin. `skin` is that skin, and
 * `character` was made of it; the mesh refers to its joints. */
pm_status gltf_mesh_read(const char *path, const pm_motion_skin *skin,
                         const pm_motion_character *character, mesh *m, pm_error *error);

#endif
