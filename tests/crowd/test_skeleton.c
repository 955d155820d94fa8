/* SPDX-License-Identifier: MIT
 *
 * Skeletons: the order of joints, the stages in which a work-group poses them, and that every invalid
 * description is refused with a message that names the cause and the joint. The nearest valid values are
 * accepted.
 */
#include "crowd/crowd.h"
#include "support/check.h"
#include "support/motion.h"

#include <math.h>
#include <posemill/posemill_crowd.h>
#include <stdlib.h>
#include <string.h>

#define PENDING_MAX 16
enum { MAX_JOINTS = 120 }; /* of random skeletons */

static pm_skeleton *make(const int32_t *parents, size_t count) {
    pm_skeleton *skeleton = NULL;
    const pm_skeleton_desc desc = {.joint_count = count, .parents = parents};
    expect_success(pm_skeleton_create(&desc, &skeleton, new_error()));
    assert_non_null(skeleton);
    assert_int_equal(pm_skeleton_joint_count(skeleton), count);
    return skeleton;
}

/* The index in the order of each joint of the description; fails unless each joint occurs once. */
static size_t *indices_of(const pm_skeleton *skeleton, size_t count) {
    const uint32_t *order = pm_skeleton_order(skeleton);
    size_t *index_of = test_array(count, sizeof *index_of);
    memset(index_of, 0xFF, count * sizeof *index_of);
    for (size_t k = 0; k < count; k++) {
        assert_true(order[k] < count);
        assert_true(index_of[order[k]] == SIZE_MAX);
        index_of[order[k]] = k;
    }
    return index_of;
}

/* The maximum number of joints that, after any joint, still have children to come. */
static size_t max_pending(const int32_t *parents, const size_t *index_of, size_t count) {
    size_t pending = 0, max = 0;
    SCOPED(free_at) size_t *last = test_array(count, sizeof *last);
    SCOPED(free_at) int *change = test_array(count + 1, sizeof *change);
    memset(last, 0, count * sizeof *last);
    memset(change, 0, (count + 1) * sizeof *change);
    for (size_t joint = 0; joint < count; joint++)
        if (parents[joint] >= 0 && index_of[joint] > last[parents[joint]])
            last[parents[joint]] = index_of[joint];
    for (size_t joint = 0; joint < count; joint++)
        if (last[joint] > 0) {
            change[index_of[joint]]++;
            change[last[joint]]--;
        }
    for (size_t k = 0; k < count; k++) {
        pending += (size_t)change[k];
        max = pending > max ? pending : max;
    }
    return max;
}

/* The number of joints in the subtree of each joint, itself included. */
static size_t *subtrees_of(const int32_t *parents, const uint32_t *order, size_t count) {
    size_t *sizes = test_array(count, sizeof *sizes);
    for (size_t joint = 0; joint < count; joint++)
        sizes[joint] = 1;
    for (size_t k = count; k-- > 0;)
        if (parents[order[k]] >= 0)
            sizes[parents[order[k]]] += sizes[order[k]];
    return sizes;
}

static bool parents_come_first(const int32_t *parents, const size_t *index_of, size_t count) {
    for (size_t joint = 0; joint < count; joint++)
        if (parents[joint] >= 0 && index_of[parents[joint]] >= index_of[joint])
            return false;
    return true;
}

/* The subtree of every joint is contiguous and follows it. */
static bool is_depth_first(const int32_t *parents, const uint32_t *order, const size_t *index_of,
                           size_t count) {
    SCOPED(free_at) size_t *sizes = subtrees_of(parents, order, count);
    bool whole = true;
    for (size_t joint = 0; joint < count; joint++) {
        const int32_t up = parents[joint];
        whole = whole && (up < 0 || (index_of[joint] > index_of[up] &&
                                     index_of[joint] + sizes[joint] <= index_of[up] + sizes[up]));
    }
    return whole;
}

