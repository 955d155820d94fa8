/* SPDX-License-Identifier: MIT
 *
 * Writes walk.bvh, the demo clip, to standard output: a figure of 21 joints that walks in place
 * for two seconds at 30 Hz while turning once around. The angles are sums of two sines with
 * hand-chosen values; no recording was used.
 *
 *     make_walk > walk.bvh
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#define TURN 6.28318530717958647693

enum { FRAMES = 61, FRAMES_PER_CYCLE = 30 };

/* An angle in degrees: mean + swing * sin(phase) + second * sin(2 * phase + lag). The phase is that
 * of the clip, or half a cycle later for the right side. */
typedef struct wave {
    double mean, swing, second, lag;
} wave;

typedef struct joint {
    const char *name;
    int depth;        /* the parent of a joint is the last joint above it with a smaller depth */
    double offset[3]; /* centimetres */
    double tip[3];    /* offset of the end site; all zero: none */
    double start;     /* phase of the cycle, 0 to 1 */
    wave z, x, y;
} joint;

static const joint joints[] = {
    {"Hips", 0, {0, 94, 0}, {0, 0, 0}, 0, {0, 3, 0, 0}, {4, 0, 1, 0}, {0, 5, 0, 0}},
    {"Spine", 1, {0, 10, 0}, {0, 0, 0}, 0, {0, -2, 0, 0}, {2, 0, 1, 1}, {0, -4, 0, 0}},
    {"Chest", 2, {0, 14, 0}, {0, 0, 0}, 0, {0, -1.5, 0, 0}, {2, 0, 1, 1}, {0, -6, 0, 0}},
    {"Neck", 3, {0, 22, 0}, {0, 0, 0}, 0, {0, 0.5, 0, 0}, {-3, 0, 1, 2}, {0, 3, 0, 0}},
    {"Head", 4, {0, 10, 1}, {0, 18, 0}, 0, {0, 0.5, 0, 0}, {-4, 0, -1.5, 1}, {0, 2, 0, 0}},
    {"LeftCollar", 3, {3, 18, 1}, {0, 0, 0}, 0.5, {2, 1, 0, 0}, {0, 0, 0, 0}, {0, 3, 0, 0}},
    {"LeftArm", 4, {14, 1, -1}, {0, 0, 0}, 0.5, {-74, 2, 1, 0}, {4, 3, 0, 0}, {2, 22, 2, 1}},
    {"LeftForeArm", 5, {27, 0, 0}, {0, 0, 0}, 0.5, {0, 1, 0, 0}, {0, 0, 0, 0}, {-24, 14, 3, 0}},
    {"LeftHand", 6, {25, 0, 0}, {17, 0, 0}, 0.5, {-4, 5, 0, 0}, {-8, 6, 2, 1}, {-5, 4, 0, 0}},
    {"RightCollar", 3, {-3, 18, 1}, {0, 0, 0}, 0, {-2, -1, 0, 0}, {0, 0, 0, 0}, {0, -3, 0, 0}},
    {"RightArm", 4, {-14, 1, -1}, {0, 0, 0}, 0, {74, -2, -1, 0}, {4, 3, 0, 0}, {-2, -22, -2, 1}},
    {"RightForeArm", 5, {-27, 0, 0}, {0, 0, 0}, 0, {0, -1, 0, 0}, {0, 0, 0, 0}, {24, -14, -3, 0}},
    {"RightHand", 6, {-25, 0, 0}, {-17, 0, 0}, 0, {4, -5, 0, 0}, {-8, 6, 2, 1}, {5, -4, 0, 0}},
    {"LeftUpLeg", 1, {9, -4, 0}, {0, 0, 0}, 0, {1, -3, 0, 0}, {-6, 26, 5, 1}, {2, -4, 0, 0}},
    {"LeftLeg", 2, {0, -42, 0}, {0, 0, 0}, 0.14, {0, 0, 0, 0}, {29, -24, -9, 2}, {0, 2, 0, 0}},
    {"LeftFoot", 3, {0, -41, 0}, {0, 0, 0}, 0.3, {0, 1, 0, 0}, {-7, 15, 8, 1}, {4, 2, 0, 0}},
    {"LeftToe", 4, {0, -7, 13}, {0, 0, 7}, 0.45, {0, 0, 0, 0}, {-7, -11, 5, 1}, {0, 0, 0, 0}},
    {"RightUpLeg", 1, {-9, -4, 0}, {0, 0, 0}, 0.5, {-1, 3, 0, 0}, {-6, 26, 5, 1}, {-2, 4, 0, 0}},
    {"RightLeg", 2, {0, -42, 0}, {0, 0, 0}, 0.64, {0, 0, 0, 0}, {29, -24, -9, 2}, {0, -2, 0, 0}},
    {"RightFoot", 3, {0, -41, 0}, {0, 0, 0}, 0.8, {0, -1, 0, 0}, {-7, 15, 8, 1}, {-4, -2, 0, 0}},
    {"RightToe", 4, {0, -7, 13}, {0, 0, 7}, 0.95, {0, 0, 0, 0}, {-7, -11, 5, 1}, {0, 0, 0, 0}},
};

