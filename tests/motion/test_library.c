/* SPDX-License-Identifier: MIT
 *
 * Tests of motion libraries: what is written is read, and states are those of a crowd that is built
 * directly.
 */
#include "motion/library/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/engines.h"
#include "support/library_content.h"
#include "support/motion.h"
#include "support/test_folder.h"

TEST_GROUP(test_folder_enter, test_folder_leave)

enum { INSTANCES = 40 };

/* ---- round trips --------------------------------------------------------------------- */

static void expect_positions(const library_made *m, const pm_library_content *found) {
    const pm_library_content *c = &m->content;
    assert_int_equal(found->position_count, c->position_count > 1 ? c->position_count : 1);
    for (size_t i = 0; i < ROWS * 3 * found->position_count; i++) {
        const float expected =
            c->key_positions ? m->places[i] : (float)m->positions[3 * 1 + i % 3]; /* of the hips */
        assert_true(found->key_positions[i] == expected);
    }
}

TEST(what_is_written_is_read) {
    for (library_kind which = REST; which < LIBRARY_KINDS; which++) {
        library_made m;
        library_content_make(&m, which, 1 + which);
        m.content.method = PM_METHOD_NLERP;
        m.content.key_format = PM_KEYS_LOG48;
        pm_library *library = library_content_open(NULL, &m.content, NULL);
        const pm_library_content *found = pm_library_get_content(library);
        library_content_expect(found, &m.content);
        expect_positions(&m, found);
        if (which >= ROBOT)
            assert_memory_equal(found->angles, m.angles, sizeof m.angles);
        assert_null(pm_library_get_crowd(library));
        pm_library_destroy(&library);
        assert_null(library);
    }
    assert_int_equal(test_folder_count("."), 1);
}

TEST(angles_in_steps_are_off_by_half_a_step) {
    library_made m;
    library_content_make(&m, ROBOT, 9);
    const pm_library_write_options options = {.short_angles = true, .threads = 2};
    SCOPED(pm_library_destroy)
    pm_library *library = library_content_open(NULL, &m.content, &options);
    double worst = 0;
    for (size_t h = 0; h < HINGES; h++) {
        double largest = 0;
        for (size_t i = 0; i < ROWS; i++)
            largest = fmax(largest, fabs((double)m.angles[i * HINGES + h]));
        for (size_t i = 0; i < ROWS; i++) {
            const double found = (double)pm_library_get_content(library)->angles[i * HINGES + h];
            worst = fmax(worst, fabs(found - (double)m.angles[i * HINGES + h]) / largest * 32767);
        }
    }
    assert_true(worst > 0.4 && worst < 0.5 + 1e-2); /* float32 has 2^-24 of an angle */
    library_content_expect(pm_library_get_content(library), &m.content);
}

TEST(rotations_are_written_as_codes) {
    const pm_library_write_options coded = {.coded_keys = true, .threads = 2};
    library_made m;
    library_content_make(&m, CODED, 8);
    expect_success(pm_library_write(&m.content, NULL, "codes.npz", new_error()));
    m.content.key_codes = NULL;
    m.content.key_rotations = m.turns;
    expect_success(pm_library_write(&m.content, &coded, "numbers.npz", new_error()));
    test_folder_expect_same("codes.npz", "numbers.npz");
    m.content.position_count = 0; /* those of the rest pose are made beside the codes */
    m.content.key_positions = NULL;
    SCOPED(pm_library_destroy) pm_library *library = library_content_open(NULL, &m.content, &coded);
    assert_memory_equal(pm_library_get_content(library)->key_codes, m.codes, sizeof m.codes);
    assert_true(pm_library_get_content(library)->key_positions[3 * (ROWS - 1) + 2] ==
                (float)m.positions[5]);
}