/* The rule of the header for any forest. */
static void expect_rule(const int32_t *parents, size_t count) {
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = make(parents, count);
    SCOPED(free_at)
    size_t *own = test_array(count, sizeof *own), *index_of = indices_of(skeleton, count);
    for (size_t joint = 0; joint < count; joint++)
        own[joint] = joint;
    assert_true(parents_come_first(parents, index_of, count));
    const bool keeps =
        parents_come_first(parents, own, count) && max_pending(parents, own, count) <= PENDING_MAX;
    if (keeps)
        assert_memory_equal(index_of, own, count * sizeof *own);
    else
        assert_true(is_depth_first(parents, pm_skeleton_order(skeleton), index_of, count));
    assert_true(max_pending(parents, index_of, count) <= PENDING_MAX);
    for (size_t k = 0; k < count; k++)
        assert_int_equal(pm_skeleton_slots(skeleton)[pm_skeleton_order(skeleton)[k]], k);
}

static bool is_kept(const int32_t *parents, size_t count) {
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = make(parents, count);
    const uint32_t *order = pm_skeleton_order(skeleton);
    bool kept = true;
    for (size_t k = 0; k < count; k++)
        kept = kept && order[k] == k;
    return kept;
}

/* ---- tests ------------------------------------------------------------------------------ */

TEST(an_order_with_parents_first_is_kept_and_children_before_them_are_moved) {
    const int32_t kept[] = {-1, 0, 1, 0, -1, 3, 4, 2, 4}, moved[] = {3, 0, 5, 5, 3, -1, 2};
    assert_true(is_kept(kept, 1));
    assert_true(is_kept(kept, COUNT_OF(kept)));
    expect_rule(kept, COUNT_OF(kept));
    assert_false(is_kept(moved, COUNT_OF(moved)));
    expect_rule(moved, COUNT_OF(moved));
}

TEST(a_skeleton_may_have_many_roots) {
    enum { COUNT = 500 };
    int32_t parents[COUNT];
    for (size_t joint = 0; joint < COUNT; joint++)
        parents[joint] = -1;
    assert_true(is_kept(parents, COUNT));
    for (size_t joint = 0; joint < COUNT; joint += 2)
        parents[joint] = (int32_t)joint + 1;
    expect_rule(parents, COUNT);
}

TEST(a_chain_may_have_the_maximum_number_of_joints) {
    const size_t count = PM_SKELETON_MAX_JOINTS;
    SCOPED(free_at) int32_t *parents = test_array(count, sizeof *parents);
    for (size_t joint = 0; joint < count; joint++)
        parents[joint] = (int32_t)joint - 1;
    assert_true(is_kept(parents, count));
    for (size_t joint = 0; joint < count; joint++)
        parents[joint] = joint + 1 < count ? (int32_t)joint + 1 : -1;
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = make(parents, count);
    const uint32_t *order = pm_skeleton_order(skeleton);
    for (size_t k = 0; k < count; k++)
        assert_int_equal(order[k], count - 1 - k);
}

/* A root, `width` children and one child of each: all children of the root are pending at once. */
static void make_comb(size_t width, int32_t *parents) {
    parents[0] = -1;
    for (size_t n = 0; n < width; n++) {
        parents[1 + n] = 0;
        parents[1 + width + n] = (int32_t)(1 + n);
    }
}

TEST(more_than_sixteen_pending_parents_make_the_order_depth_first) {
    int32_t parents[1 + 2 * 17];
    make_comb(16, parents);
    assert_true(is_kept(parents, 33));
    make_comb(17, parents);
    assert_false(is_kept(parents, 35));
    expect_rule(parents, 35);
}

TEST(a_wide_tree_in_breadth_first_order_becomes_depth_first) {
    enum { COUNT = 1093 }; /* 7 levels, three children per joint */
    int32_t parents[COUNT];
    for (size_t joint = 0; joint < COUNT; joint++)
        parents[joint] = joint ? (int32_t)((joint - 1) / 3) : -1;
    assert_false(is_kept(parents, COUNT));
    expect_rule(parents, COUNT);
}

