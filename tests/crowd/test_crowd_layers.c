/* SPDX-License-Identifier: MIT
 *
 * What jobs of crowds have beside instances: layers, subsets, bounds, lists of instances, and local
 * poses from outside. Each against the oracle in double precision, against properties that need none,
 * and with the same bits on the device, on the reference path and one by one.
 */
#include "base/counts.h"
#include "engine/engine.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"
#include "support/stack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 37, LAYERS = 150 };

/* The instances of a job, their layers and the ranges of those. */
typedef struct cast {
    pm_crowd_instance instances[COUNT];
    pm_crowd_layer layers[LAYERS];
    pm_crowd_range ranges[COUNT];
} cast;

static pm_crowd_layer layer_of(random_source *source, const scene *s) {
    const pm_crowd_instance n = scene_instance(source, s);
    return (pm_crowd_layer){.time = n.time_b,
                            .clip = n.clip_b,
                            .weight = n.weight,
                            .mask = n.mask,
                            .op = (uint8_t)(random_bits(source) % 3),
                            .flags = n.flags & PM_CROWD_CLAMP_A ? PM_LAYER_CLAMP : 0};
}

/* Some layers have no effect, in each way; some instances begin from the rest pose; ranges overlap, and
 * some reach past the last layer. */
static void make_cast(random_source *source, const scene *s, cast *c) {
    for (size_t i = 0; i < LAYERS; i++) {
        const uint64_t dice = random_bits(source) % 24;
        pm_crowd_layer *l = &c->layers[i];
        *l = layer_of(source, s);
        l->clip = dice == 0 ? UINT32_MAX : l->clip;
        l->weight = dice == 1 ? NAN : dice == 2 ? 0.0f : dice == 3 ? 7.0f : l->weight;
        l->op = dice == 4 ? 3 : l->op;
    }
    for (size_t i = 0; i < COUNT; i++) {
        c->instances[i] = scene_instance(source, s);
        if (i % 5 == 3)
            c->instances[i].clip_a = UINT32_MAX;
        c->ranges[i].first = (uint32_t)(random_bits(source) % LAYERS);
        c->ranges[i].count = (uint32_t)(i % 7 == 6 ? 80 : random_bits(source) % 13);
    }
    c->ranges[COUNT - 1] = (pm_crowd_range){UINT32_MAX, UINT32_MAX};
}

static const pm_crowd_layer *layers_of(const cast *c, size_t i, size_t *count) {
    const size_t first = c->ranges[i].first < LAYERS ? c->ranges[i].first : LAYERS;
    *count = c->ranges[i].count < LAYERS - first ? c->ranges[i].count : LAYERS - first;
    return c->layers + first;
}

static pm_crowd_job job_of(const cast *c, const pm_crowd_target *target) {
    return (pm_crowd_job){.instances = c->instances,
                          .instance_count = COUNT,
                          .layers = c->layers,
                          .layer_count = LAYERS,
                          .ranges = c->ranges,
                          .outputs = target,
                          .output_count = 1};
}

static size_t floats_of(const scene *s, pm_crowd_output output, uint32_t subset) {
    const size_t joints = subset ? s->subsets[subset - 1].joint_count : s->joints;
    return (output == PM_CROWD_BOUNDS ? 1 : joints) *
           (pm_crowd_record_bytes(output) / sizeof(float));
}

/* Poses a job of `rows` records into guarded memory. The caller frees it. */
static float *posed(const scene *s, pm_crowd_job job, pm_crowd_output output, uint32_t subset,
                    size_t rows) {
    const size_t floats = rows * floats_of(s, output, subset);
    float *records = guarded_floats(floats);
    job.outputs = &(pm_crowd_target){.output = output, .subset = subset, .memory = records};
    job.output_count = 1;
    expect_success(pm_crowd_pose(s->crowd, &job, new_error()));
    return records;
}

/* The records of a job on the device, once they are those of the reference with every instruction set. */
static float *posed_alike(const scene *s, pm_crowd_job job, pm_crowd_output output, uint32_t subset,
                          size_t rows) {
    const size_t floats = rows * floats_of(s, output, subset);
    const size_t widest = s->crowd->latest->data->instruction_set;
    float *records = posed(s, job, output, subset, rows);
    job.on_reference = true;
    for (size_t k = 0; k <= widest; k++) {
        s->crowd->latest->data->instruction_set = k;
        SCOPED(guarded_free_at) float *reference = posed(s, job, output, subset, rows);
        expect_same_bits(records, reference, floats, floats / rows);
    }
    return records;
}

static void expect_one_by_one(const scene *s, const cast *c, pm_crowd_output output,
                              uint32_t subset, const float *records) {
    const size_t floats = floats_of(s, output, subset);
    for (size_t i = 0; i < COUNT; i++) {
        SCOPED(guarded_free_at) float *one = guarded_floats(floats);
        pm_crowd_one from = {.instance = &c->instances[i], .output = output, .subset = subset};
        from.layers = layers_of(c, i, &from.layer_count);
        expect_success(pm_crowd_pose_one(s->crowd, &from, one, new_error()));
        expect_same_bits(one, records + i * floats, floats, floats);
    }
}

