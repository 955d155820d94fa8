/* SPDX-License-Identifier: MIT
 *
 * Finds jumps. A step is compared with the median speed around it, so that a fast motion is none: what
 * it does in one step, it does more or less in the next ones too.
 */
#include "motion/model/jumps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/elementary.h"
#include "motion/model/evaluate.h"
#include "motion/model/names.h"

#define DEGREES 57.295779513082320877

static const double flip_degrees = 90; /* what both jumps of a flip are above */
static const double part_of_path = 0.05;
static const double times_median = 8, times_beside = 3; /* how much faster than others a jump is */

enum {
    REACH = 10,     /* keys on both sides whose speeds are compared */
    LEAST_KEYS = 5, /* fewer have no median to speak of */
    SPIKE_KEYS = 5, /* a longer one is a flip */
    MOST_PARTNERS =
        64 /* jumps among which the one back is searched, so that no file takes forever */
};

typedef struct steps {
    const pm_motion_channel *channel;
    const pm_timeline *timeline;
    size_t count;   /* of keys */
    double *sizes;  /* of the step to each key, in degrees or units of length */
    double *speeds; /* that of a second */
    size_t *jumps;  /* keys behind steps that are jumps, until their neighbours are looked at */
    size_t jump_count;
    double least;   /* that a jump is above */
    double longest; /* seconds */
} steps;

/* ---- steps ----------------------------------------------------------------------------------- */

static void key_at(const pm_motion_channel *channel, size_t key, double value[4]) {
    for (uint32_t i = 0; i < channel->components; i++)
        value[i] = evaluate_number(&channel->keys, channel->components, key, i);
}

/* In degrees, of a quaternion of any length. */
static double angle_of(const double q[4]) {
    return 2 * DEGREES * pm_same_atan2(vector_length(q), fabs(q[3]));
}

/* conj(a) b, or in the parent's axes b conj(a). */
static void turn_between(const double a[4], const double b[4], bool parent, double turn[4]) {
    const double back[4] = {-a[0], -a[1], -a[2], a[3]};
    if (parent)
        quat_multiply(b, back, turn);
    else
        quat_multiply(back, b, turn);
}

double jumps_size(const pm_motion_channel *channel, size_t from, size_t to) {
    double a[4], b[4], turn[4];
    key_at(channel, from, a);
    key_at(channel, to, b);
    if (channel->path != PM_MOTION_ROTATION)
        return sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) +
                    (b[2] - a[2]) * (b[2] - a[2]));
    turn_between(a, b, false, turn);
    return angle_of(turn);
}

static double seconds_between(const steps *s, size_t from, size_t to) {
    return evaluate_key_time(s->timeline, to) - evaluate_key_time(s->timeline, from);
}

/* Keys at one time are a step that was made on purpose. */
static void measure_steps(steps *s) {
    s->sizes[0] = s->speeds[0] = 0;
    for (size_t k = 1; k < s->count; k++) {
        const double size = jumps_size(s->channel, k - 1, k),
                     seconds = seconds_between(s, k - 1, k);
        const bool is_one = isfinite(size) && seconds > 0;
        s->sizes[k] = is_one ? size : 0;
        s->speeds[k] = is_one ? size / seconds : 0;
    }
}

/* The length of the diagonal of the box about a path. */
static double size_of_path(const steps *s) {
    double square = 0;
    for (uint32_t i = 0; i < 3; i++) {
        double low = (double)INFINITY, high = -(double)INFINITY;
        for (size_t k = 0; k < s->count; k++) {
            const double value = evaluate_number(&s->channel->keys, s->channel->components, k, i);
            low = fmin(low, value);
            high = fmax(high, value);
        }
        square += (high - low) * (high - low);
    }
    return sqrt(square);
}

