/* SPDX-License-Identifier: MIT
 *
 * posemill character: the file beside a motion that says what of it a crowd uses. It is proposed where there is
 * none, and checked and shown where there is one; it is never replaced.
 */
#include "commands.h"
#include "files/open_clip.h"
#include "motion/base/composed.h"
#include "motion/base/os.h"
#include "motion/base/printable.h"
#include "motion/character/character_write.h"
#include "motion/files/output_names.h"
#include "motion/model/names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "walk.character.json" of "walk.glb", malloc'ed. */
static char *name_beside(const char *path) {
    const size_t extension = strlen(extension_of(path));
    const size_t size = strlen(path) - (extension > 0 ? extension + 1 : 0);
    return compose_format("%.*s.character.json", (int)size, path);
}

/* ---- print --------------------------------------------------------------------------------- */

static void print_chain(const pm_motion *motion, const pm_motion_character *made, size_t index) {
    const pm_motion_content *content = pm_motion_get_content(motion);
    const pm_chain *chain = &made->skeleton.chains[index];
    char line[1024] = "";
    size_t used = 0;
    for (size_t i = 0; i < chain->joint_count && used < sizeof line; i++) {
        const uint32_t node = made->nodes[chain->joints[i]];
        used += (size_t)snprintf(line + used, sizeof line - used, "%s'%s'", i > 0 ? " " : "",
                                 MOTION_SHOWN_JOINT(content->nodes[node].name, node));
    }
    if (chain->limit > 0 && used < sizeof line)
        snprintf(line + used, sizeof line - used, "; limit %.4g%s", (double)chain->limit,
                 chain->kind == PM_CHAIN_AIM ? " rad" : "");
    printable_line(stdout, "    %s: %s of %s", made->chain_names[index],
                   character_kind_names[chain->kind], line);
}

static void print_count(const char *name, size_t joints) {
    printable_line(stdout, "    %s: %zu joint%s", name, joints, joints == 1 ? "" : "s");
}

static void print_masks(const pm_motion_character *made) {
    const size_t joints = made->skeleton.joint_count;
    for (size_t k = 0; k < made->skeleton.mask_count; k++) {
        size_t count = 0;
        for (size_t j = 0; j < joints; j++)
            count += made->skeleton.masks[k * joints + j] > 0;
        print_count(made->mask_names[k], count);
    }
}

static void print_radii(const pm_motion_character *made) {
    float least = INFINITY, most = 0;
    for (size_t j = 0; made->skeleton.radii && j < made->skeleton.joint_count; j++) {
        const float radius = made->skeleton.radii[j];
        least = radius > 0 && radius < least ? radius : least;
        most = radius > most ? radius : most;
    }
    if (most > 0)
        printf("  radii: %.4g to %.4g\n", (double)least, (double)most);
    else
        printable_line(stdout, "  radii: none%s%s", made->unread_mesh ? ": " : "",
                       made->unread_mesh ? made->unread_mesh : "");
}

static void print_all(const pm_motion *motion, const pm_motion_character *made, const char *path,
                      bool is_new) {
    const pm_skeleton_desc *desc = &made->skeleton;
    const pm_clip_desc *clip = &made->clips[0];
    printable_line(stdout, "%s: %s", path, is_new ? "written" : "checked");
    printf("  %zu joint%s, %zu clip%s; positions of %s\n", desc->joint_count,
           desc->joint_count == 1 ? "" : "s", made->clip_count, made->clip_count == 1 ? "" : "s",
           clip->root_positions   ? "the root alone"
           : clip->positions.data ? "all joints"
                                  : "the rest pose");
    printf("  masks: %zu\n", desc->mask_count);
    print_masks(made);
    printf("  subsets: %zu\n", desc->subset_count);
    for (size_t k = 0; k < desc->subset_count; k++)
        print_count(made->subset_names[k], desc->subsets[k].joint_count);
    printf("  chains: %zu\n", desc->chain_count);
    for (size_t k = 0; k < desc->chain_count; k++)
        print_chain(motion, made, k);
    print_radii(made);
}

