/* SPDX-License-Identifier: MIT
 *
 * An independent evaluator of glTF animations in double precision, written from appendix C of the
 * glTF 2.0 specification. It reads JSON and bytes of a file itself, with data in a binary chunk or
 * in a data URI, and shares no code with the library. For valid files only.
 */
#ifndef POSEMILL_TESTS_GLTF_EVALUATOR_H
#define POSEMILL_TESTS_GLTF_EVALUATOR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct gltf_evaluator gltf_evaluator;

/* The bytes must remain. NULL: not a file that this reads. */
gltf_evaluator *gltf_evaluator_open(const void *data, size_t size);
void gltf_evaluator_close(gltf_evaluator *evaluator);

/* A channel of an animation, by their indices in the JSON. */
typedef struct evaluated_channel {
    size_t node;
    const char *path, *interpolation;
    size_t components, key_count;
} evaluated_channel;

bool gltf_evaluator_channel(const gltf_evaluator *evaluator, size_t animation, size_t channel,
                            evaluated_channel *out);

double gltf_evaluator_time(const gltf_evaluator *evaluator, size_t animation, size_t channel,
                           size_t key);

/* Key `key`; of CUBICSPLINE part 0: tangent in, 1: key, 2: tangent out, otherwise 1. */
void gltf_evaluator_key(const gltf_evaluator *evaluator, size_t animation, size_t channel,
                        size_t key, size_t part, double *out);

/* The channel at a time; before the first key and after the last one these hold. */
void gltf_evaluate(const gltf_evaluator *evaluator, size_t animation, size_t channel, double time,
                   double *out);

#endif
