/* SPDX-License-Identifier: MIT
 *
 * Patterns of names, the same on every system: * is any characters, ? one, [a-z] one of a set, [!a-z] one that
 * is not in it, and \ takes the next one as it is. A character is one of UTF-8.
 */
#pragma once

#include <stdbool.h>

/* Whether all of a name matches. `by_part`: only / matches /. */
bool wildcard_matches(const char *pattern, const char *name, bool by_part);
