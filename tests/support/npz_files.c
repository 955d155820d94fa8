/* SPDX-License-Identifier: MIT
 *
 * NPZ files and samples for tests; zlib packs and unpacks, the containers are made here.
 */
#include "support/npz_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- ZIP --------------------------------------------------------------------------- */

static file_bytes pack(const void *data, size_t size) {
    file_bytes out = {0};
    z_stream stream = {0};
    out.room = compressBound((uLong)size) + 64;
    out.data = malloc(out.room);
    if (!out.data || deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    stream.next_in = (z_const Bytef *)data;
    stream.avail_in = (uInt)size;
    stream.next_out = (Bytef *)out.data;
    stream.avail_out = (uInt)out.room;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
        abort();
    out.size = stream.total_out;
    deflateEnd(&stream);
    return out;
}

static void add_common(file_bytes *to, unsigned flags, unsigned method, uint32_t crc,
                       uint64_t packed, uint64_t size, bool zip64) {
    bytes_add_number(to, zip64 ? 45 : 20, 2);
    bytes_add_number(to, flags, 2);
    bytes_add_number(to, method, 2);
    bytes_add_number(to, 0x6000, 2); /* time and date */
    bytes_add_number(to, 0x5a21, 2);
    bytes_add_number(to, crc, 4);
    bytes_add_number(to, zip64 ? UINT32_MAX : packed, 4);
    bytes_add_number(to, zip64 ? UINT32_MAX : size, 4);
}

void zip_add(zip_builder *zip, const char *name, bool deflated, const void *data, size_t size,
             const zip_lies *lies) {
    static const zip_lies none;
    file_bytes packed = {0};
    lies = lies ? lies : &none;
    if (deflated)
        packed = pack(data, size);
    else
        bytes_add(&packed, data, size);
    const uint64_t says = lies->size ? lies->size : size;
    const uint64_t packs = lies->packed_size ? lies->packed_size : packed.size;
    const unsigned method = lies->method ? lies->method : deflated ? 8 : 0;
    const uint32_t crc = (uint32_t)crc32(0, data, (uInt)size) ^ (lies->bad_crc ? 1 : 0);
    const uint64_t at = lies->local ? lies->local : zip->file.size;
    bytes_add_number(&zip->file, 0x04034b50, 4);
    /* NumPy writes zip64 sizes into the header of every member. */
    add_common(&zip->file, lies->flags, method, crc, packs, says, true);
    bytes_add_number(&zip->file, strlen(name), 2);
    bytes_add_number(&zip->file, 20, 2);
    bytes_add(&zip->file, name, strlen(name));
    bytes_add_number(&zip->file, 1, 2);
    bytes_add_number(&zip->file, 16, 2);
    bytes_add_number(&zip->file, says, 8);
    bytes_add_number(&zip->file, packs, 8);
    bytes_add(&zip->file, packed.data, packed.size);
    bytes_add_number(&zip->directory, 0x02014b50, 4);
    bytes_add_number(&zip->directory, 0x031e, 2);
    add_common(&zip->directory, lies->flags, method, crc, packs, says, lies->zip64);
    bytes_add_number(&zip->directory, strlen(name), 2);
    bytes_add_number(&zip->directory, lies->zip64 ? 28 : 0, 2);
    bytes_add_number(&zip->directory, 0, 6);
    bytes_add_number(&zip->directory, 0x81a40000, 4);
    bytes_add_number(&zip->directory, lies->zip64 ? UINT32_MAX : at, 4);
    bytes_add(&zip->directory, name, strlen(name));
    if (lies->zip64) {
        bytes_add_number(&zip->directory, 1, 2);
        bytes_add_number(&zip->directory, 24, 2);
        bytes_add_number(&zip->directory, says, 8);
        bytes_add_number(&zip->directory, packs, 8);
        bytes_add_number(&zip->directory, at, 8);
    }
    zip->count++;
    free(packed.data);
}

void zip_add_headed(zip_builder *zip, const char *name, bool deflated, const char *header,
                    const void *data, size_t size) {
    file_bytes file = {0};
    const size_t length = (10 + strlen(header) + 1 + 63) / 64 * 64 - 10;
    bytes_add(&file, "\x93NUMPY\x01\x00", 8);
    bytes_add_number(&file, length, 2);
    bytes_add(&file, header, strlen(header));
    while (file.size + 1 < 10 + length)
        bytes_add(&file, " ", 1);
    bytes_add(&file, "\n", 1);
    bytes_add(&file, data, size);
    zip_add(zip, name, deflated, file.data, file.size, NULL);
    free(file.data);
}

void zip_add_array(zip_builder *zip, const char *name, bool deflated, const char *type,
                   const char *shape, const void *data, size_t size) {
    char header[256];
    const bool fortran = type[0] == 'F';
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }",
             type + fortran, fortran ? "True" : "False", shape);
    zip_add_headed(zip, name, deflated, header, data, size);
}

