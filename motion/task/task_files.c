/* SPDX-License-Identifier: MIT
 *
 * Names of inputs and outputs that no reader or writer would take.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/task/task_files.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "motion/base/fault.h"
#include "motion/base/os.h"
#include "motion/files/output_names.h"
#include "motion/open/formats.h"
#include "motion/steps/steps.h"

static pm_status refuse_folder(const char *path, pm_error *error) {
    return motion_fail_at(error, PM_ERROR_FILE, path, "give the files in the folder",
                          "is a folder; expected a motion file");
}

pm_status task_check_input(const pm_motion_batch_task *task, const char *in, pm_error *error) {
    const bool named = strcmp(in, "-") != 0;
    const char *extension = named ? extension_of(in) : "";
    char expected[MOTION_EXTENSIONS];
    os_info info;
    if (named && !os_look(in, &info))
        return motion_fail_at(error, PM_ERROR_FILE, in, NULL, "cannot be opened: %s",
                              strerror(errno));
    if (named && info.kind == OS_FOLDER)
        return refuse_folder(in, error);
    if (*extension == '\0' || strcasecmp(extension, "txt") == 0 ||
        task->read.format != PM_MOTION_ANY || pm_motion_find_format(in) != PM_MOTION_ANY)
        return PM_OK;
    motion_fail_at(error, PM_ERROR_FILE, in, NULL, "format '%.20s' is not supported; expected %s",
                   extension, motion_list_extensions(expected, false));
    motion_cure(error, "format", NULL, "says what the file has if it is another format");
    return PM_ERROR_FILE;
}

static pm_status refuse_read(const char *out, const motion_format *format, pm_error *error) {
    motion_report(error, PM_ERROR_ARGUMENT, "'%s' would be %s, which is read, and not written", out,
                  format->name);
    motion_cure(error, "to", "bvh", "chooses another format");
    return PM_ERROR_ARGUMENT;
}

/* An output whose extension is that of a format is converted to it. With a given format other
 * extensions may be anything but those of files that it would be mistaken for. */
pm_status task_check_output(const pm_motion_batch_task *task, bool is_of_batch, const char *out,
                            pm_error *error) {
    static const char *const others[] = {"npy", "asf", "amc", "fbx", "bin"};
    char expected[MOTION_EXTENSIONS];
    const char *extension = strcmp(out, "-") == 0 ? "" : extension_of(out);
    bool is_other = task->format == PM_MOTION_ANY && task->read.format == PM_MOTION_ANY;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        is_other = is_other || strcasecmp(extension, others[i]) == 0;
    const pm_motion_format found = pm_motion_find_format(out);
    const motion_format *format = motion_format_of(found);
    const bool is_only_read = format && !format->write;
    if (*extension == '\0' || (found != PM_MOTION_ANY && !is_only_read) || !is_other)
        return PM_OK;
    if (is_only_read && is_of_batch)
        return refuse_read(out, format, error);
    motion_fail_option(error, PM_ERROR_ARGUMENT, is_of_batch ? "out-dir" : "out",
                       "'%s' has no extension of a motion format; expected %s", out,
                       motion_list_extensions(expected, true));
    motion_hint(error, "use one of these, or - for standard output");
    return PM_ERROR_ARGUMENT;
}

bool task_moves(const pm_motion_batch_task *task) {
    return (task->scale > 0 && task->scale != 1) || task->to_up == PM_MOTION_UP_Y ||
           task->to_up == PM_MOTION_UP_Z || task->to_unit_mm > 0 ||
           task_has_step(task, &step_transform);
}

pm_status task_check_format(const pm_motion_batch_task *task, pm_motion_format format,
                            pm_error *error) {
    const char *of_bvh = task->euler_given ? "euler" : task->decimals > 0 ? "decimals" : NULL;
    const bool is_bvh = of_bvh && format != PM_MOTION_BVH;
    if (!is_bvh && !(task->drop_rest && !motion_is_gltf(format)))
        return PM_OK;
    motion_fail_option(error, PM_ERROR_ARGUMENT, is_bvh ? of_bvh : "drop-rest",
                       "is for %s; the output has the format %s", is_bvh ? "BVH" : "glTF",
                       pm_motion_format_name(format));
    motion_hint(error,
                is_bvh ? "leave it out, or write BVH" : "leave it out, or write glb or gltf");
    return PM_ERROR_ARGUMENT;
}

void task_list_differences(const pm_motion *a, const pm_motion *b, char text[TASK_LEFT_OUT]) {
    text[0] = '\0';
    if (a->document && b->document && a->format == b->format && a->format->list_differences)
        a->format->list_differences(a, b, text, TASK_LEFT_OUT);
}

pm_status task_read(const pm_motion_read_options *options, const char *path, const char *data,
                    size_t size, pm_motion **motion, pm_error *error) {
    os_info info;
    if (data)
        return pm_motion_parse(data, size, path, NULL, options, motion, error);
    if (strcmp(path, "-") != 0 && os_look(path, &info) && info.kind == OS_FOLDER)
        return refuse_folder(path, error);
    return pm_motion_open(path, options, motion, error);
}