/* A binary tree of 15 levels requires as many pending parents as any tree of its size may. */
TEST(the_deepest_binary_tree_has_at_most_sixteen_pending_parents) {
    const size_t count = PM_SKELETON_MAX_JOINTS - 1;
    SCOPED(free_at) int32_t *parents = test_array(count, sizeof *parents);
    for (size_t joint = 0; joint < count; joint++)
        parents[joint] = joint ? (int32_t)((joint - 1) / 2) : -1;
    expect_rule(parents, count);
}

/* A chain whose joints each have a leaf beside the next joint: taking the long child first would
 * keep the whole chain pending. */
TEST(a_comb_has_at_most_sixteen_pending_parents) {
    enum { COUNT = 4001 };
    int32_t parents[COUNT];
    for (size_t joint = 0; joint < COUNT; joint++)
        parents[joint] = joint == 0           ? -1
                         : joint <= COUNT / 2 ? (int32_t)joint - 1
                                              : (int32_t)(joint - 1 - COUNT / 2);
    expect_rule(parents, COUNT);
}

/* Joints up to `span` behind their parents; some have none. */
static void random_parents(random_source *source, size_t count, const size_t *names,
                           int32_t *parents) {
    const size_t span = 1 + (size_t)(random_bits(source) % MAX_JOINTS);
    for (size_t n = 0; n < count; n++) {
        const size_t back = 1 + (size_t)(random_bits(source) % span);
        parents[names[n]] = n >= back ? (int32_t)names[n - back] : -1;
    }
}

static void shuffle(random_source *source, size_t *of, size_t count) {
    for (size_t i = count; i-- > 1;) {
        const size_t k = (size_t)(random_bits(source) % (i + 1)), kept = of[i];
        of[i] = of[k];
        of[k] = kept;
    }
}

TEST(random_forests_in_any_order_follow_the_rule) {
    random_source source = random_salted(0x5C01);
    for (size_t round = 0; round < 400; round++) {
        const size_t count = 1 + (size_t)(random_bits(&source) % MAX_JOINTS);
        size_t names[MAX_JOINTS];
        int32_t parents[MAX_JOINTS];
        for (size_t n = 0; n < count; n++)
            names[n] = n;
        if (round % 2)
            shuffle(&source, names, count);
        random_parents(&source, count, names, parents);
        expect_rule(parents, count);
    }
}

/* Poses a skeleton stage by stage with numbers for transforms: a joint's is its index + 1. A stage
 * reads the slots that earlier stages wrote, and must find its joints' parents there. Within a
 * stage no slot is both read and written by different joints, and none is written twice. */
static void expect_stages(const pm_skeleton *s, const int32_t *parents, size_t max_slots) {
    SCOPED(pm_stages_free) pm_stages stages;
    assert_int_equal(pm_stages_build(NULL, s, 0, max_slots, &stages, NULL), PM_OK);
    const uint32_t *order = pm_skeleton_order(s);
    const size_t n = s->joint_count;
    SCOPED(free_at) uint32_t *slots = test_array(stages.slots, sizeof *slots), *written = NULL;
    SCOPED(free_at) size_t *index_of = indices_of(s, n), *met = test_array(n, sizeof *met);
    size_t seen = 0;
    written = test_array(stages.slots, sizeof *written);
    memset(slots, 0, stages.slots * sizeof *slots);
    memset(met, 0, n * sizeof *met);
    assert_true(stages.slots <= max_slots || stages.slots == PM_SLOTS);
    for (size_t k = 0; k < stages.stage_count; k++) {
        const pm_crowd_stage *stage = &stages.stages[k];
        assert_int_equal(stage->first, seen);
        assert_true(stage->count >= 1);
        memset(written, 0, stages.slots * sizeof *written);
        for (size_t i = 0; i < stage->count; i++) {
            const pm_stage_joint *at = &stages.joints[stage->first + i];
            const int32_t parent = parents[order[at->joint]];
            met[at->joint]++;
            assert_true((at->parent == PM_NO_SLOT) == (parent < 0));
            if (parent >= 0)
                assert_int_equal(slots[at->parent], index_of[parent] + 1);
        }
        for (size_t i = 0; i < stage->count; i++) {
            const pm_stage_joint *at = &stages.joints[stage->first + i];
            if (at->slot == PM_NO_SLOT)
                continue;
            assert_true(at->slot < stages.slots && written[at->slot]++ == 0);
            for (size_t other = 0; other < stage->count && stage->count > 1; other++)
                assert_true(stages.joints[stage->first + other].parent != at->slot);
            slots[at->slot] = at->joint + 1;
        }
        /* the kernel's division of task numbers, for up to 64 instances */
        for (uint32_t task = 0; task < 64 * stage->count; task += 1 + task / 97)
            assert_int_equal((uint64_t)(task + 1) * stage->reciprocal >> 32, task / stage->count);
        seen += stage->count;
    }
    for (size_t joint = 0; joint < n; joint++)
        assert_int_equal(met[joint], 1);
}

