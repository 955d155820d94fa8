/* SPDX-License-Identifier: MIT
 *
 * Which shard a process is: from its option, or from the environment of what started it.
 */
#include "shard_option.h"

#include "motion/base/fault.h"

#include <stdlib.h>
#include <string.h>

/* So that products of two counts cannot overflow; more shards than that have no use. */
#define SHARDS_MAX UINT64_C(1000000000)

/* Reads digits up to `end` only; a larger number than SHARDS_MAX is none. NULL if there is none. */
static const char *read_number(const char *text, uint64_t *number) {
    const char *at = text;
    for (*number = 0; *at >= '0' && *at <= '9'; at++) {
        *number = 10 * *number + (uint64_t)(*at - '0');
        if (*number > SHARDS_MAX)
            return NULL;
    }
    return at > text ? at : NULL;
}

static pm_status parse_shard(const char *what, const char *text, batch_shard *shard,
                             pm_error *error) {
    const char *at = read_number(text, &shard->index);
    if (at && *at == '/') {
        at = read_number(at + 1, &shard->count);
        if (at && *at == '\0' && shard->index < shard->count)
            return PM_OK;
    }
    return motion_fail_at(error, PM_ERROR_ARGUMENT, what, "shards are 0/N to N-1/N, or auto",
                          "'%s' is no shard; expected I/N with I below N", text);
}

static const char *variable(const char *name) {
    const char *text = getenv(name);
    return text && text[0] != '\0' ? text : NULL;
}

static const char cure[] = "set POSEMILL_SHARD, or give --shard I/N";

static pm_status read_variable(const char *name, uint64_t *number, pm_error *error) {
    const char *text = variable(name);
    const char *end = text ? read_number(text, number) : NULL;
    if (end && *end == '\0')
        return PM_OK;
    return !text ? motion_fail_at(error, PM_ERROR_ARGUMENT, name, cure,
                                  "is not set, but is needed with the others")
                 : motion_fail_at(error, PM_ERROR_ARGUMENT, name, cure,
                                  "'%s' is not a whole number", text);
}

/* Two variables that say which of how many. Leaves *found false if one of them is not set. */
typedef struct rank_names {
    const char *index, *count, *both;
} rank_names;

static const rank_names slurm_task = {"SLURM_PROCID", "SLURM_NTASKS",
                                      "SLURM_PROCID and SLURM_NTASKS"};
static const rank_names mpi_ranks[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK and _SIZE"},
    {"PMI_RANK", "PMI_SIZE", "PMI_RANK and PMI_SIZE"}};

static pm_status read_rank(const rank_names *names, batch_shard *rank, bool *found,
                           pm_error *error) {
    *found = variable(names->index) != NULL && variable(names->count) != NULL;
    if (!*found)
        return PM_OK;
    MOTION_TRY(read_variable(names->index, &rank->index, error));
    MOTION_TRY(read_variable(names->count, &rank->count, error));
    return rank->index >= rank->count
               ? motion_fail_at(error, PM_ERROR_ARGUMENT, names->index, cure,
                                "is %llu, expected less than %s, which is %llu",
                                (unsigned long long)rank->index, names->count,
                                (unsigned long long)rank->count)
               : PM_OK;
}

/* The rank by Open MPI or PMI. */
static pm_status read_mpi(batch_shard *rank, const char **source, bool *found, pm_error *error) {
    pm_status status = PM_OK;
    *found = false;
    for (size_t i = 0; status == PM_OK && !*found && i < 2; i++) {
        status = read_rank(&mpi_ranks[i], rank, found, error);
        *source = mpi_ranks[i].both;
    }
    return status;
}

static pm_status read_array(batch_shard *place, pm_error *error) {
    uint64_t id = 0, first = 0, step = 0;
    MOTION_TRY(read_variable("SLURM_ARRAY_TASK_ID", &id, error));
    MOTION_TRY(read_variable("SLURM_ARRAY_TASK_MIN", &first, error));
    MOTION_TRY(read_variable("SLURM_ARRAY_TASK_STEP", &step, error));
    MOTION_TRY(read_variable("SLURM_ARRAY_TASK_COUNT", &place->count, error));
    place->index = step > 0 && id >= first ? (id - first) / step : 0;
    if (step == 0 || id < first || (id - first) % step != 0 || place->index >= place->count)
        return motion_fail_at(
            error, PM_ERROR_ARGUMENT, "SLURM_ARRAY_TASK_ID", cure,
            "the ids of the array are not evenly spaced: id %llu, first %llu, step %llu, "
            "%llu tasks",
            (unsigned long long)id, (unsigned long long)first, (unsigned long long)step,
            (unsigned long long)place->count);
    return PM_OK;
}

/* mpirun within one task of Slurm starts processes that all have the number of that task. */
static pm_status check_mpi(batch_shard task, pm_error *error) {
    const char *source = NULL;
    batch_shard rank = {0, 1};
    bool found = false;
    const pm_status status = read_mpi(&rank, &source, &found, error);
    if (status != PM_OK || !found || rank.count == 1 ||
        (rank.index == task.index && rank.count == task.count))
        return status;
    return motion_fail_at(error, PM_ERROR_ARGUMENT, source,
                          "start the tasks with srun, or give --shard I/N",
                          "say %llu/%llu, and Slurm says task %llu/%llu",
                          (unsigned long long)rank.index, (unsigned long long)rank.count,
                          (unsigned long long)task.index, (unsigned long long)task.count);
}

/* An array of jobs with several tasks each multiplies. */
static pm_status read_slurm(batch_shard *shard, const char **source, bool *found, pm_error *error) {
    const bool has_array = variable("SLURM_ARRAY_TASK_ID") != NULL;
    batch_shard place = {0, 1}, task = {0, 1};
    bool has_task = false;
    pm_status status = has_array ? read_array(&place, error) : PM_OK;
    status = status == PM_OK ? read_rank(&slurm_task, &task, &has_task, error) : status;
    *found = has_array || has_task;
    status = status == PM_OK && *found ? check_mpi(task, error) : status;
    if (status != PM_OK || !*found)
        return status;
    *source = !has_array ? slurm_task.both
              : has_task ? "SLURM_ARRAY_TASK_ID, SLURM_PROCID and SLURM_NTASKS"
                         : "SLURM_ARRAY_TASK_ID";
    shard->index = place.index * task.count + task.index;
    shard->count = place.count * task.count;
    return PM_OK;
}

static pm_status find_auto(batch_shard *shard, const char **source, pm_error *error) {
    const char *given = variable("POSEMILL_SHARD");
    bool found = false;
    if (given) {
        *source = "POSEMILL_SHARD";
        return parse_shard("POSEMILL_SHARD", given, shard, error);
    }
    MOTION_TRY(read_slurm(shard, source, &found, error));
    if (!found)
        MOTION_TRY(read_mpi(shard, source, &found, error));
    if (!found) {
        *shard = (batch_shard){0, 1};
        *source = "none";
    }
    return PM_OK;
}

pm_status shard_find(const char *text, batch_shard *shard, const char **source, pm_error *error) {
    *shard = (batch_shard){0, 1};
    *source = "all";
    if (!text)
        return PM_OK;
    if (strcmp(text, "auto") == 0)
        return find_auto(shard, source, error);
    *source = "--shard";
    return parse_shard("--shard", text, shard, error);
}
