/* SPDX-License-Identifier: MIT
 *
 * Parse functions for plain option values: texts, integers, decimals and exact fractions. Each
 * accepts the whole argument or rejects it.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/options/nearest.h"
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/time/rate.h"

bool value_text(const char *text, void *target, char *reason) {
    if (text[0] == '\0') {
        snprintf(reason, OPTION_REASON_SIZE, "value is empty; expected a text");
        return false;
    }
    *(const char **)target = text;
    return true;
}

bool value_word(const char *text, const char *const *words, size_t count, size_t *found,
                 char *reason) {
    nearest meant = {.text = text, .size = strlen(text)};
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            *found = i;
            return true;
        }
        nearest_try(&meant, words[i]);
    }
    size_t used = (size_t)snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is unknown; expected%s",
                                   text, count > 1 ? " one of:" : ":");
    for (size_t i = 0; i < count && used < OPTION_REASON_SIZE; i++)
        used += (size_t)snprintf(reason + used, OPTION_REASON_SIZE - used, " %s", words[i]);
    if (meant.word && used < OPTION_REASON_SIZE)
        snprintf(reason + used, OPTION_REASON_SIZE - used, "; did you mean %s?", meant.word);
    return false;
}

/* Parses a finite decimal number at *text and moves *text after it. Rejects the blanks, hexadecimal
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

bool value_number(const char *text, void *target, char *reason) {
    const char *at = text;
    double number = 0.0;
    if (!take_number(&at, &number) || *at != '\0') {
        snprintf(reason, OPTION_REASON_SIZE, "'%s' is not a number", text);
        return false;
    }
    *(double *)target = number;
    return true;
}

bool option_number_list(const char *text, size_t count, double *numbers) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && *text++ != ',')
            return false;
        if (!take_number(&text, &numbers[i]))
            return false;
    }
    return *text == '\0';
}

bool option_u64(const char *text, void *target, char *reason) {
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || errno != 0 || value > UINT64_MAX) {
        snprintf(reason, OPTION_REASON_SIZE, "'%s' is not a whole number; expected at most 64 bits",
                 text);
        return false;
    }
    *(uint64_t *)target = (uint64_t)value;
    return true;
}

bool value_size(const char *text, void *target, char *reason) {
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end != '\0') {
        snprintf(reason, OPTION_REASON_SIZE, "'%s' is not a whole number; expected 0 or more",
                 text);
        return false;
    }
    if (errno != 0 || value > SIZE_MAX) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is too large; expected at most %zu", text,
                 (size_t)SIZE_MAX);
        return false;
    }
    *(size_t *)target = (size_t)value;
    return true;
}

bool option_frames(const char *text, void *target, char *reason) {
    uint64_t frames = 0;
    if (!option_u64(text, &frames, reason) || frames == 0 || frames > INT64_MAX) {
        snprintf(reason, OPTION_REASON_SIZE,
                 "'%.80s' is not a number of frames; expected 1 or more", text);
        return false;
    }
    *(uint64_t *)target = frames;
    return true;
}

/* ---- exact fractions ----------------------------------------------------------- */

bool value_time(const char *text, void *target, char *reason) {
    if (!rate_parse_seconds(text, target)) {
        snprintf(reason, OPTION_REASON_SIZE, "'%.80s' is not a time; expected 0 or more seconds",
                 text);
        return false;
    }
    return true;
}

bool option_rational(const char *text, void *target, char *reason) {
    pm_rational value = {0, 0};
    if (!rate_parse(text, &value)) {
        snprintf(reason, OPTION_REASON_SIZE,
                 "'%s' is not a rate; expected a number above 0 such as 60, 29.97 or "
                 "30000/1001, of at most 18 digits",
                 text);
        return false;
    }
    *(pm_rational *)target = value;
    return true;
}

bool value_seconds(const char *text, void *target, char *reason) {
    pm_rational fraction = {0, 0};
    double seconds = 0.0;
    if (strchr(text, '/')) {
        if (rate_parse(text, &fraction))
            seconds = (double)fraction.num / (double)fraction.den;
    } else if (!value_number(text, &seconds, reason)) {
        return false;
    }
    if (!(seconds > 0.0)) {
        snprintf(reason, OPTION_REASON_SIZE, "'%s' is not a duration; expected more than 0 seconds",
                 text);
        return false;
    }
    *(double *)target = seconds;
    return true;
}

const option option_common[] = {
    {"--quiet", 'q', NULL, "suppress report, warnings and progress; errors are still printed", NULL,
     0},
    {"--verbose", 'v', NULL, "say where files are computed, and what the device reports", NULL, 0},
    {"--help", 'h', NULL, "print this help and exit", NULL, 0},
};
_Static_assert(sizeof option_common / sizeof option_common[0] == OPTION_COMMON_COUNT,
               "a row for each");