TEST(stages_have_the_transforms_of_parents_in_their_slots) {
    random_source source = random_salted(0x5C02);
    size_t in_order[MAX_JOINTS];
    for (size_t n = 0; n < MAX_JOINTS; n++)
        in_order[n] = n;
    for (size_t round = 0; round < 300; round++) {
        const size_t count = 1 + (size_t)(random_bits(&source) % MAX_JOINTS);
        int32_t parents[MAX_JOINTS];
        random_parents(&source, count, in_order, parents);
        SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = make(parents, count);
        expect_stages(skeleton, parents, 1000);
        expect_stages(skeleton, parents, (size_t)(random_bits(&source) % 40));
    }
}

/* 20,000 joints of one depth: stages are divided. A chain: one joint per stage and two slots. */
TEST(the_largest_skeletons_have_stages) {
    enum { COUNT = 20001 };
    SCOPED(free_at) int32_t *parents = test_array(COUNT, sizeof *parents);
    for (int32_t n = 0; n < COUNT; n++)
        parents[n] = n ? 0 : -1;
    pm_skeleton *star = make(parents, COUNT);
    expect_stages(star, parents, 16);
    pm_skeleton_destroy(&star);
    for (int32_t n = 0; n < COUNT; n++)
        parents[n] = n - 1;
    SCOPED(pm_skeleton_destroy) pm_skeleton *chain = make(parents, COUNT);
    expect_stages(chain, parents, 2);
}

TEST(a_skeleton_keeps_no_pointer_to_its_description) {
    int32_t parents[] = {1, -1, 0};
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = make(parents, 3);
    memset(parents, 0x55, sizeof parents);
    const uint32_t *order = pm_skeleton_order(skeleton);
    assert_int_equal(order[0], 1);
    assert_int_equal(order[1], 0);
    assert_int_equal(order[2], 2);
}

enum { JOINTS = 4, LEVELS = 2, MASKS = 2 };

/* A valid description with all its arrays; each test makes one part of it invalid. */
static struct {
    int32_t parents[JOINTS];
    double rotations[JOINTS][4];
    float positions[JOINTS][3];
    double scales[JOINTS][3];
    float binds[JOINTS][12];
    uint8_t animated[JOINTS];
    pm_level levels[LEVELS];
    float masks[MASKS][JOINTS];
    pm_skeleton_desc desc;
} s;

FIXTURE(make_valid) {
    memset(&s, 0, sizeof s);
    for (size_t joint = 0; joint < JOINTS; joint++) {
        s.parents[joint] = (int32_t)joint - 1;
        s.rotations[joint][3] = 1;
        for (size_t c = 0; c < 3; c++) {
            s.positions[joint][c] = 1;
            s.scales[joint][c] = 1;
            s.binds[joint][5 * c] = 1;
        }
        s.masks[0][joint] = 1;
    }
    s.levels[1] = (pm_level){.joints = s.animated, .update_every = 2};
    s.desc = (pm_skeleton_desc){.joint_count = JOINTS,
                                .parents = s.parents,
                                .rotations = {.data = s.rotations, .type = PM_FLOAT64},
                                .positions = {.data = s.positions, .type = PM_FLOAT32},
                                .scales = {.data = s.scales, .type = PM_FLOAT64},
                                .inverse_binds = {.data = s.binds, .type = PM_FLOAT32},
                                .levels = s.levels,
                                .level_count = LEVELS,
                                .masks = &s.masks[0][0],
                                .mask_count = MASKS};
    return 0;
}

