/* SPDX-License-Identifier: MIT
 *
 * Rates of arrays. A number is taken as the shortest decimal that reads back in its precision, and
 * that decimal as an interval (rate.h); so is its reciprocal, because many rates were computed from
 * a frame time: 59.9999885559082 is float32's 1/0.01666667, which is 60 Hz.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/elementary.h"
#include "motion/base/wildcard.h"
#include "motion/files/input.h"
#include "motion/npz/npz.h"
#include "motion/npz/npz_numbers.h"
#include "motion/text/text.h"
#include "motion/time/rate.h"

static bool reads_back(const char *text, double value, bool is_float) {
    double again = 0.0;
    size_t commas = 0;
    text_read_number(text, text + strlen(text), &again, &commas);
    return is_float ? (float)again == (float)value : again == value;
}

/* The decimal with the fewest digits that reads back as `value`, between 1e-10 and 1e10. Returns how
 * many digits stand after the point. */
static int write_shortest(double value, bool is_float, char text[NPZ_DECIMAL_TEXT]) {
    const int first = pm_decimal_exponent(value);
    int places = 0;
    for (int digits = 1; digits <= 17; digits++) {
        places = digits - 1 - first;
        places = places > 0 ? places : 0;
        snprintf(text, NPZ_DECIMAL_TEXT, "%.*f", places, value);
        if (reads_back(text, value, is_float))
            break;
    }
    return places;
}

/* N*1000/1001 within half a unit of the last place of a rate. */
static bool is_ntsc(double value, int places, pm_rational *rate) {
    const double whole = floor(value * 1.001 + 0.5), exact = whole * 1000.0 / 1001.0;
    if (whole < 1.0 || !(fabs(exact - value) <= 0.5 * pm_power_of_ten(-places)))
        return false;
    const pm_rational thousandth = {1000, 1001}, count = {(int64_t)whole, 1};
    return rate_multiply(count, thousandth, rate);
}

/* Digits of a decimal text without leading zeros. */
static size_t count_digits(const char *text) {
    size_t count = 0;
    for (text += strspn(text, "0."); *text; text++)
        count += *text != '.';
    return count;
}

/* The rate whose frame time is the reciprocal: a float32, or a short decimal, which must have some
 * digits to stand for more than itself. A rate that is a short decimal was written down, not
 * computed. */
static bool is_reciprocal(double value, const char *written, bool is_float, pm_rational *rate) {
    enum { FLOAT_DIGITS = 6, SHORT = 9, ENOUGH = 4 };
    char text[NPZ_DECIMAL_TEXT];
    rate_snap how = RATE_LITERAL;
    const double seconds = 1.0 / value;
    if (count_digits(written) <= (is_float ? FLOAT_DIGITS : SHORT))
        return false;
    if (is_float) {
        write_shortest(seconds, true, text);
        return rate_from_frame_time(text, strlen(text), true, rate, &how) && how != RATE_LITERAL;
    }
    /* The reciprocal was rounded twice: 15 of its digits are sure. */
    const double power = pm_power_of_ten(14 - pm_decimal_exponent(seconds));
    write_shortest(floor(seconds * power + 0.5) / power, false, text);
    const size_t digits = count_digits(text);
    return digits <= SHORT &&
           rate_from_frame_time(text, strlen(text), digits >= ENOUGH, rate, &how);
}

/* 10/3, as near as neighbours of the number that is stored. */
static bool is_fraction(double value, bool is_float, pm_rational *rate) {
    const double low = is_float ? (double)nextafterf((float)value, 0.0F) : nextafter(value, 0.0);
    return rate_find_simple(low, 2 * value - low, rate);
}

bool npz_recognise_rate(double value, bool is_float, bool snap, pm_rational *rate) {
    char text[NPZ_DECIMAL_TEXT];
    if (!(value >= 1e-9 && value <= 1e9))
        return false;
    if (floor(value) == value) {
        *rate = (pm_rational){(int64_t)value, 1};
        return true;
    }
    is_float = is_float || (double)(float)value == value;
    const int places = write_shortest(value, is_float, text);
    if (snap && (is_ntsc(value, places, rate) || is_reciprocal(value, text, is_float, rate) ||
                 is_fraction(value, is_float, rate)))
        return true;
    return rate_parse(text, rate);
}

static pm_status read_value(const npz_reading *r, npz_rate *rate) {
    const char *at = rate->bytes.data + rate->data_at;
    size_t size;
    bool is_signed;
    if (npz_is_float(rate->type))
        npz_load_numbers(&rate->value, at, npy_element_size(rate->type), 1);
    else if (npz_is_integer(rate->type, &size, &is_signed))
        rate->value = npz_load_integer(at, size, is_signed);
    else
        return npz_refuse(r->error, &r->members[rate->member],
                          "has type '%s'; expected a number, the rate", rate->type);
    return PM_OK;
}

bool npz_describe_rate(const npz_rate *rate, char text[NPZ_DECIMAL_TEXT]) {
    write_shortest(rate->value, strcmp(rate->type, "<f4") == 0, text);
    return fabs(rate_value(rate->rate) - rate->value) > 1e-12 * rate->value;
}

