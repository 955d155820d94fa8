/* SPDX-License-Identifier: MIT
 *
 * A hash table with open addressing.
 */
#include "motion/model/free_names.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = 24 };

bool free_names_open(free_names *names, size_t most, motion_arena *arena) {
    *names = (free_names){.mask = 1, .arena = arena};
    while (names->mask / 2 < most)
        names->mask = 2 * names->mask + 1;
    names->taken = calloc(names->mask + 1, sizeof *names->taken);
    return names->taken != NULL;
}

static free_name *find(const free_names *names, int32_t scope, pm_motion_name name) {
    uint64_t hash = (UINT64_C(14695981039346656037) ^ (uint32_t)scope) * UINT64_C(1099511628211);
    for (size_t i = 0; i < name.size; i++) /* FNV-1a */
        hash = (hash ^ (unsigned char)name.text[i]) * UINT64_C(1099511628211);
    size_t at = (size_t)(hash ^ hash >> 32) & names->mask;
    const free_name *t = names->taken;
    while (t[at].name.text &&
           (t[at].scope != scope || t[at].name.size != name.size ||
            (name.size > 0 && memcmp(t[at].name.text, name.text, name.size) != 0)))
        at = (at + 1) & names->mask;
    return &names->taken[at];
}

bool free_names_take(free_names *names, int32_t scope, pm_motion_name wanted,
                     pm_motion_name *taken) {
    free_name *const first = find(names, scope, wanted), *at = first;
    char *text = NULL;
    *taken = wanted;
    while (at->name.text) {
        text = text ? text : motion_allocate(names->arena, wanted.size + NUMBER, 1);
        if (!text)
            return false;
        if (wanted.size > 0)
            memcpy(text, wanted.text, wanted.size);
        const int digits = snprintf(text + wanted.size, NUMBER, "_%zu", first->next++);
        *taken = (pm_motion_name){text, wanted.size + (size_t)digits};
        at = find(names, scope, *taken);
    }
    *at = (free_name){.name = *taken, .scope = scope, .next = 2};
    return true;
}

void free_names_close(free_names *names) {
    free(names->taken);
    names->taken = NULL;
}
