/* SPDX-License-Identifier: MIT
 *
 * Nodes in an order in which they can be posed.
 */
#pragma once

#include <posemill/posemill_motion.h>

/* Lists the nodes, parents before their children and otherwise as they are; place[n] is where node n stands
 * in `order`. Both have room for `count`. False: following parents does not end at a root. */
bool motion_order_nodes(const pm_motion_node *nodes, size_t count, uint32_t *order,
                        uint32_t *place);
