/* SPDX-License-Identifier: MIT
 *
 * Huge pages for large memory of malloc: making small ones takes as long as filling them.
 */
#pragma once

#include <stddef.h>

/* Asks for huge pages in memory that is not filled yet, where it is large and the system has them. NULL is
 * ignored. */
void motion_ask_for_huge_pages(void *memory, size_t size);
