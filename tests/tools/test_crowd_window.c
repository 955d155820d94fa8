/* SPDX-License-Identifier: MIT
 *
 * Where the vertex shader of examples/crowd_window puts vertices, against the crowd oracle, and the
 * pictures. Needs a context of EGL without a display; Mesa's software renderer is one. Without it
 * the test is skipped, or fails where POSEMILL_REQUIRE_EGL is 1.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/engines.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crowd/body.h"
#include "crowd_window/offscreen.h"
#include "crowd_window/picture_png.h"
#include "crowd_window/show.h"
#include "oracle/crowd_oracle.h"

enum { WIDTH = 320, HEIGHT = 200 };

static const double step = 1.0 / 30;
static offscreen off;
static char picture[64]; /* in a folder of its own */

static bool is_small(void) {
    const char *value = getenv("POSEMILL_TEST_SMALL");
    return value && strcmp(value, "1") == 0;
}

/* Skips on rusticl of Mesa 22.3, whose compiler takes minutes for crowds of squad. */
static options options_for(void **state, size_t count) {
    pm_device_info info;
    pm_engine_get_info(engine_for(state), &info, sizeof(pm_device_info));
    if (strcmp(info.platform, "rusticl") == 0) {
        print_message("# not tested: crowds of squad on rusticl, whose compiler takes minutes\n");
        skip();
    }
    return (options){.device = device_for(state),
                     .count = count,
                     .method = PM_METHOD_SQUAD,
                     .way_given = true,
                     .width = WIDTH,
                     .height = HEIGHT};
}

static void open_show(show *s, const options *o) {
    expect_success(show_open(s, o, new_error()));
}

static void run_frames(show *s, int count) {
    for (int frame = 0; frame < count; frame++)
        expect_success(show_frame(s, step, WIDTH, HEIGHT, new_error()));
}

/* ---- vertices ----------------------------------------------------------------------------- */

static crowd_oracle *oracle_of(const show *s) {
    return crowd_oracle_create(s->model.skeleton, s->model.clips, s->model.clip_count,
                               pm_skeleton_order(s->scene.skeleton)[0]);
}

static vec3 transformed(const matrix *m, const float point[3]) {
    double out[3];
    for (int r = 0; r < 3; r++) {
        out[r] = m->at[r][3];
        for (int c = 0; c < 3; c++)
            out[r] += m->at[r][c] * (double)point[c];
    }
    return (vec3){out[0], out[1], out[2]};
}

/* Joints of the model's mesh are in the order of the description, as the oracle's. */
static vec3 skinned(const matrix *palette, const vertex *v) {
    vec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        const vec3 at = transformed(&palette[v->joints[i]], v->position);
        sum.x += (double)v->weights[i] * at.x;
        sum.y += (double)v->weights[i] * at.y;
        sum.z += (double)v->weights[i] * at.z;
    }
    return sum;
}

/* In the world: turned about y to where the agent faces, and moved to its place. */
static vec3 placed(const scene *s, const agent *a, vec3 v) {
    const double facing = a->heading - a->turn;
    const double x = cos(facing) * v.x + sin(facing) * v.z;
    const double z = cos(facing) * v.z - sin(facing) * v.x;
    return (vec3){a->x + s->scale * x, s->scale * (v.y - s->ground), a->z + s->scale * z};
}

static double distance(vec3 a, const float b[3]) {
    return sqrt((a.x - (double)b[0]) * (a.x - (double)b[0]) +
                (a.y - (double)b[1]) * (a.y - (double)b[1]) +
                (a.z - (double)b[2]) * (a.z - (double)b[2]));
}

/* The largest distance of a vertex of an instance from the oracle's. */
static double worst_of(const show *s, const crowd_oracle *o, const pm_crowd_instance *instance,
                       size_t i, const float *positions) {
    static joint_pose poses[256];
    static matrix palette[256];
    const mesh *m = &s->model.mesh;
    const layers *l = &s->scene.layers;
    double worst = 0;
    assert_true(s->scene.joints <= 256);
    crowd_oracle_layered_pose(o, instance, l->all + i * l->per_member, l->per_member, poses);
    crowd_oracle_palette(o, poses, true, palette);
    for (size_t v = 0; v < m->vertex_count; v++) {
        const vec3 expected =
            placed(&s->scene, &s->scene.agents[i], skinned(palette, &m->vertices[v]));
        const double found = distance(expected, positions + 3 * (i * m->vertex_count + v));
        assert_true(isfinite(found));
        worst = fmax(worst, found);
    }
    return worst;
}

