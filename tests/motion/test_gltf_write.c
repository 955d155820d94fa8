/* SPDX-License-Identifier: MIT
 *
 * Tests of writing glTF and GLB: samples stand where keys stood, to the bit, all else is as it was,
 * and no bytes are left that nothing refers to.
 */
#define _DEFAULT_SOURCE

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "motion.h"
#include "motion/model/evaluate.h"
#include "motion/model/model.h"
#include "support/file_bytes.h"
#include "support/gltf_generator.h"
#include "support/motion_files.h"
#include "support/motion_truth.h"
#include "support/test_folder.h"

/* ---- samples ------------------------------------------------------------------------------- */

enum { MAX_SAMPLES = 3000 };
#define POISON 777.0

/* Samples of the truth; some are said to lie on a key, and have a value that must not appear. */
typedef struct source {
    const pm_motion_clip *clip;
    const motion_samples *samples;
    uint64_t on_key[MAX_SAMPLES];
    uint64_t expected; /* the next sample to be asked for */
} source;

static double exact_time(const motion_samples *s, uint64_t k) {
    return s->has_end && k == s->count - 1
               ? s->end
               : s->start + (double)k * (double)s->rate.den / (double)s->rate.num;
}

static void value_at(const source *s, size_t channel, uint64_t k, double value[TRUTH_NUMBERS]) {
    const pm_motion_channel *c = &s->clip->channels[channel];
    const pm_timeline *timeline = &s->clip->timelines[c->timeline];
    truth_at(c, timeline, truth_find(timeline, exact_time(s->samples, k)), value);
}

/* Reading begins anew with each selection. */
static pm_status select_channels(void *user, size_t first, size_t count, pm_error *error) {
    source *s = user;
    (void)error;
    assert_true(first + count <= s->clip->channel_count);
    s->expected = 0;
    return PM_OK;
}

static pm_status read_samples(void *user, uint64_t first, size_t count, double *const channels[],
                              motion_position positions[], pm_error *error) {
    source *s = user;
    (void)error;
    assert_int_equal(first, s->expected); /* in order */
    assert_true(first + count <= s->samples->count);
    s->expected = first + count;
    for (size_t k = 0; k < count; k++) {
        const uint64_t key = s->on_key[first + k];
        positions[k] = (motion_position){.key = key, .exact = key != MOTION_NO_KEY};
        for (size_t c = 0; c < s->clip->channel_count; c++) {
            const size_t n = s->clip->channels[c].components;
            double value[TRUTH_NUMBERS];
            if (!channels[c])
                continue;
            value_at(s, c, first + k, value);
            const bool is_key = key < s->clip->timelines[s->clip->channels[c].timeline].key_count;
            for (size_t i = 0; i < n; i++)
                channels[c][k * n + i] = is_key ? POISON : (double)(float)value[i];
        }
    }
    return PM_OK;
}

static motion_samples random_samples(random_source *r, size_t clip, source *s) {
    motion_samples made = {.clip = clip,
                           .count = random_unit(r) < 0.1 ? 1100 : random_size(r, 1, 40),
                           .rate = {(int64_t)random_size(r, 1, 240), (int64_t)random_size(r, 1, 3)},
                           .start = random_unit(r) < 0.5 ? 0.0 : random_between(r, 0.0, 4.0),
                           .select = select_channels,
                           .read = read_samples,
                           .user = s};
    made.has_end = made.count > 1 && random_unit(r) < 0.3;
    made.end =
        exact_time(
            &(motion_samples){.count = made.count + 1, .start = made.start, .rate = made.rate},
            made.count - 1) -
        (made.has_end ? 0.3 * (double)made.rate.den / (double)made.rate.num : 0.0);
    for (size_t k = 0; k < made.count; k++)
        s->on_key[k] = random_unit(r) < 0.2 ? random_size(r, 0, 5) : MOTION_NO_KEY;
    return made;
}

/* ---- checks -------------------------------------------------------------------------------- */

