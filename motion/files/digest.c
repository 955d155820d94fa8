/* SPDX-License-Identifier: MIT
 *
 * XXH3-128 of memory, of pieces and of files. The text is that of the canonical form, with the high
 * half first, on every processor.
 */
#include "motion/files/digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "motion/base/os.h"
#include "motion/files/input.h"

#include <xxhash.h>

enum { PIECE = 1 << 18 }; /* bytes of a file that are read at a time */

static digest text_of(XXH128_hash_t hash) {
    static const char digits[] = "0123456789abcdef";
    digest result = {""};
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, hash);
    for (size_t i = 0; i < sizeof canonical.digest; i++) {
        result.text[2 * i] = digits[canonical.digest[i] >> 4];
        result.text[2 * i + 1] = digits[canonical.digest[i] & 15];
    }
    return result;
}

digest digest_of(const void *data, size_t size) {
    return text_of(XXH3_128bits(data, size));
}

/* A digest_state is the library's state by another name. */
static XXH3_state_t *hash_of(digest_state *state) {
    return (XXH3_state_t *)state;
}

digest_state *digest_begin(void) {
    XXH3_state_t *hash = XXH3_createState();
    if (hash)
        XXH3_128bits_reset(hash);
    return (digest_state *)hash;
}

void digest_add(digest_state *state, const void *data, size_t size) {
    if (size > 0)
        XXH3_128bits_update(hash_of(state), data, size);
}

void digest_add_result(digest_state *state, const char *name, const digest *result) {
    digest_add(state, name, strlen(name) + 1);
    digest_add(state, result->text, strlen(result->text));
    digest_add(state, "\n", 1);
}

digest digest_end(digest_state **state) {
    digest result = {""};
    if (*state) {
        result = text_of(XXH3_128bits_digest(hash_of(*state)));
        XXH3_freeState(hash_of(*state));
        *state = NULL;
    }
    return result;
}

/* Returns 0 or an errno. */
static int add_file(digest_state *state, int file) {
    unsigned char *piece = malloc(PIECE);
    int failure = !piece ? ENOMEM : 0;
    while (failure == 0) {
        const int64_t size = os_read(file, piece, PIECE);
        if (size == 0)
            break;
        if (size > 0)
            digest_add(state, piece, (size_t)size);
        else
            failure = errno;
    }
    free(piece);
    return failure;
}

bool digest_of_file(const char *path, digest *result) {
    char reason[INPUT_REASON_SIZE] = "";
    const int file = input_open(path, INPUT_REGULAR, reason);
    digest_state *state = NULL;
    int failure = file < 0 ? errno : 0;
    memset(result, 0, sizeof *result);
    if (failure == 0) {
        state = digest_begin();
        failure = !state ? ENOMEM : add_file(state, file);
    }
    const digest found = digest_end(&state);
    if (file >= 0)
        close(file);
    if (failure == 0)
        *result = found;
    errno = failure;
    return failure == 0;
}

bool digest_equal(const digest *a, const digest *b) {
    return strcmp(a->text, b->text) == 0;
}
