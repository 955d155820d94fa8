/* SPDX-License-Identifier: MIT
 *
 * Tests of files of motion libraries: those that lie or are damaged are refused by name, and motion
 * files become motions.
 */
#include "motion/library/library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/engines.h"
#include "support/failing_memory.h"
#include "support/library_content.h"
#include "support/motion.h"
#include "support/npz_files.h"
#include "support/test_folder.h"

TEST_GROUP(test_folder_enter, test_folder_leave)

/* ---- refusals ------------------------------------------------------------------------ */

static char reason[sizeof((pm_error *)0)->message];

static bool parse(const char *data, size_t size, library_part *library) {
    pm_error error = {0};
    memset(library, 0, sizeof *library);
    pm_status status = array_file_parse(data, size, 1, &library->file, &error);
    if (status == PM_OK)
        status = library_read(library, &error);
    assert_true(status == PM_OK || status == PM_ERROR_FILE);
    assert_true(status == PM_OK || error.message[0] != '\0');
    memcpy(reason, error.message, sizeof reason);
    return status == PM_OK;
}

/* A copy of exactly the bytes, so that the address sanitizer sees what is read beyond them. */
static bool parse_copy(const char *data, size_t size, library_kind which) {
    library_part library;
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    char *exact = realloc(copy, size ? size : 1);
    const bool good = parse(exact ? exact : copy, size, &library);
    if (good) {
        library_made m;
        library_content_make(&m, which, 70);
        library_content_expect(&library.content, &m.content); /* what changed has no meaning */
        if (which >= ROBOT)
            assert_memory_equal(library.content.angles, m.angles, sizeof m.angles);
    }
    array_file_close(&library.file);
    free(exact ? exact : copy);
    return good;
}

/* The bytes of members, which are not padding, dates and the like. */
static bool *find_digested(const char *data, size_t size) {
    bool *digested = calloc(size, sizeof *digested);
    array_file whole = {0};
    assert_non_null(digested);
    expect_success(array_file_parse(data, size, 1, &whole, new_error()));
    for (size_t i = 0; i < whole.count; i++) {
        zip_found found;
        char name[128];
        snprintf(name, sizeof name, "%s.npy", whole.arrays[i].name.text);
        assert_true(zip_lookup(data, size, name, &found));
        memset(digested + (found.packed - data), true, found.packed_size);
        free(found.data);
    }
    array_file_close(&whole);
    return digested;
}

static void damage_every_byte(library_kind which) {
    library_made m;
    size_t size = 0;
    library_content_make(&m, which, 70);
    expect_success(pm_library_write(&m.content, NULL, "a.npz", new_error()));
    SCOPED(free_at) char *data = test_folder_read("a.npz", &size);
    assert_true(parse_copy(data, size, which));
    for (size_t cut = 0; cut < size; cut++)
        assert_false(parse_copy(data, cut, which));
    SCOPED(free_at) bool *is_digested = find_digested(data, size);
    random_source source = random_salted(71);
    for (size_t at = 0; at < size; at++) {
        const char old = data[at];
        data[at] = (char)(old ^ 1 << random_size(&source, 0, 7));
        assert_false(parse_copy(data, size, which) && is_digested[at]);
        data[at] = old;
    }
}

TEST(damaged_files_are_refused_at_every_byte) {
    damage_every_byte(CODED);
    damage_every_byte(ROBOT);
    damage_every_byte(ROBOT_WITH_BALL);
}

/* A member that has other bytes, and why the file is refused; `shape` NULL leaves it out. */
typedef struct lie {
    const char *name, *type, *shape;
    const void *data;
    size_t bytes;
    const char *reason;
} lie;