static json_t *root_of(const char *data, size_t size) {
    uint32_t text = (uint32_t)size;
    const bool is_binary = size > 20 && memcmp(data, "glTF", 4) == 0;
    if (is_binary)
        memcpy(&text, data + 12, 4);
    json_t *root = json_loadb(data + (is_binary ? 20 : 0), text, JSON_ALLOW_NUL, NULL);
    assert_non_null(root);
    return root;
}

static size_t integer(const json_t *object, const char *key) {
    return (size_t)json_integer_value(json_object_get(object, key));
}

/* Every accessor is used by a sampler, every view by an accessor, and every byte by a view but for
 * at most 3 before one. For documents whose meshes have no data. */
static void expect_no_orphans(const json_t *root) {
    const json_t *accessors = json_object_get(root, "accessors");
    const json_t *views = json_object_get(root, "bufferViews");
    SCOPED(free_at) bool *used = calloc(json_array_size(accessors) + 1, sizeof *used);
    SCOPED(free_at) bool *seen = calloc(json_array_size(views) + 1, sizeof *seen);
    assert_true(used && seen);
    for (size_t a = 0; a < json_array_size(json_object_get(root, "animations")); a++) {
        const json_t *samplers =
            json_object_get(json_array_get(json_object_get(root, "animations"), a), "samplers");
        for (size_t i = 0; i < json_array_size(samplers); i++) {
            used[integer(json_array_get(samplers, i), "input")] = true;
            used[integer(json_array_get(samplers, i), "output")] = true;
        }
    }
    size_t bytes = 0;
    for (size_t i = 0; i < json_array_size(accessors); i++) {
        const json_t *accessor = json_array_get(accessors, i);
        const json_t *sparse = json_object_get(accessor, "sparse");
        assert_true(used[i]);
        if (json_object_get(accessor, "bufferView"))
            seen[integer(accessor, "bufferView")] = true;
        if (sparse) {
            seen[integer(json_object_get(sparse, "indices"), "bufferView")] = true;
            seen[integer(json_object_get(sparse, "values"), "bufferView")] = true;
        }
    }
    for (size_t i = 0; i < json_array_size(views); i++) {
        assert_true(seen[i]);
        bytes += integer(json_array_get(views, i), "byteLength") + 3;
    }
    const json_t *buffers = json_object_get(root, "buffers");
    assert_true(json_array_size(buffers) <= 1);
    assert_true(integer(json_array_get(buffers, 0), "byteLength") <= bytes);
}

/* Indices of accessors and views may change. */
static void mask(json_t *object, const char *key) {
    if (json_object_get(object, key))
        json_object_set_new(object, key, json_integer(0));
}

static void mask_all(json_t *object) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) mask(object, key);
}

static json_t *masked(const json_t *root) {
    json_t *copy = json_deep_copy(root), *mesh, *primitive, *object;
    size_t i, k, t;
    json_array_foreach(json_object_get(copy, "meshes"), i, mesh)
        json_array_foreach(json_object_get(mesh, "primitives"), k, primitive) {
        mask(primitive, "indices");
        mask_all(json_object_get(primitive, "attributes"));
        json_array_foreach(json_object_get(primitive, "targets"), t, object) mask_all(object);
    }
    json_array_foreach(json_object_get(copy, "skins"), i, object)
        mask(object, "inverseBindMatrices");
    json_array_foreach(json_object_get(copy, "images"), i, object) mask(object, "bufferView");
    return copy;
}

static void expect_same_members(const json_t *a, const json_t *b) {
    static const char *const rewritten[] = {"animations", "accessors", "bufferViews", "buffers"};
    json_t *x = masked(a), *y = masked(b);
    for (size_t i = 0; i < COUNT_OF(rewritten); i++) {
        json_object_del(x, rewritten[i]);
        json_object_del(y, rewritten[i]);
    }
    assert_true(json_equal(x, y));
    json_decref(x);
    json_decref(y);
}

