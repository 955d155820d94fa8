/* SPDX-License-Identifier: MIT
 *
 * Crowds posed as fast as we can write it in C: instances in lanes, one joint after another, keys
 * gathered as whole quaternions, matrices of parents in a few slots, and records collected until
 * they fill cache lines, which are streamed. For rotations with slerp and joints at rest positions.
 */
#include "loops.h"

#include "baseline_lanes.h"

#include <stdbool.h>
#include <string.h>

enum { JOINTS = 4, RECORD = 12, COLLECTED = JOINTS * RECORD / 4 };
_Static_assert(COLLECTED % 4 == 0, "collected records are whole lines");

/* A group of instances, in the order of items. */
typedef struct group {
    const float *keys[LANES]; /* those before the time; those after it are a row further on */
    lanes u;                  /* transposed, as all vectors of one number */
} group;

/* ---- sampling ------------------------------------------------------------------ */

/* Keys are uniform and times are in clips, so that multiplications find the segment. */
BASELINE_INLINE void locate(const baseline_scene *scene, size_t i, bool second, group *to,
                            size_t item) {
    const pm_crowd_instance *instance = &scene->instances[i];
    const baseline_clip *clip = &scene->clips[second ? instance->clip_b : instance->clip_a];
    uint64_t time = (uint64_t)(second ? instance->time_b : instance->time_a);
    uint64_t at = time * clip->rate % (clip->segments << 32);
    to->keys[item] = clip->keys + (at >> 32) * scene->joint_count * 4;
    to->u[lane_of_item(item)] = (float)(at & UINT32_MAX) * 0x1p-32f;
}

BASELINE_INLINE quaternion gather(const float *const keys[LANES], size_t at) {
    quaternion q;
    for (size_t i = 0; i < 4; i++) {
        const float *parts[PARTS];
        for (size_t j = 0; j < PARTS; j++)
            parts[j] = keys[i * PARTS + j] + at;
        q.c[i] = lanes_gather_parts(parts);
    }
    lanes_transpose(q.c);
    return q;
}

/* sin(x) for x from 0 to pi / 2, within 7e-9 of it: interpolated at Chebyshev's points. */
BASELINE_INLINE lanes sine(lanes x) {
    lanes y = x * x;
    lanes p = 2.6050929578576264e-06f * y - 0.00019809011067105478f;
    p = p * y + 0.008333050086779942f;
    p = p * y - 0.16666657944392274f;
    return x * (p * y + 0.9999999956966751f);
}

/* acos(1 - e) / sqrt(e) for e from 0 to 1, likewise, within 2e-8. Terms are summed in pairs, to wait
 * less for each other. */
BASELINE_INLINE lanes arc_factor(lanes e) {
    lanes e2 = e * e;
    lanes p01 = 0.11785316670024448f * e + 1.4142135464083159f;
    lanes p23 = 0.008216730963815672f * e + 0.02647448250039206f;
    lanes p45 = 0.003338417016039062f * e + 0.0014788598197580146f;
    lanes p67 = 0.0012117377707971905f * e - 0.001990642963784327f;
    return (p67 * e2 + p45) * (e2 * e2) + (p23 * e2 + p01);
}

/* Below the limit the weights are those of a straight line, to the last bit. */
BASELINE_INLINE quaternion slerp(const baseline_scene *scene, const group *from, size_t joint) {
    quaternion a = gather(from->keys, 4 * joint);
    quaternion b = gather(from->keys, 4 * (joint + scene->joint_count));
    lanes e = lanes_max(1.0f - dot(&a, &b), lanes_all(1e-7f));
    lanes root = lanes_rsqrt(e);
    lanes angle = e * root * arc_factor(e);
    lanes reciprocal_sine = root * lanes_rsqrt(2.0f - e);
    lanes into = from->u * angle;
    return mix(sine(angle - into) * reciprocal_sine, &a, sine(into) * reciprocal_sine, &b);
}

BASELINE_INLINE quaternion crossfade_of(quaternion a, quaternion b, lanes weight) {
    quaternion q = mix(1.0f - weight, &a, lanes_with_sign(weight, dot(&a, &b)), &b);
    lanes scale = lanes_rsqrt(dot(&q, &q));
    for (int c = 0; c < 4; c++)
        q.c[c] *= scale;
    return q;
}

/* ---- matrices ------------------------------------------------------------------ */

/* Three rows of four. */
typedef struct matrix {
    lanes rows[3][4];
} matrix;

BASELINE_INLINE void local_matrix(quaternion q, const float position[3], matrix *to) {
    lanes x2 = q.c[0] + q.c[0], y2 = q.c[1] + q.c[1], z2 = q.c[2] + q.c[2];
    lanes xx = q.c[0] * x2, yy = q.c[1] * y2, zz = q.c[2] * z2;
    lanes xy = q.c[0] * y2, xz = q.c[0] * z2, yz = q.c[1] * z2;
    lanes wx = q.c[3] * x2, wy = q.c[3] * y2, wz = q.c[3] * z2;
    *to = (matrix){{{1.0f - (yy + zz), xy - wz, xz + wy, lanes_all(position[0])},
                    {xy + wz, 1.0f - (xx + zz), yz - wx, lanes_all(position[1])},
                    {xz - wy, yz + wx, 1.0f - (xx + yy), lanes_all(position[2])}}};
}

