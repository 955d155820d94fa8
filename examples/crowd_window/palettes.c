/* SPDX-License-Identifier: MIT
 *
 * Ways from the engine to the vertex shader. With levels of detail that skip frames a record keeps
 * its contents for some frames, so that a single buffer must be used.
 */
#include "palettes.h"

#include <stdlib.h>

#include "fault.h"

const char *const palette_way_names[PALETTES_WAYS] = {"mapped", "copied", "shared"};

bool palettes_can(palette_way way, const sharing *shared, const char **why) {
    *why = way == PALETTES_MAPPED ? "mapped buffers need OpenGL 4.4 or ARB_buffer_storage"
                                  : "no OpenCL driver shares buffers with this OpenGL context";
    return way == PALETTES_COPIED || (way == PALETTES_MAPPED && gl_has_storage()) ||
           (way == PALETTES_SHARED && shared);
}

/* ---- buffers ------------------------------------------------------------------------------ */

/* Read too: a device that computes in memory of its own fetches the records that it leaves alone. */
static pm_status map_buffers(palettes *p, pm_error *error) {
    const GLbitfield flags =
        GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    for (int i = 0; i < SHARING_BUFFERS; i++) {
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, p->buffers[i]);
        glBufferStorage(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)p->bytes, NULL, flags);
        p->mapped[i] = glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)p->bytes, flags);
        if (!p->mapped[i])
            return fault(error, PM_ERROR_DEVICE_MEMORY, "no mapped buffer of %zu bytes", p->bytes);
    }
    return PM_OK;
}

static pm_status make_buffers(palettes *p, pm_error *error) {
    for (int i = 0; i < SHARING_BUFFERS; i++) {
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, p->buffers[i]);
        glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)p->bytes, NULL, GL_DYNAMIC_DRAW);
    }
    if (gl_check("buffers of palettes", error) != PM_OK)
        return error->status;
    if (p->way == PALETTES_SHARED)
        return sharing_take(p->sharing, p->buffers, error);
    p->host = calloc(1, p->bytes);
    return p->host ? PM_OK : fault_memory(error);
}

size_t palettes_most_bytes(void) {
    GLint64 most = 0;
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &most);
    return most > 0 ? (size_t)most : 0;
}

pm_status palettes_open(palettes *p, palette_way way, sharing *shared, const scene *s,
                        pm_error *error) {
    const char *why;
    *p = (palettes){.way = way, .sharing = shared, .bytes = scene_palette_bytes(s)};
    if (!palettes_can(way, shared, &why))
        return fault(error, PM_ERROR_NO_DEVICE, "%s: %s", palette_way_names[way], why);
    if (p->bytes > palettes_most_bytes())
        return fault(error, PM_ERROR_SIZE, "palettes have %zu bytes; OpenGL allows %zu", p->bytes,
                     palettes_most_bytes());
    glGenBuffers(SHARING_BUFFERS, p->buffers);
    const pm_status status =
        way == PALETTES_MAPPED ? map_buffers(p, error) : make_buffers(p, error);
    if (status != PM_OK)
        palettes_close(p);
    return status;
}

void palettes_close(palettes *p) {
    for (int i = 0; i < SHARING_BUFFERS; i++)
        if (p->drawn[i])
            glDeleteSync(p->drawn[i]);
    if (p->way == PALETTES_SHARED && p->sharing)
        sharing_drop(p->sharing);
    stages_close(&p->stages);
    if (p->buffers[0])
        glDeleteBuffers(SHARING_BUFFERS, p->buffers); /* also unmaps them */
    free(p->host);
    *p = (palettes){0};
}

/* ---- a frame ------------------------------------------------------------------------------ */

/* The engine must not write what OpenGL still reads. OpenGL orders its own copies itself, and OpenCL
 * waits for OpenGL when it acquires a buffer. */
static pm_status wait_until_drawn(palettes *p, int which, pm_error *error) {
    const GLuint64 ten_seconds = 10000000000u;
    if (!p->drawn[which])
        return PM_OK;
    const GLenum result =
        p->way == PALETTES_MAPPED
            ? glClientWaitSync(p->drawn[which], GL_SYNC_FLUSH_COMMANDS_BIT, ten_seconds)
            : GL_ALREADY_SIGNALED;
    glDeleteSync(p->drawn[which]);
    p->drawn[which] = NULL;
    if (result == GL_TIMEOUT_EXPIRED || result == GL_WAIT_FAILED)
        return fault(error, PM_ERROR_DEVICE, "OpenGL did not finish drawing in 10 seconds");
    return PM_OK;
}

static pm_status pose_into_memory(palettes *p, scene *s, void *records, bool on_reference,
                                  pm_error *error) {
    if (stages_needed(s))
        return stages_pose(p->stages, s, records, error);
    pm_crowd_job job = scene_job(s);
    job.on_reference = on_reference;
    return scene_pose(s, job, records, error);
}

static pm_status pose_into(palettes *p, scene *s, int which, bool on_reference, pm_error *error) {
    if (on_reference && (p->way == PALETTES_SHARED || stages_needed(s)))
        return fault(error, PM_ERROR_ARGUMENT, "plain C has no kernels and buffers of the device");
    if ((p->way == PALETTES_SHARED || stages_needed(s)) && !p->stages &&
        stages_open(&p->stages, s, error) != PM_OK)
        return error->status;
    if (p->way == PALETTES_SHARED)
        return sharing_pose(p->sharing, p->stages, s, which, error);
    if (p->way == PALETTES_MAPPED)
        return pose_into_memory(p, s, p->mapped[which], on_reference, error);
    const pm_status status = pose_into_memory(p, s, p->host, on_reference, error);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, p->buffers[which]);
    glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)p->bytes, p->host);
    return status;
}

pm_status palettes_pose(palettes *p, scene *s, bool on_reference, pm_error *error) {
    const uint32_t slowest = scene_slowest_level(s);
    const int which = slowest > 1 ? p->now : 1 - p->now;
    const uint64_t frame = s->frame;
    pm_status status = wait_until_drawn(p, which, error);
    /* Memory without poses is posed for as many frames as it takes until each record was written. */
    for (uint32_t k = p->filled[which] ? 1 : slowest; status == PM_OK && k > 0; k--) {
        s->frame = frame + k - 1;
        status = pose_into(p, s, which, on_reference, error);
    }
    s->frame = frame;
    p->filled[which] = status == PM_OK;
    p->now = which;
    return status;
}

void palettes_drawn(palettes *p) {
    if (p->drawn[p->now])
        glDeleteSync(p->drawn[p->now]);
    p->drawn[p->now] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}
