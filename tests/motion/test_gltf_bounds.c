/* SPDX-License-Identifier: MIT
 *
 * What small glTF files may cost: files, views and accessors that are referred to again and again,
 * sizes that no data stand for, and nesting. Memory is counted, not time.
 */
#define _POSIX_C_SOURCE 200809L

#include <jansson.h>
#include <posemill/posemill_motion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "motion.h"
#include "motion/gltf/plain_json.h"
#include "motion/model/model.h"
#include "support/file_bytes.h"
#include "support/gltf_generator.h"
#include "support/motion_files.h"
#include "support/test_folder.h"

/* ---- documents ----------------------------------------------------------------------------- */

static void add(file_bytes *text, const char *format, size_t a, size_t b) {
    char part[512];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int length = snprintf(part, sizeof part, format, a, b);
#pragma GCC diagnostic pop
    assert_true(length > 0 && (size_t)length < sizeof part);
    bytes_add(text, part, (size_t)length);
}

static void add_each(file_bytes *text, const char *format, size_t count, size_t b) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            bytes_add(text, ",", 1);
        add(text, format, i, b);
    }
}

static pm_status parse(const file_bytes *text, pm_motion **opened, pm_error *error) {
    *opened = NULL;
    return pm_motion_parse(text->data, text->size, "", NULL, NULL, opened, error);
}

static void expect_too_much(const file_bytes *text) {
    pm_motion *opened;
    expect_error(parse(text, &opened, new_error()), PM_ERROR_FILE, "too often, or to none");
}

/* ---- accessors ----------------------------------------------------------------------------- */

enum { KEYS = 30000, USERS = 1500 };

/* `users` channels, each with accessors of its own, all on the same bytes. */
static unsigned char *make_overlapping(size_t users, size_t *size) {
    file_bytes json = {0};
    SCOPED(free_at) float *bin = test_array(KEYS, sizeof *bin);
    for (size_t k = 0; k < KEYS; k++)
        bin[k] = (float)k;
    add(&json,
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu}],\"accessors\":[",
        4 * (size_t)KEYS, 4 * (size_t)KEYS);
    add_each(&json,
             "{\"bufferView\":0,\"byteOffset\":%zu,\"componentType\":5126,\"count\":%zu,"
             "\"type\":\"SCALAR\"}",
             1, KEYS);
    for (size_t i = 1; i < users; i++)
        add(&json,
            ",{\"bufferView\":0,\"byteOffset\":%zu,\"componentType\":5126,\"count\":%zu,"
            "\"type\":\"SCALAR\"}",
            4 * (i % 8), KEYS - 8);
    add(&json, "],\"nodes\":[{}],\"animations\":[{\"samplers\":[", 0, 0);
    add_each(&json, "{\"input\":%zu,\"output\":%zu}", users, 0);
    add(&json, "],\"channels\":[]}]}", 0, 0);
    bytes_add(&json, "", 1);
    unsigned char *file = glb_assemble(json.data, bin, 4 * (size_t)KEYS, size);
    free(json.data);
    return file;
}

TEST(many_accessors_of_the_same_bytes_are_refused) {
    for (size_t users = 1; users <= USERS; users += USERS - 1) {
        SCOPED(bytes_free) file_bytes file = {0};
        file.data = (char *)make_overlapping(users, &file.size);
        pm_motion *opened = NULL;
        if (users > 1) {
            expect_too_much(&file);
        } else {
            expect_success(parse(&file, &opened, new_error()));
            pm_motion_destroy(&opened);
        }
    }
}

/* Times of 4 bytes a key; for each key a million weights without data. */
TEST(accessors_without_data_are_not_made_on_the_word_of_the_file) {
    enum { TARGETS = 20000, FEW = 2000 };
    SCOPED(bytes_free) file_bytes json = {0}, file = {0};
    float times[FEW];
    for (size_t k = 0; k < FEW; k++)
        times[k] = (float)k;
    add(&json,
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu}],",
        sizeof times, sizeof times);
    add(&json,
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":%zu,"
        "\"type\":\"SCALAR\"},{\"componentType\":5126,\"count\":%zu,\"type\":\"SCALAR\"}],",
        FEW, (size_t)FEW * TARGETS);
    add(&json,
        "\"nodes\":[{\"mesh\":0}],\"animations\":[{\"samplers\":[{\"input\":0,\"output\":1}],"
        "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"weights\"}}]}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{},\"targets\":[",
        0, 0);
    add_each(&json, "{}", TARGETS, 0);
    add(&json, "]}]}]}", 0, 0);
    bytes_add(&json, "", 1);
    file.data = (char *)glb_assemble(json.data, times, sizeof times, &file.size);
    expect_too_much(&file);
}

/* ---- files beside the document ------------------------------------------------------------- */

static const char *const names[] = {"shared.bin", "./shared.bin", "%73hared.bin", "link.bin",
                                    ".//shared.bin"};
enum { NAMES = COUNT_OF(names), BUFFERS = 2000, FILE_SIZE = 1 << 20 };