static void warn_of_snap(const npz_reading *r, const npz_rate *rate) {
    char found[NPZ_DECIMAL_TEXT], text[RATE_TEXT];
    if (!npz_describe_rate(rate, found))
        return;
    rate_describe(rate->rate, text);
    npz_warn(r, rate->member, "is %s, read as %s", found, text);
}

static bool has_given_rate(const npz_reading *r) {
    return r->input->options->source_rate.den != 0;
}

static pm_status add_rate(npz_reading *r, size_t member) {
    npz_rate *rate = &r->document->rates[r->document->rate_count];
    npy_header header;
    size_t count = 0;
    *rate = (npz_rate){.member = member};
    MOTION_TRY(npz_load(r, member, &header, &rate->bytes));
    if (!npy_count(&header, &count) || count != 1)
        return npz_refuse(r->error, &r->members[member],
                          "has more or fewer than one number; expected the rate");
    memcpy(rate->type, header.type, sizeof rate->type);
    rate->data_at = header.data_at;
    MOTION_TRY(read_value(r, rate));
    const bool is_float = strcmp(rate->type, "<f4") == 0;
    if (npz_recognise_rate(rate->value, is_float, !r->input->options->literal_rate, &rate->rate))
        warn_of_snap(r, rate);
    else if (has_given_rate(r))
        rate->rate = (pm_rational){0, 0};
    else
        return npz_refuse(r->error, &r->members[member], "is %.17g; expected a rate above 0, in Hz",
                          rate->value);
    r->document->uses[member] = (npz_use){NPZ_THE_RATE, r->document->rate_count++};
    return PM_OK;
}

static pm_status add_named(npz_reading *r, const char *name) {
    const npz_document *d = r->document;
    size_t member;
    const pm_status status = npz_find(&d->archive, name, &member, r->error);
    if (status != PM_OK || member == SIZE_MAX)
        return status;
    if (d->uses[member].as == NPZ_THE_RATE)
        return PM_OK;
    if (d->rate_count == NPZ_MAX_RATES)
        return motion_refuse(r->error, "layout has more than %d rates", (int)NPZ_MAX_RATES);
    return add_rate(r, member);
}

/* Whether the pattern is that of the path, or of its last names. */
static bool is_of_path(const char *pattern, const char *path) {
    for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (wildcard_matches(pattern, at, false))
            return true;
    return false;
}

static char *cut_blanks(char *text) {
    text += strspn(text, " \t");
    size_t size = strlen(text);
    while (size > 0 && strchr(" \t\r,;", text[size - 1]))
        size--;
    text[size] = '\0';
    return text;
}

/* `pattern rate`, with blanks, a comma or a semicolon between. False: not of that form. */
static bool read_line(char *line, const char *path, bool *found, pm_rational *rate) {
    pm_rational value;
    char *text = cut_blanks(line);
    if (*text == '\0' || *text == '#')
        return true;
    char *last = text + strlen(text);
    while (last > text && !strchr(" \t,;", last[-1]))
        last--;
    if (last == text || !rate_parse(last, &value))
        return false;
    last[-1] = '\0';
    if (!*found && is_of_path(cut_blanks(text), path)) {
        *found = true;
        *rate = value;
    }
    return true;
}

/* Looks the file's path up; the first line that matches decides. */
static pm_status read_table(const npz_reading *r, bool *found, pm_rational *rate) {
    char reason[INPUT_REASON_SIZE] = "", shown[MOTION_PRINTABLE], *text = NULL;
    const char *path = r->input->options->rates_file;
    size_t size = 0, number = 1;
    motion_printable(shown, path, strlen(path));
    if (!input_read_beside(path, NULL, INPUT_BESIDE_MAX, &text, &size, reason))
        return motion_refuse(r->error, "table of rates '%s' %s", shown, reason);
    char *end = text + size;
    pm_status status = PM_OK;
    for (char *line = text; line < end && status == PM_OK; number++) {
        char *next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next : end;
        *next = '\0';
        if (!read_line(line, r->input->warnings.name, found, rate))
            status = motion_refuse(r->error,
                                   "table of rates '%s': line %zu: expected a pattern "
                                   "of paths and a rate",
                                   shown, number);
        line = next + 1;
    }
    free(text);
    return status;
}

/* A warning that both rates differ, or a refusal if the options are strict. */
static pm_status compare(const npz_reading *r, const char *what, pm_rational a, pm_rational b) {
    char first[RATE_TEXT], second[RATE_TEXT];
    if (a.num == b.num && a.den == b.den)
        return PM_OK;
    rate_describe(a, first);
    rate_describe(b, second);
    if (r->input->options->strict)
        return motion_refuse(r->error, "%s: %s and %s; expected one rate", what, first, second);
    motion_warn(&r->input->warnings, "%s: %s and %s; the latter is used", what, first, second);
    return PM_OK;
}