void zip_finish(zip_builder *zip, uint64_t count, bool zip64) {
    const uint64_t at = zip->file.size, size = zip->directory.size;
    file_bytes *file = &zip->file;
    bytes_add(file, zip->directory.data, zip->directory.size);
    if (zip64) {
        const uint64_t end = file->size;
        bytes_add_number(file, 0x06064b50, 4);
        bytes_add_number(file, 44, 8);
        bytes_add_number(file, 45, 2);
        bytes_add_number(file, 45, 2);
        bytes_add_number(file, 0, 8);
        bytes_add_number(file, count, 8);
        bytes_add_number(file, count, 8);
        bytes_add_number(file, size, 8);
        bytes_add_number(file, at, 8);
        bytes_add_number(file, 0x07064b50, 4);
        bytes_add_number(file, 0, 4);
        bytes_add_number(file, end, 8);
        bytes_add_number(file, 1, 4);
    }
    bytes_add_number(file, 0x06054b50, 4);
    bytes_add_number(file, 0, 4);
    bytes_add_number(file, zip64 ? UINT16_MAX : count, 2);
    bytes_add_number(file, zip64 ? UINT16_MAX : count, 2);
    bytes_add_number(file, zip64 ? UINT32_MAX : size, 4);
    bytes_add_number(file, zip64 ? UINT32_MAX : at, 4);
    bytes_add_number(file, 0, 2);
}

void zip_free(zip_builder *zip) {
    free(zip->file.data);
    free(zip->directory.data);
    memset(zip, 0, sizeof *zip);
}

uint64_t number_at(const char *at, unsigned width) {
    uint64_t value = 0;
    for (unsigned i = width; i-- > 0;)
        value = value << 8 | (unsigned char)at[i];
    return value;
}

static char *unpack(const zip_found *found) {
    char *data = malloc(found->size + 1);
    if (!data)
        abort();
    if (found->method == 0) {
        memcpy(data, found->packed, found->size);
        return data;
    }
    z_stream stream = {0};
    if (inflateInit2(&stream, -15) != Z_OK)
        abort();
    stream.next_in = (z_const Bytef *)found->packed;
    stream.avail_in = (uInt)found->packed_size;
    stream.next_out = (Bytef *)data;
    stream.avail_out = (uInt)found->size + 1;
    if (inflate(&stream, Z_FINISH) != Z_STREAM_END || stream.total_out != found->size)
        abort();
    inflateEnd(&stream);
    return data;
}

/* Of small archives without comment, with sizes of 32 bits. */
bool zip_lookup(const char *archive, size_t archive_size, const char *name, zip_found *found) {
    const char *end = archive + archive_size - 22, *at = archive + number_at(end + 16, 4);
    for (uint64_t i = number_at(end + 10, 2); i > 0; i--) {
        const size_t length = number_at(at + 28, 2);
        if (length == strlen(name) && memcmp(at + 46, name, length) == 0) {
            const char *local = archive + number_at(at + 42, 4);
            *found = (zip_found){.packed = local + 30 + number_at(local + 26, 2) +
                                           number_at(local + 28, 2),
                                 .packed_size = number_at(at + 20, 4),
                                 .size = number_at(at + 24, 4),
                                 .method = (unsigned)number_at(at + 10, 2),
                                 .crc = (uint32_t)number_at(at + 16, 4)};
            found->data = unpack(found);
            return true;
        }
        at += 46 + length + number_at(at + 30, 2) + number_at(at + 32, 2);
    }
    return false;
}

/* ---- samples ------------------------------------------------------------------------ */

double test_key(const pm_motion_channel *channel, size_t k, size_t i) {
    const bool is_double = channel->keys.type == PM_FLOAT64;
    const size_t element = is_double ? 8 : 4;
    const size_t stride =
        channel->keys.stride ? channel->keys.stride : channel->components * element;
    const char *at = (const char *)channel->keys.data + k * stride;
    return is_double ? ((const double *)(const void *)at)[i]
                     : (double)((const float *)(const void *)at)[i];
}

/* The rotation between keys k and k + 1, by the angle between them. */
static void slerp(const pm_motion_channel *c, size_t k, double u, double q[4]) {
    double a[4], b[4], dot = 0.0, lengths[2] = {0.0, 0.0};
    for (size_t i = 0; i < 4; i++) {
        a[i] = test_key(c, k, i);
        b[i] = test_key(c, k + 1, i);
        lengths[0] += a[i] * a[i];
        lengths[1] += b[i] * b[i];
    }
    for (size_t i = 0; i < 4; i++)
        dot += (a[i] /= sqrt(lengths[0])) * (b[i] /= sqrt(lengths[1]));
    double difference = 0.0, sum = 0.0;
    const double sign = dot < 0.0 ? -1.0 : 1.0;
    for (size_t i = 0; i < 4; i++) {
        b[i] *= sign;
        difference += (b[i] - a[i]) * (b[i] - a[i]);
        sum += (b[i] + a[i]) * (b[i] + a[i]);
    }
    const double angle = 2.0 * atan2(sqrt(difference), sqrt(sum));
    const double s = sin(angle);
    for (size_t i = 0; i < 4; i++)
        q[i] = s > 1e-12 ? (a[i] * sin((1.0 - u) * angle) + b[i] * sin(u * angle)) / s
                         : a[i] + u * (b[i] - a[i]);
}

