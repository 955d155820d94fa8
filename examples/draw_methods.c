/* SPDX-License-Identifier: MIT
 *
 * Draws the pictures of docs/methods.md: for each method, with the same keys, the path of the tip
 * of a bone on the sphere and the angular speed over time. The samples are computed by the
 * library on the reference path, so that every machine draws the same pictures.
 *
 *     draw_methods FOLDER
 */
#include <math.h>
#include <stdio.h>

#include <posemill/posemill.h>

enum { KEYS = 7, PER_SEGMENT = 60, SAMPLES = (KEYS - 1) * PER_SEGMENT + 1 };

static const double pi = 3.14159265358979323846;

/* Euler angles of the keys in degrees; the fourth key equals the third. */
static const double poses[KEYS][3] = {{-70, -25, 0}, {-40, 35, 30}, {5, 40, -20}, {5, 40, -20},
                                      {35, -20, 40}, {60, -35, 0},  {80, 25, -30}};

typedef struct motion {
    float keys[KEYS][4];
    float tangents[KEYS][4]; /* tangents of cubicspline: the mean of the two adjacent steps */
    float rotations[SAMPLES][4];
    float velocities[SAMPLES][3];
} motion;

static void make_keys(motion *m) {
    for (int k = 0; k < KEYS; k++) {
        double angles[3], q[4];
        for (int i = 0; i < 3; i++)
            angles[i] = poses[k][i] * pi / 180;
        pm_quat_from_euler(PM_EULER_YXZ, angles, q);
        for (int i = 0; i < 4; i++)
            m->keys[k][i] = (float)q[i];
    }
    for (int k = 0; k < KEYS; k++) {
        const int before = k > 0 ? k - 1 : k, after = k + 1 < KEYS ? k + 1 : k;
        for (int i = 0; i < 4; i++)
            m->tangents[k][i] = (m->keys[after][i] - m->keys[before][i]) / (float)(after - before);
    }
}

static bool sample(pm_engine *engine, pm_method method, motion *m, pm_error *error) {
    pm_clip *clip = NULL;
    const double axis[3] = {0, 0, 1};
    const pm_timeline seconds = {.key_count = KEYS, .rate = {1, 1}};
    const pm_clip_desc desc = {.track_count = 1,
                               .timelines = &seconds,
                               .rotations = {.data = m->keys},
                               .tangents_in = {.data = m->tangents},
                               .tangents_out = {.data = m->tangents},
                               .axes = {.data = axis, .type = PM_FLOAT64},
                               .method = method};
    const pm_sample_job job = {.sample_count = SAMPLES,
                               .rate = {PER_SEGMENT, 1},
                               .rotations = m->rotations[0],
                               .velocities = m->velocities[0]};
    const bool good = pm_clip_create(engine, &desc, &clip, error) == PM_OK &&
                      pm_sample(clip, &job, error) == PM_OK;
    pm_clip_destroy(&clip);
    return good;
}

/* The tip, on the z axis of the bone, seen from the front: x to the right, y up. */
static void find_tip(const float rotation[4], double tip[2]) {
    double q[4], matrix[9];
    for (int i = 0; i < 4; i++)
        q[i] = (double)rotation[i];
    pm_matrix_from_quat(q, matrix);
    tip[0] = 120 + 100 * matrix[2];
    tip[1] = 120 - 100 * matrix[5];
}

static void draw_circle(FILE *file, const float rotation[4], const char *kind, const char *radius) {
    double tip[2];
    find_tip(rotation, tip);
    fprintf(file, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"/>\n", kind, tip[0], tip[1],
            radius);
}

