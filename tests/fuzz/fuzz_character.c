/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of files of characters, for a figure with a part of everything. A file that is read makes a skeleton, and
 * what is written of it is a file that says the same.
 */
#include "fuzz.h"
#include "motion/character/character_write.h"

#include <stdlib.h>
#include <string.h>

#include "scratch.h"

#define JOINT(name, offset, ...)                                                                   \
    "JOINT " name "\n{\nOFFSET " offset "\nCHANNELS 3 Zrotation Xrotation Yrotation\n" __VA_ARGS__ \
    "}\n"
#define END(offset) "End Site\n{\nOFFSET " offset "\n}\n"

/* Two joints have one name, and one has that of a part. */
static const char figure[] =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n" JOINT(
        "LeftThigh", "1 0 0",
        JOINT("LeftShin", "0 -4 0.1",
              JOINT("LeftFoot", "0 -4 -0.1",
                    END("0 0 1")))) JOINT("RightThigh", "-1 0 0",
                                          JOINT("RightShin", "0 -4 0.1",
                                                JOINT("RightFoot", "0 -4 -0.1", END("0 0 1"))))
        JOINT(
            "Chest", "0 4 0",
            JOINT("head", "0 2 0", END("0 1 0")) JOINT(
                "LeftArm", "1 1 0",
                JOINT("LeftElbow", "3 0 0.1",
                      JOINT("LeftHand", "3 0 0", JOINT("Twin", "1 0 0", END("1 0 0")))))
                JOINT(
                    "RightArm", "-1 1 0",
                    JOINT(
                        "RightElbow",
                        "-3 0 0.1",
                        JOINT(
                            "RightHand", "-3 0 0",
                            JOINT(
                                "Twin",
                                "-1 0 0",
                                END("-1 0 0")))))) "}\nMOTION\nFrames: 1\nFrame Time: 0.1\n"
                                                   "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";

static const pm_motion_character *read(const pm_motion *motion, const char *text, size_t size) {
    char path[SCRATCH_PATH];
    pm_error error = {.status = PM_OK};
    const pm_motion_character *made = NULL;
    scratch_path("c.json", path);
    scratch_write(path, text, size);
    const pm_motion_character_options options = {.file = path};
    const pm_status status = pm_motion_character_create(motion, &options, &made, &error);
    scratch_remove(path);
    require(status == PM_OK || (status == PM_ERROR_FILE && error.message[0] != '\0' && !made));
    return made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    SCOPED(pm_motion_destroy) pm_motion *motion = NULL;
    pm_error error = {.status = PM_OK};
    require(pm_motion_parse(figure, sizeof figure - 1, "figure", NULL,
                            &(pm_motion_read_options){.format = PM_MOTION_BVH}, &motion,
                            &error) == PM_OK);
    SCOPED(pm_motion_character_destroy)
    const pm_motion_character *made = read(motion, (const char *)data, size);
    if (!made)
        return 0;
    FREED char *whole = NULL, *again = NULL;
    require(character_write(motion, made, &whole, &error) == PM_OK);
    SCOPED(pm_motion_character_destroy)
    const pm_motion_character *second = read(motion, whole, strlen(whole));
    require(second != NULL && character_write(motion, second, &again, &error) == PM_OK);
    require(strcmp(whole, again) == 0);
    return 0;
}
