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
#include <string.h>

#include <posemill/posemill.h>

enum { KEYS = 7, PER_SEGMENT = 60, SAMPLES = (KEYS - 1) * PER_SEGMENT + 1 };

static const double pi = 3.14159265358979323846;

/* Euler angles of the keys in degrees; the fourth key equals the third. */
static const double poses[KEYS][3] = {{-70, -25, 0}, {-40, 35, 30}, {5, 40, -20}, {5, 40, -20},
                                      {35, -20, 40}, {60, -35, 0},  {80, 25, -30}};

typedef struct motion {
    float keys[KEYS * 4];
    float tangents[KEYS * 4]; /* tangents of cubicspline: the mean of the two adjacent steps */
    float rotations[SAMPLES * 4];
    float velocities[SAMPLES * 3];
} motion;

static void make_keys(motion *m) {
    for (int k = 0; k < KEYS; k++) {
        double angles[3], q[4];
        for (int i = 0; i < 3; i++)
            angles[i] = poses[k][i] * pi / 180;
        pm_quat_from_euler(PM_EULER_YXZ, angles, q);
        for (int i = 0; i < 4; i++)
            m->keys[4 * k + i] = (float)q[i];
    }
    for (int k = 0; k < KEYS; k++)
        for (int i = 0; i < 4; i++) {
            int before = k > 0 ? k - 1 : k, after = k + 1 < KEYS ? k + 1 : k;
            m->tangents[4 * k + i] =
                (m->keys[4 * after + i] - m->keys[4 * before + i]) / (float)(after - before);
        }
}

static bool sample(pm_engine *engine, pm_method method, motion *m) {
    pm_error error = {0};
    pm_clip *clip = NULL;
    const double axis[3] = {0, 0, 1};
    const pm_timeline seconds = {.key_count = KEYS, .rate = {1, 1}};
    const pm_clip_desc desc = {.track_count = 1,
                               .timelines = &seconds,
                               .rotations = {.data = m->keys},
                               .rotations_in = {.data = m->tangents},
                               .rotations_out = {.data = m->tangents},
                               .axes = {.data = axis, .type = PM_FLOAT64},
                               .method = method};
    const pm_sample_job job = {.sample_count = SAMPLES,
                               .rate = {PER_SEGMENT, 1},
                               .rotations = m->rotations,
                               .velocities = m->velocities};
    bool good = pm_clip_create(engine, &desc, &clip, &error) == PM_OK &&
                pm_sample(clip, &job, &error) == PM_OK;
    if (!good)
        fprintf(stderr, "%s: %s\n", pm_method_get_info(method)->name, error.message);
    pm_clip_destroy(&clip);
    return good;
}

/* The position of the tip, on the z axis of the bone, seen from the front: x to the right, y up. */
static void tip_of(const float *rotation, double *x, double *y) {
    double q[4], matrix[9];
    for (int i = 0; i < 4; i++)
        q[i] = (double)rotation[i];
    pm_matrix_from_quat(q, matrix);
    *x = 120 + 100 * matrix[2];
    *y = 120 - 100 * matrix[5];
}

static void draw_path(FILE *file, const motion *m) {
    fprintf(file, "<circle class=\"sphere\" cx=\"120\" cy=\"120\" r=\"100\"/>\n");
    fprintf(file, "<polyline class=\"curve\" points=\"");
    for (int k = 0; k < SAMPLES; k++) {
        double x, y;
        tip_of(m->rotations + 4 * k, &x, &y);
        fprintf(file, "%.1f,%.1f%s", x, y, k + 1 < SAMPLES ? " " : "\"/>\n");
    }
    /* equal time steps: the distance of the dots shows the speed */
    for (int k = 0; k < SAMPLES; k += PER_SEGMENT / 6) {
        double x, y;
        tip_of(m->rotations + 4 * k, &x, &y);
        fprintf(file, "<circle class=\"sample\" cx=\"%.1f\" cy=\"%.1f\" r=\"1.5\"/>\n", x, y);
    }
    for (int k = 0; k < KEYS; k++) {
        double x, y;
        tip_of(m->keys + 4 * k, &x, &y);
        fprintf(file, "<circle class=\"key\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", x, y);
    }
}

/* Degrees per second; at a key both one-sided values are drawn if they differ. */
static void draw_speed(FILE *file, const motion *m) {
    const double left = 270, bottom = 220, width = 360, high = 200, most = 200;
    for (int k = 0; k < KEYS; k++)
        fprintf(file, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"20\" y2=\"220\"/>\n",
                left + width * k / (KEYS - 1), left + width * k / (KEYS - 1));
    for (int degrees = 0; degrees <= 200; degrees += 50) {
        double y = bottom - high * degrees / most;
        fprintf(file, "<line class=\"grid\" x1=\"270\" x2=\"630\" y1=\"%.1f\" y2=\"%.1f\"/>\n", y,
                y);
        fprintf(file, "<text x=\"264\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n", y + 4, degrees);
    }
    for (int s = 0; s + 1 < KEYS; s++) {
        fprintf(file, "<polyline class=\"curve\" points=\"");
        for (int k = s * PER_SEGMENT; k < (s + 1) * PER_SEGMENT; k++) {
            const float *w = m->velocities + 3 * k;
            double speed = 0;
            for (int i = 0; i < 3; i++)
                speed += (double)w[i] * (double)w[i];
            speed = fmin(sqrt(speed) * 180 / pi, most);
            fprintf(file, "%.1f,%.1f%s", left + width * k / (SAMPLES - 1),
                    bottom - high * speed / most, k + 1 < (s + 1) * PER_SEGMENT ? " " : "\"/>\n");
        }
    }
    fprintf(file, "<text x=\"450\" y=\"236\" text-anchor=\"middle\">"
                  "degrees a second over six seconds, a key each</text>\n");
}

static bool draw(const char *folder, const pm_method_info *info, const motion *m) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.svg", folder, info->name);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return false;
    }
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
    bool good = !ferror(file);
    good = fclose(file) == 0 && good;
    if (!good)
        perror(path);
    return good;
}

int main(int argc, char **argv) {
    static motion m;
    pm_engine *engine = NULL;
    pm_error error = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: draw_methods FOLDER\n");
        return 2;
    }
    if (pm_engine_create(&(pm_engine_desc){.device = "none"}, &engine, &error) != PM_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    make_keys(&m);
    bool good = true;
    for (size_t i = 0; good && i < pm_method_count(); i++)
        good =
            sample(engine, (pm_method)i, &m) && draw(argv[1], pm_method_get_info((pm_method)i), &m);
    pm_engine_destroy(&engine);
    return good ? 0 : 1;
}