/* Within the bound of the format, and the same for all that are decoded. */
TEST(codes_of_another_format_become_numbers) {
    static const pm_key_format formats[] = {PM_KEYS_FLOAT32, PM_KEYS_SMALLEST48};
    library_made m;
    pm_library *library = NULL;
    library_content_make(&m, CODED, 12);
    expect_success(pm_library_write(&m.content, NULL, "a.npz", new_error()));
    for (size_t f = 0; f < 2; f++) {
        const pm_library_open_options options = {.key_format = &formats[f]};
        expect_success(pm_library_open(engine_of_kind(ON_REFERENCE), "a.npz", &options, &library,
                                       new_error()));
        const pm_library_content *c = pm_library_get_content(library);
        assert_null(c->key_codes);
        assert_int_equal(c->key_format, formats[f]);
        for (size_t i = 0; i < ROWS * JOINTS; i++) {
            double given[4];
            for (size_t k = 0; k < 4; k++)
                given[k] = (double)m.turns[4 * i + k];
            assert_true(rotation_error(c->key_rotations + 4 * i, given) < 7.6e-5);
        }
        pm_library_destroy(&library);
    }
    m.codes[0] = m.codes[2] = m.codes[4] = 0xff; /* no quaternion is so long */
    m.codes[1] = m.codes[3] = m.codes[5] = 0x7f;
    expect_success(pm_library_write(&m.content, NULL, "a.npz", new_error()));
    const pm_library_open_options options = {.key_format = &formats[0]};
    expect_error(pm_library_open(NULL, "a.npz", &options, &library, new_error()), PM_ERROR_KEY,
                 "a.npz: rotation: the code is of no key");
    expect_error(
        pm_library_open(engine_of_kind(ON_REFERENCE), "a.npz", NULL, &library, new_error()),
        PM_ERROR_KEY, "the code is of no key");
}

/* ---- states -------------------------------------------------------------------------- */

/* A crowd as a caller builds it, from whole rows. */
typedef struct direct {
    pm_skeleton *skeleton;
    pm_crowd *crowd;
} direct;

static void fill_whole(const library_made *m, library_kind which, size_t row, float *turns,
                       float *places) {
    for (size_t j = 0; j < JOINTS; j++)
        for (size_t k = 0; k < 4; k++) {
            const bool own = which != ROBOT;
            turns[4 * j + k] = own      ? m->turns[4 * (row * JOINTS + j) + k]
                               : j == 1 ? m->turns[4 * row + k]
                                        : (float)m->rotations[4 * j + k];
            if (k < 3)
                places[3 * j + k] = which == ALL_JOINTS ? m->places[3 * (row * JOINTS + j) + k]
                                    : j == 1 && which != REST ? m->places[3 * row + k]
                                                              : (float)m->positions[3 * j + k];
        }
}

