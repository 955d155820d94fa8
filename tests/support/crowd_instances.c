/* SPDX-License-Identifier: MIT
 *
 * Random instances of crowds, valid and invalid, and their errors against the oracle.
 */
#include "crowd_scene.h"
#include "motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/counts.h"
#include "kernels/pm_crowd_outputs.h"

#define TOLERANCE 2e-6
#define DAY (86400.0 * PM_TICKS_PER_SECOND)

/* ---- instances ----------------------------------------------------------------------- */

/* Within a few laps of the first one, days away, or at a border. */
static int64_t some_time(random_source *source, const scene *s, uint32_t clip) {
    const int64_t ticks = crowd_oracle_ticks(s->oracle, clip);
    switch (random_bits(source) % 8) {
    case 0:
        return (int64_t)random_between(source, -20 * DAY, 20 * DAY);
    case 1:
        return (int64_t)(random_bits(source) % 7) * ticks - 3 * ticks;
    default:
        return (int64_t)(random_between(source, -3, 3) * (double)ticks);
    }
}

static float some_weight(random_source *source) {
    const uint64_t dice = random_bits(source) % 5;
    return dice == 0 ? 0 : dice == 1 ? 1 : (float)random_unit(source);
}

pm_crowd_instance scene_instance(random_source *source, const scene *s) {
    pm_crowd_instance n = {.clip_a = (uint32_t)(random_bits(source) % s->clip_count),
                           .clip_b = (uint32_t)(random_bits(source) % s->clip_count),
                           .mask = (uint16_t)(random_bits(source) % (SCENE_MASKS + 1)),
                           .level = (uint8_t)(random_bits(source) % SCENE_LEVELS),
                           .flags = (uint8_t)(random_bits(source) % 16)};
    n.time_a = some_time(source, s, n.clip_a);
    n.time_b = some_time(source, s, n.clip_b);
    n.weight = some_weight(source);
    return n;
}

void scene_instances(const scene *s, uint64_t salt, size_t count, pm_crowd_instance *instances) {
    random_source source = random_salted(salt);
    for (size_t i = 0; i < count; i++)
        instances[i] = scene_instance(&source, s);
}

pm_crowd_instance scene_alike_instance(random_source *source, const scene *s, size_t index) {
    enum { BLENDED = 1, ADDITIVE = 2, MASKED = 4, LEVEL = 8, IN_PLACE = 16, ALL = 31 };
    static const unsigned kinds[] = {
        0, BLENDED, BLENDED | ADDITIVE, LEVEL, IN_PLACE, BLENDED | MASKED, ALL};
    const unsigned has = kinds[index / SCENE_VECTOR % COUNT_OF(kinds)];
    pm_crowd_instance n = scene_instance(source, s);
    n.weight = has & BLENDED ? n.weight : 0.0f;
    n.mask = has & MASKED ? n.mask : 0;
    n.level = has & LEVEL ? n.level : 0;
    n.flags &= (uint8_t) ~(has & ADDITIVE ? 0 : PM_CROWD_ADDITIVE);
    n.flags &= (uint8_t) ~(has & IN_PLACE ? 0 : PM_CROWD_IN_PLACE);
    return n;
}

pm_crowd_instance scene_bad_instance(random_source *source, const scene *s) {
    static const float weights[] = {NAN,   -NAN,    INFINITY, -INFINITY, -0.25f,
                                    1.75f, -1e-40f, 1e-40f,   -0.0f,     0.5f};
    static const int64_t times[] = {INT64_MIN, INT64_MAX, INT64_MIN + 1, -1, 0, 1};
    pm_crowd_instance n = scene_instance(source, s);
    const uint64_t dice = random_bits(source);
    n.weight = weights[dice / 64 % COUNT_OF(weights)];
    n.clip_a = dice & 1 ? (uint32_t)(random_bits(source) | s->clip_count) : n.clip_a;
    n.clip_b = dice & 2 ? (uint32_t)(random_bits(source) | s->clip_count) : n.clip_b;
    n.mask = dice & 4 ? (uint16_t)(random_bits(source) | (SCENE_MASKS + 1)) : n.mask;
    n.level = dice & 8 ? (uint8_t)(random_bits(source) | SCENE_LEVELS) : n.level;
    n.flags = dice & 16 ? (uint8_t)random_bits(source) : n.flags;
    n.time_a = times[dice / 1024 % 6];
    n.time_b = times[dice / 8192 % 6];
    return n;
}

