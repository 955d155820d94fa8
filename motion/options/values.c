/* SPDX-License-Identifier: MIT
 *
 * Plain values of options: flags, texts, words, numbers and exact fractions. Each parser takes the whole text
 * or refuses it; each writer has one form for each value, and nothing for a default.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "motion/options/nearest.h"
#include "motion/options/options.h"
#include "motion/time/rate.h"

bool option_refuse(char *reason, const char *text, const char *expected, ...) {
    const int used = snprintf(reason, OPTION_REASON, "'%.80s' is invalid; expected ", text);
    va_list arguments;
    va_start(arguments, expected);
    (void)vsnprintf(reason + used, OPTION_REASON - (size_t)used, expected, arguments);
    va_end(arguments);
    return false;
}

void option_note_given(const option_target *to) {
    if (to->row->given > 0)
        *(bool *)((char *)to->base + to->row->given - 1) = true;
}

static const void *field_of(const option_row *row, const void *base) {
    return (const char *)base + row->field;
}

static bool is_given(const option_row *row, const void *base) {
    return row->given > 0 && *(const bool *)((const char *)base + row->given - 1);
}

static bool parse_flag(const option_target *to, const char *text, char *reason) {
    const bool is_true = strcmp(text, "true") == 0;
    *(bool *)option_field(to) = is_true;
    return is_true || strcmp(text, "false") == 0 || option_refuse(reason, text, "true or false");
}

static void write_flag(const option_row *row, const void *base, FILE *text) {
    if (*(const bool *)field_of(row, base))
        fputs(" true", text);
}

const option_type option_flag = {parse_flag, write_flag, NULL};

static bool parse_text(const option_target *to, const char *text, char *reason) {
    if (*text == '\0')
        return snprintf(reason, OPTION_REASON, "value is empty; expected a text") < 0;
    const char *copy = motion_copy_text(to->arena, text, strlen(text));
    if (!copy)
        return snprintf(reason, OPTION_REASON, "memory is exhausted") < 0;
    *(const char **)option_field(to) = copy;
    option_note_given(to);
    return true;
}

/* A text comes after its length, so that none can look like another option. */
static void write_text(const option_row *row, const void *base, FILE *text) {
    const char *value = *(const char *const *)field_of(row, base);
    if (value)
        fprintf(text, " %zu %s", strlen(value), value);
}

static const char *path_of(const option_row *row, const void *base) {
    return *(const char *const *)field_of(row, base);
}

const option_type option_text = {parse_text, write_text, NULL};
const option_type option_names = {parse_text, write_text, NULL};
const option_type option_path = {parse_text, write_text, path_of};

/* 60, 60.0 and 120/2 are one rate. */
static bool parse_target_rate(const option_target *to, const char *text, char *reason) {
    pm_rational rate;
    return rate_parse_target(text, (pm_rational){1, 1}, &rate)
               ? parse_text(to, text, reason)
               : snprintf(reason, OPTION_REASON,
                          "'%.80s' is not a rate; expected 60, 29.97, 30000/1001, x2 or /4",
                          text) < 0;
}

static void write_target_rate(const option_row *row, const void *base, FILE *text) {
    const char *value = path_of(row, base);
    pm_rational exact;
    if (value && rate_parse(value, &exact))
        fprintf(text, " %lld/%lld", (long long)exact.num, (long long)exact.den);
    else
        write_text(row, base, text);
}

const option_type option_target_rate = {parse_target_rate, write_target_rate, NULL};

const char *option_word_at(const option_row *row, size_t index) {
    if (row->word_of)
        return row->word_of(index);
    for (size_t i = 0; row->words && row->words[i]; i++)
        if (i == index)
            return row->words[i];
    return NULL;
}

bool option_find_word(const option_row *row, const char *text, size_t *index, char *reason) {
    nearest meant = {.text = text, .size = strlen(text)};
    const char *word = NULL;
    for (size_t i = 0; (word = option_word_at(row, i)) != NULL; i++) {
        if (strcmp(text, word) == 0) {
            *index = i;
            return true;
        }
        nearest_try(&meant, word);
    }
    size_t used = (size_t)snprintf(reason, OPTION_REASON, "'%.80s' is unknown; expected%s", text,
                                   option_word_at(row, 1) ? " one of:" : ":");
    for (size_t i = 0; used < OPTION_REASON && (word = option_word_at(row, i)) != NULL; i++)
        used += (size_t)snprintf(reason + used, OPTION_REASON - used, " %s", word);
    if (meant.word && used < OPTION_REASON)
        (void)snprintf(reason + used, OPTION_REASON - used, "; did you mean %s?", meant.word);
    return false;
}

