/* SPDX-License-Identifier: MIT
 *
 * Writes the hierarchy of a motion of any format.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/base/os.h"
#include "motion/bvh/bvh_form.h"
#include "motion/bvh/bvh_scan.h"
#include "motion/model/compose.h"
#include "motion/text/text.h"

enum { OFFSET_DECIMALS = 9 };

typedef struct maker {
    const pm_motion_content *content;
    const pm_motion_clip *clip;
    const motion_writing *writing;
    bool *has_positions;   /* of each node */
    uint32_t *first_child; /* likewise; UINT32_MAX: none */
    uint32_t *next_sibling;
    uint32_t *nodes; /* in the order of the file */
    size_t count;    /* of them */
    FILE *text;
} maker;

/* Channels and scales that BVH cannot hold are left out. False: memory is exhausted. */
static bool find_positions(const maker *m) {
    size_t scales = 0, others = 0, scaled = 0;
    for (size_t i = 0; i < m->clip->channel_count; i++) {
        const pm_motion_channel *channel = &m->clip->channels[i];
        if (channel->node >= 0 && channel->path == PM_MOTION_POSITION)
            m->has_positions[channel->node] = true;
        scales += channel->path == PM_MOTION_SCALE;
        others += channel->path != PM_MOTION_SCALE && !motion_is_pose_channel(channel);
    }
    for (size_t n = 0; n < m->content->node_count; n++) {
        const pm_motion_node *node = &m->content->nodes[n];
        m->has_positions[n] |= node->parent < 0;
        scaled += node->scale[0] != 1 || node->scale[1] != 1 || node->scale[2] != 1;
    }
    motion_leave_out(m->writing, scales, "channel of scales", "channels of scales");
    motion_leave_out(m->writing, others, "channel of weights or scalars",
                     "channels of weights or scalars");
    const bool good = motion_leave_out_skins(m->writing, NULL) == PM_OK;
    motion_leave_out(m->writing, m->content->clip_count - 1, "other clip", "other clips");
    motion_leave_out(m->writing, scaled, "scale of a rest pose", "scales of rest poses");
    return good;
}

/* Depths beyond this are not indented further: a chain of n joints would take n^2 bytes. */
enum { MAX_INDENT = 31 };

static void indent(const maker *m, size_t depth) {
    for (size_t i = 0; i < depth && i < MAX_INDENT; i++)
        fputc('\t', m->text);
}

/* What reads back as the same name stays; line ends and other control characters, and braces that would
 * open the joint, become underscores. The brace of the joint stands in the next line. */
static bool put_name(const maker *m, size_t node) {
    static const char after[] = "\n{";
    pm_motion_name name = m->content->nodes[node].name;
    for (; name.size > 0 && text_is_blank(name.text[0]); name.size--)
        name.text++;
    while (name.size > 0 && text_is_blank(name.text[name.size - 1]))
        name.size--;
    FREED char *copy = malloc(name.size + sizeof after);
    if (!copy)
        return false;
    for (size_t i = 0; i < name.size; i++)
        copy[i] = (unsigned char)name.text[i] < ' ' ? '_' : name.text[i];
    memcpy(copy + name.size, after, sizeof after);
    const char *const end = copy + name.size, *const limit = end + sizeof after - 1;
    for (const char *at = copy; (at = bvh_opening_brace(at, end, limit));)
        copy[at - copy] = '_';
    fwrite(copy, 1, name.size, m->text);
    if (name.size == 0)
        fprintf(m->text, "joint%zu", node);
    return true;
}

/* Without zeros at the end of a number. */
void bvh_put_offset(FILE *text, const double offset[3]) {
    for (size_t i = 0; i < 3; i++) {
        char number[TEXT_FIXED_SIZE];
        const char *end = text_write_fixed(number, offset[i], OFFSET_DECIMALS);
        while (end[-1] == '0')
            end--;
        end -= end[-1] == '.';
        fprintf(text, "%s%.*s", i > 0 ? " " : "", (int)(end - number), number);
    }
}

static void put_offset(const maker *m, size_t depth, const double offset[3]) {
    indent(m, depth);
    fputs("OFFSET ", m->text);
    bvh_put_offset(m->text, offset);
    fputc('\n', m->text);
}

