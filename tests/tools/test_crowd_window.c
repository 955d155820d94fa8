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
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crowd/body.h"
#include "crowd_window/show.h"
#include "oracle/crowd_oracle.h"
#include "support/gltf_generator.h"

enum { WIDTH = 320, HEIGHT = 200 };

static const double step = 1.0 / 30;
static const char walk[] = POSEMILL_SOURCE_DIR "/examples/walk.bvh";
static offscreen off;
static char folder[] = "/tmp/posemill-crowd-window-XXXXXX", picture[64], model[64]; /* in it */

/* Skips on rusticl of Mesa 22.3, whose compiler takes minutes for crowds of squad. */
static options options_for(void **state, size_t count) {
    pm_device_info info;
    pm_engine_get_info(engine_for(state), &info);
    if (strcmp(info.platform, "rusticl") == 0) {
        print_message("# not tested: crowds of squad on rusticl, whose compiler takes minutes\n");
        skip();
    }
    return (options){
        .device = device_for(state), .count = count, .method = PM_METHOD_SQUAD, .flat = true};
}

static void run_frames(show *s, int count) {
    for (int frame = 0; frame < count; frame++)
        show_frame(s, step, WIDTH, HEIGHT);
}

/* ---- vertices ----------------------------------------------------------------------------- */

static vec3 transformed(const matrix *m, const float point[3]) {
    double out[3];
    for (int r = 0; r < 3; r++) {
        out[r] = m->at[r][3];
        for (int c = 0; c < 3; c++)
            out[r] += m->at[r][c] * (double)point[c];
    }
    return (vec3){out[0], out[1], out[2]};
}

/* Joints of the mesh are in skeleton order, and those of the oracle in that of the description. */
static vec3 skinned(const uint32_t *order, const matrix *palette, const vertex *v) {
    vec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        const vec3 at = transformed(&palette[order[v->joints[i]]], v->position);
        sum.x += (double)v->weights[i] * at.x;
        sum.y += (double)v->weights[i] * at.y;
        sum.z += (double)v->weights[i] * at.z;
    }
    return sum;
}

/* In the world: turned about y to where the agent faces, and moved to its place. */
static vec3 placed(const scene *s, const agent *a, vec3 v) {
    const double x = cos(a->heading) * v.x + sin(a->heading) * v.z;
    const double z = cos(a->heading) * v.z - sin(a->heading) * v.x;
    return (vec3){a->x + s->scale * x, s->scale * (v.y - s->ground), a->z + s->scale * z};
}

static double distance(vec3 a, const float b[3]) {
    return sqrt((a.x - (double)b[0]) * (a.x - (double)b[0]) +
                (a.y - (double)b[1]) * (a.y - (double)b[1]) +
                (a.z - (double)b[2]) * (a.z - (double)b[2]));
}

/* What the vertex shader computes by transform feedback: each vertex once, as a point, in the order of
 * the mesh. The last frame has left its uniforms and buffers. */
static void capture(const show *s, size_t bytes, float *positions) {
    GLuint captured = 0;
    glGenBuffers(1, &captured);
    glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, captured);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, (GLsizeiptr)bytes, NULL, GL_STATIC_READ);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, captured);
    glBindVertexArray(s->drawing.figure_array);
    glUseProgram(s->drawing.figure);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArraysInstanced(GL_POINTS, 0, (GLsizei)s->scene.mesh.vertex_count,
                          (GLsizei)s->scene.count);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, (GLsizeiptr)bytes, positions);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
    glDeleteBuffers(1, &captured);
    assert_int_equal(glGetError(), GL_NO_ERROR);
}

/* The largest distance of a vertex of an instance from the oracle's. */
static double worst_of(const scene *s, const crowd_oracle *o, size_t i, const float *positions) {
    static joint_pose poses[256];
    static matrix palette[256];
    const mesh *m = &s->mesh;
    double worst = 0;
    assert_true(s->joints <= 256);
    crowd_oracle_pose(o, &s->now[i], poses);
    crowd_oracle_palette(o, poses, true, palette);
    for (size_t v = 0; v < m->vertex_count; v++) {
        const vec3 at = skinned(pm_skeleton_order(s->skeleton), palette, &m->vertices[v]);
        const double found =
            distance(placed(s, &s->agents[i], at), positions + 3 * (i * m->vertex_count + v));
        assert_true(isfinite(found));
        worst = fmax(worst, found);
    }
    return worst;
}