static void expect_same_channel(const pm_motion_clip *a, const pm_motion_clip *b, size_t c) {
    const pm_motion_channel *x = &a->channels[c], *y = &b->channels[c];
    const pm_timeline *s = &a->timelines[x->timeline], *t = &b->timelines[y->timeline];
    const pm_array *const parts[][2] = {{&x->keys, &y->keys}, {&x->in, &y->in}, {&x->out, &y->out}};
    assert_int_equal(x->interpolation, y->interpolation);
    assert_int_equal(s->key_count, t->key_count);
    assert_int_equal(x->components, y->components);
    for (size_t k = 0; k < s->key_count; k++) {
        assert_true(truth_time(s, k) == truth_time(t, k));
        for (size_t part = 0; part < (x->interpolation == PM_MOTION_CUBICSPLINE ? 3 : 1); part++)
            for (size_t i = 0; i < x->components; i++)
                assert_true(truth_number(parts[part][0], x->components, k, i) ==
                            truth_number(parts[part][1], x->components, k, i));
    }
}

/* A number of a sample on a key: the key's own bits. Keys of CUBICSPLINE keep their lengths, and
 * samples are unit where a key is further from it than the library takes. */
static float sample_on_key(const pm_motion_channel *channel, size_t key, size_t component) {
    float q[16] = {0.0F};
    double square = 0.0;
    memcpy(q, (const char *)channel->keys.data + key * channel->keys.stride,
           channel->components * sizeof *q);
    for (size_t i = 0; i < 4; i++)
        square += (double)q[i] * (double)q[i];
    const bool is_far = channel->path == PM_MOTION_ROTATION && fabs(sqrt(square) - 1.0) > 1e-3;
    return is_far ? (float)((double)q[component] / sqrt(square)) : q[component];
}

/* Whether a channel has one value at all times. */
static bool is_still(const pm_motion_clip *clip, size_t c) {
    const pm_motion_channel *channel = &clip->channels[c];
    const size_t keys = clip->timelines[channel->timeline].key_count;
    bool still = true;
    for (size_t k = 0; k < keys; k++)
        for (size_t i = 0; i < channel->components; i++)
            still = still &&
                    truth_number(&channel->keys, channel->components, k, i) ==
                        truth_number(&channel->keys, channel->components, 0, i) &&
                    (channel->interpolation != PM_MOTION_CUBICSPLINE ||
                     (truth_number(&channel->in, channel->components, k, i) == 0 &&
                      truth_number(&channel->out, channel->components, k, i) == 0));
    return still;
}

/* The first and the last time of what was written before. */
static void find_ends(const source *s, double ends[2], double *moving) {
    ends[0] = (double)INFINITY;
    ends[1] = *moving = -(double)INFINITY;
    for (size_t c = 0; c < s->clip->channel_count; c++) {
        const bool is_step = s->clip->channels[c].interpolation == PM_MOTION_STEP;
        const pm_timeline *own = &s->clip->timelines[s->clip->channels[c].timeline];
        const double begin = is_step ? truth_time(own, 0) : exact_time(s->samples, 0);
        const double end = is_step ? truth_time(own, own->key_count - 1)
                                   : exact_time(s->samples, s->samples->count - 1);
        ends[0] = fmin(ends[0], begin);
        ends[1] = fmax(ends[1], end);
        if (is_step || !is_still(s->clip, c))
            *moving = fmax(*moving, end);
    }
}

/* One key, or two where nothing that moves has the last time. */
static void expect_still(const pm_motion_clip *out, const source *s, size_t c) {
    const pm_motion_channel *channel = &s->clip->channels[c], *got = &out->channels[c];
    const pm_timeline *timeline = &out->timelines[got->timeline];
    double ends[2], moving;
    find_ends(s, ends, &moving);
    assert_int_equal(timeline->key_count, moving < ends[1] && ends[0] < ends[1] ? 2 : 1);
    for (size_t k = 0; k < timeline->key_count; k++) {
        assert_true(truth_time(timeline, k) == (double)(float)ends[k]);
        for (size_t i = 0; i < channel->components; i++)
            assert_true(truth_number(&got->keys, got->components, k, i) ==
                        (double)sample_on_key(channel, 0, i));
    }
}

