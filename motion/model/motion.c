/* SPDX-License-Identifier: MIT
 *
 * Opens motion files: finds out the format, and lets it read.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/model/model.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "motion/base/c_locale.h"
#include "motion/base/counts.h"
#include "motion/base/printable.h"
#include "motion/files/input.h"

/* ---- the formats --------------------------------------------------------------------------- */

/* In the order in which files without a known extension are tried. */
static const motion_format *const formats[] = {
#ifdef POSEMILL_GLTF
    &motion_glb, &motion_gltf,
#endif
#ifdef POSEMILL_NPZ
    &motion_npz,
#endif
    &motion_bvh, &motion_csv};
enum { FORMATS = sizeof formats / sizeof *formats };

const motion_format *motion_format_of(pm_motion_format id) {
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->id == id)
            return formats[i];
    return NULL;
}

static const char *extension_of_name(const char *name) {
    const char *dot = strrchr(name, '.'), *slash = strrchr(name, '/');
    return dot && (!slash || dot > slash + 1) && dot > name ? dot + 1 : "";
}

/* Also those of formats that this build leaves out. The files of VRM are GLB. */
static const struct {
    const char *extension;
    pm_motion_format format;
} extensions[] = {{"bvh", PM_MOTION_BVH}, {"gltf", PM_MOTION_GLTF}, {"glb", PM_MOTION_GLB},
                  {"vrm", PM_MOTION_GLB}, {"vrma", PM_MOTION_GLB},  {"npz", PM_MOTION_NPZ},
                  {"csv", PM_MOTION_CSV}};

const char motion_extensions[] = "bvh, gltf, glb, vrm, vrma, npz or csv";

static pm_motion_format id_of_extension(const char *extension) {
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (strcasecmp(extensions[i].extension, extension) == 0)
            return extensions[i].format;
    return PM_MOTION_ANY;
}

static const motion_format *format_of_extension(const char *extension) {
    return motion_format_of(id_of_extension(extension));
}

static const motion_format *format_of_bytes(const char *bytes, size_t size) {
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->recognise(bytes, size))
            return formats[i];
    return NULL;
}

/* Whether a file is of any format, for files whose names do not tell. */
static input_kind_found find_any(const char *bytes, size_t size) {
    return format_of_bytes(bytes, size) ? INPUT_KIND_YES : INPUT_KIND_UNKNOWN;
}

static const input_kind any_kind = {
    find_any, "is not of a known motion format; expected BVH, glTF, NPZ or CSV"};

/* The format that the options or the name give; NULL if the bytes must tell. */
static pm_status find_named_format(const pm_motion_read_options *options, const char *name,
                                   const motion_format **format, pm_error *error) {
    const char *extension = extension_of_name(name);
    char shown[MOTION_PRINTABLE];
    const bool is_given = options->format != PM_MOTION_ANY;
    *format = is_given ? motion_format_of(options->format) : format_of_extension(extension);
    if (*format || (!is_given && !*extension))
        return PM_OK;
    if (is_given || id_of_extension(extension) != PM_MOTION_ANY)
        return motion_refuse(error, "this build leaves out glTF or NPZ; expected bvh or csv");
    return motion_refuse(error, "extension '%s' is of no motion format; expected %s",
                         motion_printable(shown, extension, strlen(extension)), motion_extensions);
}

const input_kind *motion_kind_of(const pm_motion_read_options *options, const char *name) {
    const motion_format *format = NULL;
    return find_named_format(options, name, &format, NULL) == PM_OK && format ? format->kind
                                                                              : &any_kind;
}

static pm_status find_format(const motion_input *input, const char *name,
                             const motion_format **format, pm_error *error) {
    const pm_status status = find_named_format(input->options, name, format, error);
    if (status == PM_OK && !*format)
        *format = format_of_bytes(input->data, input->size);
    return status != PM_OK || *format ? status : motion_refuse(error, "%s", any_kind.refusal);
}

const motion_format *motion_format_of_name(const char *name) {
    return format_of_extension(extension_of_name(name));
}

double motion_largest_of(const motion_format *format) {
    /* NULL: a copy in memory, whose format is not known yet. */
    return format && format->is_single ? (double)FLT_MAX : DBL_MAX;
}

pm_status motion_check_keys(const pm_motion *motion, pm_error *error) {
    if (motion->headers_only)
        return motion_fail(
            error, PM_ERROR_ARGUMENT,
            "motion was read with headers_only; only pm_motion_get_content takes it");
    if (!motion->resample_only)
        return PM_OK;
    return motion_fail(error, PM_ERROR_ARGUMENT,
                       "motion was read with resample_only; only pm_motion_resample takes it");
}

