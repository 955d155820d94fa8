/* SPDX-License-Identifier: MIT
 *
 * One of the two clips that are compared: its joints, and their rotations and places at given times.
 * The joints of a motion with nodes are its nodes. Without nodes they are the rotations in their order,
 * and in CSV also the angles of the robot's joints, as turns about one axis; places are not known then.
 */
#pragma once

#include "motion/model/adjustment.h"
#include "motion/model/model.h"
#include "motion/model/pose.h"

enum { SUBJECT_PATHS = 3 }; /* rotation, translation, scale */

/* Times closer than this are one, in seconds. */
#define SUBJECT_SAME_TIME 1e-9

/* A joint at a time. Places are in the file's unit of length, in the world. */
typedef struct subject_pose {
    double rotation[4]; /* unit, relative to the parent */
    double position[3];
    double scale[3];
    double place[3];
    double axes[3][3]; /* in the world, with all scales */
} subject_pose;

typedef struct subject {
    const pm_motion *motion;
    pm_motion *adjusted; /* of it, owned, that is viewed instead. NULL: none */
    size_t index;        /* of its clip */
    pm_motion view;      /* all joints as nodes, one clip, and no skin */
    motion_arena arena;
    const pm_motion_clip *clip;
    node_channels *channels; /* of each joint */
    uint32_t *order;         /* joints, parents before their children */
    size_t joint_count;
    size_t skin_count;          /* of the motion: those of the view's content */
    pm_motion_name *file_names; /* of joints of a robot, as the file has them; NULL: it has none */
    bool has_places;
    int up;                        /* the axis that points up: 1 y, 2 z; 0: not known */
    double unit_mm;                /* millimetres per unit of length. 0: not known */
    double begin;                  /* the time of the first key, unless it was cut */
    double seconds;                /* from there to the last key */
    double cut;                    /* seconds from the first key to the beginning */
    size_t keys;                   /* of the timeline that has most */
    pm_clip *curve;                /* the clip by another method. NULL: by its own interpolation */
    pm_method method;              /* of `curve` */
    bool turns_alone;              /* `curve` has rotations alone, through their own keys */
    float *sampled[SUBJECT_PATHS]; /* of `curve`, at `room` times */
    double *at;                    /* times of samples */
    size_t room;
} subject;

/* Describes a clip of a motion, which must outlive the subject. Release the subject also on failure. */
pm_status subject_make(subject *s, const pm_motion *motion, size_t clip, pm_error *error);
void subject_release(subject *s);

/* Describes it again with the unit and the axis of another, of those that are known of both, and not estimated
 * of both: estimates of equal motions may differ. *text receives what was done, or is empty. Before anything
 * but unit and axis is changed. */
pm_status subject_meet(subject *s, const subject *other, char text[MOTION_ADJUSTMENT_TEXT],
                       pm_error *error);

/* Names the joints as the file of a robot does, in place of numbering them. Both files must do so. */
void subject_use_file_names(subject *a, subject *b);

/* Leaves only the part that begins `from` seconds after the first key, and of it at most `seconds`.
 * Keys outside of it still shape the curves, but give no times. */
void subject_cut(subject *s, double from, double seconds);

/* From now on rotations, and by the method's class translations and scales, follow `method`, except
 * for channels with steps or that are always linear. Values are float32 then. The channels of a joint share their key
 * times, unless `turns_alone`: then translations and scales stay as they are. */
pm_status subject_use_method(subject *s, pm_engine *engine, pm_method method, bool turns_alone,
                             pm_error *error);

/* Evaluates all joints at ascending times, in seconds after the beginning: (count, joints) poses. A
 * channel takes its key's time where one is closer than SUBJECT_SAME_TIME. */
pm_status subject_evaluate(subject *s, const double *times, size_t count, subject_pose *poses,
                           pm_error *error);

placed subject_placed(const subject_pose *pose);

/* The mean distance of the keys, in seconds; 0 for one key. */
static inline double subject_step(const subject *s) {
    return s->keys > 1 ? s->seconds / (double)(s->keys - 1) : 0;
}

/* The name of a joint, as in the file. */
static inline pm_motion_name subject_name(const subject *s, size_t joint) {
    return s->view.content.nodes[joint].name;
}
