/* SPDX-License-Identifier: MIT
 *
 * Items of folders and files: their names, links, what is left out and what is a fault.
 */
#define _XOPEN_SOURCE 700

#include "support/batch_files.h"
#include "support/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static batch_items found;

static int leave(void **state) {
    batch_items_release(&found);
    return test_folder_leave(state);
}

static void find(const char *operand) {
    batch_items_release(&found);
    batch_find_operand(operand, NULL, &found);
}

static void find_match(const char *operand, const char *match) {
    batch_items_release(&found);
    batch_find_operand(operand, match, &found);
}

static void find_two(const char *first, const char *second, pm_status status, const char *word) {
    const char *paths[] = {first, second};
    batch_items_release(&found);
    batch_find(&(pm_motion_batch_sources){.paths = paths, .path_count = 2}, status, word, &found);
}

TEST(names_are_relative_to_the_folder_and_sorted_by_bytes) {
    test_folder_put_text("in/b.bvh", "12345");
    test_folder_put_text("in/a/z.BVH", "");
    test_folder_put_text("in/a b/\xe6\xad\xa9 1.npz", "1");
    test_folder_put_text("in/a-/c.glb", "");
    test_folder_put_text("in/B.csv", "");
    static const char *const ways[] = {"in", "in/", "./in", "in//", "in/a/.."};
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        find(ways[i]);
        BATCH_EXPECT(&found, "B.csv", "a b/\xe6\xad\xa9 1.npz", "a-/c.glb", "a/z.BVH", "b.bvh");
        assert_int_equal(batch_item_named(&found, "b.bvh")->bytes, 5);
        assert_true(access(batch_item_named(&found, "a/z.BVH")->path, R_OK) == 0);
    }
    assert_int_equal(chdir("in"), 0);
    find(".");
    assert_int_equal(found.count, 5);
}

TEST(a_file_that_is_given_has_its_last_name) {
    test_folder_put_text("x/y/walk.txt", "123");
    find("x/y/walk.txt");
    BATCH_EXPECT(&found, "walk.txt");
    assert_int_equal(found.items[0].bytes, 3);
    find("-");
    BATCH_EXPECT(&found, "-");
    find("none.bvh");
    BATCH_EXPECT(&found, "!none.bvh");
}

TEST(two_inputs_with_one_name_are_refused_by_both_names) {
    char first[] = "a", second[] = "b/", file[] = "b/t.bvh", other[] = "a/t.bvh";
    test_folder_put_text("a/t.bvh", "");
    test_folder_put_text("b/t.bvh", "");
    find_two(first, second, PM_ERROR_ARGUMENT,
             "b/t.bvh: has the output name 't.bvh', which 'a/t.bvh'");
    find_two(file, other, PM_ERROR_ARGUMENT, "'a/t.bvh'");
    find_two(first, first, PM_ERROR_ARGUMENT, "has the output name");
}

TEST(a_name_that_another_one_needs_as_a_folder_is_refused) {
    char first[] = "a", second[] = "b";
    test_folder_put_text("a/t.bvh", "");
    test_folder_put_text("a/t.bvh-2.bvh", "");
    test_folder_put_text("a/u/v.bvh", "");
    test_folder_put_text("b/t.bvh/x/y.bvh", "");
    find_two(first, second, PM_ERROR_ARGUMENT, "needs a folder where 'a/t.bvh' has its output");
}

TEST(the_folder_of_records_is_no_place_for_outputs) {
    test_folder_put_text(".posemill", "");
    test_folder_put_text("x/.posemill/a.bvh", "");
    find(".posemill");
    BATCH_EXPECT(&found, "!.posemill");
    assert_non_null(strstr(found.items[0].fault, "where records are"));
    batch_items_release(&found);
    batch_find_list("{\"path\": \".posemill/a.bvh\", \"bytes\": 1}\nnone.bvh\n", PM_OK, "", &found);
    BATCH_EXPECT(&found, "!.posemill/a.bvh", "!none.bvh");
    find("x");
    assert_int_equal(found.count, 0);
}

TEST(hidden_files_and_other_formats_are_skipped) {
    test_folder_put_text("in/a.bvh", "");
    test_folder_put_text("in/.b.bvh", "");
    test_folder_put_text("in/.git/c.bvh", "");
    test_folder_put_text("in/d.txt", "");
    test_folder_put_text("in/bvh", "");
    find("in");
    BATCH_EXPECT(&found, "a.bvh");
    /* A folder that is given is searched whatever its name. */
    find("in/.git");
    BATCH_EXPECT(&found, "c.bvh");
}

TEST(globs_pick_by_name_or_by_path) {
    test_folder_put_text("in/walk1.txt", "");
    test_folder_put_text("in/run.bvh", "");
    test_folder_put_text("in/s/walk2.bvh", "");
    test_folder_put_text("in/s/t/walk3.bvh", "");
    find_match("in", "walk*");
    BATCH_EXPECT(&found, "s/t/walk3.bvh", "s/walk2.bvh", "walk1.txt");
    find_match("in", "s/*.bvh");
    BATCH_EXPECT(&found, "s/walk2.bvh");
    find_match("in", "*.[x-z]*");
    assert_int_equal(found.count, 0);
    /* Files that are given are not picked. */
    find_match("in/run.bvh", "walk*");
    BATCH_EXPECT(&found, "run.bvh");
}

