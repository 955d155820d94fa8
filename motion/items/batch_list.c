/* SPDX-License-Identifier: MIT
 *
 * The public functions of lists.
 */
#include "motion/items/batch_list.h"

#include <stdlib.h>
#include <string.h>

#include "motion/base/c_locale.h"
#include "motion/base/fault.h"
#include "motion/items/items.h"
#include "motion/items/list_line.h"

/* False: memory is exhausted. */
static bool show(pm_motion_batch_list *list, const char *files_from) {
    const batch_items *items = &list->items;
    list->files_from = files_from ? strdup(files_from) : NULL;
    list->shown = calloc(items->count + 1, sizeof *list->shown);
    for (size_t i = 0; list->shown && i < items->count; i++)
        list->shown[i] = (pm_motion_batch_item){.path = items->items[i].path,
                                                .name = items->items[i].name,
                                                .bytes = items->items[i].bytes,
                                                .source_rate = items->items[i].source_rate,
                                                .layout = items->items[i].layout,
                                                .fault = items->items[i].fault};
    return list->shown && (list->files_from || !files_from);
}

pm_status pm_motion_batch_list_create(const pm_motion_batch_sources *sources,
                                      pm_motion_batch_list **list, pm_error *error) {
    MOTION_REQUIRE(error, sources, list);
    MOTION_TRY(MOTION_CHECK_NEXT(pm_motion_batch_sources, sources, error));
    MOTION_TRY(motion_check_texts("paths", sources->paths, sources->path_count, error));
    pm_motion_batch_list *made = calloc(1, sizeof *made);
    if (!made)
        return item_memory(error);
    C_LOCALE_HERE;
    pm_status status = batch_items_find(sources, &made->items, error);
    if (status == PM_OK && !show(made, sources->files_from))
        status = item_memory(error);
    if (status == PM_OK)
        *list = made;
    else
        pm_motion_batch_list_destroy(&made);
    return status;
}

const pm_motion_batch_item *pm_motion_batch_list_get_items(const pm_motion_batch_list *list,
                                                           size_t *count) {
    if (count)
        *count = list ? list->items.count : 0;
    return list ? list->shown : NULL;
}

pm_status pm_motion_batch_list_write(const pm_motion_batch_list *list, const char *path,
                                     pm_error *error) {
    MOTION_REQUIRE(error, list, path);
    C_LOCALE_HERE;
    return list_write(path, &list->items, error);
}

const char *pm_motion_batch_list_text(pm_motion_batch_list *list) {
    size_t size = 0;
    C_LOCALE_HERE;
    if (list && !list->text)
        list->text = list_write_text(&list->items, true, &size);
    return list ? list->text : NULL;
}

void pm_motion_batch_list_destroy(pm_motion_batch_list **list) {
    if (!list || !*list)
        return;
    batch_items_release(&(*list)->items);
    MOTION_FREE((*list)->shown, (*list)->files_from, (*list)->text, *list);
    *list = NULL;
}