/* ---- posing ---------------------------------------------------------------------------- */

#define OUTPUT_ROW(name, number, form, numbers, bits, bound) [PM_CROWD_##name] = {form, bound},
static const struct {
    int form;
    bool bound; /* relative to the bind pose */
} rows[PM_CROWD_OUTPUT_COUNT] = {PM_CROWD_OUTPUTS(OUTPUT_ROW)};

size_t scene_floats(const scene *s, pm_crowd_output output, size_t count) {
    const size_t records = rows[output].form == PM_FORM_BOUNDS ? 1 : s->joints;
    return count * records * (pm_crowd_record_bytes(output) / sizeof(float));
}

float *scene_pose(const scene *s, pm_crowd_output output, const pm_crowd_instance *instances,
                  size_t count, bool on_reference) {
    const size_t floats = scene_floats(s, output, count);
    float *records = guarded_floats(floats);
    pm_error error = poisoned_error();
    pm_crowd_instance *alone = test_array(count, sizeof *alone);
    memcpy(alone, instances, count * sizeof *alone);
    for (size_t i = 0; i < count && rows[output].form == PM_FORM_BODY; i++)
        alone[i].weight = 0; /* states of bodies are those of clip A alone */
    pm_crowd_job job = CROWD_JOB(alone, count, .output = output, .memory = records);
    job.on_reference = on_reference;
    expect_ok(pm_crowd_pose(s->crowd, &job, &error), &error);
    free(alone);
    for (size_t i = 0; i < floats; i++)
        if (is_poison(records[i]))
            fail_msg("float %zu of %zu was not written", i, floats);
    return records;
}

double half_value(uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const double fraction = (double)(bits & 1023) / 1024, sign = bits >> 15 ? -1 : 1;
    if (exponent == 31)
        return fraction > 0 ? (double)NAN : sign * HUGE_VAL;
    return sign * (exponent ? ldexp(1 + fraction, exponent - 15) : ldexp(fraction, -14));
}

/* ---- errors ---------------------------------------------------------------------------- */

static matrix matrix_of_record(const float *record) {
    matrix m;
    for (size_t i = 0; i < 12; i++)
        m.at[i / 4][i % 4] = (double)record[i];
    return m;
}

/* The rotation is that of the real part, the translation twice the dual part times its
 * conjugate. */
static matrix matrix_of_dual(const float *record) {
    const quat real = {(double)record[0], (double)record[1], (double)record[2], (double)record[3]};
    const quat dual = {(double)record[4], (double)record[5], (double)record[6], (double)record[7]};
    const quat shift = quat_scale(quat_multiply(dual, quat_conjugate(real)), 2.0);
    const vec3 axes[3] = {quat_rotate(real, (vec3){1, 0, 0}), quat_rotate(real, (vec3){0, 1, 0}),
                          quat_rotate(real, (vec3){0, 0, 1})};
    return (matrix){{{axes[0].x, axes[1].x, axes[2].x, shift.x},
                     {axes[0].y, axes[1].y, axes[2].y, shift.y},
                     {axes[0].z, axes[1].z, axes[2].z, shift.z}}};
}

/* Infinite when a value is not a number. */
static double relative(double a, double b, double size) {
    const double error = fabs(a - b) / size;
    return isnan(error) ? HUGE_VAL : error;
}

static void merge_error(const matrix *a, const matrix *b, joint_size size, scene_error *worst) {
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++)
            worst->linear = fmax(worst->linear, relative(a->at[i][j], b->at[i][j], size.stretch));
        worst->shift = fmax(worst->shift, relative(a->at[i][3], b->at[i][3], size.reach));
    }
}

