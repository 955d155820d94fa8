/* SPDX-License-Identifier: MIT
 *
 * Failures of each allocation while glTF files are read and written, those of jansson too: the error
 * is that of memory, nothing leaks, and nothing remains.
 */
#include <jansson.h>
#include <stdlib.h>

#include "motion.h"
#include "motion/model/model.h"
#include "support/failing_memory.h"
#include "support/file_bytes.h"
#include "support/gltf_generator.h"
#include "support/motion_files.h"
#include "support/wrapped.h"

static const generated_file *read_file;
static bool with_jansson;

/* The allocator behind the wrappers. */
void *__real_malloc(size_t size);
void __real_free(void *block);

/* jansson's parser loses characters when it finds no memory for them, so that the file is refused for
 * what it became, or read without them. */
static bool read_it(void) {
    const long live = live_blocks();
    pm_motion *opened = NULL;
    pm_error error = poisoned_error();
    const pm_status status =
        pm_motion_parse(read_file->data, read_file->size, "", NULL, NULL, &opened, &error);
    assert_int_equal(opened != NULL, status == PM_OK);
    pm_motion_destroy(&opened);
    assert_int_equal(live_blocks(), live);
    if (status != PM_OK && status != PM_ERROR_MEMORY && !(with_jansson && status == PM_ERROR_FILE))
        fail_msg("a failed allocation became %d: %s", (int)status, error.message);
    return status == PM_OK;
}

TEST(each_allocation_of_reading_may_fail) {
    random_source random = random_salted(0x961);
    for (size_t i = 0; i < (small_sizes() ? 2 : 6); i++) {
        generated_file *file = gltf_generate(&random);
        read_file = file;
        for (int each = 0; each < 2; each++) {
            with_jansson = each;
            json_set_alloc_funcs(each ? malloc : __real_malloc, each ? free : __real_free);
            fail_each_allocation(read_it, 5, each ? SIZE_MAX : 0);
        }
        gltf_generated_free(file);
    }
}

static const pm_motion *written;
static const motion_format *format;
static file_bytes kept; /* with room, so that only the writer allocates */

static bool write_it(void) {
    const motion_samples samples = test_halves(written, 5, (pm_rational){4, 1});
    const long live = live_blocks();
    pm_error error = poisoned_error();
    kept.size = 0;
    const pm_status status = test_write(written, format, &samples, &kept, &error);
    assert_int_equal(live_blocks(), live);
    if (status != PM_OK && status != PM_ERROR_MEMORY)
        fail_msg("a failed allocation became %d: %s", (int)status, error.message);
    return status == PM_OK;
}

TEST(each_allocation_of_writing_may_fail) {
    random_source random = random_salted(0x962);
    const motion_format *const formats[] = {&motion_glb, &motion_gltf};
    kept = (file_bytes){.data = test_array(1 << 20, 1), .room = 1 << 20};
    json_set_alloc_funcs(malloc, free);
    for (size_t i = 0; i < (small_sizes() ? 2 : 6); i++) {
        generated_file *file = gltf_generate(&random);
        pm_motion *opened = test_parse(file->data, file->size, NULL);
        written = opened;
        for (size_t f = 0; f < 2; f++) {
            format = formats[f];
            fail_each_allocation(write_it, 5, 0);
            pm_motion_destroy(&(pm_motion *){test_parse(kept.data, kept.size, NULL)});
        }
        pm_motion_destroy(&opened);
        gltf_generated_free(file);
    }
    free(kept.data);
}
