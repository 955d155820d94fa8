/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of the number reader and writer: a number that was read is written and read again as
 * nearly the same number.
 */
#include "fuzz.h"
#include "motion/text/text.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *at = (const char *)data, *end = at + size;
    char text[TEXT_FIXED_SIZE];
    double value = 0, again = 0;
    size_t commas = 0;
    uint64_t whole;

    (void)text_is_not_finite(at, end);
    (void)text_read_integer(at, end, &whole);
    if (!text_read_number(at, end, &value, &commas) || !isfinite(value))
        return 0;
    end = text_write_fixed(text, value, TEXT_DECIMALS_MAX);
    if (text_read_number(text, end, &again, &commas) != end ||
        !(fabs(value - again) <= 6e-10 + fabs(value) * 1e-15))
        abort();
    return 0;
}