static bool parse_with(const lie *l) {
    SCOPED(zip_free) zip_builder zip = {0};
    array_file whole = {0};
    library_part library;
    char member[128];
    expect_success(array_file_open("a.npz", 1, &whole, new_error()));
    for (size_t i = 0; i < whole.count; i++) {
        const file_array *a = &whole.arrays[i];
        char own[96];
        npy_shape_text(a->header.rank, a->header.shape, own, sizeof own);
        snprintf(member, sizeof member, "%s.npy", a->name.text);
        if (strcmp(a->name.text, l->name) != 0)
            zip_add_array(&zip, member, false, a->header.type, own, a->data, a->bytes);
    }
    snprintf(member, sizeof member, "%s.npy", l->name);
    if (l->shape)
        zip_add_array(&zip, member, false, l->type, l->shape, l->data, l->bytes);
    zip_finish(&zip, zip.count, false);
    const bool good = parse(zip.file.data, zip.file.size, &library);
    array_file_close(&library.file);
    array_file_close(&whole);
    return good;
}

static void expect_lies_refused(const lie *lies, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const bool good = parse_with(&lies[i]);
        if (good || !strstr(reason, lies[i].reason))
            fail_msg("%zu: %s: '%s', expected '%s'", i, lies[i].name, good ? "is read" : reason,
                     lies[i].reason);
    }
}

TEST(members_that_lie_are_refused_by_name) {
    static const uint64_t high[] = {UINT64_MAX, 0, 0}, zero[] = {0, 1, 1}, ends[] = {3, 2, 9};
    static const int64_t rates[] = {24, 0, 24};
    static const double weights[] = {0, 0, 0}, negative[] = {1, -1, 1},
                        nans[] = {1, (double)NAN, 1};
    static const uint32_t beyond[] = {4, 0}, twice[] = {3, 3};
    static const int32_t circle[] = {1, 2, 3, 0}, outside[] = {2, -1, 1, 4};
#define ABOUT "{\"format\": \"posemill motion library\", \"version\": "
    static const char version[] = ABOUT "2}", words[] = ABOUT "1, \"method\": \"\x1b\"}";
    static const float infinite[ROWS] = {[4] = INFINITY};
    static const lie cases[] = {
        {"format", NULL, NULL, NULL, 0, "format: is missing"},
        {"format", "|u1", "(2,)", "[]", 2, "is no motion library"},
        {"format", "|u1", "(2,)", "[[", 2, "format: is damaged"},
        {"format", "|u1", "(51,)", version, sizeof version - 1, "has version 2, expected 1"},
        {"format", "|u1", "(67,)", words, sizeof words - 1, "format: is damaged"},
        {"skeleton/parents", "<i4", "(4,)", circle, 16, "skeleton/parents: no joint is a root"},
        {"skeleton/parents", "<i4", "(4,)", outside, 16, "skeleton/parents: expected -1 to 3"},
        {"skeleton/parents", "<i8", "(2,)", circle, 16, "parents: found <i8 of shape (2,)"},
        {"skeleton/parents", "<i4", "(5,)", circle, 16, "skeleton/parents: is damaged"},
        {"skeleton/parents", "|O", "(2,)", circle, 16, "skeleton/parents: is damaged"},
        {"skeleton/name_ends", "<u8", "(3,)", ends, 24, "skeleton/name_ends: does not ascend"},
        {"skeleton/bodies", "<u4", "(2,)", beyond, 8, "skeleton/bodies"},
        {"skeleton/bodies", "<u4", "(0,)", "", 0, "skeleton/bodies: expected at least one"},
        {"skeleton/dofs", "<u4", "(2,)", beyond, 8, "skeleton/dofs"},
        {"skeleton/hinges", "<u4", "(2,)", twice, 8, "skeleton/hinges"},
        {"motions/first", "<u8", "(3,)", high, 24, "'run' has frames or a rate"},
        {"motions/frames", "<u8", "(3,)", zero, 24, "'run' has frames or a rate"},
        {"motions/rate_den", "<i8", "(3,)", rates, 24, "'' has frames or a rate"},
        {"motions/weight", "<f8", "(3,)", weights, 24, "not all 0"},
        {"motions/weight", "<f8", "(3,)", negative, 24, "weight"},
        {"motions/weight", "<f8", "(3,)", nans, 24, "weight"},
        {"motions/name_ends", "<u8", "(3,)", zero, 24, "motions/name_ends"},
        {"root_rot", "<f4", "(0, 4)", "", 0, "root_pos: found <f4 of shape (23, 3)"},
        {"dof", "<f4", "(1, 1)", beyond, 4, "dof: found <f4 of shape (1, 1)"},
        {"dof_scale", "<f8", "(2,)", weights, 16, "dof: found <f4"},
        {"extras/x", "<f4", "(23,)", infinite, sizeof infinite, "extras: 'x' has a number"},
        {"extras/x", "<f4", "(2,)", infinite, 8, "extras: 'x' expected 23 frames"},
        {"extras/x", "<f8", "(23, 0)", "", 0, "extras: 'x' expected real numbers"},
        {"extras/body_x", "<f4", "(23, 0)", "", 0, "extras: 'body_x' names that begin with"},
        {"extras/a\x1b", "<f4", "(23, 0)", "", 0, "extras: 'a\\x1b' is no name"}};
    library_made m;
    library_content_make(&m, ROBOT, 80);
    expect_success(pm_library_write(&m.content, NULL, "a.npz", new_error()));
    assert_true(
        parse_with(&(lie){"none", "<f4", "(0,)", "", 0, ""})); /* what is not known is not read */
    expect_lies_refused(cases, COUNT_OF(cases));
}

