/* SPDX-License-Identifier: MIT
 *
 * The layout of an archive: by name, from a file, or found by its members.
 */
#include "motion/npz/npz_layout.h"

#include <stdlib.h>
#include <string.h>

static pm_status find_layout(const zip_archive *archive, npz_layout *layout, pm_error *error) {
    const npz_layout *found = npz_layout_of(archive);
    if (!found)
        return motion_refuse(error, "no member holds rotations; expected poses, body_quat_w, "
                                    "body_rotations, pose_body, rotations or quats, or a layout");
    *layout = *found;
    return PM_OK;
}

static pm_status read_layout(const char *path, motion_arena *arena, npz_layout *layout,
                             pm_error *error) {
    char reason[INPUT_REASON_SIZE] = "", shown[MOTION_PRINTABLE], *text = NULL;
    size_t size = 0;
    if (!input_read_beside(path, NULL, INPUT_BESIDE_MAX, &text, &size, reason))
        return motion_refuse(error, "layout '%s' %s; expected %s",
                             motion_printable(shown, path, strlen(path)), reason,
                             NPZ_LAYOUT_NAMES " or a JSON file");
    const pm_status status = npz_parse_layout(text, size, path, arena, layout, error);
    free(text);
    return status;
}

pm_status npz_choose_layout(const motion_input *input, const zip_archive *archive,
                            motion_arena *arena, npz_layout *layout, pm_error *error) {
    const char *name = input->options->layout;
    char shown[MOTION_PRINTABLE];
    pm_status status = PM_OK;
    if (!name)
        return find_layout(archive, layout, error);
    const npz_layout *row = npz_layout_named(name);
    if (row)
        *layout = *row;
    else
        status = read_layout(name, arena, layout, error);
    layout->is_given = true;
    if (status == PM_OK && npz_layout_score(layout, archive) == 0)
        return motion_refuse(error, "no member holds rotations of layout '%s'",
                             motion_printable(shown, name, strlen(name)));
    return status;
}