/* ---- the file ------------------------------------------------------------------------------ */

static pm_status write_new(const pm_motion *motion, const char *path, pm_error *error) {
    const motion_warnings to = {.log = cli_log};
    SCOPED(pm_motion_character_destroy) const pm_motion_character *made = NULL;
    SCOPED(motion_output_abandon) motion_output *output = NULL;
    FREED char *text = NULL;
    MOTION_TRY(pm_motion_character_create(motion, NULL, &made, error));
    MOTION_TRY(character_propose(motion, made, &to, &text, error));
    MOTION_TRY(motion_output_open_new(path, &output, error));
    MOTION_TRY(motion_output_write(output, text, strlen(text), error));
    return motion_output_commit(&output, error);
}

/* The page's choice of clips is one of chains. */
static pm_status write_page(const command_options *o, const pm_motion *motion,
                            const pm_motion_character *made, const char *name, pm_error *error) {
    SCOPED(pm_motion_destroy) pm_motion *shown = NULL;
    SCOPED(pm_motion_comparison_destroy) pm_motion_comparison *comparison = NULL;
    const pm_motion_page_options page = {.made_by = o->line, .all_clips = true};
    const pm_motion_compare_options how = {
        .name_a = name, .log = cli_log, .spelling = PM_SPELLING_COMMAND};
    MOTION_TRY(character_show_goals(motion, made, &shown, error));
    return pm_motion_write_page(shown, NULL, &how, &page, o->out, &comparison, error);
}

static pm_status show(const command_options *o, const pm_motion *motion, const char *name,
                      const char *path, bool is_new, pm_error *error) {
    SCOPED(pm_motion_character_destroy) const pm_motion_character *made = NULL;
    FREED char *text = NULL;
    MOTION_TRY(pm_motion_character_create(motion, &(pm_motion_character_options){.file = path},
                                          &made, error));
    if (o->out)
        MOTION_TRY(write_page(o, motion, made, name, error));
    if (o->json) {
        MOTION_TRY(character_write(motion, made, &text, error));
        fputs(text, stdout);
    } else if (!cli_quiet) {
        print_all(motion, made, path, is_new);
    }
    return PM_OK;
}

static cli_exit run(command_options *o, int count, char **operands) {
    SCOPED(pm_motion_destroy) pm_motion *motion = NULL;
    pm_error error = {.status = PM_OK};
    os_info there;
    if (count != 1 || strcmp(operands[0], "-") == 0)
        return options_usage(o, "file", "%d given; expected one motion file", count);
    if (o->out)
        CLI_TRY(page_check_name(o, o->out, operands, 1));
    CLI_TRY(motion_options_open(&o->set->batch.task.read, operands[0], &motion));
    motion_options_warn(o, 1u << pm_motion_get_content(motion)->format);
    FREED char *path = name_beside(operands[0]);
    pm_status status = path ? PM_OK : motion_refuse_memory(&error);
    const bool is_new = path && !os_look_at_link(path, &there);
    if (status == PM_OK && is_new)
        status = write_new(motion, path, &error);
    if (status == PM_OK)
        status = show(o, motion, operands[0], path, is_new, &error);
    return cli_done(status, &error);
}

const command command_character = {
    .verb = VERB_CHARACTER,
    .brief = "write or check what of a motion a crowd uses",
    .usage = "FILE [OPTIONS]",
    .summary =
        "Checks FILE.character.json beside a motion file, and shows it: masks, subsets and chains\n"
        "of inverse kinematics by the names of joints. Without it, writes what names of joints\n"
        "and poses tell.",
    .notes =
        "Never replaces a file. The extension of FILE is left out: walk.character.json is that of\n"
        "walk.glb. Parts such as \"left arm\" and \"legs\" are found by pairs of joints whose names\n"
        "are those of hands and feet of both sides. --json prints parts as joints.",
    .example = "posemill character walk.glb\n"
               "posemill character walk.glb -o chains.html\n"
               "posemill character walk.glb --json",
    .takes_operands = true,
    .run = run,
};
