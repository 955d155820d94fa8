/* SPDX-License-Identifier: MIT
 *
 * Makes and compares content of motion libraries.
 */
#include "support/library_content.h"

#include <string.h>

#include "support/motion.h"

static const pm_motion_name joint_names[] = {{"hand", 4}, {"hips", 4}, {"", 0}, {"\x1b\xff", 2}};
static const int32_t parents[] = {2, -1, 1, 1};
static const uint32_t bodies[] = {3, 1, 0}, hinges[] = {3, 0}, dofs[] = {1, 0};
static const pm_motion_name hinge_names[] = {{"wrist", 5}, {"elbow", 5}};
static const uint32_t coordinates[] = {1, 3, 2, 0};
static const pm_motion_name coordinate_names[] = {
    {"hips", 4}, {"wrist", 5}, {"ball", 4}, {"elbow", 5}};

static void draw(random_source *source, float *out, size_t count) {
    for (size_t i = 0; i < count; i++)
        out[i] = (float)random_between(source, -1, 1);
}

static void draw_turns(random_source *source, float *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double q[4];
        random_quaternion(source, q);
        for (size_t k = 0; k < 4; k++)
            out[4 * i + k] = (float)q[k];
    }
}

static void make_keys(library_made *m, library_kind which, random_source *source) {
    pm_library_content *c = &m->content;
    draw_turns(source, m->turns, ROWS * JOINTS);
    draw(source, m->places, sizeof m->places / sizeof *m->places);
    draw(source, m->angles, ROWS * HINGES);
    c->row_count = ROWS;
    c->key_positions = which == REST ? NULL : m->places;
    c->position_count = which == REST ? 0 : which == ALL_JOINTS ? JOINTS : 1;
    if (which == CODED) {
        c->key_format = PM_KEYS_LOG48;
        c->key_codes = m->codes;
        assert_int_equal(pm_keys_row_bytes(c->key_format, JOINTS), sizeof m->codes / ROWS);
        expect_success(
            pm_keys_encode(c->key_format, m->turns, ROWS, JOINTS, m->codes, new_error()));
        return;
    }
    if (which != ROBOT)
        c->key_rotations = m->turns;
    if (which < ROBOT)
        return;
    if (which == ROBOT_WITH_BALL) {
        c->coordinates = coordinates;
        c->coordinate_names = coordinate_names;
        c->coordinate_count = COORDINATES;
    } else {
        c->root_rotations = m->turns;
    }
    c->angles = m->angles;
    for (size_t h = 0; h < HINGES; h++)
        m->axes[3 * hinges[h] + h] = 1;
    m->references[0] = 0.25;
    c->axes = m->axes;
    c->references = m->references;
    c->hinges = hinges;
    c->hinge_names = hinge_names;
    c->hinge_count = c->dof_count = HINGES;
    c->dofs = dofs;
}

static void make_extras(library_made *m, random_source *source) {
    draw(source, m->phases, ROWS * 2);
    for (size_t i = 0; i < ROWS; i++)
        m->contacts[i] = (uint8_t)(random_bits(source) & 1);
    m->extras[0] = (pm_library_extra){
        .name = {"contact", 7}, .type = "|b1", .rank = 1, .shape = {ROWS}, .data = m->contacts};
    m->extras[1] = (pm_library_extra){
        .name = {"phase", 5}, .type = "<f4", .rank = 2, .shape = {ROWS, 2}, .data = m->phases};
    m->content.extras = m->extras;
    m->content.extra_count = 2;
}

/* The memory is the caller's: content points into it. */
void library_content_make(library_made *m, library_kind which, uint64_t salt) {
    static const uint64_t first[] = {12, 0, 5}, frames[] = {11, 5, 7};
    random_source source = random_salted(salt);
    memset(m, 0, sizeof *m);
    for (size_t j = 0; j < JOINTS; j++) {
        random_quaternion(&source, m->rotations + 4 * j);
        for (size_t k = 0; k < 3; k++)
            m->positions[3 * j + k] = random_between(&source, -1, 1);
    }
    draw(&source, m->points, 3 * JOINTS);
    static const pm_motion_name names[] = {{"run", 3}, {"", 0}, {"walk/1", 6}};
    for (size_t i = 0; i < MOTIONS; i++)
        m->motions[i] = (pm_library_motion){.name = names[i],
                                            .first = first[i],
                                            .frames = frames[i],
                                            .rate = {i == 1 ? 30000 : 24, i == 1 ? 1001 : 1},
                                            .weight = (double)i,
                                            .loop = i == 2 ? 7.5 / 24 : 0};
    m->content = (pm_library_content){.joint_count = JOINTS,
                                      .joint_names = joint_names,
                                      .parents = parents,
                                      .rotations = m->rotations,
                                      .positions = m->positions,
                                      .points = m->points,
                                      .bodies = bodies,
                                      .body_count = 3,
                                      .motions = m->motions,
                                      .motion_count = MOTIONS};
    make_keys(m, which, &source);
    make_extras(m, &source);
}

