/* SPDX-License-Identifier: MIT
 *
 * The size of work-groups of crowd_workgroup: how many instances share one.
 */
#include "device.h"

/* MAX_GROUP_BYTES: local memory per group. A processor of a GPU has 64 to 228 KB of it and should
 * have 8 groups and more in flight. GROUPS_PER_UNIT: groups per compute unit that a launch should
 * have before groups get more instances. */
enum { MAX_GROUP_BYTES = 8192, GROUPS_PER_UNIT = 8 };

static size_t group_bytes(const pm_opencl_device *cl) {
    return cl->shared_bytes < MAX_GROUP_BYTES ? (size_t)cl->shared_bytes : MAX_GROUP_BYTES;
}

size_t pm_cl_shared_bytes(size_t slots) {
    return sizeof(pm_shared_instance) + slots * PM_SLOT_FLOATS * sizeof(float);
}

size_t pm_cl_max_slots(const pm_opencl_device *cl) {
    const size_t bytes = group_bytes(cl);
    return bytes < pm_cl_shared_bytes(0)
               ? 0
               : (bytes - pm_cl_shared_bytes(0)) / (PM_SLOT_FLOATS * sizeof(float));
}

static size_t least_of(size_t a, size_t b) {
    return a < b ? a : b;
}

/* As many instances as an average stage needs to occupy all work-items of a group. */
size_t pm_cl_instances_per_group(const pm_opencl_device *cl, const pm_group_needs *needs) {
    const size_t by_width = (needs->items * needs->stages + needs->joints - 1) / needs->joints;
    const size_t by_memory = group_bytes(cl) / needs->bytes;
    const size_t by_units =
        needs->instances / (GROUPS_PER_UNIT * (size_t)cl->device.info.compute_units);
    const size_t best = least_of(by_width, least_of(by_memory, by_units));
    return best ? best : 1;
}
