/* SPDX-License-Identifier: MIT
 *
 * Reads the MOTION of a BVH: the head and the rows. A row ends at a line end. A row may span
 * several lines, but a line must not hold more numbers than the row lacks, so that a missing or
 * surplus number never shifts the following ones.
 */
#include "motion/bvh/bvh_scan.h"

#include "motion/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Removes the colon from the end of a word, or reads a separate one. */
static bool take_colon(bvh_scan *scan, text_span *word) {
    const char *colon = memchr(word->begin, ':', word->size);
    if (colon) {
        scan->at = colon + 1; /* `Frames:3` continues after the colon */
        word->size = (size_t)(colon - word->begin);
        return true;
    }
    const text_span next = bvh_next_word(scan);
    if (next.size == 0 || *next.begin != ':')
        return bvh_refuse(scan, next.begin, "expected ':' after '%s'", BVH_SHOWN(*word));
    scan->at = next.begin + 1;
    return true;
}

/* Counts the words of the line that starts at `line`. */
static size_t count_words(const bvh_scan *scan, const char *line) {
    bvh_scan ahead = *scan;
    const char *stop = line;
    size_t count = 0;
    while (stop < scan->end && *stop != '\n' && *stop != '\r')
        stop++;
    ahead.at = line;
    ahead.end = stop;
    while (bvh_next_word(&ahead).size != 0)
        count++;
    return count;
}

/* The value may stand alone in the next line. Where it is missing, the rows are counted. */
static bool read_frames(bvh_scan *scan) {
    bvh_scan ahead = *scan;
    bool is_blank = count_words(scan, scan->at) == 0;
    text_span word = bvh_next_word(&ahead);
    const char *end = word.begin + word.size;
    uint64_t value = 0;
    bool is_number = text_read_integer(word.begin, end, &value) == end;
    scan->frames = is_blank ? scan->at : word.begin;
    if (is_blank && (!is_number || count_words(scan, word.begin) != 1)) {
        scan->model->frames_stated = UINT64_MAX;
        return true;
    }
    scan->at = ahead.at;
    scan->model->frames_stated = value;
    return is_number || bvh_refuse(scan, word.begin, "Frames: is '%s'; expected a whole number",
                                   BVH_SHOWN(word));
}

/* The word after `Frame Time:`; empty if the line has none and the next line is a row. */
static text_span frame_time_word(bvh_scan *scan) {
    text_span none = {scan->at, 0};
    const char *colon = scan->at;
    if (count_words(scan, colon) == 0) {
        bvh_scan ahead = *scan;
        text_span word = bvh_next_word(&ahead);
        if (count_words(scan, word.begin) != 1 || scan->model->channel_count == 1)
            return none;
    }
    return bvh_next_word(scan);
}

static const motion_about about_rate = {.cure = "source-rate", .hint = "gives it"};

/* Tools that do not know the frame time write 1, so 1 is treated like a missing frame time. */
static bool read_frame_time(bvh_scan *scan) {
    bvh *model = scan->model;
    text_span word = frame_time_word(scan);
    const char *end = word.begin + word.size;
    bool given = scan->options->source_rate.den != 0;
    double seconds = 0;
    model->frame_time = word;
    if (text_read_number(word.begin, end, &seconds, &scan->commas) != end)
        return given || bvh_refuse_about(scan, word.begin, about_rate,
                                         "Frame Time: is '%s'; expected a number", BVH_SHOWN(word));
    if (given) {
        rate_snap how;
        if (seconds == 1.0)
            motion_warn(&scan->input->warnings,
                        "Frame Time: 1 second is a placeholder and is ignored");
        else if (!rate_from_frame_time(word.begin, word.size, !scan->options->literal_rate,
                                       &model->stated_rate, &how))
            model->stated_rate = (pm_rational){0, 0};
        return true;
    }
    if (seconds == 1.0)
        return bvh_refuse_about(
            scan, word.begin, about_rate,
            "Frame Time: 1 second is a placeholder; expected the real frame time");
    if (!rate_from_frame_time(word.begin, word.size, !scan->options->literal_rate, &model->rate,
                              &model->rate_how))
        return bvh_refuse_about(scan, word.begin, about_rate,
                                "Frame Time: is %s seconds; expected 1e-9 to 1e9", BVH_SHOWN(word));
    return true;
}

/* Whether the head ends here: the next word is not one of its keywords. */
static bool at_row(const bvh_scan *scan) {
    bvh_scan ahead = *scan;
    text_span word = bvh_next_word(&ahead);
    return !text_is(word, "Frames") && !text_is(word, "Frames:") && !text_is(word, "Frame") &&
           !(word.size > 7 && text_is((text_span){word.begin, 7}, "Frames:"));
}

