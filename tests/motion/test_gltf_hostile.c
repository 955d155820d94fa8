/* SPDX-License-Identifier: MIT
 *
 * glTF files that are made to cost much; fuzzers damage them. Memory is bounded: what is held, and the sum
 * of all that is requested, which is a measure of work. Failures of each allocation, those of jansson
 * too: the error is that of memory, and nothing leaks or remains.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "motion.h"
#include "motion/base/os.h"
#include "motion/model/model.h"
#include "support/failing_memory.h"
#include "support/file_bytes.h"
#include "support/gltf_generator.h"
#include "support/motion_files.h"
#include "support/test_folder.h"
#include "support/wrapped.h"

enum { GENERATED = 12 };

/* Bytes that reading one file may request in all. */
enum { MOST_REQUESTED = 64 << 20 };

/* ---- inputs -------------------------------------------------------------------------------- */

typedef struct input {
    unsigned char *data;
    size_t size;
} input;

/* ---- one case ------------------------------------------------------------------------------ */

static void write_and_read_again(const pm_motion *opened, const motion_format *format) {
    const pm_motion_content *content = pm_motion_get_content(opened);
    const motion_samples samples = test_halves(opened, 5, (pm_rational){4, 1});
    SCOPED(bytes_free) file_bytes out = {0};
    expect_success(
        test_write(opened, format, content->clip_count > 0 ? &samples : NULL, &out, new_error()));
    SCOPED(pm_motion_destroy) pm_motion *again = test_parse(out.data, out.size, NULL);
    assert_int_equal(pm_motion_get_content(again)->clip_count, content->clip_count);
}

/* Sums all keys, so that a sanitizer sees each. */
static double sum_keys(const pm_motion_content *content) {
    double sum = 0.0;
    for (size_t i = 0; i < content->clip_count; i++)
        for (size_t c = 0; c < content->clips[i].channel_count; c++) {
            const pm_motion_channel *channel = &content->clips[i].channels[c];
            const size_t keys = content->clips[i].timelines[channel->timeline].key_count;
            const pm_array *const arrays[] = {&channel->keys, &channel->in, &channel->out};
            for (size_t a = 0; a < 3; a++)
                for (size_t k = 0; arrays[a]->data && k < keys; k++)
                    for (size_t n = 0; n < channel->components; n++) {
                        float value;
                        memcpy(&value,
                               (const char *)arrays[a]->data + k * arrays[a]->stride + 4 * n, 4);
                        sum += (double)value;
                    }
        }
    return sum;
}

typedef struct tally {
    size_t read, refused;
} tally;

/* The bytes are copied to a block of just their size. */
static void run_case(const void *data, size_t size, pm_motion_format format, tally *t) {
    const pm_motion_read_options options = {.format = format};
    SCOPED(pm_motion_destroy) pm_motion *opened = NULL;
    SCOPED(free_at) char *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    const size_t before = counted_bytes();
    const pm_status status = pm_motion_parse(copy, size, "", NULL, &options, &opened, new_error());
    assert_in_range(counted_bytes() - before, 0, (size_t)MOST_REQUESTED);
    if (status == PM_OK) {
        t->read++;
        assert_true(sum_keys(pm_motion_get_content(opened)) < 1e39 * 1e39);
        write_and_read_again(opened, &motion_glb);
        write_and_read_again(opened, &motion_gltf);
    } else {
        t->refused++;
        assert_int_equal(status, PM_ERROR_FILE);
        assert_true(strlen(last_error()->message) > 8);
        assert_null(opened);
    }
}

/* ---- the cases ----------------------------------------------------------------------------- */

/* What a file of a few kilobytes can make the reader do: many users of one large accessor, deep
 * nesting, sizes that no data stand for. */
TEST(small_files_stay_small) {
    tally t = {0};
    SCOPED(free_at) char *text = test_array(1 << 20, 1);
    memset(text, '[', 1 << 20);
    run_case(text, 1 << 20, PM_MOTION_GLTF, &t);
    static const char *const words[] = {"has no uri", "without data", "zeros",
                                        "cannot be|no meshoptimizer"};
    static const char *const texts[] = {
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":4000000000}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":4000000000}],"
        "\"nodes\":[{}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
        "\"count\":1000000000,\"type\":\"SCALAR\"}],\"animations\":[{\"samplers\":["
        "{\"input\":0,\"output\":0}],\"channels\":[]}]}",
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"accessors\":[{\"componentType\":5126,"
        "\"count\":1000000000,\"type\":\"SCALAR\"}],\"animations\":[{\"samplers\":["
        "{\"input\":0,\"output\":0}],\"channels\":[]}]}",
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"skins\":[{\"joints\":[0],"
        "\"inverseBindMatrices\":0}],\"accessors\":[{\"componentType\":5126,"
        "\"count\":1000000000,\"type\":\"MAT4\"}]}",
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"buffers\":[{\"byteLength\":4000000000},"
        "{\"byteLength\":4,\"uri\":\"data:;base64,oAAAAA==\"}],\"bufferViews\":[{\"buffer\":0,"
        "\"byteLength\":4000000000,\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\":1,"
        "\"byteLength\":4,\"byteStride\":4,\"count\":1000000000,\"mode\":\"ATTRIBUTES\"}}}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
        "\"count\":1000000000,\"type\":\"SCALAR\"}],\"animations\":[{\"samplers\":["
        "{\"input\":0,\"output\":0}],\"channels\":[]}]}"};
    assert_int_equal(t.refused, 1);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        pm_motion *opened = NULL;
        expect_error(
            pm_motion_parse(texts[i], strlen(texts[i]), "", NULL, NULL, &opened, new_error()),
            PM_ERROR_FILE, words[i]);
    }
}

