/* SPDX-License-Identifier: MIT
 *
 * Access to the arrays of a description.
 */
#include "array_view.h"

#include "base/base.h"

const pm_array *pm_channel_array(const pm_clip_desc *desc, unsigned channel, unsigned array) {
    static const pm_scalars none;
    const pm_scalars *scalars = desc->scalars ? desc->scalars : &none;
    const pm_array *const arrays[PM_KEYED_COUNT][PM_ARRAY_COUNT] = {
        {&desc->rotations, &desc->tangents_in, &desc->tangents_out},
        {&desc->positions, &desc->positions_in, &desc->positions_out},
        {&desc->scales, &desc->scales_in, &desc->scales_out},
        {&scalars->keys, &scalars->keys_in, &scalars->keys_out}};
    return arrays[channel][array];
}

unsigned pm_channel_components(unsigned channel) {
    return channel == PM_ROTATIONS ? 4 : channel == PM_SCALARS ? 1 : 3;
}

size_t pm_timeline_count(const pm_clip_desc *desc) {
    return desc->timeline_count ? desc->timeline_count : 1;
}

size_t pm_array_tracks(const pm_clip_desc *desc, const pm_array *array) {
    const bool of_positions =
        array == &desc->positions || array == &desc->positions_in || array == &desc->positions_out;
    const bool of_rotations =
        array == &desc->rotations || array == &desc->tangents_in || array == &desc->tangents_out;
    const bool of_root = (of_positions && pm_is_of_root(desc, PM_POSITIONS)) ||
                         (of_rotations && pm_is_of_root(desc, PM_ROTATIONS));
    const pm_scalars *s = desc->scalars;
    if (s && (array == &s->keys || array == &s->keys_in || array == &s->keys_out))
        return s->count;
    return of_root ? 1 : desc->track_count;
}

pm_array_view pm_track_view(const pm_clip_desc *desc, const pm_array *array, unsigned components,
                            size_t track, size_t first_row) {
    size_t row = components * pm_number_size(array->type);
    const unsigned char *data = array->data;
    size_t tracks = pm_array_tracks(desc, array);
    if (!data || array->type == PM_CODED)
        return (pm_array_view){0};
    if (tracks == 1)
        track = first_row = 0;
    if (pm_timeline_count(desc) > 1)
        return (pm_array_view){data + first_row * row, array->type, row};
    size_t stride = array->stride ? array->stride : row * tracks;
    return (pm_array_view){data + track * row, array->type, stride};
}
