/* SPDX-License-Identifier: MIT
 *
 * An instance of a square for each character; the fragment shader knows the font.
 */
#include "overlay.h"

#include <stdint.h>
#include <string.h>

#include "font.h"
#include "shaders.h"

enum { CHARACTERS_MAX = 1024, DOT = 2 }; /* a dot has 2 by 2 pixels */

typedef struct character {
    uint32_t column, line, index;
} character;

pm_status overlay_open(overlay *o, pm_error *error) {
    uint32_t font[FONT_CHARACTERS][2];
    *o = (overlay){.program = gl_program(text_vertex, text_fragment, NULL, error)};
    if (!o->program)
        return error->status;
    font_bits(font);
    glUseProgram(o->program);
    glUniform2uiv(glGetUniformLocation(o->program, "font"), FONT_CHARACTERS, font[0]);
    glGenVertexArrays(1, &o->array);
    glGenBuffers(1, &o->characters);
    glBindVertexArray(o->array);
    glBindBuffer(GL_ARRAY_BUFFER, o->characters);
    glEnableVertexAttribArray(0);
    glVertexAttribIPointer(0, 3, GL_UNSIGNED_INT, sizeof(character), NULL);
    glVertexAttribDivisor(0, 1);
    glBindVertexArray(0);
    return gl_check("the overlay", error);
}

void overlay_close(overlay *o) {
    glDeleteBuffers(1, &o->characters);
    glDeleteVertexArrays(1, &o->array);
    glDeleteProgram(o->program);
    *o = (overlay){0};
}

/* The characters of a text; those beyond the limit are left out. */
static size_t lay_out(const char *text, character characters[CHARACTERS_MAX]) {
    size_t count = 0;
    uint32_t column = 0, line = 0;
    for (; *text && count < CHARACTERS_MAX; text++) {
        if (*text == '\n') {
            line++;
            column = 0;
        } else {
            characters[count++] = (character){column++, line, font_index(*text)};
        }
    }
    return count;
}

void overlay_draw(const overlay *o, const char *text, int width, int height) {
    character characters[CHARACTERS_MAX];
    const size_t count = lay_out(text, characters);
    glUseProgram(o->program);
    glUniform2f(glGetUniformLocation(o->program, "size"), (float)width / DOT, (float)height / DOT);
    glBindVertexArray(o->array);
    glBindBuffer(GL_ARRAY_BUFFER, o->characters);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *characters), characters,
                 GL_STREAM_DRAW);
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)count);
    glDisable(GL_BLEND);
}
