/* SPDX-License-Identifier: MIT
 *
 * Trajectories as motions of one node, and as files: rows that have the stamp and the numbers of a row of the
 * source keep its text, others have its columns and separators. A file that is made anew has the columns of
 * TUM or of EuRoC.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion/csv/csv.h"
#include "motion/model/compose.h"
#include "motion/model/evaluate.h"
#include "motion/model/meaning.h"
#include "motion/text/text.h"

#define NS 1e9

enum { PIECE = 1024, STAMP_DIGITS = 9 };

/* ---- the motion ------------------------------------------------------------------------------------ */

static pm_status check_groups(const csv_document *d, pm_error *error) {
    size_t stamps = d->is_text_of_rows ? 0 : 1, positions = 0, rotations = 0, others = 0;
    for (size_t i = 0; i < d->layout.count; i++) {
        const csv_group *g = &d->layout.groups[i];
        stamps += g->form == CSV_STAMP;
        positions += g->form == CSV_POSITION;
        rotations += csv_is_rotation(g);
        others += g->form == CSV_INDEX || g->form == CSV_TIME || g->form == CSV_MATRIX;
    }
    return stamps == 1 && positions <= 1 && rotations <= 1 && positions + rotations > 0 &&
                   others == 0
               ? PM_OK
               : motion_refuse(error,
                               "layout '%s' is no trajectory; expected one stamp, a position, a "
                               "rotation, and numbers",
                               MOTION_SHOWN(d->layout.name, strlen(d->layout.name)));
}

static double *make_times(const csv_document *d, motion_arena *arena) {
    double *times = motion_allocate(arena, d->row_count, sizeof *times);
    for (size_t r = 0; times && r < d->row_count; r++)
        times[r] = (double)(d->stamps[r] - d->stamps[0]) / NS;
    return times;
}

