/* SPDX-License-Identifier: MIT
 *
 * Runs tasks in parallel, in the order of their numbers, while what they need together stays below a
 * limit of memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct schedule_ticket schedule_ticket; /* of a task that is running */

typedef struct schedule {
    size_t task_count;
    size_t threads;  /* tasks at a time, from 1; no more are started than there are tasks */
    uint64_t memory; /* bytes. A task that needs more runs alone */
    void *user;
    /* Bytes that a task needs. */
    uint64_t (*need)(void *user, size_t task);
    /* Called for one task at a time, in order, before it runs; for data that are read in sequence. May
     * be NULL. */
    void (*prepare)(void *user, size_t task);
    /* Runs a task; `thread` < threads is its thread. False: no more tasks are begun. */
    bool (*run)(void *user, size_t thread, size_t task, schedule_ticket *ticket);
    /* Whether no more tasks are begun. Called on any thread. */
    bool (*is_stopped)(void *user);
    /* Called about ten times a second on the calling thread, for the progress. */
    void (*show)(void *user);
} schedule;

/* Runs all tasks on threads of its own and returns when those that were begun have ended. False: there
 * are tasks, no thread could be started, and nothing has run. */
bool schedule_run(const schedule *plan);

/* For a running task that finds that it needs more: waits until there is room for `memory` bytes, or
 * until only such tasks are left and this one was begun first. */
void schedule_grow(schedule_ticket *ticket, uint64_t memory);

/* What a machine gives a batch: memory. */

/* Bytes for files: the limit, by default a quarter of the machine's memory (0), without what the process
 * takes already, such as a driver's. */
uint64_t machine_memory(uint64_t limit);

/* After a file of this size: gives memory back where it was much. */
void machine_give_memory_back(uint64_t bytes);
