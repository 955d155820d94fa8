/* SPDX-License-Identifier: MIT
 *
 * Which shard a process is: from its option, or from the environment of what started it.
 */
#define _POSIX_C_SOURCE 200809L

#include "shard.h"

#include <stdlib.h>
#include <string.h>

/* So that products of two counts cannot overflow; more shards than that have no use. */
#define SHARDS_MAX UINT64_C(1000000000)

/* ---- numbers ------------------------------------------------------------------------------- */

/* Reads digits up to `end` only; a larger number than SHARDS_MAX is none. NULL if there is none. */
static const char *read_number(const char *text, uint64_t *number) {
    const char *at = text;
    for (*number = 0; *at >= '0' && *at <= '9'; at++) {
        *number = 10 * *number + (uint64_t)(*at - '0');
        if (*number > SHARDS_MAX) {
            return NULL;
        }
    }
    return at > text ? at : NULL;
}

static cli_exit parse_shard(const char *what, const char *text, batch_shard *shard) {
    const char *at = read_number(text, &shard->index);
    if (at != NULL && *at == '/') {
        at = read_number(at + 1, &shard->count);
        if (at != NULL && *at == '\0' && shard->index < shard->count) {
            return CLI_DONE;
        }
    }
    return cli_fail(CLI_USAGE, what, "shards are 0/N to N-1/N, or auto",
                    "'%s' is no shard; expected I/N with I below N", text);
}

/* ---- variables ----------------------------------------------------------------------------- */

static const char *variable(const char *name) {
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

static const char cure[] = "set POSEMILL_SHARD, or give --shard I/N";

static cli_exit read_variable(const char *name, uint64_t *number) {
    const char *text = variable(name);
    const char *end = text != NULL ? read_number(text, number) : NULL;
    if (end != NULL && *end == '\0') {
        return CLI_DONE;
    }
    return text == NULL
               ? cli_fail(CLI_USAGE, name, cure, "is not set, but is needed with the others")
               : cli_fail(CLI_USAGE, name, cure, "'%s' is not a whole number", text);
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

static cli_exit read_rank(const rank_names *names, batch_shard *rank, bool *found) {
    *found = variable(names->index) != NULL && variable(names->count) != NULL;
    if (!*found) {
        return CLI_DONE;
    }
    cli_exit code = read_variable(names->index, &rank->index);
    if (code == CLI_DONE) {
        code = read_variable(names->count, &rank->count);
    }
    if (code == CLI_DONE && rank->index >= rank->count) {
        return cli_fail(
            CLI_USAGE, names->index, cure, "is %llu, expected less than %s, which is %llu",
            (unsigned long long)rank->index, names->count, (unsigned long long)rank->count);
    }
    return code;
}

/* The rank by Open MPI or PMI. */
static cli_exit read_mpi(batch_shard *rank, const char **source, bool *found) {
    cli_exit code = CLI_DONE;
    *found = false;
    for (size_t i = 0; code == CLI_DONE && !*found && i < 2; i++) {
        code = read_rank(&mpi_ranks[i], rank, found);
        *source = mpi_ranks[i].both;
    }
    return code;
}

/* ---- Slurm --------------------------------------------------------------------------------- */

static cli_exit read_array(batch_shard *place) {
    uint64_t id = 0, first = 0, step = 0;
    cli_exit code = read_variable("SLURM_ARRAY_TASK_ID", &id);
    code = code == CLI_DONE ? read_variable("SLURM_ARRAY_TASK_MIN", &first) : code;
    code = code == CLI_DONE ? read_variable("SLURM_ARRAY_TASK_STEP", &step) : code;
    code = code == CLI_DONE ? read_variable("SLURM_ARRAY_TASK_COUNT", &place->count) : code;
    if (code != CLI_DONE) {
        return code;
    }
    place->index = step > 0 && id >= first ? (id - first) / step : 0;
    if (step == 0 || id < first || (id - first) % step != 0 || place->index >= place->count) {
        return cli_fail(
            CLI_USAGE, "SLURM_ARRAY_TASK_ID", cure,
            "the ids of the array are not evenly spaced: id %llu, first %llu, step %llu, "
            "%llu tasks",
            (unsigned long long)id, (unsigned long long)first, (unsigned long long)step,
            (unsigned long long)place->count);
    }
    return CLI_DONE;
}

/* mpirun within one task of Slurm starts processes that all have the number of that task. */
static cli_exit check_mpi(batch_shard task) {
    const char *source = NULL;
    batch_shard rank = {0, 1};
    bool found = false;
    const cli_exit code = read_mpi(&rank, &source, &found);
    if (code != CLI_DONE || !found || rank.count == 1 ||
        (rank.index == task.index && rank.count == task.count)) {
        return code;
    }
    return cli_fail(CLI_USAGE, source, "start the tasks with srun, or give --shard I/N",
                    "say %llu/%llu, and Slurm says task %llu/%llu", (unsigned long long)rank.index,
                    (unsigned long long)rank.count, (unsigned long long)task.index,
                    (unsigned long long)task.count);
}

/* An array of jobs with several tasks each multiplies. */
static cli_exit read_slurm(batch_shard *shard, const char **source, bool *found) {
    const bool has_array = variable("SLURM_ARRAY_TASK_ID") != NULL;
    batch_shard place = {0, 1}, task = {0, 1};
    bool has_task = false;
    cli_exit code = has_array ? read_array(&place) : CLI_DONE;
    code = code == CLI_DONE ? read_rank(&slurm_task, &task, &has_task) : code;
    *found = has_array || has_task;
    code = code == CLI_DONE && *found ? check_mpi(task) : code;
    if (code != CLI_DONE || !*found) {
        return code;
    }
    *source = !has_array ? slurm_task.both
              : has_task ? "SLURM_ARRAY_TASK_ID, SLURM_PROCID and SLURM_NTASKS"
                         : "SLURM_ARRAY_TASK_ID";
    shard->index = place.index * task.count + task.index;
    shard->count = place.count * task.count;
    return CLI_DONE;
}

/* ---- the order ----------------------------------------------------------------------------- */

static cli_exit find_auto(batch_shard *shard, const char **source) {
    const char *given = variable("POSEMILL_SHARD");
    bool found = false;
    if (given != NULL) {
        *source = "POSEMILL_SHARD";
        return parse_shard("POSEMILL_SHARD", given, shard);
    }
    cli_exit code = read_slurm(shard, source, &found);
    if (code == CLI_DONE && !found) {
        code = read_mpi(shard, source, &found);
    }
    if (code == CLI_DONE && !found) {
        *shard = (batch_shard){0, 1};
        *source = "none";
    }
    return code;
}

cli_exit shard_find(const char *text, batch_shard *shard, const char **source) {
    *shard = (batch_shard){0, 1};
    *source = "all";
    if (text == NULL) {
        return CLI_DONE;
    }
    if (strcmp(text, "auto") == 0) {
        return find_auto(shard, source);
    }
    *source = "--shard";
    return parse_shard("--shard", text, shard);
}
