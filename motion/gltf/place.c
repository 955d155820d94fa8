/* SPDX-License-Identifier: MIT
 *
 * Members of a JSON document with their places.
 */

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "motion/gltf/document.h"
#include "motion/gltf/plain_json.h"

static size_t append_place(const gltf_place *place, char *text, size_t used) {
    if (!place)
        return used;
    used = append_place(place->in, text, used);
    const size_t room = used < GLTF_POINTER ? GLTF_POINTER - used : 0;
    const int length = place->key ? snprintf(text + used, room, "/%s", place->key)
                                  : snprintf(text + used, room, "/%zu", place->index);
    return length < 0 || (size_t)length >= room ? GLTF_POINTER - 1 : used + (size_t)length;
}

void gltf_pointer(const gltf_place *place, char text[GLTF_POINTER]) {
    text[0] = '\0';
    append_place(place, text, 0);
}

bool gltf_refuse(gltf_reader *r, const gltf_place *place, const char *format, ...) {
    char pointer[GLTF_POINTER], message[256];
    va_list arguments;
    gltf_pointer(place, pointer);
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    motion_report(&r->error, PM_ERROR_FILE, "%s: %s", pointer, message);
    return false;
}

bool gltf_refuse_memory(gltf_reader *r) {
    return motion_refuse_memory(&r->error) == PM_OK;
}

static const char *name_of_type(const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return plain_json_is_string(value) ? "a string" : "a number";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    case JSON_NULL:
        break;
    }
    return "null";
}

static bool refuse_type(gltf_reader *r, const json_t *value, const gltf_place *place,
                        const char *expected) {
    return gltf_refuse(r, place, "is %s; expected %s", name_of_type(value), expected);
}

/* *value is NULL if the member is missing and may be. */
static bool get(gltf_reader *r, const json_t *object, const gltf_place *place, const char *key,
                bool required, const json_t **value) {
    *value = json_object_get(object, key);
    return *value || !required || gltf_refuse(r, GLTF_KEY(place, key), "is missing");
}

bool gltf_get_array(gltf_reader *r, const json_t *object, const gltf_place *place, const char *key,
                    bool required, const json_t **array) {
    return get(r, object, place, key, required, array) &&
           (!*array || json_is_array(*array) ||
            refuse_type(r, *array, GLTF_KEY(place, key), "an array"));
}

bool gltf_object_of(gltf_reader *r, const json_t *value, const gltf_place *place) {
    return json_is_object(value) || refuse_type(r, value, place, "an object");
}

bool gltf_get_object(gltf_reader *r, const json_t *object, const gltf_place *place, const char *key,
                     bool required, const json_t **member) {
    return get(r, object, place, key, required, member) &&
           (!*member || gltf_object_of(r, *member, GLTF_KEY(place, key)));
}

bool gltf_get_text(gltf_reader *r, const json_t *object, const gltf_place *place, const char *key,
                   bool required, const json_t **text) {
    return get(r, object, place, key, required, text) &&
           (!*text || plain_json_is_string(*text) ||
            refuse_type(r, *text, GLTF_KEY(place, key), "a string"));
}

bool gltf_get_name(gltf_reader *r, const json_t *object, const gltf_place *place,
                   pm_motion_name *name) {
    const json_t *text = NULL;
    *name = (pm_motion_name){"", 0};
    if (!gltf_get_text(r, object, place, "name", false, &text))
        return false;
    if (text)
        *name = (pm_motion_name){json_string_value(text), json_string_length(text)};
    return true;
}

/* Writers in languages with one type of number write 5.0 for 5, which JSON Schema has as an integer
 * too. */
static bool size_of(gltf_reader *r, const json_t *value, const gltf_place *place, size_t *size) {
    const double largest = 9007199254740992.0; /* 2^53: JSON's integers are exact up to there */
    if (!plain_json_is_number(value))
        return refuse_type(r, value, place, "an integer");
    const double number = plain_json_number(value);
    if (!(number >= 0.0 && number <= largest && number == floor(number)))
        return gltf_refuse(r, place, "is %.17g; expected an integer of 0 or more", number);
    if (number > (double)(SIZE_MAX / 2))
        return gltf_refuse(r, place, "is %.17g, which is too large", number);
    *size = json_is_integer(value) ? (size_t)json_integer_value(value) : (size_t)number;
    return true;
}

bool gltf_index_of(gltf_reader *r, const json_t *value, const gltf_place *place, size_t count,
                   size_t *index) {
    return size_of(r, value, place, index) &&
           (*index < count || gltf_refuse(r, place, "refers to element %zu of %zu", *index, count));
}

bool gltf_get_index(gltf_reader *r, const json_t *object, const gltf_place *place, const char *key,
                    size_t count, bool required, size_t *index) {
    const json_t *value = NULL;
    *index = GLTF_NONE;
    return get(r, object, place, key, required, &value) &&
           (!value || gltf_index_of(r, value, GLTF_KEY(place, key), count, index));
}

bool gltf_get_size(gltf_reader *r, const json_t *object, const gltf_place *place, const char *key,
                   size_t min, size_t otherwise, size_t *size) {
    const json_t *value = NULL;
    *size = otherwise;
    if (!get(r, object, place, key, otherwise == GLTF_NONE, &value))
        return false;
    return !value || (size_of(r, value, GLTF_KEY(place, key), size) &&
                      (*size >= min || gltf_refuse(r, GLTF_KEY(place, key),
                                                   "is %zu; expected %zu or more", *size, min)));
}

bool gltf_get_bool(gltf_reader *r, const json_t *object, const gltf_place *place, const char *key,
                   bool *value) {
    const json_t *member = json_object_get(object, key);
    *value = json_is_true(member);
    return !member || json_is_boolean(member) ||
           refuse_type(r, member, GLTF_KEY(place, key), "a boolean");
}

bool gltf_get_numbers(gltf_reader *r, const json_t *object, const gltf_place *place,
                      const char *key, size_t count, double *values, bool *found) {
    const json_t *array = NULL;
    *found = gltf_get_array(r, object, place, key, false, &array) && array;
    if (!*found)
        return r->error.status == PM_OK;
    if (json_array_size(array) != count)
        return gltf_refuse(r, GLTF_KEY(place, key), "has %zu elements; expected %zu",
                           json_array_size(array), count);
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        const gltf_place *const at = GLTF_ITEM(GLTF_KEY(place, key), i);
        if (!plain_json_is_number(value))
            return refuse_type(r, value, at, "a number");
        values[i] = plain_json_number(value);
        if (!isfinite(values[i]))
            return gltf_refuse(r, at, "is too large for a double");
    }
    return true;
}
