/* SPDX-License-Identifier: MIT
 *
 * Accessors of animations and skins: checked descriptions, their values as floats, and what samplers make
 * of them.
 */
#pragma once

#include "motion/gltf/document.h"

typedef enum gltf_component {
    GLTF_INT8 = 5120,
    GLTF_UINT8 = 5121,
    GLTF_INT16 = 5122,
    GLTF_UINT16 = 5123,
    GLTF_UINT32 = 5125,
    GLTF_FLOAT = 5126
} gltf_component;

typedef struct gltf_accessor {
    size_t index;
    const char *type; /* "VEC3" */
    size_t components;
    size_t component_type;
    bool is_normalized;
    size_t count;
    size_t view; /* GLTF_NONE: all zero */
    size_t offset;
    /* Of sparse accessors; sparse_count 0: not sparse. */
    size_t sparse_count;
    size_t indices_view, indices_offset, indices_type;
    size_t values_view, values_offset;
} gltf_accessor;

bool gltf_parse_accessor(gltf_reader *reader, size_t index, gltf_accessor *accessor);

/* Bytes of a component; 0: the type is not known. */
size_t gltf_bytes_of(size_t component_type);

/* Whether `place`, which refers to the accessor, may have it: the type, and floats or normalized
 * integers. */
bool gltf_check_type(gltf_reader *reader, const gltf_accessor *accessor, const gltf_place *place,
                     const char *type, bool may_be_integer);

/* Refuses an accessor whose view has a byteStride, which is for attributes of vertices only; one of the
 * element's size is a warning, or with `strict` a refusal. */
bool gltf_check_no_stride(gltf_reader *reader, const gltf_accessor *accessor,
                          const gltf_place *place);

/* (count, components) finite floats, tightly packed: those in the file where that is possible. Count
 * must be bounded by data that were seen. */
bool gltf_read_values(gltf_reader *reader, const gltf_accessor *accessor, const gltf_place *place,
                      const float **values);

/* Fills the cache's timeline and rate of an accessor that `place` refers to as the input of a
 * sampler. */
bool gltf_read_timeline(gltf_reader *reader, size_t accessor, const gltf_place *place);

typedef struct gltf_sampler {
    size_t input, output; /* accessors */
    pm_motion_interpolation interpolation;
    bool always_linear; /* as of pm_motion_channel */
    size_t key_count;
} gltf_sampler;

/* Fills components, keys, in and out of a channel with node and path, from the sampler's output,
 * which `place` is; `target` is the place of the channel's target. */
bool gltf_read_keys(gltf_reader *reader, const gltf_sampler *sampler, const gltf_place *place,
                    const gltf_place *target, pm_motion_channel *channel);
