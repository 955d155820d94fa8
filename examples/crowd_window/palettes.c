/* SPDX-License-Identifier: MIT
 *
 * One buffer: OpenGL orders a copy after the commands that read the buffer, and OpenCL waits for
 * OpenGL when it acquires it. A record that a level of detail does not update keeps its contents.
 */
#include "show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void palettes_open(palettes *p, const char *device) {
    pm_error error = {0};
    *p = (palettes){.sharing = device ? NULL : sharing_open()};
    if (p->sharing)
        p->engine = sharing_engine(p->sharing);
    else
        must(pm_engine_create(&(pm_engine_desc){.device = device}, &p->engine, &error), &error);
}

static void drop_buffer(palettes *p) {
    if (p->sharing)
        sharing_drop(p->sharing);
    if (p->buffer)
        glDeleteBuffers(1, &p->buffer);
    free(p->host);
    p->buffer = 0;
    p->host = NULL;
}

/* OpenCL's objects that share OpenGL's go before them. The crowd of the scene has been destroyed. */
void palettes_close(palettes *p) {
    drop_buffer(p);
    pm_engine_destroy(&p->engine);
    sharing_close(&p->sharing);
    *p = (palettes){0};
}

size_t palettes_most_bytes(void) {
    GLint64 most = 0;
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &most);
    return most > 0 ? (size_t)most : 0;
}

static void make_buffer(palettes *p, size_t bytes) {
    if (bytes > palettes_most_bytes())
        die(EXIT_FAILED, "palettes have %zu bytes; OpenGL allows %zu", bytes,
            palettes_most_bytes());
    drop_buffer(p);
    p->bytes = bytes;
    glGenBuffers(1, &p->buffer);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, p->buffer);
    glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)bytes, NULL, GL_DYNAMIC_DRAW);
    gl_check("the buffer of palettes");
    if (p->sharing)
        sharing_take(p->sharing, p->buffer);
    else
        p->host = zeros(bytes, 1);
}

static void pose_into(const scene *s, void *records, bool on_reference) {
    const pm_crowd_target target = {.output = PM_CROWD_PALETTE, .memory = records};
    pm_crowd_job job = scene_job(s);
    pm_error error = {0};
    job.outputs = &target;
    job.output_count = 1;
    job.on_reference = on_reference;
    must(pm_crowd_pose(s->crowd, &job, &error), &error);
}

void palettes_pose(palettes *p, const scene *s) {
    if (p->bytes != scene_bytes(s))
        make_buffer(p, scene_bytes(s));
    if (p->sharing) {
        sharing_pose(p->sharing, s);
        return;
    }
    pose_into(s, p->host, false);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, p->buffer);
    glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)p->bytes, p->host);
}

palettes_difference palettes_compare(const palettes *p, const scene *s) {
    const size_t numbers = p->bytes / sizeof(float);
    float *plain = zeros(numbers, sizeof *plain), *drawn = zeros(numbers, sizeof *drawn);
    palettes_difference d = {.bits = 32 * (uint64_t)numbers};
    pose_into(s, plain, true);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, p->buffer);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)p->bytes, drawn);
    for (size_t i = 0; i < numbers; i++) {
        uint32_t a, b;
        memcpy(&a, plain + i, sizeof a);
        memcpy(&b, drawn + i, sizeof b);
        for (a ^= b; a; a &= a - 1)
            d.differ++;
        const double error = fabs((double)plain[i] - (double)drawn[i]);
        d.largest = fmax(d.largest, i % 4 == 3 ? error / s->height : error);
        if (isnan(error))
            d.largest = HUGE_VAL;
    }
    free(plain);
    free(drawn);
    return d;
}