TEST(coordinates_that_lie_are_refused_by_name) {
    static const uint32_t beyond[] = {1, 3, 2, 4}, twice[] = {1, 3, 2, 3}, few[] = {1, 2, 3, 2},
                          other[] = {1, 0, 2, 3}, no_ball[] = {3, 0};
    static const uint64_t ends[] = {2, 4};
    static const lie cases[] = {
        {"skeleton/coordinates", "<u4", "(4,)", beyond, 16, "skeleton/coordinates: expected all"},
        {"skeleton/coordinates", "<u4", "(4,)", twice, 16, "skeleton/coordinates: expected all"},
        {"skeleton/coordinates", "<u4", "(4,)", few, 16, "skeleton/coordinates: expected all"},
        {"skeleton/coordinates", "<u4", "(4,)", other, 16, "skeleton/coordinates: expected all"},
        {"skeleton/coordinates", "<u4", "(2,)", no_ball, 8, "coordinates: each has a name"},
        {"skeleton/coordinates", "<i4", "(4,)", beyond, 16, "skeleton/coordinates: found <i4"},
        {"skeleton/coordinates", NULL, NULL, NULL, 0, "root_rot: is missing"},
        {"skeleton/coordinate_name_ends", "<u8", "(2,)", ends, 16, "skeleton/coordinate"},
        {"skeleton/coordinate_name_ends", NULL, NULL, NULL, 0, "coordinate_name_ends: is missing"},
        {"rot", NULL, NULL, NULL, 0, "rot: is missing"}};
    library_made m;
    library_content_make(&m, ROBOT_WITH_BALL, 82);
    expect_success(pm_library_write(&m.content, NULL, "a.npz", new_error()));
    expect_lies_refused(cases, COUNT_OF(cases));
}

