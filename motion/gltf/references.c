/* SPDX-License-Identifier: MIT
 *
 * References to accessors and buffer views. A value of a wrong type is passed over: parts that are
 * carried over are not checked.
 */
#include "motion/gltf/references.h"

#include "motion/gltf/extensions.h"
#include "motion/gltf/plain_json.h"

typedef struct visit {
    gltf_visitor visit;
    void *user;
} visit;

static void visit_key(const visit *v, json_t *holder, const char *key) {
    if (plain_json_is_number(json_object_get(holder, key)))
        v->visit(v->user, holder, key);
}

static void visit_all_keys(const visit *v, json_t *holder) {
    for (void *i = json_object_iter(holder); i; i = json_object_iter_next(holder, i))
        visit_key(v, holder, json_object_iter_key(i));
}

static json_t *extension(const json_t *object, const char *name) {
    return json_object_get(json_object_get(object, "extensions"), name);
}

/* Calls `each` for the elements of the array `key` of an object. */
static void for_each(const visit *v, const json_t *object, const char *key,
                     void (*each)(const visit *, json_t *)) {
    const json_t *array = json_object_get(object, key);
    for (size_t i = 0; i < json_array_size(array); i++)
        each(v, json_array_get(array, i));
}

static void visit_primitive(const visit *v, json_t *primitive) {
    visit_all_keys(v, json_object_get(primitive, "attributes"));
    visit_key(v, primitive, "indices");
    for_each(v, primitive, "targets", visit_all_keys);
    visit_key(v, extension(primitive, GLTF_OUTLINE), "indices");
}

static void visit_mesh(const visit *v, json_t *mesh) {
    for_each(v, mesh, "primitives", visit_primitive);
}

static void visit_skin(const visit *v, json_t *skin) {
    visit_key(v, skin, "inverseBindMatrices");
}

static void visit_sampler(const visit *v, json_t *sampler) {
    visit_key(v, sampler, "input");
    visit_key(v, sampler, "output");
}

static void visit_animation(const visit *v, json_t *animation) {
    for_each(v, animation, "samplers", visit_sampler);
}

static void visit_node(const visit *v, json_t *node) {
    visit_all_keys(v, json_object_get(extension(node, GLTF_INSTANCING), "attributes"));
}

void gltf_visit_accessors(json_t *root, gltf_visitor visitor, void *user) {
    const visit v = {visitor, user};
    for_each(&v, root, "meshes", visit_mesh);
    for_each(&v, root, "skins", visit_skin);
    for_each(&v, root, "animations", visit_animation);
    for_each(&v, root, "nodes", visit_node);
}

void gltf_visit_views_of_accessor(json_t *accessor, gltf_visitor visitor, void *user) {
    const visit v = {visitor, user};
    const json_t *sparse = json_object_get(accessor, "sparse");
    visit_key(&v, accessor, "bufferView");
    visit_key(&v, json_object_get(sparse, "indices"), "bufferView");
    visit_key(&v, json_object_get(sparse, "values"), "bufferView");
}

static void visit_view_of(const visit *v, json_t *object) {
    visit_key(v, object, "bufferView");
}

static void visit_compressed_primitive(const visit *v, json_t *primitive) {
    visit_view_of(v, extension(primitive, GLTF_DRACO));
}

static void visit_compressed_mesh(const visit *v, json_t *mesh) {
    for_each(v, mesh, "primitives", visit_compressed_primitive);
}

void gltf_visit_other_views(json_t *root, gltf_visitor visitor, void *user) {
    const visit v = {visitor, user};
    for_each(&v, root, "images", visit_view_of);
    for_each(&v, root, "meshes", visit_compressed_mesh);
}
