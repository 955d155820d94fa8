/* SPDX-License-Identifier: MIT
 *
 * Forms of their own are listed by name; an option of a new form fails here until it has a line.
 */
#include "option_samples.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

static const char *const forms[][2] = {
    {"tangents", "tcb:0.5,0,-0.25"}, {"axis", "0,1,0"},    {"root-axes", "xz"}, {"cut", "1:2.5"},
    {"rename", "Hips=up"},           {"fill", "frozen:3"}, {"size", "64x32"}};

static const char *form_of(const char *name) {
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        if (strcmp(forms[i][0], name) == 0)
            return forms[i][1];
    print_error("option %s: no value of its form\n", name);
    fail();
    return NULL;
}

/* The last word: the first may be the default. */
static const char *last_word(size_t option) {
    size_t count = 0;
    while (pm_option_get_word(option, count))
        count++;
    return pm_option_get_word(option, count - 1);
}

const char *option_sample(size_t option, char text[OPTION_SAMPLE]) {
    const pm_option_info *info = pm_option_get_info(option);
    const double inside = info->most > info->least && info->most < info->least + 4
                              ? (info->least + info->most) / 2
                              : info->least + 3;
    const char *const values[] = {[PM_OPTION_FLAG] = "true",       [PM_OPTION_TEXT] = "name",
                                  [PM_OPTION_FILE] = "file.txt",   [PM_OPTION_RATE] = "30000/1001",
                                  [PM_OPTION_TIME] = "1001/30000", [PM_OPTION_NUMBERS] = "0.25,0.5",
                                  [PM_OPTION_NAMES] = "Hips,Head"};
    if (info->type == PM_OPTION_NUMBER || info->type == PM_OPTION_INTEGER)
        (void)snprintf(text, OPTION_SAMPLE, "%.17g", inside);
    else
        (void)snprintf(text, OPTION_SAMPLE, "%s",
                       info->type == PM_OPTION_WORD   ? last_word(option)
                       : info->type == PM_OPTION_FORM ? form_of(info->name)
                                                      : values[info->type]);
    return text;
}