static void expect_names(const pm_motion_name *a, const pm_motion_name *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(a[i].size, b[i].size);
        assert_memory_equal(a[i].text, b[i].text, a[i].size);
        assert_int_equal(a[i].text[a[i].size], '\0');
    }
}

static void expect_motions(const pm_library_content *a, const pm_library_content *b) {
    assert_int_equal(a->motion_count, b->motion_count);
    for (size_t i = 0; i < a->motion_count; i++) {
        const pm_library_motion *x = &a->motions[i], *y = &b->motions[i];
        expect_names(&x->name, &y->name, 1);
        assert_true(x->first == y->first && x->frames == y->frames);
        assert_true(x->rate.num == y->rate.num && x->rate.den == y->rate.den);
        assert_true(x->weight == y->weight && x->loop == y->loop);
    }
}

/* All but angles. */
void library_content_expect(const pm_library_content *a, const pm_library_content *b) {
    assert_int_equal(a->joint_count, b->joint_count);
    expect_names(a->joint_names, b->joint_names, JOINTS);
    assert_memory_equal(a->parents, b->parents, JOINTS * sizeof *parents);
    assert_memory_equal(a->rotations, b->rotations, 4 * JOINTS * sizeof(double));
    assert_memory_equal(a->positions, b->positions, 3 * JOINTS * sizeof(double));
    assert_memory_equal(a->points, b->points, 3 * JOINTS * sizeof(float));
    assert_int_equal(a->hinge_count, b->hinge_count);
    if (b->hinge_count > 0) {
        expect_names(a->hinge_names, b->hinge_names, HINGES);
        assert_memory_equal(a->axes, b->axes, 3 * JOINTS * sizeof(double));
        assert_memory_equal(a->references, b->references, JOINTS * sizeof(double));
        assert_memory_equal(a->hinges, b->hinges, sizeof hinges);
        assert_memory_equal(a->dofs, b->dofs, sizeof dofs);
    }
    assert_int_equal(a->coordinate_count, b->coordinate_count);
    if (b->coordinate_count > 0) {
        expect_names(a->coordinate_names, b->coordinate_names, COORDINATES);
        assert_memory_equal(a->coordinates, b->coordinates, sizeof coordinates);
    }
    assert_true(!a->root_rotations == !b->root_rotations);
    if (b->root_rotations) {
        assert_memory_equal(a->root_rotations, b->root_rotations, ROWS * 4 * sizeof(float));
    } else if (b->key_codes) {
        assert_memory_equal(a->key_codes, b->key_codes, ROWS * (6 * JOINTS + 2));
        assert_null(a->key_rotations);
    } else {
        assert_memory_equal(a->key_rotations, b->key_rotations, ROWS * JOINTS * 4 * sizeof(float));
    }
    assert_memory_equal(a->bodies, b->bodies, sizeof bodies);
    assert_int_equal(a->method, b->method);
    assert_int_equal(a->key_format, b->key_format);
    assert_int_equal(a->row_count, b->row_count);
    expect_motions(a, b);
    assert_int_equal(a->extra_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const pm_library_extra *x = &a->extras[i], *y = &b->extras[i];
        expect_names(&x->name, &y->name, 1);
        assert_string_equal(x->type, y->type);
        assert_int_equal(x->rank, y->rank);
        assert_memory_equal(x->shape, y->shape, sizeof x->shape);
        assert_memory_equal(x->data, y->data, i == 0 ? ROWS : ROWS * 2 * sizeof(float));
    }
}

pm_library *library_content_open(pm_engine *engine, const pm_library_content *content,
                                 const pm_library_write_options *options) {
    pm_library *library = NULL;
    expect_success(pm_library_write(content, options, "a.npz", new_error()));
    expect_success(pm_library_open(engine, "a.npz", NULL, &library, new_error()));
    return library;
}
