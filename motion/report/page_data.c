/* SPDX-License-Identifier: MIT
 *
 * Numbers of 16 bits: a place is a part of the box around all places, a value a part of the largest
 * of its joint. Of values 65535 is one that is not known. Little endian, as all bytes of the page.
 */
#define _POSIX_C_SOURCE 200809L

#include "motion/report/page.h"

#include "motion/base/base64.h"
#include "motion/base/json.h"
#include "motion/model/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 3 * 4096, MOST_KEYS = 200000 };

#define NO_VALUE 65535u
#define LARGEST_VALUE 65534.0
#define LARGEST_PLACE 65535.0

static const char *const value_names[PAGE_VALUES] = {
    "angle",  "distance",  "velocity",  "acceleration",  "angleA",
    "angleB", "velocityA", "velocityB", "accelerationA", "accelerationB"};

/* ---- blocks -------------------------------------------------------------------------------- */

typedef struct block {
    FILE *file;
    unsigned char bytes[GROUP];
    size_t size;
} block;

/* Data of other clips than the first have their numbers before their names: c2-times. */
static void write_id(FILE *file, const page *p, const char *name) {
    fputs(" id=\"", file);
    if (p->is_other)
        fprintf(file, "c%zu-", p->clip);
    fprintf(file, "%s\">", name);
}

static void begin_block(block *b, FILE *file, const page *p, const char *name) {
    b->file = file;
    b->size = 0;
    fputs("<script type=\"text/plain\"", file);
    write_id(file, p, name);
}

static void flush_block(block *b) {
    char text[4 * GROUP / 3];
    fwrite(text, 1, base64_encode(b->bytes, b->size, text), b->file);
    b->size = 0;
}

static void add_byte(block *b, unsigned byte) {
    b->bytes[b->size++] = (unsigned char)(byte & 255);
    if (b->size == GROUP)
        flush_block(b);
}

static void add_16(block *b, unsigned number) {
    add_byte(b, number);
    add_byte(b, number >> 8);
}

static void add_double(block *b, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    for (int i = 0; i < 64; i += 8)
        add_byte(b, (unsigned)(bits >> i & 255));
}

static void end_block(block *b) {
    flush_block(b);
    fputs("</script>\n", b->file);
}

/* ---- places and values --------------------------------------------------------------------- */

typedef struct box {
    double low[3], high[3];
} box;

static box box_of(const page_frames *f) {
    box b = {{(double)INFINITY, (double)INFINITY, (double)INFINITY},
             {-(double)INFINITY, -(double)INFINITY, -(double)INFINITY}};
    for (size_t side = 0; side < 2 && f->places[side]; side++) {
        for (size_t i = 0; i < 3 * f->joints * f->count; i++) {
            b.low[i % 3] = fmin(b.low[i % 3], (double)f->places[side][i]);
            b.high[i % 3] = fmax(b.high[i % 3], (double)f->places[side][i]);
        }
    }
    return b;
}

static void write_places(block *b, FILE *file, const page *p, size_t side, const box *around) {
    const page_frames *f = p->frames;
    begin_block(b, file, p, side == 0 ? "placesA" : "placesB");
    for (size_t i = 0; i < 3 * f->joints * f->count; i++) {
        const double low = around->low[i % 3], size = around->high[i % 3] - low;
        const double at = (double)f->places[side][i];
        const double part = size > 0 && !isnan(at) ? (at - low) / size : 0;
        add_16(b, (unsigned)lround(part * LARGEST_PLACE));
    }
    end_block(b);
}

static double largest_of(const page_frames *f, size_t value, size_t joint) {
    double largest = 0;
    for (size_t i = 0; i < f->count; i++)
        largest = fmax(largest, (double)f->values[value][i * f->joints + joint]);
    return largest;
}

static void write_values(block *b, FILE *file, const page *p, size_t value) {
    const page_frames *f = p->frames;
    begin_block(b, file, p, value_names[value]);
    for (size_t j = 0; j < f->joints; j++) {
        const double largest = largest_of(f, value, j);
        for (size_t i = 0; i < f->count; i++) {
            const double number = (double)f->values[value][i * f->joints + j];
            const double part = largest > 0 ? number / largest : 0;
            add_16(b, isnan(number) ? NO_VALUE : (unsigned)lround(part * LARGEST_VALUE));
        }
    }
    end_block(b);
}

/* ---- the head ------------------------------------------------------------------------------ */

static void write_timeline(json_writer *json, const subject *s, const pm_timeline *timeline) {
    json_begin_object(json, NULL);
    json_write_integer(json, "count", timeline->key_count);
    if (!timeline->times) {
        json_write_number(json, "begin", evaluate_key_time(timeline, 0) - s->begin);
        json_write_number(json, "step", (double)timeline->rate.den / (double)timeline->rate.num);
    } else {
        json_begin_array(json, "times");
        for (size_t k = 0; k < timeline->key_count; k++)
            json_write_number(json, NULL, (double)(float)(timeline->times[k] - s->begin));
        json_end_array(json);
    }
    json_end_object(json);
}

/* Keys of files with very many listed times are left out. A timeline counts as some keys. */
static bool lists_keys(const subject *s, size_t clips, size_t *keys) {
    enum { TIMELINE_KEYS = 5 };
    *keys = 0;
    for (size_t t = 0; t < s->clip->timeline_count; t++) {
        const pm_timeline *timeline = &s->clip->timelines[t];
        *keys += TIMELINE_KEYS + (timeline->times ? timeline->key_count : 0);
    }
    return *keys <= MOST_KEYS / clips;
}

