/* SPDX-License-Identifier: MIT */
#include "tests.h"

int main(void) {
    return tests_run();
}
