/* SPDX-License-Identifier: MIT
 *
 * Writes a BVH from a motion of any format: a joint for each node, with the Euler angles of its
 * rotations, and positions where they are animated. BVH has no rotation in its rest pose, so that the
 * channels of a joint contain it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/bvh/bvh_compose.h"
#include "motion/bvh/bvh_scan.h"
#include "motion/model/compose.h"
#include "motion/model/evaluate.h"
#include "motion/text/text.h"

#define DEGREES 57.295779513082320877

enum { OFFSET_DECIMALS = 9 };

/* How a joint gets its numbers. */
typedef struct joint_source {
    const pm_motion_channel *rotation, *position; /* NULL: the rest pose */
    bool has_positions;
} joint_source;

typedef struct composer {
    const pm_motion_content *content;
    const pm_motion_clip *clip;
    const motion_writing *options;
    const char *order; /* "ZXY" */
    motion_frames frames;
    joint_source *sources; /* of each node */
    uint32_t *first_child; /* of each node; UINT32_MAX: none */
    uint32_t *next_sibling;
    uint32_t *joints; /* nodes in the order of the file */
    size_t joint_count;
    bvh model; /* what the writer needs: hierarchy, line end, number of channels */
    size_t capacity;
    bool failed; /* memory is exhausted */
} composer;

/* ---- what is written ----------------------------------------------------------------------- */

/* Assigns channels to nodes; others are left out. */
static void find_sources(composer *c) {
    size_t scales = 0, others = 0;
    for (size_t i = 0; i < c->clip->channel_count; i++) {
        const pm_motion_channel *channel = &c->clip->channels[i];
        if (channel->node >= 0 && channel->path == PM_MOTION_ROTATION)
            c->sources[channel->node].rotation = channel;
        else if (channel->node >= 0 && channel->path == PM_MOTION_POSITION)
            c->sources[channel->node].position = channel;
        else if (channel->path == PM_MOTION_SCALE)
            scales++;
        else
            others++;
    }
    for (size_t n = 0; n < c->content->node_count; n++)
        c->sources[n].has_positions = c->content->nodes[n].parent < 0 || c->sources[n].position;
    motion_leave_out(c->options, scales, "channel of scales", "channels of scales");
    motion_leave_out(c->options, others, "channel of weights or scalars",
                     "channels of weights or scalars");
    motion_leave_out(c->options, c->content->skin_count, "skin", "skins");
    motion_leave_out(c->options, c->content->clip_count - 1, "other clip", "other clips");
}

static bool is_scaled(const pm_motion_node *node) {
    return node->scale[0] != 1 || node->scale[1] != 1 || node->scale[2] != 1;
}

static void leave_scales_out(const composer *c) {
    size_t scaled = 0;
    for (size_t n = 0; n < c->content->node_count; n++)
        scaled += is_scaled(&c->content->nodes[n]);
    motion_leave_out(c->options, scaled, "scale of a rest pose", "scales of rest poses");
}

/* ---- the hierarchy ------------------------------------------------------------------------- */

static void put(composer *c, const char *text, size_t size) {
    if (c->model.hierarchy_size + size > c->capacity) {
        const size_t wanted = 2 * (c->model.hierarchy_size + size) + 4096;
        char *grown = realloc(c->model.hierarchy, wanted);
        if (!grown) {
            c->failed = true;
            return;
        }
        c->model.hierarchy = grown;
        c->capacity = wanted;
    }
    memcpy(c->model.hierarchy + c->model.hierarchy_size, text, size);
    c->model.hierarchy_size += size;
}

static void put_text(composer *c, const char *text) {
    put(c, text, strlen(text));
}

/* Depths beyond this are not indented further: a chain of n joints would take n^2 bytes. */
enum { MAX_INDENT = 32 };

static void put_indent(composer *c, size_t depth) {
    static const char tabs[MAX_INDENT] =
        "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t";
    put(c, tabs, depth < MAX_INDENT - 1 ? depth : MAX_INDENT - 1);
}

/* What reads back as the same name stays; line ends and other control characters, and braces that would
 * open the joint, become underscores. The brace of the joint stands in the next line. */