static void expect_near_oracle(const scene *s, const cast *c, pm_crowd_output output,
                               const float *records) {
    SCOPED(free_at) joint_pose *poses = test_array(s->joints, sizeof *poses);
    scene_error worst = {0, 0};
    for (size_t i = 0; i < COUNT; i++) {
        size_t count;
        const pm_crowd_layer *layers = layers_of(c, i, &count);
        crowd_oracle_layered_pose(s->oracle, &c->instances[i], layers, count, poses);
        const scene_error one =
            scene_worst_of(s, output, records + i * floats_of(s, output, 0), poses);
        worst.linear = fmax(worst.linear, one.linear);
        worst.shift = fmax(worst.shift, one.shift);
    }
    printf("# layers, output %d: linear %.2e shift %.2e\n", (int)output, worst.linear, worst.shift);
    assert_true(worst.linear < 4e-6 && worst.shift < 4e-6);
}

/* ---- layers and subsets ---------------------------------------------------------------------- */

static void expect_subset(const scene *s, pm_crowd_output output, uint32_t subset,
                          const float *part, const float *all) {
    const size_t width = pm_crowd_record_bytes(output) / sizeof(float);
    const pm_subset *of = &s->subsets[subset - 1];
    for (size_t i = 0; i < COUNT; i++)
        for (size_t r = 0; r < of->joint_count; r++) {
            size_t k = 0;
            while (s->order[k] != of->joints[r])
                k++;
            expect_same_bits(part + (i * of->joint_count + r) * width,
                             all + (i * s->joints + k) * width, width, width);
        }
}

/* Libm's is not fused everywhere. The product is exact, and the sum has many more bits than a float. */
static float fused(float a, float b, float c) {
    return (float)((long double)a * (long double)b + (long double)c);
}

/* The half of an ellipsoid's size along an axis: of a sphere that a matrix transforms. */
static float extent_of(const float row[4], float radius) {
    const float two = fused(row[1], row[1], row[2] * row[2]);
    return radius * sqrtf(fused(row[0], row[0], two));
}

/* From MODEL records: exact. */
static void expect_bounds(const scene *s, uint32_t subset, const float *bounds,
                          const float *models) {
    for (size_t i = 0; i < COUNT; i++)
        for (size_t axis = 0; axis < 3; axis++) {
            float low = INFINITY, high = -INFINITY;
            for (size_t k = 0; k < s->joints; k++) {
                bool in = subset == 0;
                for (size_t r = 0; subset && r < s->subsets[subset - 1].joint_count; r++)
                    in = in || s->subsets[subset - 1].joints[r] == s->order[k];
                const float *row = models + (i * s->joints + k) * 12 + 4 * axis, at = row[3];
                const float radius = extent_of(row, s->radii[s->order[k]]);
                low = in && at - radius < low ? at - radius : low;
                high = in && at + radius > high ? at + radius : high;
            }
            assert_true(bounds[8 * i + axis] == low && bounds[8 * i + 4 + axis] == high);
            assert_true(bounds[8 * i + 3] == 0 && bounds[8 * i + 7] == 0);
        }
}

typedef struct views {
    size_t count;
    pm_crowd_output of[PM_CROWD_POSE_COUNT];
} views;

static const views every = {PM_CROWD_POSE_COUNT,
                            {PM_CROWD_PALETTE, PM_CROWD_PALETTE_HALF, PM_CROWD_DUAL, PM_CROWD_MODEL,
                             PM_CROWD_LOCAL, PM_CROWD_BOUNDS}};
static const views palettes = {1, {PM_CROWD_PALETTE}};
static const views boxes = {1, {PM_CROWD_BOUNDS}};

/* Each output is another program, which some devices compile for a minute. Where few are compiled, all tests
 * share that of boxes, which depend on every joint, and the one for given poses. */
static pm_crowd_output shared_of(void **state, pm_crowd_output wanted) {
    return has_few_programs(state) ? PM_CROWD_BOUNDS : wanted;
}

static const views *views_of(void **state, const views *wanted) {
    return has_few_programs(state) ? &boxes : wanted;
}

static void expect_view(const scene *s, const cast *c, pm_crowd_output output, uint32_t subsets,
                        const float *models) {
    SCOPED(guarded_free_at) float *all = posed_alike(s, job_of(c, NULL), output, 0, COUNT);
    expect_one_by_one(s, c, output, 0, all);
    if (output == PM_CROWD_PALETTE || output == PM_CROWD_DUAL)
        expect_near_oracle(s, c, output, all);
    if (output == PM_CROWD_BOUNDS)
        expect_bounds(s, 0, all, models);
    for (uint32_t subset = 1; subset <= subsets; subset++) {
        SCOPED(guarded_free_at)
        float *part = posed_alike(s, job_of(c, NULL), output, subset, COUNT);
        expect_one_by_one(s, c, output, subset, part);
        if (output == PM_CROWD_BOUNDS)
            expect_bounds(s, subset, part, models);
        else
            expect_subset(s, output, subset, part, all);
    }
}

static void expect_scene(void **state, const views *wanted, uint32_t subsets,
                         const scene_options *options) {
    SCOPED(scene_free) scene s;
    static cast c;
    random_source source = random_salted(options->salt);
    scene_make(engine_for(state), options, &s);
    make_cast(&source, &s, &c);
    pm_crowd_job job = job_of(&c, NULL);
    job.on_reference = has_few_programs(state);
    SCOPED(guarded_free_at) float *models = posed_alike(&s, job, PM_CROWD_MODEL, 0, COUNT);
    expect_near_oracle(&s, &c, PM_CROWD_MODEL, models);
    for (size_t n = 0; n < wanted->count; n++)
        expect_view(&s, &c, wanted->of[n], subsets, models);
}