bool bvh_scan_head(bvh_scan *scan) {
    bool frames = false, time = false;
    scan->model->rate = scan->options->source_rate;
    while (!at_row(scan)) {
        text_span word = bvh_next_word(scan);
        if (text_is(word, "Frame")) {
            word = bvh_next_word(scan);
            if (word.size < 4 || !text_is((text_span){word.begin, 4}, "Time"))
                return bvh_refuse(scan, word.begin, "expected 'Time:' after 'Frame'");
            if (!take_colon(scan, &word) || !read_frame_time(scan))
                return false;
            time = true;
        } else {
            if (!take_colon(scan, &word) || !read_frames(scan))
                return false;
            frames = true;
        }
    }
    if (!time && scan->options->source_rate.den == 0)
        return bvh_refuse_about(scan, scan->at, about_rate, "Frame Time: is missing");
    if (!frames)
        scan->model->frames_stated = UINT64_MAX;
    return true;
}

typedef struct row_reader {
    bvh_scan *scan;
    size_t count;      /* numbers read of the row */
    const char *begin; /* start of its first number */
    const char *end;   /* end of its last number */
    bool held;
    size_t capacity; /* allocated rows */
} row_reader;

static bool grow_rows(row_reader *r) {
    bvh *model = r->scan->model;
    size_t channels = model->channel_count, wanted = r->capacity * 2;
    if (r->capacity == 0) {
        /* The stated number of rows, if the text is long enough for it. */
        size_t possible = (size_t)(r->scan->end - r->scan->at) / 2 / channels + 1;
        wanted = model->frames_stated < possible ? (size_t)model->frames_stated + 1 : 16;
    }
    if (wanted > SIZE_MAX / sizeof(double) / channels || wanted > SIZE_MAX / sizeof(bvh_row))
        return bvh_out_of_memory(r->scan);
    double *values = realloc(model->values, wanted * channels * sizeof *values);
    model->values = values ? values : model->values;
    bvh_row *rows = realloc(model->rows, wanted * sizeof *rows);
    model->rows = rows ? rows : model->rows;
    if (!values || !rows)
        return bvh_out_of_memory(r->scan);
    r->capacity = wanted;
    return true;
}

static void end_row(row_reader *r) {
    bvh *model = r->scan->model;
    model->rows[model->frame_count++] = (bvh_row){{r->begin, (size_t)(r->end - r->begin)}, r->held};
    r->count = 0;
    r->held = false;
}

static bool refuse_too_long(row_reader *r, const char *location) {
    bvh_scan *scan = r->scan;
    const bool spans_lines =
        text_line_of(scan->begin, r->begin) != text_line_of(scan->begin, location);
    return bvh_refuse(scan, spans_lines ? r->begin : location,
                      "row has %zu numbers; expected %zu, one per channel",
                      count_words(scan, r->begin), scan->model->channel_count);
}

/* Handles NaN and infinity: takes the value of the row before, or fails. */
static bool take_not_finite(row_reader *r, text_span word, double *value) {
    bvh_scan *scan = r->scan;
    const bvh *model = scan->model;
    char joint[BVH_JOINT_TEXT];
    text_span channel = model->channels[r->count].name;
    if (!scan->input->gaps && scan->options->hold_nan && model->frame_count > 0) {
        *value = value[-(ptrdiff_t)model->channel_count];
        r->held = true;
        return true;
    }
    bvh_describe_joint(model, model->channels[r->count].joint, joint);
    if (scan->input->gaps) {
        size_t line = scan->input->gaps->count == 0 ? text_line_of(scan->begin, word.begin) : 0;
        motion_add_gap(scan->input->gaps, "line %zu: %.120s, %.40s", line, joint,
                       BVH_SHOWN(channel));
        *value = scan->input->gaps->keeps_nan ? (double)NAN
                 : model->frame_count > 0     ? value[-(ptrdiff_t)model->channel_count]
                                              : 0;
        r->held = true;
        return true;
    }
    const motion_about hold = {
        .cure = "nan", .cure_value = "hold", .hint = "uses the value of the row before"};
    return bvh_refuse_about(
        scan, word.begin, scan->options->hold_nan ? (motion_about){.cure = NULL} : hold,
        "%s, %s: '%s' is not a finite number%s", joint, BVH_SHOWN(channel), BVH_SHOWN(word),
        scan->options->hold_nan ? ", and there is no earlier row to take a value from" : "");
}

/* Whether a line that begins with a word other than a number is still a damaged row. */
static bool looks_like_row(const bvh_scan *scan, text_span word) {
    double number;
    size_t commas = 0;
    return text_read_number(word.begin, word.begin + word.size, &number, &commas) != NULL ||
           count_words(scan, word.begin) == scan->model->channel_count;
}