static void expect_samples(const pm_motion_clip *out, const source *s, size_t c) {
    const motion_samples *samples = s->samples;
    const pm_motion_channel *channel = &s->clip->channels[c], *got = &out->channels[c];
    const pm_timeline *timeline = &out->timelines[got->timeline];
    assert_int_equal(got->interpolation, PM_MOTION_LINEAR);
    assert_int_equal(got->components, channel->components);
    if (is_still(s->clip, c)) {
        expect_still(out, s, c);
        return;
    }
    assert_int_equal(timeline->key_count, samples->count);
    for (size_t k = 0; k < samples->count; k++) {
        double value[TRUTH_NUMBERS];
        value_at(s, c, k, value);
        assert_true(truth_time(timeline, k) == (double)(float)exact_time(samples, k));
        for (size_t i = 0; i < channel->components; i++) {
            const double written = truth_number(&got->keys, got->components, k, i);
            float expected = (float)value[i];
            if (s->on_key[k] < s->clip->timelines[channel->timeline].key_count)
                expected = sample_on_key(channel, s->on_key[k], i);
            if (written != (double)expected)
                fail_msg("sample %zu of channel %zu is %.9g, expected %.9g", k, c, written,
                         (double)expected);
        }
    }
}

static const json_t *sampler_of(const json_t *animation, size_t channel) {
    const json_t *json = json_array_get(json_object_get(animation, "channels"), channel);
    return json_array_get(json_object_get(animation, "samplers"), integer(json, "sampler"));
}

/* One input for all resampled channels that move, with the exact bounds, and an output for each. */
static void expect_one_input(const json_t *root, const source *s) {
    const json_t *animation = json_array_get(json_object_get(root, "animations"), s->samples->clip);
    size_t input = SIZE_MAX;
    for (size_t c = 0; c < s->clip->channel_count; c++) {
        if (s->clip->channels[c].interpolation == PM_MOTION_STEP)
            continue;
        const json_t *sampler = sampler_of(animation, c);
        for (size_t i = 0; i < c; i++)
            assert_true(integer(sampler_of(animation, i), "output") != integer(sampler, "output"));
        if (is_still(s->clip, c))
            continue;
        assert_true(input == SIZE_MAX || input == integer(sampler, "input"));
        input = integer(sampler, "input");
    }
    if (input == SIZE_MAX)
        return;
    const json_t *accessor = json_array_get(json_object_get(root, "accessors"), input);
    const double min = json_number_value(json_array_get(json_object_get(accessor, "min"), 0));
    const double max = json_number_value(json_array_get(json_object_get(accessor, "max"), 0));
    assert_true(min == (double)(float)exact_time(s->samples, 0));
    assert_true(max == (double)(float)exact_time(s->samples, s->samples->count - 1));
}

static pm_motion *parse(const void *data, size_t size, bool is_strict) {
    const pm_motion_read_options options = {.strict = is_strict};
    return test_parse(data, size, &options);
}

static file_bytes written(const pm_motion *opened, const motion_format *format,
                          const motion_samples *samples) {
    file_bytes out = {0};
    expect_success(test_write(opened, format, samples, &out, new_error()));
    return out;
}

static void check_output(const generated_file *file, const file_bytes *out, const source *s,
                         const pm_motion_clip *clips) {
    SCOPED(json_decrefp) json_t *before = root_of((const char *)file->data, file->size);
    SCOPED(json_decrefp) json_t *after = root_of(out->data, out->size);
    SCOPED(pm_motion_destroy) pm_motion *again = parse(out->data, out->size, false);
    const pm_motion_clip *got = pm_motion_get_content(again)->clips;
    size_t channel = 0;
    for (size_t t = 0; t < file->track_count; t++, channel++) {
        const size_t clip = file->tracks[t].clip;
        channel = t > 0 && file->tracks[t - 1].clip != clip ? 0 : channel;
        if (clip == s->samples->clip && s->clip->channels[channel].interpolation != PM_MOTION_STEP)
            expect_samples(&got[clip], s, channel);
        else
            expect_same_channel(&clips[clip], &got[clip], channel);
    }
    expect_one_input(after, s);
    expect_no_orphans(after);
    expect_same_members(before, after);
}

