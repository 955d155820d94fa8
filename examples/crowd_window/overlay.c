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
    gl.UseProgram(o->program);
    gl.Uniform2uiv(gl.GetUniformLocation(o->program, "font"), FONT_CHARACTERS, font[0]);
    gl.GenVertexArrays(1, &o->array);
    gl.GenBuffers(1, &o->characters);
    gl.BindVertexArray(o->array);
    gl.BindBuffer(GL_ARRAY_BUFFER, o->characters);
    gl.EnableVertexAttribArray(0);
    gl.VertexAttribIPointer(0, 3, GL_UNSIGNED_INT, sizeof(character), NULL);
    gl.VertexAttribDivisor(0, 1);
    gl.BindVertexArray(0);
    return gl_check("the overlay", error);
}

void overlay_close(overlay *o) {
    gl.DeleteBuffers(1, &o->characters);
    gl.DeleteVertexArrays(1, &o->array);
    gl.DeleteProgram(o->program);
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
    gl.UseProgram(o->program);
    gl.Uniform2f(gl.GetUniformLocation(o->program, "size"), (float)width / DOT,
                 (float)height / DOT);
    gl.BindVertexArray(o->array);
    gl.BindBuffer(GL_ARRAY_BUFFER, o->characters);
    gl.BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *characters), characters,
                  GL_STREAM_DRAW);
    gl.Disable(GL_DEPTH_TEST);
    gl.Enable(GL_BLEND);
    gl.BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    gl.DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)count);
    gl.Disable(GL_BLEND);
}