static void expect_vertices(const show *shown) {
    const scene *s = &shown->scene;
    const size_t bytes = 3 * s->count * s->mesh.vertex_count * sizeof(float);
    float *positions = test_malloc(bytes);
    crowd_oracle *o = crowd_oracle_create(&s->skeleton_desc, s->clips, s->clip_count,
                                          pm_skeleton_order(s->skeleton)[0]);
    double worst = 0;
    memset(positions, 0xff, bytes);
    capture(shown, bytes, positions);
    for (size_t i = 0; i < s->count; i++)
        worst = fmax(worst, worst_of(s, o, i, positions));
    print_message("%zu figures: within %.1e of a figure's height\n", s->count,
                  worst / (s->height * s->scale));
    assert_true(worst < 1e-4 * s->height * s->scale);
    crowd_oracle_destroy(o);
    test_free(positions);
}

TEST_ON_BOTH(vertices_are_where_the_oracle_puts_them) {
    static const size_t counts[] = {1, 100, 10000};
    for (size_t k = 0; k < (small_sizes() ? 2 : 3); k++) {
        options o = options_for(state, counts[k]);
        SCOPED(show_close) show s;
        show_open(&s, &o);
        run_frames(&s, counts[k] > 100 ? 1 : 3);
        expect_vertices(&s);
    }
}

/* Both ankles are as high above the hills as the clip has them above level ground, up to where legs reach. */
TEST_ON_BOTH(figures_stand_on_hills) {
    enum { FIGURES = 2000 };
    options o = options_for(state, FIGURES);
    SCOPED(show_close) show s;
    size_t reached = 0, on_slopes = 0;
    pm_error error = {0};
    o.flat = false;
    show_open(&s, &o);
    run_frames(&s, 10);
    pm_crowd_job job = scene_job(&s.scene);
    float(*found)[BODY_JOINTS][12] = test_malloc(FIGURES * sizeof *found),
    (*level)[BODY_JOINTS][12] = test_malloc(FIGURES * sizeof *level);
    pm_crowd_target target = {.output = PM_CROWD_MODEL, .memory = found};
    job.outputs = &target;
    job.output_count = 1;
    expect_ok(pm_crowd_pose(s.scene.crowd, &job, &error), &error);
    job = (pm_crowd_job){.instances = job.instances,
                         .instance_count = job.instance_count,
                         .outputs = &target,
                         .output_count = 1,
                         .transitions = job.transitions,
                         .transition_time = job.transition_time};
    target.memory = level;
    expect_ok(pm_crowd_pose(s.scene.crowd, &job, &error), &error);
    for (size_t i = 0; i < (size_t)2 * FIGURES; i++) {
        const place *p = &s.scene.places[i / 2];
        const uint32_t slot =
            pm_skeleton_slots(s.scene.skeleton)[i % 2 ? BODY_RIGHT_FOOT : BODY_LEFT_FOOT];
        const float *at = found[i / 2][slot];
        float slope[2];
        const vec3 foot = placed(&s.scene, &s.scene.agents[i / 2],
                                 (vec3){(double)at[3], (double)at[7], (double)at[11]});
        const double above =
            (double)p->height + foot.y - ground_at(&s.scene.hills, foot.x, foot.z, slope);
        reached += fabs(above - (double)level[i / 2][slot][7]) < 1e-3;
        on_slopes += fabs((double)slope[0]) + fabs((double)slope[1]) > 0.1;
    }
    test_free(found);
    test_free(level);
    assert_true(on_slopes > FIGURES / 2);
    assert_true(100 * reached > (size_t)198 * FIGURES);
}

/* A file of centimetres without a root: the hips move, and the members stay in their places. */
TEST_ON_BOTH(bones_of_a_file_are_where_the_oracle_puts_them) {
    options o = options_for(state, 30);
    SCOPED(show_close) show s;
    o.file = walk;
    o.method = PM_METHOD_SLERP;
    show_open(&s, &o);
    run_frames(&s, 10);
    assert_int_equal(s.scene.joints, 21); /* it walks in place, and gets no root */
    expect_vertices(&s);
}

/* ---- meshes of files ------------------------------------------------------------------------ */

#ifdef CROWD_WINDOW_MESHES

/* A strip on two joints, in two primitives with numbers of different types. All is in one view. */
typedef struct strip {
    float positions[6][3];
    uint8_t joints_a[3][4];
    uint16_t joints_b[3][4];
    float weights_a[3][4];
    uint8_t weights_b[3][4];
    uint16_t indices[3];
    uint16_t unused;
    float binds[2][16], times[2], rotations[2][4];
} strip;

/* Joint 0 of the skin is the upper one. Its bind is where it is in the rest pose but for the armature, which
 * makes the figure twice as large. It turns by a quarter about z in the only clip. */