static void expect_vertices(show *s) {
    const size_t count = s->scene.count;
    float *positions = test_malloc(3 * count * s->model.mesh.vertex_count * sizeof *positions);
    crowd_oracle *o = oracle_of(s);
    double worst = 0;
    memset(positions, 0xff, 3 * count * s->model.mesh.vertex_count * sizeof *positions);
    expect_success(drawing_positions(&s->drawing, &s->scene, &s->palettes, positions, new_error()));
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, worst_of(s, o, &s->scene.now[i], i, positions));
    const double height = s->scene.height * s->scene.scale;
    print_message("%zu figures, %s: within %.1e of a figure's height\n", count,
                  palette_way_names[s->palettes.way], worst / height);
    assert_true(worst < 1e-4 * height);
    crowd_oracle_destroy(o);
    test_free(positions);
}

TEST_ON_BOTH(vertices_are_where_the_oracle_puts_them) {
    static const size_t counts[] = {1, 100, 10000};
    for (size_t k = 0; k < (is_small() ? 2 : 3); k++) {
        for (int way = PALETTES_MAPPED; way <= PALETTES_COPIED; way++) {
            const char *why;
            show s;
            options o = options_for(state, counts[k]);
            o.way = (palette_way)way;
            if (!palettes_can(o.way, NULL, &why)) {
                print_message("# not tested: %s\n", why);
                continue;
            }
            open_show(&s, &o);
            for (int frame = 0; frame < 3; frame++) {
                double eye[3];
                camera_eye(&s.camera, eye);
                expect_success(scene_step(&s.scene, step, eye, new_error()));
                expect_success(palettes_pose(&s.palettes, &s.scene, false, new_error()));
            }
            expect_vertices(&s);
            show_close(&s);
        }
    }
}

/* The root motion of a member's layers of PM_LAYER_MEAN in a frame, to its left and forward. */
static void expect_stride(const show *s, size_t i, const agent *before) {
    const agent *a = &s->scene.agents[i];
    const pm_crowd_layer *moves = &s->scene.layers.all[i * s->scene.layers.per_member];
    const double cycles = a->cycles - before->cycles, facing = a->heading - a->turn;
    double left = 0, forward = 0;
    for (int k = 0; k < 3; k++) {
        const bool strafes = moves[k].clip == BODY_STRAFE;
        const double metres =
            (double)moves[k].weight * body_stride((enum body_clip)moves[k].clip) * cycles;
        left += strafes ? metres : 0;
        forward += strafes ? 0 : metres;
    }
    const double x = left * cos(facing) + forward * sin(facing);
    const double z = forward * cos(facing) - left * sin(facing);
    const double gap = hypot(a->x - before->x - x, a->z - before->z - z);
    assert_true(gap < 0.02 * hypot(x, z)); /* the path is round */
}

TEST_ON_REFERENCE(members_of_the_blend_space_go_where_their_layers_do) {
    enum { COUNT = 50 };
    agent before[COUNT];
    SCOPED(show_close) show s;
    options o = options_for(state, COUNT);
    double most = 0;
    o.way = PALETTES_COPIED;
    o.layers = true;
    open_show(&s, &o);
    run_frames(&s, 30);
    memcpy(before, s.scene.agents, sizeof before);
    run_frames(&s, 1);
    for (size_t i = 0; i < COUNT; i++) {
        expect_stride(&s, i, &before[i]);
        most = fmax(most, s.scene.agents[i].turn);
    }
    assert_true(most > 0.5);
}

TEST_ON_BOTH(keys_change_the_crowd) {
    SCOPED(show_close) show s;
    options o = options_for(state, 10);
    o.way = PALETTES_COPIED;
    o.no_blends = true;
    open_show(&s, &o);
    run_frames(&s, 2);
    expect_vertices(&s);
    expect_success(show_set_count(&s, 20, new_error()));
    expect_success(scene_set_method(&s.scene, PM_METHOD_SLERP, new_error()));
    expect_success(show_set_way(&s, PALETTES_SHARED, new_error()));
    assert_non_null(s.hint); /* this device has a context of its own */
    s.scene.blends = true;
    run_frames(&s, 2);
    expect_vertices(&s);
    for (int which = 0; which < 3; which++) {
        show_switch_layer(&s, which);
        run_frames(&s, 2);
        assert_int_equal(s.scene.layers.per_member, 3 + which);
        expect_vertices(&s);
    }
    expect_success(show_set_count(&s, 15, new_error()));
    expect_success(show_set_count(&s, 20, new_error()));
    expect_success(show_set_reference(&s, true, new_error()));
    run_frames(&s, 1);
    assert_int_equal(s.scene.layers.per_member, 5);
    assert_int_equal(s.bits, 20 * BODY_JOINTS * 12 * 32);
    assert_int_equal(s.bits_differ, 0);
    expect_vertices(&s);
}