static direct make_direct(pm_engine *engine, const library_made *m, library_kind which) {
    static float turns[ROWS][JOINTS * 4], places[ROWS][JOINTS * 3], root[ROWS][3];
    static float angles[ROWS][HINGES];
    static const uint32_t dof_joints[] = {0, 3}, free_root = 1;
    const pm_subset subsets[] = {
        {.joints = m->content.bodies, .joint_count = BODIES},
        {.joints = which >= ROBOT ? &free_root : m->content.bodies, .joint_count = 1},
        {.joints = dof_joints, .joint_count = 2}};
    pm_hinge turning[HINGES];
    for (size_t h = 0; h < HINGES && which >= ROBOT; h++) {
        const uint32_t j = m->content.hinges[HINGES - 1 - h]; /* in the other order */
        turning[h] = (pm_hinge){.joint = j, .reference = (float)m->references[j]};
        for (size_t k = 0; k < 3; k++)
            turning[h].axis[k] = (float)m->axes[3 * j + k];
    }
    const pm_skeleton_desc skeleton = {
        .joint_count = JOINTS,
        .parents = m->content.parents,
        .rotations = {.data = m->rotations, .type = PM_FLOAT64},
        .positions = {.data = m->positions, .type = PM_FLOAT64},
        .subsets = subsets,
        .subset_count = which >= ROBOT ? 3 : 2,
        .points = {.data = m->points},
        .hinges = which >= ROBOT ? turning : NULL,
        .hinge_count = which >= ROBOT ? HINGES : 0,
    };
    const bool alone = which != ALL_JOINTS;
    pm_timeline lines[MOTIONS];
    pm_scalars scalars[MOTIONS];
    pm_clip_desc clips[MOTIONS];
    direct made_here = {0};
    for (size_t i = 0; i < ROWS; i++) {
        fill_whole(m, which, i, turns[i], places[i]);
        memcpy(root[i], places[i] + 3, sizeof root[i]);
        for (size_t h = 0; h < HINGES && which >= ROBOT; h++)
            angles[i][h] = m->angles[i * HINGES + HINGES - 1 - h];
    }
    for (size_t i = 0; i < MOTIONS; i++) {
        const pm_library_motion *from = &m->motions[i];
        lines[i] = (pm_timeline){.key_count = (size_t)from->frames, .rate = from->rate};
        clips[i] = (pm_clip_desc){.track_count = JOINTS,
                                  .timelines = &lines[i],
                                  .rotations.data = turns[from->first],
                                  .positions.data = alone ? root[from->first] : places[from->first],
                                  .root_positions = alone,
                                  .key_format = m->content.key_format,
                                  .loop = from->loop,
                                  .scalars = which >= ROBOT ? &scalars[i] : NULL};
        scalars[i] = (pm_scalars){.count = HINGES, .keys.data = angles[from->first]};
    }
    made_here.crowd = NULL;
    const pm_crowd_desc desc = {.clips = clips, .clip_count = MOTIONS};
    pm_crowd_desc whole = desc;
    expect_success(pm_skeleton_create(&skeleton, &made_here.skeleton, new_error()));
    whole.skeleton = made_here.skeleton;
    expect_success(pm_crowd_create(engine, &whole, &made_here.crowd, new_error()));
    return made_here;
}

enum { ALL_OUTPUTS = 5, MOST_FLOATS = 2 * INSTANCES * JOINTS * 4 };

static size_t list_targets(library_kind which, float out[][MOST_FLOATS], pm_crowd_target *targets) {
    static const pm_crowd_output outputs[] = {PM_CROWD_BODY_POS, PM_CROWD_BODY_ROT,
                                              PM_CROWD_BODY_VEL, PM_CROWD_BODY_ANG_VEL,
                                              PM_CROWD_ANGLE};
    static const uint32_t subsets[] = {PM_LIBRARY_BODIES, PM_LIBRARY_JOINTS, PM_LIBRARY_BODIES,
                                       PM_LIBRARY_ROOT, PM_LIBRARY_DOFS};
    const size_t count = which >= ROBOT ? ALL_OUTPUTS : ALL_OUTPUTS - 1;
    memset(out, 0x5a, ALL_OUTPUTS * sizeof *out);
    for (size_t i = 0; i < count; i++)
        targets[i] =
            (pm_crowd_target){.output = outputs[i],
                              .subset = subsets[i],
                              .memory = out[i],
                              .flags = outputs[i] == PM_CROWD_BODY_VEL ? PM_TARGET_AT_POINT : 0};
    return count;
}

static float found_states[ALL_OUTPUTS][MOST_FLOATS], wanted_states[ALL_OUTPUTS][MOST_FLOATS];

