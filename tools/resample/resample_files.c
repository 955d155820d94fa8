/* SPDX-License-Identifier: MIT
 *
 * Names of inputs and outputs that no reader or writer would take.
 */
#define _POSIX_C_SOURCE 200809L

#include "resample_files.h"

#include "files/output_names.h"
#include "motion/open/formats.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

cli_exit resample_check_input(const resample_options *options, const char *in) {
    const bool named = strcmp(in, "-") != 0;
    const char *extension = named ? extension_of(in) : "";
    struct stat status;
    char expected[MOTION_EXTENSIONS];

    if (named && stat(in, &status) != 0) {
        return cli_fail(CLI_BAD_INPUT, in, NULL, "cannot be opened: %s", strerror(errno));
    }
    if (named && S_ISDIR(status.st_mode)) {
        return cli_fail(CLI_BAD_INPUT, in, "give the files in the folder",
                        "is a folder; expected a motion file");
    }
    if (*extension == '\0' || options->motion.read.format != PM_MOTION_ANY ||
        pm_motion_find_format(in) != PM_MOTION_ANY) {
        return CLI_DONE;
    }
    return cli_fail(CLI_BAD_INPUT, in, "if the file has another format, use --format",
                    "format '%.20s' is not supported; expected %s", extension,
                    motion_list_extensions(expected));
}

/* An output whose extension is that of a format is converted to it. With a given format other
 * extensions may be anything but those of files that it would be mistaken for. */
cli_exit resample_check_output(const resample_options *options, const char *out) {
    static const char *const others[] = {"npy", "asf", "amc", "fbx", "bin"};
    char expected[MOTION_EXTENSIONS];
    const char *extension = strcmp(out, "-") == 0 ? "" : extension_of(out);
    const bool is_given =
        options->to != PM_MOTION_ANY || options->motion.read.format != PM_MOTION_ANY;
    bool is_other = !is_given;

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        is_other = is_other || strcasecmp(extension, others[i]) == 0;
    }
    if (*extension == '\0' || pm_motion_find_format(out) != PM_MOTION_ANY || !is_other) {
        return CLI_DONE;
    }
    return cli_fail(CLI_USAGE, options->out != NULL ? "-o" : "--out-dir",
                    "use one of these, or - for standard output",
                    "'%s' has no extension of a motion format; expected %s", out,
                    motion_list_extensions(expected));
}