/* A view of each buffer, the first with the keys of a clip. */
static void describe_buffers(file_bytes *json, bool has_unknown) {
    add(json, "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[", 0, 0);
    for (size_t i = 0; i < BUFFERS; i++) {
        add(json, i ? ",{\"byteLength\":%zu,\"uri\":\"" : "{\"byteLength\":%zu,\"uri\":\"",
            FILE_SIZE - i, 0);
        bytes_add(json, names[i % NAMES], strlen(names[i % NAMES]));
        bytes_add(json, "\"}", 2);
    }
    add(json, "],\"bufferViews\":[", 0, 0);
    add_each(json, "{\"buffer\":%zu,\"byteLength\":%zu}", BUFFERS, 64);
    add(json,
        "],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":2,"
        "\"type\":\"SCALAR\",\"min\":[0],\"max\":[1]},{\"bufferView\":1,\"byteOffset\":16,"
        "\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}],\"nodes\":[{}],\"animations\":[{"
        "\"samplers\":[{\"input\":0,\"output\":1}],\"channels\":[{\"sampler\":0,\"target\":{"
        "\"node\":0,\"path\":\"translation\"}}]}],\"images\":[",
        0, 0);
    add_each(json, "{\"bufferView\":%zu,\"mimeType\":\"image/png\"}", BUFFERS, 0);
    add(json, has_unknown ? "],\"extensions\":{\"X_unknown\":{}}}" : "]}", 0, 0);
}

static void make_files(void) {
    float keys[64] = {0, 1};
    SCOPED(free_at) unsigned char *data = test_array(FILE_SIZE, 1);
    memset(data, 0, FILE_SIZE);
    memcpy(data, keys, sizeof keys);
    test_folder_put("shared.bin", data, FILE_SIZE);
    test_folder_link("shared.bin", "link.bin");
}

static void count_bytes(void *user, const void *data, size_t size) {
    (void)data;
    *(size_t *)user += size;
}

/* The observer sees what is read. Views of all buffers become views of one piece of the output. */
TEST(a_file_that_many_buffers_name_is_read_and_written_once) {
    SCOPED(bytes_free) file_bytes json = {0}, out = {0};
    SCOPED(pm_motion_destroy) pm_motion *opened = NULL;
    size_t seen = 0;
    const pm_motion_observer observer = {.see = count_bytes, .user = &seen};
    make_files();
    describe_buffers(&json, false);
    test_folder_put("in.gltf", json.data, json.size);
    expect_success(pm_motion_open("in.gltf", &(pm_motion_read_options){.observer = &observer},
                                  &opened, new_error()));
    assert_int_equal(seen, json.size + FILE_SIZE);
    expect_success(test_write(opened, &motion_glb, NULL, &out, new_error()));
    assert_true(out.size < 2 * json.size);
    SCOPED(pm_motion_destroy) pm_motion *again = test_parse(out.data, out.size, NULL);
    assert_int_equal(pm_motion_get_content(again)->clips[0].timelines[0].key_count, 2);
}

TEST(a_file_is_not_embedded_once_for_each_of_many_buffers) {
    SCOPED(bytes_free) file_bytes json = {0}, out = {0};
    SCOPED(pm_motion_destroy) pm_motion *opened = NULL;
    make_files();
    describe_buffers(&json, true);
    expect_success(pm_motion_parse(json.data, json.size, "", ".", NULL, &opened, new_error()));
    expect_error(test_write(opened, &motion_glb, NULL, &out, new_error()), PM_ERROR_OUTPUT,
                 "is the same file as");
}

/* ---- small stacks -------------------------------------------------------------------------- */

typedef struct small_work {
    file_bytes in, out;
    pm_status status;
    pm_error error;
} small_work;

static void free_work(small_work *w) {
    bytes_free(&w->in);
    bytes_free(&w->out);
}

/* Reads, and writes again. */
static void *work_on_small_stack(void *user) {
    small_work *w = user;
    SCOPED(pm_motion_destroy) pm_motion *opened = NULL;
    w->status = parse(&w->in, &opened, &w->error);
    if (w->status == PM_OK)
        w->status = test_write(opened, &motion_gltf, NULL, &w->out, &w->error);
    return NULL;
}

static void run_on_small_stack(small_work *w) {
    enum { STACK = 128 * 1024 }; /* of a thread of musl */
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, work_on_small_stack, w), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)pthread_attr_destroy(&attributes);
}

/* Nested in `depth` values in all, the document included. */
static small_work nest(const char *open, const char *close, size_t depth) {
    small_work w = {.status = PM_OK};
    add(&w.in, "{\"asset\":{\"version\":\"2.0\"},\"extras\":", 0, 0);
    for (size_t i = 1; i < depth; i++)
        bytes_add(&w.in, open, strlen(open));
    bytes_add(&w.in, "1.50", 4);
    for (size_t i = 1; i < depth; i++)
        bytes_add(&w.in, close, strlen(close));
    bytes_add(&w.in, "}\n", 2);
    run_on_small_stack(&w);
    return w;
}