TEST_ON_BOTH(every_view_of_layered_instances_is_that_of_the_oracle) {
    expect_scene(state, views_of(state, &every), SCENE_SUBSETS,
                 &(scene_options){.salt = 0xB01, .binds = SCENE_BIND_RIGID, .scales = true});
    expect_scene(state, &boxes, SCENE_SUBSETS,
                 &(scene_options){.salt = 0xB01, .scales = true, .rest_scales = true});
}

TEST_ON_BOTH(layers_of_every_kind_of_clip_are_those_of_the_oracle) {
    const scene_options kinds[] = {{.salt = 0xB02, .times = SCENE_LISTED, .looped = true},
                                   {.salt = 0xB03, .times = SCENE_PER_JOINT_UNEVEN},
                                   {.salt = 0xB05, .without_positions = true},
                                   {.salt = 0xB06, .joints = small_sizes() ? 40 : 150},
                                   {.salt = 0xB07, .joints = 1},
                                   {.salt = 0xB0A, .root_positions = true},
                                   {.salt = 0xB04, .key_format = PM_KEYS_LOG48}};
    const size_t count = COUNT_OF(kinds);
    const bool is_few = has_few_programs(state);
    for (size_t n = 0; n < count - is_few; n++) /* keys of 48 bits are a program of their own */
        if (kinds[n].times != SCENE_PER_JOINT_UNEVEN ||
            !is_rusticl(engine_for(state))) /* likewise */
            expect_scene(state, views_of(state, &palettes), is_few ? 0 : SCENE_SUBSETS, &kinds[n]);
}

TEST_ON_REFERENCE(layers_of_every_method_are_those_of_the_oracle) {
    for (size_t n = 0; n < variant_count(); n++)
        expect_scene(
            state, &palettes, SCENE_SUBSETS,
            &(scene_options){.salt = 0xB10 + n, .curve = variant_at(n), .root_positions = n % 2});
}

/* In long sweeps, and on the kernels as C. */
TEST_ON_DEVICE(parts_of_poses_have_the_same_bits) {
    static const pm_crowd_output outputs[] = {PM_CROWD_PALETTE_HALF, PM_CROWD_BOUNDS};
    SCOPED(scene_free) scene s;
    static cast c;
    random_source source = random_salted(0xB08);
    scene_make(engine_for(state), &(scene_options){.salt = 0xB08, .scales = true}, &s);
    if (has_few_programs(state))
        return;
    make_cast(&source, &s, &c);
    for (size_t o = 0; o < COUNT_OF(outputs); o++)
        for (uint32_t subset = 1; subset <= SCENE_SUBSETS; subset++)
            guarded_free(posed_alike(&s, job_of(&c, NULL), outputs[o], subset, COUNT));
    SCOPED(guarded_free_at) float *local = posed(&s, job_of(&c, NULL), PM_CROWD_LOCAL, 0, COUNT);
    const pm_crowd_job given = {.poses = local, .instance_count = COUNT};
    guarded_free(posed_alike(&s, given, PM_CROWD_MODEL, 2, COUNT));
}

/* ---- properties of layers -------------------------------------------------------------------- */

/* The local poses of an instance that begins from the rest pose, or from clip 0, with layers. */
static void pose_layers(const scene *s, uint32_t clip_a, const pm_crowd_layer *layers, size_t count,
                        float *records) {
    const pm_crowd_instance instance = {.clip_a = clip_a};
    const pm_crowd_one from = {
        .instance = &instance, .layers = layers, .layer_count = count, .output = PM_CROWD_LOCAL};
    expect_success(pm_crowd_pose_one(s->crowd, &from, records, new_error()));
}

TEST_ON_BOTH(a_layer_of_full_weight_is_the_sample) {
    SCOPED(scene_free) scene s;
    random_source source = random_salted(0xB20);
    scene_make(engine_for(state), &(scene_options){.salt = 0xB20, .scales = true}, &s);
    const size_t floats = floats_of(&s, PM_CROWD_LOCAL, 0);
    SCOPED(guarded_free_at)
    float *sample = guarded_floats(floats), *layered = guarded_floats(floats);
    for (size_t n = 0; n < 200; n++) {
        pm_crowd_layer layer = layer_of(&source, &s);
        layer.mask = 0;
        layer.weight = 1;
        const pm_crowd_instance alone = {.clip_a = layer.clip,
                                         .time_a = layer.time,
                                         .flags = layer.flags ? PM_CROWD_CLAMP_A : 0};
        expect_success(pm_crowd_pose_one(
            s.crowd, &(pm_crowd_one){.instance = &alone, .output = PM_CROWD_LOCAL}, sample,
            new_error()));
        for (layer.op = PM_LAYER_OVER; layer.op <= PM_LAYER_MEAN; layer.op += 2) {
            pose_layers(&s, n % 2 ? UINT32_MAX : 0, &layer, 1, layered);
            expect_same_bits(layered, sample, floats, 12);
        }
    }
}