/* Files without a rate: that of the layout, or the member `times` of `plain`. */
static pm_status do_without(npz_reading *r) {
    npz_document *d = r->document;
    const int usual = r->layout.rate;
    if (usual > 0) {
        r->rate = (pm_rational){usual, 1};
        motion_warn(&r->input->warnings, "no member holds the rate; it is taken as %d Hz", usual);
        return PM_OK;
    }
    const pm_status status =
        r->layout.has_times ? npz_find(&d->archive, "times", &d->times_member, r->error) : PM_OK;
    d->has_times = status == PM_OK && r->layout.has_times && d->times_member != SIZE_MAX;
    if (d->has_times)
        d->uses[d->times_member].as = NPZ_TIMES;
    if (status == PM_OK && !d->has_times)
        return motion_refuse(r->error, "no member holds the rate; expected mocap_framerate, "
                                       "mocap_frame_rate, fps or rate, or a source rate");
    return status;
}

static pm_status decide(npz_reading *r) {
    const npz_document *d = r->document;
    bool in_table = false;
    pm_rational stated = {0, 0};
    if (d->rate_count > 0)
        r->rate = d->rates[0].rate;
    for (size_t i = 1; i < d->rate_count; i++)
        MOTION_TRY(compare(r, "members with the rate disagree", d->rates[i].rate, r->rate));
    if (r->input->options->rates_file)
        MOTION_TRY(read_table(r, &in_table, &stated));
    if (in_table && d->rate_count > 0)
        MOTION_TRY(compare(r, "the file and the table of rates disagree", r->rate, stated));
    if (in_table)
        r->rate = stated;
    else if (d->rate_count > 0)
        r->rate_source = &d->rates[0];
    else
        return do_without(r);
    return PM_OK;
}

pm_status npz_find_rate(npz_reading *r) {
    static const char *const spellings[] = {"mocap_framerate", "mocap_frame_rate"};
    for (size_t i = 0; i < r->layout.count; i++)
        if (r->layout.fields[i].role == NPZ_RATE)
            MOTION_TRY(add_named(r, r->layout.fields[i].member));
    for (size_t i = 0; i < 2; i++)
        MOTION_TRY(add_named(r, spellings[i]));
    if (!has_given_rate(r))
        return decide(r);
    r->rate = r->input->options->source_rate;
    return PM_OK;
}

static pm_status load_times(npz_reading *r, size_t member, npy_header *h, zip_bytes *bytes) {
    const bool headers_only = r->document->headers_only;
    r->document->headers_only = false; /* without its times a clip is none */
    const pm_status status = npz_load(r, member, h, bytes);
    r->document->headers_only = headers_only;
    return status;
}

pm_status npz_compare_times(npz_reading *r) {
    const size_t frames = r->document->frames;
    size_t member;
    npy_header h;
    zip_bytes bytes;
    double times[2];
    MOTION_TRY(npz_find(&r->document->archive, "times", &member, r->error));
    if (!r->layout.has_times || !r->rate_source || member == SIZE_MAX || frames < 2)
        return PM_OK;
    MOTION_TRY(load_times(r, member, &h, &bytes));
    if (!npz_is_float(h.type) || h.rank != 1 || h.shape[0] != frames)
        return PM_OK;
    const size_t size = npy_element_size(h.type);
    npz_load_numbers(&times[0], bytes.data + h.data_at, size, 1);
    npz_load_numbers(&times[1], bytes.data + h.data_at + (frames - 1) * size, size, 1);
    const double own = times[1] - times[0], seconds = (double)(frames - 1) / rate_value(r->rate);
    if (fabs(own - seconds) <= 0.5 / rate_value(r->rate))
        return PM_OK;
    if (r->input->options->strict)
        return npz_refuse(r->error, &r->members[member], "spans %.6g s, and the rate %.6g s", own,
                          seconds);
    motion_warn(&r->input->warnings,
                "member 'times' spans %.6g s, and the rate %.6g s; the rate is used", own, seconds);
    return PM_OK;
}

pm_status npz_read_times(npz_reading *r, const double **times) {
    npz_document *d = r->document;
    const zip_member *member = &r->members[d->times_member];
    const size_t count = d->frames;
    npy_header *h = &d->times_header;
    zip_bytes bytes;
    MOTION_TRY(load_times(r, d->times_member, h, &bytes));
    if (!npz_is_float(h->type) || h->rank != 1 || h->shape[0] != count)
        return npz_refuse(r->error, member,
                          "does not fit; expected %zu of float32 or float64, one per frame", count);
    double *read = motion_allocate(r->arena, count, sizeof *read);
    MOTION_TRY_MEMORY(read, r->error);
    npz_load_numbers(read, bytes.data + h->data_at, npy_element_size(h->type), count);
    *times = read;
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(read[k]) || read[k] < 0)
            return npz_refuse(r->error, member, "is %g at frame %zu; expected seconds from 0 on",
                              read[k], k);
        if (k > 0 && read[k] <= read[k - 1])
            return npz_refuse(r->error, member, "is %.9g s at frame %zu and %.9g s at frame %zu",
                              read[k - 1], k - 1, read[k], k);
    }
    return PM_OK;
}
