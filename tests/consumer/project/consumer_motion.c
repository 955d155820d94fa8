/* SPDX-License-Identifier: MIT
 *
 * Uses the motion library as an external project does: reads a motion from memory, compares it with
 * itself, and lists the inputs of a batch.
 */
#include <stdio.h>
#include <string.h>

#include <posemill/posemill_motion.h>

int main(void) {
    static const char text[] = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\n"
                               "MOTION\nFrames: 2\nFrame Time: 0.5\n1\n2\n";
    pm_motion *motion = NULL;
    static const char lines[] = "a.bvh\nb.bvh\n";
    static const char left_out[] = "this build leaves out batches";
    pm_motion_comparison *found = NULL;
    pm_motion_batch_list *list = NULL;
    pm_motion_batch_sources sources;
    size_t items = 0;
    pm_error error;
    if (pm_motion_parse(text, strlen(text), "a.bvh", NULL, NULL, &motion, &error) != PM_OK ||
        pm_motion_compare(motion, motion, NULL, &found, &error) != PM_OK) {
        printf("%s\n", error.message);
        return 1;
    }
    memset(&sources, 0, sizeof sources);
    sources.list = lines;
    sources.list_size = strlen(lines);
    if (pm_motion_batch_list_create(&sources, &list, &error) == PM_OK) {
        pm_motion_batch_list_get_items(list, &items);
        pm_motion_batch_list_destroy(&list);
        if (items != 2)
            return 1;
    } else if (strcmp(error.message, left_out) != 0) {
        printf("%s\n", error.message);
        return 1;
    }
    const size_t keys = pm_motion_get_content(motion)->clips[0].timelines[0].key_count;
    const double degrees = pm_motion_comparison_get_differences(found)->clip.angle.max;
    pm_motion_comparison_destroy(&found);
    pm_motion_destroy(&motion);
    return keys == 2 && degrees == 0 ? 0 : 1;
}