/* A mean of one is a crossfade, with any weight and mask; a crossfade as a layer is that of A and B. */
TEST_ON_BOTH(a_mean_of_one_and_clip_b_are_crossfades) {
    SCOPED(scene_free) scene s;
    random_source source = random_salted(0xB21);
    scene_make(engine_for(state), &(scene_options){.salt = 0xB21, .scales = true}, &s);
    const size_t floats = floats_of(&s, PM_CROWD_LOCAL, 0);
    SCOPED(guarded_free_at) float *a = guarded_floats(floats), *b = guarded_floats(floats);
    for (size_t n = 0; n < 200; n++) {
        pm_crowd_layer layer = layer_of(&source, &s);
        const pm_crowd_instance both = {.clip_b = layer.clip,
                                        .time_b = layer.time,
                                        .weight = layer.weight,
                                        .mask = layer.mask,
                                        .flags = (uint8_t)((layer.flags ? PM_CROWD_CLAMP_B : 0) |
                                                           (n % 2 ? PM_CROWD_ADDITIVE : 0))};
        expect_success(pm_crowd_pose_one(
            s.crowd, &(pm_crowd_one){.instance = &both, .output = PM_CROWD_LOCAL}, a, new_error()));
        layer.op = n % 2 ? PM_LAYER_ADD : PM_LAYER_OVER;
        pose_layers(&s, 0, &layer, 1, b);
        expect_same_bits(a, b, floats, 12);
        layer.op = PM_LAYER_MEAN;
        pose_layers(&s, 0, &layer, 1, a);
        layer.op = PM_LAYER_OVER;
        pose_layers(&s, 0, &layer, 1, b);
        expect_same_bits(a, b, floats, 12);
    }
}

/* Samples of one clip within a moment, so that the sign of each is nearer to any other's. Layers without
 * effect between them do not divide the group. */
TEST_ON_BOTH(the_order_of_a_mean_does_not_count) {
    SCOPED(scene_free) scene s;
    random_source source = random_salted(0xB22);
    scene_make(engine_for(state), &(scene_options){.salt = 0xB22, .scales = true}, &s);
    const size_t floats = floats_of(&s, PM_CROWD_LOCAL, 0);
    SCOPED(guarded_free_at) float *a = guarded_floats(floats), *b = guarded_floats(floats);
    for (size_t n = 0; n < 100; n++) {
        pm_crowd_layer group[5], other[5];
        for (size_t i = 0; i < 5; i++) {
            group[i] = layer_of(&source, &s);
            group[i].clip = 0;
            group[i].time = pm_crowd_ticks(0.25 + 0.01 * (double)i);
            group[i].op = PM_LAYER_MEAN;
        }
        memcpy(other, group, sizeof group);
        other[0] = group[3], other[1] = group[4], other[3] = group[1], other[4] = group[0];
        if (n % 2)
            group[2] = other[2] = (pm_crowd_layer){.op = PM_LAYER_OVER, .clip = 1};
        pose_layers(&s, 0, group, 5, a);
        pose_layers(&s, 0, other, 5, b);
        for (size_t i = 0; i < floats; i++) {
            const double size = fmax(1, fabs((double)a[i]));
            if (!(fabs((double)a[i] - (double)b[i]) <= 2e-7 * size))
                fail_msg("float %zu: %.9g and %.9g", i, (double)a[i], (double)b[i]);
        }
    }
}

TEST_ON_BOTH(rotations_that_cancel_have_the_first_as_their_mean) {
    const int32_t parent = PM_NO_PARENT;
    const double h = 0.70710678118654752;
    /* turns of +90 and -90 degrees about x and y, and none: sums of the first four cancel */
    const double keys[5][4] = {
        {h, 0, 0, h}, {-h, 0, 0, h}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    pm_timeline timelines[5];
    pm_clip_desc clips[5] = {{0}};
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = NULL;
    for (size_t i = 0; i < 5; i++) {
        timelines[i] = (pm_timeline){.key_count = 1, .rate = {1, 1}};
        clips[i].track_count = 1;
        clips[i].timelines = &timelines[i];
        clips[i].timeline_count = 1;
        clips[i].rotations = (pm_array){.data = keys[i], .type = PM_FLOAT64};
    }
    SCOPED(pm_crowd_destroy)
    pm_crowd *crowd =
        crowd_make(engine_for(state), &(pm_skeleton_desc){.joint_count = 1, .parents = &parent},
                   clips, 5, &skeleton);
    /* w q of clip 2 is nearly nothing; those of 3 and of 3 again, with the sign that clip 2 leaves
     * open, add up, and those of opposite turns are 90 degrees apart */
    const pm_crowd_layer layers[] = {{.clip = 2, .weight = 1e-7f, .op = PM_LAYER_MEAN},
                                     {.clip = 3, .weight = 0.5f, .op = PM_LAYER_MEAN}};
    float record[12];
    const pm_crowd_instance rest = {.clip_a = UINT32_MAX};
    const pm_crowd_one from = {
        .instance = &rest, .layers = layers, .layer_count = 2, .output = PM_CROWD_LOCAL};
    expect_success(pm_crowd_pose_one(crowd, &from, record, new_error()));
    for (size_t i = 0; i < 12; i++)
        assert_true(isfinite(record[i]));
}

/* ---- any bytes ------------------------------------------------------------------------------- */

static void fill_random(random_source *source, void *to, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 8) {
        const uint64_t bits = random_bits(source);
        memcpy((char *)to + i, &bits, bytes - i < 8 ? bytes - i : 8);
    }
}

