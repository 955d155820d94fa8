/* SPDX-License-Identifier: MIT
 *
 * Poses one after another as an animated GIF, with giflib: lines in 16 shades of one colour.
 */
#include "host/base/elementary.h"
#include "motion/report/picture.h"

#ifdef POSEMILL_GIFLIB

#include <gif_lib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/files/output.h"

enum { SHADES = 16, BITS = 4 };

/* Half the width of a line, in pixels, with the shade at its edge. */
static const double half_width = 1.5;

typedef struct writing {
    const picture *p;
    motion_sink sink;
    unsigned char *pixels; /* (height, width) */
    pm_error *error;
    bool has_failed; /* to write */
} writing;

/* ---- lines --------------------------------------------------------------------------------- */

static double distance_to(const picture_bone *b, double x, double y) {
    const double dx = b->to[0] - b->from[0], dy = b->to[1] - b->from[1];
    const double square = dx * dx + dy * dy;
    const double along = (x - b->from[0]) * dx + (y - b->from[1]) * dy;
    const double u = square > 0 ? fmin(fmax(along / square, 0), 1) : 0;
    return pm_same_hypot(x - b->from[0] - u * dx, y - b->from[1] - u * dy);
}

static void paint(const writing *w, const picture_bone *b, double x, double y) {
    if (!(x >= 0 && y >= 0 && x < (double)w->p->width && y < (double)w->p->height))
        return;
    const double covered = half_width - distance_to(b, x, y);
    const int shade = (int)lrint(fmin(fmax(covered, 0), 1) * (SHADES - 1));
    unsigned char *pixel = &w->pixels[(size_t)y * w->p->width + (size_t)x];
    *pixel = shade > *pixel ? (unsigned char)shade : *pixel;
}

/* Along its longer side, a few pixels across; what lies beside the picture is left out. */
static void draw_bone(const writing *w, const picture_bone *b) {
    const int major = fabs(b->to[0] - b->from[0]) >= fabs(b->to[1] - b->from[1]) ? 0 : 1;
    const double length = b->to[major] - b->from[major];
    const double slope = length != 0 ? (b->to[1 - major] - b->from[1 - major]) / length : 0;
    const double side = (double)(major == 0 ? w->p->width : w->p->height);
    const double first = fmax(rint(fmin(b->from[major], b->to[major])) - 2, 0);
    const double last = fmin(rint(fmax(b->from[major], b->to[major])) + 2, side - 1);
    for (double at = first; at <= last; at++) {
        const double across = rint(b->from[1 - major] + slope * (at - b->from[major]));
        for (int i = -3; i <= 3; i++)
            paint(w, b, major == 0 ? at : across + i, major == 0 ? across + i : at);
    }
}

/* ---- giflib -------------------------------------------------------------------------------- */

static int write_bytes(GifFileType *gif, const GifByteType *bytes, int size) {
    writing *w = gif->UserData;
    w->has_failed =
        w->has_failed || w->sink.write(w->sink.user, bytes, (size_t)size, w->error) != PM_OK;
    return w->has_failed ? 0 : size;
}

static bool begin(GifFileType *gif, const writing *w) {
    static const unsigned char forever[] = {1, 0, 0};
    GifColorType colours[SHADES];
    for (int i = 0; i < SHADES; i++)
        colours[i] = (GifColorType){(GifByteType)(255 - 221 * i / (SHADES - 1)),
                                    (GifByteType)(255 - 187 * i / (SHADES - 1)),
                                    (GifByteType)(255 - 153 * i / (SHADES - 1))};
    ColorMapObject *map = GifMakeMapObject(SHADES, colours);
    const bool good =
        map &&
        EGifPutScreenDesc(gif, (int)w->p->width, (int)w->p->height, BITS, 0, map) == GIF_OK &&
        EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
        EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK &&
        EGifPutExtensionBlock(gif, sizeof forever, forever) == GIF_OK &&
        EGifPutExtensionTrailer(gif) == GIF_OK;
    GifFreeMapObject(map);
    return good;
}

/* Hundredths of a second; the sum of all is right. */
static int delay_of(const picture *p, size_t pose) {
    const double begin = round(100 * p->step * (double)pose);
    return (int)fmin(fmax(round(100 * p->step * (double)(pose + 1)) - begin, 0), 65535);
}

static bool add_frame(GifFileType *gif, const writing *w, size_t pose) {
    const picture *p = w->p;
    const GraphicsControlBlock control = {.DisposalMode = DISPOSE_DO_NOT,
                                          .DelayTime = delay_of(p, pose),
                                          .TransparentColor = NO_TRANSPARENT_COLOR};
    GifByteType bytes[4];
    memset(w->pixels, 0, p->width * p->height);
    for (size_t i = 0; i < p->bones; i++)
        draw_bone(w, &p->poses[pose * p->bones + i]);
    const size_t size = EGifGCBToExtension(&control, bytes);
    bool good = EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, (int)size, bytes) == GIF_OK &&
                EGifPutImageDesc(gif, 0, 0, (int)p->width, (int)p->height, false, NULL) == GIF_OK;
    for (size_t y = 0; good && y < p->height; y++)
        good = EGifPutLine(gif, w->pixels + y * p->width, (int)p->width) == GIF_OK;
    return good;
}

static pm_status write_all(writing *w) {
    int code = 0;
    GifFileType *gif = w->pixels ? EGifOpen(w, write_bytes, &code) : NULL;
    bool good = gif != NULL;
    if (good)
        EGifSetGifVersion(gif, true);
    good = good && begin(gif, w);
    for (size_t pose = 0; good && pose < w->p->count; pose++)
        good = add_frame(gif, w, pose);
    if (gif)
        good = EGifCloseFile(gif, &code) == GIF_OK && good;
    return good ? PM_OK : w->has_failed ? PM_ERROR_OUTPUT : motion_refuse_memory(w->error);
}

pm_status picture_write_gif(const picture *p, const char *path, pm_error *error) {
    motion_output *output = NULL;
    MOTION_TRY(motion_output_open(path, &output, error));
    FREED unsigned char *pixels = malloc(p->width * p->height);
    writing w = {.p = p, .sink = motion_output_sink(output), .pixels = pixels, .error = error};
    const pm_status status = write_all(&w);
    if (status == PM_OK)
        return motion_output_commit(&output, error);
    motion_output_abandon(&output);
    return status;
}

#else

pm_status picture_write_gif(const picture *p, const char *path, pm_error *error) {
    (void)p, (void)path;
    return motion_fail(error, PM_ERROR_ARGUMENT, "this build writes no GIF: it has no giflib");
}

#endif
