/* SPDX-License-Identifier: MIT
 *
 * Failures of each allocation while glTF files are read and written, those of jansson too: the error
 * is that of memory, nothing leaks, and nothing remains.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "motion.h"
#include "motion/model/model.h"
#include "support/faults.h"
#include "support/gltf_generator.h"

enum { OUTPUT = 1 << 20 };
static char output[OUTPUT];

static pm_status keep(void *user, const void *data, size_t size, pm_error *error) {
    size_t *used = user;
    (void)error;
    assert_true(size <= OUTPUT - *used);
    memcpy(output + *used, data, size);
    *used += size;
    return PM_OK;
}

static pm_status constant_samples(void *user, uint64_t first, size_t count,
                                  double *const channels[], motion_position positions[],
                                  pm_error *error) {
    const pm_motion_clip *clip = user;
    (void)error;
    (void)first;
    (void)positions;
    for (size_t c = 0; c < clip->channel_count; c++)
        for (size_t i = 0; i < count * clip->channels[c].components; i++)
            channels[c][i] = 0.5;
    return PM_OK;
}

/* The allocator behind the wrappers. */
void *__real_malloc(size_t size);
void __real_free(void *block);

/* Whether a status is right. jansson's parser loses characters when it finds no memory for them, so
 * that the file is refused for what it became, or read without them. */
static bool is_right(pm_status status, bool with_jansson) {
    return status == PM_ERROR_MEMORY || (with_jansson && status == PM_ERROR_FILE);
}

/* Reads with the Nth allocation failing, N = 1, 2, ...; returns how many failed. */
static size_t fail_reading(const void *data, size_t size, bool with_jansson) {
    if (with_jansson)
        json_set_alloc_funcs(malloc, free);
    else
        json_set_alloc_funcs(__real_malloc, __real_free);
    for (size_t nth = 1;; nth++) {
        const long blocks = faults_live_blocks();
        pm_motion *opened = NULL;
        pm_error error = poisoned_error();
        faults_arm(FAULT_ALLOCATION, nth, 0, false);
        const pm_status status = pm_motion_parse(data, size, "", NULL, NULL, &opened, &error);
        const char *failed = faults_disarm();
        if (status == PM_OK) {
            pm_motion_destroy(&opened);
            assert_int_equal(faults_live_blocks(), blocks);
            if (failed && with_jansson)
                continue;
            assert_null(failed);
            return nth - 1;
        }
        if (!is_right(status, with_jansson))
            fail_msg("allocation %zu (%s) became %d: %s", nth, failed, (int)status, error.message);
        assert_non_null(failed);
        assert_null(opened);
        assert_int_equal(faults_live_blocks(), blocks);
    }
}

static size_t fail_writing(const pm_motion *opened, const motion_format *format, size_t *size) {
    const motion_samples samples = {.count = 5,
                                    .rate = {4, 1},
                                    .read = constant_samples,
                                    .user =
                                        (void *)(uintptr_t)pm_motion_get_content(opened)->clips};
    for (size_t nth = 1;; nth++) {
        const long blocks = faults_live_blocks();
        const motion_sink sink = {keep, size};
        pm_error error = poisoned_error();
        *size = 0;
        faults_arm(FAULT_ALLOCATION, nth, 0, false);
        const pm_status status = format->write(
            opened, &samples, 1, &(motion_write_options){.decimals = 6}, &sink, &error);
        const char *failed = faults_disarm();
        assert_int_equal(faults_live_blocks(), blocks);
        if (status == PM_OK) {
            if (failed)
                fail_msg("allocation %zu (%s) failed without effect", nth, failed);
            return nth - 1;
        }
        if (status != PM_ERROR_MEMORY)
            fail_msg("allocation %zu (%s) became %d: %s", nth, failed, (int)status, error.message);
    }
}

TEST(each_allocation_of_reading_may_fail) {
    random_source random = random_salted(0x961);
    size_t failures = 0;
    for (size_t i = 0; i < (small_sizes() ? 2 : 6); i++) {
        generated_file *file = gltf_generate(&random);
        failures += fail_reading(file->data, file->size, false);
        failures += fail_reading(file->data, file->size, true);
        gltf_generated_free(file);
    }
    assert_true(failures > 100);
}

TEST(each_allocation_of_writing_may_fail) {
    random_source random = random_salted(0x962);
    size_t failures = 0;
    json_set_alloc_funcs(malloc, free);
    for (size_t i = 0; i < (small_sizes() ? 2 : 6); i++) {
        generated_file *file = gltf_generate(&random);
        pm_motion *opened = NULL, *again = NULL;
        pm_error error;
        size_t size = 0;
        expect_ok(pm_motion_parse(file->data, file->size, "", NULL, NULL, &opened, &error), &error);
        failures += fail_writing(opened, &motion_glb, &size);
        failures += fail_writing(opened, &motion_gltf, &size);
        expect_ok(pm_motion_parse(output, size, "", NULL, NULL, &again, &error), &error);
        pm_motion_destroy(&again);
        pm_motion_destroy(&opened);
        gltf_generated_free(file);
    }
    assert_true(failures > 100);
}

TEST(the_wrappers_are_linked) {
    assert_true(faults_are_linked());
}
