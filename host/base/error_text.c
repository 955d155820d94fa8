/* SPDX-License-Identifier: MIT
 *
 * Errors and warnings as text. The names of options and fields are spelled here alone, because each
 * front end writes them in its own way.
 */
#include "status.h"

#include <string.h>

typedef struct writer {
    char *text;
    size_t size, length; /* `length` may be beyond the size */
} writer;

static void put(writer *w, const char *from, size_t count) {
    if (w->length + 1 < w->size) {
        const size_t room = w->size - w->length - 1;
        memcpy(w->text + w->length, from, count < room ? count : room);
    }
    w->length += count;
}

static void put_text(writer *w, const char *text) {
    put(w, text, strlen(text));
}

/* Where a text of UTF-8 that was cut at `end` has its last whole character behind it. */
static size_t whole_end(const char *text, size_t end) {
    size_t begin = end;
    while (begin > 0 && ((unsigned char)text[begin - 1] & 0xC0) == 0x80)
        begin--;
    if (begin == 0)
        return end;
    const unsigned char lead = (unsigned char)text[begin - 1];
    const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    return begin - 1 + bytes > end ? begin - 1 : end;
}

/* Terminates the text, without a part of a character. */
static size_t finish(const writer *w) {
    if (w->size > 0)
        w->text[w->length < w->size ? w->length : whole_end(w->text, w->size - 1)] = '\0';
    return w->length;
}

static void put_name(writer *w, const char *name, pm_spelling spelling) {
    if (spelling != PM_SPELLING_KEYWORD)
        put_text(w, spelling == PM_SPELLING_COMMAND ? "--" : ".");
    for (; *name; name++)
        put(w, *name == '-' && spelling != PM_SPELLING_COMMAND ? "_" : name, 1);
}

/* Numbers and placeholders are not quoted in Python. */
static bool is_bare(const char *value) {
    return strchr("+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", value[0]) != NULL;
}

static void put_value(writer *w, const char *value, pm_spelling spelling) {
    const char *between = spelling == PM_SPELLING_FIELD     ? " = "
                          : spelling == PM_SPELLING_COMMAND ? " "
                                                            : "";
    const bool flag = strcmp(value, "true") == 0;
    const char *quote = spelling == PM_SPELLING_KEYWORD && !flag && !is_bare(value) ? "\"" : "";
    if (flag && spelling == PM_SPELLING_COMMAND)
        return;
    put_text(w, between);
    put_text(w, quote);
    put_text(w, flag && spelling == PM_SPELLING_KEYWORD ? "True" : value);
    put_text(w, quote);
}

static void put_hint(writer *w, const pm_error *error, pm_spelling spelling) {
    if (error->cure)
        put_name(w, error->cure, spelling);
    if (error->cure && spelling == PM_SPELLING_KEYWORD)
        put_text(w, "=");
    if (error->cure && error->cure_value)
        put_value(w, error->cure_value, spelling);
    if (error->cure && error->hint)
        put_text(w, " ");
    if (error->hint)
        put_text(w, error->hint);
}

static void put_message(writer *w, const pm_error *error, pm_spelling spelling) {
    const char *message = error->message[0] ? error->message : pm_status_name(error->status);
    const size_t length = strlen(message);
    const size_t before = error->option_at < length ? error->option_at : length;
    if (!error->option) {
        put(w, message, length);
        return;
    }
    put(w, message, before);
    put_name(w, error->option, spelling);
    put_text(w, ": ");
    put(w, message + before, length - before);
}

size_t pm_error_hint(const pm_error *error, pm_spelling spelling, char *text, size_t size) {
    writer w = {text, text ? size : 0, 0};
    if (error)
        put_hint(&w, error, spelling);
    return finish(&w);
}

size_t pm_error_text(const pm_error *error, pm_spelling spelling, char *text, size_t size) {
    writer w = {text, text ? size : 0, 0};
    if (error)
        put_message(&w, error, spelling);
    if (error && (error->cure || error->hint)) {
        put_text(&w, " (");
        put_hint(&w, error, spelling);
        put_text(&w, ")");
    }
    return finish(&w);
}
