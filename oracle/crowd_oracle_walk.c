/* SPDX-License-Identifier: MIT
 *
 * The hierarchy of the crowd oracle: joint matrices from parent matrices, inverse bind matrices,
 * palettes, and the sizes that their errors are relative to.
 */
#include "crowd_oracle_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* T R S: the columns are the rotated and scaled axes. */
static matrix matrix_of(joint_pose pose, bool scaled) {
    const vec3 one = {1, 1, 1}, s = scaled ? pose.scale : one, t = pose.position;
    const vec3 x = vec3_scale(quat_rotate(pose.rotation, (vec3){1, 0, 0}), s.x);
    const vec3 y = vec3_scale(quat_rotate(pose.rotation, (vec3){0, 1, 0}), s.y);
    const vec3 z = vec3_scale(quat_rotate(pose.rotation, (vec3){0, 0, 1}), s.z);
    return (matrix){{{x.x, y.x, z.x, t.x}, {x.y, y.y, z.y, t.y}, {x.z, y.z, z.z, t.z}}};
}

static matrix product(matrix a, matrix b) {
    matrix m;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++) {
            m.at[i][j] = j == 3 ? a.at[i][3] : 0.0;
            for (int k = 0; k < 3; k++)
                m.at[i][j] += a.at[i][k] * b.at[k][j];
        }
    }
    return m;
}

/* Computed from the adjugate. */
static matrix inverse(matrix m) {
    double cofactors[3][3], determinant = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            cofactors[i][j] = m.at[i1][j1] * m.at[i2][j2] - m.at[i1][j2] * m.at[i2][j1];
        }
    }
    for (int j = 0; j < 3; j++)
        determinant += m.at[0][j] * cofactors[0][j];
    matrix n = {{{0.0}}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            n.at[i][j] = cofactors[j][i] / determinant;
            n.at[i][3] -= n.at[i][j] * m.at[j][3];
        }
    }
    return n;
}

void crowd_oracle_models(const crowd_oracle *o, const joint_pose *poses, bool scaled,
                         matrix *models) {
    size_t *walk = crowd_walk(o->skeleton);
    for (size_t n = 0; n < o->joint_count; n++) {
        const size_t joint = walk[n];
        const int32_t parent = o->skeleton->parents[joint];
        const matrix local = matrix_of(poses[joint], scaled);
        models[joint] = parent < 0 ? local : product(models[parent], local);
    }
    free(walk);
}

matrix *crowd_binds(const crowd_oracle *o, bool scaled) {
    const pm_array *given = &o->skeleton->inverse_binds;
    matrix *binds = crowd_allocate(o->joint_count, sizeof *binds);
    if (!given->data)
        crowd_oracle_models(o, o->rest, scaled, binds);
    for (size_t joint = 0; joint < o->joint_count; joint++) {
        if (!given->data)
            binds[joint] = inverse(binds[joint]);
        for (size_t i = 0; i < 12 && given->data; i++)
            binds[joint].at[i / 4][i % 4] = crowd_number(given, joint, 12, i);
    }
    return binds;
}

void crowd_oracle_palette(const crowd_oracle *o, const joint_pose *poses, bool scaled,
                          matrix *palette) {
    crowd_oracle_models(o, poses, scaled, palette);
    for (size_t joint = 0; joint < o->joint_count; joint++)
        palette[joint] = product(palette[joint], o->binds[scaled][joint]);
}

/* ---- sizes -------------------------------------------------------------------------- */

static double largest(vec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

/* An offset counts with its length at rest as a minimum: a position curve may pass through 0, and
 * its absolute error does not vanish there. */
void crowd_oracle_model_sizes(const crowd_oracle *o, const joint_pose *poses, bool scaled,
                              joint_size *sizes) {
    size_t *walk = crowd_walk(o->skeleton);
    for (size_t n = 0; n < o->joint_count; n++) {
        const size_t joint = walk[n];
        const int32_t up = o->skeleton->parents[joint];
        const joint_size parent = up < 0 ? (joint_size){1.0, 0.0} : sizes[up];
        const double offset =
            fmax(vec3_norm(poses[joint].position), vec3_norm(o->rest[joint].position));
        const double stretch = fmax(largest(poses[joint].scale), largest(o->rest[joint].scale));
        sizes[joint] = (joint_size){parent.stretch * (scaled ? stretch : 1.0),
                                    parent.reach + parent.stretch * offset};
    }
    free(walk);
}

void crowd_oracle_palette_sizes(const crowd_oracle *o, const joint_pose *poses, bool scaled,
                                joint_size *sizes) {
    crowd_oracle_model_sizes(o, poses, scaled, sizes);
    for (size_t joint = 0; joint < o->joint_count; joint++) {
        const matrix *bind = &o->binds[scaled][joint];
        double squares = 0.0, shift = 0.0;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++)
                squares += bind->at[i][j] * bind->at[i][j];
            shift += bind->at[i][3] * bind->at[i][3];
        }
        sizes[joint].reach += sizes[joint].stretch * sqrt(shift);
        sizes[joint].stretch *= sqrt(squares / 3.0); /* a rotation has stretch 1 */
    }
}