/* Each of 2000 nodes uses one accessor of 16-bit integers, which is converted once. */
TEST(shared_accessors_are_converted_once) {
    enum { NODES = 2000, KEYS = 20000 };
    SCOPED(free_at) unsigned char *bin = test_array(KEYS * 12, 1);
    char *json = test_array(NODES * 80 + 2000, 1), *end = json;
    for (size_t k = 0; k < KEYS; k++) {
        const float time = (float)k;
        const int16_t q[4] = {0, 0, 0, 32767};
        memcpy(bin + 4 * k, &time, 4);
        memcpy(bin + (size_t)KEYS * 4 + 8 * k, q, 8);
    }
    end += sprintf(end,
                   "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%d}],"
                   "\"bufferViews\":[{\"buffer\":0,\"byteLength\":%d}],\"accessors\":["
                   "{\"bufferView\":0,\"componentType\":5126,\"count\":%d,\"type\":\"SCALAR\","
                   "\"min\":[0],\"max\":[%d]},{\"bufferView\":0,\"byteOffset\":%d,"
                   "\"componentType\":5122,\"normalized\":true,\"count\":%d,\"type\":\"VEC4\"}],"
                   "\"animations\":[{\"samplers\":[{\"input\":0,\"output\":1}],\"channels\":[",
                   KEYS * 12, KEYS * 12, KEYS, KEYS - 1, KEYS * 4, KEYS);
    for (int i = 0; i < NODES; i++)
        end += sprintf(end, "%s{\"sampler\":0,\"target\":{\"node\":%d,\"path\":\"rotation\"}}",
                       i ? "," : "", i);
    end += sprintf(end, "]}],\"nodes\":[");
    for (int i = 0; i < NODES; i++)
        end += sprintf(end, "%s{}", i ? "," : "");
    (void)sprintf(end, "]}");
    size_t size = 0;
    SCOPED(free_at) unsigned char *file = glb_assemble(json, bin, (size_t)KEYS * 12, &size);
    SCOPED(pm_motion_destroy) pm_motion *opened = NULL;
    const size_t before = counted_bytes();
    expect_success(pm_motion_parse(file, size, "", NULL, NULL, &opened, new_error()));
    assert_in_range(counted_bytes() - before, 0, (size_t)MOST_REQUESTED);
    const pm_motion_clip *clip = &pm_motion_get_content(opened)->clips[0];
    assert_int_equal(clip->channel_count, NODES);
    assert_ptr_equal(clip->channels[0].keys.data, clip->channels[NODES - 1].keys.data);
    free(json);
}

/* The largest memory of the whole run, which has read thousands of files. */
TEST(memory_stays_below_100_megabytes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip();
#endif
    assert_true(os_memory_taken() > 0 && os_memory_taken() < 100u << 20);
}

/* ---- failures of memory ---------------------------------------------------------------------- */

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
    const pm_status status =
        pm_motion_parse(read_file->data, read_file->size, "", NULL, NULL, &opened, new_error());
    assert_int_equal(opened != NULL, status == PM_OK);
    pm_motion_destroy(&opened);
    assert_int_equal(live_blocks(), live);
    if (status != PM_OK && status != PM_ERROR_MEMORY && !(with_jansson && status == PM_ERROR_FILE))
        fail_msg("a failed allocation became %d: %s", (int)status, last_error()->message);
    return status == PM_OK;
}

TEST(each_allocation_of_reading_may_fail) {
    random_source random = random_salted(0x961);
    for (size_t i = 0; i < (small_sizes() ? 1 : 3); i++) {
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
    kept.size = 0;
    const pm_status status = test_write(written, format, &samples, &kept, new_error());
    assert_int_equal(live_blocks(), live);
    if (status != PM_OK && status != PM_ERROR_MEMORY)
        fail_msg("a failed allocation became %d: %s", (int)status, last_error()->message);
    return status == PM_OK;
}

TEST(each_allocation_of_writing_may_fail) {
    random_source random = random_salted(0x962);
    const motion_format *const formats[] = {&motion_glb, &motion_gltf};
    kept = (file_bytes){.data = test_array(1 << 20, 1), .room = 1 << 20};
    json_set_alloc_funcs(malloc, free);
    for (size_t i = 0; i < (small_sizes() ? 1 : 3); i++) {
        generated_file *file = gltf_generate(&random);
        SCOPED(pm_motion_destroy) pm_motion *opened = test_parse(file->data, file->size, NULL);
        written = opened;
        for (size_t f = 0; f < 2; f++) {
            format = formats[f];
            fail_each_allocation(write_it, 5, 0);
            pm_motion_destroy(&(pm_motion *){test_parse(kept.data, kept.size, NULL)});
        }
        gltf_generated_free(file);
    }
    free(kept.data);
}
