/* SPDX-License-Identifier: MIT
 *
 * Clips of files of robots as rows: channels of no node, which are the root's place and the angles of
 * hinges in the order of the skeleton that a caller gives.
 */
#include <stdio.h>

#include "motion/base/fault.h"
#include "motion/library/source.h"
#include "motion/model/evaluate.h"
#include "motion/model/names.h"

/* The last one counts: CSV has its times in a channel of scalars before those of the angles. */
static const pm_motion_channel *find_channel(const library_source *source, size_t clip,
                                             pm_motion_path path) {
    const pm_motion_clip *own = &source->content->clips[clip];
    const pm_motion_channel *found = NULL;
    for (size_t i = 0; i < own->channel_count; i++)
        if (own->channels[i].path == path && own->channels[i].node == PM_MOTION_NO_NODE)
            found = &own->channels[i];
    return found;
}

static pm_status check_channel(const library_source *source, size_t clip, pm_motion_path path,
                               size_t width, pm_library_motion *motion, pm_error *error) {
    static const char *const names[] = {[PM_MOTION_ROTATION] = "rotation",
                                        [PM_MOTION_POSITION] = "translation",
                                        [PM_MOTION_SCALAR] = "scalar"};
    const pm_motion_clip *own = &source->content->clips[clip];
    const pm_motion_channel *channel = find_channel(source, clip, path);
    const size_t found = channel ? channel->components : 0;
    char shown[MOTION_PRINTABLE];
    motion_printable(shown, own->name.text, own->name.size);
    if (found != width)
        return motion_refuse(error, "'%s': expected %zu numbers of %s, found %zu", shown, width,
                             names[path], found);
    const size_t frames = own->timelines[channel->timeline].key_count;
    if (own->rate.den == 0 || (motion->frames && motion->frames != frames))
        return motion_refuse(error, "'%s' has keys at times of their own; resample it first",
                             shown);
    motion->frames = frames;
    return PM_OK;
}

pm_status library_describe_robot(const library_source *source, size_t clip,
                                 pm_library_motion *motion, pm_error *error) {
    const size_t hinges = source->options->robot->hinge_count;
    pm_status status = check_channel(source, clip, PM_MOTION_POSITION, 3, motion, error);
    if (status == PM_OK)
        status = check_channel(source, clip, PM_MOTION_ROTATION, 4, motion, error);
    if (status == PM_OK)
        status = check_channel(source, clip, PM_MOTION_SCALAR, hinges, motion, error);
    motion->rate = source->content->clips[clip].rate;
    return status;
}

void library_fill_robot(const library_source *source, size_t clip, pm_motion_path path,
                        float *rows) {
    const pm_motion_channel *channel = find_channel(source, clip, path);
    const pm_motion_clip *own = &source->content->clips[clip];
    for (size_t k = 0; k < own->timelines[channel->timeline].key_count; k++)
        for (uint32_t i = 0; i < channel->components; i++)
            *rows++ = (float)evaluate_number(&channel->keys, channel->components, k, i);
}
