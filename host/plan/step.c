/* SPDX-License-Identifier: MIT
 *
 * The limits of launches, and work sizes.
 */
#include "step.h"

#include <string.h>

size_t pm_plan_launch_limit(const pm_plan_device *device, size_t work) {
    const size_t limit = device->max_work / work;
    return limit ? limit : 1;
}

static bool is_same_name(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool pm_same_variant(const pm_variant *a, const pm_variant *b) {
    return is_same_name(a->file, b->file) && is_same_name(a->curve, b->curve) &&
           a->components == b->components && a->format == b->format &&
           is_same_name(a->vector_curve, b->vector_curve) && a->output == b->output &&
           a->per_joint == b->per_joint && a->layered == b->layered && a->given == b->given &&
           a->in_transition == b->in_transition;
}

/* MAX_GROUP_BYTES: shared memory per group. A processor of a GPU has 64 to 228 KB of it and should
 * have 8 groups and more in flight. GROUPS_PER_UNIT: groups per compute unit that a launch should
 * have before groups get more instances. */
enum { MAX_GROUP_BYTES = 8192, GROUPS_PER_UNIT = 8 };

static size_t group_bytes(const pm_plan_device *device) {
    return device->shared_bytes < MAX_GROUP_BYTES ? (size_t)device->shared_bytes : MAX_GROUP_BYTES;
}

/* Shared memory for an instance: what all its joints read, its layers, and its slots. */
typedef struct shared_sizes {
    size_t instance, layers, slots;
} shared_sizes;

static shared_sizes sizes_of(bool bodies, bool layered, size_t slots) {
    return bodies
               ? (shared_sizes){sizeof(pm_shared_state), 0, slots * PM_BODY_FLOATS * sizeof(float)}
               : (shared_sizes){sizeof(pm_shared_instance), layered ? sizeof(pm_shared_layers) : 0,
                                slots * PM_SLOT_FLOATS * sizeof(float)};
}

static size_t sum_of(const shared_sizes *sizes) {
    return sizes->instance + sizes->layers + sizes->slots;
}

size_t pm_shared_bytes(size_t slots, bool layered) {
    const shared_sizes poses = sizes_of(false, layered, slots);
    const shared_sizes bodies = sizes_of(true, false, slots);
    return sum_of(&poses) > sum_of(&bodies) ? sum_of(&poses) : sum_of(&bodies);
}

size_t pm_max_slots(const pm_plan_device *device) {
    const size_t bytes = group_bytes(device);
    size_t slots = bytes / (PM_SLOT_FLOATS * sizeof(float));
    while (slots > 0 && pm_shared_bytes(slots, true) > bytes)
        slots--;
    return slots;
}

static size_t least_of(size_t a, size_t b) {
    return a < b ? a : b;
}

/* As many instances as an average stage needs to occupy all work-items of a group. */
static size_t instances_per_group(const pm_step_numbers *numbers, const shared_sizes *sizes,
                                  const pm_plan_device *device, size_t items) {
    const pm_crowd_size *size = &numbers->size;
    const size_t by_width = (items * size->stages + size->posed - 1) / size->posed;
    const size_t by_memory = group_bytes(device) / sum_of(sizes);
    const size_t by_units = size->entries / (GROUPS_PER_UNIT * (size_t)device->compute_units);
    const size_t best = least_of(by_width, least_of(by_memory, by_units));
    return best ? best : 1;
}

/* Sets the instances of a group; returns the number of groups. Shared memory is never empty. */
static size_t divide_instances(pm_step *step, const pm_plan_device *device, size_t items) {
    pm_step_numbers *numbers = &step->numbers;
    const bool bodies = strcmp(step->variant.file, "bodies_workgroup") == 0;
    const shared_sizes sizes = sizes_of(bodies, step->variant.layered, numbers->slots);
    const size_t each = instances_per_group(numbers, &sizes, device, items);
    numbers->per_group = (pm_u32)each;
    numbers->shared_instances = each * sizes.instance;
    numbers->shared_layers = sizes.layers ? each * sizes.layers : sizeof(pm_u32);
    numbers->shared_transforms = each * sizes.slots;
    return (numbers->size.entries + each - 1) / each;
}

size_t pm_group_size(size_t items, size_t max) {
    size_t group = 8;
    while (group < max && group < items)
        group *= 2;
    return group < max ? group : max;
}

pm_work_size pm_step_fit(pm_step *step, const pm_plan_device *device, size_t max_group) {
    size_t group = max_group;
    if (step->grouping == PM_GROUPS_OF_ROWS)
        group = step->items > 1 ? pm_group_size(step->items, max_group) : 1;
    const size_t groups = step->grouping == PM_GROUPS_SHARED ? divide_instances(step, device, group)
                                                             : (step->items + group - 1) / group;
    return (pm_work_size){
        step->rows ? 2 : 1, {groups * group, step->rows ? step->rows : 1}, {group, 1}};
}