TEST(codes_that_lie_are_refused_by_name) {
    static const char words[] = ABOUT "1, \"method\": \"slerp\", \"keys\": \"float32\"}";
    library_made m;
    library_content_make(&m, CODED, 81);
    expect_success(pm_library_write(&m.content, NULL, "a.npz", new_error()));
    const lie cases[] = {
        {"rot", "<i2", "(23, 12)", m.codes, 552,
         "rot: found <i2 of shape (23, 12), expected <i2 of shape (23, 13)"},
        {"rot", "<i2", "(22, 13)", m.codes, 572, "pos: found <f4 of shape (23, 1, 3)"},
        {"rot", "<i2", "(299,)", m.codes, 598, "rot: found <i2 of shape (299,)"},
        {"rot", "<i2", "(23, 14)", m.codes, 598, "rot: is damaged"},
        {"rot", "<u2", "(23, 13)", m.codes, 598, "rot: found <u2 of shape (23, 13), expected <f4"},
        {"rot", "<i2", "(0, 13)", "", 0, "pos: found <f4 of shape (23, 1, 3)"},
        {"format", "|u1", "(89,)", words, sizeof words - 1,
         "rot: found <i2 of shape (23, 13), expected <f4"}};
    expect_lies_refused(cases, COUNT_OF(cases));
    assert_true(parse_with(&(lie){"rot", "<i2", "(23, 13)", m.codes, 598, ""}));
}

TEST(files_that_are_none_are_refused_with_their_name) {
    pm_library *library = NULL;
    test_folder_put_text("\x7f.npz", "");
    test_folder_put_text("text.npz", "PK");
    static const char *const paths[] = {"\x7f.npz", "text.npz", "none.npz", "."};
    static const char *const shown[] = {"\\x7f.npz: ", "text.npz: ", "none.npz: ", ".: "};
    for (size_t i = 0; i < 4; i++) {
        const pm_status status = pm_library_open(NULL, paths[i], NULL, &library, new_error());
        assert_int_equal(status, PM_ERROR_FILE);
        assert_memory_equal(last_error()->message, shown[i], strlen(shown[i]));
        assert_null(library);
    }
}

static void expect_argument(pm_status status, const char *words) {
    assert_true(status == PM_ERROR_ARGUMENT || status == PM_ERROR_FILE);
    if (!strstr(last_error()->message, words))
        fail_msg("'%s', expected '%s'", last_error()->message, words);
}

TEST(arguments_that_lie_are_refused) {
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    library_made m;
    library_content_make(&m, ROOT_ALONE, 90);
    const pm_library_content good = m.content;
    const pm_library_write_options short_angles = {.short_angles = true};
    SCOPED(pm_library_destroy) pm_library *library = library_content_open(engine, &good, NULL);
#define REFUSED(field, value, words)                                                               \
    do {                                                                                           \
        pm_library_content bad = good;                                                             \
        bad.field = (value);                                                                       \
        expect_argument(pm_library_write(&bad, NULL, "b.npz", new_error()), words);                \
    } while (0)
    REFUSED(parents, NULL, "the skeleton is NULL");
    REFUSED(motions, NULL, "motions is NULL");
    REFUSED(key_rotations, NULL, "key_rotations is NULL");
    REFUSED(extras, NULL, "extras is NULL");
    REFUSED(position_count, 2, "position_count is 2");
    REFUSED(body_count, 0, "bodies");
    REFUSED(joint_count, PM_SKELETON_MAX_JOINTS + 1, "joints");
    REFUSED(row_count, 22, "'run' has frames");
    REFUSED(row_count, UINT64_MAX, "too many frames");
    REFUSED(method, (pm_method)99, "method");
    REFUSED(key_codes, m.codes, "rot: has codes, but no key format of 48 bits");
    REFUSED(coordinate_count, 1, "coordinates is NULL");
    const pm_library_write_options coded = {.coded_keys = true};
    expect_argument(pm_library_write(&good, &coded, "b.npz", new_error()), "has no 48 bits");
    pm_library_content wrong = good;
    wrong.key_format = PM_KEYS_SMALLEST48;
    m.turns[4 * (5 * JOINTS + 2)] = 2;
    expect_argument(pm_library_write(&wrong, &coded, "b.npz", new_error()),
                    "rot: the rotation of joint 2 in row 5 has no length 1");
    library_content_make(&m, ROBOT_WITH_BALL, 90);
    m.content.key_rotations = NULL;
    m.content.root_rotations = m.turns;
    expect_argument(pm_library_write(&m.content, NULL, "b.npz", new_error()),
                    "key_rotations is NULL");
    library_content_make(&m, ROOT_ALONE, 90);
    m.motions[1].name = m.motions[0].name;
    expect_argument(pm_library_write(&good, NULL, "b.npz", new_error()), "is the name of two");
    m.motions[1].name.size = 0;
    expect_argument(pm_library_write(&good, &short_angles, "b.npz", new_error()), "no hinges");
    expect_argument(pm_library_write(&good, NULL, NULL, new_error()), "path is NULL");
    assert_int_equal(pm_library_write(&good, NULL, "none/b.npz", new_error()), PM_ERROR_OUTPUT);
    assert_int_equal(test_folder_count("."), 3); /* and those of the test before */

    static const uint32_t motions[] = {0};
    static const double times[] = {0};
    pm_library_job job = {.motions = motions, .count = 1};
    expect_argument(pm_library_sample(library, &job, new_error()), "times or steps");
    job.times = times;
    job.offset_count = 1;
    expect_argument(pm_library_sample(library, &job, new_error()), "offsets is NULL");
    job.offset_count = 0;
    job.extras = &(pm_library_extra_target){.extra = 2, .memory = m.phases};
    job.extra_count = 1;
    expect_argument(pm_library_sample(library, &job, new_error()), "extras: 0");
    job.extra_count = 0;
    pm_crowd_target none = {
        .output = PM_CROWD_ANGLE, .subset = PM_LIBRARY_DOFS, .memory = m.phases};
    job.outputs = &none;
    job.output_count = 1;
    expect_argument(pm_library_sample(library, &job, new_error()), "subset");
    pm_library_destroy(&library);
    pm_library_destroy(NULL);
}

