/* SPDX-License-Identifier: MIT
 *
 * The data that a URI stands for: those in it, or a file below the document's folder.
 */
#ifndef POSEMILL_MOTION_GLTF_URI_H
#define POSEMILL_MOTION_GLTF_URI_H

#include "motion/gltf/document.h"

/* Fills data, size and owned of the buffer; is_external if it is a file. */
bool gltf_load_uri(gltf_reader *reader, const gltf_place *place, const char *uri, size_t size,
                   gltf_buffer *buffer);

#endif
