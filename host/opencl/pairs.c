/* SPDX-License-Identifier: MIT
 *
 * Sorted pairs in memory that the host and a CPU device share: blocks of the device's pool. A block
 * comes back when the driver deletes its buffer: no command uses it then. So a job on a caller's
 * queue can leave the buffers behind, which may outlive the device.
 */
#include "device.h"

static void CL_CALLBACK give_back(cl_mem buffer, void *block) {
    (void)buffer;
    pm_block_give(block);
}

/* A buffer of the first `size` bytes of a block, which is given back here on failure. NULL fails as
 * no memory. */
static pm_status block_buffer(pm_opencl_device *cl, pm_block *block, size_t size, cl_mem *buffer,
                              pm_error *error) {
    *buffer = NULL;
    if (!block)
        return pm_fail_memory(error);
    pm_status status = pm_cl_buffer(cl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                    pm_block_memory(block), size, buffer, error);
    if (status == PM_OK) {
        const cl_int code = clSetMemObjectDestructorCallback(*buffer, give_back, block);
        if (code == CL_SUCCESS)
            return PM_OK;
        clReleaseMemObject(*buffer);
        *buffer = NULL;
        status = pm_cl_fail(error, code, "clSetMemObjectDestructorCallback");
    }
    pm_block_give(block);
    return status;
}

pm_status pm_cl_sort_pairs(pm_opencl_device *cl, unsigned output, const pm_sample_request *piece,
                           pm_cl_pairs *pairs, pm_error *error) {
    const pm_pair_order order = pm_pair_order_of(piece, output);
    const size_t room = pm_pair_room(&order, piece->sample_count);
    const size_t sizes[] = {
        room * sizeof(pm_sorted_pair), order.needs_tracks ? room * sizeof(uint32_t) : 0,
        piece->sample_count * sizeof(uint16_t), room / PM_PAIR_GROUP * sizeof(uint32_t)};
    enum { ARRAYS = sizeof sizes / sizeof *sizes };
    cl_mem *const buffers[ARRAYS] = {&pairs->pairs, &pairs->tracks, &pairs->places, &pairs->groups};
    pm_block *blocks[ARRAYS] = {0};
    pm_status status = PM_OK;
    for (size_t i = 0; status == PM_OK && i < ARRAYS; i++) {
        blocks[i] = sizes[i] ? pm_block_take(cl->scratch, sizes[i]) : NULL;
        status = blocks[i] || !sizes[i] ? PM_OK : pm_fail_memory(error);
    }
    pm_sorted_pairs sorted = {pm_block_memory(blocks[0]), pm_block_memory(blocks[1]),
                              pm_block_memory(blocks[2]), pm_block_memory(blocks[3]), 0};
    if (status == PM_OK)
        status = pm_sort_pairs(&order, piece, &sorted, error);
    for (size_t i = 0; status == PM_OK && i < ARRAYS; i++) {
        if (blocks[i])
            status = block_buffer(cl, blocks[i], sizes[i], buffers[i], error);
        blocks[i] = NULL; /* the buffer's, or given back */
    }
    for (size_t i = 0; i < ARRAYS; i++)
        pm_block_give(blocks[i]);
    pairs->group_count = sorted.group_count;
    return status;
}

void pm_cl_pairs_release(pm_cl_pairs *pairs) {
    pm_cl_release(pairs->pairs);
    pm_cl_release(pairs->tracks);
    pm_cl_release(pairs->places);
    pm_cl_release(pairs->groups);
    *pairs = (pm_cl_pairs){0};
}

pm_status pm_cl_pair_values(pm_opencl_device *cl, size_t bytes, cl_mem *values, pm_error *error) {
    return block_buffer(cl, pm_block_take(cl->scratch, bytes), bytes, values, error);
}