BASELINE_INLINE void row_times_matrix(const lanes row[4], const matrix *m, lanes to[4]) {
    for (int c = 0; c < 4; c++)
        to[c] = row[0] * m->rows[0][c] + row[1] * m->rows[1][c] + row[2] * m->rows[2][c];
    to[3] += row[3];
}

BASELINE_INLINE void row_times_bind(const lanes row[4], const float m[12], lanes to[4]) {
    for (int c = 0; c < 4; c++)
        to[c] = row[0] * m[c] + row[1] * m[4 + c] + row[2] * m[8 + c];
    to[3] += row[3];
}

/* The rows of records of several joints, transposed: vector i of a row has it for items from
 * i * PARTS on. */
typedef struct collection {
    lanes rows[COLLECTED][4];
} collection;

/* Writes the collected records of all items. */
BASELINE_INLINE void stream(const collection *from, float *const out[LANES], size_t offset) {
    enum { VECTORS = 4 / PARTS };
    for (size_t i = 0; i < 4; i++) {
        for (size_t line = 0; line < COLLECTED / 4; line++) {
            lanes v[4];
            for (size_t x = 0; x < 4; x++)
                v[x] = from->rows[4 * line + x][i];
            lanes_transpose_parts(v);
            for (size_t x = 0; x < 4; x++) {
                float *to = out[i * PARTS + x / VECTORS] + offset + 16 * line;
                lanes_stream(to + x % VECTORS * LANES, v[x]);
            }
        }
    }
}

/* ---- walks --------------------------------------------------------------------- */

/* Multiplies by the parent's matrix, keeps the matrix for children, and collects the record. */
BASELINE_INLINE void place(const baseline_joint *joint, const matrix *local, matrix *slots,
                           bool bind, lanes to[3][4]) {
    for (size_t r = 0; r < 3; r++) {
        lanes model[4];
        if (joint->parent == BASELINE_NO_SLOT)
            memcpy(model, local->rows[r], sizeof model);
        else
            row_times_matrix(slots[joint->parent].rows[r], local, model);
        if (joint->slot != BASELINE_NO_SLOT)
            memcpy(slots[joint->slot].rows[r], model, sizeof model);
        if (bind)
            row_times_bind(model, joint->bind, to[r]);
        else
            memcpy(to[r], model, sizeof model);
        lanes_transpose(to[r]);
    }
}

/* Fetches the next keys while the present records are made: stores past the caches keep later loads
 * waiting. */
BASELINE_INLINE void prefetch(const baseline_scene *scene, const group *from, size_t joint) {
    for (size_t i = 0; i < LANES && joint < scene->joint_count; i++) {
        __builtin_prefetch(from->keys[i] + 4 * joint);
        __builtin_prefetch(from->keys[i] + 4 * (joint + scene->joint_count));
    }
}

/* The local rotations of the joints from k on. All are computed before one is placed, because they
 * do not wait for each other. */
BASELINE_INLINE void sample(const baseline_scene *scene, const group *a, const group *b, size_t k,
                            bool crossfade, lanes weight, quaternion q[JOINTS]) {
    for (size_t j = 0; j < JOINTS; j++)
        q[j] = slerp(scene, a, k + j);
    for (size_t j = 0; j < JOINTS && crossfade; j++)
        q[j] = crossfade_of(q[j], slerp(scene, b, k + j), weight);
    prefetch(scene, a, k + JOINTS);
    if (crossfade)
        prefetch(scene, b, k + JOINTS);
}

/* Poses as many instances as there are lanes. Items beyond the last instance repeat it. */
BASELINE_INLINE void pose_group(const baseline_scene *scene, size_t first, bool bind,
                                bool crossfade) {
    group a, b;
    float *out[LANES];
    lanes weight = lanes_all(0.0f);
    matrix slots[BASELINE_SLOTS];
    for (size_t item = 0; item < LANES; item++) {
        size_t i = first + item < scene->instance_count ? first + item : scene->instance_count - 1;
        locate(scene, i, false, &a, item);
        if (crossfade) {
            locate(scene, i, true, &b, item);
            weight[lane_of_item(item)] = scene->instances[i].weight;
        }
        out[item] = scene->out + i * scene->joint_count * RECORD;
    }
    for (size_t k = 0; k < scene->joint_count; k += JOINTS) {
        quaternion q[JOINTS];
        collection records;
        sample(scene, &a, &b, k, crossfade, weight, q);
        for (size_t j = 0; j < JOINTS; j++) {
            const baseline_joint *joint = &scene->joints[k + j];
            matrix local;
            local_matrix(q[j], joint->position, &local);
            place(joint, &local, slots, bind, &records.rows[3 * j]);
        }
        stream(&records, out, k * RECORD);
    }
}

static void model(const void *work, size_t begin, size_t end) {
    for (size_t g = begin; g < end; g++)
        pose_group(work, g * LANES, false, false);
    lanes_fence();
}

static void palette(const void *work, size_t begin, size_t end) {
    for (size_t g = begin; g < end; g++)
        pose_group(work, g * LANES, true, false);
    lanes_fence();
}

static void crossfade(const void *work, size_t begin, size_t end) {
    for (size_t g = begin; g < end; g++)
        pose_group(work, g * LANES, true, true);
    lanes_fence();
}

const baseline_walks BASELINE_WALKS = {LANES, model, palette, crossfade};