TEST_ON_BOTH(states_are_those_of_a_crowd_that_is_built_directly) {
    pm_engine *engine = engine_for(state);
    static const double offsets[] = {0.0, 0.03125};
    for (library_kind which = REST; which < LIBRARY_KINDS; which++) {
        random_source source = random_salted(20 + which);
        library_made m;
        library_content_make(&m, which, 30 + which);
        SCOPED(pm_library_destroy)
        pm_library *library = library_content_open(engine, &m.content, NULL);
        direct other = make_direct(engine, &m, which);
        uint32_t motions[INSTANCES];
        double times[INSTANCES];
        float speeds[INSTANCES];
        pm_crowd_instance instances[2 * INSTANCES] = {0};
        float both_speeds[2 * INSTANCES];
        for (size_t i = 0; i < 2 * INSTANCES; i++) {
            const size_t pair = i / 2;
            if (i % 2 == 0) {
                motions[pair] = (uint32_t)random_size(&source, 0, MOTIONS); /* one too many */
                times[pair] = random_between(&source, -1, 1);
                speeds[pair] = (float)random_between(&source, -2, 2);
            }
            instances[i] = (pm_crowd_instance){.time_a = pm_crowd_ticks(times[pair]) +
                                                         (i % 2 ? INT64_C(1) << 27 : 0),
                                               .clip_a = motions[pair],
                                               .flags = which % 2 ? PM_CROWD_CLAMP_A : 0};
            both_speeds[i] = speeds[pair];
        }
        pm_crowd_target targets[ALL_OUTPUTS];
        const size_t count = list_targets(which, found_states, targets);
        const pm_library_job job = {.motions = motions,
                                    .count = INSTANCES,
                                    .times = times,
                                    .offsets = offsets,
                                    .offset_count = 2,
                                    .wrap = which % 2 == 0,
                                    .speeds = speeds,
                                    .outputs = targets,
                                    .output_count = count};
        expect_success(pm_library_sample(library, &job, new_error()));
        list_targets(which, wanted_states, targets);
        const pm_crowd_job posed = {.instances = instances,
                                    .instance_count = 2 * INSTANCES,
                                    .speeds = both_speeds,
                                    .outputs = targets,
                                    .output_count = count};
        expect_success(pm_crowd_pose(other.crowd, &posed, new_error()));
        assert_memory_equal(found_states, wanted_states, sizeof found_states);
        pm_crowd_destroy(&other.crowd);
        pm_skeleton_destroy(&other.skeleton);
    }
}

/* Where it is not known of one body, as with meshes, that of none is. */
TEST(velocities_of_points_that_are_not_known_are_refused) {
    static const uint32_t motions[] = {0};
    static const double times[] = {0};
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    library_made m;
    library_content_make(&m, ROBOT_WITH_BALL, 51);
    m.points[4] = NAN;
    SCOPED(pm_library_destroy) pm_library *library = library_content_open(engine, &m.content, NULL);
    pm_crowd_target target = {.output = PM_CROWD_BODY_VEL,
                              .subset = PM_LIBRARY_BODIES,
                              .memory = found_states[0],
                              .flags = PM_TARGET_AT_POINT};
    const pm_library_job job = {
        .motions = motions, .count = 1, .times = times, .outputs = &target, .output_count = 1};
    expect_error(pm_library_sample(library, &job, new_error()), PM_ERROR_ARGUMENT, "points");
    target.flags = 0;
    expect_success(pm_library_sample(library, &job, new_error()));
}

TEST(steps_are_the_nearest_ticks) {
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    library_made m;
    library_content_make(&m, ROOT_ALONE, 50);
    SCOPED(pm_library_destroy) pm_library *library = library_content_open(engine, &m.content, NULL);
    static const uint32_t motions[] = {0, 0, 2};
    static const int64_t steps[] = {-3, 5, 1 << 20}, far[] = {0, 0, INT64_MAX};
    const double times[] = {-3 / 48.0, 5 / 48.0, (1 << 20) / 48.0};
    pm_crowd_target targets[ALL_OUTPUTS];
    const size_t count = list_targets(ROOT_ALONE, found_states, targets);
    pm_library_job job = {.motions = motions,
                          .count = 3,
                          .steps = steps,
                          .rate = {48, 1},
                          .wrap = true,
                          .outputs = targets,
                          .output_count = count};
    expect_success(pm_library_sample(library, &job, new_error()));
    list_targets(ROOT_ALONE, wanted_states, targets);
    job.steps = NULL;
    job.times = times;
    expect_success(pm_library_sample(library, &job, new_error()));
    assert_memory_equal(found_states, wanted_states, sizeof found_states);
    job.times = NULL;
    job.steps = far;
    assert_int_equal(pm_library_sample(library, &job, new_error()), PM_ERROR_TIME);
}

