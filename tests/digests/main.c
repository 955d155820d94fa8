/* SPDX-License-Identifier: MIT
 *
 * Compares the bits of the reference path on this machine with stored digests.
 *
 *   digests FILE            exit status 0 when all of them are equal
 *   digests --flush FILE    in the mode in which subnormal numbers are 0; 77: there is no such mode
 *   digests --write         prints the file
 */
#include "support/digests.h"
#include "support/flush.h"
#include "support/scoped.h"

#include <stdlib.h>
#include <string.h>

static int usage(void) {
    fprintf(stderr, "usage: digests [--flush] FILE, or digests --write\n");
    return 2;
}

static digests computed(void) {
    digests d = {0};
    SCOPED(pm_engine_destroy) pm_engine *engine = NULL;
    pm_error error;
    if (pm_engine_create(&(pm_engine_desc){.device = "none"}, &engine, &error) != PM_OK) {
        fprintf(stderr, "digests: %s\n", error.message);
        exit(1);
    }
    digests_of_all(&d, engine);
    return d;
}

int main(int argc, char **argv) {
    const bool writes = argc == 2 && strcmp(argv[1], "--write") == 0;
    const bool flushes = argc == 3 && strcmp(argv[1], "--flush") == 0;
    if (argc != 2 && !flushes)
        return usage();
    if (flushes && !(flush_set(true) && flush_is_on())) {
        fprintf(stderr, "digests: this processor has no mode in which subnormal numbers are 0\n");
        return 77;
    }
    SCOPED(digests_free) digests d = computed();
    flush_set(false);
    size_t wrong = 0;
    if (writes)
        digests_print(&d, stdout);
    else
        wrong = digests_wrong(&d, argv[argc - 1]);
    if (!writes)
        printf("%zu digests, %zu of them different from the stored ones\n", d.count, wrong);
    return wrong != 0;
}
