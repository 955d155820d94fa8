/* SPDX-License-Identifier: MIT
 *
 * Planted feet: while a clip's markers say that a foot touches the ground, it stays where it was in the first frame that
 * was posed then; afterwards it returns to its pose as positions do in a transition (docs/crowds.md, "Planted feet"). A
 * step at the same time again gives the same.
 */
#ifndef PM_PLANT_H
#define PM_PLANT_H

#include "pm_instance.h"
#include "pm_transition.h"

/* The state of a foot, as the job before left it; all zero: there is none. */
#define PM_PLANT_NONE 0u
#define PM_PLANT_STANDS 1u
#define PM_PLANT_LEAVES 2u /* the ground */
#define PM_PLANT_STRAYS 3u /* likewise, before its contact ends: it was too far from its pose */
#define PM_PLANT_BYTES 48
typedef struct pm_plant {
    float place[3]; /* that stands: in the space of goals; else its way from its pose at `time` */
    pm_u32 phase;
    float pose[3]; /* that stands: where its pose was at `time`; else the rate of `place` */
    pm_u32 clip;   /* of the contact */
    pm_s64 time;   /* of the job's clock */
    pm_s64 start;  /* of the contact, in ticks of the clip's time */
} pm_plant;

/* Contacts of PM_LANES instances. */
typedef struct pm_planting {
    pm_global const pm_clip_layout *clips;
    pm_global const pm_crowd_timeline *timelines;
    pm_global const pm_marker *markers;
    pm_global const float *masks;
    pm_u32 clip_count, mask_count, joint_count;
    pm_s64 now;
    pm_global pm_plant *states[PM_LANES];
    pm_instance instances[PM_LANES];
} pm_planting;

typedef struct pm_contact {
    pm_u32 is; /* 0: the foot is in the air */
    pm_u32 clip;
    pm_s64 start;
    pm_u64 cycle, reciprocal; /* of the clip */
} pm_contact;

/* Whether a contact begins between the markers of these ids: at the last of both up to the clip's time. Clips that wrap
 * around go on with the last one of a round; others touch the ground before the first marker where it ends a contact. */
pm_fn pm_contact pm_contact_in(const pm_planting *p, pm_input input, pm_u32 begins, pm_u32 ends) {
    pm_clip_layout clip = p->clips[input.clip];
    pm_crowd_timeline t = p->timelines[clip.timeline];
    pm_contact c = {0, input.clip, 0, t.cycle, t.reciprocal};
    pm_s64 tick = (pm_s64)pm_crowd_within(t, input.time, input.clamps), begin = 0;
    pm_u32 passed = 0, found = 0;
    for (pm_u32 i = 0; i < clip.marker_count; i++) {
        pm_marker m = p->markers[clip.markers + i];
        pm_u32 ahead = m.tick > tick;
        if ((m.id != begins && m.id != ends) || (ahead && (passed || (found && input.clamps))))
            continue;
        passed = !ahead;
        found = 1;
        c.is = (m.id == begins) == !(ahead && input.clamps);
        begin = ahead && input.clamps ? -1 : m.tick;
    }
    if (!input.clamps) {
        pm_u64 since = (pm_u64)(tick - begin) + (passed ? 0 : t.cycle);
        begin = (pm_s64)((pm_u64)input.time - since);
    }
    c.start = begin;
    return c;
}

/* Contacts are those of clip B from half of its weight at the foot on, unless it is added, else of clip A. */
pm_fn pm_contact pm_contact_of(const pm_planting *p, pm_instance instance, pm_u32 joint,
                               pm_global const pm_u32 *ids) {
    pm_contact none = {0, 0, 0, 1, PM_RECIPROCAL(1)};
    pm_resolved r = pm_instance_resolve(instance, p->clips, p->clip_count, p->mask_count, 1);
    pm_input a = r.inputs[0], b = r.inputs[1];
    float weight = b.weight * p->masks[(pm_u64)b.mask * p->joint_count + joint];
    if (b.op == PM_OP_MIX && weight >= 0.5f)
        return pm_contact_in(p, b, ids[0], ids[1]);
    return a.op == PM_OP_NONE ? none : pm_contact_in(p, a, ids[0], ids[1]);
}

/* Whether a contact is another one than that of a state, a frame before. Times of a clip that are wrapped around by
 * the caller go back by whole cycles; those of another clip continue. */
pm_fn pm_u32 pm_is_next_contact(pm_contact c, const pm_plant *plant) {
    if (!c.is || c.clip != plant->clip || c.start == plant->start)
        return 0;
    return c.start > plant->start ||
           pm_divide((pm_u64)plant->start - (pm_u64)c.start, c.cycle, c.reciprocal).rest != 0;
}

/* 0 in place of what a device may round to 0. */
pm_fn float pm_stored_float(float a) {
    return a > -PM_LEAST_WEIGHT && a < PM_LEAST_WEIGHT ? 0.0f : a;
}