TEST(nesting_fits_a_small_stack) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* their frames are larger */
#endif
    static const char *const kinds[2][2] = {{"[", "]"}, {"{\"a\":", "}"}};
    for (size_t i = 0; i < 2; i++) {
        small_work w = nest(kinds[i][0], kinds[i][1], PLAIN_JSON_DEPTH);
        expect_ok(w.status, &w.error);
        assert_int_equal(w.out.size, w.in.size);
        assert_memory_equal(w.out.data, w.in.data, w.in.size);
        free_work(&w);
        for (size_t depth = PLAIN_JSON_DEPTH + 1; depth < 1000000; depth *= 90) {
            w = nest(kinds[i][0], kinds[i][1], depth);
            expect_refusal(w.status, &w.error, PM_ERROR_FILE, "nested too deep");
            free_work(&w);
        }
    }
}

TEST(a_chain_of_100000_nodes_fits_a_small_stack) {
    enum { CHAIN = 100000 };
    small_work w = {.status = PM_OK};
    add(&w.in, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}", 0, 0);
    for (size_t i = 0; i + 1 < CHAIN; i++)
        add(&w.in, ",{\"children\":[%zu]}", i, 0);
    add(&w.in, "]}\n", 0, 0);
    run_on_small_stack(&w);
    expect_ok(w.status, &w.error);
    free_work(&w);
}

/* ---- numbers ------------------------------------------------------------------------------- */

static void append_number(file_bytes *text, random_source *random) {
    static const char *const odd[] = {"18446744073709551615",
                                      "-9223372036854775809",
                                      "1e400",
                                      "-1E-400",
                                      "-0",
                                      "-0.0",
                                      "0.10",
                                      "1.0",
                                      "100e-2",
                                      "3.14159265358979323846264338327950288",
                                      "9007199254740993"};
    const size_t kind = random_size(random, 0, 3);
    char number[64];
    if (kind == 0) {
        const char *one = odd[random_size(random, 0, COUNT_OF(odd) - 1)];
        bytes_add(text, one, strlen(one));
        return;
    }
    (void)snprintf(number, sizeof number,
                   kind == 1   ? "%.0f"
                   : kind == 2 ? "%.20g"
                               : "%.3e",
                   random_between(random, -1e3, 1e3) * random_between(random, 0, 1e3));
    bytes_add(text, number, strlen(number));
}

static void append_value(file_bytes *text, random_source *random, size_t depth) {
    static const char *const words[] = {"true",    "false",           "null", "\"\"", "\"\\u0000\"",
                                        "\"1e5\"", "\"J\xc3\xb6rg\"", "[]",   "{}"};
    const size_t kind = random_size(random, 0, depth > 6 ? 1 : 3);
    if (kind == 0) {
        append_number(text, random);
    } else if (kind == 1) {
        const char *word = words[random_size(random, 0, COUNT_OF(words) - 1)];
        bytes_add(text, word, strlen(word));
    } else {
        const size_t count = random_size(random, 1, 4);
        bytes_add(text, kind == 2 ? "[" : "{", 1);
        for (size_t i = 0; i < count; i++) {
            if (i > 0)
                bytes_add(text, ",", 1);
            if (kind == 3)
                add(text, "\"k%zu\":", i, 0);
            append_value(text, random, depth + 1);
        }
        bytes_add(text, kind == 2 ? "]" : "}", 1);
    }
}

/* Compact, so that what is written is what was read, to the byte. */
TEST(any_json_is_carried_over_to_the_byte) {
    random_source random = random_salted(0x971);
    for (size_t round = 0; round < 300; round++) {
        SCOPED(bytes_free) file_bytes text = {0}, out = {0};
        SCOPED(pm_motion_destroy) pm_motion *opened;
        add(&text, "{\"asset\":{\"version\":\"2.0\"},\"materials\":[{\"alphaCutoff\":", 0, 0);
        append_number(&text, &random);
        add(&text, ",\"extras\":", 0, 0);
        append_value(&text, &random, 0);
        add(&text, "}],\"extensions\":{\"X_unknown\":", 0, 0);
        append_value(&text, &random, 0);
        add(&text, "},\"extras\":", 0, 0);
        append_value(&text, &random, 0);
        add(&text, "}\n", 0, 0);
        expect_success(parse(&text, &opened, new_error()));
        expect_success(test_write(opened, &motion_gltf, NULL, &out, new_error()));
        assert_int_equal(out.size, text.size);
        assert_memory_equal(out.data, text.data, text.size);
    }
}

TEST(a_number_that_no_double_holds_is_refused_where_it_is_read) {
    static const char *const texts[] = {
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"translation\":[0,1e400,0]}]}",
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"children\":[18446744073709551616]}]}",
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":1.5}]}",
        "{\"asset\":{\"version\":2.0}}"};
    static const char *const words[] = {"/nodes/0/translation/1: is too large",
                                        "/nodes/0/children/0: is 1.8446744073709552e+19",
                                        "/nodes/0/name: is a number; expected a string",
                                        "/asset/version: is a number; expected a string"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        const file_bytes text = {(char *)(uintptr_t)texts[i], strlen(texts[i]), 0};
        pm_motion *opened;
        expect_error(parse(&text, &opened, new_error()), PM_ERROR_FILE, words[i]);
    }
}

TEST_EACH(test_folder_enter, test_folder_leave)
