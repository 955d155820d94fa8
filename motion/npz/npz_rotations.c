/* SPDX-License-Identifier: MIT
 *
 * Converts rotations of members, when a file is read or when channels are resampled.
 */
#include "motion/npz/npz.h"

#include <math.h>
#include <string.h>

#include "motion/model/similarity.h"
#include "motion/npz/npz_numbers.h"

enum { BLOCK = 256 }; /* rotations that are converted at once */

size_t npz_check_quaternions(const char *data, size_t element, size_t count, npz_lengths *found) {
    *found = (npz_lengths){.odd = 0};
    for (size_t i = 0; i < count; i++) {
        double q[4];
        npz_load_numbers(q, data + 4 * i * element, element, 4);
        if (quat_is_unit(q))
            continue;
        if (quat_largest(q) == 0.0)
            return i;
        found->odd++;
        const double length = quat_length(q);
        if (!(length >= 0.9 && length <= 1.1) && found->far++ == 0) {
            found->first_far = i;
            found->length = length;
        }
    }
    return count;
}

/* Turns w x y z into x y z w, and scales to unit length. */
static void convert_quaternions(double *q, size_t count, bool w_first) {
    for (size_t i = 0; i < count; i++, q += 4) {
        const double first = q[0];
        if (w_first) {
            memmove(q, q + 1, 3 * sizeof *q);
            q[3] = first;
        }
        if (!quat_is_unit(q))
            quat_normalise(q);
    }
}

static bool has_vectors(const npz_rows *rows) {
    return rows->role == NPZ_AXIS_ANGLE;
}

/* Side by side, so that the conversion of many is vectorised: `joints` of each of `frames` rows. */
static void gather(const npz_rows *rows, size_t joint, size_t joints, size_t frame, size_t frames,
                   double *numbers) {
    const size_t group = has_vectors(rows) ? 3 : 4;
    for (size_t k = 0; k < frames; k++)
        npz_load_numbers(numbers + k * group * joints,
                         rows->data + ((frame + k) * rows->width + joint * group) * rows->element,
                         rows->element, group * joints);
}

static void store(const npz_rows *rows, const double *quaternions, size_t joints, size_t frames,
                  npz_keys keys) {
    const size_t numbers = 4 * joints;
    for (size_t k = 0; k < frames; k++, quaternions += numbers, keys.data += keys.stride) {
        double rounded[4 * BLOCK];
        const bool rounds = rows->element < keys.element;
        for (size_t i = 0; rounds && i < numbers; i++)
            rounded[i] = (double)(float)quaternions[i];
        npz_store_numbers(keys.data, rounds ? rounded : quaternions, keys.element, numbers);
    }
}

/* At most BLOCK rotations. */
static void convert_block(const npz_rows *rows, size_t joint, size_t joints, size_t frame,
                          size_t frames, npz_keys keys) {
    double vectors[3 * BLOCK], quaternions[4 * BLOCK];
    gather(rows, joint, joints, frame, frames, has_vectors(rows) ? vectors : quaternions);
    if (has_vectors(rows))
        npz_from_axis_angle(vectors, quaternions, joints * frames);
    else
        convert_quaternions(quaternions, joints * frames, rows->role == NPZ_WXYZ);
    store(rows, quaternions, joints, frames, keys);
}

void npz_convert_rows(const npz_rows *rows, size_t joint, size_t joints, size_t frame,
                      size_t frames, npz_keys keys) {
    const size_t most = joints < BLOCK ? BLOCK / joints : 1; /* rows in a block */
    for (size_t k = 0; k < frames; k += most) {
        const size_t count = frames - k < most ? frames - k : most;
        for (size_t j = 0; j < joints; j += BLOCK) {
            npz_keys to = keys;
            to.data += k * keys.stride + 4 * j * keys.element;
            convert_block(rows, joint + j, joints - j < BLOCK ? joints - j : BLOCK, frame + k,
                          count, to);
        }
    }
}

/* From the last rotation on: what is written ends behind what is still to be read. */
void npz_convert_in_place(const npz_rows *rows, size_t count, char *keys) {
    while (count > 0) {
        const size_t size = count < BLOCK ? count : BLOCK;
        count -= size;
        convert_block(rows, count, size, 0, 1,
                      (npz_keys){keys + 4 * count * rows->element, rows->element, 0});
    }
}

/* The member that a channel of rotations comes from. */
static const npz_rows *find_rows(const npz_document *document, size_t channel) {
    const npz_rows *rows = document->rows;
    while (!npz_is_rotation(rows->role) || channel < rows->channel ||
           channel - rows->channel >= rows->channel_count)
        rows++;
    return rows;
}

void npz_convert(const pm_motion *motion, const size_t channels[], size_t channel_count,
                 size_t first, size_t key_count, pm_number type, void *keys) {
    const size_t element = type == PM_FLOAT32 ? sizeof(float) : sizeof(double);
    for (size_t c = 0, count; c < channel_count; c += count) {
        const npz_rows *rows = find_rows(motion->document, channels[c]);
        const size_t joint = channels[c] - rows->channel;
        for (count = 1; c + count < channel_count && joint + count < rows->channel_count &&
                        channels[c + count] == channels[c] + count;)
            count++;
        npz_convert_rows(
            rows, joint, count, first, key_count,
            (npz_keys){(char *)keys + 4 * c * element, element, channel_count * 4 * element});
    }
}
