/* SPDX-License-Identifier: MIT
 *
 * Values at the ends of their ranges, and texts that JSON escapes.
 */
#include "support/records.h"

#include "support/test.h"

#include <stdlib.h>

static const char *const warnings[] = {"line 3: \"odd\"", "", "\xc3\xa4\n"};

batch_record records_full(record_status status) {
    const batch_record record = {
        .name = "walks/a.bvh",
        .in = "in/walks/a.bvh",
        .out = "out/walks/a.bvh",
        .status = status,
        .input = digest_of("input", 5),
        .options = digest_of("options", 7),
        .output = digest_of("output", 6),
        .version = "0.1.0",
        .source_rate = {30000, 1001},
        .rate = {INT64_MAX, INT64_MAX - 1},
        .frames = INT64_MAX,
        .joints = 61,
        .method = "squad",
        .device = "PoCL \"cpu\"",
        .warnings = warnings,
        .warning_count = sizeof warnings / sizeof warnings[0],
        .seconds = 0.1 + 0.2,
        .bytes_read = UINT64_C(1) << 53 | 1,
        .bytes_written = 12345,
        .output_time = -1,
        .time = INT64_C(1795463302123456789),
        .error = status == RECORD_FAILED ? "line 7: 'x' is no number" : NULL,
        .code = status == RECORD_FAILED ? record_code(PM_ERROR_DEVICE) : 0,
    };
    return record;
}

static void expect_text(const char *a, const char *b) {
    assert_int_equal(a == NULL, b == NULL);
    if (a)
        assert_string_equal(a, b);
}

static void expect_rate(pm_rational a, pm_rational b) {
    assert_true(a.num == b.num && a.den == b.den);
}

pm_status records_append(record_file *file, const batch_record *record) {
    SCOPED(free_at) char *line = NULL;
    const pm_status status = record_file_append(file, record, &line, NULL);
    return status;
}

void records_expect_equal(const batch_record *a, const batch_record *b) {
    expect_text(a->name, b->name);
    expect_text(a->in, b->in);
    expect_text(a->out, b->out);
    assert_int_equal(a->status, b->status);
    assert_true(digest_equal(&a->input, &b->input) && digest_equal(&a->options, &b->options) &&
                digest_equal(&a->output, &b->output));
    expect_text(a->version, b->version);
    expect_rate(a->source_rate, b->source_rate);
    expect_rate(a->rate, b->rate);
    assert_true(a->frames == b->frames && a->joints == b->joints);
    expect_text(a->method, b->method);
    expect_text(a->device, b->device);
    assert_int_equal(a->warning_count, b->warning_count);
    for (size_t i = 0; i < a->warning_count; i++)
        expect_text(a->warnings[i], b->warnings[i]);
    assert_true(a->seconds == b->seconds);
    assert_true(a->bytes_read == b->bytes_read && a->bytes_written == b->bytes_written);
    assert_true(a->output_time == b->output_time && a->time == b->time);
    expect_text(a->error, b->error);
    assert_int_equal(a->code, b->code);
}