/* ---- kernels of the program ----------------------------------------------------------------- */

/* The device's pixels of the third frame. */
static unsigned char *picture_of(const options *o, size_t *compared) {
    show s;
    open_show(&s, o);
    run_frames(&s, 3);
    unsigned char *pixels = offscreen_pixels(&off);
    assert_non_null(pixels);
    expect_success(show_compare_bits(&s, new_error()));
    assert_true(s.bits > 0);
    assert_int_equal(s.bits_differ, 0);
    *compared = s.compared;
    show_close(&s);
    return pixels;
}

TEST_ON_DEVICE(culling_leaves_the_picture_as_it_is) {
    size_t all = 0, seen = 0;
    options o = options_for(state, 100);
    o.way = PALETTES_COPIED;
    o.method = PM_METHOD_SLERP;
    o.swords = true;
    for (int sloped = 0; sloped < 2; sloped++) {
        o.slope = sloped;
        o.cull = false;
        SCOPED(free_at) unsigned char *every = picture_of(&o, &all);
        o.cull = true;
        SCOPED(free_at) unsigned char *culled = picture_of(&o, &seen);
        assert_memory_equal(every, culled, (size_t)3 * WIDTH * HEIGHT);
        assert_int_equal(all, 100);
        assert_in_range(seen, 10, 95);
    }
}

TEST_ON_DEVICE(swords_are_in_the_picture) {
    size_t all = 0, differ = 0;
    options o = options_for(state, 20);
    o.way = PALETTES_COPIED;
    o.method = PM_METHOD_SLERP;
    SCOPED(free_at) unsigned char *without = picture_of(&o, &all);
    o.swords = true;
    SCOPED(free_at) unsigned char *with = picture_of(&o, &all);
    for (size_t i = 0; i < (size_t)3 * WIDTH * HEIGHT; i++)
        differ += with[i] != without[i];
    assert_in_range(differ, 300, 3 * WIDTH * HEIGHT / 10);
}

/* How far the lowest vertex of each member is above the ground. */
static void measure_clearance(show *s, double *clearance) {
    const size_t vertices = s->model.mesh.vertex_count;
    float *positions = test_malloc(3 * s->scene.count * vertices * sizeof *positions);
    expect_success(drawing_positions(&s->drawing, &s->scene, &s->palettes, positions, new_error()));
    for (size_t i = 0; i < s->scene.count; i++) {
        clearance[i] = 1e9;
        for (size_t v = 0; v < vertices; v++) {
            const float *at = positions + 3 * (i * vertices + v);
            clearance[i] =
                fmin(clearance[i], (double)at[1] - scene_steepness(&s->scene) * (double)at[2]);
        }
    }
    test_free(positions);
}

/* Without the kernel, a foot 0.4 m ahead would be 50 mm in the slope. */
TEST_ON_DEVICE(feet_stand_on_the_slope_as_on_level_ground) {
    enum { COUNT = 60 };
    double level[COUNT], sloped[COUNT];
    SCOPED(show_close) show s;
    options o = options_for(state, COUNT);
    o.way = PALETTES_COPIED;
    o.method = PM_METHOD_SLERP;
    open_show(&s, &o);
    run_frames(&s, 5);
    measure_clearance(&s, level);
    show_switch_part(&s, SHOW_SLOPE);
    assert_null(s.hint);
    expect_success(show_frame(&s, 0, WIDTH, HEIGHT, new_error()));
    measure_clearance(&s, sloped);
    for (size_t i = 0; i < COUNT; i++)
        if (!(fabs(sloped[i] - level[i]) < 0.01))
            fail_msg("member %zu: %g m above level ground, %g m above the slope", i, level[i],
                     sloped[i]);
    expect_success(show_set_reference(&s, true, new_error()));
    assert_false(s.scene.sloped);
    assert_non_null(s.hint);
}

/* ---- pictures ----------------------------------------------------------------------------- */

/* The pixels of a PNG, the lowest row first. */
static unsigned char *decode(const char *path, unsigned width, unsigned height) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    assert_int_equal(image.format, PNG_FORMAT_RGB);
    unsigned char *pixels = test_malloc((size_t)3 * width * height);
    assert_true(png_image_finish_read(&image, NULL, pixels, -3 * (int)width, NULL));
    return pixels;
}

