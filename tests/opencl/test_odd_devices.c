/* SPDX-License-Identifier: MIT
 *
 * Devices whose answers are odd but legal: tiny groups and allocations, no names, other types, a
 * build option that is refused. Everything gives the bits of the reference path, or is refused with
 * a message that names the limit.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/cache_folder.h"
#include "support/crowd_scene.h"
#include "support/engines.h"
#include "support/motion.h"
#include "support/odd_driver.h"
#include "support/outputs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "opencl/device.h"
#include "programs/state.h"

enum { KEYS = 9, TRACKS = 19, SAMPLES = 300, INSTANCES = 90 };

static const char *cache;

/* ---- one clip and one crowd ------------------------------------------------------------------ */

typedef struct work {
    motion keys;
    pm_clip *clip;
    scene scene;
    double times[SAMPLES];
    uint32_t tracks[SAMPLES];
    pm_crowd_instance instances[INSTANCES];
} work;

static void work_make(pm_engine *engine, work *w) {
    static const pm_timeline timeline = {.key_count = KEYS, .rate = {10, 1}};
    random_source source = random_salted(0xDD1);
    w->keys = motion_make(KEYS, TRACKS, 1.5, 0xDD2);
    const pm_clip_desc desc = motion_desc(&w->keys, &timeline, PM_METHOD_SLERP);
    w->clip = clip_make(engine, &desc);
    for (size_t k = 0; k < SAMPLES; k++) {
        w->times[k] = random_between(&source, 0, 1);
        w->tracks[k] = (uint32_t)(random_bits(&source) % TRACKS);
    }
    scene_make(engine, &(scene_options){.salt = 0xDD3, .joints = 4}, &w->scene);
    scene_instances(&w->scene, 0xDD1, INSTANCES, w->instances);
}

static void work_free(work *w) {
    scene_free(&w->scene);
    pm_clip_destroy(&w->clip);
    motion_free(&w->keys);
}

/* Walks, gathers, derivatives, palettes. */
static void expect_bits_of_work(pm_engine *engine) {
    static work w;
    work_make(engine, &w);
    const size_t floats = scene_floats(&w.scene, PM_CROWD_PALETTE, INSTANCES);
    expect_reference_bits(w.clip, (pm_sample_job){.sample_count = SAMPLES, .rate = {311, 1}},
                          ONLY_ROTATIONS | VELOCITIES);
    expect_reference_bits(
        w.clip, (pm_sample_job){.sample_count = SAMPLES, .times = w.times, .tracks = w.tracks},
        OF_CHANNELS);
    SCOPED(guarded_free_at)
    float *got = scene_pose(&w.scene, PM_CROWD_PALETTE, w.instances, INSTANCES, false),
          *expected = scene_pose(&w.scene, PM_CROWD_PALETTE, w.instances, INSTANCES, true);
    expect_same_bits(got, expected, floats, 1);
    work_free(&w);
}

/* ---- answers --------------------------------------------------------------------------------- */

typedef struct odd_number_case {
    const char *name;
    cl_device_info what;
    size_t size;
    cl_ulong value;
} odd_number_case;

#define ODD_NUMBER(what, type, value)                                                              \
    { #what " is " #value, what, sizeof(type), value }

/* Each leaves a device that works. The preferred multiple is an answer about kernels. */
static const odd_number_case working[] = {
    ODD_NUMBER(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t, 1),
    ODD_NUMBER(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t, 3),
    ODD_NUMBER(CL_DEVICE_MAX_WORK_ITEM_SIZES, size_t, 2), /* and 1 in the other dimensions */
    ODD_NUMBER(CL_DEVICE_ADDRESS_BITS, cl_uint, 32),
    ODD_NUMBER(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong, 8192),
    ODD_NUMBER(CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong, 0),
    ODD_NUMBER(CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong, 1024),
    ODD_NUMBER(CL_DEVICE_QUEUE_PROPERTIES, cl_command_queue_properties, 0),
    ODD_NUMBER(CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint, 8192),
    ODD_NUMBER(CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint, 8),
    ODD_NUMBER(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t, 0),
    ODD_NUMBER(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t, (cl_ulong)-1),
    ODD_NUMBER(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint, 0),
    ODD_NUMBER(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint, 0xFFFFFFFF),
    ODD_NUMBER(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, cl_uint, 0),
    ODD_NUMBER(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, cl_uint, 0xFFFFFFFF),
    ODD_NUMBER(CL_DEVICE_MAX_PARAMETER_SIZE, size_t, 1024), /* the least of the full profile */
    ODD_NUMBER(CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool, CL_FALSE),
    ODD_NUMBER(CL_DEVICE_SINGLE_FP_CONFIG, cl_device_fp_config, 0),
    ODD_NUMBER(CL_DEVICE_TYPE, cl_device_type, 0),
    ODD_NUMBER(CL_DEVICE_TYPE, cl_device_type, CL_DEVICE_TYPE_GPU),
    ODD_NUMBER(CL_DEVICE_TYPE, cl_device_type, CL_DEVICE_TYPE_ACCELERATOR),
    ODD_NUMBER(CL_DEVICE_TYPE, cl_device_type, CL_DEVICE_TYPE_CUSTOM),
};
enum { WORKING = COUNT_OF(working) };

static void answer(const odd_number_case *c) {
    odd_number(c->what, c->size, c->value);
    if (c->what == CL_DEVICE_MAX_WORK_GROUP_SIZE || c->what == CL_DEVICE_MAX_WORK_ITEM_SIZES) {
        const size_t items[3] = {c->value, 1, 1};
        odd_answer(CL_DEVICE_MAX_WORK_ITEM_SIZES, items, sizeof items);
    }
}

static void expect_the_odd_device_works(void **state) {
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.cache_folder = cache});
    expect_bits_of_work(engine);
    pm_engine_destroy(&engine);
    assert_int_equal(odd_counted().refusals, 0);
    assert_true(odd_counted().launches > 0);
    odd_reset();
}

