/* SPDX-License-Identifier: MIT
 *
 * Tests of .npy files: which are read, which are rejected and for what reason, and that written
 * headers read back. Invalid files are created here byte by byte.
 */
#include "eval/eval.h"
#include "motion/npz/npy_file.h"
#include "support/test.h"
#include "support/test_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making files -------------------------------------------------------------- */

typedef struct bytes {
    char data[70000];
    size_t size;
} bytes;

static bytes file;

/* Creates a file of the version with this header text and number of data bytes. */
static void make(int version, const char *header, size_t data_bytes) {
    size_t length = strlen(header);
    size_t frame = version == 1 ? 10 : 12;
    memset(&file, 0, sizeof file);
    memcpy(file.data, "\x93NUMPY", 6);
    file.data[6] = (char)version;
    file.data[8] = (char)(length & 0xff);
    file.data[9] = (char)(length >> 8);
    memcpy(file.data + frame, header, length);
    file.size = frame + length + data_bytes;
    assert_true(file.size <= sizeof file.data);
}

static npy_array parsed;
static char reason[NPY_REASON_SIZE];

static bool parse(void) {
    /* Copied into memory of exactly its size, so that a sanitizer detects a read past the end. */
    SCOPED(free_at) char *copy = malloc(file.size > 0 ? file.size : 1);
    assert_non_null(copy);
    memcpy(copy, file.data, file.size);
    memset(&parsed, 0xa5, sizeof parsed);
    memset(reason, 0x5a, sizeof reason);
    bool good = npy_parse(copy, file.size, &parsed, reason);
    if (good)
        assert_ptr_equal((const char *)parsed.data + parsed.bytes, copy + file.size);
    parsed.data = NULL;
    return good;
}

static void expect_refused(const char *word) {
    assert_false(parse());
    if (!strstr(reason, word))
        fail_msg("refused because it '%s', where '%s' was expected", reason, word);
}

static const char plain[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n";

/* ---- accepted ------------------------------------------------------------------ */

TEST(versions_one_to_three_are_read) {
    for (int version = 1; version <= 3; version++) {
        make(version, plain, 24);
        assert_true(parse());
        assert_int_equal(parsed.type, PM_FLOAT32);
        assert_int_equal(parsed.rank, 2);
        assert_int_equal(parsed.shape[0], 2);
        assert_int_equal(parsed.shape[1], 3);
        assert_int_equal(parsed.count, 6);
        assert_int_equal(parsed.bytes, 24);
    }
}

TEST(doubles_are_read) {
    make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", 24);
    assert_true(parse());
    assert_int_equal(parsed.type, PM_FLOAT64);
    assert_int_equal(parsed.rank, 1);
    assert_int_equal(parsed.count, 3);
}

TEST(keys_blanks_quotes_and_commas_may_differ) {
    static const char *const headers[] = {
        "{\"shape\":(2,3,),'fortran_order':False,\"descr\":\"<f4\"}",
        "  { 'fortran_order' :\tFalse , 'shape' : ( 2 , 3 ) ,\n'descr' : '<f4' , } \n\n",
        "{'descr':'<f4','fortran_order':False,'shape':(2L, 3L)}",
    };
    for (size_t i = 0; i < COUNT_OF(headers); i++) {
        make(1, headers[i], 24);
        assert_true(parse());
        assert_int_equal(parsed.count, 6);
    }
}

TEST(empty_and_zero_dimensional_shapes_are_counted) {
    make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': ()}", 4);
    assert_true(parse());
    assert_int_equal(parsed.rank, 0);
    assert_int_equal(parsed.count, 1);
    /* The product with 18446744073709551615 would overflow. */
    make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551615, 5, 0)}", 0);
    assert_true(parse());
    assert_int_equal(parsed.count, 0);
    assert_int_equal(parsed.bytes, 0);
}

/* ---- refused ------------------------------------------------------------------- */

TEST(other_types_and_shapes_are_refused_by_name) {
    static const struct {
        const char *header, *reason;
        size_t bytes;
    } cases[] = {
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3)}", "big-endian", 24},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)}", "'<i4'", 24},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 3)}", "'|O'", 24},
        {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2, 3)}", "records", 24},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", "Fortran", 24},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'extra': 1}", "'extra'", 24},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "too large",
         0},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952,)}", "too large",
         0},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,)}", "header", 0},
        {plain, "data has 23 bytes; shape (2, 3) requires 24", 23},
        {plain, "data has 25 bytes", 25},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        make(1, cases[i].header, cases[i].bytes);
        expect_refused(cases[i].reason);
    }
}

TEST(other_versions_are_refused_by_number) {
    make(1, plain, 24);
    file.data[6] = 4;
    expect_refused("version 4.0");
    file.data[6] = 0;
    expect_refused("version 0.0");
}