static bool parse_word(const option_target *to, const char *text, char *reason) {
    size_t index = 0;
    if (!option_find_word(to->row, text, &index, reason))
        return false;
    const int value = to->row->first + (int)index;
    if (to->row->size == sizeof(bool))
        *(bool *)option_field(to) = value != 0;
    else
        *(int *)option_field(to) = value;
    option_note_given(to);
    return true;
}

static void write_word(const option_row *row, const void *base, FILE *text) {
    const void *field = field_of(row, base);
    const int value = row->size == sizeof(bool) ? *(const bool *)field : *(const int *)field;
    if (value != 0 || (is_given(row, base) && row->usual_number != 0))
        fprintf(text, " %d", value);
}

const option_type option_word = {parse_word, write_word, NULL};

/* As extensions, in any case. */
static bool parse_format(const option_target *to, const char *text, char *reason) {
    char lower[16] = "";
    const size_t size = strlen(text);
    for (size_t i = 0; i < size && size < sizeof lower; i++)
        lower[i] = (char)tolower((unsigned char)text[i]);
    return parse_word(to, lower[0] != '\0' ? lower : text, reason);
}

const option_type option_format = {parse_format, write_word, NULL};

/* The words are a part of the methods, and the field has the number of the method. */
static bool parse_method(const option_target *to, const char *text, char *reason) {
    size_t index = 0;
    return option_find_word(to->row, text, &index, reason) &&
           pm_method_find(option_word_at(to->row, index), option_field(to));
}

const option_type option_method = {parse_method, write_word, NULL};

/* Takes a finite decimal number at *text and moves *text after it. Refuses the blanks, hexadecimal
 * numbers, "inf" and "nan" of strtod. */
static bool take_number(const char **text, double *number) {
    const char *digits = *text + (**text == '-' || **text == '+');
    if (!isdigit((unsigned char)digits[0]) &&
        !(digits[0] == '.' && isdigit((unsigned char)digits[1])))
        return false;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        return false;
    char *end = NULL;
    *number = strtod(*text, &end);
    *text = end;
    return isfinite(*number) != 0;
}

bool option_read_numbers(const char *text, size_t count, double *numbers) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && *text++ != ',')
            return false;
        if (!take_number(&text, &numbers[i]))
            return false;
    }
    return *text == '\0';
}

bool option_read_number(const char *text, double *number) {
    return option_read_numbers(text, 1, number);
}

static bool is_within(const option_row *row, double value) {
    const pm_option_info *info = &row->info;
    return (info->is_above ? value > info->least : value >= info->least) &&
           (info->most <= info->least || value <= info->most);
}

/* "'0' is invalid; expected auto or a number above 0 Hz", "'x' is not a whole number; ...". */
static bool refuse_number(const option_row *row, const char *text, const char *kind, bool is_one,
                          char *reason) {
    const pm_option_info *info = &row->info;
    char most[32] = "";
    const char *word = NULL;
    int used = snprintf(reason, OPTION_REASON, "'%.80s' is %s%s; expected ", text,
                        is_one ? "invalid" : "not ", is_one ? "" : kind);
    for (size_t i = 0; (word = option_word_at(row, i)) != NULL; i++)
        used += snprintf(reason + used, OPTION_REASON - (size_t)used, "%s%s", word,
                         option_word_at(row, i + 1) ? ", " : " or ");
    if (info->most > info->least && info->most < 1e15)
        (void)snprintf(most, sizeof most, " to %.17g", info->most);
    (void)snprintf(reason + used, OPTION_REASON - (size_t)used, "%s %s %.17g%s%s%s", kind,
                   info->is_above ? "above" : "from", info->least,
                   most[0] == '\0' && !info->is_above ? " on" : most, info->unit ? " " : "",
                   info->unit ? info->unit : "");
    return false;
}

static bool parse_number(const option_target *to, const char *text, char *reason) {
    const option_row *row = to->row;
    double value = 0;
    size_t index = 0;
    if (row->words && option_find_word(row, text, &index, reason))
        value = row->word_values[index];
    else if (!option_read_number(text, &value))
        return refuse_number(row, text, "a number", false, reason);
    else if (!is_within(row, value))
        return refuse_number(row, text, "a number", true, reason);
    *(double *)option_field(to) = value;
    option_note_given(to);
    return true;
}

/* 17 digits tell all doubles apart. */
static void write_number(const option_row *row, const void *base, FILE *text) {
    const double value = *(const double *)field_of(row, base);
    if ((value != 0 && value != row->usual_number) || is_given(row, base))
        fprintf(text, " %.17g", value);
}

const option_type option_number = {parse_number, write_number, NULL};

static bool parse_numbers(const option_target *to, const char *text, char *reason) {
    double numbers[4];
    const size_t count = to->row->numbers;
    bool good = option_read_numbers(text, count, numbers);
    for (size_t i = 0; i < count && good; i++)
        good = is_within(to->row, numbers[i]);
    if (!good)
        return option_refuse(reason, text, "%s", to->row->info.argument);
    memcpy(option_field(to), numbers, count * sizeof *numbers);
    option_note_given(to);
    return true;
}