static void put_name(composer *c, size_t node) {
    static const char after[] = "\n{";
    const pm_motion_name name = c->content->nodes[node].name;
    const size_t begin = c->model.hierarchy_size;
    size_t first = 0, last = name.size;
    char own[32];
    while (first < last && bvh_is_blank(name.text[first]))
        first++;
    while (last > first && bvh_is_blank(name.text[last - 1]))
        last--;
    for (size_t i = first; i < last; i++)
        put(c, (unsigned char)name.text[i] < ' ' ? "_" : &name.text[i], 1);
    snprintf(own, sizeof own, "joint%zu", node);
    if (first == last)
        put_text(c, own);
    put_text(c, after);
    if (c->failed)
        return;
    char *text = c->model.hierarchy;
    const char *const limit = text + c->model.hierarchy_size, *const end = limit - strlen(after);
    for (const char *at = text + begin; (at = bvh_opening_brace(at, end, limit));)
        text[at - text] = '_';
    c->model.hierarchy_size -= strlen(after);
}

char *bvh_write_length(char text[TEXT_FIXED_SIZE], double value) {
    char *end = text_write_fixed(text, value, OFFSET_DECIMALS);
    while (end[-1] == '0')
        end--;
    if (end[-1] == '.')
        end--;
    return end;
}

static void put_offset(composer *c, size_t depth, const double offset[3]) {
    put_indent(c, depth);
    put_text(c, "OFFSET");
    for (size_t i = 0; i < 3; i++) {
        char text[TEXT_FIXED_SIZE];
        put_text(c, " ");
        put(c, text, (size_t)(bvh_write_length(text, offset[i]) - text));
    }
    put_text(c, "\n");
}

static void put_channels(composer *c, size_t depth, bool has_positions) {
    put_indent(c, depth);
    put_text(c, has_positions ? "CHANNELS 6 Xposition Yposition Zposition" : "CHANNELS 3");
    for (size_t i = 0; i < 3; i++) {
        put_text(c, " ");
        put(c, &c->order[i], 1);
        put_text(c, "rotation");
    }
    put_text(c, "\n");
    c->model.channel_count += has_positions ? 6 : 3;
}

/* BVH readers expect an end site of a joint without children. */
static void put_site(composer *c, size_t depth, const pm_motion_node *node) {
    static const double zero[3];
    put_indent(c, depth);
    put_text(c, "End Site\n");
    put_indent(c, depth);
    put_text(c, "{\n");
    put_offset(c, depth + 1, node->has_tail ? node->tail : zero);
    put_indent(c, depth);
    put_text(c, "}\n");
}

static void begin_joint(composer *c, size_t node, size_t depth) {
    put_indent(c, depth);
    put_text(c, c->content->nodes[node].parent < 0 ? "ROOT " : "JOINT ");
    put_name(c, node);
    put_text(c, "\n");
    put_indent(c, depth);
    put_text(c, "{\n");
    put_offset(c, depth + 1, c->content->nodes[node].position);
    put_channels(c, depth + 1, c->sources[node].has_positions);
    if (c->first_child[node] == UINT32_MAX)
        put_site(c, depth + 1, &c->content->nodes[node]);
    c->joints[c->joint_count++] = (uint32_t)node;
}

static void end_joint(composer *c, size_t depth) {
    put_indent(c, depth);
    put_text(c, "}\n");
}

/* Walks a tree without recursion, because a hostile one is as deep as it has nodes. */
static void put_tree(composer *c, size_t root) {
    size_t node = root, depth = 0;
    begin_joint(c, node, depth);
    for (bool down = true; !c->failed;) {
        if (down && c->first_child[node] != UINT32_MAX) {
            node = c->first_child[node];
            begin_joint(c, node, ++depth);
            continue;
        }
        end_joint(c, depth);
        if (node == root)
            return;
        down = c->next_sibling[node] != UINT32_MAX;
        if (down) {
            node = c->next_sibling[node];
            begin_joint(c, node, depth);
        } else {
            node = (size_t)c->content->nodes[node].parent;
            depth--;
        }
    }
}

