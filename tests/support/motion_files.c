/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L

#include "motion_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "motion_truth.h"

const char *const test_bvh_files[TEST_BVH_FILES] = {"cmu_01_01.bvh",
                                                    "cmu_01_03.bvh",
                                                    "cmu_12_01_walk_mixed_eol.bvh",
                                                    "cmu_jumping_jacks_3dsmax.bvh",
                                                    "freebvh_mixamorig.bvh",
                                                    "makehuman_benchmark_mixed_6_3ch.bvh",
                                                    "makehuman_face_poseunits.bvh",
                                                    "makehuman_walk1.bvh",
                                                    "max_walk01_exp3digits.bvh",
                                                    "mocapbank.bvh",
                                                    "pybvh_test1_mixed_orders.bvh",
                                                    "pybvh_test3_hands_crlf.bvh",
                                                    "rokoko_jesse_dance.bvh"};

const char *test_data_in(const char *sources, const char *name) {
    static char paths[4][1024];
    static int turn;
    const char *folder = getenv("POSEMILL_DATA");
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s%s/%s", folder ? folder : sources,
             folder ? "" : "/../shared/data", name);
    if (access(path, R_OK) != 0) {
        print_message("%s is not there\n", path);
        skip();
    }
    return path;
}

pm_motion *test_open(const char *path, const pm_motion_read_options *options) {
    pm_motion *motion = NULL;
    pm_error error = poisoned_error();
    expect_ok(pm_motion_open(path, options, &motion, &error), &error);
    return motion;
}

pm_motion *test_parse(const void *data, size_t size, const pm_motion_read_options *options) {
    pm_motion *motion = NULL;
    pm_error error = poisoned_error();
    expect_ok(pm_motion_parse(data, size, "", NULL, options, &motion, &error), &error);
    return motion;
}

void test_log_add(void *log, pm_log_level level, const pm_error *remark) {
    char message[PM_ERROR_TEXT_SIZE];
    pm_error_text(remark, PM_SPELLING_COMMAND, message, sizeof message);
    test_log *l = log;
    const size_t used = strlen(l->text);
    assert_int_equal(level, PM_LOG_WARNING);
    l->count++;
    (void)snprintf(l->text + used, sizeof l->text - used, "%s\n", message);
}

pm_engine *test_reference(void) {
    pm_engine *engine = NULL;
    pm_error error = poisoned_error();
    expect_ok(pm_engine_create(&(pm_engine_desc){.device = "none"}, &engine, &error), &error);
    return engine;
}

static pm_status select_all(void *user, size_t first, size_t count, pm_error *error) {
    (void)user, (void)first, (void)count, (void)error;
    return PM_OK;
}

static pm_status read_halves(void *user, uint64_t first, size_t count, double *const channels[],
                             motion_position positions[], pm_error *error) {
    const pm_motion_clip *clip = user;
    (void)error, (void)first, (void)positions;
    for (size_t c = 0; c < clip->channel_count; c++)
        for (size_t i = 0; channels[c] && i < count * clip->channels[c].components; i++)
            channels[c][i] = 0.5;
    return PM_OK;
}

motion_samples test_halves(const pm_motion *motion, uint64_t count, pm_rational rate) {
    return (motion_samples){.count = count,
                            .rate = rate,
                            .select = select_all,
                            .read = read_halves,
                            .user = (void *)(uintptr_t)pm_motion_get_content(motion)->clips};
}

pm_status test_write(const pm_motion *motion, const motion_format *format,
                     const motion_samples *samples, file_bytes *out, pm_error *error) {
    const motion_sink sink = bytes_sink(out);
    return (format ? format : motion->format)
        ->write(&(motion_writing){.motion = motion,
                                  .document = motion,
                                  .samples = samples,
                                  .sample_count = samples != NULL,
                                  .decimals = 6},
                &sink, error);
}

void test_left_out(void *text, const char *what) {
    const size_t used = strlen(text);
    snprintf((char *)text + used, LEFT_OUT_SIZE - used, "%s%s", used ? "; " : "", what);
}

