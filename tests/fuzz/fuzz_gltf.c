/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of the reader and the writer of glTF: any bytes as a JSON document.
 */
#include "motion_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    motion_round_trip(data, size, PM_MOTION_GLTF);
    return 0;
}