/* Each motion has memory of its own: a small file could ask for any amount. */
TEST(motions_that_share_rows_out_of_proportion_are_refused) {
    enum { MANY = 20000, LETTERS = 8 };
    library_made m;
    library_content_make(&m, ROOT_ALONE, 91);
    char(*names)[LETTERS] = test_array(MANY, sizeof *names);
    pm_library_motion *motions = test_array(MANY, sizeof *motions);
    for (size_t i = 0; i < MANY; i++) {
        snprintf(names[i], LETTERS, "%zu", i);
        motions[i] = m.motions[0];
        motions[i].name = (pm_motion_name){names[i], strlen(names[i])};
        motions[i].first = 0;
        motions[i].frames = ROWS;
        motions[i].weight = 1;
    }
    m.content.motions = motions;
    m.content.motion_count = 100; /* of so few, all is allowed */
    expect_success(pm_library_write(&m.content, NULL, "b.npz", new_error()));
    m.content.motion_count = MANY;
    expect_argument(pm_library_write(&m.content, NULL, "b.npz", new_error()),
                    "expected at most 4 times as many");
    free(names);
    free(motions);
}

TEST(structs_with_a_next_are_refused) {
    static const char *const paths[] = {POSEMILL_SOURCE_DIR "/examples/walk.bvh"};
    static const uint32_t motions[] = {0};
    static const double times[] = {0};
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    pm_library_write_options writing = {.threads = 1};
    pm_library_open_options opening = {.threads = 1};
    pm_library_build_options building = {.threads = 1};
    pm_library_job job = {.motions = motions, .count = 1, .times = times};
    library_made m;
    library_content_make(&m, ROOT_ALONE, 91);
    pm_library *library = library_content_open(engine, &m.content, NULL), *none = NULL;
    expect_next_refused(pm_library_content, m.content, last_error(),
                        pm_library_write(&m.content, NULL, "e.npz", new_error()));
    expect_next_refused(pm_library_motion, m.motions[1], last_error(),
                        pm_library_write(&m.content, NULL, "e.npz", new_error()));
    expect_next_refused(pm_library_extra, m.extras[0], last_error(),
                        pm_library_write(&m.content, NULL, "e.npz", new_error()));
    expect_next_refused(pm_library_write_options, writing, last_error(),
                        pm_library_write(&m.content, &writing, "e.npz", new_error()));
    expect_next_refused(pm_library_build_options, building, last_error(),
                        pm_library_build(paths, 1, &building, "e.npz", new_error()));
    expect_next_refused(pm_library_open_options, opening, last_error(),
                        pm_library_open(engine, paths[0], &opening, &none, new_error()));
    expect_next_refused(pm_library_job, job, last_error(),
                        pm_library_sample(library, &job, new_error()));
    pm_library_edit edit = {.removed = motions, .removed_count = 1};
    expect_next_refused(pm_library_edit, edit, last_error(),
                        pm_library_change(library, &edit, NULL, new_error()));
    pm_curriculum_desc desc = {.bin_seconds = 1};
    pm_curriculum *curriculum = NULL;
    expect_next_refused(pm_curriculum_desc, desc, last_error(),
                        pm_curriculum_create(library, &desc, &curriculum, new_error()));
    expect_success(pm_curriculum_create(library, &desc, &curriculum, new_error()));
    pm_curriculum_state now = {.bin_count = 0};
    expect_next_refused(pm_curriculum_state, now, last_error(),
                        pm_curriculum_get_state(curriculum, &now, new_error()));
    pm_curriculum_destroy(&curriculum);
    pm_library_destroy(&library);
}

