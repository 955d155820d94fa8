/* SPDX-License-Identifier: MIT
 *
 * What a description says of tracks and channels.
 */
#include "description.h"

const char *pm_channel_name(unsigned channel) {
    static const char *const names[] = {"rotations", "positions", "scales"};
    return names[channel];
}

const pm_timeline *pm_timeline_of_track(const pm_clip_desc *desc, size_t track) {
    return &desc->timelines[desc->timeline_of ? desc->timeline_of[track] : 0];
}

pm_key_format pm_channel_format(const pm_clip_desc *desc, unsigned channel) {
    return channel == PM_ROTATIONS ? desc->key_format : PM_KEYS_FLOAT32;
}

bool pm_takes_user_tangents(const pm_clip_desc *desc) {
    return desc->tangents == PM_TANGENTS_USER && desc->rotations.data &&
           pm_rotation_impl(desc).user_tangents;
}