static const strip whole = {
    .positions = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 2, 0}, {1, 2, 0}, {0, 1, 0.5f}},
    .joints_a = {{1}, {0, 1}, {0}},
    .joints_b = {{1, 0}, {0}, {0, 0, 0, 1}},
    .weights_a = {{1}, {0, 0.5f}, {1}},
    .weights_b = {{102, 153}, {255}, {0, 0, 0, 255}},
    .indices = {2, 0, 1},
    .binds = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1},
              {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}},
    .times = {0, 1},
    .rotations = {{0, 0, 0.70710678f, 0.70710678f}, {0, 0, 0.70710678f, 0.70710678f}}};

/* Worked out by hand from the specification: the place of the mesh's own node does not matter. */
static const vec3 moved[6] = {{0, 0, 0},      {2, 0, 0},  {-2, 2, 0},
                              {-1.2, 2.8, 0}, {-2, 4, 0}, {0, 2, 1}};

static const struct accessor {
    size_t begin;
    int type, count;
    const char *form;
} accessors[] = {{offsetof(strip, positions), 5126, 3, "'VEC3','min':[0,0,0],'max':[1,2,0]"},
                 {offsetof(strip, positions[3]), 5126, 3, "'VEC3','min':[0,1,0],'max':[1,2,0.5]"},
                 {offsetof(strip, joints_a), 5121, 3, "'VEC4'"},
                 {offsetof(strip, joints_b), 5123, 3, "'VEC4'"},
                 {offsetof(strip, weights_a), 5126, 3, "'VEC4'"},
                 {offsetof(strip, weights_b), 5121, 3, "'VEC4','normalized':true"},
                 {offsetof(strip, binds), 5126, 2, "'MAT4'"},
                 {offsetof(strip, times), 5126, 2, "'SCALAR','min':[0],'max':[1]"},
                 {offsetof(strip, rotations), 5126, 2, "'VEC4'"},
                 {offsetof(strip, indices), 5123, 3, "'SCALAR'"}};

/* JSON with apostrophes for quotation marks; `count` indices, as the file states it. */
static void describe_strip(char *json, size_t room, int count) {
    int used = snprintf(
        json, room,
        "{'asset':{'version':'2.0'},'scene':0,'scenes':[{'nodes':[0,3]}],"
        "'nodes':[{'scale':[2,2,2],'children':[1]},{'children':[2]},{'translation':[0,1,0]},"
        "{'mesh':0,'skin':0,'translation':[5,0,0]}],"
        "'skins':[{'joints':[2,1],'inverseBindMatrices':6}],'meshes':[{'primitives':["
        "{'attributes':{'POSITION':0,'JOINTS_0':2,'WEIGHTS_0':4},'indices':9},"
        "{'attributes':{'POSITION':1,'JOINTS_0':3,'WEIGHTS_0':5}}]}],"
        "'animations':[{'samplers':[{'input':7,'output':8}],"
        "'channels':[{'sampler':0,'target':{'node':2,'path':'rotation'}}]}],"
        "'buffers':[{'byteLength':%zu}],'bufferViews':[{'buffer':0,'byteLength':%zu}],"
        "'accessors':",
        sizeof(strip), sizeof(strip));
    for (size_t i = 0; i < COUNT_OF(accessors); i++) {
        const struct accessor *a = &accessors[i];
        used += snprintf(json + used, room - (size_t)used,
                         "%c{'bufferView':0,'byteOffset':%zu,'componentType':%d,'count':%d,"
                         "'type':%s}",
                         i == 0 ? '[' : ',', a->begin, a->type, i == 9 ? count : a->count, a->form);
        assert_in_range(used, 1, room - 3);
    }
    strcpy(json + used, "]}");
}

