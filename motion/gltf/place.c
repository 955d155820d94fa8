/* SPDX-License-Identifier: MIT
 *
 * Members of a JSON document with their places.
 */
#include "motion/gltf/place.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "motion/base/fault.h"
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

pm_status gltf_refuse(pm_error *error, const gltf_place *place, const char *format, ...) {
    char pointer[GLTF_POINTER], message[256];
    va_list arguments;
    gltf_pointer(place, pointer);
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return motion_refuse(error, "%s: %s", pointer, message);
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

static pm_status refuse_type(const json_t *value, const gltf_place *place, const char *expected,
                             pm_error *error) {
    return gltf_refuse(error, place, "is %s; expected %s", name_of_type(value), expected);
}

/* *value is NULL if the member is missing and may be. */
static pm_status get(const json_t *object, const gltf_place *place, const char *key, bool required,
                     const json_t **value, pm_error *error) {
    *value = json_object_get(object, key);
    if (!*value && required)
        return gltf_refuse(error, GLTF_KEY(place, key), "is missing");
    return PM_OK;
}

pm_status gltf_get_array(const json_t *object, const gltf_place *place, const char *key,
                         bool required, const json_t **array, pm_error *error) {
    const pm_status status = get(object, place, key, required, array, error);
    if (status == PM_OK && *array && !json_is_array(*array))
        return refuse_type(*array, GLTF_KEY(place, key), "an array", error);
    return status;
}

pm_status gltf_object_of(const json_t *value, const gltf_place *place, pm_error *error) {
    return json_is_object(value) ? PM_OK : refuse_type(value, place, "an object", error);
}

pm_status gltf_get_object(const json_t *object, const gltf_place *place, const char *key,
                          bool required, const json_t **member, pm_error *error) {
    const pm_status status = get(object, place, key, required, member, error);
    return status == PM_OK && *member ? gltf_object_of(*member, GLTF_KEY(place, key), error)
                                      : status;
}

pm_status gltf_get_text(const json_t *object, const gltf_place *place, const char *key,
                        bool required, const json_t **text, pm_error *error) {
    const pm_status status = get(object, place, key, required, text, error);
    if (status == PM_OK && *text && !plain_json_is_string(*text))
        return refuse_type(*text, GLTF_KEY(place, key), "a string", error);
    return status;
}

/* Writers in languages with one type of number write 5.0 for 5, which JSON Schema has as an integer
 * too. */
static pm_status size_of(const json_t *value, const gltf_place *place, size_t *size,
                         pm_error *error) {
    const double largest = 9007199254740992.0; /* 2^53: JSON's integers are exact up to there */
    if (!plain_json_is_number(value))
        return refuse_type(value, place, "an integer", error);
    const double number = plain_json_number(value);
    if (!(number >= 0.0 && number <= largest && number == floor(number)))
        return gltf_refuse(error, place, "is %.17g; expected an integer of 0 or more", number);
    if (number > (double)(SIZE_MAX / 2))
        return gltf_refuse(error, place, "is %.17g, which is too large", number);
    *size = json_is_integer(value) ? (size_t)json_integer_value(value) : (size_t)number;
    return PM_OK;
}

pm_status gltf_index_of(const json_t *value, const gltf_place *place, size_t count, size_t *index,
                        pm_error *error) {
    const pm_status status = size_of(value, place, index, error);
    if (status == PM_OK && *index >= count)
        return gltf_refuse(error, place, "refers to element %zu of %zu", *index, count);
    return status;
}

pm_status gltf_get_index(const json_t *object, const gltf_place *place, const char *key,
                         size_t count, bool required, size_t *index, pm_error *error) {
    const json_t *value = NULL;
    const pm_status status = get(object, place, key, required, &value, error);
    *index = GLTF_NONE;
    return status == PM_OK && value
               ? gltf_index_of(value, GLTF_KEY(place, key), count, index, error)
               : status;
}

pm_status gltf_get_size(const json_t *object, const gltf_place *place, const char *key, size_t min,
                        size_t otherwise, size_t *size, pm_error *error) {
    const json_t *value = NULL;
    pm_status status = get(object, place, key, otherwise == GLTF_NONE, &value, error);
    *size = otherwise;
    if (status != PM_OK || !value)
        return status;
    status = size_of(value, GLTF_KEY(place, key), size, error);
    if (status == PM_OK && *size < min)
        return gltf_refuse(error, GLTF_KEY(place, key), "is %zu; expected %zu or more", *size, min);
    return status;
}

pm_status gltf_get_bool(const json_t *object, const gltf_place *place, const char *key, bool *value,
                        pm_error *error) {
    const json_t *member = json_object_get(object, key);
    *value = json_is_true(member);
    if (member && !json_is_boolean(member))
        return refuse_type(member, GLTF_KEY(place, key), "a boolean", error);
    return PM_OK;
}

pm_status gltf_get_numbers(const json_t *object, const gltf_place *place, const char *key,
                           size_t count, double *values, bool *found, pm_error *error) {
    const json_t *array = NULL;
    const pm_status status = gltf_get_array(object, place, key, false, &array, error);
    *found = array && status == PM_OK;
    if (!*found)
        return status;
    if (json_array_size(array) != count)
        return gltf_refuse(error, GLTF_KEY(place, key), "has %zu elements; expected %zu",
                           json_array_size(array), count);
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        const gltf_place *const at = GLTF_ITEM(GLTF_KEY(place, key), i);
        if (!plain_json_is_number(value))
            return refuse_type(value, at, "a number", error);
        values[i] = plain_json_number(value);
        if (!isfinite(values[i]))
            return gltf_refuse(error, at, "is too large for a double");
    }
    return PM_OK;
}
