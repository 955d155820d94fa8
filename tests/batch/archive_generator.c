/* SPDX-License-Identifier: MIT
 *
 * Writes an archive of motion files in the shape of public sets: archive_generator SHAPE FOLDER FILES
 * [SEED]. The bench writes each file.
 */
#define _POSIX_C_SOURCE 200809L

#include "cases/files.h"
#include "cases/scenes.h"
#include "motion/files/folders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes the name of file number `i` below the folder, without extension. */
typedef void (*archive_name)(size_t i, char *name, size_t size);

typedef struct archive_shape {
    const char *name;
    archive_name name_of;
    double bvh_share; /* of the files; the others are NPZ */
    size_t frames_min, frames_max;
} archive_shape;

/* ---- names --------------------------------------------------------------------------- */

static void name_of_subject(size_t i, char *name, size_t size) {
    snprintf(name, size, "%02zu/%02zu_%02zu", 1 + i / 14, 1 + i / 14, 1 + i % 14);
}

static void name_of_set(size_t i, char *name, size_t size) {
    static const char *const sets[] = {"ACCAD", "BMLmovi", "KIT"};
    static const char *const takes[] = {"walk", "turn_left", "jump_forward", "stand_up"};
    snprintf(name, size, "%s/s%03zu/%s%02zu_poses", sets[i % 3], i / 12, takes[i / 3 % 4], i % 12);
}

/* One of eight has a name of its own kind; a thousand of the others share a folder. */
static void name_of_kind(size_t i, char *name, size_t size) {
    static const char *const kinds[][2] = {
        {"two words/Walk  (slow) ", ""},  {"J\xc3\xb6rg/\xe6\xad\xa9\xe3\x81\x8f_", ""},
        {"a/b/c/d/e/f/g/h/deep_", ""},    {"quotes/it's \"", "\"; $HOME & #1"},
        {"dots/v1.2.take.", ""},          {"-dash/--rate=", ""},
        {"emoji \xf0\x9f\x95\xba/", "%"}, {"CASE/Take_", ""},
    };
    if (i % 8 == 0) {
        const char *const *kind = kinds[i / 8 % 8];
        snprintf(name, size, "%s%zu%s", kind[0], i, kind[1]);
    } else {
        snprintf(name, size, "all/%zu/take %05zu", i / 1000, i);
    }
}

static void name_of_any(size_t i, char *name, size_t size) {
    static const archive_name names[] = {name_of_subject, name_of_set, name_of_kind};
    name[0] = (char)('a' + i % 3);
    name[1] = '/';
    names[i % 3](i / 3, name + 2, size - 2);
}

static void name_of_number(size_t i, char *name, size_t size) {
    snprintf(name, size, "%02zu/%06zu", i / 1000, i);
}

/* "bvh": subjects with takes of 180 kB, as CMU has them. "mixed": short takes, two thirds of them with names
 * of sets, blanks, UTF-8, deep folders, and many files in one folder. */
static const archive_shape shapes[] = {
    {"bvh", name_of_subject, 1.0, 100, 100},
    {"mixed", name_of_any, 0.7, 9, 80},
    {"tiny", name_of_number, 1.0, 9, 9},
    {"large", name_of_number, 1.0, 5600, 5600},
};

/* ---- files --------------------------------------------------------------------------- */

static file_content choose_content(const archive_shape *shape, uint64_t *state) {
#if POSEMILL_NPZ
    if (scenes_random(state) >= shape->bvh_share)
        return scenes_random(state) < 0.5 ? FILE_NPZ_STORED : FILE_NPZ_DEFLATED;
#else
    (void)shape, (void)state;
#endif
    return FILE_BVH;
}

static cli_exit write_one(const archive_shape *shape, const char *folder, size_t i, uint64_t seed) {
    uint64_t state = seed * UINT64_C(1000003) + i;
    char name[128];
    pm_error error = {0};
    file_source source = {.seed = state};
    const file_content content = choose_content(shape, &state);
    const size_t range = shape->frames_max - shape->frames_min + 1;
    const size_t frames = shape->frames_min + (size_t)(scenes_random(&state) * (double)range);
    shape->name_of(i, name, sizeof name);
    const int length = snprintf(source.path, sizeof source.path, "%s/%s.%s", folder, name,
                                file_extension(content));
    if (length < 0 || (size_t)length >= sizeof source.path)
        return cli_fail(CLI_USAGE, folder, NULL, "is too long for the name of a folder");
    if (folders_make_for(source.path, &error) != PM_OK)
        return cli_fail_file(&error);
    return file_content_write(content, frames * file_joints(content), &source);
}

int main(int argc, char **argv) {
    const archive_shape *shape = NULL;
    for (size_t i = 0; argc > 3 && i < sizeof shapes / sizeof shapes[0]; i++)
        if (strcmp(shapes[i].name, argv[1]) == 0)
            shape = &shapes[i];
    if (!shape) {
        fprintf(stderr, "usage: archive_generator bvh|mixed|tiny|large FOLDER FILES "
                        "[SEED]\n");
        return 2;
    }
    const size_t count = (size_t)strtoull(argv[3], NULL, 10);
    const uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 0) : 1;
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < count && code == CLI_DONE; i++)
        code = write_one(shape, argv[2], i, seed);
    return (int)code;
}