static void check_accepted(const char *file, int line) {
    SCOPED(pm_skeleton_destroy) pm_skeleton *skeleton = NULL;
    check_ok(pm_skeleton_create(&s.desc, &skeleton, new_error()), last_error(), file, line);
}

static void check_refused(const char *words, size_t joint, const char *file, int line) {
    pm_skeleton *const untouched = (pm_skeleton *)(void *)&s;
    pm_skeleton *skeleton = untouched;
    const pm_status status = pm_skeleton_create(&s.desc, &skeleton, new_error());
    check_refusal(status, last_error(), PM_ERROR_ARGUMENT, words, file, line);
    check_joint(last_error(), joint, file, line);
    assert_ptr_equal(skeleton, untouched);
    assert_int_equal(pm_skeleton_create(&s.desc, &skeleton, NULL), PM_ERROR_ARGUMENT);
}

#define expect_accepted() check_accepted(__FILE__, __LINE__)
#define expect_refused(words) check_refused((words), PM_NO_INDEX, __FILE__, __LINE__)
#define expect_refused_at(words, joint) check_refused((words), (joint), __FILE__, __LINE__)

/* ---- pointers and counts ------------------------------------------------------------ */

#define CHECK(test) TEST_WITH(test, make_valid, NULL, NULL)

CHECK(counts_out_of_range_are_refused) {
    const struct {
        const char *words;
        size_t *count, value;
    } rows[] = {
        {"number of joints", &s.desc.joint_count, 0},
        {"number of joints", &s.desc.joint_count, PM_SKELETON_MAX_JOINTS + 1},
        {"number of joints", &s.desc.joint_count, SIZE_MAX},
        {"number of levels", &s.desc.level_count, 0}, /* with levels */
        {"number of levels", &s.desc.level_count, 256},
        {"number of masks", &s.desc.mask_count, 65535},
    };
    for (size_t n = 0; n < COUNT_OF(rows); n++) {
        const size_t kept = *rows[n].count;
        print_message("# %s %zu\n", rows[n].words, rows[n].value);
        *rows[n].count = rows[n].value;
        expect_refused(rows[n].words);
        *rows[n].count = kept;
    }
}

CHECK(the_largest_numbers_of_levels_and_masks_are_accepted) {
    const pm_level levels[255] = {{0}};
    SCOPED(free_at) float *masks = test_array(65534 * JOINTS, sizeof *masks);
    memset(masks, 0, 65534 * JOINTS * sizeof *masks);
    s.desc.levels = levels;
    s.desc.level_count = 255;
    s.desc.masks = masks;
    s.desc.mask_count = 65534;
    expect_accepted();
}

CHECK(only_parents_are_required) {
    s.desc = (pm_skeleton_desc){.joint_count = JOINTS, .parents = s.parents};
    expect_accepted();
    s.desc.parents = NULL;
    expect_refused("parents");
}

/* ---- parents --------------------------------------------------------------------------- */

CHECK(a_parent_that_does_not_exist_or_is_the_joint_itself_is_refused) {
    static const int32_t none[] = {JOINTS, -2, INT32_MIN};
    for (size_t n = 0; n < COUNT_OF(none); n++) {
        s.parents[2] = none[n];
        expect_refused_at("parent", 2);
    }
    s.parents[2] = 2;
    expect_refused_at("its own ancestor", 2);
}