/* ---- failures of memory -------------------------------------------------------------- */

static bool came(pm_status status) {
    const bool is_output = status == PM_ERROR_OUTPUT && strstr(last_error()->message, "memory");
    if (status != PM_OK && status != PM_ERROR_MEMORY && !is_output)
        fail_msg("a failed allocation became %d: %s", (int)status, last_error()->message);
    return status == PM_OK;
}

/* Writes, opens, and builds, on one thread. The address sanitizer sees what is not freed. */
static bool write_and_read(void) {
    static const char *const paths[] = {POSEMILL_SOURCE_DIR "/examples/walk.bvh"};
    static const char *const robots[] = {"robot.csv"};
    static const pm_key_format numbers = PM_KEYS_FLOAT32;
    const pm_library_write_options writing = {.short_angles = true, .threads = 1};
    const pm_library_open_options opening = {.threads = 1},
                                  decoding = {.threads = 1, .key_format = &numbers};
    const pm_library_build_options building = {
        .threads = 1, .key_format = PM_KEYS_LOG48, .coded_keys = true};
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    library_made m;
    SCOPED(pm_library_destroy) pm_library *library = NULL;
    SCOPED(pm_library_destroy) pm_library *decoded = NULL;
    library_content_make(&m, ROBOT, 95);
    const pm_library_build_options of_robot = {.threads = 1, .robot = &m.content};
    const bool good = came(pm_library_write(&m.content, &writing, "d.npz", new_error())) &&
                      came(pm_library_open(engine, "d.npz", &opening, &library, new_error())) &&
                      came(pm_library_build(paths, 1, &building, "d.npz", new_error())) &&
                      came(pm_library_open(NULL, "d.npz", &decoding, &decoded, new_error())) &&
                      came(pm_library_build(robots, 1, &of_robot, "d.npz", new_error()));
    return good;
}

static const uint32_t first_two[] = {0, 1};

/* A change fails, or is done as a whole. */
static bool change_or_stay(pm_library *library, const pm_library *other) {
    const size_t before = pm_library_list(library, NULL, 0);
    const pm_library_edit edit = {.removed = first_two,
                                  .removed_count = 2,
                                  .from = other,
                                  .motions = first_two,
                                  .motion_count = 2};
    uint32_t ids[2] = {0};
    const bool good = came(pm_library_change(library, &edit, ids, new_error()));
    pm_library_motion_info info;
    assert_int_equal(pm_library_list(library, NULL, 0), before);
    assert_int_equal(pm_library_get_motion(library, 0, &info), !good);
    assert_int_equal(pm_library_get_motion(library, 3, &info), good);
    return good;
}

