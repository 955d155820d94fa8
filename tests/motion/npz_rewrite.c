/* SPDX-License-Identifier: MIT
 *
 * npz_rewrite IN OUT RATE [LAYOUT]: resamples an NPZ or CSV file by slerp in double precision, for the tests
 * that read the result with NumPy. Prints the layout, and what it warns about.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion/time/rate.h"
#include "support/npz_files.h"

static void print_warning(void *user, pm_log_level level, const char *message) {
    (void)user;
    (void)level;
    printf("warning: %s\n", message);
}

static int fail(const pm_error *error) {
    fprintf(stderr, "npz_rewrite: %s\n", error->message);
    return 1;
}

static int write_file(const char *path, const file_bytes *bytes) {
    FILE *file = fopen(path, "wb");
    if (!file)
        return 1;
    const bool good = fwrite(bytes->data, 1, bytes->size, file) == bytes->size;
    return fclose(file) == 0 && good ? 0 : 1;
}

int main(int argc, char **argv) {
    pm_motion_read_options options = {.log = print_warning};
    pm_motion *motion = NULL;
    pm_error error;
    pm_rational rate;
    test_samples samples;
    file_bytes out = {0};
    if (argc < 4 || !rate_parse(argv[3], &rate))
        return 2;
    options.strict = strcmp(argv[argc - 1], "strict") == 0;
    options.layout = argc - options.strict > 4 ? argv[4] : NULL;
    if (pm_motion_open(argv[1], &options, &motion, &error) != PM_OK)
        return fail(&error);
    const motion_sink sink = bytes_sink(&out);
    test_samples_make(&samples, motion, rate);
    printf("layout: %s\n", motion->content.layout);
    pm_status status = motion->format->write(motion, &samples.samples, 1,
                                             &(motion_write_options){.decimals = 6}, &sink, &error);
    if (status != PM_OK)
        fail(&error);
    else if (write_file(argv[2], &out) != 0)
        status = PM_ERROR_OUTPUT;
    free(out.data);
    pm_motion_destroy(&motion);
    return status == PM_OK ? 0 : 1;
}
