/* SPDX-License-Identifier: MIT
 *
 * Warnings are those of the columns of the table of options.
 */
#include "motion_options.h"

#include "motion/task/task_files.h"

#include <stdio.h>

/* "bvh, npz and csv". */
static void list_formats(unsigned formats, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < pm_motion_format_count() && used < size; i++) {
        const unsigned bit = 1u << i, higher = formats & ~(2 * bit - 1);
        if ((formats & bit) != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s",
                                     used == 0     ? ""
                                     : higher != 0 ? ", "
                                                   : " and ",
                                     pm_motion_format_name((pm_motion_format)i));
    }
}

void motion_options_warn(const command_options *options, unsigned formats) {
    for (size_t i = 0; formats != 0 && i < option_row_count; i++) {
        const option_row *row = &option_rows[i];
        char name[64], list[64];
        if (!options->set->given[i] || row->formats == 0 || (row->formats & formats) != 0)
            continue;
        snprintf(name, sizeof name, "--%s", row->info.name);
        list_formats(row->formats, list, sizeof list);
        cli_warn(name, "has no effect; it is for inputs of %s", list);
    }
}

cli_exit motion_options_open(const pm_motion_read_options *reading, const char *path,
                             pm_motion **motion) {
    pm_motion_read_options options = *reading;
    pm_error error = {.status = PM_OK};
    options.log = options.log ? options.log : cli_log;
    return cli_done(task_read(&options, path, NULL, 0, motion, &error), &error);
}