pm_status test_compose(const pm_motion *motion, const motion_format *format, test_composed *to,
                       pm_error *error) {
    const motion_writing options = {.motion = motion,
                                    .euler = PM_EULER_ZXY,
                                    .decimals = 6,
                                    .clip = to->clip,
                                    .left_out = test_left_out,
                                    .user = to->left_out};
    const motion_sink sink = bytes_sink(&to->file);
    return format->write(&options, &sink, error);
}

void test_composed_free(test_composed *composed) {
    bytes_free(&composed->file);
}

size_t test_frames(const pm_motion *motion) {
    const pm_motion_clip *clip = &pm_motion_get_content(motion)->clips[0];
    size_t most = 0;
    for (size_t i = 0; i < clip->timeline_count; i++)
        most = clip->timelines[i].key_count > most ? clip->timelines[i].key_count : most;
    return most;
}

void expect_same_nodes(const pm_motion *a, const pm_motion *b, double most) {
    const pm_motion_content *x = pm_motion_get_content(a), *y = pm_motion_get_content(b);
    assert_int_equal(x->node_count, y->node_count);
    for (size_t n = 0; n < x->node_count; n++) {
        const pm_motion_node *p = &x->nodes[n], *q = &y->nodes[n];
        assert_int_equal(p->name.size, q->name.size);
        assert_memory_equal(p->name.text, q->name.text, p->name.size);
        assert_int_equal(p->parent, q->parent);
        assert_int_equal(p->has_tail, q->has_tail);
        for (size_t i = 0; i < 3; i++) {
            assert_true(fabs(p->position[i] - q->position[i]) <= most);
            assert_true(!p->has_tail || fabs(p->tail[i] - q->tail[i]) <= most);
            assert_true(p->scale[i] == q->scale[i]);
        }
        for (size_t i = 0; i < 4; i++)
            assert_true(fabs(p->rotation[i] - q->rotation[i]) <= 1e-15);
    }
}

/* The value of a node at a frame: of its channel, whose single key is constant, or at rest. */
static void value_of(const pm_motion *motion, size_t node, pm_motion_path path, size_t frame,
                     double value[4]) {
    const pm_motion_content *content = pm_motion_get_content(motion);
    const pm_motion_clip *clip = &content->clips[0];
    const size_t width = path == PM_MOTION_ROTATION ? 4 : 3;
    memcpy(value, width == 4 ? content->nodes[node].rotation : content->nodes[node].position,
           width * sizeof *value);
    for (size_t c = 0; c < clip->channel_count; c++) {
        const pm_motion_channel *channel = &clip->channels[c];
        const size_t key = clip->timelines[channel->timeline].key_count == 1 ? 0 : frame;
        if (channel->node == (int32_t)node && channel->path == path)
            for (size_t i = 0; i < width; i++)
                value[i] = truth_number(&channel->keys, width, key, i);
    }
}

void expect_same_frames(const pm_motion *a, const pm_motion *b, double most, double digits) {
    const pm_motion_content *x = pm_motion_get_content(a), *y = pm_motion_get_content(b);
    const size_t frames = test_frames(a);
    assert_int_equal(frames, test_frames(b));
    if (frames > 1) { /* the time of one key says nothing about a rate */
        assert_int_equal(x->clips[0].rate.num, y->clips[0].rate.num);
        assert_int_equal(x->clips[0].rate.den, y->clips[0].rate.den);
    }
    for (size_t f = 0; f < frames; f++)
        for (size_t n = 0; n < x->node_count; n++) {
            double p[4], q[4];
            value_of(a, n, PM_MOTION_ROTATION, f, p);
            value_of(b, n, PM_MOTION_ROTATION, f, q);
            if (most > 0 ? !(truth_angle(p, q) <= most) : memcmp(p, q, sizeof p) != 0)
                fail_msg("frame %zu, node %zu: rotations differ by %g", f, n, truth_angle(p, q));
            value_of(a, n, PM_MOTION_POSITION, f, p);
            value_of(b, n, PM_MOTION_POSITION, f, q);
            for (size_t i = 0; i < 3; i++)
                if (!(fabs(p[i] - q[i]) <= most + fabs(p[i]) * digits))
                    fail_msg("frame %zu, node %zu: %g and %g", f, n, p[i], q[i]);
        }
}