size_t page_keys_text(const subject *s, size_t clips) {
    enum { KEY_TEXT = 21 };
    size_t keys = 0;
    return lists_keys(s, clips, &keys) ? keys * KEY_TEXT : 0;
}

static void write_keys(json_writer *json, const page_frames *f, const subject *s, bool is_b,
                       const char *key) {
    size_t keys = 0;
    if (!lists_keys(s, f->clips, &keys)) {
        json_write_null(json, key);
        return;
    }
    json_begin_object(json, key);
    json_begin_array(json, "timelines");
    for (size_t t = 0; t < s->clip->timeline_count; t++)
        write_timeline(json, s, &s->clip->timelines[t]);
    json_end_array(json);
    json_begin_array(json, "joints");
    for (size_t p = 0; p < f->joints; p++) {
        const joint_pair pair = f->c->pairs->pairs[p];
        const size_t joint = is_b ? pair.b : pair.a;
        const pm_motion_channel *channel = s->channels[joint].of[0];
        json_write_signed(json, NULL, channel ? (int64_t)channel->timeline : -1);
    }
    json_end_array(json);
    json_end_object(json);
}

static void write_numbers(json_writer *json, const char *key, const double *numbers) {
    json_begin_array(json, key);
    for (size_t i = 0; i < 3; i++)
        json_write_number(json, NULL, numbers[i]);
    json_end_array(json);
}

static void write_scales(json_writer *json, const page_frames *f, bool one) {
    json_begin_object(json, "scales");
    for (size_t v = one ? MEASURE_COUNT : 0; v < PAGE_VALUES; v += one ? 2 : 1) {
        json_begin_array(json, value_names[v]);
        for (size_t p = 0; p < f->joints; p++)
            json_write_number(json, NULL, largest_of(f, v, p) / LARGEST_VALUE);
        json_end_array(json);
    }
    json_end_object(json);
}

/* Where the colours of each difference end. */
static void write_ends(json_writer *json, const comparison *c) {
    json_begin_object(json, "ends");
    for (size_t m = 0; m < MEASURE_COUNT; m++)
        json_write_number(json, value_names[m], c->scales[m].end);
    json_end_object(json);
}

typedef struct head_content {
    const page *page;
    const box *around;
} head_content;

static bool write_head(FILE *file, const void *content) {
    const page *shown = ((const head_content *)content)->page;
    const page_frames *f = shown->frames;
    const box *around = ((const head_content *)content)->around;
    const comparison *c = f->c;
    const bool one = c->a == c->b;
    json_writer json = {file, JSON_LINE, false};
    json_begin_object(&json, NULL);
    json_write_bool(&json, "one", one);
    json_write_integer(&json, "first", page_first_joint(shown));
    json_write_integer(&json, "frames", f->count);
    json_write_integer(&json, "perFrame", f->per_frame);
    json_write_number(&json, "begin", c->start);
    json_write_number(&json, "seconds", c->seconds);
    json_write_number(&json, "unitMm", c->a->unit_mm > 0 ? c->a->unit_mm : (double)NAN);
    json_write_integer(&json, "up", (uint64_t)c->a->up);
    json_write_bool(&json, "hasPlaces", f->places[0] != NULL);
    if (f->places[0]) {
        write_numbers(&json, "low", around->low);
        write_numbers(&json, "high", around->high);
    }
    json_begin_array(&json, "names");
    for (size_t p = 0; p < f->joints; p++)
        json_write_string(&json, NULL, subject_name(c->a, c->pairs->pairs[p].a).text);
    json_end_array(&json);
    json_begin_array(&json, "parents");
    for (size_t p = 0; p < f->joints; p++)
        json_write_signed(&json, NULL, f->parents[p]);
    json_end_array(&json);
    json_begin_array(&json, "worst");
    for (size_t i = 0; i < f->joints; i++)
        json_write_integer(&json, NULL, c->by_worst[i]);
    json_end_array(&json);
    write_keys(&json, f, c->a, false, "keysA");
    if (!one)
        write_keys(&json, f, c->b, true, "keysB");
    write_scales(&json, f, one);
    write_ends(&json, c);
    json_end_object(&json);
    return true;
}

/* The JSON is made in memory, because a script element needs one more escape. */
static bool write_head_element(FILE *file, const page *p, const box *around) {
    const head_content content = {p, around};
    size_t size = 0;
    FREED char *text = compose_text(write_head, &content, &size);
    if (!text)
        return false;
    fputs("<script type=\"application/json\"", file);
    write_id(file, p, "head");
    page_write_script_json(file, text, size);
    fputs("</script>\n", file);
    return true;
}

static bool write_clip(FILE *file, const page *p) {
    const page_frames *f = p->frames;
    const bool one = page_is_one(p);
    const box around = box_of(f);
    FREED block *b = malloc(sizeof *b);
    if (!b || !write_head_element(file, p, &around))
        return false;
    begin_block(b, file, p, "times");
    for (size_t i = 0; i < f->count; i++)
        add_double(b, f->times[i]);
    end_block(b);
    for (size_t side = 0; side < (one ? 1 : 2) && f->places[side]; side++)
        write_places(b, file, p, side, &around);
    for (size_t v = one ? MEASURE_COUNT : 0; v < PAGE_VALUES; v += one ? 2 : 1)
        write_values(b, file, p, v);
    return true;
}

bool page_write_data(FILE *file, const page *p) {
    bool done = write_clip(file, p);
    for (size_t i = 0; done && i < p->other_count; i++)
        done = write_clip(file, &p->others[i]);
    return done;
}
