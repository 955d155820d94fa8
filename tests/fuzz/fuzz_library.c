/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of the files of motion libraries. The input is a list of arrays, `name NUL size bytes`, which
 * become an archive that is in order; what is read becomes a crowd, is sampled, and is written again.
 */
#include <stdlib.h>
#include <string.h>

#include "member_archive.h"
#include "motion/library/library.h"

static const pm_library_motion *last_motion(const pm_library_content *content) {
    return &content->motions[content->motion_count - 1];
}

static void sample(const pm_library *library) {
    static float positions[2 * 3 * 4096];
    const pm_library_content *c = pm_library_get_content(library);
    const uint32_t motions[] = {0, (uint32_t)c->motion_count - 1};
    const double times[] = {0.01, (double)last_motion(c)->frames / 30};
    const pm_crowd_target target = {
        .output = PM_CROWD_BODY_POS, .subset = PM_LIBRARY_BODIES, .memory = positions};
    const pm_library_extra_target extra = {.extra = 0, .memory = malloc(1 << 20)};
    size_t row = 4;
    for (size_t i = 1; c->extra_count && i < c->extras[0].rank; i++)
        row = row && c->extras[0].shape[i] > 65536 / row ? 65537 : row * c->extras[0].shape[i];
    const pm_library_job job = {.motions = motions,
                                .count = 2,
                                .times = times,
                                .outputs = &target,
                                .output_count = c->body_count <= 4096,
                                .extras = &extra,
                                .extra_count = c->extra_count && row <= 65536};
    pm_error error;
    require(extra.memory != NULL);
    require(pm_library_sample(library, &job, &error) == PM_OK);
    free(extra.memory);
}

/* Codes that are keys are encoded to keys. */
static void encode_again(const pm_library_content *c) {
    enum { ROWS = 4096 };
    const size_t rows = c->row_count < ROWS ? (size_t)c->row_count : ROWS;
    SCOPED(free_at) float *numbers = malloc(rows * c->joint_count * 4 * sizeof *numbers + 1);
    SCOPED(free_at)
    void *codes = malloc(rows * pm_keys_row_bytes(c->key_format, c->joint_count) + 1);
    pm_error error = {0};
    require(numbers && codes);
    if (pm_keys_decode(c->key_format, c->key_codes, rows, c->joint_count, numbers, &error) == PM_OK)
        require(pm_keys_encode(c->key_format, numbers, rows, c->joint_count, codes, &error) ==
                PM_OK);
}

/* The part is the library's, or no longer there. */
static void use(library_part *part) {
    static pm_engine *engine;
    const pm_engine_desc desc = {.device = "none"};
    pm_error error = {0};
    library_arrays arrays = {0};
    const pm_library_write_options options = {0};
    require(library_list(&part->content, &options, 1, &arrays, &error) == PM_OK);
    require(arrays.count >= 18);
    if (part->content.key_codes)
        encode_again(&part->content);
    motion_arena_release(&arrays.arena);
    if (!engine)
        require(pm_engine_create(&desc, &engine, &error) == PM_OK);
    /* Many motions may share rows: crowds have them apart. */
    uint64_t keys = 0;
    for (size_t i = 0; i < part->content.motion_count; i++)
        keys += part->content.motions[i].frames * part->content.joint_count;
    pm_library *library = NULL;
    if (keys >= 1 << 20)
        library_close_part(part);
    else if (library_make(part, engine, NULL, &library, &error) == PM_OK)
        sample(library);
    pm_library_destroy(&library);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    library_part *part = calloc(1, sizeof *part);
    file_bytes file = {0};
    pm_error error = {0};
    require(part != NULL);
    if (size > 0)
        make_archive((const char *)data, size, &file);
    pm_status status =
        array_file_parse(file.data ? file.data : "", file.size, 1, &part->file, &error);
    if (status == PM_OK)
        status = library_read(part, &error);
    require(status == PM_OK || (status == PM_ERROR_FILE && error.message[0] != '\0'));
    if (status == PM_OK)
        use(part);
    else
        library_close_part(part);
    free(file.data);
    return 0;
}
