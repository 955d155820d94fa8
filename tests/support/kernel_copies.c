/* SPDX-License-Identifier: MIT
 *
 * Copies of the kernel sources.
 */
#define _POSIX_C_SOURCE 200809L

#include "kernel_copies.h"
#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static void copy_text(const char *from, const char *to, const char *what, const char *by) {
    static char text[1 << 18];
    FILE *in = fopen(from, "r");
    assert_non_null(in);
    const size_t size = fread(text, 1, sizeof text - 1, in);
    assert_true(size < sizeof text - 1);
    text[size] = '\0';
    fclose(in);
    FILE *out = fopen(to, "w");
    assert_non_null(out);
    const char *at = what ? strstr(text, what) : NULL;
    assert_int_equal(at != NULL, what != NULL);
    if (at) {
        fwrite(text, 1, (size_t)(at - text), out);
        fputs(by, out);
        fputs(at + strlen(what), out);
    } else {
        fputs(text, out);
    }
    assert_int_equal(fclose(out), 0);
}

void kernel_copies(const char *folder, const char *name, const char *what, const char *by) {
    DIR *names = opendir(POSEMILL_SOURCE_DIR "/kernels");
    assert_non_null(names);
    for (struct dirent *entry; (entry = readdir(names));) {
        char from[1024], to[1024];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(from, sizeof from, "%s/%s", POSEMILL_SOURCE_DIR "/kernels", entry->d_name);
        snprintf(to, sizeof to, "%s/%s", folder, entry->d_name);
        copy_text(from, to, what && strcmp(entry->d_name, name) == 0 ? what : NULL, by);
    }
    closedir(names);
}
