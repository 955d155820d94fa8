/* SPDX-License-Identifier: MIT
 *
 * The bits of outputs as digests, which are stored in vectors/digests.txt: every method, key
 * format, output of samples and output of crowds. A change that must not affect results leaves the
 * digests unchanged; another change shows which results it affects. A device, and the reference
 * path on a processor that makes subnormal numbers 0, give the same bits. `digests --write` prints
 * the file again (tests/digests).
 */
#include "support/digests.h"
#include "support/engines.h"
#include "support/flush.h"
#include "support/motion.h"
#include "support/outputs.h"

#include <float.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/counts.h"

static const char stored[] = POSEMILL_SOURCE_DIR "/tests/vectors/digests.txt";

typedef void add_digests(digests *d, pm_engine *engine, const digest_input *in);

/* Oclgrind interprets kernels, to check their accesses: of methods that read keys, axes, controls and
 * tangents, the cheapest ones. The sanitizers check those of every method, as kernels on the host. */
static bool is_left_out(const pm_engine *engine, pm_method method) {
    static const pm_method alike[] = {
        PM_METHOD_NLERP,       PM_METHOD_CUBIC,       PM_METHOD_SPLINE,
        PM_METHOD_SQUAD,       PM_METHOD_CIRCULAR,    PM_METHOD_CIRCULAR_C1,
        PM_METHOD_CIRCULAR_C2, PM_METHOD_CIRCULAR_C3, PM_METHOD_BSPLINE};
    pm_device_info info;
    bool found = false;
    pm_engine_get_info(engine, &info);
    for (size_t i = 0; i < COUNT_OF(alike); i++)
        found = found || alike[i] == method;
    return found && strstr(info.platform, "Oclgrind") != NULL;
}

/* Each format of keys and method is four programs. A format is loaded in the same way for each method,
 * so without long sweeps devices have those of slerp; and in the same way for derivatives, of which rusticl
 * would take half a minute for each format, so it has the rotations alone. */
static bool has_formats(const pm_engine *engine, pm_method method) {
    pm_device_info info;
    pm_engine_get_info(engine, &info);
    if (is_rusticl(engine))
        return false;
    return info.type == PM_DEVICE_REFERENCE || long_sweeps() || method == PM_METHOD_SLERP;
}

/* Names that are missing because a device's compiler is too slow for them are no failure. With small
 * sizes every method has one kind of timelines: a method reads its keys in the same way with each. */
static void add_samples(digests *d, pm_engine *engine, const digest_input *in) {
    for (pm_method m = 0; m < PM_METHOD_COUNT; m++)
        if (can_compile_motion(engine, m) && !is_left_out(engine, m)) {
            if (small_sizes())
                digests_of_method_once(d, engine, in, m);
            else
                digests_of_method(d, engine, in, m);
            if (has_formats(engine, m))
                digests_of_key_formats(d, engine, in, m);
        }
    digests_of_lowpass(d, engine, in);
}

static void expect_stored(pm_engine *engine, digest_input *in, add_digests *add) {
    SCOPED(digests_free) digests d = {0};
    add(&d, engine, in);
    const size_t wrong = digests_wrong(&d, stored);
    print_message("%zu digests, %zu of them different from the stored ones\n", d.count, wrong);
    assert_true(d.count > 0);
    assert_int_equal(wrong, 0);
    free(in);
}

TEST_ON_BOTH(samples_have_the_stored_digests) {
    expect_stored(engine_for(state), digest_input_make(), add_samples);
}

TEST_ON_DEVICE(rotations_of_each_key_format_have_the_bits_of_the_reference) {
    enum { SAMPLES = 40 };
    SCOPED(free_at) digest_input *in = digest_input_make();
    for (pm_key_format f = PM_KEYS_FLOAT32 + 1; f < PM_KEYS_COUNT; f++) {
        pm_clip_desc desc = digest_clip_desc(in, PM_METHOD_SLERP, LISTED_LOOP);
        desc.key_format = f;
        SCOPED(pm_clip_destroy) pm_clip *clip = clip_make(engine_for(state), &desc);
        for (int pairs = 0; pairs < 2; pairs++) {
            const pm_sample_job job = {.sample_count = SAMPLES,
                                       .times = in->sample_times,
                                       .tracks = pairs ? in->tracks : NULL};
            expect_reference_bits(clip, job, OF_CHANNELS);
        }
    }
}

