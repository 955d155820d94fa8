/* SPDX-License-Identifier: MIT
 *
 * Every place of a glTF document that refers to an accessor or a buffer view: the core's, and those
 * of the extensions in the table of extensions.c.
 */
#pragma once

#include <jansson.h>

/* Called with the object that holds a reference, and its key. May replace the value of the key. */
typedef void (*gltf_visitor)(void *user, json_t *holder, const char *key);

/* References to accessors. */
void gltf_visit_accessors(json_t *root, gltf_visitor visit, void *user);

/* References to buffer views from one accessor, and from all that are no accessors. */
void gltf_visit_views_of_accessor(json_t *accessor, gltf_visitor visit, void *user);
void gltf_visit_other_views(json_t *root, gltf_visitor visit, void *user);