/* The records of every 101st instance, of poses one by one. */
static void expect_some_alike(const scene *s, const pm_crowd_job *job, pm_crowd_output output,
                              const float *records) {
    const size_t floats = floats_of(s, output, 0);
    SCOPED(guarded_free_at) float *one = guarded_floats(floats);
    for (size_t i = 0; i < job->instance_count; i += 101) {
        const pm_crowd_range range = job->ranges[i];
        const size_t left = range.first < job->layer_count ? job->layer_count - range.first : 0;
        const pm_crowd_one from = {.instance = &job->instances[i],
                                   .layers = job->layers + (left ? range.first : 0),
                                   .layer_count = range.count < left ? range.count : left,
                                   .output = output};
        expect_success(pm_crowd_pose_one(s->crowd, &from, one, new_error()));
        expect_same_bits(one, records + i * floats, floats, floats);
    }
}

/* Half of the clips and ops are brought into range, so that layers have effects. In a long sweep,
 * 2^20 instances. */
TEST_ON_BOTH(any_bytes_can_be_posed) {
    const size_t count = small_sizes() ? 256 : long_sweeps() ? 65536 : 4096;
    SCOPED(scene_free) scene s;
    random_source source = random_salted(0xB30);
    scene_make(engine_for(state), &(scene_options){.salt = 0xB30, .joints = 5, .scales = true}, &s);
    SCOPED(free_at) pm_crowd_instance *instances = test_array(count, sizeof *instances);
    SCOPED(free_at) pm_crowd_layer *layers = test_array(count, sizeof *layers);
    SCOPED(free_at) pm_crowd_range *ranges = test_array(count, sizeof *ranges);
    const pm_crowd_output output = shared_of(state, PM_CROWD_MODEL);
    const size_t floats = floats_of(&s, output, 0);
    for (size_t round = 0; round < (long_sweeps() ? 16 : 2); round++) {
        fill_random(&source, instances, count * sizeof *instances);
        fill_random(&source, layers, count * sizeof *layers);
        fill_random(&source, ranges, count * sizeof *ranges);
        for (size_t i = 0; i < count; i += 1 + random_bits(&source) % 3) {
            instances[i].clip_a %= 4;
            instances[i].clip_b %= 4;
            layers[i].clip %= 4;
            layers[i].op %= 4;
            layers[i].weight = fabsf(layers[i].weight);
            ranges[i].first %= (uint32_t)count;
            ranges[i].count %= 9;
        }
        const pm_crowd_job job = {.instances = instances,
                                  .instance_count = count,
                                  .layers = layers,
                                  .layer_count = count,
                                  .ranges = ranges,
                                  .frame = round};
        SCOPED(guarded_free_at) float *records = posed_alike(&s, job, output, 0, count);
        for (size_t i = 0; i < count * floats; i++)
            if (!isfinite(records[i]))
                fail_msg("float %zu of instance %zu: %g", i % floats, i / floats,
                         (double)records[i]);
        expect_some_alike(&s, &job, output, records);
    }
}

/* ---- lists ----------------------------------------------------------------------------------- */

