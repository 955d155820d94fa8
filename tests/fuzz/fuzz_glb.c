/* SPDX-License-Identifier: MIT
 *
 * Fuzzer of the reader and the writer of glTF: any bytes as a GLB file.
 */
#include "motion_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    motion_round_trip(data, size, PM_MOTION_GLB);
    return 0;
}
