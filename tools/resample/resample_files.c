/* SPDX-License-Identifier: MIT
 *
 * Names of inputs and outputs that no reader or writer would take.
 */
#define _POSIX_C_SOURCE 200809L

#include "resample_files.h"

#include "files/output_names.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

cli_exit resample_check_input(const resample_options *options, const char *in) {
    const bool named = strcmp(in, "-") != 0;
    const char *extension = named ? extension_of(in) : "";
    struct stat status;

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
                    "format '%.20s' is not supported; expected bvh, gltf, glb, npz or csv",
                    extension);
}

/* An output whose extension is that of a format is converted to it. */
cli_exit resample_check_output(const resample_options *options, const char *in, const char *out) {
    const pm_motion_format of_input = options->motion.read.format != PM_MOTION_ANY
                                          ? options->motion.read.format
                                          : pm_motion_find_format(in);
    const pm_motion_format format = options->to != PM_MOTION_ANY ? options->to : of_input;

    if (pm_motion_find_format(out) != PM_MOTION_ANY) {
        return CLI_DONE;
    }
    return output_name_check(
        options->out != NULL ? "-o" : "--out-dir", out,
        pm_motion_format_name(format == PM_MOTION_ANY ? PM_MOTION_BVH : format),
        options->to != PM_MOTION_ANY || options->motion.read.format != PM_MOTION_ANY);
}