size_t motion_first_clip(const pm_motion_content *content) {
    for (size_t i = 0; i < content->clip_count; i++)
        if (content->clips[i].channel_count > 0)
            return i;
    return 0;
}

pm_status motion_check_clip(const pm_motion_content *content, size_t index, pm_error *error) {
    const pm_motion_clip *clip = &content->clips[index];
    char name[MOTION_PRINTABLE];
    if (clip->channel_count > 0)
        return PM_OK;
    motion_printable(name, clip->name.text, clip->name.size);
    return motion_refuse(error, "clip %zu%s%s%s: %s", index, *name ? " '" : "", name,
                         *name ? "'" : "",
                         clip->fault ? clip->fault : "has no channels that move a node");
}

bool motion_writes_document(const motion_format *writer, const pm_motion *motion) {
    return motion->document && strcmp(writer->document, motion->format->document) == 0;
}

size_t pm_motion_format_count(void) {
    return PM_MOTION_FORMAT_COUNT;
}

pm_motion_format pm_motion_find_format(const char *path) {
    const motion_format *format = path ? motion_format_of_name(path) : NULL;
    return format ? format->id : PM_MOTION_ANY;
}

const char *pm_motion_format_name(pm_motion_format format) {
    static const char *const names[PM_MOTION_FORMAT_COUNT] = {
        [PM_MOTION_ANY] = "any", [PM_MOTION_BVH] = "bvh", [PM_MOTION_GLTF] = "gltf",
        [PM_MOTION_GLB] = "glb", [PM_MOTION_NPZ] = "npz", [PM_MOTION_CSV] = "csv"};
    return (unsigned)format < PM_MOTION_FORMAT_COUNT ? names[format] : "unknown";
}

void motion_carry(pm_motion *motion, size_t count, const char *one, const char *many) {
    if (count > 0)
        motion_note(&motion->carried, "%zu %s", count, count == 1 ? one : many);
}

/* ---- reading ------------------------------------------------------------------------------- */

static pm_status check_options(const pm_motion_read_options *options, pm_error *error) {
    if ((unsigned)options->format >= PM_MOTION_FORMAT_COUNT)
        return motion_fail(error, PM_ERROR_ARGUMENT, "format is %d, which is no pm_motion_format",
                           (int)options->format);
    if ((options->source_rate.num != 0 || options->source_rate.den != 0) &&
        (options->source_rate.num <= 0 || options->source_rate.den <= 0))
        return motion_fail(error, PM_ERROR_ARGUMENT, "source_rate is not above 0");
    return MOTION_CHECK_RESERVED(pm_motion_read_options, options, error);
}

/* Puts the file's name before the message of a refused file. */
static void add_name(const char *name, pm_error *error) {
    char message[sizeof error->message], shown[MOTION_PRINTABLE];
    if (!error || error->status == PM_ERROR_ARGUMENT)
        return;
    snprintf(message, sizeof message, "%s", error->message);
    snprintf(error->message, sizeof error->message, "%s: %.*s",
             motion_printable(shown, name, strlen(name)), (int)(sizeof message - sizeof shown - 2),
             message);
}

/* Arrays use a skeleton, and say so; all other files have one, or no joints. */
static pm_status check_skeleton(const motion_input *input, const pm_motion *motion,
                                pm_error *error) {
    if (motion->content.node_count == 0)
        return motion_refuse(error, "has no rotations of joints; a skeleton requires some");
    if (!motion->has_given_joints)
        motion_warn(&input->warnings, "has a skeleton, which is used in place of the given one");
    return PM_OK;
}

static pm_status read_input(const motion_input *input, const char *name, pm_motion *motion,
                            pm_error *error) {
    pm_status status = find_format(input, name, &motion->format, error);
    if (status == PM_OK)
        status = motion->format->read(input, motion, error);
    if (status == PM_OK && input->options->skeleton)
        status = check_skeleton(input, motion, error);
    if (status != PM_OK)
        add_name(name, error);
    return status;
}

