/* SPDX-License-Identifier: MIT
 *
 * Errors as text: the option that one is about, and the one that cures it, in three spellings. What stands
 * around the names is never changed.
 */
#include "support/check.h"

#include <stdio.h>
#include <string.h>

static const char *text_of(const pm_error *error, pm_spelling spelling) {
    static char text[PM_ERROR_TEXT_SIZE];
    const size_t length = pm_error_text(error, spelling, text, sizeof text);
    assert_int_equal(length, strlen(text));
    return text;
}

static const char *hint_of(const pm_error *error, pm_spelling spelling) {
    static char text[PM_ERROR_TEXT_SIZE];
    const size_t length = pm_error_hint(error, spelling, text, sizeof text);
    assert_int_equal(length, strlen(text));
    return text;
}

TEST(an_option_and_its_cure_have_three_spellings) {
    const pm_error error = {.status = PM_ERROR_FILE,
                            .message = "a.bvh: is 0, expected above 0",
                            .option = "source-rate",
                            .option_at = strlen("a.bvh: "),
                            .cure = "end-rule",
                            .cure_value = "fit",
                            .hint = "leaves it out"};
    assert_string_equal(
        text_of(&error, PM_SPELLING_COMMAND),
        "a.bvh: --source-rate: is 0, expected above 0 (--end-rule fit leaves it out)");
    assert_string_equal(
        text_of(&error, PM_SPELLING_KEYWORD),
        "a.bvh: source_rate: is 0, expected above 0 (end_rule=\"fit\" leaves it out)");
    assert_string_equal(
        text_of(&error, PM_SPELLING_FIELD),
        "a.bvh: .source_rate: is 0, expected above 0 (.end_rule = fit leaves it out)");
    assert_string_equal(hint_of(&error, PM_SPELLING_COMMAND), "--end-rule fit leaves it out");
}

TEST(values_are_written_as_each_door_takes_them) {
    const struct {
        const char *value, *command, *keyword, *field;
    } rows[] = {
        {NULL, "--x", "x=", ".x"},
        {"true", "--x", "x=True", ".x = true"},
        {"0.5", "--x 0.5", "x=0.5", ".x = 0.5"},
        {"-1", "--x -1", "x=-1", ".x = -1"},
        {"FILE", "--x FILE", "x=FILE", ".x = FILE"},
        {"z", "--x z", "x=\"z\"", ".x = z"},
        {"time,position", "--x time,position", "x=\"time,position\"", ".x = time,position"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const pm_error error = {.cure = "x", .cure_value = rows[i].value};
        assert_string_equal(hint_of(&error, PM_SPELLING_COMMAND), rows[i].command);
        assert_string_equal(hint_of(&error, PM_SPELLING_KEYWORD), rows[i].keyword);
        assert_string_equal(hint_of(&error, PM_SPELLING_FIELD), rows[i].field);
    }
}

/* Names of files, joints and clips are the user's, and may be words of options. */
TEST(what_looks_like_an_option_is_not_changed) {
    static const char *const names[] = {"--rate",       "loop_period", "rotations_in", "--nan hold",
                                        "source_rate=", ".loop",       "loop=",        "--loop"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        for (int spelling = PM_SPELLING_FIELD; spelling <= PM_SPELLING_KEYWORD; spelling++) {
            pm_error error = {.status = PM_ERROR_FILE, .hint = names[i]};
            char expected[256];
            snprintf(error.message, sizeof error.message, "%s: is bad", names[i]);
            snprintf(expected, sizeof expected, "%s: is bad (%s)", names[i], names[i]);
            assert_string_equal(text_of(&error, (pm_spelling)spelling), expected);
            error.option = "rate";
            error.option_at = strlen(names[i]) + 2;
            assert_memory_equal(text_of(&error, (pm_spelling)spelling), names[i], strlen(names[i]));
        }
}

TEST(nothing_and_errors_without_words_have_a_text) {
    const pm_error silent = {.status = PM_ERROR_MEMORY};
    assert_string_equal(text_of(NULL, PM_SPELLING_COMMAND), "");
    assert_string_equal(hint_of(NULL, PM_SPELLING_COMMAND), "");
    assert_string_equal(hint_of(&silent, PM_SPELLING_COMMAND), "");
    assert_string_equal(text_of(&silent, PM_SPELLING_COMMAND), "memory");
    assert_int_equal(pm_error_text(&silent, PM_SPELLING_COMMAND, NULL, 0), 6);
    assert_int_equal(pm_error_text(&silent, PM_SPELLING_COMMAND, NULL, 100), 6);
}

/* Each size gives a beginning of the text that ends with a whole character. */
TEST(texts_are_cut_between_characters) {
    const pm_error error = {
        .message = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z", .option = "rate", .option_at = 10};
    char whole[64], cut[64];
    const size_t length = pm_error_text(&error, PM_SPELLING_COMMAND, whole, sizeof whole);
    for (size_t size = 1; size <= length + 1; size++) {
        memset(cut, 'x', sizeof cut);
        assert_int_equal(pm_error_text(&error, PM_SPELLING_COMMAND, cut, size), length);
        const size_t end = strlen(cut);
        assert_true(end < size && size - end <= 4);
        assert_memory_equal(cut, whole, end);
        assert_true(((unsigned char)whole[end] & 0xC0) != 0x80);
        assert_int_equal(cut[size], 'x');
    }
}

/* The longest message, names and hints fit the size that the header states. */
TEST(the_longest_text_fits) {
    pm_error error = {.option = "vectors-out-tangents", .cure = "vectors-out-tangents"};
    char value[64], hint[256];
    memset(error.message, 'm', sizeof error.message - 1);
    memset(value, 'v', sizeof value - 1);
    memset(hint, 'h', sizeof hint - 1);
    value[sizeof value - 1] = hint[sizeof hint - 1] = '\0';
    error.cure_value = value;
    error.hint = hint;
    assert_true(pm_error_text(&error, PM_SPELLING_KEYWORD, NULL, 0) < PM_ERROR_TEXT_SIZE);
}

TEST_GROUP(NULL, NULL)
