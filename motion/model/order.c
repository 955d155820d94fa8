/* SPDX-License-Identifier: MIT
 *
 * Each node is listed behind those above it that are not listed yet: one walk up for each node.
 */
#include "motion/model/order.h"

bool motion_order_nodes(const pm_motion_node *nodes, size_t count, uint32_t *order,
                        uint32_t *place) {
    const uint32_t unseen = UINT32_MAX, begun = UINT32_MAX - 1;
    size_t listed = 0;
    for (size_t n = 0; n < count; n++)
        place[n] = unseen;
    for (size_t n = 0; n < count; n++) {
        size_t above = 0;
        int32_t at = (int32_t)n;
        for (; at >= 0 && place[at] == unseen; at = nodes[at].parent, above++)
            place[at] = begun;
        if (at >= 0 && place[at] == begun)
            return false;
        at = (int32_t)n;
        for (size_t i = above; i-- > 0; at = nodes[at].parent) {
            place[at] = (uint32_t)(listed + i);
            order[listed + i] = (uint32_t)at;
        }
        listed += above;
    }
    return true;
}