pm_fn float pm_length2(const float *a) {
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

/* Below 2^-30 all is near, because a device may round squares to 0. */
pm_fn pm_u32 pm_is_far(const float *off, float stray) {
    return stray >= 0x1p-30f && pm_length2(off) > stray * stray;
}

/* A foot that stands is `off` its pose. It leaves where its contact is over, or it strayed. */
pm_fn void pm_plant_leave(pm_plant *plant, pm_contact c, const float pose[3], pm_s64 now,
                          float stray, float off[3]) {
    float per[PM_LANES], seconds = (float)((pm_u64)now - (pm_u64)plant->time) * 0x1p-32f;
    pm_u32 moves = plant->time < now && seconds >= PM_TRANSITION_LEAST && seconds <= 1024.0f;
    for (int i = 0; i < 3; i++)
        off[i] = pm_stored_float(plant->place[i] - pose[i]);
    float far2 = pm_length2(off);
    plant->phase = !(far2 < 0x1p80f) || pm_is_next_contact(c, plant) ? PM_PLANT_NONE
                   : !c.is                                           ? PM_PLANT_LEAVES
                   : pm_is_far(off, stray)                           ? PM_PLANT_STRAYS
                                                                     : PM_PLANT_STANDS;
    if (plant->phase == PM_PLANT_NONE || plant->phase == PM_PLANT_STANDS)
        return;
    pm_set_reals(per, pm_exact_inverse(PM_REAL(moves ? seconds : 1.0f)));
    for (int i = 0; i < 3; i++) {
        plant->pose[i] = moves ? pm_stored_float((plant->pose[i] - pose[i]) * per[0]) : 0.0f;
        plant->place[i] = off[i];
    }
    plant->time = now;
}

/* A foot in contact is planted where it is shown, `off` its pose. */
pm_fn void pm_plant_begin(pm_plant *plant, pm_contact c, const float pose[3], pm_s64 now,
                          float stray, float off[3]) {
    pm_u32 strays = plant->phase == PM_PLANT_STRAYS && c.is && !pm_is_next_contact(c, plant);
    strays = strays || pm_is_far(off, stray);
    if (c.is && plant->phase != PM_PLANT_STANDS && !strays) {
        plant->phase = PM_PLANT_STANDS;
        for (int i = 0; i < 3; i++)
            plant->place[i] = pm_stored_float(pose[i] + off[i]);
    }
    if (plant->phase == PM_PLANT_STANDS) {
        for (int i = 0; i < 3; i++) {
            plant->pose[i] = pose[i];
            off[i] = pm_stored_float(plant->place[i] - pose[i]);
        }
        plant->time = now;
    } else if (plant->phase != PM_PLANT_NONE) {
        plant->phase = c.is ? PM_PLANT_STRAYS : PM_PLANT_LEAVES;
    }
    plant->clip = c.clip;
    plant->start = c.start;
}

/* The rules of a goal: seconds in which a foot returns to its pose, 0: at once; and how far from it it may be, 0: any
 * way. */
typedef struct pm_plant_rules {
    float release[PM_LANES], stray[PM_LANES];
} pm_plant_rules;

/* How far foot `foot` of each instance is from where its pose has it, in lanes where it is on the ground. */
pm_fn pm_quat pm_plant_step(const pm_planting *p, pm_u32 foot, pm_u32 joint,
                            pm_global const pm_u32 *ids, const pm_plant_rules *rules, pm_quat pose,
                            pm_mask on_ground) {
    float at[3][PM_LANES], rate[3][PM_LANES], duration[PM_LANES], passed[PM_LANES],
        ground[PM_LANES];
    float places[3][PM_LANES];
    real zero = PM_REAL(0.0f);
    pm_set_reals(places[0], pose.x);
    pm_set_reals(places[1], pose.y);
    pm_set_reals(places[2], pose.z);
    pm_set_reals(ground, pm_select(on_ground, PM_REAL(1.0f), zero));
    pm_contact contacts[PM_LANES];
    for (pm_u32 i = 0; i < PM_LANES; i++) {
        float own[3] = {places[0][i], places[1][i], places[2][i]}, off[3] = {0.0f, 0.0f, 0.0f};
        pm_global pm_plant *state = p->states[i] + foot;
        pm_plant plant = *state;
        contacts[i] = pm_contact_of(p, p->instances[i], joint, ids);
        contacts[i].is = contacts[i].is && ground[i] != 0.0f;
        plant.phase = plant.phase <= PM_PLANT_STRAYS ? plant.phase : PM_PLANT_NONE;
        if (plant.phase == PM_PLANT_STANDS)
            pm_plant_leave(&plant, contacts[i], own, p->now, rules->stray[i], off);
        pm_transition_head head = {plant.time, rules->release[i], 0};
        pm_transit t = pm_transit_of(head, p->now);
        pm_u32 leaves = plant.phase >= PM_PLANT_LEAVES;
        duration[i] = leaves ? t.duration : 0.0f;
        passed[i] = t.passed;
        for (int k = 0; k < 3; k++) {
            at[k][i] = leaves ? plant.place[k] : 0.0f;
            rate[k][i] = leaves ? plant.pose[k] : 0.0f;
        }
        *state = plant;
    }
    pm_remains d = pm_remains_of(pm_reals_of(duration), pm_reals_of(passed));
    for (int k = 0; k < 3; k++)
        pm_set_reals(at[k], pm_number_shown(zero, pm_reals_of(at[k]), pm_reals_of(rate[k]), &d));
    for (pm_u32 i = 0; i < PM_LANES; i++) {
        float own[3] = {places[0][i], places[1][i], places[2][i]};
        float off[3] = {pm_stored_float(at[0][i]), pm_stored_float(at[1][i]),
                        pm_stored_float(at[2][i])};
        pm_global pm_plant *state = p->states[i] + foot;
        pm_plant plant = *state;
        pm_plant_begin(&plant, contacts[i], own, p->now, rules->stray[i], off);
        *state = plant;
        for (int k = 0; k < 3; k++)
            at[k][i] = off[k];
    }
    return pm_quat_of(pm_reals_of(at[0]), pm_reals_of(at[1]), pm_reals_of(at[2]), zero);
}

#endif