/* Oclgrind would take minutes, and it computes as the host does. */
TEST_ON_BOTH(samples_of_tiny_numbers_have_the_stored_digests) {
    if (is_for_device(state) && is_on_oclgrind(state)) {
        print_message("Oclgrind takes minutes for samples of tiny numbers\n");
        skip();
    }
    expect_stored(engine_for(state), digest_input_make_tiny(), add_samples);
}

/* On devices test_crowd_bits compares crowds, with fewer programs to build. */
TEST_ON_REFERENCE(crowds_have_the_stored_digests) {
    expect_stored(engine_for(state), digest_input_make(), digests_of_crowds);
    expect_stored(engine_for(state), digest_input_make_tiny(), digests_of_crowds);
}

/* ---- subnormal numbers are 0 ------------------------------------------------------------------ */

static void need_flush(void) {
    if (flush_set(true))
        return;
    print_message("this processor has no mode in which subnormal numbers are 0\n");
    skip();
}

/* Building a clip or a crowd, and sampling it, as in a process that sets the mode. */
TEST_ON_REFERENCE(digests_are_the_same_where_subnormal_numbers_are_0) {
    pm_engine *engine = engine_for(state);
    digest_input *inputs[] = {digest_input_make(), digest_input_make_tiny()};
    SCOPED(digests_free) digests d = {0};
    need_flush();
    assert_true(flush_is_on());
    for (size_t i = 0; i < 2; i++) {
        add_samples(&d, engine, inputs[i]);
        digests_of_crowds(&d, engine, inputs[i]);
        free(inputs[i]);
    }
    flush_set(false);
    assert_int_equal(digests_wrong(&d, stored), 0);
}

static void note_mode(void *context, pm_items *items) {
    atomic_size_t *flushing = context;
    size_t item;
    while (pm_take_item(items, &item))
        atomic_fetch_add(flushing, flush_is_on());
}

/* The threads of the library compute in the mode of the thread that called it, also those that it keeps. */
TEST_ON_REFERENCE(threads_inherit_the_mode) {
    enum { ITEMS = 1000 };
    atomic_size_t flushing = 0;
    pm_threads_keep();
    need_flush();
    pm_run_parallel(NULL, 4, ITEMS, note_mode, &flushing);
    flush_set(false);
    assert_int_equal(flushing, ITEMS);
    pm_run_parallel(NULL, 4, ITEMS, note_mode, &flushing);
    assert_int_equal(flushing, ITEMS);
    pm_threads_release();
}

/* A clip and a job that are large enough for several threads. */
static float *large_samples(pm_engine *engine, size_t *count) {
    enum { TRACKS = 300, KEYS = 40, SAMPLES = 400 };
    const size_t keys = (size_t)TRACKS * KEYS;
    float *given = test_array(keys, 4 * sizeof *given);
    float *samples = test_array((size_t)SAMPLES * TRACKS, 4 * sizeof *samples);
    for (size_t i = 0; i < keys; i++) { /* turns of 2^-10, with a subnormal part */
        const float q[4] = {i % 2 ? 0x1p-10f : -0x1p-11f, 0x1p-140f, 0, 1};
        memcpy(given + 4 * i, q, sizeof q);
    }
    const pm_timeline timeline = {.key_count = KEYS, .rate = {30, 1}};
    const pm_clip_desc desc = {.track_count = TRACKS,
                               .timelines = &timeline,
                               .timeline_count = 1,
                               .rotations = {.data = given},
                               .method = PM_METHOD_SQUAD};
    const pm_sample_job job = {
        .sample_count = SAMPLES, .rate = {301, 1}, .rotations = samples, .host_threads = 4};
    pm_clip *clip = NULL;
    expect_success(pm_clip_create(engine, &desc, &clip, new_error()));
    expect_success(pm_sample(clip, &job, new_error()));
    pm_clip_destroy(&clip);
    free(given);
    *count = (size_t)SAMPLES * TRACKS * 4;
    return samples;
}

TEST_ON_REFERENCE(large_jobs_are_the_same_where_subnormal_numbers_are_0) {
    SCOPED(pm_engine_destroy)
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.host_threads = 4});
    size_t count;
    SCOPED(free_at) float *usual = large_samples(engine, &count);
    need_flush();
    SCOPED(free_at) float *flushed = large_samples(engine, &count);
    flush_set(false);
    expect_same_bits(usual, flushed, count, 4);
}

TEST_GROUP(NULL, engines_close)
