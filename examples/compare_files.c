/* SPDX-License-Identifier: MIT
 *
 * Compares two motion files, and writes the page that shows where they differ.
 */
#include <stdio.h>

#include <posemill/posemill_motion.h>

int main(int argc, char **argv) {
    pm_motion *a = NULL, *b = NULL;
    pm_motion_comparison *found = NULL;
    pm_error error = {.status = PM_OK};
    if (argc != 4)
        return fputs("usage: compare_files A B PAGE.html\n", stderr), 2;
    const pm_motion_compare_options options = {.name_a = argv[1], .name_b = argv[2]};
    pm_status status = pm_motion_open(argv[1], NULL, &a, &error);
    if (status == PM_OK)
        status = pm_motion_open(argv[2], NULL, &b, &error);
    if (status == PM_OK)
        status = pm_motion_write_page(a, b, &options, NULL, argv[3], &found, &error);
    if (status == PM_OK) {
        const pm_motion_joint_difference *worst =
            &pm_motion_comparison_get_differences(found)->joints[0];
        const pm_motion_extent *angle = &worst->difference.angle;
        printf("%.*s: %.4g degrees at %.4g s, rms %.4g\n", (int)worst->name_a.size,
               worst->name_a.text, angle->max, angle->time, angle->rms);
    } else {
        char text[PM_ERROR_TEXT_SIZE];
        pm_error_text(&error, PM_SPELLING_FIELD, text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
    pm_motion_comparison_destroy(&found);
    pm_motion_destroy(&b);
    pm_motion_destroy(&a);
    return status != PM_OK;
}