static bool use_curriculum(const pm_library *library) {
    const pm_curriculum_desc desc = {.bin_seconds = 0.01, .rule = PM_CURRICULUM_PHC};
    pm_curriculum *curriculum = NULL;
    uint32_t motions[9];
    double times[9];
    const bool good = came(pm_curriculum_create(library, &desc, &curriculum, new_error())) &&
                      came(pm_curriculum_follow(curriculum, library, new_error())) &&
                      came(pm_curriculum_draw(curriculum, NULL, 9, motions, times, new_error()));
    pm_curriculum_destroy(&curriculum);
    return good;
}

enum { ALLOCATIONS_OF_REMOVING = 20 }; /* at most, of pm_crowd_remove_clips */

static const pm_library_open_options one_thread = {.threads = 1};

static bool replace_motions(void) {
    SCOPED(pm_library_destroy) pm_library *library = NULL;
    SCOPED(pm_library_destroy) pm_library *other = NULL;
    return came(pm_library_open(engine_of_kind(ON_REFERENCE), "one.npz", &one_thread, &library,
                                new_error())) &&
           came(pm_library_open(NULL, "other.npz", &one_thread, &other, new_error())) &&
           change_or_stay(library, other);
}

static bool live(void) {
    static const uint32_t others[] = {1, 2};
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    const pm_library_write_options writing = {.threads = 1};
    SCOPED(pm_library_destroy) pm_library *library = NULL;
    SCOPED(pm_library_destroy) pm_library *other = NULL;
    SCOPED(pm_library_destroy) pm_library *part = NULL;
    SCOPED(pm_library_destroy) pm_library *rest = NULL;
    SCOPED(pm_library_destroy) pm_library *more = NULL;
    uint32_t ids[3];
    size_t count = 0;
    if (!came(pm_library_open(NULL, "one.npz", &one_thread, &library, new_error())) ||
        !came(pm_library_open(NULL, "other.npz", &one_thread, &other, new_error())) ||
        !came(pm_library_select(engine, library, &(uint32_t){0}, 1, &part, new_error())))
        return false;
    const pm_library_edit edit = {.from = other, .motions = others, .motion_count = 2};
    const bool good = came(pm_library_change(part, &edit, ids, new_error()));
    assert_int_equal(pm_library_list(part, NULL, 0), good ? 3 : 1);
    return good && came(pm_library_select(NULL, part, &(uint32_t){0}, 1, &rest, new_error())) &&
           came(pm_library_shard(part, 0, 2, ids, 3, &count, new_error())) &&
           use_curriculum(part) &&
           came(pm_library_save(rest, &writing, "saved.npz", new_error())) &&
           came(pm_library_select(NULL, other, others, 2, &more, new_error())) &&
           came(pm_library_append("saved.npz", more, new_error()));
}

TEST(each_allocation_of_a_change_can_fail) {
    engine_of_kind(ON_REFERENCE);
    library_made m;
    library_content_make(&m, ROOT_ALONE, 96);
    m.motions[0].weight = 1;
    expect_success(pm_library_write(&m.content, NULL, "one.npz", new_error()));
    expect_success(pm_library_write(&m.content, NULL, "other.npz", new_error()));
    fail_each_allocation(live, 50, 4);
    /* Clips of removed motions may stay until the next change. */
    fail_each_allocation(replace_motions, 50, 4 + 2 * ALLOCATIONS_OF_REMOVING);
}

TEST(each_allocation_can_fail) {
    engine_of_kind(ON_REFERENCE);
    test_folder_put_text("robot.csv", "1,2,3,0,0,0,1,0.5,0.25\n1,2,3,0,0,1,0,0.75,1\n");
    write_and_read();
    fail_each_allocation(write_and_read, 50, 4); /* readers of text can do without a block */
}
