/* SPDX-License-Identifier: MIT
 *
 * Meshes of glTF files. TinyGLTF parses them, and does not compare accessors with their buffers: this is
 * done here. Textures and morph targets are not read; the first four joints of a vertex are.
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <tiny_gltf.h>

extern "C" {
#include "mesh.h"
}

static void expect(bool holds, const char *otherwise) {
    if (!holds)
        throw std::runtime_error(otherwise);
}

/* ---- accessors ---------------------------------------------------------------------------------- */

struct numbers {
    const unsigned char *data;
    size_t count, stride, size; /* `size` of one number; `stride` from row to row, in bytes */
    int type;
    bool normalised;
};

/* glTF is little-endian. */
static double number(const numbers &n, size_t row, size_t part) {
    const unsigned char *data = n.data + row * n.stride + part * n.size;
    uint32_t bits = 0;
    float real;
    for (size_t i = n.size; i-- > 0;)
        bits = bits << 8 | data[i];
    std::memcpy(&real, &bits, sizeof real);
    if (n.type == TINYGLTF_COMPONENT_TYPE_FLOAT)
        return double(real);
    const bool is_signed =
        n.type == TINYGLTF_COMPONENT_TYPE_BYTE || n.type == TINYGLTF_COMPONENT_TYPE_SHORT;
    const double all = std::exp2(8 * double(n.size)), most = (is_signed ? all / 2 : all) - 1;
    const double value = is_signed && bits > most ? bits - all : bits;
    return n.normalised ? std::fmax(value / most, -1) : value;
}

/* All rows lie in their view, and the view in its buffer. */
static numbers find(const tinygltf::Model &model, int index, int type) {
    const tinygltf::Accessor &a = model.accessors.at(size_t(index));
    const tinygltf::BufferView &view = model.bufferViews.at(size_t(a.bufferView));
    const std::vector<unsigned char> &bytes = model.buffers.at(size_t(view.buffer)).data;
    const int stride = a.ByteStride(view);
    const int size = tinygltf::GetComponentSizeInBytes(uint32_t(a.componentType));
    const size_t row = size_t(size) * size_t(tinygltf::GetNumComponentsInType(uint32_t(type)));
    expect(!a.sparse.isSparse && view.extensions.empty(), "a mesh is sparse or compressed");
    expect(a.type == type && stride > 0 && size > 0 && size <= 4, "an accessor is of a wrong type");
    expect(view.byteOffset <= bytes.size() && view.byteLength <= bytes.size() - view.byteOffset &&
               a.byteOffset <= view.byteLength && row <= view.byteLength - a.byteOffset &&
               a.count > 0 &&
               a.count - 1 <= (view.byteLength - a.byteOffset - row) / size_t(stride),
           "an accessor is outside of its buffer");
    const unsigned char *data = bytes.data() + view.byteOffset + a.byteOffset;
    return {data, a.count, size_t(stride), size_t(size), a.componentType, a.normalized};
}

/* ---- meshes ------------------------------------------------------------------------------------- */

static const size_t most = size_t(1) << 26; /* a small file can name the same rows often */

struct reader {
    tinygltf::Model model;
    const uint32_t *slots; /* of the skin's joints */
    size_t joint_count;
    std::vector<vertex> vertices;
    std::vector<uint32_t> indices;
    bool lacks_normals;
};

/* Files exist whose weights have another sum than 1. */
static void read_weights(const reader &r, const numbers &joints, const numbers &weights, size_t row,
                         vertex &v) {
    double sum = 0;
    for (size_t i = 0; i < 4; i++) {
        const double weight = number(weights, row, i), joint = number(joints, row, i);
        expect(weight >= 0 && weight <= 1e6 &&
                   (weight == 0 || (joint >= 0 && joint < double(r.joint_count))),
               "a vertex has a weight or a joint that cannot be");
        v.joints[i] = weight > 0 ? uint16_t(r.slots[size_t(joint)]) : 0;
        v.weights[i] = float(weight);
        sum += weight;
    }
    expect(sum > 0, "a vertex has no weight");
    for (float &weight : v.weights)
        weight = float(double(weight) / sum);
}