static void draw_path(FILE *file, const motion *m) {
    fprintf(file, "<circle class=\"sphere\" cx=\"120\" cy=\"120\" r=\"100\"/>\n"
                  "<polyline class=\"curve\" points=\"");
    for (int k = 0; k < SAMPLES; k++) {
        double tip[2];
        find_tip(m->rotations[k], tip);
        fprintf(file, "%.1f,%.1f%s", tip[0], tip[1], k + 1 < SAMPLES ? " " : "\"/>\n");
    }
    for (int k = 0; k < SAMPLES; k += PER_SEGMENT / 6) /* their distance shows the speed */
        draw_circle(file, m->rotations[k], "sample", "1.5");
    for (int k = 0; k < KEYS; k++)
        draw_circle(file, m->keys[k], "key", "4");
}

/* Degrees per second; at a key both one-sided values are drawn if they differ. */
static void draw_speed(FILE *file, const motion *m) {
    for (int x = 270; x <= 630; x += 60)
        fprintf(file, "<line class=\"grid\" x1=\"%d.0\" x2=\"%d.0\" y1=\"20\" y2=\"220\"/>\n", x,
                x);
    for (int degrees = 0; degrees <= 200; degrees += 50)
        fprintf(file,
                "<line class=\"grid\" x1=\"270\" x2=\"630\" y1=\"%d.0\" y2=\"%d.0\"/>\n"
                "<text x=\"264\" y=\"%d.0\" text-anchor=\"end\">%d</text>\n",
                220 - degrees, 220 - degrees, 224 - degrees, degrees);
    for (int k = 0; k + 1 < SAMPLES; k++) {
        const float *w = m->velocities[k];
        double speed = 0;
        for (int i = 0; i < 3; i++)
            speed += (double)w[i] * (double)w[i];
        fprintf(file, "%s%.1f,%.1f%s", k % PER_SEGMENT ? "" : "<polyline class=\"curve\" points=\"",
                270 + 360.0 * k / (SAMPLES - 1), 220 - fmin(sqrt(speed) * 180 / pi, 200),
                (k + 1) % PER_SEGMENT ? " " : "\"/>\n");
    }
    fprintf(file, "<text x=\"450\" y=\"236\" text-anchor=\"middle\">"
                  "degrees a second over six seconds, a key each</text>\n");
}

static bool draw(const char *folder, const pm_method_info *info, const motion *m) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.svg", folder, info->name);
    FILE *file = fopen(path, "w");
    if (!file)
        return perror(path), false;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 240\">\n"
            "<title>%s: %s</title>\n"
            "<style>text{font:10px sans-serif;fill:#666}.sphere{fill:#f6f8fa;stroke:#ccc}"
            ".grid{stroke:#ddd}.curve{fill:none;stroke:#06c;stroke-width:1.5}"
            ".sample{fill:#06c}.key{fill:none;stroke:#c30;stroke-width:1.5}</style>\n"
            "<rect width=\"640\" height=\"240\" fill=\"#fff\"/>\n",
            info->name, info->title);
    draw_path(file, m);
    draw_speed(file, m);
    fprintf(file, "</svg>\n");
    const bool good = !ferror(file);
    if (fclose(file) == 0 && good)
        return true;
    return perror(path), false;
}

int main(int argc, char **argv) {
    static motion m;
    pm_engine *engine = NULL;
    pm_error error = {0};
    if (argc != 2)
        return fputs("usage: draw_methods FOLDER\n", stderr), 2;
    make_keys(&m);
    bool good = pm_engine_create(&(pm_engine_desc){.device = "none"}, &engine, &error) == PM_OK;
    for (size_t i = 0; good && i < pm_method_count(); i++)
        good = sample(engine, (pm_method)i, &m, &error) &&
               draw(argv[1], pm_method_get_info((pm_method)i), &m);
    if (error.status != PM_OK) {
        char text[PM_ERROR_TEXT_SIZE];
        pm_error_text(&error, PM_SPELLING_FIELD, text, sizeof text);
        fprintf(stderr, "draw_methods: %s\n", text);
    }
    pm_engine_destroy(&engine);
    return good ? 0 : 1;
}
