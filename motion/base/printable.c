/* SPDX-License-Identifier: MIT
 *
 * Detects UTF-8 and control characters, and escapes what must not reach a terminal.
 */
#include "motion/base/printable.h"

#include "motion/base/fault.h"

#include <stdlib.h>
#include <string.h>

/* The length of a character by its first byte; 0 if no character starts with the byte. */
static size_t announced_length(unsigned char byte) {
    return byte < 0x80 ? 1 : byte < 0xc2 || byte > 0xf4 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

size_t utf8_length(const char *text, size_t size) {
    const unsigned char *at = (const unsigned char *)text;
    size_t length = size > 0 ? announced_length(at[0]) : 0;
    if (length > size)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if (length >= 3 && ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
                        (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f)))
        return 0;
    return length;
}

uint32_t utf8_code(const char *character, size_t length) {
    static const unsigned char of_first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    const unsigned char *at = (const unsigned char *)character;
    uint32_t code = at[0] & of_first[length];
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (at[i] & 0x3fu);
    return code;
}

size_t utf8_write(char *out, uint32_t code) {
    static const unsigned lead[] = {0, 0xc0, 0xe0, 0xf0};
    code = code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0xfffd : code;
    const size_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    out[0] = (char)(lead[more] | code >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3f));
    return more + 1;
}

/* Unicode's categories Cc, Zl, Zp and Cf, without the joiners that words and emoji are written with,
 * the soft hyphen, and the signs of numbers that are seen. */
bool utf8_is_control(const char *character, size_t length) {
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0, 0x1f},         {0x7f, 0x9f},     {0x61c, 0x61c},     {0x180e, 0x180e},
                  {0x200b, 0x200b},  {0x200e, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},
                  {0xfeff, 0xfeff},  {0xfff9, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
                  {0xe0001, 0xe007f}};
    const uint32_t code = utf8_code(character, length);
    bool found = false;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0] && !found; i++)
        found = code >= ranges[i].first && code <= ranges[i].last;
    return found;
}

size_t printable_text(char *out, size_t room, const char *text, size_t size) {
    size_t used = 0;
    for (size_t at = 0; at < size;) {
        size_t length = utf8_length(text + at, size - at);
        bool plain = length > 0 && !utf8_is_control(text + at, length);
        size_t taken = length > 0 ? length : 1;
        size_t needed = plain ? taken : ESCAPED_BYTE_SIZE * taken;
        if (needed >= room - used)
            break;
        for (size_t i = 0; i < taken; i++)
            if (plain)
                out[used++] = text[at + i];
            else
                used += (size_t)snprintf(out + used, room - used, "\\x%02x",
                                         (unsigned)(unsigned char)text[at + i]);
        at += taken;
    }
    out[used] = '\0';
    return used;
}

size_t utf8_cut(const char *text, size_t size, size_t max) {
    if (size <= max)
        return size;
    /* A character that the cut would split begins at most three bytes before it. */
    for (size_t back = 1; back <= 3 && back <= max; back++) {
        size_t begin = max - back;
        if (utf8_length(text + begin, size - begin) > back)
            return begin;
    }
    return max;
}

char *format_alloc(const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

/* Without memory the line is cut, not dropped. */
void printable_line(FILE *file, const char *format, ...) {
    char cut[512], cut_printable[sizeof cut * ESCAPED_BYTE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    FREED char *text = format_alloc(format, arguments);
    va_end(arguments);
    if (!text) {
        va_start(arguments, format);
        vsnprintf(cut, sizeof cut, format, arguments);
        va_end(arguments);
    }
    const char *line = text ? text : cut;
    size_t size = strlen(line), room = size * ESCAPED_BYTE_SIZE + 2;
    FREED char *printable = malloc(room);
    char *out = printable ? printable : cut_printable;
    room = printable ? room : sizeof cut_printable;
    size_t used = printable_text(out, room - 1, line, size);
    out[used++] = '\n';
    fwrite(out, 1, used, file);
}