/* The box of model matrices, as the record of PM_CROWD_BOUNDS has it. */
static void box_of(const scene *s, const matrix *models, double box[8]) {
    for (size_t i = 0; i < 4; i++) {
        box[i] = i < 3 ? HUGE_VAL : 0;
        box[4 + i] = i < 3 ? -HUGE_VAL : 0;
        for (size_t joint = 0; joint < s->joints && i < 3; joint++) {
            const double *row = models[joint].at[i];
            const double stretch = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
            box[i] = fmin(box[i], row[3] - stretch * (double)s->radii[joint]);
            box[4 + i] = fmax(box[4 + i], row[3] + stretch * (double)s->radii[joint]);
        }
    }
}

/* Relative to the longest chain. */
static void merge_box(const scene *s, const float *record, const matrix *models,
                      const joint_size *sizes, scene_error *worst) {
    double box[8], reach = 0;
    box_of(s, models, box);
    for (size_t joint = 0; joint < s->joints; joint++)
        reach = fmax(reach, sizes[joint].reach + (double)s->radii[joint]);
    for (size_t i = 0; i < 8; i++)
        worst->shift = fmax(worst->shift, relative((double)record[i], box[i], fmax(reach, 1e-3)));
}

/* Dual quaternions have the scales of the rest pose. */
static joint_pose *shown_poses(const scene *s, const joint_pose *poses, bool rigid) {
    joint_pose *shown = test_array(s->joints, sizeof *shown);
    memcpy(shown, poses, s->joints * sizeof *shown);
    for (size_t joint = 0; rigid && joint < s->joints; joint++) {
        const float *scale = s->scales + 3 * joint;
        shown[joint].scale = (vec3){(double)scale[0], (double)scale[1], (double)scale[2]};
    }
    return shown;
}

scene_error scene_worst_of(const scene *s, pm_crowd_output output, const float *records,
                           const joint_pose *of) {
    scene_error worst = {0, 0};
    const size_t width = pm_crowd_record_bytes(output) / sizeof(float);
    const bool rigid = rows[output].form == PM_FORM_RIGID;
    SCOPED(free_at) joint_pose *poses = shown_poses(s, of, rigid);
    SCOPED(free_at) matrix *wanted = test_array(s->joints, sizeof *wanted);
    SCOPED(free_at) joint_size *sizes = test_array(s->joints, sizeof *sizes);
    if (rows[output].bound) {
        crowd_oracle_palette(s->oracle, poses, true, wanted);
        crowd_oracle_palette_sizes(s->oracle, poses, true, sizes);
    } else {
        crowd_oracle_models(s->oracle, poses, true, wanted);
        crowd_oracle_model_sizes(s->oracle, poses, true, sizes);
    }
    if (rows[output].form == PM_FORM_BOUNDS)
        merge_box(s, records, wanted, sizes, &worst);
    for (size_t k = 0; k < s->joints && rows[output].form != PM_FORM_BOUNDS; k++) {
        const float *record = records + k * width;
        const matrix got = rigid ? matrix_of_dual(record) : matrix_of_record(record);
        merge_error(&got, &wanted[s->order[k]], sizes[s->order[k]], &worst);
    }
    return worst;
}

scene_error scene_worst(const scene *s, pm_crowd_output output, const float *records,
                        const pm_crowd_instance *instances, size_t count) {
    scene_error worst = {0, 0};
    SCOPED(free_at) joint_pose *poses = test_array(s->joints, sizeof *poses);
    for (size_t n = 0; n < count; n++) {
        crowd_oracle_pose(s->oracle, &instances[n], poses);
        const scene_error one =
            scene_worst_of(s, output, records + n * scene_floats(s, output, 1), poses);
        worst.linear = fmax(worst.linear, one.linear);
        worst.shift = fmax(worst.shift, one.shift);
    }
    return worst;
}

void scene_expect(const scene *s, pm_crowd_output output, const float *records,
                  const pm_crowd_instance *instances, size_t count, const char *what) {
    const scene_error worst = scene_worst(s, output, records, instances, count);
    printf("# %-40s linear %.2e shift %.2e (%zu joints)\n", what, worst.linear, worst.shift,
           s->joints);
    if (worst.linear > TOLERANCE || worst.shift > TOLERANCE)
        fail_msg("%s exceeds %g", what, TOLERANCE);
}
