/* SPDX-License-Identifier: MIT
 *
 * Walks over keys of 48 bits: smallest48.
 */
#define PM_KEYS 2
#include "walk_codes.h"