static void write_numbers(const option_row *row, const void *base, FILE *text) {
    const double *numbers = field_of(row, base);
    for (size_t i = 0; i < row->numbers && is_given(row, base); i++)
        fprintf(text, " %.17g", numbers[i]);
}

const option_type option_numbers = {parse_numbers, write_numbers, NULL};

static bool parse_window(const option_target *to, const char *text, char *reason) {
    double window[2];
    if (!option_read_numbers(text, 2, window) ||
        !(window[0] >= 0.0 && window[0] < window[1] && window[1] <= 1.0))
        return option_refuse(reason, text, "a,b with 0 <= a < b <= 1");
    memcpy(option_field(to), window, sizeof window);
    option_note_given(to);
    return true;
}

const option_type option_window = {parse_window, write_numbers, NULL};

/* Decimal, or hexadecimal with 0x. A leading 0 does not make it octal. */
static bool read_whole(const char *text, uint64_t *value) {
    char *end = NULL;
    const bool is_hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    errno = 0;
    const unsigned long long read = strtoull(text, &end, is_hexadecimal ? 16 : 10);
    *value = read;
    return isdigit((unsigned char)text[0]) && *end == '\0' && errno == 0;
}

static bool parse_count(const option_target *to, const char *text, char *reason) {
    const uint64_t most = to->row->size == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX;
    uint64_t value = 0;
    const bool is_whole = read_whole(text, &value);
    if (!is_whole || value > most || !is_within(to->row, (double)value))
        return refuse_number(to->row, text, "a whole number", is_whole, reason);
    if (to->row->size == sizeof(uint32_t))
        *(uint32_t *)option_field(to) = (uint32_t)value;
    else
        *(uint64_t *)option_field(to) = value;
    option_note_given(to);
    return true;
}

static void write_count(const option_row *row, const void *base, FILE *text) {
    const void *field = field_of(row, base);
    const uint64_t value =
        row->size == sizeof(uint32_t) ? *(const uint32_t *)field : *(const uint64_t *)field;
    if (value != 0 && (double)value != row->usual_number)
        fprintf(text, " %" PRIu64, value);
}

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "counts have one size");
const option_type option_count = {parse_count, write_count, NULL};

/* "512M": with K, M, G or T for powers of 1024. */
static bool parse_bytes(const option_target *to, const char *text, char *reason) {
    static const char units[] = "KMGT";
    const size_t length = strlen(text);
    const char *unit = length > 1 ? strchr(units, text[length - 1]) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    const size_t digits = unit ? length - 1 : length;
    char number[24] = "";
    uint64_t count = 0;
    if (digits < sizeof number)
        memcpy(number, text, digits);
    if (!read_whole(number, &count) || count == 0 || count > (UINT64_MAX >> shift))
        return option_refuse(reason, text, "bytes, such as 512M or 4G");
    *(uint64_t *)option_field(to) = count << shift;
    return true;
}

const option_type option_bytes = {parse_bytes, write_count, NULL};

static void write_rational(const option_row *row, const void *base, FILE *text) {
    const pm_rational *value = field_of(row, base);
    if (value->den != 0)
        fprintf(text, " %lld/%lld", (long long)value->num, (long long)value->den);
}

static bool parse_rate(const option_target *to, const char *text, char *reason) {
    return rate_parse(text, option_field(to)) ||
           snprintf(reason, OPTION_REASON,
                    "'%.80s' is not a rate; expected a number above 0 such as 60, 29.97 or "
                    "30000/1001, of at most 18 digits",
                    text) < 0;
}

const option_type option_rate = {parse_rate, write_rational, NULL};

static bool parse_time(const option_target *to, const char *text, char *reason) {
    return rate_parse_seconds(text, option_field(to)) ||
           snprintf(reason, OPTION_REASON,
                    "'%.80s' is not a time; expected 0 or more seconds such as 1.5 or 1/3, of at "
                    "most 18 digits",
                    text) < 0;
}

const option_type option_time = {parse_time, write_rational, NULL};

static bool parse_seconds(const option_target *to, const char *text, char *reason) {
    pm_rational fraction;
    double seconds = 0.0;
    if (strchr(text, '/') && rate_parse(text, &fraction))
        seconds = (double)fraction.num / (double)fraction.den;
    else if (!option_read_number(text, &seconds))
        seconds = 0;
    if (!(seconds > 0.0))
        return snprintf(reason, OPTION_REASON,
                        "'%.80s' is not a duration; expected more than 0 seconds", text) < 0;
    *(double *)option_field(to) = seconds;
    return true;
}

const option_type option_seconds = {parse_seconds, write_number, NULL};