static pm_status parse(const char *data, size_t size, char *owned, const char *name,
                       const char *folder, const pm_motion_read_options *options,
                       const motion_observer *observer, pm_motion **motion, pm_error *error) {
    pm_motion *made = calloc(1, sizeof *made);
    if (!made) {
        free(owned);
        return motion_refuse_memory(error);
    }
    made->notes.arena = made->carried.arena = &made->arena;
    const motion_input input = {.data = data,
                                .size = size,
                                .folder = folder,
                                .observer = observer,
                                .options = options,
                                .warnings = {options->log, options->log_user, name, &made->notes},
                                .gaps = options->count_gaps ? &made->gaps : NULL};
    made->file = owned;
    motion_observe(observer, data, size);
    made->content.file_bytes = size;
    pm_status status = read_input(&input, name, made, error);
    made->content.gap_count = made->gaps.count;
    made->content.first_gap = made->gaps.first;
    if (status == PM_OK && (made->notes.lost || made->carried.lost))
        status = motion_refuse_memory(error);
    if (status != PM_OK)
        pm_motion_destroy(&made);
    else
        *motion = made;
    if (status == PM_OK) {
        made->content.notes = made->notes.texts;
        made->content.note_count = made->notes.count;
        made->content.carried = made->carried.texts;
        made->content.carried_count = made->carried.count;
    }
    return status;
}

pm_status pm_motion_parse(const void *data, size_t size, const char *name, const char *folder,
                          const pm_motion_read_options *options, pm_motion **motion,
                          pm_error *error) {
    static const pm_motion_read_options defaults;
    if (!data || !name || !motion)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL",
                           !data   ? "data"
                           : !name ? "name"
                                   : "motion");
    options = options ? options : &defaults;
    void *before = c_locale_begin();
    pm_status status = check_options(options, error);
    if (status == PM_OK)
        status = parse(data, size, NULL, name, folder, options, NULL, motion, error);
    c_locale_end(before);
    return status;
}

/* The folder of a path, in malloc'ed memory. */
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* Reads the bytes of a file, unless it cannot be of a format. */
static pm_status read_file(const char *path, const char *name,
                           const pm_motion_read_options *options, char **data, size_t *size,
                           pm_error *error) {
    char reason[INPUT_REASON_SIZE] = "";
    const motion_format *format = NULL;
    const pm_status status = find_named_format(options, name, &format, error);
    if (status != PM_OK)
        return status;
    if (input_read_file(path, motion_kind_of(options, name), data, size, reason))
        return PM_OK;
    return motion_fail(error, errno == ENOMEM ? PM_ERROR_MEMORY : PM_ERROR_FILE, "%s", reason);
}

static pm_status open_file(const char *path, const pm_motion_read_options *options,
                           const motion_observer *observer, pm_motion **motion, pm_error *error) {
    char *data = NULL;
    size_t size = 0;
    const bool is_stream = strcmp(path, "-") == 0;
    const char *name = is_stream ? "standard input" : path;
    pm_status status = read_file(path, name, options, &data, &size, error);
    if (status != PM_OK) {
        add_name(name, error);
        return status;
    }
    char *folder = is_stream ? NULL : folder_of(path);
    if (!is_stream && !folder) {
        free(data);
        return motion_refuse_memory(error);
    }
    status = parse(data, size, data, name, folder, options, observer, motion, error);
    free(folder);
    return status;
}

pm_status motion_open_observed(const char *path, char *data, size_t size,
                               const pm_motion_read_options *options,
                               const motion_observer *observer, pm_motion **motion,
                               pm_error *error) {
    static const pm_motion_read_options defaults;
    options = options ? options : &defaults;
    const pm_status status = check_options(options, error);
    if (status != PM_OK) {
        free(data);
        return status;
    }
    return data ? parse(data, size, data, path, NULL, options, observer, motion, error)
                : open_file(path, options, observer, motion, error);
}

pm_status pm_motion_open(const char *path, const pm_motion_read_options *options,
                         pm_motion **motion, pm_error *error) {
    if (!path || !motion)
        return motion_fail(error, PM_ERROR_ARGUMENT, "%s is NULL", !path ? "path" : "motion");
    void *before = c_locale_begin();
    const pm_status status = motion_open_observed(path, NULL, 0, options, NULL, motion, error);
    c_locale_end(before);
    return status;
}

void pm_motion_destroy(pm_motion **motion) {
    if (!motion || !*motion)
        return;
    pm_motion *m = *motion;
    if (m->format && m->document)
        m->format->release(m->document);
    motion_arena_release(&m->arena);
    free(m->file);
    free(m);
    *motion = NULL;
}

const pm_motion_content *pm_motion_get_content(const pm_motion *motion) {
    return motion ? &motion->content : NULL;
}