TEST(samples_replace_keys_and_all_else_remains) {
    random_source random = random_salted(0x941);
    for (size_t i = 0; i < 200; i++) {
        generated_file *file = gltf_generate(&random);
        SCOPED(pm_motion_destroy) pm_motion *opened = parse(file->data, file->size, false);
        const pm_motion_clip *clips = pm_motion_get_content(opened)->clips;
        const size_t clip = random_size(&random, 0, file->clip_count - 1);
        SCOPED(free_at) source *s = calloc(1, sizeof *s);
        assert_non_null(s);
        const motion_samples samples = random_samples(&random, clip, s);
        s->clip = &clips[clip];
        s->samples = &samples;
        const motion_format *format = random_unit(&random) < 0.5 ? &motion_gltf : &motion_glb;
        SCOPED(bytes_free) file_bytes out = written(opened, format, &samples);
        if (file->track_count > 0 && out.size > 0)
            check_output(file, &out, s, clips);
        gltf_generated_free(file);
    }
}

/* ---- special documents --------------------------------------------------------------------- */

/* Times 0 and 1, and two translations, in 32 bytes; then 4 bytes that nothing refers to. */
#define DOCUMENT(node)                                                                             \
    "{\"asset\":{\"version\":\"2.0\",\"generator\":\"caf\\u00e9 \\u0000 \\\\\"},"                  \
    "\"nodes\":[{\"extras\":[1.0,1e-300,-0.1,9007199254740993,0.30000000000000004]" node "}],"     \
    "\"animations\":[{\"samplers\":[{\"input\":0,\"output\":1,\"extras\":5}],"                     \
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}]}],"           \
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\","     \
    "\"min\":[0],\"max\":[1]},{\"bufferView\":0,\"byteOffset\":8,\"componentType\":5126,"          \
    "\"count\":2,\"type\":\"VEC3\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":32}],"          \
    "\"buffers\":[{\"byteLength\":36,\"name\":\"kept\"}]}"

/* Two keys of a translation, at 0 and 1 s; and room for three samples of it. */
typedef struct small {
    unsigned char *file;
    size_t size;
    pm_motion *motion;
    motion_samples samples;
} small;

static small open_small(const char *json) {
    static const float data[9] = {0, 1, 1, 2, 3, 4, 5, 6, -1};
    small made;
    made.file = glb_assemble(json, data, sizeof data, &made.size);
    made.motion = parse(made.file, made.size, false);
    made.samples = test_halves(made.motion, 3, (pm_rational){2, 1});
    return made;
}

static void close_small(small *made) {
    pm_motion_destroy(&made->motion);
    free(made->file);
}

static file_bytes write_document(const char *json, bool is_binary) {
    small made = open_small(json);
    const file_bytes out =
        written(made.motion, is_binary ? &motion_glb : &motion_gltf, &made.samples);
    close_small(&made);
    return out;
}

TEST(unknown_chunks_are_carried_over) {
    static const unsigned char other[] = {4, 0, 0, 0, 'O', 'D', 'D', 'x', 1, 2, 3, 4};
    SCOPED(close_small) small made = open_small(DOCUMENT(""));
    SCOPED(bytes_free) file_bytes file = {0};
    bytes_add(&file, made.file, made.size);
    bytes_add(&file, other, sizeof other);
    memcpy(file.data + 8, &(uint32_t){(uint32_t)file.size}, 4);
    SCOPED(pm_motion_destroy) pm_motion *opened = parse(file.data, file.size, true);
    SCOPED(bytes_free) file_bytes out = written(opened, &motion_glb, NULL);
    assert_true(out.size > sizeof other);
    assert_memory_equal(out.data + out.size - sizeof other, other, sizeof other);
    pm_motion_destroy(&opened);
    opened = parse(out.data, out.size, true);
}

/* A document whose channel shares its sampler with one without a node, which stays. */
#define SHARED_SIZE (sizeof(DOCUMENT("")) + 64)
static void share_sampler(char text[SHARED_SIZE]) {
    static const char channels[] = "\"channels\":[", extra[] = "{\"sampler\":0,\"target\":{"
                                                               "\"path\":\"translation\"}},";
    static const char json[] = DOCUMENT("");
    const size_t before = (size_t)(strstr(json, channels) - json) + strlen(channels);
    (void)snprintf(text, SHARED_SIZE, "%.*s%s%s", (int)before, json, extra, json + before);
}

