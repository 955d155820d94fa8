/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of command lines: each line of an input is an argument. The arguments are rejected as a
 * usage error, or the options are within their documented ranges. No file is opened.
 */
#include "fuzz.h"
#include "host/base/counts.h"
#include "motion/time/rate.h"
#include "options/curve_options.h"
#include "options/device_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 64 };

typedef struct values {
    const char *text;
    double number, seconds;
    size_t size;
    uint64_t bits;
    pm_rational rational;
    bool flag;
} values;

#define AT(field) offsetof(values, field)
static const option table[] = {
    {"--text", 't', "TEXT", "any", value_text, AT(text)},
    {"--number", 'n', "X", "finite", value_number, AT(number)},
    {"--size", 's', "N", "0 or more", value_size, AT(size)},
    {"--bits", 0, "N", "64 bits", option_u64, AT(bits)},
    {"--seconds", 0, "S", "above 0", value_seconds, AT(seconds)},
    {"--rational", 'r', "R", "above 0", option_rational, AT(rational)},
    {"--flag", 'f', NULL, "a flag", NULL, AT(flag)},
};

static bool is_window(const double w[2]) {
    return w[0] >= 0 && w[0] < w[1] && w[1] <= 1;
}

static void check(const values *v, const pm_motion_curve *curve) {
    require(v->text == NULL || v->text[0] != '\0');
    require(isfinite(v->number) && isfinite(v->seconds) && v->seconds >= 0);
    require(v->rational.den == 0 || (v->rational.num > 0 && v->rational.den > 0));
    require((unsigned)curve->method < PM_METHOD_COUNT);
    require((unsigned)curve->tangents < PM_TANGENTS_COUNT);
    require((unsigned)curve->ends < PM_ENDS_COUNT);
    require((unsigned)curve->axis_frame < PM_AXIS_COUNT);
    for (int i = 0; i < 3; i++)
        require(curve->tcb[i] >= -1 && curve->tcb[i] <= 1 && isfinite(curve->axis[i]));
    require(!curve->swing_given || is_window(curve->swing));
    require(!curve->twist_given || is_window(curve->twist));
    require(isfinite(curve->loop_period) && curve->loop_period >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const command_help help = {"fuzz", "WORDS", "words", NULL, "fuzz --flag", true};
    values v = {.text = NULL};
    pm_motion_curve curve;
    device_options device;
    cli_exit code = CLI_DONE;
    char *text = malloc(size + 1), name[] = "fuzz", *words[WORDS + 1] = {name};
    int count = 1;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    memset(&curve, 0, sizeof curve);
    memset(&device, 0, sizeof device);
    for (char *at = text; at && count < WORDS;) {
        char *end = strchr(at, '\n');
        words[count++] = at;
        if (end)
            *end++ = '\0';
        at = end;
    }
    const option_group groups[] = {{"Values", table, sizeof table / sizeof *table, &v},
                                   curve_options_group(&curve),
                                   device_options_group(&device)};
    if (options_parse(&help, groups, 3, &count, words, &code)) {
        require(count >= 0 && count < WORDS);
        check(&v, &curve);
    } else {
        require(code == CLI_USAGE || code == CLI_DONE);
    }
    cli_quiet = false;
    free(text);
    return 0;
}
