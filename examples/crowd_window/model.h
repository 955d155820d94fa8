/* SPDX-License-Identifier: MIT
 *
 * Whom the crowd consists of: a skeleton, its clips and its mesh, computed or from a file.
 */
#ifndef EXAMPLES_CROWD_WINDOW_MODEL_H
#define EXAMPLES_CROWD_WINDOW_MODEL_H

#include "mesh.h"

/* The subset of the figure that is its right hand. */
enum { MODEL_HAND = 1 };

/* All pointers remain valid until the model is closed or its method changes. */
typedef struct model {
    const pm_skeleton_desc *skeleton;
    const pm_clip_desc *clips;
    size_t clip_count;
    const pm_crowd_markers *markers; /* of each clip; NULL: none */
    mesh mesh;                       /* joints in the order of the description */
    bool is_figure;  /* the figure of examples/crowd/body.h, which walks along its root motion */
    void *described; /* what the descriptions point into */
    void *file;      /* the motion, of a model from a file */
} model;

/* The figure of examples/crowd/body.h. */
pm_status model_of_figure(model *m, pm_method method, pm_error *error);

/* A GLB file with a skin, a mesh and clips. */
pm_status model_of_file(model *m, const char *path, pm_method method, pm_error *error);

/* The same with clips of another method: the descriptions change, and the mesh does not. */
pm_status model_set_method(model *m, pm_method method, pm_error *error);

void model_close(model *m);

/* The next method that requires nothing but keys. */
pm_method model_next_method(pm_method method);

#endif