TEST(a_png_has_the_pixels) {
    unsigned char pixels[3 * 37 * 23];
    for (size_t i = 0; i < sizeof pixels; i++) { /* smooth rows, equal rows and noise */
        const size_t row = i / 111;
        pixels[i] = (unsigned char)(row < 8    ? 2 * i
                                    : row < 15 ? i % 111
                                               : i * i * 2654435761u >> 7);
    }
    expect_success(picture_write(picture, pixels, 37, 23, new_error()));
    unsigned char *read = decode(picture, 37, 23);
    assert_memory_equal(read, pixels, sizeof pixels);
    test_free(read);
    remove(picture);
    expect_error(picture_write("/nowhere/at/all.png", pixels, 37, 23, new_error()), PM_ERROR_OUTPUT,
                 "/nowhere/at/all.png");
}

/* The difference of the strongest and the weakest of red, green and blue. */
static int saturation(const unsigned char *pixel) {
    int low = 255, high = 0;
    for (int i = 0; i < 3; i++) {
        low = pixel[i] < low ? pixel[i] : low;
        high = pixel[i] > high ? pixel[i] : high;
    }
    return high - low;
}

/* ---- the program -------------------------------------------------------------------------- */

static int run(const char *arguments, char printed[4096]) {
    char line[1024];
    const int size = snprintf(line, sizeof line, "'%s' %s 2>&1", POSEMILL_CROWD_WINDOW, arguments);
    assert_true(size > 0 && (size_t)size < sizeof line);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    const size_t read = fread(printed, 1, 4095, pipe);
    printed[read] = '\0';
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(the_program_prints_and_draws) {
    char printed[4096];
    char arguments[256];
    snprintf(arguments, sizeof arguments,
             "--headless -d none -n 100 -f 2 --levels --layers -s 320x200 --overlay -o %s",
             picture);
    assert_int_equal(run(arguments, printed), 0);
    print_message("%s", printed);
    assert_non_null(strstr(printed, "100 figures of 22 joints"));
    assert_non_null(strstr(printed, " frames/s; posing takes "));
    assert_non_null(strstr(printed, " 0 of 844800 bits of palettes differ"));
    unsigned char *pixels = decode(picture, 320, 200);
    size_t strong = 0; /* colours of clothes; the ground and the sky are grey */
    for (size_t i = 0; i < (size_t)320 * 200; i++)
        strong += saturation(pixels + 3 * i) > 60;
    assert_in_range(strong, 320 * 200 / 100, 320 * 200 / 2);
    test_free(pixels);
    remove(picture);
}

TEST(the_program_refuses) {
    static const struct {
        const char *arguments, *words;
        int code;
    } cases[] = {{"--headless -n 0", "whole number", 2},
                 {"--headless -m cubicspline", "keys only", 2},
                 {"--headless -s 12x12", "size such as", 2},
                 {"-o x.png", "only with --headless", 2},
                 {"--nonsense", "unknown option", 2},
                 {"--headless -f", "expected a value", 2},
                 {"--headless -d none -n 1 -f 1 -w shared", "no OpenCL driver shares", 3},
                 {"--headless -d none -n 1 -f 1 --cull", "require an OpenCL device", 3},
                 {"--headless -d none -n 1 -f 1 -o /nowhere/x.png", "/nowhere/x.png", 1},
                 {"/nowhere/x.glb --headless -d none", "/nowhere/x.glb", 1}};
    char printed[4096];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const int code = run(cases[i].arguments, printed);
        if (code != cases[i].code || !strstr(printed, cases[i].words))
            fail_msg("%s: exit code %d, %s", cases[i].arguments, code, printed);
    }
    assert_int_equal(run("--help", printed), 0);
    assert_non_null(strstr(printed, "Example: crowd_window"));
}

/* ---- the context -------------------------------------------------------------------------- */

static char folder[] = "/tmp/posemill-crowd-window-XXXXXX";

FIXTURE(open_folder) {
    if (!mkdtemp(folder))
        return 1;
    snprintf(picture, sizeof picture, "%s/picture.png", folder);
    return 0;
}

static int close_all(void **state) {
    rmdir(folder);
    offscreen_close(&off);
    return engines_close(state);
}

TEST_GROUP(open_folder, close_all)

int main(int argc, char **argv) {
    if (offscreen_open(&off, new_error()) != PM_OK || gl_check_context(new_error()) != PM_OK ||
        offscreen_size(&off, WIDTH, HEIGHT, new_error()) != PM_OK) {
        const char *required = getenv("POSEMILL_REQUIRE_EGL");
        print_message("no OpenGL without a display: %s\n", last_error()->message);
        return required && strcmp(required, "1") == 0 ? 1 : 77;
    }
    setenv("LSAN_OPTIONS", "suppressions=" POSEMILL_SOURCE_DIR "/tests/lsan.supp", 0);
    return test_main(argc, argv);
}