TEST_ON_DEVICE(a_device_with_an_odd_answer_gives_the_same_bits) {
    for (size_t n = 0; n < WORKING; n++) {
        print_message("%s\n", working[n].name);
        answer(&working[n]);
        expect_the_odd_device_works(state);
    }
}

/* Groups are large, and crowds share local memory: 1 KB holds one instance, joint by joint. */
TEST_ON_DEVICE(a_device_with_small_limits_gives_the_same_bits) {
    static const odd_number_case limits[] = {
        ODD_NUMBER(CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong, 1024),
        ODD_NUMBER(CL_KERNEL_WORK_GROUP_SIZE, size_t, 1),
        ODD_NUMBER(CL_KERNEL_WORK_GROUP_SIZE, size_t, 3),
        ODD_NUMBER(CL_KERNEL_WORK_GROUP_SIZE, size_t, 61),
    };
    for (size_t n = 0; n < COUNT_OF(limits); n++) {
        print_message("%s\n", limits[n].name);
        answer(&limits[n]);
        pm_engine *engine = engine_with(state, &(pm_engine_desc){.cache_folder = cache});
        expect_bits_of_work(engine);
        pm_engine_destroy(&engine);
        assert_int_equal(odd_counted().refusals, 0);
        assert_true(n > 0 || odd_counted().largest_group > 61);
        odd_reset();
    }
}

TEST_ON_DEVICE(crowds_are_refused_without_local_memory) {
    static work w;
    odd_number(CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong), 0);
    SCOPED(pm_engine_destroy)
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.cache_folder = cache});
    work_make(engine, &w);
    const size_t floats = scene_floats(&w.scene, PM_CROWD_PALETTE, INSTANCES);
    float *palettes = guarded_floats(floats);
    pm_crowd_job job =
        CROWD_JOB(w.instances, INSTANCES, .output = PM_CROWD_PALETTE, .memory = palettes);
    assert_int_equal(pm_crowd_pose(w.scene.crowd, &job, new_error()), PM_ERROR_DEVICE);
    assert_non_null(strstr(last_error()->message, "local memory is 0 bytes"));
    guarded_free(palettes);
    work_free(&w);
}

TEST_ON_DEVICE(a_device_without_names_is_listed_and_used) {
    static const cl_device_info names[] = {CL_DEVICE_NAME, CL_DRIVER_VERSION, CL_DEVICE_VENDOR};
    for (size_t n = 0; n < 3; n++)
        odd_answer(names[n], "", 1);
    pm_device_info info = {.index = 99};
    size_t count = 0;
    expect_success(pm_list_devices(&info, 1, &count, new_error()));
    assert_true(count > 0);
    assert_string_equal(info.name, "");
    assert_string_equal(info.driver, "");
    expect_the_odd_device_works(state);
}

/* ---- limits ------------------------------------------------------------------------------------ */

static void expect_clip_refused(pm_engine *engine, pm_status status, const char *words) {
    static const pm_timeline timeline = {.key_count = KEYS, .rate = {10, 1}};
    SCOPED(motion_free) motion keys = motion_make(KEYS, TRACKS, 1.5, 0xDD5);
    const pm_clip_desc desc = motion_desc(&keys, &timeline, PM_METHOD_SLERP);
    pm_clip *clip = NULL;
    expect_error(pm_clip_create(engine, &desc, &clip, new_error()), status, words);
}

