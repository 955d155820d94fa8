/* SPDX-License-Identifier: MIT
 *
 * Rules of the glTF 2.0 specification for containers, nodes, accessors, animations and skins, written from
 * its text: what any file must meet that the library writes. Shares no code with the library. Buffers are
 * those of the container or data URIs; materials and the contents of meshes are not looked at.
 */
#ifndef POSEMILL_TESTS_GLTF_RULES_H
#define POSEMILL_TESTS_GLTF_RULES_H

#include <stddef.h>

enum { GLTF_FAULT_SIZE = 256 };

/* Says where and what the first fault of a file is. NULL: it meets the rules. */
const char *gltf_find_fault(const void *data, size_t size, char fault[GLTF_FAULT_SIZE]);

/* Fails the test with the fault. */
void expect_gltf_rules(const void *data, size_t size);

/* The same for a file. */
void expect_gltf_file_rules(const char *path);

#endif