static pm_status read_samples(void *user, uint64_t first, size_t count, double *const channels[],
                              motion_position positions[], pm_error *error) {
    const test_samples *t = user;
    (void)error;
    for (size_t s = 0; s < count; s++) {
        const uint64_t place = (first + s) * t->num, frame = place / t->den;
        const double u = (double)(place % t->den) / (double)t->den;
        positions[s] = (motion_position){.key = frame, .exact = place % t->den == 0};
        for (size_t c = 0; c < t->clip->channel_count; c++) {
            const pm_motion_channel *channel = &t->clip->channels[c];
            if (!channels[c])
                continue;
            double *out = channels[c] + s * channel->components;
            double q[4] = {0};
            if (u > 0.0 && channel->path == PM_MOTION_ROTATION)
                slerp(channel, frame, u, q);
            for (size_t i = 0; i < channel->components; i++) {
                const double a = test_key(channel, frame, i);
                const double b = u > 0.0 ? test_key(channel, frame + 1, i) : a;
                const double exact =
                    u > 0.0 && channel->path == PM_MOTION_ROTATION ? q[i] : a + u * (b - a);
                out[i] = (double)(float)exact;
            }
        }
    }
    return PM_OK;
}

/* Of slerp: the constant angular velocity of the segment, in the parent's frame. */
static void angular(const pm_motion_channel *c, size_t k, double rate, double out[3]) {
    double a[4], b[4], dot = 0.0, v[3];
    for (size_t i = 0; i < 4; i++) {
        a[i] = test_key(c, k, i);
        b[i] = test_key(c, k + 1, i);
        dot += a[i] * b[i];
    }
    for (size_t i = 0; i < 4; i++)
        b[i] *= dot < 0.0 ? -1.0 : 1.0;
    /* The vector part of b * conjugate(a). */
    v[0] = -b[3] * a[0] + b[0] * a[3] - b[1] * a[2] + b[2] * a[1];
    v[1] = -b[3] * a[1] + b[1] * a[3] - b[2] * a[0] + b[0] * a[2];
    v[2] = -b[3] * a[2] + b[2] * a[3] - b[0] * a[1] + b[1] * a[0];
    const double s = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const double speed = 2.0 * atan2(s, fabs(dot)) * rate;
    for (size_t i = 0; i < 3; i++)
        out[i] = s > 0.0 ? v[i] / s * speed : 0.0;
}

static pm_status read_velocities(void *user, uint64_t first, size_t count,
                                 double *const velocities[], pm_error *error) {
    const test_samples *t = user;
    const double rate = (double)t->clip->rate.num / (double)t->clip->rate.den;
    (void)error;
    for (size_t s = 0; s < count; s++) {
        const size_t last = t->clip->timelines[0].key_count - 1;
        size_t frame = (size_t)((first + s) * t->num / t->den);
        frame = frame < last ? frame : last - (last > 0);
        for (size_t c = 0; c < t->clip->channel_count; c++) {
            const pm_motion_channel *channel = &t->clip->channels[c];
            if (velocities[c] && channel->path == PM_MOTION_ROTATION)
                angular(channel, frame, rate, velocities[c] + 3 * s);
            else if (velocities[c])
                for (size_t i = 0; i < channel->components; i++)
                    velocities[c][s * channel->components + i] =
                        (test_key(channel, frame + 1, i) - test_key(channel, frame, i)) * rate;
        }
    }
    return PM_OK;
}

/* Samples are computed from the keys: nothing has to be prepared. */
static pm_status select_channels(void *user, size_t first, size_t count, pm_error *error) {
    const test_samples *t = user;
    (void)error;
    if (first > t->clip->channel_count || count > t->clip->channel_count - first)
        abort();
    return PM_OK;
}

void test_samples_make(test_samples *samples, const pm_motion *motion, pm_rational rate) {
    const pm_motion_content *content = pm_motion_get_content(motion);
    const pm_motion_clip *clip = &content->clips[0];
    const uint64_t last = clip->timelines[0].key_count - 1;
    *samples = (test_samples){.clip = clip,
                              .num = (uint64_t)clip->rate.num * (uint64_t)rate.den,
                              .den = (uint64_t)clip->rate.den * (uint64_t)rate.num};
    samples->samples = (motion_samples){.count = last * samples->den / samples->num + 1,
                                        .rate = rate,
                                        .select = select_channels,
                                        .read = read_samples,
                                        .read_velocities = read_velocities,
                                        .user = samples};
}
