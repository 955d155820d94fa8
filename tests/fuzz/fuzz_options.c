/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of command lines: the first line of an input is a verb, and each other line is an argument. The
 * arguments are rejected as a usage error, or the options are within their documented ranges. No file is opened.
 */
#include "fuzz.h"
#include "host/base/counts.h"
#include "motion/base/counts.h"
#include "options/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 64 };

static bool is_window(const double w[2]) {
    return w[0] >= 0 && w[0] < w[1] && w[1] <= 1;
}

static void check_curve(const pm_motion_curve *curve) {
    require((unsigned)curve->method < PM_METHOD_COUNT);
    require((unsigned)curve->tangents < PM_TANGENTS_COUNT);
    require((unsigned)curve->ends < PM_ENDS_COUNT);
    require((unsigned)curve->axis_frame < PM_AXIS_COUNT);
    for (int i = 0; i < 3; i++)
        require(curve->tcb[i] >= -1 && curve->tcb[i] <= 1 && isfinite(curve->axis[i]));
    require(!curve->swing_given || is_window(curve->swing));
    require(!curve->twist_given || is_window(curve->twist));
    require(isfinite(curve->loop) && curve->loop >= 0);
}

static bool is_rate(pm_rational rate) {
    return rate.den == 0 || (rate.num > 0 && rate.den > 0);
}

static cli_exit check(command_options *o, int count, char **operands) {
    const pm_motion_batch_task *task = &o->set->batch.task;
    const pm_motion_reduce_options *reduce = &o->set->reduce;
    require(count >= 0 && count < WORDS && operands);
    check_curve(&task->curve);
    require(is_rate(task->read.source_rate) && is_rate(o->rate) && is_rate(o->key_rate));
    require((unsigned)task->euler < PM_EULER_COUNT && task->decimals <= 9);
    require((unsigned)task->up < PM_MOTION_UP_COUNT && (unsigned)task->to_up < PM_MOTION_UP_COUNT);
    require((unsigned)task->format < PM_MOTION_FORMAT_COUNT);
    require(isfinite(task->scale) && task->scale >= 0);
    require(isfinite(task->unit_mm) && task->unit_mm >= 0);
    require(task->lowpass == PM_MOTION_LOWPASS_AUTO ||
            (isfinite(task->lowpass) && task->lowpass >= 0));
    require(task->clip_count <= OPTION_CLIPS_MAX && task->root.axes <= 7);
    require(reduce->angle >= 0 && reduce->angle <= 180 && isfinite(reduce->distance));
    require(o->set->edit.rename_count <= WORDS);
    require(!o->out || o->out[0] != '\0');
    return CLI_DONE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    command verb = {.usage = "WORDS",
                    .summary = "words",
                    .example = "fuzz",
                    .takes_operands = true,
                    .run = check};
    char *text = malloc(size + 1), *words[WORDS + 1];
    int count = 0;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *at = text; at && count < WORDS;) {
        char *end = strchr(at, '\n');
        words[count++] = at;
        if (end)
            *end++ = '\0';
        at = end;
    }
    for (int v = 0; v < VERB_COUNT; v++)
        if (strcmp(words[0], option_verb_name((option_verb)v)) == 0)
            verb.verb = (option_verb)v;
    const int code = command_main(&verb, count, words);
    require(code == CLI_USAGE || code == CLI_DONE);
    cli_quiet = cli_verbose = false;
    free(text);
    return 0;
}
