/* SPDX-License-Identifier: MIT
 *
 * Options with a value have one letter, switches a word.
 */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: crowd_window [FILE.glb] [-n FIGURES] [-d DEVICE] [-m METHOD] [-w WAY] [--levels]\n"
    "                    [--layers] [--swords] [--cull] [--slope] [--no-blends]\n"
    "                    [--headless [-o FILE.png] [-f FRAMES] [--overlay]]\n"
    "                    [-s WIDTHxHEIGHT]\n";

void options_print_help(void) {
    printf(
        "%s\n"
        "Shows a crowd of skinned figures, in a window or without a display.\n\n"
        "  FILE.glb    a character with a skin, a mesh and clips; default: a figure of its own\n"
        "  -n FIGURES  1 to %d; default 10000\n"
        "  -d DEVICE   auto, cpu, gpu, none (plain C), a number or part of a name\n"
        "  -m METHOD   of interpolation; default squad. 'posemill methods' lists them\n"
        "  -w WAY      of palettes to the vertex shader: shared, mapped or copied; default: the\n"
        "              first of these that the drivers have\n"
        "  --levels    coarser levels of detail in the distance\n"
        "  --layers    a blend space, breathing and waving over the figures of its own\n"
        "  --swords    a sword in each right hand of the figures of its own\n"
        "  --cull      pose only what is in view, by a list that a kernel writes\n"
        "  --slope     feet on a slope, by inverse kinematics between two jobs\n"
        "  --no-blends one clip for each figure\n"
        "  --headless  draw without a display, print figures per second and compare with plain C\n"
        "  -o FILE.png the last frame of --headless\n"
        "  -f FRAMES   of --headless, each a thirtieth of a second; default 30\n"
        "  --overlay   text in the picture of --headless\n"
        "  -s WxH      size in pixels; default 1280x720\n\n"
        "Example: crowd_window --headless -n 1000 -o crowd.png\n",
        usage, SCENE_MAX_COUNT);
}

static bool refuse(const char *name, const char *value, const char *why) {
    fprintf(stderr, "crowd_window: %s%s%s: %s\n%s", name, value ? " " : "", value ? value : "", why,
            usage);
    return false;
}

static bool count_of(const char *text, long least, long most, size_t *value) {
    char *end = NULL;
    const long number = strtol(text, &end, 10);
    *value = (size_t)number;
    return end != text && *end == '\0' && number >= least && number <= most;
}

static bool size_of(const char *text, int *width, int *height) {
    char *end = NULL;
    const long w = strtol(text, &end, 10);
    if (end == text || *end != 'x' || w < 16 || w > 8192)
        return false;
    const char *second = end + 1;
    const long h = strtol(second, &end, 10);
    *width = (int)w;
    *height = (int)h;
    return end != second && *end == '\0' && h >= 16 && h <= 8192;
}

static bool method_of(const char *name, pm_method *method) {
    return pm_method_find(name, method) && !pm_method_get_info(*method)->takes_axes &&
           !pm_method_get_info(*method)->takes_in_out;
}

static bool way_of(const char *name, options *o) {
    for (int way = 0; way < PALETTES_WAYS; way++)
        if (strcmp(name, palette_way_names[way]) == 0) {
            o->way = (palette_way)way;
            return o->way_given = true;
        }
    return false;
}

/* Returns NULL, or why the value is invalid. */
static const char *read_value(char letter, const char *value, options *o) {
    static char why[64];
    switch (letter) {
    case 'n':
        snprintf(why, sizeof why, "expected a whole number from 1 to %d", SCENE_MAX_COUNT);
        return count_of(value, 1, SCENE_MAX_COUNT, &o->count) ? NULL : why;
    case 'f':
        return count_of(value, 1, 100000, &o->frames) ? NULL
                                                      : "expected a whole number from 1 to 100000";
    case 's':
        return size_of(value, &o->width, &o->height) ? NULL : "expected a size such as 1280x720";
    case 'm':
        return method_of(value, &o->method) ? NULL : "no method that requires keys only";
    case 'w':
        return way_of(value, o) ? NULL : "expected mapped, copied or shared";
    case 'd':
        o->device = value;
        return NULL;
    default:
        o->picture = value;
        return NULL;
    }
}

/* The member that a switch sets; NULL: no switch. */
static bool *switch_of(const char *name, options *o) {
    const struct {
        const char *name;
        bool *member;
    } switches[] = {{"--levels", &o->levels},     {"--layers", &o->layers},
                    {"--swords", &o->swords},     {"--cull", &o->cull},
                    {"--slope", &o->slope},       {"--no-blends", &o->no_blends},
                    {"--headless", &o->headless}, {"--overlay", &o->overlay},
                    {"--help", &o->help},         {"-h", &o->help}};
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
        if (strcmp(name, switches[i].name) == 0)
            return switches[i].member;
    return NULL;
}

bool options_read(int argc, char **argv, options *o) {
    *o = (options){.count = 10000, .method = PM_METHOD_SQUAD, .frames = 30};
    o->width = 1280;
    o->height = 720;
    for (int i = 1; i < argc && !o->help; i++) {
        const char *name = argv[i];
        bool *member = switch_of(name, o);
        if (member) {
            *member = true;
        } else if (name[0] != '-' && !o->file) {
            o->file = name;
        } else if (strlen(name) == 2 && name[0] == '-' && strchr("ndmwofs", name[1])) {
            const char *value = ++i < argc ? argv[i] : NULL;
            const char *why = value ? read_value(name[1], value, o) : "expected a value";
            if (why)
                return refuse(name, value, why);
        } else {
            return refuse(name, NULL, "unknown option");
        }
    }
    if (!o->help && !o->headless && (o->picture || o->overlay))
        return refuse(o->picture ? "-o" : "--overlay", NULL, "only with --headless");
    return true;
}