__extension__ typedef unsigned __int128 wide;

/* Those of 2^29 s. */
TEST(frames_of_the_longest_motions_are_found) {
    static const pm_rational rates[] = {{30, 1}, {30000, 1001}, {1, 7}};
    random_source source = random_salted(61);
    for (size_t r = 0; r < COUNT_OF(rates); r++) {
        const wide num = (wide)rates[r].num, den = (wide)rates[r].den;
        const uint64_t seconds = UINT64_C(1) << 29;
        const uint64_t last = (uint64_t)(num * seconds / den);
        const pm_library_motion longest = {.frames = last + 1, .rate = rates[r]};
        const int64_t ticks = (int64_t)((((den * last) << 33) / num + 1) >> 1);
        for (size_t i = 0; i < 1000; i++) {
            const uint64_t frame = last / 2 + random_bits(&source) % (last / 2);
            const int64_t time = (int64_t)((((den * frame) << 33) / num + 1) >> 1);
            const library_frames found = library_find_frames(&longest, ticks, time, i % 2);
            assert_int_equal(found.before, frame);
            assert_int_equal(found.after, frame + 1);
            assert_true(found.u == 0);
        }
    }
}

/* Rows at the times of frames, and between them. */
TEST(extras_are_interpolated_or_those_of_the_frame_before) {
    pm_engine *engine = engine_of_kind(ON_REFERENCE);
    library_made m;
    library_content_make(&m, ROOT_ALONE, 60);
    SCOPED(pm_library_destroy) pm_library *library = library_content_open(engine, &m.content, NULL);
    /* Motion 2 has 7 frames from row 5 at 24 Hz, and leads back for 1.5 frames. */
    static const struct {
        uint32_t motion;
        double frames;
        size_t before, after;
        double u;
    } cases[] = {{0, -4, 12, 13, 0},    {0, 3, 15, 16, 0}, {0, 3.25, 15, 16, 0.25},
                 {0, 99, 22, 22, 0},    {2, 6, 11, 5, 0},  {2, 6.75, 11, 5, 0.5},
                 {2, 5.5, 10, 11, 0.5}, {3, 1, 0, 0, 0}};
    enum { CASES = COUNT_OF(cases) };
    uint32_t motions[CASES];
    double times[CASES];
    float phases[CASES][2];
    uint8_t contacts[CASES];
    memset(phases, 0x5a, sizeof phases);
    memset(contacts, 0x5a, sizeof contacts);
    for (size_t i = 0; i < CASES; i++) {
        motions[i] = cases[i].motion;
        times[i] = cases[i].frames / 24;
    }
    const pm_library_extra_target targets[] = {{0, contacts}, {1, phases}};
    const pm_library_job job = {
        .motions = motions, .count = CASES, .times = times, .extras = targets, .extra_count = 2};
    expect_success(pm_library_sample(library, &job, new_error()));
    for (size_t i = 0; i < CASES; i++) {
        const bool exists = cases[i].motion < MOTIONS;
        assert_int_equal(contacts[i], exists ? m.contacts[cases[i].before] : 0);
        for (size_t k = 0; k < 2; k++) {
            const double a = (double)m.phases[2 * cases[i].before + k];
            const double b = (double)m.phases[2 * cases[i].after + k];
            const double wanted = exists ? a + cases[i].u * (b - a) : 0;
            assert_true(fabs((double)phases[i][k] - wanted) < 1e-6);
        }
    }
}