static void write_strip(const char *path, const strip *data, int count) {
    char json[4096];
    describe_strip(json, sizeof json, count);
    for (char *c = json; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    size_t size = 0;
    unsigned char *bytes = glb_assemble(json, data, sizeof *data, &size);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(bytes);
}

TEST_ON_BOTH(meshes_of_a_file_are_where_its_skin_puts_them) {
    static const uint32_t corners[6] = {2, 0, 1, 3, 4, 5};
    options o = options_for(state, 4);
    SCOPED(show_close) show s;
    float positions[4 * 6 * 3];
    o.file = model;
    write_strip(model, &whole, 3);
    show_open(&s, &o);
    run_frames(&s, 3);
    assert_int_equal(s.scene.mesh.vertex_count, 6);
    assert_int_equal(s.scene.mesh.index_count, 6);
    assert_memory_equal(s.scene.mesh.indices, corners, sizeof corners);
    assert_true(fabs(s.scene.height - 4) < 1e-5);
    expect_vertices(&s);
    capture(&s, sizeof positions, positions);
    for (size_t i = 0; i < 24; i++)
        assert_true(distance(placed(&s.scene, &s.scene.agents[i / 6], moved[i % 6]),
                             positions + 3 * i) < 1e-5);
    remove(model);
}

/* Bones are drawn of a file whose mesh is not what its skin and its bytes allow. */
TEST_ON_BOTH(damaged_meshes_become_bones) {
    for (int k = 0; k < 6; k++) {
        options o = options_for(state, 1);
        SCOPED(show_close) show s;
        strip data = whole;
        o.file = model;
        if (k == 0)
            data.indices[1] = 3;
        else if (k == 1)
            data.joints_b[0][1] = 2;
        else if (k == 2)
            data.weights_a[2][0] = 0;
        else if (k == 3)
            data.weights_a[2][0] = -1;
        else if (k == 4)
            data.positions[5][2] = NAN;
        write_strip(model, &data, k == 5 ? 9999 : 3);
        show_open(&s, &o);
        run_frames(&s, 1);
        assert_null(s.scene.skeleton_desc.inverse_binds.data);
        assert_true(s.scene.mesh.vertex_count > 6);
        expect_vertices(&s);
        remove(model);
    }
}

#else

TEST(meshes_of_files_are_read) {
    print_message("# not tested: meshes of files, without TinyGLTF\n");
    skip();
}

#endif

/* ---- the program -------------------------------------------------------------------------- */

/* The pixels of a PNG, the highest row first. */
static unsigned char *decode(const char *path, unsigned width, unsigned height) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    assert_int_equal(image.format, PNG_FORMAT_RGB);
    unsigned char *pixels = test_malloc((size_t)3 * width * height);
    assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    return pixels;
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

static void expect_picture(const char *arguments, const char *words) {
    static const unsigned char sky[3] = {219, 230, 240};
    char printed[4096], line[512];
    snprintf(line, sizeof line, "--headless -d none -f 2 -s 320x200 -o %s %s", picture, arguments);
    assert_int_equal(run(line, printed), 0);
    print_message("%s", printed);
    assert_non_null(strstr(printed, words));
    assert_non_null(strstr(printed, " frames/s; posed in "));
    assert_non_null(strstr(printed, "\n0 of "));
    unsigned char *pixels = decode(picture, 320, 200);
    size_t strong = 0; /* colours of figures; the ground and the sky are grey */
    for (size_t i = 0; i < (size_t)320 * 200; i++)
        strong += saturation(pixels + 3 * i) > 60;
    assert_in_range(strong, 320 * 200 / 100, 320 * 200 / 2);
    for (size_t i = 0; i < (size_t)3 * 320; i++) /* the first row, and no other end */
        assert_in_range(pixels[i], sky[i % 3] - 2, sky[i % 3] + 2);
    assert_memory_not_equal(pixels, pixels + (size_t)3 * 320 * 199, 3 * 320);
    test_free(pixels);
    remove(picture);
}

TEST(the_program_prints_and_draws) {
    char bones[256];
    expect_picture("-n 100 --levels", "100 figures of 22 joints");
    snprintf(bones, sizeof bones, "-n 30 '%s'", walk);
    expect_picture(bones, "30 figures of 21 joints");
}

TEST(the_program_refuses) {
    static const struct {
        const char *arguments, *words;
        int code;
    } cases[] = {{"--headless -n 0", "from 1 to 100000", 2},
                 {"--headless -n 5x", "whole number", 2},
                 {"--headless -m cubicspline", "keys only", 2},
                 {"--headless -s 12x12", "size such as", 2},
                 {"--headless -s 100x", "size such as", 2},
                 {"-o x.png", "only with --headless", 2},
                 {"--nonsense", "unrecognized option", 2},
                 {"--headless -f", "requires an argument", 2},
                 {"a.bvh b.bvh", "b.bvh: there is one", 2},
                 {"--headless -d no-such-device", "no-such-device", 3},
                 {"--headless -d none -n 1 -f 1 -s 64x64 -o /nowhere/x.png", "/nowhere/x.png", 1},
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

FIXTURE(open_folder) {
    if (!mkdtemp(folder))
        return 1;
    snprintf(picture, sizeof picture, "%s/picture.png", folder);
    snprintf(model, sizeof model, "%s/model.glb", folder);
    return 0;
}

static int close_all(void **state) {
    const int left = rmdir(folder); /* half a picture, for example */
    offscreen_close(&off);
    return engines_close(state) || left;
}

TEST_GROUP(open_folder, close_all)

int main(int argc, char **argv) {
    const char *lacks = offscreen_open(&off, WIDTH, HEIGHT);
    if (lacks) {
        const char *required = getenv("POSEMILL_REQUIRE_EGL");
        print_message("no OpenGL without a display: %s\n", lacks);
        return required && strcmp(required, "1") == 0 ? 1 : 77;
    }
    setenv("LSAN_OPTIONS", "suppressions=" POSEMILL_SOURCE_DIR "/tests/lsan.supp", 0);
    return test_main(argc, argv);
}