TEST_ON_BOTH(lists_pose_the_instances_that_they_name) {
    SCOPED(scene_free) scene s;
    static cast c;
    random_source source = random_salted(0xB40);
    scene_make(engine_for(state), &(scene_options){.salt = 0xB40}, &s);
    make_cast(&source, &s, &c);
    pm_crowd_job job = job_of(&c, NULL);
    const pm_crowd_output output = shared_of(state, PM_CROWD_PALETTE);
    const size_t floats = floats_of(&s, output, 0);
    SCOPED(guarded_free_at) float *all = posed_alike(&s, job, output, 0, COUNT);
    /* every other instance backwards; an index that does not exist */
    uint32_t indices[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        indices[i] = i == 4 ? COUNT : i == 9 ? UINT32_MAX : (uint32_t)(COUNT - 1 - 2 * i % COUNT);
    job.indices = indices;
    job.index_count = COUNT / 2;
    SCOPED(guarded_free_at) float *own = posed_alike(&s, job, output, 0, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        bool listed = false;
        for (size_t e = 0; e < job.index_count; e++)
            listed = listed || indices[e] == i;
        if (listed)
            expect_same_bits(own + i * floats, all + i * floats, floats, floats);
        for (size_t k = 0; k < floats && !listed; k++)
            assert_true(is_poison(own[i * floats + k]));
    }
    job.packed = true;
    SCOPED(guarded_free_at) float *packed = posed_alike(&s, job, output, 0, job.index_count);
    for (size_t e = 0; e < job.index_count; e++)
        if (indices[e] < COUNT)
            expect_same_bits(packed + e * floats, all + indices[e] * floats, floats, floats);
        else
            assert_true(is_poison(packed[e * floats]));
}

/* Also with pieces of few instances, an index that is listed twice, and more entries than instances. */
TEST_ON_BOTH(packed_lists_may_repeat_and_be_divided) {
    static cast c;
    random_source source = random_salted(0xB41);
    SCOPED(pm_engine_destroy)
    pm_engine *small = engine_with(state, &(pm_engine_desc){.piece_bytes = 20000});
    SCOPED(scene_free) scene s;
    scene_make(small, &(scene_options){.salt = 0xB41}, &s);
    make_cast(&source, &s, &c);
    pm_crowd_job job = job_of(&c, NULL);
    const pm_crowd_output output = shared_of(state, PM_CROWD_PALETTE);
    const size_t floats = floats_of(&s, output, 0);
    SCOPED(guarded_free_at) float *all = posed_alike(&s, job, output, 0, COUNT);
    uint32_t indices[3 * COUNT];
    for (size_t i = 0; i < 3 * COUNT; i++)
        indices[i] = (uint32_t)(random_bits(&source) % (COUNT + 1));
    job.indices = indices;
    job.index_count = 3 * COUNT;
    job.packed = true;
    SCOPED(guarded_free_at) float *packed = posed_alike(&s, job, output, 0, job.index_count);
    for (size_t e = 0; e < job.index_count; e++)
        if (indices[e] < COUNT)
            expect_same_bits(packed + e * floats, all + indices[e] * floats, floats, floats);
    job.packed = false;
    SCOPED(guarded_free_at) float *own = posed_alike(&s, job, output, 0, COUNT);
    for (size_t e = 0; e < job.index_count; e++)
        if (indices[e] < COUNT)
            expect_same_bits(own + indices[e] * floats, all + indices[e] * floats, floats, floats);
}

/* Turns of update_every are those of the instances, not of the entries. */
TEST_ON_BOTH(listed_instances_are_updated_in_their_own_turn) {
    SCOPED(scene_free) scene s;
    static cast c;
    random_source source = random_salted(0xB42);
    scene_make(engine_for(state), &(scene_options){.salt = 0xB42}, &s);
    scene_undo(&s);
    s.levels[0].update_every = 2;
    scene_finish(engine_for(state), &s);
    make_cast(&source, &s, &c);
    for (size_t i = 0; i < COUNT; i++)
        c.instances[i].level = 0;
    const pm_crowd_output output = shared_of(state, PM_CROWD_MODEL);
    const size_t floats = floats_of(&s, output, 0);
    uint32_t indices[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        indices[i] = (uint32_t)(COUNT - 1 - i);
    pm_crowd_job job = job_of(&c, NULL);
    job.frame = 1;
    job.indices = indices;
    job.index_count = COUNT;
    SCOPED(guarded_free_at) float *records = posed_alike(&s, job, output, 0, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(is_poison(records[i * floats]), (1 + i / 16) % 2 != 0);
}

/* ---- local poses ----------------------------------------------------------------------------- */

TEST_ON_BOTH(two_jobs_chained_by_local_poses_give_the_bits_of_one) {
    static const pm_crowd_output outputs[] = {PM_CROWD_PALETTE, PM_CROWD_DUAL, PM_CROWD_BOUNDS};
    SCOPED(scene_free) scene s;
    static cast c;
    random_source source = random_salted(0xB50);
    scene_make(engine_for(state),
               &(scene_options){.salt = 0xB50, .binds = SCENE_BIND_RIGID, .scales = true}, &s);
    make_cast(&source, &s, &c);
    const size_t width = floats_of(&s, PM_CROWD_LOCAL, 0);
    pm_crowd_job first = job_of(&c, NULL);
    first.on_reference = has_few_programs(state);
    SCOPED(guarded_free_at) float *local = posed_alike(&s, first, PM_CROWD_LOCAL, 0, COUNT);
    for (size_t gap = 0; gap < 2; gap++) {
        SCOPED(guarded_free_at) float *rows = guarded_floats(COUNT * (width + gap));
        for (size_t i = 0; i < COUNT; i++)
            memcpy(rows + i * (width + gap), local + i * width, width * sizeof *rows);
        const pm_crowd_job job = {.poses = rows,
                                  .pose_stride = gap ? (width + gap) * sizeof *rows : 0,
                                  .instance_count = COUNT};
        for (size_t n = 0; n < (has_few_programs(state) ? 1 : COUNT_OF(outputs)); n++)
            for (uint32_t subset = 0; subset <= SCENE_SUBSETS; subset += 2) {
                const pm_crowd_output output = shared_of(state, outputs[n]);
                const size_t floats = floats_of(&s, output, subset);
                SCOPED(guarded_free_at)
                float *whole = posed_alike(&s, job_of(&c, NULL), output, subset, COUNT);
                SCOPED(guarded_free_at)
                float *chained = posed_alike(&s, job, output, subset, COUNT);
                expect_same_bits(chained, whole, COUNT * floats, floats);
                const pm_crowd_one one = {.pose = rows, .output = output, .subset = subset};
                expect_success(pm_crowd_pose_one(s.crowd, &one, chained, new_error()));
                expect_same_bits(chained, whole, floats, floats);
            }
    }
}

/* A joint that no clip scales, and the whole pose, in numbers of the test's own. */
TEST_ON_BOTH(given_poses_may_turn_move_and_scale_any_joint) {
    SCOPED(scene_free) scene s;
    random_source source = random_salted(0xB51);
    scene_make(engine_for(state), &(scene_options){.salt = 0xB51}, &s);
    SCOPED(free_at) float *poses = test_array(COUNT * s.joints * 12, sizeof *poses);
    SCOPED(free_at) joint_pose *wanted = test_array(s.joints, sizeof *wanted);
    memset(poses, 0, COUNT * s.joints * 12 * sizeof *poses);
    for (size_t n = 0; n < COUNT * s.joints; n++) {
        double q[4];
        float *p = poses + 12 * n;
        random_quaternion(&source, q);
        for (size_t i = 0; i < 4; i++)
            p[i] = (float)q[i];
        for (size_t i = 0; i < 3; i++) {
            p[4 + i] = (float)random_unit(&source);
            p[8 + i] = 0.5f + (float)random_unit(&source);
        }
    }
    pm_crowd_job job = {.poses = poses, .instance_count = COUNT};
    guarded_free(posed_alike(&s, job, shared_of(state, PM_CROWD_MODEL), 0, COUNT));
    job.on_reference = has_few_programs(state);
    SCOPED(guarded_free_at) float *records = posed_alike(&s, job, PM_CROWD_MODEL, 0, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < s.joints; k++) {
            const float *p = poses + (i * s.joints + k) * 12;
            wanted[s.order[k]] = (joint_pose){
                quat_normalise((quat){(double)p[0], (double)p[1], (double)p[2], (double)p[3]}),
                {(double)p[4], (double)p[5], (double)p[6]},
                {(double)p[8], (double)p[9], (double)p[10]}};
        }
        const scene_error e =
            scene_worst_of(&s, PM_CROWD_MODEL, records + i * s.joints * 12, wanted);
        assert_true(e.linear < 2e-6 && e.shift < 2e-6);
    }
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void expect_refused(const scene *s, const pm_crowd_job *job, const char *words) {
    float out[12];
    const pm_crowd_target target = {.output = PM_CROWD_BOUNDS, .memory = out};
    pm_crowd_job tried = *job;
    if (!tried.outputs) {
        tried.outputs = &target;
        tried.output_count = 1;
    }
    expect_error(pm_crowd_pose(s->crowd, &tried, new_error()), PM_ERROR_ARGUMENT, words);
}

TEST_ON_BOTH(jobs_that_do_not_fit_together_are_refused) {
    SCOPED(scene_free) scene s;
    scene_make(engine_for(state), &(scene_options){.salt = 0xB60}, &s);
    const pm_crowd_instance instance = {0};
    const pm_crowd_layer layer = {0};
    const pm_crowd_range range = {0, 1};
    float pose[12 * 11 + 1] = {0}, out[12];
    const pm_crowd_target odd[] = {{.output = PM_CROWD_BOUNDS, .subset = 3, .memory = out}};
    const pm_crowd_target twice[] = {{.output = PM_CROWD_BOUNDS, .subset = 1, .memory = out},
                                     {.output = PM_CROWD_BOUNDS, .subset = 1, .memory = out}};
#define REFUSED(words, ...)                                                                        \
    expect_refused(&s, &(pm_crowd_job){.instance_count = 1, __VA_ARGS__}, words)
    REFUSED("instances is NULL", .frame = 0);
    REFUSED("instances and poses are both set", .instances = &instance, .poses = pose);
    REFUSED("ranges is NULL", .instances = &instance, .layers = &layer, .layer_count = 1);
    REFUSED("layers is NULL", .instances = &instance, .ranges = &range);
    REFUSED("layers and poses", .poses = pose, .layers = &layer, .layer_count = 1,
            .ranges = &range);
    REFUSED("number of layers is 1", .instances = &instance, .layer_count = 1);
    REFUSED("indices is NULL", .instances = &instance, .index_count = 1);
    REFUSED("poses: stride is 12", .poses = pose, .pose_stride = 12);
    REFUSED("poses: its stride", .poses = pose, .pose_stride = sizeof pose - 1);
    REFUSED("poses: its address", .poses = (const char *)pose + 1);
    REFUSED("subset is 3", .instances = &instance, .outputs = odd, .output_count = 1);
    REFUSED("requested twice", .instances = &instance, .outputs = twice, .output_count = 2);
#undef REFUSED
    const uint32_t index = 0;
    const pm_crowd_job large = {.instances = &instance,
                                .instance_count = 1,
                                .indices = &index,
                                .index_count = (size_t)UINT32_MAX + 1,
                                .outputs = twice,
                                .output_count = 1};
    expect_error(pm_crowd_pose(s.crowd, &large, new_error()), PM_ERROR_SIZE, "number of indices");
    pm_crowd_target many[PM_CROWD_MAX_TARGETS + 1];
    for (size_t i = 0; i < PM_CROWD_MAX_TARGETS + 1; i++)
        many[i] = odd[0];
    expect_refused(&s,
                   &(pm_crowd_job){.instances = &instance,
                                   .instance_count = 1,
                                   .outputs = many,
                                   .output_count = PM_CROWD_MAX_TARGETS + 1},
                   "number of outputs is 33");
}

TEST_ON_REFERENCE(the_first_odd_layer_is_found) {
    SCOPED(scene_free) scene s;
    scene_make(engine_for(state), &(scene_options){.salt = 0xB61}, &s);
    const pm_crowd_layer good = {
        .clip = 1, .weight = 0.5f, .mask = 2, .op = PM_LAYER_MEAN, .flags = 1};
    pm_crowd_layer odd[8];
    for (size_t i = 0; i < 8; i++)
        odd[i] = good;
    odd[1].clip = 3;
    odd[2].weight = NAN;
    odd[3].weight = 1.5f;
    odd[4].mask = SCENE_MASKS + 1;
    odd[5].op = 3;
    odd[6].flags = 2;
    odd[7].reserved = 1;
    static const char *const words[] = {"",     "clip", "weight", "weight",
                                        "mask", "op",   "flags",  "reserved"};
    expect_success(pm_crowd_check_layers(s.crowd, odd, 1, new_error()));
    for (size_t i = 1; i < 8; i++) {
        const pm_crowd_layer two[] = {good, odd[i]};
        expect_error(pm_crowd_check_layers(s.crowd, two, 2, new_error()), PM_ERROR_ARGUMENT,
                     words[i]);
        assert_int_equal(last_error()->instance, 1);
    }
    odd[1].weight = 0; /* a clip without weight is not checked */
    expect_success(pm_crowd_check_layers(s.crowd, odd, 2, new_error()));
}

/* ---- the stack of one instance ----------------------------------------------------------------- */

typedef struct one_call {
    const pm_crowd *crowd;
    pm_crowd_one one;
    float *records;
    pm_status status;
} one_call;

static void pose_character(void *context) {
    one_call *call = context;
    call->status = pm_crowd_pose_one(call->crowd, &call->one, call->records, NULL);
}

/* In every instruction set. */
static void expect_stack(const scene *s, const cast *c, pm_crowd_output output, const char *what) {
    const size_t widest = s->crowd->latest->data->instruction_set, floats = floats_of(s, output, 0);
    SCOPED(guarded_free_at) float *records = guarded_floats(floats);
    pm_crowd_instance shown = c->instances[0];
    one_call call = {s->crowd, {.instance = &shown, .output = output}, records, PM_OK};
    if (output < PM_CROWD_POSE_COUNT) {
        call.one.layers = c->layers;
        call.one.layer_count = PM_CROWD_MAX_LAYERS;
    } else {
        shown.weight = 0; /* states of bodies are those of clip A alone */
    }
    for (size_t k = 0; k <= widest; k++) {
        s->crowd->latest->data->instruction_set = k;
        const size_t taken = stack_taken(pose_character, &call);
        assert_int_equal(call.status, PM_OK);
        printf("# stack, %s, output %d, %s: %zu\n", what, (int)output, pm_instruction_set_name(k),
               taken);
        assert_true(taken > 0 && taken <= PM_CROWD_ONE_STACK);
    }
    s->crowd->latest->data->instruction_set = widest;
}

/* Of the largest skeleton whose matrices are on the stack, and of one more joint. */
TEST_ON_REFERENCE(one_instance_takes_the_stack_that_is_stated) {
    static const char *const methods[] = {"slerp", "squad", "circular-c3", "spline", "sterp"};
    const size_t count = small_sizes() ? 2 : 2 * COUNT_OF(methods);
    if (!stack_is_that_of_a_release())
        skip();
    for (size_t n = 0; n < count; n++) {
        SCOPED(scene_free) scene s;
        static cast c;
        random_source source = random_salted(0xB60 + n);
        scene_make(engine_for(state),
                   &(scene_options){.salt = 0xB60 + n,
                                    .joints = n % 2 ? 321 : 320,
                                    .curve = variant_named(methods[n / 2]),
                                    .scales = true,
                                    .times = n % 4 < 2 ? SCENE_UNIFORM : SCENE_PER_JOINT},
                   &s);
        make_cast(&source, &s, &c);
        for (unsigned output = 0; output < PM_CROWD_OUTPUT_COUNT; output++)
            expect_stack(&s, &c, (pm_crowd_output)output, methods[n / 2]);
    }
}

TEST_ON_REFERENCE(subsets_and_radii_are_checked) {
    static const int32_t parents[3] = {-1, 0, 1};
    static const uint32_t beyond[] = {0, 3}, twice[] = {2, 0, 2}, fine[] = {2, 0};
    static const float radii[3] = {0, NAN, 1};
    pm_skeleton *made = NULL;
    pm_subset subset = {.joints = beyond, .joint_count = 2};
    pm_skeleton_desc desc = {
        .joint_count = 3, .parents = parents, .subsets = &subset, .subset_count = 1};
    (void)state;
    expect_error(pm_skeleton_create(&desc, &made, new_error()), PM_ERROR_ARGUMENT, "no such joint");
    subset = (pm_subset){.joints = twice, .joint_count = 3};
    expect_error(pm_skeleton_create(&desc, &made, new_error()), PM_ERROR_ARGUMENT, "twice");
    assert_int_equal(last_error()->joint, 2);
    subset = (pm_subset){.joints = fine};
    expect_error(pm_skeleton_create(&desc, &made, new_error()), PM_ERROR_ARGUMENT, "no joints");
    subset = (pm_subset){.joints = fine, .joint_count = 2};
    desc.radii = radii;
    expect_error(pm_skeleton_create(&desc, &made, new_error()), PM_ERROR_ARGUMENT, "radii");
    assert_int_equal(last_error()->joint, 1);
    desc.radii = NULL;
    desc.subsets = NULL;
    expect_error(pm_skeleton_create(&desc, &made, new_error()), PM_ERROR_ARGUMENT,
                 "subsets is NULL");
    assert_null(made);
}

TEST_GROUP(NULL, engines_close)
