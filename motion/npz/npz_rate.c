/* SPDX-License-Identifier: MIT
 *
 * Rates of arrays. A number is taken as the shortest decimal that reads back in its precision, and
 * that decimal as an interval (rate.h); so is its reciprocal, because many rates were computed from
 * a frame time: 59.9999885559082 is float32's 1/0.01666667, which is 60 Hz.
 */
#define _POSIX_C_SOURCE 200809L

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/files/input.h"
#include "motion/npz/npz.h"
#include "motion/npz/npz_numbers.h"
#include "motion/text/text.h"
#include "motion/time/rate.h"

/* ---- decimals -------------------------------------------------------------------------- */

/* Writes digits with `places` of them after the point. */
static void place_point(uint64_t digits, int places, char text[NPZ_DECIMAL_TEXT]) {
    char all[NPZ_DECIMAL_TEXT];
    const int length = snprintf(all, sizeof all, "%0*llu", places < 40 ? places + 1 : 41,
                                (unsigned long long)digits);
    const int whole = places > 0 && places < length ? length - places : length;
    snprintf(text, NPZ_DECIMAL_TEXT, "%.*s%s%s", whole, all, whole < length ? "." : "",
             all + whole);
}

static bool reads_back(const char *text, double value, bool is_float) {
    double again = 0.0;
    size_t commas = 0;
    text_read_number(text, text + strlen(text), &again, &commas);
    return is_float ? (float)again == (float)value : again == value;
}

/* The decimal with the fewest digits that reads back as `value`, between 1e-10 and 1e10. Returns how
 * many digits stand after the point. */
static int write_shortest(double value, bool is_float, char text[NPZ_DECIMAL_TEXT]) {
    const int first = (int)floor(log10(value));
    int places = 0;
    for (int digits = 1; digits <= 17; digits++) {
        places = digits - 1 - first;
        places = places > 0 ? places : 0;
        const long double scaled = (long double)value * powl(10.0L, (long double)places);
        place_point((uint64_t)llroundl(scaled), places, text);
        if (reads_back(text, value, is_float))
            break;
    }
    return places;
}

/* ---- recognising ----------------------------------------------------------------------- */

