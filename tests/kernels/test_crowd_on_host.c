/* SPDX-License-Identifier: MIT
 *
 * The crowd kernel as C against pm_crowd_pose_one, bit for bit, with
 * all tables and buffers of their exact sizes, for instances of any 32 bytes: a device would not
 * detect accesses outside.
 */
#include "support/crowd_on_host.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"

#include "base/counts.h"
#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

enum { MAX = 37, POISON = 0xA5 };

/* A third valid instances, a third with fields out of range, and a third random bytes. */
static void make_instances(random_source *source, const scene *s, pm_crowd_instance *instances) {
    for (size_t i = 0; i < MAX; i++) {
        uint64_t bytes[4];
        for (size_t k = 0; k < 4; k++)
            bytes[k] = random_bits(source);
        if (i % 3 == 0)
            instances[i] = scene_instance(source, s);
        else if (i % 3 == 1)
            instances[i] = scene_bad_instance(source, s);
        else
            memcpy(&instances[i], bytes, sizeof bytes);
    }
}

/* Whether an instance is updated, by the rule of the public header. */
static bool has_turn(const scene *s, const crowd_on_host_job *job, size_t i) {
    const size_t level = job->instances[i].level;
    const uint32_t every = s->levels[level < SCENE_LEVELS ? level : SCENE_LEVELS - 1].update_every;
    return every < 2 || (job->frame + (job->first + i) / 16) % every == 0;
}

static void expect_poison(const unsigned char *bytes, size_t count, const char *where) {
    for (size_t k = 0; k < count; k++)
        if (bytes[k] != POISON)
            fail_msg("byte %zu %s was written", k, where);
}

static void expect_job(const scene *s, crowd_on_host_job job) {
    const size_t width = scene_floats(s, job.output, 1) * sizeof(float);
    const size_t stride = job.stride ? job.stride : width;
    const size_t bytes = job.records_offset + (job.instance_count - 1) * stride + width;
    SCOPED(free_at) unsigned char *records = test_array(bytes, 1);
    SCOPED(free_at) unsigned char *one = test_array(width, 1);
    memset(records, POISON, bytes);
    job.records = records;
    crowd_on_host_pose(s->crowd->latest->data, &job);
    expect_poison(records, job.records_offset, "before the records");
    for (size_t i = 0; i < job.instance_count; i++) {
        const unsigned char *got = records + job.records_offset + i * stride;
        expect_success(pm_crowd_pose_one(
            s->crowd, &(pm_crowd_one){.instance = &job.instances[i], .output = job.output}, one,
            new_error()));
        if (!has_turn(s, &job, i))
            expect_poison(got, width, "of an instance that is not updated");
        else if (memcmp(got, one, width) != 0)
            fail_msg("output %d: instance %zu of %zu differs", (int)job.output, i,
                     job.instance_count);
        if (i + 1 < job.instance_count)
            expect_poison(got + width, stride - width, "between records");
    }
}

/* Any counts, with a stride and memory that is aligned only to its numbers. */
static void expect_output(const scene *s, random_source *source, pm_crowd_output output) {
    static const size_t counts[] = {1, 15, 16, 17, MAX};
    const size_t width = scene_floats(s, output, 1) * sizeof(float);
    pm_crowd_instance instances[MAX];
    for (size_t n = 0; n < COUNT_OF(counts); n++) {
        make_instances(source, s, instances);
        crowd_on_host_job job = {
            .instances = instances, .instance_count = counts[n], .output = output};
        expect_job(s, job);
        job.records_offset = 4 * (1 + random_bits(source) % 9);
        job.stride = width + 4 * (random_bits(source) % 20);
        job.instances_offset = 8 * (random_bits(source) % 9);
        expect_job(s, job);
    }
}

static void expect_scene(const scene_options *options) {
    SCOPED(scene_free) scene s;
    size_t met = 0;
    random_source source = random_salted(options->salt + 0x100);
    scene_make(engine_of_kind(ON_REFERENCE), options, &s);
    for (unsigned o = 0; o < PM_CROWD_POSE_COUNT; o++)
        if (crowd_on_host_has(s.crowd->latest->data, o) &&
            pm_crowd_check_view(s.skeleton, (pm_view){(pm_crowd_output)o, 0}, NULL) == PM_OK) {
            expect_output(&s, &source, o);
            met++;
        }
    assert_true(met > 0);
}

TEST(every_output_has_the_bits_of_the_reference) {
    for (int scales = 0; scales < 2; scales++)
        for (scene_times times = SCENE_UNIFORM; times <= SCENE_PER_JOINT; times++)
            for (int looped = 0; looped < 2; looped++)
                expect_scene(&(scene_options){.salt = 0xF01,
                                              .binds = SCENE_BIND_RIGID,
                                              .times = times,
                                              .scales = scales,
                                              .rest_scales = scales && looped,
                                              .looped = looped});
}

TEST(every_method_has_the_bits_of_the_reference) {
    for (size_t n = 0; n < variant_count(); n++) {
        const variant *v = variant_at(n);
        if (strchr(v->name, ','))
            continue;
        for (scene_times times = SCENE_UNIFORM; times <= SCENE_PER_JOINT; times++)
            expect_scene(&(scene_options){
                .salt = 0xF10 + n, .curve = v, .joints = 5, .times = times, .scales = true});
        for (scene_times times = SCENE_UNIFORM; times <= SCENE_PER_JOINT; times++)
            expect_scene(&(scene_options){.salt = 0xFA0 + n,
                                          .curve = v,
                                          .joints = 5,
                                          .times = times,
                                          .root_positions = true});
    }
}

