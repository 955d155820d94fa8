/* SPDX-License-Identifier: MIT
 *
 * Reads word by word.
 */
#include "motion_plain_bvh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "oracle/oracle_quat.h"

static const double degree = 0.017453292519943295769;

static char *next_word(char **at, size_t *size) {
    *at += strspn(*at, " \t\r\n");
    char *word = *at;
    *size = strcspn(word, " \t\r\n");
    *at += *size;
    return word;
}

static double next_number(char **at) {
    size_t size;
    return strtod(next_word(at, &size), NULL);
}

static void read_channels(char **at, plain_bvh *b, plain_joint *joint) {
    size_t size;
    joint->first = b->columns;
    joint->count = (size_t)next_number(at);
    assert_true(joint->count <= PLAIN_CHANNELS);
    for (size_t c = 0; c < joint->count; c++) {
        const char *word = next_word(at, &size);
        joint->channels[c][0] = word[0];
        joint->channels[c][1] = word[1];
    }
    b->columns += joint->count;
}

static void read_hierarchy(char **at, plain_bvh *b) {
    int open = -1; /* the joint whose braces are open */
    bool in_site = false;
    size_t size;
    for (;;) {
        const char *word = next_word(at, &size);
        plain_joint *joint = open >= 0 ? &b->joints[open] : NULL;
        if (strncmp(word, "MOTION", 6) == 0)
            return;
        if (strncmp(word, "ROOT", 4) == 0 || strncmp(word, "JOINT", 5) == 0) {
            assert_true(b->count < PLAIN_JOINTS);
            b->joints[b->count].parent = open;
            open = b->count++;
            b->joints[open].name = next_word(at, &b->joints[open].name_size);
        } else if (strncmp(word, "End", 3) == 0) {
            in_site = joint->has_tail = true;
        } else if (strncmp(word, "OFFSET", 6) == 0) {
            for (int i = 0; i < 3; i++)
                *(in_site ? &joint->tail[i] : &joint->offset[i]) = next_number(at);
        } else if (strncmp(word, "CHANNELS", 8) == 0) {
            read_channels(at, b, joint);
        } else if (*word == '}' && in_site) {
            in_site = false;
        } else if (*word == '}') {
            open = joint->parent;
        }
    }
}

void plain_read(char *text, plain_bvh *b) {
    size_t size;
    char *at = text;
    memset(b, 0, sizeof *b);
    read_hierarchy(&at, b);
    next_word(&at, &size); /* Frames: */
    b->frames = (size_t)next_number(&at);
    at = strstr(at, "Time:") + strlen("Time:");
    next_number(&at);
    b->values = test_array(b->frames * b->columns, sizeof *b->values);
    for (size_t i = 0; i < b->frames * b->columns; i++)
        b->values[i] = next_number(&at);
}

void plain_rotation(const plain_joint *joint, const double *row, double out[4]) {
    quat q = {0, 0, 0, 1};
    for (size_t c = 0; c < joint->count; c++) {
        const double half = 0.5 * degree * row[joint->first + c];
        const char axis = joint->channels[c][0];
        if (joint->channels[c][1] != 'r')
            continue;
        q = quat_multiply(q, (quat){axis == 'X' ? sin(half) : 0, axis == 'Y' ? sin(half) : 0,
                                    axis == 'Z' ? sin(half) : 0, cos(half)});
    }
    memcpy(out, (double[]){q.x, q.y, q.z, q.w}, 4 * sizeof *out);
}

bool plain_position(const plain_joint *joint, const double *row, double out[3]) {
    bool found = false;
    memcpy(out, joint->offset, sizeof joint->offset);
    for (size_t c = 0; c < joint->count; c++)
        if (joint->channels[c][1] == 'p') {
            out[joint->channels[c][0] - 'X'] = row[joint->first + c];
            found = true;
        }
    return found;
}
