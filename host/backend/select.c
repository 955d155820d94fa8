/* SPDX-License-Identifier: MIT
 *
 * Selects devices of a list by a text: their numbers, their type, or a part of a name.
 */
#include "backend.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* tolower() depends on the locale. */
static char lower(char c) {
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool contains(const char *text, const char *part) {
    size_t length = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && lower(text[i]) == lower(part[i]))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

static bool first_of_type(const pm_selection *s, pm_device_type type, size_t *found) {
    for (size_t i = 0; i < s->info_count; i++)
        if (s->infos[i].type == type) {
            *found = i;
            return true;
        }
    return false;
}

enum { NUMBER_SIZE = 12 };

/* Whether the selector is a number such as "7" or "1:0", or a list of numbers. */
static bool is_numbers(const char *selector) {
    for (size_t length;; selector += length + 1) {
        length = strcspn(selector, ",");
        if (length == 0 || length >= NUMBER_SIZE || strspn(selector, "0123456789:") < length ||
            !isdigit((unsigned char)selector[0]))
            return false;
        if (!selector[length])
            return true;
    }
}

static bool by_number(const pm_selection *s, const char *selector, size_t *found) {
    unsigned long p = 0, d = 0;
    int end = 0;
    size_t length = strlen(selector);
    bool pair = sscanf(selector, "%lu:%lu%n", &p, &d, &end) == 2 && (size_t)end == length;
    if (!pair && (sscanf(selector, "%lu%n", &p, &end) != 1 || (size_t)end != length))
        return false;
    for (size_t i = 0; i < s->info_count; i++) {
        const pm_device_info *info = &s->infos[i];
        if (pair ? info->platform_index == p && info->device_index == d : info->index == p) {
            *found = i;
            return true;
        }
    }
    return false;
}

/* Finds the one device for a selector that is no number: a type, "auto", or part of a name. */
static bool find(const pm_selection *s, const char *selector, size_t *found) {
    if (strcmp(selector, "cpu") == 0)
        return first_of_type(s, PM_DEVICE_CPU, found);
    if (strcmp(selector, "gpu") == 0)
        return first_of_type(s, PM_DEVICE_DISCRETE_GPU, found) ||
               first_of_type(s, PM_DEVICE_GPU, found);
    if (strcmp(selector, "auto") == 0)
        return first_of_type(s, PM_DEVICE_DISCRETE_GPU, found) ||
               first_of_type(s, PM_DEVICE_GPU, found) || first_of_type(s, PM_DEVICE_CPU, found) ||
               first_of_type(s, PM_DEVICE_OTHER, found);
    for (size_t i = 0; *selector && i < s->info_count; i++)
        if (contains(s->infos[i].name, selector) || contains(s->infos[i].platform, selector)) {
            *found = i;
            return true;
        }
    return false;
}

static bool is_selected(const pm_selection *s, size_t device) {
    for (size_t i = 0; i < s->count; i++)
        if (s->found[i] == device)
            return true;
    return false;
}

static pm_status find_numbers(const char *selector, pm_selection *s, pm_error *error) {
    for (size_t length;; selector += length + 1) {
        char text[NUMBER_SIZE];
        size_t found;
        length = strcspn(selector, ",");
        snprintf(text, sizeof text, "%.*s", (int)length, selector);
        if (!by_number(s, text, &found)) {
            s->missing = selector;
            s->missing_length = (int)length;
            return PM_OK;
        }
        if (is_selected(s, found))
            return pm_fail(error, PM_ERROR_ARGUMENT, "device \"%s\" is listed twice", text);
        s->found[s->count++] = found;
        if (!selector[length])
            return PM_OK;
    }
}

pm_status pm_select_devices(const char *selector, pm_selection *s, pm_error *error) {
    if (is_numbers(selector))
        return find_numbers(selector, s, error);
    if (strcmp(selector, "all") == 0)
        for (; s->count < s->info_count; s->count++)
            s->found[s->count] = s->count;
    else if (find(s, selector, &s->found[0]))
        s->count = 1;
    if (!s->count && strcmp(selector, "auto") != 0) {
        s->missing = selector;
        s->missing_length = (int)strlen(selector);
    }
    return PM_OK;
}
