/* SPDX-License-Identifier: MIT
 *
 * Reads the HIERARCHY of a BVH word by word; a line break only ends a name. Nesting is stored in
 * the parents of the joints, not on the stack, so any depth is accepted.
 */
#include "motion/bvh/bvh_scan.h"

#include <stdlib.h>
#include <string.h>

typedef struct builder {
    bvh_scan *scan;
    size_t joint_room, site_room, channel_room;
    size_t joint; /* the joint whose braces are open; BVH_NO_JOINT outside all */
    bool in_site;
} builder;

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && text_is_blank(*at))
        at++;
    return at;
}

/* Whether the text goes on with what can stand first inside a joint. */
static bool begins_with_member(const char *at, const char *limit) {
    enum { LONGEST = 8 };
    static const char *const words[] = {"OFFSET", "CHANNELS", "JOINT", "End"};
    text_span word = {skip_blanks(at, limit), 0};
    while (word.size <= LONGEST && word.begin + word.size < limit &&
           !text_is_blank(word.begin[word.size]))
        word.size++;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (text_is(word, words[i]))
            return true;
    return false;
}

/* Whether the text goes on with the end of a joint without members: no brace is opened behind it. */
static bool ends_joint(const char *at, const char *limit) {
    at = skip_blanks(at, limit);
    if (at == limit || *at != '}')
        return false;
    at++;
    if (at < limit && *at != '}' && !text_is_blank(*at))
        return false;
    at = skip_blanks(at, limit);
    return at == limit || *at != '{';
}

const char *bvh_opening_brace(const char *begin, const char *end, const char *limit) {
    const char *at;
    for (at = begin; at < end; at++) {
        if (*at != '{')
            continue;
        bool alone =
            (at == begin || text_is_blank(at[-1])) && (at + 1 == end || text_is_blank(at[1]));
        const char *next = skip_blanks(at + 1, limit);
        if ((alone && (next == limit || *next != '{')) || begins_with_member(at + 1, limit) ||
            ends_joint(at + 1, limit))
            return at;
    }
    return NULL;
}

/* The rest of the line up to the brace that opens the joint, without the blanks around it. */
static text_span rest_of_line(bvh_scan *scan) {
    const char *at = scan->at, *end, *brace;
    text_span name;
    while (at < scan->end && (*at == ' ' || *at == '\t'))
        at++;
    name.begin = end = at;
    while (end < scan->end && *end != '\n' && *end != '\r')
        end++;
    brace = bvh_opening_brace(at, end, scan->end);
    at = brace ? brace : end;
    scan->at = at;
    while (at > name.begin && text_is_blank(at[-1]))
        at--;
    name.size = (size_t)(at - name.begin);
    return name;
}

static bool open_brace(bvh_scan *scan) {
    text_span word = bvh_next_word(scan);
    if (!text_is(word, "{"))
        return bvh_refuse(scan, word.begin,
                          word.size == 0 ? "expected '{', found the end of the file"
                                         : "expected '{', found '%s'",
                          BVH_SHOWN(word));
    return true;
}

static bool begin_joint(builder *b, size_t parent) {
    bvh *model = b->scan->model;
    bvh_joint *joints =
        motion_with_room(model->joints, model->joint_count, &b->joint_room, sizeof *joints);
    if (!joints)
        return bvh_out_of_memory(b->scan);
    model->joints = joints;
    bvh_joint *joint = &joints[model->joint_count];
    *joint = (bvh_joint){
        .name = rest_of_line(b->scan), .parent = parent, .first_channel = model->channel_count};
    b->joint = model->joint_count++;
    if (!open_brace(b->scan))
        return false;
    joint->channels_text.begin = b->scan->at;
    return true;
}

static bool begin_site(builder *b) {
    bvh *model = b->scan->model;
    text_span words = rest_of_line(b->scan);
    bvh_scan inner = *b->scan;
    bvh_site *sites =
        motion_with_room(model->sites, model->site_count, &b->site_room, sizeof *sites);
    if (!sites)
        return bvh_out_of_memory(b->scan);
    model->sites = sites;
    /* The word after `End` is `Site` by convention and not part of a name. */
    inner.at = words.begin;
    inner.end = words.begin + words.size;
    while (inner.at < inner.end && !text_is_blank(*inner.at))
        inner.at++;
    sites[model->site_count++] = (bvh_site){.joint = b->joint, .name = rest_of_line(&inner)};
    b->in_site = true;
    return open_brace(b->scan);
}