TEST(keys_of_48_bits_have_the_bits_of_the_reference) {
    for (int looped = 0; looped < 2; looped++) {
        expect_scene(
            &(scene_options){.salt = 0xF40, .key_format = PM_KEYS_LOG48, .looped = looped});
        expect_scene(
            &(scene_options){.salt = 0xF41, .key_format = PM_KEYS_SMALLEST48, .looped = looped});
    }
}

TEST(any_number_of_joints_has_the_bits_of_the_reference) {
    static const size_t joints[] = {1, 2, 3, 4, 15, 16, 17, 33, 70};
    for (size_t i = 0; i < COUNT_OF(joints); i++)
        expect_scene(&(scene_options){
            .salt = 0xF50 + i, .joints = joints[i], .shape = i % 2 ? SCENE_FOREST : SCENE_CHAIN});
}

/* The instances start in the middle of all, as for pieces of a job. */
TEST(instances_that_are_not_updated_are_not_written) {
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[MAX];
    random_source source = random_salted(0xF60);
    scene_make(engine_of_kind(ON_REFERENCE), &(scene_options){.salt = 0xF60, .joints = 3}, &s);
    scene_undo(&s);
    s.levels[1].update_every = 3;
    s.levels[2].update_every = 5;
    scene_finish(engine_of_kind(ON_REFERENCE), &s);
    for (uint64_t frame = 0; frame < 15; frame++) {
        make_instances(&source, &s, instances);
        expect_job(&s, (crowd_on_host_job){.instances = instances,
                                           .instance_count = MAX,
                                           .frame = frame,
                                           .first = 16 * (random_bits(&source) % 100),
                                           .output = PM_CROWD_PALETTE});
    }
}

/* ---- layers, subsets and given poses --------------------------------------------------------- */

enum { LAYERS = 40 };

/* Layers of any bytes, most of which name a clip; ranges reach past the last one. */
static void make_layers(random_source *source, pm_crowd_layer *layers, pm_crowd_range *ranges) {
    for (size_t i = 0; i < LAYERS; i++) {
        const uint64_t bytes[3] = {random_bits(source), random_bits(source), random_bits(source)};
        memcpy(&layers[i], bytes, sizeof bytes);
        layers[i].clip %= 5;
        layers[i].op %= 4;
        layers[i].weight = (float)random_unit(source);
    }
    for (size_t i = 0; i < MAX; i++)
        ranges[i] = (pm_crowd_range){(uint32_t)(random_bits(source) % (LAYERS + 3)),
                                     (uint32_t)(random_bits(source) % 15)};
}

static void expect_part(const scene *s, crowd_on_host_job job) {
    const size_t joints = job.subset ? s->subsets[job.subset - 1].joint_count : s->joints;
    const size_t records = job.output == PM_CROWD_BOUNDS ? 1 : joints;
    const size_t width = records * pm_crowd_record_bytes(job.output);
    SCOPED(free_at) unsigned char *got = test_array(MAX * width, 1), *one = test_array(width, 1);
    memset(got, POISON, MAX * width);
    job.records = got;
    job.instance_count = MAX;
    crowd_on_host_pose(s->crowd->latest->data, &job);
    for (size_t i = 0; i < MAX; i++) {
        pm_crowd_one from = {.output = job.output, .subset = job.subset};
        if (job.poses) {
            from.pose = job.poses + i * s->joints * 12;
        } else {
            const size_t first = job.ranges[i].first < LAYERS ? job.ranges[i].first : LAYERS;
            from.instance = &job.instances[i];
            from.layers = job.layers + first;
            from.layer_count =
                job.ranges[i].count < LAYERS - first ? job.ranges[i].count : LAYERS - first;
        }
        expect_success(pm_crowd_pose_one(s->crowd, &from, one, new_error()));
        if (memcmp(got + i * width, one, width) != 0)
            fail_msg("output %d, subset %u: instance %zu differs", (int)job.output,
                     (unsigned)job.subset, i);
    }
}

static void expect_parts(const scene_options *options) {
    static const pm_crowd_output outputs[] = {PM_CROWD_PALETTE_HALF, PM_CROWD_LOCAL,
                                              PM_CROWD_BOUNDS};
    SCOPED(scene_free) scene s;
    pm_crowd_instance instances[MAX];
    pm_crowd_layer layers[LAYERS];
    pm_crowd_range ranges[MAX];
    random_source source = random_salted(options->salt);
    scene_make(engine_of_kind(ON_REFERENCE), options, &s);
    make_instances(&source, &s, instances);
    make_layers(&source, layers, ranges);
    SCOPED(guarded_free_at) float *poses = scene_pose(&s, PM_CROWD_LOCAL, instances, MAX, true);
    for (size_t o = 0; o < COUNT_OF(outputs); o++)
        for (uint32_t subset = 0; subset <= SCENE_SUBSETS; subset++) {
            const crowd_on_host_job job = {.output = outputs[o], .subset = subset};
            crowd_on_host_job with_layers = job, with_poses = job;
            with_layers.instances = instances;
            with_layers.layers = layers;
            with_layers.layer_count = LAYERS;
            with_layers.ranges = ranges;
            with_poses.poses = poses;
            expect_part(&s, with_layers);
            expect_part(&s, with_poses);
        }
}

TEST(layers_subsets_and_given_poses_have_the_bits_of_the_reference) {
    for (scene_times times = SCENE_UNIFORM; times <= SCENE_PER_JOINT; times++)
        expect_parts(&(scene_options){.salt = 0xF70 + times, .times = times, .scales = true});
    expect_parts(&(scene_options){.salt = 0xF78, .joints = 70, .shape = SCENE_CHAIN});
    expect_parts(&(scene_options){.salt = 0xF79, .joints = 1});
    expect_parts(&(scene_options){.salt = 0xF7A, .root_positions = true});
}

TEST_GROUP(NULL, engines_close)