/* A word that is not a number ends the motion if it follows the last row. It is an error inside a
 * row, and in place of a row that Frames: announces. */
static bool take_text(row_reader *r, text_span word, bool *done) {
    bvh_scan *scan = r->scan;
    const bvh *model = scan->model;
    size_t channels = model->channel_count;
    char joint[BVH_JOINT_TEXT];
    bool commas = memchr(word.begin, ',', word.size) != NULL;
    if (r->count == channels && model->frame_count + 1 >= model->frames_stated)
        end_row(r);
    if (r->count == 0 &&
        (model->frame_count >= model->frames_stated || !looks_like_row(scan, word))) {
        motion_warn(&scan->input->warnings, "line %zu: text after the last row is ignored",
                    text_line_of(scan->begin, word.begin));
        *done = true;
        return true;
    }
    if (r->count == channels)
        return bvh_refuse(scan, word.begin, "unexpected '%s' after a row", BVH_SHOWN(word));
    bvh_describe_joint(model, model->channels[r->count].joint, joint);
    return bvh_refuse(scan, word.begin, "%s: '%s' is not a number%s", joint, BVH_SHOWN(word),
                      commas ? "; a comma is accepted only as a decimal mark, between digits" : "");
}

/* Handles a word that text_read_number does not read completely. */
static bool take_odd_word(row_reader *r, double *value, bool *done) {
    bvh_scan *scan = r->scan;
    const char *start = scan->at, *end = start;
    while (end < scan->end && !text_is_blank(*end) && *end != '\0')
        end++;
    const text_span word = {start, (size_t)(end - start)};
    scan->at = end;
    if (r->count < scan->model->channel_count) {
        double number;
        size_t commas = 0;
        if (text_is_not_finite(start, end) ||
            (text_read_number(start, end, &number, &commas) == end && end > start))
            return take_not_finite(r, word, value);
    }
    return take_text(r, word, done);
}

static bool take_number(row_reader *r, bool *done) {
    bvh_scan *scan = r->scan;
    bvh *model = scan->model;
    size_t channels = model->channel_count, commas = scan->commas;
    double scratch;
    if (model->frame_count == r->capacity && !grow_rows(r))
        return false;
    double *value =
        r->count < channels ? model->values + model->frame_count * channels + r->count : &scratch;
    const char *end = text_read_number(scan->at, scan->end, value, &scan->commas);
    if (r->count == 0)
        r->begin = scan->at;
    if (!end || (end < scan->end && !text_is_blank(*end) && *end != '\0') || isinf(*value)) {
        scan->commas = commas;
        if (!take_odd_word(r, value, done) || *done)
            return !scan->failed;
    } else if (r->count == channels) {
        return refuse_too_long(r, scan->at);
    } else {
        scan->at = end;
    }
    r->count++;
    r->end = scan->at;
    return true;
}

static bool check_row_count(bvh_scan *scan) {
    const bvh *model = scan->model;
    uint64_t stated = model->frames_stated;
    if (model->frame_count == 0)
        return bvh_refuse(scan, scan->at, "no frames; expected at least one row");
    if (stated == model->frame_count)
        return true;
    if (scan->options->strict) {
        const char *location = scan->frames ? scan->frames : scan->at;
        return stated == UINT64_MAX
                   ? bvh_refuse(scan, location, "Frames: is missing or too large")
                   : bvh_refuse(scan, location, "Frames: is %llu, but the file has %zu rows",
                                (unsigned long long)stated, model->frame_count);
    }
    if (stated == UINT64_MAX)
        motion_warn(&scan->input->warnings,
                    "Frames: is missing or too large; the file has %zu rows", model->frame_count);
    else
        motion_warn(&scan->input->warnings,
                    "Frames: is %llu, but the file has %zu rows; all rows are used",
                    (unsigned long long)stated, model->frame_count);
    return true;
}

bool bvh_scan_rows(bvh_scan *scan) {
    row_reader r = {scan, 0, scan->at, scan->at, false, 0};
    bool done = false;
    while (!done) {
        bool ends_line = false;
        while (scan->at < scan->end && text_is_blank(*scan->at)) {
            ends_line |= *scan->at == '\n' || *scan->at == '\r';
            scan->at++;
        }
        if ((ends_line || scan->at == scan->end) && r.count == scan->model->channel_count)
            end_row(&r);
        if (scan->at == scan->end)
            break;
        if (!take_number(&r, &done))
            return false;
    }
    if (r.count != 0)
        return bvh_refuse(scan, r.begin, "last row has %zu numbers; expected %zu, one per channel",
                          r.count, scan->model->channel_count);
    return check_row_count(scan);
}