/* N*1000/1001 within half a unit of the last place of a rate. */
static bool is_ntsc(double value, int places, pm_rational *rate) {
    const double whole = floor(value * 1.001 + 0.5), exact = whole * 1000.0 / 1001.0;
    if (whole < 1.0 || !(fabs(exact - value) <= 0.5 * pow(10.0, -places)))
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
    const double power = pow(10.0, 14 - floor(log10(seconds)));
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

/* ---- members --------------------------------------------------------------------------- */

static pm_status read_value(const npz_document *document, const npz_rate *r, double *value,
                            pm_error *error) {
    const char *at = r->bytes.data + r->data_at;
    size_t size;
    bool is_signed;
    if (npz_is_float(r->type))
        npz_load_numbers(value, at, npy_element_size(r->type), 1);
    else if (npz_is_integer(r->type, &size, &is_signed))
        *value = npz_load_integer(at, size, is_signed);
    else
        return npz_refuse(error, &document->archive.members[r->member],
                          "has type '%s'; expected a number, the rate", r->type);
    return PM_OK;
}

bool npz_describe_rate(const npz_rate *rate, char text[NPZ_DECIMAL_TEXT]) {
    write_shortest(rate->value, strcmp(rate->type, "<f4") == 0, text);
    return fabs(rate_value(rate->rate) - rate->value) > 1e-12 * rate->value;
}

static void warn_of_snap(const npz_document *document, const motion_input *input,
                         const npz_rate *r) {
    char shown[MOTION_PRINTABLE], found[NPZ_DECIMAL_TEXT], text[RATE_TEXT];
    if (!npz_describe_rate(r, found))
        return;
    rate_describe(r->rate, text);
    motion_warn(&input->warnings, "member '%s' is %s, read as %s",
                npz_shown(shown, &document->archive.members[r->member]), found, text);
}

static bool has_given_rate(const motion_input *input) {
    return input->options->source_rate.den != 0;
}

static pm_status add_rate(npz_document *document, const motion_input *input, size_t member,
                          pm_error *error) {
    npz_rate *r = &document->rates[document->rate_count];
    const zip_member *m = &document->archive.members[member];
    npy_header header;
    size_t count = 0;
    *r = (npz_rate){.member = member};
    pm_status status = npz_load(document, member, &header, &r->bytes, error);
    if (status != PM_OK)
        return status;
    if (!npy_count(&header, &count) || count != 1)
        return npz_refuse(error, m, "has more or fewer than one number; expected the rate");
    memcpy(r->type, header.type, sizeof r->type);
    r->data_at = header.data_at;
    status = read_value(document, r, &r->value, error);
    if (status != PM_OK)
        return status;
    const bool is_float = strcmp(r->type, "<f4") == 0;
    if (npz_recognise_rate(r->value, is_float, !input->options->literal_rate, &r->rate))
        warn_of_snap(document, input, r);
    else if (has_given_rate(input))
        r->rate = (pm_rational){0, 0};
    else
        return npz_refuse(error, m, "is %.17g; expected a rate above 0, in Hz", r->value);
    document->rate_count++;
    return PM_OK;
}

static pm_status add_named(npz_document *document, const motion_input *input, const char *name,
                           pm_error *error) {
    size_t member;
    const pm_status status = npz_find(&document->archive, name, &member, error);
    if (status != PM_OK || member == SIZE_MAX)
        return status;
    for (size_t i = 0; i < document->rate_count; i++)
        if (document->rates[i].member == member)
            return PM_OK;
    if (document->rate_count == NPZ_MAX_RATES)
        return motion_refuse(error, "layout has more than %d rates", (int)NPZ_MAX_RATES);
    return add_rate(document, input, member, error);
}

/* ---- a table of rates ------------------------------------------------------------------- */

/* Whether the pattern is that of the path, or of its last names. */
static bool is_of_path(const char *pattern, const char *path) {
    for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (fnmatch(pattern, at, 0) == 0)
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
static pm_status read_table(const motion_input *input, bool *found, pm_rational *rate,
                            pm_error *error) {
    char reason[INPUT_REASON_SIZE] = "", shown[MOTION_PRINTABLE], *text = NULL;
    const char *path = input->options->rates_file;
    size_t size = 0, number = 1;
    if (!input_read_beside(path, NULL, INPUT_BESIDE_MAX, &text, &size, reason))
        return motion_refuse(error, "table of rates '%s' %s",
                             motion_printable(shown, path, strlen(path)), reason);
    char *end = text + size;
    pm_status status = PM_OK;
    for (char *line = text; line < end && status == PM_OK; number++) {
        char *next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next : end;
        *next = '\0';
        if (!read_line(line, input->warnings.name, found, rate))
            status = motion_refuse(error,
                                   "table of rates '%s': line %zu: expected a pattern "
                                   "of paths and a rate",
                                   motion_printable(shown, path, strlen(path)), number);
        line = next + 1;
    }
    free(text);
    return status;
}

/* ---- deciding --------------------------------------------------------------------------- */

static bool same(pm_rational a, pm_rational b) {
    return a.num == b.num && a.den == b.den;
}

/* A warning, or a refusal with `strict`. */
static pm_status complain(const motion_input *input, const char *what, pm_rational a, pm_rational b,
                          pm_error *error) {
    char first[RATE_TEXT], second[RATE_TEXT];
    rate_describe(a, first);
    rate_describe(b, second);
    if (input->options->strict)
        return motion_refuse(error, "%s: %s and %s; expected one rate", what, first, second);
    motion_warn(&input->warnings, "%s: %s and %s; the latter is used", what, first, second);
    return PM_OK;
}

static pm_status decide(npz_document *document, const motion_input *input, const npz_layout *layout,
                        npz_clip_rate *clip, pm_error *error) {
    const int usual = layout->rate;
    bool found = document->rate_count > 0, in_table = false;
    pm_rational stated = {0, 0};
    pm_status status = PM_OK;
    pm_rational *rate = &clip->rate;
    *rate = found ? document->rates[0].rate : stated;
    for (size_t i = 1; i < document->rate_count && status == PM_OK; i++)
        if (!same(document->rates[i].rate, *rate))
            status = complain(input, "members with the rate disagree", document->rates[i].rate,
                              *rate, error);
    if (status == PM_OK && input->options->rates_file)
        status = read_table(input, &in_table, &stated, error);
    if (status == PM_OK && in_table && found && !same(stated, *rate))
        status = complain(input, "the file and the table of rates disagree", *rate, stated, error);
    if (in_table)
        *rate = stated;
    clip->source = found && !in_table ? &document->rates[0] : NULL;
    if (status == PM_OK && !found && !in_table && usual > 0) {
        *rate = (pm_rational){usual, 1};
        motion_warn(&input->warnings, "no member holds the rate; it is taken as %d Hz", usual);
        return PM_OK;
    }
    if (status == PM_OK && !found && !in_table)
        status = npz_find_times(document, layout, error);
    if (status == PM_OK && !found && !in_table && !document->has_times)
        return motion_refuse(error, "no member holds the rate; expected mocap_framerate, "
                                    "mocap_frame_rate, fps or rate, or a source rate");
    return status;
}

pm_status npz_find_rate(npz_document *document, const motion_input *input, const npz_layout *layout,
                        npz_clip_rate *rate, pm_error *error) {
    static const char *const spellings[] = {"mocap_framerate", "mocap_frame_rate"};
    pm_status status = PM_OK;
    for (size_t i = 0; i < layout->count && status == PM_OK; i++)
        if (layout->fields[i].role == NPZ_RATE)
            status = add_named(document, input, layout->fields[i].member, error);
    for (size_t i = 0; i < 2 && status == PM_OK; i++)
        status = add_named(document, input, spellings[i], error);
    if (status == PM_OK && has_given_rate(input))
        *rate = (npz_clip_rate){.rate = input->options->source_rate};
    else if (status == PM_OK)
        status = decide(document, input, layout, rate, error);
    return status;
}

/* ---- writing ---------------------------------------------------------------------------- */

static pm_status store_integer(const zip_archive *archive, const npz_rate *source, pm_rational rate,
                               char *at, pm_error *error) {
    size_t size;
    bool is_signed;
    char text[RATE_TEXT];
    npz_is_integer(source->type, &size, &is_signed);
    const uint64_t most = UINT64_MAX >> (64 - 8 * size) >> (is_signed ? 1 : 0);
    rate_describe(rate, text);
    if (rate.den != 1 || (uint64_t)rate.num > most)
        return npz_refuse(error, &archive->members[source->member],
                          "has the integer type '%s', which cannot hold %s; expected a rate that "
                          "it can hold",
                          source->type, text);
    for (size_t i = 0; i < size; i++)
        at[i] = (char)((uint64_t)rate.num >> 8 * i & 0xff);
    return PM_OK;
}

pm_status npz_make_rate(const zip_archive *archive, const npz_rate *source, pm_rational rate,
                        char **bytes, pm_error *error) {
    const double value = rate_value(rate);
    *bytes = malloc(source->bytes.size);
    if (!*bytes)
        return motion_refuse_memory(error);
    memcpy(*bytes, source->bytes.data, source->bytes.size);
    char *at = *bytes + source->data_at;
    if (!npz_is_float(source->type))
        return store_integer(archive, source, rate, at, error);
    npz_store_numbers(at, &value, npy_element_size(source->type), 1);
    return PM_OK;
}