/* Reads three numbers. Their decimal commas become points in the stored text. */
static bool read_offset(builder *b) {
    bvh_scan *scan = b->scan;
    bvh *model = scan->model;
    text_span text = {skip_blanks(scan->at, scan->end), 0};
    double offset[3];
    for (int i = 0; i < 3; i++) {
        size_t commas = scan->commas;
        const char *start = scan->at;
        if (!bvh_next_number(scan, "a number of OFFSET", &offset[i]))
            return false;
        if (scan->commas != commas)
            *(char *)memchr(model->hierarchy + (start - scan->begin), ',',
                            (size_t)(scan->at - start)) = '.';
    }
    text.size = (size_t)(scan->at - text.begin);
    if (b->in_site) {
        memcpy(model->sites[model->site_count - 1].offset, offset, sizeof offset);
        model->sites[model->site_count - 1].offset_text = text;
    } else {
        memcpy(model->joints[b->joint].offset, offset, sizeof offset);
        model->joints[b->joint].offset_text = text;
    }
    return true;
}

static bvh_channel_kind channel_kind(text_span name) {
    static const char *const names[] = {"Xposition", "Yposition", "Zposition",
                                        "Xrotation", "Yrotation", "Zrotation",
                                        "Xscale",    "Yscale",    "Zscale"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (text_is(name, names[i]))
            return (bvh_channel_kind)i;
    return BVH_OTHER;
}

/* Words that cannot be channel names. */
static bool ends_channels(text_span word) {
    static const char *const words[] = {"", "{", "}", "JOINT", "End", "OFFSET", "CHANNELS"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (text_is(word, words[i]))
            return true;
    return false;
}

/* A brace behind a byte that is not ASCII is the second byte of a character, as in Shift-JIS. */
static text_span next_channel(bvh_scan *scan) {
    text_span word = bvh_next_word(scan);
    while (word.size > 0 && scan->at < scan->end && !text_is_blank(*scan->at) &&
           (unsigned char)scan->at[-1] >= 0x80) {
        scan->at++;
        while (scan->at < scan->end && !text_is_blank(*scan->at) && *scan->at != '{' &&
               *scan->at != '}')
            scan->at++;
        word.size = (size_t)(scan->at - word.begin);
    }
    return word;
}

static bool add_channel(builder *b, text_span name) {
    bvh *model = b->scan->model;
    bvh_channel channel = {channel_kind(name), name, b->joint};
    bvh_channel *channels =
        motion_with_room(model->channels, model->channel_count, &b->channel_room, sizeof *channels);
    if (!channels)
        return bvh_out_of_memory(b->scan);
    model->channels = channels;
    channels[model->channel_count++] = channel;
    model->joints[b->joint].channel_count++;
    return true;
}

static bool read_channels(builder *b) {
    bvh_scan *scan = b->scan;
    bvh_joint *joint = &scan->model->joints[b->joint];
    const char *location = skip_blanks(scan->at, scan->end);
    char text[BVH_JOINT_TEXT];
    double stated;
    bvh_describe_joint(scan->model, b->joint, text);
    if (!bvh_next_number(scan, "the number of CHANNELS", &stated))
        return false;
    if (stated < 0 || stated > 1e9 || stated != (double)(uint32_t)stated)
        return bvh_refuse(scan, location,
                          "%s: number of channels is %g; expected a whole number from 0 to 1e9",
                          text, stated);
    if (b->in_site)
        return stated == 0 ||
               bvh_refuse(scan, location, "End Site of %s has channels; expected none", text);
    if (joint->has_channels_line)
        return bvh_refuse(scan, location, "%s has a second CHANNELS line; expected one", text);
    joint->has_channels_line = true;
    joint->first_channel = scan->model->channel_count;
    while (joint->channel_count < (size_t)stated) {
        text_span name = next_channel(scan);
        if (ends_channels(name))
            return bvh_refuse(scan, name.begin, "%s: CHANNELS declares %g channels and names %zu",
                              text, stated, joint->channel_count);
        if (!add_channel(b, name))
            return false;
    }
    joint->channels_text = (text_span){location, (size_t)(scan->at - location)};
    return true;
}

static bool close_brace(builder *b) {
    if (b->in_site)
        b->in_site = false;
    else
        b->joint = b->scan->model->joints[b->joint].parent;
    return true;
}

/* Reads one word inside the braces of a joint or a site, and its arguments. */
static bool read_member(builder *b, text_span word) {
    char text[BVH_JOINT_TEXT];
    if (text_is(word, "}"))
        return close_brace(b);
    if (text_is(word, "OFFSET"))
        return read_offset(b);
    if (text_is(word, "CHANNELS"))
        return read_channels(b);
    if (!b->in_site && text_is(word, "JOINT"))
        return begin_joint(b, b->joint);
    if (!b->in_site && text_is(word, "End"))
        return begin_site(b);
    bvh_describe_joint(b->scan->model, b->joint, text);
    if (word.size == 0)
        return bvh_refuse(b->scan, word.begin, "unexpected end of the file inside %s", text);
    return bvh_refuse(b->scan, word.begin, "unknown keyword '%s' inside %s", BVH_SHOWN(word), text);
}

/* Reads one word outside all braces. Sets *done at MOTION. */
static bool read_top(builder *b, text_span word, bool *done) {
    bvh *model = b->scan->model;
    if (text_is(word, "ROOT"))
        return begin_joint(b, BVH_NO_JOINT);
    if (text_is(word, "MOTION")) {
        model->hierarchy_size = (size_t)(word.begin - b->scan->begin);
        char *shrunk = realloc(model->hierarchy, model->hierarchy_size);
        model->hierarchy = shrunk ? shrunk : model->hierarchy;
        *done = true;
        return true;
    }
    if (word.size == 0)
        return bvh_refuse(b->scan, word.begin, "expected MOTION, found the end of the file");
    return bvh_refuse(b->scan, word.begin, "expected ROOT or MOTION, found '%s'", BVH_SHOWN(word));
}

static void move(text_span *text, const char *from, const char *to) {
    if (text->begin)
        text->begin = to + (text->begin - from);
}

void bvh_move_texts(bvh *model, const char *from, const char *to) {
    for (size_t i = 0; i < model->joint_count; i++) {
        move(&model->joints[i].name, from, to);
        move(&model->joints[i].offset_text, from, to);
        move(&model->joints[i].channels_text, from, to);
    }
    for (size_t i = 0; i < model->site_count; i++) {
        move(&model->sites[i].name, from, to);
        move(&model->sites[i].offset_text, from, to);
    }
    for (size_t i = 0; i < model->channel_count; i++)
        move(&model->channels[i].name, from, to);
}

bool bvh_scan_hierarchy(bvh_scan *scan) {
    builder b = {scan, 0, 0, 0, BVH_NO_JOINT, false};
    bvh *model = scan->model;
    size_t size = (size_t)(scan->end - scan->begin);
    bool done = false;
    text_span word = bvh_next_word(scan);
    if (!text_is(word, "HIERARCHY"))
        return bvh_refuse(scan, word.begin, "%s", bvh_kind.refusal);
    model->hierarchy = malloc(size + 1);
    if (!model->hierarchy)
        return bvh_out_of_memory(scan);
    memcpy(model->hierarchy, scan->begin, size);
    while (!done) {
        word = bvh_next_word(scan);
        if (b.joint == BVH_NO_JOINT ? !read_top(&b, word, &done) : !read_member(&b, word))
            return false;
    }
    if (model->joint_count == 0)
        return bvh_refuse(scan, word.begin, "no ROOT; expected at least one");
    if (model->channel_count == 0)
        return bvh_refuse(scan, word.begin, "no joint has channels; expected at least one");
    bvh_move_texts(model, scan->begin, model->hierarchy);
    return true;
}