/* The channel that stays keeps its keys; the other one has `count` new ones. */
static void expect_shared_sampler_kept(const file_bytes *out, size_t count) {
    SCOPED(json_decrefp) json_t *root = root_of(out->data, out->size);
    const json_t *animation = json_array_get(json_object_get(root, "animations"), 0);
    const json_t *accessors = json_object_get(root, "accessors");
    const json_t *stays = sampler_of(animation, 0), *changed = sampler_of(animation, 1);
    const json_t *keys = json_array_get(accessors, integer(stays, "output"));
    assert_int_equal(integer(json_array_get(accessors, integer(stays, "input")), "count"), 2);
    assert_int_equal(integer(json_array_get(accessors, integer(changed, "input")), "count"), count);
    const size_t begin =
        integer(keys, "byteOffset") +
        integer(json_array_get(json_object_get(root, "bufferViews"), integer(keys, "bufferView")),
                "byteOffset");
    uint32_t size = 0;
    memcpy(&size, out->data + 12, 4);
    assert_memory_equal(out->data + 28 + size + begin, ((float[]){1, 2, 3, 4, 5, 6}), 24);
}

TEST(channels_that_stay_keep_a_shared_sampler) {
    char text[SHARED_SIZE];
    share_sampler(text);
    SCOPED(bytes_free) file_bytes out = write_document(text, true);
    expect_shared_sampler_kept(&out, 3);
}

/* Writes the document of a motion with other keys of its channel. */
static pm_status write_keys(const small *made, const double *times, const float *values,
                            size_t count, file_bytes *out) {
    const pm_motion_content *content = pm_motion_get_content(made->motion);
    const pm_timeline timeline = {.key_count = count, .times = times};
    pm_motion_channel channel = content->clips[0].channels[0];
    pm_motion_clip clip = content->clips[0];
    channel.keys = (pm_array){values, PM_FLOAT32, 3 * sizeof *values};
    channel.timeline = 0;
    clip.timelines = &timeline;
    clip.channels = &channel;
    pm_motion keys = {.content = *content};
    keys.content.clips = &clip;
    const motion_sink sink = bytes_sink(out);
    return motion_glb.write(&(motion_writing){.motion = &keys, .document = made->motion}, &sink,
                            new_error());
}

TEST(keys_replace_those_of_a_document) {
    static const double times[] = {0, 0.5, 1, 2};
    static const float values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    char text[SHARED_SIZE];
    share_sampler(text);
    SCOPED(close_small) small made = open_small(text);
    SCOPED(bytes_free) file_bytes out = {0};
    expect_success(write_keys(&made, times, values, 4, &out));
    expect_shared_sampler_kept(&out, 4);
    SCOPED(pm_motion_destroy) pm_motion *again = parse(out.data, out.size, false);
    const pm_motion_clip *clip = &pm_motion_get_content(again)->clips[0];
    assert_int_equal(clip->timelines[0].key_count, 4);
    assert_memory_equal(clip->timelines[0].times, times, sizeof times);
    assert_memory_equal(clip->channels[0].keys.data, values, sizeof values);
}

TEST(keys_that_float32_cannot_hold_are_refused) {
    static const double close[] = {0, 1000, 1000.00001}, early[] = {-1, 0, 1}, good[] = {0, 1, 2};
    static const float values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const float bad[] = {1, 2, 3, 4, (float)NAN, 6, 7, 8, 9};
    SCOPED(close_small) small made = open_small(DOCUMENT(""));
    SCOPED(bytes_free) file_bytes out = {0};
    expect_error(write_keys(&made, close, values, 3, &out), PM_ERROR_FILE,
                 "keys 1 and 2 are both at 1000 s");
    expect_error(write_keys(&made, early, values, 3, &out), PM_ERROR_FILE, "key 0 is at -1 s");
    expect_error(write_keys(&made, good, bad, 3, &out), PM_ERROR_FILE, "key 1 of channel 0");
    assert_int_equal(out.size, 0);
}