/* The median of the speeds of the steps around that to a key, without it. */
static double median_around(const steps *s, size_t key) {
    double sorted[2 * REACH];
    size_t count = 0;
    const size_t first = key > REACH ? key - REACH : 1;
    for (size_t k = first; k < s->count && k <= key + REACH; k++) {
        size_t at = count;
        if (k == key)
            continue;
        for (; at > 0 && sorted[at - 1] > s->speeds[k]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = s->speeds[k];
        count++;
    }
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static void find_fast_steps(steps *s) {
    for (size_t k = 1; k < s->count; k++)
        if (s->sizes[k] > s->least && s->speeds[k] > times_median * median_around(s, k))
            s->jumps[s->jump_count++] = k;
}

/* ---- which of them are jumps, and where they end ------------------------------------------------ */

static bool is_fast(const steps *s, size_t at, size_t key) {
    return at < s->jump_count && s->jumps[at] == key;
}

/* Whether the steps before the jump `from` and behind the jump `to`, by their indices, are slow. Those
 * that are fast too may be jumps of their own where it comes back, and are a fast motion otherwise. */
static bool stands_out(const steps *s, size_t from, size_t to, bool ends_other) {
    const size_t a = s->jumps[from], b = s->jumps[to];
    const double limit = fmin(s->speeds[a], s->speeds[b]) / times_beside;
    const bool may_be = from < to;
    return (s->speeds[a - 1] <= limit || ends_other ||
            (may_be && from > 0 && is_fast(s, from - 1, a - 1))) &&
           (b + 1 == s->count || s->speeds[b + 1] <= limit ||
            (may_be && is_fast(s, to + 1, b + 1)));
}

/* The angle between the turns by which the jumps to keys a and b lead away: of a flip they are one turn, of
 * the joint or of its parent, however far the joint moves meanwhile. */
static double flip_difference(const pm_motion_channel *channel, size_t a, size_t b) {
    double before[4], first[4], last[4], behind[4], least = 360;
    key_at(channel, a - 1, before);
    key_at(channel, a, first);
    key_at(channel, b - 1, last);
    key_at(channel, b, behind);
    for (int parent = 0; parent < 2; parent++) {
        double away[4], back[4], difference[4];
        turn_between(before, first, parent, away);
        turn_between(behind, last, parent, back);
        turn_between(away, back, false, difference);
        least = fmin(least, angle_of(difference));
    }
    return least;
}

static bool comes_back(const steps *s, size_t from, size_t to) {
    const size_t a = s->jumps[from], b = s->jumps[to];
    const double least = fmin(s->sizes[a], s->sizes[b]), most = least / 3;
    const bool is_flip = s->channel->path == PM_MOTION_ROTATION && least > flip_degrees;
    return (b - a <= SPIKE_KEYS || is_flip) && stands_out(s, from, to, false) &&
           (jumps_size(s->channel, a - 1, b) <= most ||
            (s->channel->path == PM_MOTION_ROTATION && flip_difference(s->channel, a, b) <= most));
}

/* The index of the jump that leads back from one; SIZE_MAX: none does. */
static size_t find_back(const steps *s, size_t from) {
    const size_t a = s->jumps[from];
    for (size_t i = from + 1; i < s->jump_count && i - from <= MOST_PARTNERS; i++) {
        if (seconds_between(s, a - 1, s->jumps[i]) > s->longest * (1 + 1e-9))
            break;
        if (comes_back(s, from, i))
            return i;
    }
    return SIZE_MAX;
}

static bool append(jump_list *list, const steps *s, const pm_motion_jump *jump) {
    pm_motion_jump *grown = motion_with_room(list->of, list->count, &list->room, sizeof *grown);
    if (!grown)
        return false;
    list->of = grown;
    list->of[list->count] = *jump;
    list->of[list->count].time = evaluate_key_time(s->timeline, jump->key);
    list->of[list->count++].size = s->sizes[jump->key];
    return true;
}

static bool sort_out(const steps *s, jump_list *list, size_t clip, size_t channel) {
    bool good = true;
    size_t last = 0; /* the key behind the last jump back */
    for (size_t i = 0, back; good && i < s->jump_count; i = back == SIZE_MAX ? i + 1 : back + 1) {
        const size_t key = s->jumps[i];
        pm_motion_jump jump = {.clip = clip, .channel = channel, .key = key};
        back = key > 1 ? find_back(s, i) : SIZE_MAX;
        if (back == SIZE_MAX && !stands_out(s, i, i, last + 1 == key))
            continue;
        jump.kind = key == 1           ? PM_MOTION_JUMP_START
                    : back == SIZE_MAX ? PM_MOTION_JUMP_STAYS
                                       : PM_MOTION_JUMP_BACK;
        last = back == SIZE_MAX ? last : s->jumps[back];
        jump.key_count = back == SIZE_MAX ? 0 : last - key;
        good = append(list, s, &jump);
    }
    return good;
}

/* ---- channels -------------------------------------------------------------------------------- */

bool jumps_of_channel(jump_list *list, const pm_motion_clip *clip, size_t clip_index,
                      size_t channel, const pm_motion_fill_options *options) {
    const pm_motion_channel *c = &clip->channels[channel];
    steps s = {.channel = c, .timeline = &clip->timelines[c->timeline]};
    const bool turns = c->path == PM_MOTION_ROTATION;
    s.count = s.timeline->key_count;
    s.longest = options->longest > 0 ? options->longest : MOTION_LONGEST_GAP;
    if (s.count < LEAST_KEYS || !c->keys.data || c->interpolation != PM_MOTION_LINEAR ||
        c->components != (turns ? 4 : 3) || (!turns && c->path != PM_MOTION_POSITION))
        return true;
    s.sizes = calloc(s.count, sizeof *s.sizes);
    s.speeds = calloc(s.count, sizeof *s.speeds);
    s.jumps = calloc(s.count, sizeof *s.jumps);
    bool good = s.sizes && s.speeds && s.jumps;
    if (good) {
        measure_steps(&s);
        s.least = !turns                      ? part_of_path * size_of_path(&s)
                  : options->jump_degrees > 0 ? options->jump_degrees
                                              : MOTION_JUMP_DEGREES;
        find_fast_steps(&s);
        good = sort_out(&s, list, clip_index, channel);
    }
    MOTION_FREE(s.sizes, s.speeds, s.jumps);
    return good;
}

bool jumps_of_clip(jump_list *list, const pm_motion_clip *clip, size_t clip_index,
                   const pm_motion_fill_options *options) {
    bool good = true;
    for (size_t c = 0; good && c < clip->channel_count; c++)
        good = jumps_of_channel(list, clip, clip_index, c, options);
    return good;
}

/* ---- for people ------------------------------------------------------------------------------ */

bool jumps_show(jump_shown **shown, size_t *count, const pm_motion_content *content,
                const pm_motion_jump *jumps, size_t jump_count) {
    if (jump_count == 0)
        return true;
    if (jump_count > SIZE_MAX / sizeof **shown - *count)
        return false;
    jump_shown *grown = realloc(*shown, (*count + jump_count) * sizeof *grown);
    if (!grown)
        return false;
    *shown = grown;
    for (size_t i = 0; i < jump_count; i++) {
        const pm_motion_jump *jump = &jumps[i];
        const pm_motion_channel *channel = &content->clips[jump->clip].channels[jump->channel];
        const pm_motion_name name =
            channel->node >= 0 ? content->nodes[channel->node].name : channel->name;
        jump_shown *one = &grown[(*count)++];
        *one = (jump_shown){.jump = *jump, .turns = channel->path == PM_MOTION_ROTATION};
        motion_joint_name(one->joint, name, channel->node);
    }
    return true;
}

static void describe_one(const jump_shown *shown, char *text, size_t size) {
    const pm_motion_jump *jump = &shown->jump;
    char keys[40] = "";
    if (jump->key_count > 0)
        snprintf(keys, sizeof keys, ", %zu key%s", jump->key_count,
                 jump->key_count == 1 ? "" : "s");
    snprintf(text, size, "'%s' by %.3g %s at key %zu (%.6g s)%s", shown->joint, jump->size,
             shown->turns ? "degrees" : "units", jump->key, jump->time, keys);
}

void jumps_describe(const jump_shown *shown, size_t count, size_t most, const char *const words[2],
                    char *text, size_t size) {
    text[0] = '\0';
    for (int kind = PM_MOTION_JUMP_BACK; kind <= PM_MOTION_JUMP_STAYS; kind++) {
        size_t all = 0, said = 0;
        for (size_t i = 0; i < count; i++)
            all += shown[i].jump.kind == (pm_motion_jump_kind)kind;
        if (all == 0)
            continue;
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%zu %s: ", used > 0 ? "; " : "", all, words[kind]);
        for (size_t i = 0; i < count && said < most; i++) {
            if (shown[i].jump.kind != (pm_motion_jump_kind)kind)
                continue;
            char one[MOTION_PRINTABLE + 96];
            describe_one(&shown[i], one, sizeof one);
            used = strlen(text);
            snprintf(text + used, size - used, "%s%s", said++ > 0 ? ", " : "", one);
        }
        used = strlen(text);
        if (all > said)
            snprintf(text + used, size - used, " and %zu more", all - said);
    }
}

void jumps_write(json_writer *json, const char *key, const jump_shown *shown, size_t count) {
    static const char *const kinds[] = {"back", "stays", "start"};
    json_begin_array(json, key);
    for (size_t i = 0; i < count; i++) {
        const pm_motion_jump *jump = &shown[i].jump;
        json_begin_object(json, NULL);
        json_write_string(json, "kind", kinds[jump->kind]);
        json_write_integer(json, "clip", jump->clip);
        json_write_string(json, "joint", shown[i].joint);
        json_write_integer(json, "key", jump->key);
        json_write_integer(json, "keys", jump->key_count);
        json_write_number(json, "at", jump->time);
        json_write_number(json, "size", jump->size);
        json_write_string(json, "unit", shown[i].turns ? "degrees" : "units");
        json_end_object(json);
    }
    json_end_array(json);
}
