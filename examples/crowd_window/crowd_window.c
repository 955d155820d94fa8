/* SPDX-License-Identifier: MIT
 *
 * Ten thousand skinned figures on screen. The engine poses them into the buffer that the vertex
 * shader reads; one instanced draw shows them. In a window, or with --headless without a display.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show.h"

static const char keys[] =
    "Keys: up, down: twice or half the figures   b: blends   l: levels   m: method\n"
    "      c: compare with plain C   space: pause   esc: end\n"
    "      left, right, +, -, mouse: camera\n";

static void print_help(void) {
    printf(
        "usage: crowd_window [FILE] [-n FIGURES] [-d DEVICE] [-m METHOD] [--levels] [--flat]\n"
        "                    [--headless [-o FILE.png] [-f FRAMES]] [-s WIDTHxHEIGHT]\n\n"
        "Shows a crowd of skinned figures, in a window or without a display.\n\n"
        "  FILE        a motion file, such as BVH or GLB, whose bones are drawn, or of glTF the\n"
        "              meshes of its first skin; default: a figure of its own\n"
        "  -n FIGURES  1 to %d; default 10000\n"
        "  -d DEVICE   auto, cpu, gpu, none (plain C), a number or part of a name; default: the\n"
        "              one that draws, if it shares buffers, else auto\n"
        "  -m METHOD   of interpolation; default squad. 'posemill methods' lists them\n"
        "  --levels    coarser levels of detail in the distance, of the figure of its own\n"
        "  --flat      the figures of its own walk on level ground, look ahead, and change\n"
        "              clips at once\n"
        "  --headless  draw without a display, print frames per second and compare with plain C\n"
        "  -o FILE.png the last frame of --headless\n"
        "  -f FRAMES   of --headless, each a thirtieth of a second; default 30\n"
        "  -s WxH      size in pixels; default 1280x720\n\n"
        "%s\n"
        "Example: crowd_window --headless -n 1000 -o crowd.png\n",
        SCENE_MAX_COUNT, keys);
}

/* ---- arguments ---------------------------------------------------------------------------------- */

_Noreturn static void refuse(const char *name, const char *value, const char *why) {
    die(EXIT_USAGE, "%s%s%s: %s", name, value ? " " : "", value ? value : "", why);
}

/* A whole number before the character `after`; NULL: none. Otherwise the end. */
static const char *read_number(const char *text, long least, long most, char after, long *value) {
    char *end = NULL;
    *value = strtol(text, &end, 10);
    return end != text && *end == after && *value >= least && *value <= most ? end : NULL;
}

static void read_size(const char *value, options *o) {
    long width, height;
    const char *x = read_number(value, 16, 8192, 'x', &width);
    if (!x || !read_number(x + 1, 16, 8192, '\0', &height))
        refuse("-s", value, "expected a size such as 1280x720");
    o->width = (int)width;
    o->height = (int)height;
}

static void read_method(const char *value, options *o) {
    if (!pm_method_find(value, &o->method) || !show_has_method(o->method))
        refuse("-m", value, "no method that requires keys only");
}

static size_t read_count(const char *name, const char *value) {
    long number;
    if (!read_number(value, 1, SCENE_MAX_COUNT, '\0', &number))
        refuse(name, value, "expected a whole number from 1 to 100000");
    return (size_t)number;
}

static void read_options(int argc, char **argv, options *o) {
    static const struct option names[] = {{"help", no_argument, NULL, 'h'},
                                          {"levels", no_argument, NULL, 'l'},
                                          {"flat", no_argument, NULL, 'g'},
                                          {"headless", no_argument, NULL, 'w'},
                                          {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "hn:d:m:o:f:s:", names, NULL)) != -1;)
        if (c == 'h')
            print_help(), exit(0);
        else if (c == 'n')
            o->count = read_count("-n", optarg);
        else if (c == 'f')
            o->frames = read_count("-f", optarg);
        else if (c == 's')
            read_size(optarg, o);
        else if (c == 'm')
            read_method(optarg, o);
        else if (c == 'd')
            o->device = optarg;
        else if (c == 'o')
            o->picture = optarg;
        else if (c == '?')
            die(EXIT_USAGE, "--help lists the options");
        else
            *(c == 'l' ? &o->levels : c == 'g' ? &o->flat : &o->headless) = true;
    o->file = argv[optind];
    if (o->file && argv[optind + 1])
        refuse(argv[optind + 1], NULL, "there is one file already");
    if (o->picture && !o->headless)
        refuse("-o", NULL, "only with --headless");
}

/* ---- without a display -------------------------------------------------------------------------- */

/* The first frame, in which drivers compile kernels and shaders, is not measured. */
static double run_frames(show *s, const options *o) {
    show_frame(s, 0, o->width, o->height);
    const double begin = show_seconds();
    for (size_t frame = 0; frame < o->frames; frame++)
        show_frame(s, 1.0 / 30, o->width, o->height);
    return (double)o->frames / (show_seconds() - begin);
}

/* A frame of no time, in which all members are updated. */
static void compare(show *s, const options *o) {
    s->scene.levels = false;
    s->compares = true;
    show_frame(s, 0, o->width, o->height);
    const palettes_difference d = s->difference;
    printf("%llu of %llu bits of palettes differ from plain C\n", (unsigned long long)d.differ,
           (unsigned long long)d.bits);
    if (!(d.largest < 1e-4))
        die(EXIT_FAILED, "figures are %g of their height from where plain C puts them", d.largest);
}

static void run_headless(const options *o) {
    char text[512];
    offscreen off;
    show s;
    const char *lacks = offscreen_open(&off, o->width, o->height);
    if (lacks)
        die(EXIT_NO_DEVICE, "%s", lacks);
    show_open(&s, o);
    show_describe(&s, run_frames(&s, o), text, sizeof text);
    printf("%s\ndrawn by %s\n", text, (const char *)glGetString(GL_RENDERER));
    if (o->picture)
        offscreen_write(&off, o->picture);
    compare(&s, o);
    show_close(&s);
    offscreen_close(&off);
}

int main(int argc, char **argv) {
    options o = {
        .count = 10000, .frames = 30, .method = PM_METHOD_SQUAD, .width = 1280, .height = 720};
    read_options(argc, argv, &o);
    if (o.headless)
        run_headless(&o);
    else
        printf("%s", keys), window_run(&o);
    return 0;
}
