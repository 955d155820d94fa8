/* SPDX-License-Identifier: MIT
 *
 * Walks over keys of 48 bits: log48.
 */
#define PM_KEYS 1
#include "walk_codes.h"
