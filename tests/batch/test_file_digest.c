/* SPDX-License-Identifier: MIT
 *
 * Digests against those that xxh128sum prints, at the sizes where the algorithm changes; in one
 * piece, in pieces, of files, and of files that options of a batch name.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/batch/batch_file.h"
#include "motion/files/digest.h"
#include "motion/files/input.h"
#include "support/test.h"
#include "support/test_folder.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct known {
    size_t size;
    const char *text;
} known;

/* Of bytes (131 i + 7 (i / 256)) mod 256, by xxh128sum 0.8.1. */
static const known table[] = {
    {0, "99aa06d3014798d86001c324468d497f"},     {1, "a6cd5e9392000f6ac44bdff4074eecdb"},
    {3, "c925ae1797c3998f6811538b444fc6dc"},     {4, "6ae518c60df23fcadb9cecd5eb59a7f1"},
    {8, "63f350efc0ba3e2e5b3f49d0f38f9d7d"},     {9, "83c871b1014e6f76d8a20b5b7aa68a37"},
    {16, "248181305d3c1039adebb1d9d080b69c"},    {17, "825a0db7d0afe2c0cfea252f6b7ed7e9"},
    {128, "08df79f520370b525cfea347ea4bb687"},   {129, "fc1d02037be48a62821740ece8839b64"},
    {240, "8406fbd017acdf4e687f00a7f64e46db"},   {241, "d894c74b1b3ea28f44dbd3180a664e27"},
    {1024, "54680c079a49361cd1abb5dbd52032f9"},  {1025, "4010f40cb0ea5efda3908b116ddf0191"},
    {300000, "ec4b12dab74f5b34bbcfbd3e2bb40e67"}};
enum { COUNT = COUNT_OF(table), LARGEST = 300000 };

static unsigned char data[LARGEST];

static int make_data(void **state) {
    for (size_t i = 0; i < LARGEST; i++)
        data[i] = (unsigned char)(i * 131 + (i >> 8) * 7);
    return test_folder_enter(state);
}

/* Of these first bytes and a hole. */
static void put_with_start(const char *name, const char *start, size_t size) {
    test_folder_put(name, start, strlen(start));
    assert_int_equal(truncate(name, (off_t)size), 0);
}

TEST(digests_are_those_of_xxh128sum) {
    for (size_t i = 0; i < COUNT; i++) {
        const digest found = digest_of(data, table[i].size);
        assert_string_equal(found.text, table[i].text);
    }
}

TEST(pieces_give_the_digest_of_the_whole) {
    static const size_t steps[] = {1, 7, 64, 1000, LARGEST};
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < COUNT_OF(steps); k++) {
            digest_state *hash = digest_begin();
            assert_non_null(hash);
            for (size_t at = 0; at < table[i].size; at += steps[k]) {
                const size_t left = table[i].size - at;
                digest_add(hash, data + at, left < steps[k] ? left : steps[k]);
            }
            const digest found = digest_end(&hash);
            assert_null(hash);
            assert_string_equal(found.text, table[i].text);
        }
    }
}

TEST(files_have_the_digests_of_their_bytes) {
    for (size_t i = 0; i < COUNT; i++) {
        digest found;
        test_folder_put("file", data, table[i].size);
        assert_true(digest_of_file("file", &found));
        assert_string_equal(found.text, table[i].text);
    }
}

TEST(a_file_that_cannot_be_read_has_none) {
    digest found = digest_of("a", 1);
    errno = 0;
    assert_false(digest_of_file("/nonexistent/file", &found));
    assert_int_equal(errno, ENOENT);
    assert_string_equal(found.text, "");
    found = digest_of("a", 1);
    assert_false(digest_of_file("/", &found)); /* opens, and cannot be read */
    assert_int_equal(errno, EISDIR);
    assert_string_equal(found.text, "");
}

static const digest *digest_for(const char *name, const options_files *files) {
    size_t i = 0;
    while (strcmp(option_rows[i].info.name, name) != 0)
        i++;
    return &files->of[i];
}

/* Of 300000 bytes. Those of another kind than the option are not read. */
TEST(files_of_options_have_the_digests_of_their_bytes) {
    const digest whole = digest_of(data, LARGEST);
    const pm_motion_mirror_options mirror = {.pairs = "text"};
    pm_motion_batch_task task = {.mirror = &mirror};
    options_files files;
    task.read.layout = task.read.rates_file = task.read.skeleton = "text";
    task.curve.tangents_file = task.curve.axis_file = "text";
    test_folder_put("text", data, LARGEST);
    options_files_read(&task, &files);
    assert_string_equal(digest_for("layout", &files)->text, whole.text);
    assert_string_equal(digest_for("rates", &files)->text, whole.text);
    assert_string_equal(digest_for("skeleton", &files)->text, whole.text);
    assert_string_equal(digest_for("pairs", &files)->text, whole.text);
    assert_string_equal(digest_for("tangents", &files)->text, "");
    assert_string_equal(digest_for("axis", &files)->text, "");
    task.read.skeleton = "joints.bvh";
    task.curve.tangents_file = "numbers";
    put_with_start("joints.bvh", "HIERARCHY ", LARGEST);
    put_with_start("numbers", "\x93NUMPY\x01", LARGEST);
    options_files_read(&task, &files);
    assert_string_not_equal(digest_for("skeleton", &files)->text, "");
    assert_string_not_equal(digest_for("tangents", &files)->text, "");
}

/* A motion may be larger than a text, if it begins like one. */
TEST(files_beyond_the_limits_of_their_readers_are_not_read) {
    const pm_motion_mirror_options mirror = {.pairs = "sparse"};
    pm_motion_batch_task task = {.mirror = &mirror};
    options_files files;
    task.read.layout = task.read.rates_file = task.read.skeleton = "sparse";
    put_with_start("sparse", "{", INPUT_BESIDE_MAX + 1);
    put_with_start("sparse.json", "{", INPUT_BESIDE_MAX + 1);
    put_with_start("joints.bvh", "HIERARCHY ", INPUT_BESIDE_MAX + 1);
    options_files_read(&task, &files);
    assert_string_equal(digest_for("layout", &files)->text, "");
    assert_string_equal(digest_for("rates", &files)->text, "");
    assert_string_equal(digest_for("pairs", &files)->text, "");
    task.read.skeleton = "sparse.json";
    options_files_read(&task, &files);
    assert_string_equal(digest_for("skeleton", &files)->text, "");
    task.read.skeleton = "joints.bvh";
    options_files_read(&task, &files);
    assert_string_not_equal(digest_for("skeleton", &files)->text, "");
}

TEST(digests_are_compared) {
    const digest a = digest_of("a", 1), b = digest_of("b", 1), none = {""};
    digest_state *nothing = NULL;
    assert_true(digest_equal(&a, &a));
    assert_false(digest_equal(&a, &b));
    assert_false(digest_equal(&a, &none));
    const digest of_nothing = digest_end(&nothing);
    assert_string_equal(of_nothing.text, "");
}

TEST_GROUP(make_data, test_folder_leave)
