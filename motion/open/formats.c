/* SPDX-License-Identifier: MIT
 *
 * The table of formats, and finding a row by an id, a name or the first bytes of a file.
 */
#include "motion/open/formats.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "motion/base/os.h"
#include "motion/model/compose.h"

#define IN_BUILT(row) &(row)
#ifdef POSEMILL_GLTF
#define IN_GLTF(row) &(row)
#else
#define IN_GLTF(row) NULL
#endif
#ifdef POSEMILL_NPZ
#define IN_NPZ(row) &(row)
#else
#define IN_NPZ(row) NULL
#endif

typedef struct format_row {
    pm_motion_format id;
    const char *name;
    const motion_format *format;              /* NULL: this build leaves it out */
    enum { IS_BOTH, IS_READ, IS_WRITTEN } is; /* what files can be */
    const char *extensions[4];
} format_row;

#define FORMAT_ROW(id, row, files, build, ...)                                                     \
    {PM_MOTION_##id, #row, IN_##build(motion_##row), IS_##files, {__VA_ARGS__}},
static const format_row rows[] = {MOTION_FORMATS(FORMAT_ROW)};
enum { ROWS = sizeof rows / sizeof *rows };

const motion_format *motion_format_of(pm_motion_format id) {
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].id == id)
            return rows[i].format;
    return NULL;
}

static const motion_format *format_of_bytes(const char *bytes, size_t size) {
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].format && rows[i].format->recognise(bytes, size))
            return rows[i].format;
    return NULL;
}

/* Text may be of any format: its bytes tell. */
static const char *extension_of_name(const char *name) {
    const char *last = os_last_part(name), *dot = strrchr(last, '.');
    return dot && dot > last && strcasecmp(dot, ".txt") != 0 ? dot + 1 : "";
}

static const format_row *row_of_extension(const char *extension) {
    for (size_t i = 0; i < ROWS; i++)
        for (const char *const *own = rows[i].extensions; *own; own++)
            if (strcasecmp(*own, extension) == 0)
                return &rows[i];
    return NULL;
}

const motion_format *motion_format_of_name(const char *name) {
    const format_row *row = row_of_extension(extension_of_name(name));
    return row ? row->format : NULL;
}

const char *motion_list_extensions(char text[MOTION_EXTENSIONS], bool of_outputs) {
    size_t used = 0;
    for (size_t i = 0; i < ROWS; i++)
        for (const char *const *own = rows[i].extensions; *own; own++) {
            const bool is_last = i + 1 == ROWS && !own[1];
            if (rows[i].is == (of_outputs ? IS_READ : IS_WRITTEN))
                continue;
            used += (size_t)snprintf(text + used, MOTION_EXTENSIONS - used, "%s%s",
                                     used == 0 ? ""
                                     : is_last ? " or "
                                               : ", ",
                                     *own);
        }
    return text;
}

size_t pm_motion_format_count(void) {
    return PM_MOTION_FORMAT_COUNT;
}

pm_motion_format pm_motion_find_format(const char *path) {
    const motion_format *format = path ? motion_format_of_name(path) : NULL;
    return format ? format->id : PM_MOTION_ANY;
}

const char *pm_motion_format_name(pm_motion_format format) {
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].id == format)
            return rows[i].name;
    return format == PM_MOTION_ANY ? "any" : "unknown";
}

/* Whether a file is of any format, for files whose names do not tell. */
static input_kind_found find_any(const char *bytes, size_t size) {
    return format_of_bytes(bytes, size) ? INPUT_KIND_YES : INPUT_KIND_UNKNOWN;
}

static const input_kind any_kind = {find_any,
                                    "is not of a known motion format; those are" MOTION_READ_NAMES};

pm_status motion_find_named_format(const pm_motion_read_options *options, const char *name,
                                   const motion_format **format, pm_error *error) {
    const char *extension = extension_of_name(name);
    char shown[MOTION_PRINTABLE], expected[MOTION_EXTENSIONS];
    const bool is_given = options->format != PM_MOTION_ANY;
    *format = is_given ? motion_format_of(options->format) : motion_format_of_name(name);
    if (*format || (!is_given && !*extension))
        return PM_OK;
    if (is_given || row_of_extension(extension))
        return motion_refuse(error, "this build leaves out glTF or NPZ; expected bvh or csv");
    return motion_refuse(error, "extension '%s' is of no motion format; expected %s",
                         motion_printable(shown, extension, strlen(extension)),
                         motion_list_extensions(expected, false));
}

const input_kind *motion_kind_of(const pm_motion_read_options *options, const char *name) {
    const motion_format *format = NULL;
    return motion_find_named_format(options, name, &format, NULL) == PM_OK && format ? format->kind
                                                                                     : &any_kind;
}

pm_status motion_find_format(const motion_input *input, const char *name,
                             const motion_format **format, pm_error *error) {
    const pm_status status = motion_find_named_format(input->options, name, format, error);
    if (status == PM_OK && !*format)
        *format = format_of_bytes(input->data, input->size);
    return status != PM_OK || *format ? status : motion_refuse(error, "%s", any_kind.refusal);
}

pm_status motion_check_writable(const pm_motion *motion, pm_motion_format format, pm_error *error) {
    const motion_format *writer = motion_format_of(format);
    if (writer && writer->title)
        return motion_check_nodes(&motion->content, writer->title, error);
    if (writer && !writer->write) {
        motion_report(error, PM_ERROR_ARGUMENT, "%s is read, and not written", writer->name);
        motion_cure(error, "to", "bvh", "chooses another format");
        return PM_ERROR_ARGUMENT;
    }
    return motion_fail(error, PM_ERROR_ARGUMENT, "%s cannot be written from other formats",
                       pm_motion_format_name(format));
}