/* An unknown extension may refer to any view: all stay, and new ones follow. */
TEST(unknown_extensions_keep_all_indices) {
    static const char json[] = DOCUMENT(",\"extensions\":{\"ODD_x\":{\"bufferView\":0}}");
    for (int is_binary = 0; is_binary < 2; is_binary++) {
        SCOPED(json_decrefp) json_t *before = json_loads(json, JSON_ALLOW_NUL, NULL);
        SCOPED(bytes_free) file_bytes out = write_document(json, is_binary);
        SCOPED(json_decrefp) json_t *after = root_of(out.data, out.size);
        const json_t *x = json_object_get(before, "bufferViews");
        const json_t *y = json_object_get(after, "bufferViews");
        assert_int_equal(json_array_size(y), 2);
        assert_true(json_equal(json_array_get(x, 0), json_array_get(y, 0)));
        x = json_object_get(before, "accessors");
        y = json_object_get(after, "accessors");
        assert_int_equal(json_array_size(y), 4);
        for (size_t i = 0; i < 2; i++)
            assert_true(json_equal(json_array_get(x, i), json_array_get(y, i)));
        expect_same_members(before, after);
        SCOPED(pm_motion_destroy) pm_motion *again = parse(out.data, out.size, true);
        const pm_motion_channel *got = &pm_motion_get_content(again)->clips[0].channels[0];
        assert_true(truth_number(&got->keys, 3, 2, 2) == 0.5);
    }
}

/* 10^7 samples a second cannot be told apart in float32 after one second. */
TEST(times_that_float32_cannot_hold_are_refused) {
    SCOPED(close_small) small made = open_small(DOCUMENT(""));
    motion_samples samples = test_halves(made.motion, 40, (pm_rational){10000000, 1});
    file_bytes out = {0};
    samples.start = 1;
    expect_error(test_write(made.motion, &motion_glb, &samples, &out, new_error()), PM_ERROR_TIME,
                 "float32");
    const motion_samples twice[] = {made.samples, made.samples};
    const motion_sink sink = bytes_sink(&out);
    expect_error(motion_glb.write(&(motion_writing){.motion = made.motion,
                                                    .document = made.motion,
                                                    .samples = twice,
                                                    .sample_count = 2,
                                                    .decimals = 6},
                                  &sink, new_error()),
                 PM_ERROR_ARGUMENT, "twice");
    assert_int_equal(out.size, 0);
}

/* Linear translations at 1, 2 and 3 s, and steps at 1, 1.5 and 2.5 s; optionally a channel that is
 * carried over. */