CHECK(a_cycle_is_refused_at_one_of_its_joints) {
    pm_skeleton *skeleton = NULL;
    s.parents[1] = 3;
    expect_error(pm_skeleton_create(&s.desc, &skeleton, new_error()), PM_ERROR_ARGUMENT,
                 "its own ancestor");
    assert_in_range(last_error()->joint, 1, 3);
    expect_joint(last_error(), last_error()->joint);
    s.parents[0] = 3;
    s.parents[1] = 0;
    expect_error(pm_skeleton_create(&s.desc, &skeleton, new_error()), PM_ERROR_ARGUMENT,
                 "its own ancestor");
    assert_null(skeleton);
}

/* ---- the rest pose, inverse bind matrices and masks ------------------------------------------ */

/* One number of the description, refused at its joint, or accepted where `words` is NULL. */
static const struct number_case {
    const char *words;
    size_t joint;
    double *wide;
    float *narrow;
    double value;
} numbers[] = {
    {"rotation", 1, &s.rotations[1][2], NULL, (double)NAN},
    {"rotation", 1, &s.rotations[1][2], NULL, HUGE_VAL},
    {NULL, 3, &s.rotations[3][3], NULL, 1.0009},
    {"rotation", 3, &s.rotations[3][3], NULL, 1.0011},
    {NULL, 3, &s.rotations[3][3], NULL, -0.9991},
    {"rotation", 3, &s.rotations[3][3], NULL, 0.9989},
    {"rotation", 3, &s.rotations[3][3], NULL, 0},
    {NULL, 2, NULL, &s.positions[2][1], -1e6},
    {"position", 2, NULL, &s.positions[2][1], -1.001e6},
    {"position", 2, NULL, &s.positions[2][1], (double)NAN},
    {"position", 2, NULL, &s.positions[2][1], HUGE_VAL},
    {NULL, 0, &s.scales[0][2], NULL, 1.01e-6},
    {"scale", 0, &s.scales[0][2], NULL, 0.99e-6},
    {"scale", 0, &s.scales[0][2], NULL, 0},
    {"scale", 0, &s.scales[0][2], NULL, -0.99e-6},
    {NULL, 1, &s.scales[1][0], NULL, -1e6},
    {"scale", 1, &s.scales[1][0], NULL, -1.001e6},
    {"scale", 1, &s.scales[1][0], NULL, 1.001e6},
    {"scale", 1, &s.scales[1][0], NULL, (double)NAN},
    {NULL, 3, NULL, &s.binds[3][11], 1e6},
    {"inverse_bind|inverse bind", 3, NULL, &s.binds[3][11], 1.001e6},
    {"inverse_bind|inverse bind", 3, NULL, &s.binds[3][11], (double)NAN},
    {"inverse_bind|inverse bind", 3, NULL, &s.binds[3][11], -HUGE_VAL},
    {"mask", 2, NULL, &s.masks[1][2], -0.001},
    {"mask", 2, NULL, &s.masks[1][2], 1.001},
    {"mask", 2, NULL, &s.masks[1][2], (double)NAN},
    {NULL, 2, NULL, &s.masks[1][2], 0.5},
};

TEST(numbers_out_of_range_are_refused_at_their_joint) {
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        const struct number_case *n = &numbers[i];
        print_message("# case %zu: %s of joint %zu is %g\n", i, n->words ? n->words : "accepted",
                      n->joint, n->value);
        make_valid(NULL);
        if (n->wide)
            *n->wide = n->value;
        else
            *n->narrow = (float)n->value;
        if (n->words)
            expect_refused_at(n->words, n->joint);
        else
            expect_accepted();
    }
}

CHECK(rows_may_have_a_stride_but_may_not_overlap) {
    double wide[JOINTS][6] = {{0}};
    for (size_t joint = 0; joint < JOINTS; joint++)
        wide[joint][3] = 1;
    s.desc.rotations = (pm_array){wide, PM_FLOAT64, sizeof wide[0]};
    expect_accepted();
    s.desc.rotations.stride = 3 * sizeof(double);
    expect_refused("rotation");
}