TEST(broken_dictionaries_are_refused) {
    static const char *const headers[] = {
        "",
        "   ",
        "{}",
        "{",
        "{'descr': '<f4'",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (, )}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': [2, 3]}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4\\x00', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': 7, 'fortran_order': False, 'shape': (2, 3)}",
        "{descr: '<f4', 'fortran_order': False, 'shape': (2, 3)}",
        "{'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': 1}",
        "[('descr', '<f4')]",
    };
    for (size_t i = 0; i < COUNT_OF(headers); i++) {
        make(1, headers[i], 24);
        if (parse())
            fail_msg("accepted: %s", headers[i]);
        assert_true(reason[0] != '\0' && reason[0] != 0x5a);
    }
}

TEST(a_shape_of_too_many_dimensions_is_refused) {
    char header[1024] = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
    for (int i = 0; i < NPY_MAX_RANK; i++)
        strcat(header, "1,");
    char one_more[sizeof header];
    strcpy(one_more, header);
    strcat(one_more, "1)}");
    strcat(header, ")}");
    make(1, header, 4);
    assert_true(parse());
    make(1, one_more, 4);
    assert_false(parse());
}

/* ---- files and headers --------------------------------------------------------- */

TEST(written_headers_read_back_and_align_the_data) {
    static const size_t shapes[][4] = {{7, 0, 0, 0}, {1, 2, 3, 4}, {SIZE_MAX / 64, 1, 4, 0}};
    for (size_t i = 0; i < 3; i++) {
        for (size_t rank = 1; rank <= 4; rank++) {
            char header[NPY_HEADER_MAX];
            memset(header, 0x7e, sizeof header);
            size_t length = npy_write_header(PM_FLOAT64, rank, shapes[i], header);
            assert_true(length <= sizeof header);
            assert_int_equal(length % 64, 0);
            assert_int_equal(header[length - 1], '\n');
            size_t count = 1;
            for (size_t d = 0; d < rank; d++)
                count *= shapes[i][d];
            if (count * 8 < sizeof file.data - length) {
                memcpy(file.data, header, length);
                file.size = length + count * 8;
                assert_true(parse());
                assert_int_equal(parsed.rank, rank);
                assert_memory_equal(parsed.shape, shapes[i], rank * sizeof(size_t));
            }
        }
    }
}

TEST(data_at_odd_offsets_are_aligned) {
    const double values[] = {1.5, -2.25};
    make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", 16);
    assert_int_not_equal((file.size - 16) % 8, 0);
    memcpy(file.data + file.size - 16, values, 16);
    test_folder_put("odd.npy", file.data, file.size);
    npy_array array;
    assert_int_equal(npy_read("odd.npy", &array, NULL), PM_OK);
    assert_int_equal((uintptr_t)array.data % sizeof(double), 0);
    assert_memory_equal(array.data, values, sizeof values);
    npy_release(&array);
    assert_null(array.data);
}

TEST(a_missing_file_is_bad_input) {
    npy_array array = {0};
    assert_int_equal(npy_read("/nonexistent/keys.npy", &array, NULL), PM_ERROR_FILE);
    assert_int_equal(npy_read("/", &array, NULL), PM_ERROR_FILE);
}

/* ---- sample counts of eval ----------------------------------------------------- */

TEST(uniform_samples_are_counted_in_whole_numbers) {
    static const struct {
        uint64_t keys;
        pm_rational key_rate, rate;
        uint64_t count;
    } cases[] = {
        {1, {30, 1}, {60, 1}, 1},
        {31, {30, 1}, {30, 1}, 31},
        {31, {30, 1}, {120, 1}, 121},
        {31, {30, 1}, {7, 1}, 8},
        {1296001, {120, 1}, {120120, 1001}, 1296001},
        {1296001, {120, 1}, {120000, 1001}, 1294706},
        {30001, {30000, 1001}, {30, 1}, 30031},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint64_t count = 0;
        assert_true(eval_count_uniform(cases[i].keys, cases[i].key_rate, cases[i].rate, &count));
        assert_int_equal(count, cases[i].count);
    }
    uint64_t count = 0;
    const pm_rational huge = {INT64_MAX, 1};
    const pm_rational tiny = {1, INT64_MAX};
    assert_false(eval_count_uniform(1000, tiny, huge, &count));
}

TEST(listed_samples_meet_a_last_key_written_in_decimals) {
    static const struct {
        double seconds;
        pm_rational rate;
        uint64_t count;
    } cases[] = {
        {0.0, {60, 1}, 1},  {0.3, {10, 1}, 4},       {0.7, {10, 1}, 8},
        {1.0, {30, 1}, 31}, {0.999999, {30, 1}, 30}, {100.1, {30000, 1001}, 3001},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint64_t count = 0;
        assert_true(eval_count_listed(cases[i].seconds, cases[i].rate, &count));
        assert_int_equal(count, cases[i].count);
    }
    uint64_t count = 0;
    assert_false(eval_count_listed(1e300, cases[1].rate, &count));
}

TEST_GROUP(test_folder_enter, test_folder_leave)