pm_status csv_make_trajectory(csv_document *d, pm_motion *motion, pm_error *error) {
    motion_arena *arena = &motion->arena;
    pm_motion_node *node = motion_allocate(arena, 1, sizeof *node);
    pm_motion_clip *clip = motion_allocate(arena, 1, sizeof *clip);
    pm_timeline *timeline = motion_allocate(arena, 1, sizeof *timeline);
    pm_motion_channel *channels = motion_allocate(arena, d->layout.count, sizeof *channels);
    double *times = make_times(d, arena);
    size_t count = 0;
    MOTION_TRY(check_groups(d, error));
    MOTION_TRY_MEMORY(node && clip && timeline && channels && times, error);
    for (size_t i = 0; i < d->layout.count; i++) {
        csv_group *g = &d->layout.groups[i];
        if (g->form == CSV_STAMP)
            continue;
        g->channel = count;
        channels[count] = csv_make_channel(d, g);
        if (g->form != CSV_NUMBERS) {
            channels[count].node = 0;
            channels[count].name = (pm_motion_name){"", 0};
        } else {
            channels[count].name = (pm_motion_name){"numbers", 7};
            channels[count].always_linear = true;
            channels[count].subjects = NULL;
            channels[count].full_turn = 0;
        }
        count++;
    }
    *node = (pm_motion_node){
        .name = {"body", 4}, .parent = PM_NO_PARENT, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    *timeline = (pm_timeline){.key_count = d->row_count, .times = times};
    *clip = (pm_motion_clip){.name = {"", 0},
                             .timelines = timeline,
                             .timeline_count = 1,
                             .channels = channels,
                             .channel_count = count};
    motion->content.nodes = node;
    motion->content.node_count = 1;
    motion->content.clips = clip;
    motion->content.clip_count = 1;
    motion->content.has_stamps = true;
    motion->content.epoch = d->stamps[0];
    motion_state_meaning(&motion->content, d->layout.unit_mm, PM_MOTION_UP_FOUND);
    return PM_OK;
}

/* ---- the columns of a file that is written ----------------------------------------------------------- */

typedef struct track {
    const pm_motion *motion;
    const pm_motion_clip *clip;
    const motion_samples *samples; /* NULL: the keys */
    double *times;                 /* of keys */
    uint64_t count;
    const csv_document *form;   /* has the columns */
    const csv_document *source; /* the form, if it is a file whose rows keep their text; or NULL */
    const pm_motion_channel *of[CSV_MAX_GROUPS]; /* for each group; NULL: the rest pose */
    size_t row;                                  /* of the source, which is not before the sample */
    unsigned decimals;                           /* of stamps at least */
    unsigned number_decimals;                    /* 0: as many as read back as the same number */
    double *numbers, **channels, *values;
    motion_position *positions;
    char *text; /* of one row */
    csv_output out;
    pm_error *error;
} track;

static bool is_trajectory(const pm_motion *motion) {
    const bool is_csv = motion && (motion->format == &motion_csv || motion->format == &motion_tum);
    const csv_document *d = is_csv ? motion->document : NULL;
    return d && d->stamps;
}

/* The channels of the clip that the columns of a document are; false: it has others. */
static bool find_channels(track *t, const csv_document *d) {
    size_t next = 0, used = 0;
    for (size_t i = 0; i < d->layout.count; i++) {
        const csv_group *g = &d->layout.groups[i];
        t->of[i] = NULL;
        for (size_t c = 0; c < t->clip->channel_count; c++) {
            const pm_motion_channel *channel = &t->clip->channels[c];
            const bool fits =
                g->form == CSV_POSITION ? channel->node == 0 && channel->path == PM_MOTION_POSITION
                : csv_is_rotation(g)    ? channel->node == 0 && channel->path == PM_MOTION_ROTATION
                : g->form == CSV_NUMBERS
                    ? channel->node < 0 && c >= next && channel->components == g->count
                    : false;
            if (!fits || t->of[i])
                continue;
            t->of[i] = channel;
            used++;
            next = g->form == CSV_NUMBERS ? c + 1 : next;
        }
        if (!t->of[i] && g->form == CSV_NUMBERS)
            return false;
    }
    return used == t->clip->channel_count;
}

/* The columns of TUM or of EuRoC: those of a file with these lines. */
static pm_status make_form(csv_document *d, bool is_tum, motion_arena *arena, pm_error *error) {
    static const char tum[] = "# timestamp tx ty tz qx qy qz qw\n0 0 0 0 0 0 0 1\n";
    static const char euroc[] =
        "#timestamp [ns],p_x [m],p_y [m],p_z [m],q_w [],q_x [],q_y [],q_z []\n"
        "0,0,0,0,1,0,0,0\n";
    static const pm_motion_read_options options;
    const motion_input input = {.data = is_tum ? tum : euroc,
                                .size = (is_tum ? sizeof tum : sizeof euroc) - 1,
                                .options = &options};
    d->usual = is_tum ? "tum" : NULL;
    return csv_read_document(d, &input, arena, error);
}

static pm_status find_form(track *t, const motion_writing *given, csv_document *made, bool is_tum,
                           motion_arena *arena) {
    const pm_motion *motion = given->document ? given->document : motion_form_of(given->motion);
    const csv_document *d =
        is_trajectory(motion) && motion->format == (is_tum ? &motion_tum : &motion_csv)
            ? motion->document
            : NULL;
    if (d && d->is_text_of_rows && find_channels(t, d)) {
        t->form = t->source = d;
        return PM_OK;
    }
    t->form = made;
    MOTION_TRY(make_form(made, is_tum, arena, t->error));
    (void)find_channels(t, made);
    for (size_t c = 0; c < t->clip->channel_count; c++)
        if (!motion_is_pose_channel(&t->clip->channels[c]))
            motion_leave_out(given, t->clip->channels[c].components, "number of each row",
                             "numbers of each row");
    return PM_OK;
}

static pm_status check_node(const pm_motion_content *content, pm_error *error) {
    MOTION_TRY(motion_check_nodes(content, "a trajectory", error));
    if (content->node_count == 1)
        return PM_OK;
    return motion_refuse(error, "has %zu joints; CSV and TUM are written of one, as a trajectory",
                         content->node_count);
}

/* All times at which a channel has a key. */
static pm_status unite_keys(track *t, motion_arena *arena) {
    size_t count = 0;
    for (size_t i = 0; i < t->clip->timeline_count; i++)
        count += t->clip->timelines[i].key_count;
    t->times = motion_allocate(arena, count + 1, sizeof *t->times);
    MOTION_TRY_MEMORY(t->times, t->error);
    count = 0;
    for (size_t i = 0; i < t->clip->timeline_count; i++)
        count += evaluate_key_times(&t->clip->timelines[i], t->times + count);
    t->count = evaluate_unite_times(t->times, count);
    return t->count > 0 ? PM_OK : motion_refuse(t->error, "has no keys");
}

/* ---- text ------------------------------------------------------------------------------------------ */

/* In units of 10^-power s, with as few decimals as it takes. */
static char *put_stamp(char *at, int64_t stamp, int power, unsigned decimals) {
    char digits[32];
    const uint64_t size = stamp < 0 ? 0 - (uint64_t)stamp : (uint64_t)stamp;
    const int places = STAMP_DIGITS - power;
    const int count =
        snprintf(digits, sizeof digits, "%0*llu", places + 1, (unsigned long long)size);
    int last = count;
    while (last >
               count - places + (int)(decimals < (unsigned)places ? decimals : (unsigned)places) &&
           digits[last - 1] == '0')
        last--;
    if (stamp < 0)
        *at++ = '-';
    at = csv_put(at, (text_span){digits, (size_t)(count - places)});
    if (last > count - places) {
        *at++ = '.';
        at = csv_put(at, (text_span){digits + count - places, (size_t)(last - (count - places))});
    }
    return at;
}

/* The shortest of 9 decimals, 15 and 17 digits that reads back as the number. */
static char *put_number(char *at, double value, unsigned decimals) {
    double back;
    char *end = text_write_fixed(at, value, decimals ? decimals : TEXT_DECIMALS_MAX);
    if (decimals > 0)
        return end;
    while (end > at + 1 && end[-1] == '0')
        end--;
    end -= end[-1] == '.';
    if (text_is_number((text_span){at, (size_t)(end - at)}, &back) && back == value)
        return end;
    for (int digits = 15; digits <= 17; digits++) {
        end = at + snprintf(at, TEXT_FIXED_SIZE, "%.*g", digits, value);
        if (text_is_number((text_span){at, (size_t)(end - at)}, &back) && back == value)
            break;
    }
    return end;
}

/* ---- rows ------------------------------------------------------------------------------------------ */

/* The row of the source with a stamp, or SIZE_MAX. Stamps rise. */
static size_t find_row(track *t, int64_t stamp) {
    const size_t count = t->source ? t->source->row_count : 0;
    while (t->row < count && t->source->stamps[t->row] < stamp)
        t->row++;
    return t->row < count && t->source->stamps[t->row] == stamp ? t->row : SIZE_MAX;
}

/* Whether a row of the form has the numbers of a sample; a rotation has two signs. */
static bool is_row(const track *t, size_t row) {
    const csv_document *d = t->form;
    const double *own = d->numbers + row * d->column_count;
    bool same = true;
    for (size_t i = 0; same && i < d->layout.count; i++) {
        const csv_group *g = &d->layout.groups[i];
        const double *a = t->values + g->column, *b = own + g->column;
        const bool has_signs = csv_is_rotation(g) && g->form != CSV_EULER;
        double dot = has_signs ? 0 : 1;
        for (size_t k = 0; has_signs && k < 4; k++)
            dot += a[k] * b[k];
        for (size_t k = 0; same && k < g->count && g->form != CSV_STAMP; k++)
            same = (dot < 0 ? -a[k] : a[k]) == b[k];
    }
    return same;
}

/* The columns of a group, of its channel's value. */
static void put_group(track *t, size_t group, const double *value) {
    const csv_group *g = &t->form->layout.groups[group];
    double *to = t->values + g->column;
    if (g->form == CSV_EULER)
        csv_put_angles(g, value, to);
    else if (csv_is_rotation(g))
        csv_put_quaternion(g, value, to);
    else
        memcpy(to, value, g->count * sizeof *to);
}

static pm_status send_row(track *t, int64_t stamp, bool is_last) {
    const csv_document *d = t->form;
    const size_t row = find_row(t, stamp);
    char *at = t->text;
    if (row != SIZE_MAX && is_row(t, row)) {
        MOTION_TRY(csv_send(&t->out, d->rows[row]));
    } else {
        for (size_t i = 0, g = 0; i < d->column_count; i++) {
            while (g + 1 < d->layout.count &&
                   i >= d->layout.groups[g].column + d->layout.groups[g].count)
                g++;
            at = csv_put(at, d->between[i]);
            at = d->layout.groups[g].form == CSV_STAMP
                     ? put_stamp(at, stamp, d->layout.groups[g].power, t->decimals)
                     : put_number(at, t->values[i], t->number_decimals);
        }
        at = csv_put(at, d->between[d->column_count]);
        MOTION_TRY(csv_send(&t->out, (text_span){t->text, (size_t)(at - t->text)}));
    }
    return csv_send_line_end(&t->out, is_last);
}

/* A sample on a row of a file, which the caller has left to the writer. */
static const double *source_value(const track *t, size_t group, size_t k, double value[4]) {
    const motion_position at = t->positions[k];
    const uint64_t key = motion_exact_key(at);
    if (key == MOTION_NO_KEY || !is_trajectory(at.source) || t->of[group]->node < 0)
        return NULL;
    const pm_motion_clip *clip = at.source->content.clips;
    for (size_t c = 0; c < clip->channel_count; c++)
        if (clip->channels[c].node == 0 && clip->channels[c].path == t->of[group]->path &&
            key < clip->timelines[0].key_count) {
            for (uint32_t i = 0; i < clip->channels[c].components; i++)
                value[i] = evaluate_number(&clip->channels[c].keys, clip->channels[c].components,
                                           (size_t)key, i);
            return value;
        }
    return NULL;
}

/* Keys are as they are. */
static void evaluate(const pm_motion_channel *channel, const pm_timeline *timeline, double time,
                     double *value) {
    const size_t key = evaluate_key_before(timeline, time);
    if (evaluate_key_time(timeline, key) == time)
        evaluate_key(channel, key, value);
    else
        evaluate_channel(channel, timeline, time, value);
}

static void make_values(track *t, double time, size_t k) {
    const pm_motion_node *rest = t->motion->content.nodes;
    for (size_t i = 0; i < t->form->layout.count; i++) {
        const csv_group *g = &t->form->layout.groups[i];
        const pm_motion_channel *channel = t->of[i];
        double kept[4];
        if (!t->samples && g->form != CSV_EULER) /* keys have the signs that they have */
            memset(t->values + g->column, 0, g->count * sizeof *t->values);
        if (g->form == CSV_STAMP)
            continue;
        if (!channel) {
            put_group(t, i, csv_is_rotation(g) ? rest->rotation : rest->position);
        } else if (t->samples) {
            const size_t c = (size_t)(channel - t->clip->channels);
            const double *own = source_value(t, i, k, kept);
            put_group(t, i, own ? own : t->channels[c] + k * channel->components);
        } else {
            evaluate(channel, &t->clip->timelines[channel->timeline], time, t->numbers);
            put_group(t, i, t->numbers);
        }
    }
}

static pm_status send_rows(track *t) {
    MOTION_TRY(csv_send(&t->out, t->form->head));
    for (uint64_t k = 0; k < t->count; k++) {
        const size_t at = (size_t)(k % PIECE);
        const size_t left = t->count - k < PIECE ? (size_t)(t->count - k) : PIECE;
        if (t->samples && at == 0)
            MOTION_TRY(
                t->samples->read(t->samples->user, k, left, t->channels, t->positions, t->error));
        const double time = t->samples ? motion_sample_time(t->samples, k) : t->times[k];
        make_values(t, time, at);
        const int64_t stamp = t->motion->content.epoch + (int64_t)rint(time * NS);
        MOTION_TRY(send_row(t, stamp, k + 1 == t->count));
    }
    return csv_flush(&t->out);
}

/* Stamps of ns that doubles do not tell apart would be written twice. */
static pm_status check_times(const track *t) {
    const double last =
        t->samples ? motion_sample_time(t->samples, t->count - 1) : t->times[t->count - 1];
    return fabs(last) < 0x1p52 / NS
               ? PM_OK
               : motion_refuse(t->error,
                               "lasts longer than 52 days, which stamps cannot tell apart");
}

static pm_status prepare(track *t, motion_arena *arena) {
    const csv_document *d = t->form;
    size_t width = 4, text = (d->column_count + 1) * TEXT_FIXED_SIZE;
    for (size_t i = 0; i <= d->column_count; i++)
        text += d->between[i].size;
    for (size_t c = 0; c < t->clip->channel_count; c++)
        width += t->clip->channels[c].components;
    if (width > SIZE_MAX / PIECE / sizeof(double))
        return motion_refuse_memory(t->error);
    t->numbers = motion_allocate(arena, width * PIECE, sizeof *t->numbers);
    t->channels = motion_allocate(arena, t->clip->channel_count, sizeof *t->channels);
    t->values = motion_allocate(arena, d->column_count, sizeof *t->values);
    t->positions = motion_allocate(arena, PIECE, sizeof *t->positions);
    t->text = motion_allocate(arena, text, 1);
    t->out.document = d;
    t->out.buffer = motion_allocate(arena, CSV_BUFFER, 1);
    MOTION_TRY_MEMORY(t->numbers && t->channels && t->values && t->positions && t->text &&
                          t->out.buffer,
                      t->error);
    double *at = t->numbers;
    for (size_t c = 0; c < t->clip->channel_count; c++) {
        t->channels[c] = at;
        at += PIECE * (size_t)t->clip->channels[c].components;
    }
    for (size_t i = 0; i < d->layout.count && d == t->source; i++)
        if (d->layout.groups[i].form == CSV_STAMP)
            t->decimals = csv_count_decimals(d, d->layout.groups[i].column);
    return PM_OK;
}

static pm_status write_in(const motion_writing *given, const motion_sink *sink, bool is_tum,
                          motion_arena *arena, pm_error *error) {
    const pm_motion_content *content = &given->motion->content;
    const motion_samples *samples = given->sample_count > 0 ? given->samples : NULL;
    csv_document made = {.usual = NULL};
    track t = {.motion = given->motion,
               .samples = samples,
               .out = {.sink = sink, .error = error},
               .number_decimals = given->decimals_given ? given->decimals : 0,
               .error = error};
    MOTION_TRY(check_node(content, error));
    MOTION_TRY(motion_check_clip(content, samples ? samples->clip : given->clip, error));
    t.clip = &content->clips[samples ? samples->clip : given->clip];
    MOTION_TRY(find_form(&t, given, &made, is_tum, arena));
    t.count = samples ? samples->count : 0;
    if (!samples)
        MOTION_TRY(unite_keys(&t, arena));
    MOTION_TRY(check_times(&t));
    MOTION_TRY(prepare(&t, arena));
    return send_rows(&t);
}

pm_status csv_write_trajectory(const motion_writing *given, const motion_sink *sink, bool is_tum,
                               pm_error *error) {
    const bool is_copy = given->document && given->document == given->motion &&
                         given->sample_count == 0 && is_trajectory(given->document);
    const csv_document *d = is_copy ? given->document->document : NULL;
    if (d && d->is_text_of_rows)
        return sink->write(sink->user, d->whole.begin, d->whole.size, error);
    SCOPED(motion_arena_release) motion_arena arena = {NULL};
    return write_in(given, sink, is_tum, &arena, error);
}
