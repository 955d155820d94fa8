/* SPDX-License-Identifier: MIT
 *
 * Ten thousand skinned figures on screen. The engine poses them into the buffer that the vertex
 * shader reads; one instanced draw shows them. In a window, or with --headless without a display.
 */
#include <stdio.h>

#include "headless.h"
#include "window.h"

int main(int argc, char **argv) {
    options o;
    pm_error error = {.status = PM_OK};
    if (!options_read(argc, argv, &o))
        return 2;
    if (o.help) {
        options_print_help();
        return 0;
    }
    const pm_status status = o.headless ? headless_run(&o, &error) : window_run(&o, &error);
    if (status == PM_OK)
        return 0;
    fprintf(stderr, "crowd_window: %s\n", error.message);
    if (error.hint)
        fprintf(stderr, "crowd_window: %s\n", error.hint);
    return status == PM_ERROR_NO_DEVICE || status == PM_ERROR_NO_PLATFORM ? 3 : 1;
}
