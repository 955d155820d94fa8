/* SPDX-License-Identifier: MIT
 *
 * Streams: the planes of some tracks, a window of segments at a time.
 */
#include <string.h>

#include "base/base.h"
#include "description.h"

static bool allocate(const pm_host *host, pm_clip_stream *s, size_t rows, size_t constants) {
    s->state = pm_allocate_lines(host, s->functions->stream_bytes);
    const size_t plane_bytes = rows * s->row * sizeof *s->planes;
    s->planes = pm_allocate_lines(host, plane_bytes);
    s->constants = pm_allocate_zeroed(host, constants * s->plane, sizeof *s->constants);
    if (s->planes)
        memset(s->planes, 0, plane_bytes);
    return s->state && s->planes && s->constants;
}

pm_status pm_clip_stream_open(const pm_clip_desc *desc, const pm_clip_data *clip, unsigned channel,
                              size_t place, size_t count, pm_clip_stream *stream, pm_error *error) {
    const pm_method_impl *impl = &clip->channels[channel].impl;
    const pm_track_span tracks = {place, count, 0};
    const size_t padded = pm_padded_tracks(count);
    pm_block block = pm_clip_block(desc, clip, channel, &tracks);
    pm_clip_stream *s = stream;
    *s = (pm_clip_stream){.functions = pm_segment_functions_for(count),
                          .plane = 4 * padded,
                          .row = 4 * padded * pm_curve_planes(impl->curve)};
    if (!allocate(clip->host, s, s->functions->stream_rows(&block),
                  pm_curves[impl->curve].constants)) {
        pm_clip_stream_close(s);
        return pm_fail_memory(error);
    }
    block.planes = s->planes;
    block.row = s->row;
    block.plane = s->plane;
    block.room = padded;
    block.layout = NULL;
    for (size_t t = 0; impl->constants && t < count; t++)
        impl->constants(desc, place + t, s->constants + 4 * t, s->plane);
    s->functions->begin_stream(&block, s->state, s->wraps);
    s->is_open = true;
    return PM_OK;
}

pm_block_result pm_clip_stream_seek(pm_clip_stream *stream, size_t first, size_t count,
                                    bool with_segments) {
    return stream->functions->build_window(stream->state, first, count, with_segments);
}

void pm_clip_stream_close(pm_clip_stream *stream) {
    if (stream->is_open)
        stream->functions->end_stream(stream->state);
    pm_release(stream->state);
    pm_release(stream->planes);
    pm_release(stream->constants);
    *stream = (pm_clip_stream){0};
}

bool pm_clip_streams(const pm_clip_desc *desc, const pm_clip_data *clip, unsigned channel) {
    const pm_track_span tracks = {0, 1, 0};
    if (!clip->common_timeline || clip->order || clip->timelines[0].constant ||
        clip->channels[channel].format != PM_KEYS_FLOAT32 ||
        pm_rows_before(&clip->channels[channel]))
        return false;
    const pm_block block = pm_clip_block(desc, clip, channel, &tracks);
    return pm_segment_functions_for(1)->stream_rows(&block) > 0;
}
