/* SPDX-License-Identifier: MIT
 *
 * What a page may be named.
 */
#define _POSIX_C_SOURCE 200809L

#include "page_name.h"

#include "motion/files/output_names.h"

#include <string.h>
#include <strings.h>

/* A name without an extension may be anything's, such as /dev/stdout. */
static bool is_page_name(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot == NULL || dot == name || strcasecmp(dot, ".html") == 0 ||
           strcasecmp(dot, ".htm") == 0;
}

cli_exit page_check_name(const command_options *o, const char *path, char **inputs, size_t count) {
    return is_page_name(path)
               ? page_check_inputs(path, inputs, count)
               : options_usage(o, path,
                               "a page is a file of HTML; expected a name that ends in "
                               ".html, or - for standard output; view also draws .svg and .gif");
}

cli_exit page_check_inputs(const char *path, char **inputs, size_t count) {
    const named_file *output = NULL, *other = NULL;
    for (size_t i = 0; i < count; i++) {
        const named_file names[] = {{path, LOCATION_OUTPUT}, {inputs[i], LOCATION_INPUT}};
        if (names_clash(names, 2, &output, &other))
            return cli_fail(CLI_CANNOT_WRITE, inputs[i], "choose another name for the page",
                            "would be overwritten by the page");
    }
    return CLI_DONE;
}