/* BVH readers expect an end site of a joint without children. */
static void put_site(const maker *m, size_t depth, const pm_motion_node *node) {
    static const double zero[3];
    indent(m, depth);
    fputs("End Site\n", m->text);
    indent(m, depth);
    fputs("{\n", m->text);
    put_offset(m, depth + 1, node->has_tail ? node->tail : zero);
    indent(m, depth);
    fputs("}\n", m->text);
}

static bool begin_joint(maker *m, size_t n, size_t depth) {
    const pm_motion_node *node = &m->content->nodes[n];
    const char *order = pm_euler_order_name(m->writing->euler);
    indent(m, depth);
    fputs(node->parent < 0 ? "ROOT " : "JOINT ", m->text);
    if (!put_name(m, n))
        return false;
    fputc('\n', m->text);
    indent(m, depth);
    fputs("{\n", m->text);
    put_offset(m, depth + 1, node->position);
    indent(m, depth + 1);
    fprintf(m->text, "CHANNELS %s %crotation %crotation %crotation\n",
            m->has_positions[n] ? "6 Xposition Yposition Zposition" : "3", order[0], order[1],
            order[2]);
    if (m->first_child[n] == UINT32_MAX)
        put_site(m, depth + 1, node);
    m->nodes[m->count++] = (uint32_t)n;
    return true;
}

/* Walks a tree without recursion, because a hostile one is as deep as it has nodes. */
static bool put_tree(maker *m, size_t root) {
    size_t node = root, depth = 0;
    bool good = begin_joint(m, node, depth);
    for (bool down = true; good;) {
        if (down && m->first_child[node] != UINT32_MAX) {
            node = m->first_child[node];
            good = begin_joint(m, node, ++depth);
            continue;
        }
        indent(m, depth);
        fputs("}\n", m->text);
        if (node == root)
            break;
        down = m->next_sibling[node] != UINT32_MAX;
        if (down) {
            node = m->next_sibling[node];
            good = begin_joint(m, node, depth);
        } else {
            node = (size_t)m->content->nodes[node].parent;
            depth--;
        }
    }
    return good;
}

static bool put_hierarchy(maker *m) {
    const size_t count = m->content->node_count;
    bool good = true;
    fputs("HIERARCHY\n", m->text);
    for (size_t n = count; n-- > 0;) {
        const int32_t parent = m->content->nodes[n].parent;
        if (parent < 0)
            continue;
        m->next_sibling[n] = m->first_child[parent];
        m->first_child[parent] = (uint32_t)n;
    }
    for (size_t n = 0; n < count && good; n++)
        if (m->content->nodes[n].parent < 0)
            good = put_tree(m, n);
    return good;
}

pm_status bvh_form_read(bvh_form *form, char *text, size_t size, pm_error *error) {
    const pm_status status = bvh_parse_hierarchy(text, size, &form->own, error);
    free(text);
    form->model = form->own;
    return status == PM_OK ? pose_plan_make(&form->plan, form->own, error) : status;
}

void bvh_form_release(bvh_form *form) {
    pose_plan_release(&form->plan);
    bvh_free(&form->own);
    MOTION_FREE(form->same, form->nodes);
}

static bool allocate(maker *m) {
    const size_t count = m->content->node_count;
    m->has_positions = calloc(count, sizeof *m->has_positions);
    m->first_child = malloc(count * sizeof *m->first_child);
    m->next_sibling = malloc(count * sizeof *m->next_sibling);
    m->nodes = malloc(count * sizeof *m->nodes);
    if (!m->has_positions || !m->first_child || !m->next_sibling || !m->nodes)
        return false;
    memset(m->first_child, 0xFF, count * sizeof *m->first_child);
    memset(m->next_sibling, 0xFF, count * sizeof *m->next_sibling);
    return true;
}

pm_status bvh_form_make(const motion_writing *writing, bvh_form *form, pm_error *error) {
    const pm_motion_content *content = &writing->motion->content;
    maker m = {.content = content, .clip = &content->clips[writing->clip], .writing = writing};
    char *text = NULL;
    size_t size = 0;
    m.text = allocate(&m) ? os_text_begin(&text, &size) : NULL;
    bool good = m.text != NULL;
    if (good) {
        good = find_positions(&m) && put_hierarchy(&m) && fputs("MOTION", m.text) != EOF;
        good = os_text_end(m.text, &text, &size) && good;
    }
    form->nodes = m.nodes;
    MOTION_FREE(m.has_positions, m.first_child, m.next_sibling);
    if (good)
        return bvh_form_read(form, text, size, error);
    free(text);
    return motion_refuse_memory(error);
}