#define STEPS(channel)                                                                             \
    "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{},{}],\"animations\":[{\"samplers\":["           \
    "{\"input\":0,\"output\":1},{\"input\":2,\"output\":3,\"interpolation\":\"STEP\"}],"           \
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}},"              \
    "{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"scale\"}},"                                  \
    "{\"sampler\":1,\"target\":{\"node\":1,\"path\":\"scale\"}}" channel                           \
    "]}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"," \
    "\"min\":[1],\"max\":[3]},{\"bufferView\":0,\"byteOffset\":12,\"componentType\":5126,"         \
    "\"count\":3,\"type\":\"VEC3\"},{\"bufferView\":0,\"byteOffset\":48,\"componentType\":5126,"   \
    "\"count\":3,\"type\":\"SCALAR\",\"min\":[1],\"max\":[2.5]},{\"bufferView\":0,"                \
    "\"byteOffset\":60,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"                    \
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":96}],\"buffers\":[{\"byteLength\":96}]}"

static const float step_data[24] = {1, 2,    3,    0, 0, 0, 4, 8, 12, 0, 0, 0,
                                    1, 1.5F, 2.5F, 1, 2, 3, 4, 5, 6,  7, 8, 9};

/* From 1.75 s to 2.75 s, four times a second. */
static pm_status write_cut(const char *json, file_bytes *out, bool keep_time, pm_error *error) {
    size_t size = 0;
    char folder[TEST_FOLDER_PATH], path[TEST_FOLDER_PATH + 8];
    SCOPED(free_at) unsigned char *file = glb_assemble(json, step_data, sizeof step_data, &size);
    SCOPED(pm_motion_destroy) pm_motion *opened = parse(file, size, false);
    SCOPED(pm_engine_destroy) pm_engine *engine = test_reference();
    const pm_motion_resample_options options = {.rate = {4, 1},
                                                .start_after_first_key = {3, 4},
                                                .end_after_first_key = {7, 4},
                                                .keep_time = keep_time,
                                                .authored = true};
    assert_true(test_folder_make(folder));
    snprintf(path, sizeof path, "%s/cut.glb", folder);
    test_folder_put(path, "", 0); /* what a refusal leaves */
    const pm_status status = pm_motion_resample(opened, engine, &options, path, NULL, error);
    out->data = test_folder_read(path, &out->size);
    assert_true(test_folder_remove(folder));
    return status;
}

TEST(steps_are_cut_with_the_samples) {
    SCOPED(bytes_free) file_bytes out = {0};
    expect_success(write_cut(STEPS(""), &out, false, new_error()));
    SCOPED(pm_motion_destroy) pm_motion *again = parse(out.data, out.size, false);
    const pm_motion_clip *clip = &pm_motion_get_content(again)->clips[0];
    const pm_timeline *samples = &clip->timelines[clip->channels[0].timeline];
    assert_int_equal(samples->key_count, 5);
    for (size_t k = 0; k < 5; k++) {
        assert_true(samples->times[k] == 0.25 * (double)k);
        assert_true(fabs(evaluate_number(&clip->channels[0].keys, 3, k, 0) -
                         (k == 0 ? 3 : 4 - (double)(k - 1))) < 1e-6);
    }
    for (size_t c = 1; c < 3; c++) {
        const pm_timeline *steps = &clip->timelines[clip->channels[c].timeline];
        assert_int_equal(clip->channels[c].interpolation, PM_MOTION_STEP);
        assert_int_equal(steps->key_count, 2);
        assert_true(steps->times[0] == 0 && steps->times[1] == 0.75);
        for (size_t i = 0; i < 6; i++)
            assert_true(evaluate_number(&clip->channels[c].keys, 3, i / 3, (uint32_t)(i % 3)) ==
                        4 + (double)i);
    }
}

/* Its times are not known to be moved with the others. */
TEST(a_cut_beside_carried_channels_keeps_its_times) {
    static const char json[] =
        STEPS(",{\"sampler\":0,\"target\":{\"path\":\"pointer\",\"extensions\":"
              "{\"KHR_animation_pointer\":{\"pointer\":\"/nodes/1/translation\"}}}}");
    SCOPED(bytes_free) file_bytes out = {0};
    expect_error(write_cut(json, &out, false, new_error()), PM_ERROR_FILE, "channels/3");
    assert_string_equal(last_error()->cure, "keep-time");
    free(out.data);
    expect_success(write_cut(json, &out, true, new_error()));
    SCOPED(pm_motion_destroy) pm_motion *again = parse(out.data, out.size, false);
    const pm_motion_clip *clip = &pm_motion_get_content(again)->clips[0];
    assert_true(clip->timelines[0].times[0] == 1.75);
    assert_int_equal(clip->timelines[1].key_count, 3);
}

/* A sink for as many bytes as its size says. */
static pm_status fill_up(void *user, const void *data, size_t size, pm_error *error) {
    size_t *left = user;
    (void)data;
    if (size > *left)
        return motion_fail(error, PM_ERROR_OUTPUT, "is full");
    *left -= size;
    return PM_OK;
}

/* The sink's error is the writer's, wherever it occurs. */
TEST(errors_of_the_sink_are_passed_on) {
    SCOPED(close_small) small made = open_small(DOCUMENT(""));
    size_t failures = 0;
    for (int is_binary = 0; is_binary < 2; is_binary++) {
        const motion_format *format = is_binary ? &motion_glb : &motion_gltf;
        for (size_t after = 1;; after += 7) {
            size_t left = after;
            const motion_sink sink = {fill_up, &left};
            const pm_status status = format->write(&(motion_writing){.motion = made.motion,
                                                                     .document = made.motion,
                                                                     .samples = &made.samples,
                                                                     .sample_count = 1,
                                                                     .decimals = 6},
                                                   &sink, new_error());
            if (status == PM_OK)
                break;
            assert_int_equal(status, PM_ERROR_OUTPUT);
            failures++;
        }
    }
    assert_true(failures > 100);
}
