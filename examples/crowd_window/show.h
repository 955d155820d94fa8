/* SPDX-License-Identifier: MIT
 *
 * The parts of the program, from the lowest to the highest: failures, OpenGL, the crowd, its palettes, the
 * drawing, and what the window and --headless have in common. A failure ends the program.
 */
#ifndef EXAMPLES_CROWD_WINDOW_SHOW_H
#define EXAMPLES_CROWD_WINDOW_SHOW_H

#include <epoxy/gl.h>
#include <stdbool.h>

#include "crowd/agents.h"
#include "mesh.h"

/* ---- show.c: failures --------------------------------------------------------------------------- */

enum { EXIT_FAILED = 1, EXIT_USAGE, EXIT_NO_DEVICE };

/* Print a message, or that of a call that failed, and end. */
_Noreturn void die(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
void must(pm_status status, const pm_error *error);

/* Zeros for `count` elements; out of memory ends the program. */
void *zeros(size_t count, size_t size);

/* ---- gl.c: shaders, and pictures without a display ------------------------------------------------ */

/* NULL, or what the current context lacks: version 4.3, or two storage buffers in vertex shaders. */
const char *gl_lacks(void);

/* Compiles and links. `captured` is the name of the output that transform feedback writes, or NULL. */
GLuint gl_program(const char *vertices, const char *fragments, const char *captured);

/* Ends the program where OpenGL recorded an error; `what` names the step. */
void gl_check(const char *what);

/* A context of EGL, and a framebuffer whose pixels can be read. */
typedef struct offscreen {
    void *display, *context; /* EGL's */
    unsigned framebuffers[2], renderbuffers[3];
    int width, height;
} offscreen;

/* Makes a context of OpenGL 4.3 core current, on the first device of EGL or Mesa's surfaceless platform, and
 * binds the framebuffer. Returns NULL, or why there is none. */
const char *offscreen_open(offscreen *o, int width, int height);
void offscreen_close(offscreen *o);

/* The pixels as PNG. A file at `path` is replaced when the new one is complete. */
void offscreen_write(offscreen *o, const char *path);

/* ---- scene.c: whom the crowd consists of, what each member shows, and where it stands --------------- */

enum { SCENE_MAX_COUNT = 100000 };

/* Where an instance stands, as the shaders read it. */
typedef struct place {
    float position[3], scale; /* metres; `scale` metres per unit of the mesh */
    float sine, cosine;       /* of the heading about y */
    float kind, unused;       /* of enum agent_kind, for its colour */
    float slope[2], height;   /* of the ground there, along x and z, in metres */
    float unused_too;
} place;

/* The heights of the ground, in metres. */
typedef struct hills {
    pm_height_field field;
    float *heights; /* (rows, columns) */
} hills;

/* Of the chains of a figure: feet on the ground, and a head that looks at a point. */
typedef struct goals {
    pm_stand_goal stand;
    pm_chain_goal look;
} goals;

typedef struct scene {
    struct body_description *figure; /* which walks; NULL: members of a file stand in a square */
    const struct pm_motion_character *character; /* of the file */
    pm_skeleton_desc skeleton_desc;
    const pm_clip_desc *clips;
    uint32_t
        hips; /* a file's joint below the root of its root motion; PM_NO_INDEX32: no such root */
    uint8_t flags; /* of a file's members */
    size_t clip_count, joints, count;
    pm_skeleton *skeleton;
    pm_crowd *crowd;
    mesh mesh;
    double height, ground; /* of the first pose, in units of the mesh; its lowest vertex */
    double scale, spacing; /* metres per unit, and between members in a square */
    hills hills;           /* under figures; no heights: the ground is level */
    agent *agents; /* with what follows, SCENE_MAX_COUNT elements, each written by every frame */
    agent_frame moved;
    pm_crowd_instance *now; /* of `moved`, or of a file's members */
    place *places;
    pm_placement *placements; /* with `goals`, of figures on hills */
    goals *goals;
    bool levels;    /* of detail, by the distance from the camera */
    bool unblended; /* one clip for each member */
    uint64_t frame;
    double time; /* seconds */
} scene;

/* `file` is of any format that the motion library reads; NULL: the figure of examples/crowd. The engine
 * must outlive the scene. `level`: figures walk on level ground, look ahead, and change clips at once. */
void scene_open(scene *s, const char *file, pm_method method, pm_engine *engine, size_t count,
                bool level);
void scene_close(scene *s);
void scene_set_count(scene *s, size_t count); /* starts again */

/* Advances by `seconds`, which may be 0, to the next frame. The first one has no levels, so that all
 * records are written. */
void scene_step(scene *s, double seconds, const double eye[3]);

/* The height at a point, as a pm_height_field has it, and unless it is level its slopes along x and z. */
double ground_at(const hills *h, double x, double z, float slope[2]);

/* The point that all look at, which moves round the middle. Metres. */
void scene_point(const scene *s, double point[3]);

/* The job of all members, without outputs; bytes of their palettes; radius of the disc they stand on. */
pm_crowd_job scene_job(const scene *s);
size_t scene_bytes(const scene *s);
double scene_radius(const scene *s);

/* ---- palettes.c: the engine, and the storage buffer that the vertex shader reads -------------------- */

/* Where an OpenCL driver shares buffers with the OpenGL context that is current, the device that draws
 * writes into the buffer. Otherwise the engine writes into host memory, which is copied. */
typedef struct palettes {
    pm_engine *engine;
    struct sharing *sharing; /* NULL: copied */
    unsigned buffer;         /* OpenGL's */
    void *host;              /* of what is copied */
    size_t bytes;
} palettes;

/* A device that is asked for by name has a context of its own, whose buffers OpenGL cannot share. */
void palettes_open(palettes *p, const char *device);
void palettes_close(palettes *p);
size_t palettes_most_bytes(void); /* of OpenGL's largest storage buffer */

/* Poses the scene into the buffer, which grows to its size. OpenGL may then read it. */
void palettes_pose(palettes *p, const scene *s);

/* Compares the buffer with poses in plain C: the bits that differ, and the largest error of where a
 * matrix puts a point of the figure, as a part of its height. All members must be at level 0. */
typedef struct palettes_difference {
    uint64_t bits, differ;
    double largest;
} palettes_difference;
palettes_difference palettes_compare(const palettes *p, const scene *s);

/* ---- drawing.c: all members in one instanced draw, their shadows, and the ground -------------------- */

/* Turns round the middle of the crowd. y is up. */
typedef struct camera {
    double turn, rise; /* radians: about y, and above the ground */
    double distance;   /* metres from the middle */
} camera;

/* A view of a crowd that stands on a disc; and where the eye is. Metres. */
camera camera_of(double radius);
void camera_eye(const camera *c, double eye[3]);

typedef struct drawing {
    GLuint figure, ground, shadow, point; /* programs */
    GLuint figure_array, vertices, indices, places, heights;
} drawing;

/* Frames are drawn into the framebuffer that is bound. */
void drawing_open(drawing *d, const mesh *m);
void drawing_close(drawing *d);
void drawing_frame(drawing *d, const scene *s, const palettes *p, const camera *c, int width,
                   int height);

/* ---- show.c: a crowd, how it is posed and drawn, and how fast, in a window or not ------------------- */

typedef struct options {
    const char *file; /* a motion; NULL: the figure of examples/crowd */
    const char
        *device; /* NULL: the one that draws, if it shares buffers; or the library's choice */
    size_t count, frames; /* `frames` and `picture` are of --headless */
    pm_method method;
    bool levels, headless, flat;
    const char *picture; /* NULL: none */
    int width, height;
} options;

typedef struct show {
    palettes palettes;
    scene scene;
    drawing drawing;
    camera camera;
    double pose_seconds, draw_seconds; /* of the last frame; posing with the copy */
    bool compares;                     /* each frame, in which there are no levels, with plain C */
    palettes_difference difference;    /* of the last comparison */
} show;

/* All functions need the OpenGL context to be current. A frame advances by `seconds`, poses and draws. */
void show_open(show *s, const options *o);
void show_close(show *s);
void show_frame(show *s, double seconds, int width, int height);
void show_set_count(show *s, size_t count);

/* Whether a method requires keys only, as figures have them; and a new start with the options' method. */
bool show_has_method(pm_method method);
void show_set_method(show *s, const options *o);

/* One line on the crowd, its device and its speed; and a monotonic clock. */
void show_describe(const show *s, double frames_per_second, char *text, size_t size);
double show_seconds(void);

void window_run(const options *o); /* until the window is closed */

#endif