enum { JOINTS = sizeof joints / sizeof joints[0] };

static double value_of(wave w, double phase) {
    return w.mean + w.swing * sin(phase) + w.second * sin(2 * phase + w.lag);
}

static void indent(int depth) {
    for (int i = 0; i < depth; i++)
        putchar('\t');
}

static void write_offset(int depth, const double offset[3]) {
    indent(depth);
    printf("OFFSET %.2f %.2f %.2f\n", offset[0], offset[1], offset[2]);
}

static void write_joint(size_t i) {
    const joint *j = &joints[i];
    indent(j->depth);
    printf("%s %s\n", i == 0 ? "ROOT" : "JOINT", j->name);
    indent(j->depth);
    puts("{");
    write_offset(j->depth + 1, j->offset);
    indent(j->depth + 1);
    puts(i == 0 ? "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
                : "CHANNELS 3 Zrotation Xrotation Yrotation");
    if (j->tip[0] != 0 || j->tip[1] != 0 || j->tip[2] != 0) {
        indent(j->depth + 1);
        puts("End Site");
        indent(j->depth + 1);
        puts("{");
        write_offset(j->depth + 2, j->tip);
        indent(j->depth + 1);
        puts("}");
    }
}

static void write_hierarchy(void) {
    puts("HIERARCHY");
    for (size_t i = 0; i < JOINTS; i++) {
        int next = i + 1 < JOINTS ? joints[i + 1].depth : 0;
        write_joint(i);
        for (int depth = joints[i].depth; depth >= next; depth--) {
            indent(depth);
            puts("}");
        }
    }
}

/* The full turn is about the vertical axis, slow at both ends, and applied to the hips. Their order
 * Z X Y applies the vertical turn last and so in the frame of the hips: their small tilts lean with
 * the walker. */
static double heading(int frame) {
    double part = (double)frame / (FRAMES - 1);
    return 360 * (part - sin(TURN * part) / TURN);
}

static void write_frame(int frame) {
    double cycle = (double)frame / FRAMES_PER_CYCLE;
    printf("%.4f %.4f %.4f", 1.8 * sin(TURN * cycle), 92.5 + 1.6 * sin(2 * TURN * cycle + 0.6),
           0.8 * sin(2 * TURN * cycle));
    for (size_t i = 0; i < JOINTS; i++) {
        const joint *j = &joints[i];
        double phase = TURN * (cycle + j->start);
        double turn = i == 0 ? heading(frame) : 0;
        printf(" %.4f %.4f %.4f", value_of(j->z, phase), value_of(j->x, phase),
               value_of(j->y, phase) + turn);
    }
    putchar('\n');
}

int main(void) {
    write_hierarchy();
    printf("MOTION\nFrames: %d\nFrame Time: 0.0333333\n", FRAMES);
    for (int frame = 0; frame < FRAMES; frame++)
        write_frame(frame);
    return ferror(stdout) != 0;
}