TEST(a_folder_of_outputs_inside_is_not_searched) {
    char in[] = "in";
    test_folder_put_text("in/a.bvh", "");
    test_folder_put_text("in/out/a.bvh", "");
    test_folder_link("in/out", "alias");
    static const char *const outs[] = {"in/out", "./in//out/", "alias"};
    for (size_t i = 0; i < 3; i++) {
        batch_items_release(&found);
        batch_find(&(pm_motion_batch_sources){.paths = (const char *[]){in},
                                              .path_count = 1,
                                              .out_dir = outs[i]},
                   PM_OK, "", &found);
        BATCH_EXPECT(&found, "a.bvh");
    }
    batch_items_release(&found);
    batch_find(&(pm_motion_batch_sources){.paths = (const char *[]){in},
                                          .path_count = 1,
                                          .out_dir = "none"},
               PM_OK, "", &found);
    BATCH_EXPECT(&found, "a.bvh", "out/a.bvh");
}

TEST(special_files_are_never_opened) {
    test_folder_put_text("in/a.bvh", "");
    assert_int_equal(mkfifo("in/f.bvh", 0600), 0);
    test_folder_link("/dev/zero", "in/z.bvh");
    test_folder_link("f.bvh", "in/g.bvh");
    find("in");
    BATCH_EXPECT(&found, "a.bvh");
}

TEST(folders_that_links_lead_to_are_entered_once_after_the_real_ones) {
    test_folder_put_text("in/real/a.bvh", "1");
    test_folder_put_text("far/b.bvh", "22");
    test_folder_put_text("far/deep/c.bvh", "");
    test_folder_link("real", "in/alias");
    test_folder_link("../far", "in/link1");
    test_folder_link("../far/deep", "in/link0");
    test_folder_link("../../far", "in/real/link");
    test_folder_link("real/a.bvh", "in/file.bvh");
    find("in");
    BATCH_EXPECT(&found, "file.bvh", "link0/c.bvh", "link1/b.bvh", "real/a.bvh");
    assert_int_equal(batch_item_named(&found, "file.bvh")->bytes, 1);
}

TEST(loops_and_links_to_nothing_are_faults) {
    test_folder_put_text("in/s/a.bvh", "");
    test_folder_link("..", "in/s/up");
    test_folder_link(".", "in/here");
    test_folder_link("self", "in/self");
    test_folder_link("none", "in/none.bvh");
    test_folder_link("none", "in/none.txt");
    find("in");
    BATCH_EXPECT(&found, "!here", "!none.bvh", "s/a.bvh", "!s/up", "!self");
    assert_non_null(strstr(batch_item_named(&found, "s/up")->fault, "loop"));
    assert_non_null(strstr(batch_item_named(&found, "self")->fault, "loop"));
    assert_non_null(strstr(batch_item_named(&found, "none.bvh")->fault, "does not exist"));
}

/* Of several links to one folder the first by its path counts, in whatever order folders are read. */
TEST(the_first_link_to_a_folder_counts) {
    char path[32];
    test_folder_put_text("far/a.bvh", "");
    test_folder_put_text("other/b.bvh", "");
    for (int i = 0; i < 10; i++) {
        snprintf(path, sizeof path, "in/link%d", i);
        test_folder_link("../far", path);
        snprintf(path, sizeof path, "in/folder%d/link", i);
        test_folder_link("../../other", path);
    }
    find("in");
    BATCH_EXPECT(&found, "folder0/link/b.bvh", "link0/a.bvh");
}

/* A link far away that leads back: through two folders outside. */
TEST(a_loop_over_several_links_is_found) {
    test_folder_put_text("in/a.bvh", "");
    test_folder_put_text("x/b.bvh", "");
    test_folder_put_text("y/c.bvh", "");
    test_folder_link("../x", "in/x");
    test_folder_link("../y", "x/y");
    test_folder_link("../in", "y/in");
    find("in");
    BATCH_EXPECT(&found, "a.bvh", "x/b.bvh", "x/y/c.bvh", "!x/y/in");
}

/* Each folder has a name of 100 bytes, so that paths grow beyond what the system opens, which is 4095
 * bytes on Linux: the last folder that is opened has a file that is not. */
TEST(a_tree_too_deep_for_paths_is_a_fault_and_no_failure) {
    enum { LEVELS = 60, LAST = 39 };
    char name[101], file[80];
    memset(name, 'd', 100);
    name[100] = '\0';
    snprintf(file, sizeof file, "%.60s.bvh", name);
    test_folder_put_text("in/a.bvh", "");
    assert_int_equal(chdir("in"), 0);
    for (int i = 0; i < LEVELS; i++) {
        assert_int_equal(mkdir(name, 0777), 0);
        assert_int_equal(chdir(name), 0);
        if (i == LAST)
            test_folder_put_text(file, "");
    }
    for (int i = 0; i <= LEVELS; i++)
        assert_int_equal(chdir(".."), 0);
    find("in");
    assert_int_equal(found.count, 3);
    assert_null(found.items[0].fault);
    assert_non_null(strstr(found.items[1].fault, "too long"));
    assert_non_null(strstr(found.items[2].fault, "too long"));
    assert_int_equal(system("rm -r in"), 0); /* nftw needs paths too */
}

TEST(thousands_of_files_and_folders_are_found) {
    char path[64];
    for (int i = 0; i < 2000; i++) {
        snprintf(path, sizeof path, "in/f/%d.bvh", i);
        test_folder_put_text(path, "x");
        snprintf(path, sizeof path, "in/d/%d/a.bvh", i);
        test_folder_put_text(path, "x");
    }
    find("in");
    assert_int_equal(found.count, 4000);
    for (size_t i = 1; i < found.count; i++)
        assert_true(strcmp(found.items[i - 1].name, found.items[i].name) < 0);
}

const test_fixture each_fixture = {test_folder_enter, leave};