static void put_hierarchy(composer *c) {
    put_text(c, "HIERARCHY\n");
    for (size_t n = c->content->node_count; n-- > 0;) {
        const int32_t parent = c->content->nodes[n].parent;
        if (parent < 0)
            continue;
        c->next_sibling[n] = c->first_child[parent];
        c->first_child[parent] = (uint32_t)n;
    }
    for (size_t n = 0; n < c->content->node_count; n++)
        if (c->content->nodes[n].parent < 0)
            put_tree(c, n);
}

/* ---- frames -------------------------------------------------------------------------------- */

static void read_value(const composer *c, const pm_motion_channel *channel, size_t frame,
                       const double *rest, uint32_t components, double *value) {
    if (channel)
        evaluate_key(channel, motion_frame_key(&c->frames, c->clip, channel, frame), value);
    else
        memcpy(value, rest, components * sizeof *value);
}

/* Fills a row, which holds the frame before: its branch of angles is continued. */
static void fill_row(const composer *c, size_t frame, double *row) {
    for (size_t j = 0; j < c->joint_count; j++) {
        const joint_source *source = &c->sources[c->joints[j]];
        const pm_motion_node *node = &c->content->nodes[c->joints[j]];
        double q[4], near[3], angles[3] = {0, 0, 0};
        if (source->has_positions) {
            read_value(c, source->position, frame, node->position, 3, row);
            row += 3;
        }
        read_value(c, source->rotation, frame, node->rotation, 4, q);
        for (size_t i = 0; i < 3; i++)
            near[i] = row[i] / DEGREES;
        pm_euler_from_quat(c->options->euler, q, near, angles);
        for (size_t i = 0; i < 3; i++)
            *row++ = angles[i] * DEGREES;
    }
}

static pm_status write_frames(const composer *c, const motion_sink *sink, pm_error *error) {
    double *row = calloc(c->model.channel_count + 1, sizeof *row);
    bvh_writer writer;
    pm_status status = bvh_writer_begin(&writer, &c->model, sink, c->frames.count, c->frames.rate,
                                        c->options->decimals, error);
    if (status == PM_OK && !row)
        status = motion_refuse_memory(error);
    for (size_t f = 0; f < c->frames.count && status == PM_OK; f++) {
        fill_row(c, f, row);
        status = bvh_writer_row(&writer, row, error);
    }
    if (status == PM_OK)
        status = bvh_writer_end(&writer, error);
    bvh_writer_release(&writer);
    free(row);
    return status;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static pm_status compose_with(composer *c, const motion_sink *sink, pm_error *error) {
    const size_t nodes = c->content->node_count;
    c->sources = calloc(nodes, sizeof *c->sources);
    c->first_child = malloc(nodes * sizeof *c->first_child);
    c->next_sibling = malloc(nodes * sizeof *c->next_sibling);
    c->joints = malloc(nodes * sizeof *c->joints);
    if (!c->sources || !c->first_child || !c->next_sibling || !c->joints)
        return motion_refuse_memory(error);
    memset(c->first_child, 0xFF, nodes * sizeof *c->first_child);
    memset(c->next_sibling, 0xFF, nodes * sizeof *c->next_sibling);
    find_sources(c);
    leave_scales_out(c);
    put_hierarchy(c);
    return c->failed ? motion_refuse_memory(error) : write_frames(c, sink, error);
}

pm_status bvh_compose(const pm_motion *motion, const motion_writing *options,
                      const motion_sink *sink, pm_error *error) {
    const pm_motion_content *content = &motion->content;
    pm_status status = motion_check_nodes(content, "BVH", error);
    if (status != PM_OK)
        return status;
    if (options->clip >= content->clip_count)
        return motion_refuse(error, "has no clip; BVH requires one");
    composer c = {.content = content,
                  .clip = &content->clips[options->clip],
                  .options = options,
                  .order = pm_euler_order_name(options->euler),
                  .model = {.line_end = "\n"}};
    status = motion_find_frames(c.clip, "BVH", false, &c.frames, error);
    if (status == PM_OK && c.frames.count == 0)
        status = motion_refuse(error, "has no channel that BVH can hold");
    if (status == PM_OK)
        status = compose_with(&c, sink, error);
    free(c.model.hierarchy);
    free(c.sources);
    free(c.first_child);
    free(c.next_sibling);
    free(c.joints);
    return status;
}
