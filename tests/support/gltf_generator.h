/* SPDX-License-Identifier: MIT
 *
 * glTF documents from a seed, with the values that are in them: all interpolations, types of
 * components, sparse and packed storage, samplers and inputs that channels share, late starts and
 * single keys, in either container. Text and bytes are put together without a JSON library.
 */
#ifndef POSEMILL_TESTS_GLTF_GENERATOR_H
#define POSEMILL_TESTS_GLTF_GENERATOR_H

#include "oracle/random_tracks.h"

enum { GENERATED_TRACKS = 24, GENERATED_KEYS = 12, GENERATED_WEIGHTS = 3, GENERATED_CLIPS = 3 };

/* What one channel has in the file. */
typedef struct generated_track {
    size_t clip, node;
    const char *path, *interpolation;
    size_t components, key_count;
    unsigned component_type;
    float times[GENERATED_KEYS];
    /* (key_count, 3, components) for CUBICSPLINE: tangent in, key, tangent out; else (key_count,
     * components). As decoded from the file's components, before any normalisation. */
    float values[GENERATED_KEYS * 3 * 4];
} generated_track;

typedef struct generated_file {
    unsigned char *data;
    size_t size;
    bool is_binary;
    size_t node_count, clip_count;
    generated_track tracks[GENERATED_TRACKS]; /* in the order of clips and channels */
    size_t track_count;
} generated_file;

generated_file *gltf_generate(random_source *source);
void gltf_generated_free(generated_file *file);

/* A GLB of a JSON text and a binary chunk, NULL: none. */
unsigned char *glb_assemble(const char *json, const void *bin, size_t bin_size, size_t *size);

#endif
