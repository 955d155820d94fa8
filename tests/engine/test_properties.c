/* SPDX-License-Identifier: MIT
 *
 * The properties of every method on the reference path and on every device, within the tolerance of
 * float32. The oracle's tests check the curves themselves for the same properties.
 */
#include "base/counts.h"
#include "support/properties.h"

#include <stdio.h>

/* Measures the property on every implementation and prints the largest violation. */
static void hold(void **state) {
    const implementation *implementations = NULL;
    size_t count = 0;
    assert_true(implementation_list(&implementations, &count));
    for (size_t k = 0; k < count; k++)
        printf("# %s: worst %.2g\n", implementations[k].name,
               property_hold(*(property_rule *)*state, &implementations[k]));
}

/* Tests over variants would pass over a method without a row. */
TEST(every_method_has_a_variant_of_its_name) {
    for (pm_method m = 0; m < PM_METHOD_COUNT; m++) {
        const variant *v = variant_named(pm_method_get_info(m)->name);
        assert_true(v && v->method == m);
    }
}

TEST_GROUP(NULL, implementation_release)

int main(int argc, char **argv) {
    property_add_tests(hold);
    return test_main(argc, argv);
}
