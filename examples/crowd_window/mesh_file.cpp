/* SPDX-License-Identifier: MIT
 *
 * Meshes of glTF files. TinyGLTF parses them, and does not compare accessors with their buffers: this is
 * done here. Textures and morph targets are not read; the first four joints of a vertex are.
 */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>

#include <tiny_gltf.h>

#include "mesh.h"

namespace {

/* ---- accessors ---------------------------------------------------------------------------------- */

struct numbers {
    const unsigned char *data;
    size_t count, stride, size; /* `size` of one number; `stride` from row to row, in bytes */
    int type;
    bool normalised;
};

/* glTF is little-endian. */
double number(const numbers &n, size_t row, size_t part) {
    const unsigned char *data = n.data + row * n.stride + part * n.size;
    uint32_t bits = 0;
    for (size_t i = n.size; i-- > 0;)
        bits = bits << 8 | data[i];
    if (n.type == TINYGLTF_COMPONENT_TYPE_FLOAT) {
        float real;
        std::memcpy(&real, &bits, sizeof real);
        return double(real);
    }
    const bool is_signed =
        n.type == TINYGLTF_COMPONENT_TYPE_BYTE || n.type == TINYGLTF_COMPONENT_TYPE_SHORT;
    const double all = std::exp2(8 * double(n.size)), most = (is_signed ? all / 2 : all) - 1;
    const double value = is_signed && bits > most ? bits - all : bits;
    return n.normalised ? std::max(value / most, -1.0) : value;
}

/* All rows lie in their view, and the view in its buffer. */
numbers find(const tinygltf::Model &model, int index, int type) {
    const tinygltf::Accessor &a = model.accessors.at(size_t(index));
    const tinygltf::BufferView &view = model.bufferViews.at(size_t(a.bufferView));
    if (a.sparse.isSparse || !view.extensions.empty())
        throw std::runtime_error("a sparse or compressed mesh, which is not read here");
    const std::vector<unsigned char> &bytes = model.buffers.at(size_t(view.buffer)).data;
    const int stride = a.ByteStride(view);
    const int size = tinygltf::GetComponentSizeInBytes(uint32_t(a.componentType));
    const size_t row = size_t(size) * size_t(tinygltf::GetNumComponentsInType(uint32_t(type)));
    if (a.type != type || stride <= 0 || size <= 0 || size > 4)
        throw std::runtime_error("an accessor of an unexpected type");
    if (view.byteOffset > bytes.size() || view.byteLength > bytes.size() - view.byteOffset ||
        a.byteOffset > view.byteLength || row > view.byteLength - a.byteOffset || a.count == 0 ||
        a.count - 1 > (view.byteLength - a.byteOffset - row) / size_t(stride))
        throw std::runtime_error("an accessor outside of its buffer");
    const unsigned char *data = bytes.data() + view.byteOffset + a.byteOffset;
    return {data, a.count, size_t(stride), size_t(size), a.componentType, a.normalized};
}

/* ---- meshes ------------------------------------------------------------------------------------- */

struct reader {
    const tinygltf::Model &model;
    const uint32_t *slots;
    size_t joint_count;
    std::vector<vertex> vertices;
    std::vector<uint32_t> indices;
    bool lacks_normals;
};

/* Files exist whose weights have another sum than 1. */
void read_weights(const reader &r, const numbers &joints, const numbers &weights, size_t row,
                  vertex &v) {
    double sum = 0;
    for (size_t i = 0; i < 4; i++) {
        const double weight = number(weights, row, i), joint = number(joints, row, i);
        if (!(weight >= 0 && weight <= 1e6) || (weight > 0 && joint >= double(r.joint_count)))
            throw std::runtime_error("a vertex has a weight or a joint that cannot be");
        v.joints[i] = uint16_t(r.slots[weight > 0 ? size_t(joint) : 0]);
        v.weights[i] = float(weight);
        sum += weight;
    }
    if (!(sum > 0))
        throw std::runtime_error("a vertex has no weight");
    for (float &weight : v.weights)
        weight = float(double(weight) / sum);
}

void add_primitive(reader &r, const tinygltf::Primitive &p) {
    const numbers position = find(r.model, p.attributes.at("POSITION"), TINYGLTF_TYPE_VEC3);
    const numbers joints = find(r.model, p.attributes.at("JOINTS_0"), TINYGLTF_TYPE_VEC4);
    const numbers weights = find(r.model, p.attributes.at("WEIGHTS_0"), TINYGLTF_TYPE_VEC4);
    const bool lit = p.attributes.count("NORMAL") > 0;
    const numbers normal =
        lit ? find(r.model, p.attributes.at("NORMAL"), TINYGLTF_TYPE_VEC3) : position;
    const size_t first = r.vertices.size(), count = position.count;
    vertex v = {{}, {}, {}, {}, {255, 255, 255, 120}};
    if (p.mode != TINYGLTF_MODE_TRIANGLES && p.mode != -1)
        throw std::runtime_error("points, lines or strips, which are not read here");
    if (joints.count != count || weights.count != count || normal.count != count)
        throw std::runtime_error("the attributes of a mesh differ in length");
    r.lacks_normals = r.lacks_normals || !lit;
    if (p.material >= 0) /* the factor is linear, and colours here are for the screen */
        for (size_t i = 0; i < 3; i++)
            v.colour[i] = uint8_t(255 * std::pow(r.model.materials.at(size_t(p.material))
                                                     .pbrMetallicRoughness.baseColorFactor.at(i),
                                                 1 / 2.2));
    for (size_t row = 0; row < count; row++) {
        for (size_t i = 0; i < 3; i++) {
            v.position[i] = float(number(position, row, i));
            v.normal[i] = float(number(normal, row, i));
        }
        if (!(std::abs(v.position[0]) + std::abs(v.position[1]) + std::abs(v.position[2]) < 1e6f))
            throw std::runtime_error("a position is not finite, or too far away");
        read_weights(r, joints, weights, row, v);
        r.vertices.push_back(v);
    }
    const bool listed = p.indices >= 0;
    const numbers indices = listed ? find(r.model, p.indices, TINYGLTF_TYPE_SCALAR) : position;
    for (size_t i = 0; i < indices.count / 3 * 3; i++) {
        const double at = listed ? number(indices, i, 0) : double(i);
        if (!(at >= 0 && at < double(count)))
            throw std::runtime_error("a triangle has a corner that does not exist");
        r.indices.push_back(uint32_t(first + size_t(at)));
    }
}

template <typename T> T *copy_of(const std::vector<T> &from) {
    T *to = static_cast<T *>(std::calloc(from.size(), sizeof(T)));
    if (!to)
        throw std::bad_alloc();
    std::memcpy(to, from.data(), from.size() * sizeof(T));
    return to;
}

bool no_image(tinygltf::Image *, const int, std::string *, std::string *, int, int,
              const unsigned char *, int, void *) {
    return true;
}

void read(mesh *m, const char *path, bool binary, const uint32_t *slots, size_t joint_count) {
    tinygltf::Model model;
    tinygltf::TinyGLTF parser;
    std::string error, warning;
    parser.SetImageLoader(no_image, nullptr);
    if (!(binary ? parser.LoadBinaryFromFile(&model, &error, &warning, path)
                 : parser.LoadASCIIFromFile(&model, &error, &warning, path)))
        throw std::runtime_error(error);
    reader r = {model, slots, joint_count, {}, {}, false};
    if (model.skins.at(0).joints.size() != joint_count)
        throw std::runtime_error("the skin has changed");
    for (const tinygltf::Node &node : model.nodes)
        if (node.skin == 0 && node.mesh >= 0)
            for (const tinygltf::Primitive &p : model.meshes.at(size_t(node.mesh)).primitives)
                add_primitive(r, p);
    if (r.indices.empty())
        throw std::runtime_error("no mesh is bound to its first skin");
    m->vertices = copy_of(r.vertices);
    m->vertex_count = r.vertices.size();
    m->indices = copy_of(r.indices);
    m->index_count = r.indices.size();
    if (r.lacks_normals)
        mesh_compute_normals(m);
}

} // namespace

bool mesh_of_file(mesh *m, const char *path, bool binary, const uint32_t *slots,
                  size_t joint_count) {
    std::string why;
    try {
        read(m, path, binary, slots, joint_count);
        return true;
    } catch (const std::out_of_range &) {
        why = "a mesh refers to what the file has not";
    } catch (const std::exception &error) {
        why = error.what();
    }
    for (char &c : why)
        c = c >= ' ' && c <= '~' ? c : '?';
    std::fprintf(stderr, "crowd_window: bones are drawn: %s: %s\n", path, why.c_str());
    mesh_free(m);
    return false;
}