static void add_primitive(reader &r, const tinygltf::Primitive &p) {
    const bool has_normals = p.attributes.count("NORMAL") > 0;
    const numbers position = find(r.model, p.attributes.at("POSITION"), TINYGLTF_TYPE_VEC3);
    const numbers joints = find(r.model, p.attributes.at("JOINTS_0"), TINYGLTF_TYPE_VEC4);
    const numbers weights = find(r.model, p.attributes.at("WEIGHTS_0"), TINYGLTF_TYPE_VEC4);
    const numbers normal =
        find(r.model, p.attributes.at(has_normals ? "NORMAL" : "POSITION"), TINYGLTF_TYPE_VEC3);
    const size_t first = r.vertices.size(), count = position.count;
    vertex v = {{}, {}, {}, {}, {255, 255, 255, 120}};
    expect(p.mode == TINYGLTF_MODE_TRIANGLES || p.mode == -1, "a mesh is not of triangles");
    expect(joints.count == count && weights.count == count && normal.count == count,
           "the attributes of a mesh differ in length");
    expect(first + count <= most && r.indices.size() <= most,
           "the meshes have more than 2^26 corners");
    r.lacks_normals = r.lacks_normals || !has_normals;
    /* Factors are linear, and colours here are for the screen. */
    for (size_t i = 0; p.material >= 0 && i < 3; i++) {
        const tinygltf::Material &material = r.model.materials.at(size_t(p.material));
        const double factor = material.pbrMetallicRoughness.baseColorFactor.at(i);
        v.colour[i] = uint8_t(255 * std::pow(std::fmin(std::fmax(factor, 0), 1), 1 / 2.2));
    }
    for (size_t row = 0; row < count; row++) {
        for (size_t i = 0; i < 3; i++) {
            v.position[i] = float(number(position, row, i));
            v.normal[i] = float(number(normal, row, i));
            expect(std::abs(v.position[i]) < 1e6f, "a position is not finite, or too far away");
        }
        read_weights(r, joints, weights, row, v);
        r.vertices.push_back(v);
    }
    const numbers corners =
        p.indices < 0 ? position : find(r.model, p.indices, TINYGLTF_TYPE_SCALAR);
    for (size_t i = 0; i < corners.count / 3 * 3; i++) {
        const double at = p.indices < 0 ? double(i) : number(corners, i, 0);
        expect(at >= 0 && at < double(count), "a triangle has a corner that does not exist");
        r.indices.push_back(uint32_t(first + size_t(at)));
    }
}

template <typename T> static T *copy_of(const std::vector<T> &from) {
    T *to = static_cast<T *>(std::calloc(from.size(), sizeof(T)));
    expect(to, "out of memory");
    std::memcpy(to, from.data(), from.size() * sizeof(T));
    return to;
}

static void read(mesh *m, const char *path, bool binary, reader &r) {
    tinygltf::TinyGLTF parser;
    std::string error, warning;
    parser.SetImageLoader([](auto...) { return true; }, nullptr);
    expect(binary ? parser.LoadBinaryFromFile(&r.model, &error, &warning, path)
                  : parser.LoadASCIIFromFile(&r.model, &error, &warning, path),
           error.c_str());
    expect(r.model.skins.at(0).joints.size() == r.joint_count, "the file has changed");
    for (const tinygltf::Node &node : r.model.nodes)
        if (node.skin == 0 && node.mesh >= 0)
            for (const tinygltf::Primitive &p : r.model.meshes.at(size_t(node.mesh)).primitives)
                add_primitive(r, p);
    expect(!r.indices.empty(), "no mesh is bound to its first skin");
    *m = {copy_of(r.vertices), r.vertices.size(), nullptr, r.indices.size()};
    m->indices = copy_of(r.indices);
    if (r.lacks_normals)
        mesh_compute_normals(m);
}

bool mesh_of_file(mesh *m, const char *path, bool binary, const uint32_t *slots,
                  size_t joint_count) {
    std::string why;
    try {
        reader r = {{}, slots, joint_count, {}, {}, false};
        read(m, path, binary, r);
        return true;
    } catch (const std::out_of_range &) {
        why = "a mesh refers to what the file has not";
    } catch (const std::exception &error) {
        why = error.what();
    }
    for (char &c : why)
        c = c >= ' ' && c <= '~' ? c : ' ';
    std::fprintf(stderr, "crowd_window: bones are drawn: %s: %s\n", path, why.c_str());
    mesh_free(m);
    return false;
}