TEST_ON_DEVICE(allocations_that_are_too_small_are_refused_by_size) {
    odd_number(CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong), 1024);
    SCOPED(pm_engine_destroy)
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.cache_folder = cache});
    expect_clip_refused(engine, PM_ERROR_DEVICE_MEMORY, "the device allows 1024");
}

TEST_ON_DEVICE(a_device_without_a_compiler_is_refused) {
    pm_engine *engine = NULL;
    odd_number(CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_bool), CL_FALSE);
    expect_error(
        pm_engine_create(&(pm_engine_desc){.device = device_for(state)}, &engine, new_error()),
        PM_ERROR_BUILD, "has no compiler");
}

/* ---- the option for rounding --------------------------------------------------------------------- */

static void do_not_claim_rounding(void) {
    odd_number(CL_DEVICE_SINGLE_FP_CONFIG, sizeof(cl_device_fp_config),
               CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_FMA);
}

static void count_warnings(void *user, pm_log_level level, const char *message) {
    (void)message;
    size_t *warnings = user;
    *warnings += level == PM_LOG_WARNING;
}

static odd_counts counted_with(void **state, const char *folder) {
    size_t warnings = 0;
    pm_engine *engine = engine_with(
        state,
        &(pm_engine_desc){.cache_folder = folder, .log = count_warnings, .log_user = &warnings});
    expect_bits_of_work(engine);
    pm_engine_destroy(&engine);
    assert_int_equal(warnings, 0);
    return odd_counted();
}

TEST_ON_DEVICE(an_option_that_is_taken_without_a_claim_is_used) {
    do_not_claim_rounding();
    const odd_counts counts = counted_with(state, "");
    assert_true(counts.builds_with > 3);
    assert_int_equal(counts.builds_without, 0);
}

/* Refused once: later programs of the engine leave it out at once. */
TEST_ON_DEVICE(an_option_that_is_refused_is_left_out) {
    static const cl_int codes[] = {CL_INVALID_BUILD_OPTIONS, CL_BUILD_PROGRAM_FAILURE};
    for (size_t n = 0; n < 2; n++) {
        do_not_claim_rounding();
        odd_refuse_option("-cl-fp32-correctly-rounded-divide-sqrt", codes[n]);
        const odd_counts counts = counted_with(state, "");
        assert_int_equal(counts.refusals, 1);
        assert_int_equal(counts.builds_with, 1);
        assert_true(counts.builds_without > 3);
        odd_reset();
    }
}

FIXTURE(reset) {
    odd_reset();
    return 0;
}

FIXTURE(open_cache) {
    cache = cache_folder_make();
    return 0;
}

static int close_all(void **state) {
    return engines_close(state) || !cache_folder_remove();
}

/* ---- drivers' texts ---------------------------------------------------------------------------- */

/* A folder that can be written hides no device; one below a file cannot be created. */
TEST_ON_DEVICE(a_cache_of_the_driver_that_cannot_be_written_is_named) {
    char folder[256];
    const char *before = getenv("POCL_CACHE_DIR");
    SCOPED(free_at) char *kept = before ? strdup(before) : NULL;
    assert_int_equal(setenv("POCL_CACHE_DIR", "/dev/null/below", 1), 0);
    assert_true(pm_cl_lacks_cache("Portable Computing Language", folder, sizeof folder));
    assert_string_equal(folder, "/dev/null/below");
    assert_false(pm_cl_lacks_cache("Some other driver", folder, sizeof folder));
    assert_int_equal(setenv("POCL_CACHE_DIR", cache, 1), 0);
    assert_false(pm_cl_lacks_cache("Portable Computing Language", folder, sizeof folder));
    unsetenv("POCL_CACHE_DIR");
    if (kept)
        assert_int_equal(setenv("POCL_CACHE_DIR", kept, 1), 0);
}

/* ---- queues that jobs share ------------------------------------------------------------------------ */

/* A job that finishes a queue waits for all that other threads have put there. */
TEST_ON_DEVICE(a_job_waits_for_its_own_commands_only) {
    SCOPED(pm_engine_destroy)
    pm_engine *engine = engine_with(state, &(pm_engine_desc){.cache_folder = cache});
    odd_reset();
    expect_bits_of_work(engine);
    assert_true(odd_counted().launches > 0);
    assert_int_equal(odd_counted().finishes, 0);
}

TEST_GROUP_ON_DEVICE(open_cache, close_all)
TEST_EACH(NULL, reset)
