/* SPDX-License-Identifier: MIT
 *
 * The chains of a skeleton: checked, with the paths from the root that kernels walk.
 */
#include "skeleton.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "kernels/pm_plant.h"
#include "kernels/pm_reach.h"

static const float default_soft = 0.97f;

static pm_status refuse(size_t chain, const char *what, pm_error *error) {
    return pm_fail(error, PM_ERROR_ARGUMENT, "chains[%zu]: %s", chain, what);
}

/* Whether three numbers are finite and have a direction; makes them a unit vector. */
static bool unit_of(const float from[3], float to[4]) {
    const double x = (double)from[0], y = (double)from[1], z = (double)from[2];
    const double length = sqrt(x * x + y * y + z * z);
    if (!(length >= 1e-6 && length <= 1e6))
        return false;
    for (size_t i = 0; i < 3; i++)
        to[i] = pm_stored((double)from[i] / length);
    return true;
}

/* Writes the path of a chain, unless `path` is NULL, and finds the places of its joints on it. False: one is not
 * below the one before. */
static bool find_path(const pm_skeleton *s, const pm_skeleton_desc *desc, const pm_chain *chain,
                      pm_chain_row *row, pm_u32 *path) {
    size_t found = chain->kind == PM_CHAIN_STAND ? 1 : chain->joint_count;
    row->length = 0;
    const int32_t last = (int32_t)chain->joints[found - 1];
    for (int32_t j = last; j >= 0; j = desc->parents[j])
        row->length++;
    pm_u32 place = row->length;
    for (int32_t j = last; j >= 0; j = desc->parents[j]) {
        place--;
        if (path)
            path[place] = s->slots[j];
        if (found > 0 && (uint32_t)j == chain->joints[found - 1])
            row->places[--found] = place;
    }
    return found == 0;
}

static pm_status check(const pm_skeleton_desc *desc, size_t c, pm_error *error) {
    static const size_t least[] = {3, 1, 1, 2},
                        most[] = {3, PM_REACH_JOINTS, 1, PM_REACH_JOINTS + 1};
    const pm_chain *chain = &desc->chains[c];
    const bool is_aim = chain->kind == PM_CHAIN_AIM;
    const pm_status status = PM_CHECK_NEXT(pm_chain, chain, error);
    if (status != PM_OK)
        return status;
    if ((unsigned)chain->kind > PM_CHAIN_STAND)
        return refuse(c, "kind is no pm_chain_kind", error);
    if (!chain->joints || chain->joint_count < least[chain->kind] ||
        chain->joint_count > most[chain->kind])
        return refuse(
            c, "expected 3 joints of two bones, 1 to 8 of an aim, 1 of a pin, 2 to 9 that stand",
            error);
    for (size_t i = 0; i < chain->joint_count; i++)
        if (chain->joints[i] >= desc->joint_count)
            return refuse(c, "there is no such joint", error);
    if (!(chain->limit >= 0 && (is_aim ? chain->limit <= 3.1415928f : chain->limit < 1)))
        return refuse(c, "limit: expected at least 0, of an aim up to pi, else below 1", error);
    if (chain->kind >= PM_CHAIN_PIN && chain->limit != 0)
        return refuse(c, "limit: a pin and what stands have none", error);
    if (chain->contacts && chain->kind != PM_CHAIN_STAND)
        return refuse(c, "contacts are those of what stands", error);
    if (!is_aim && (chain->shares || chain->forward[0] != 0 || chain->forward[1] != 0 ||
                    chain->forward[2] != 0))
        return refuse(c, "shares and forward are those of an aim", error);
    return PM_OK;
}

/* Shares of what the joints before leave. */
static bool fill_shares(const pm_chain *chain, pm_chain_row *row) {
    double rest = 0;
    for (size_t i = chain->joint_count; i-- > 0;) {
        const double share = chain->shares ? (double)chain->shares[i] : 1;
        if (!(share >= 0 && share <= 1e6))
            return false;
        rest += share;
        row->shares[i] = rest > 0 ? pm_stored(share / rest) : 0;
    }
    return row->shares[chain->joint_count - 1] == 1.0f;
}

static pm_status fill_aim(const pm_chain *chain, size_t c, pm_chain_row *row, pm_error *error) {
    double cosine = 0;
    if (!unit_of(chain->forward, row->forward) || !unit_of(chain->axis, row->axis))
        return refuse(c, "an aim requires forward, and up as its axis", error);
    for (size_t i = 0; i < 3; i++)
        cosine += (double)row->forward[i] * (double)row->axis[i];
    if (!(fabs(cosine) < 0.999))
        return refuse(c, "the axis, which is up, is parallel to forward", error);
    row->limit = chain->limit;
    return fill_shares(chain, row)
               ? PM_OK
               : refuse(c, "shares: expected at least 0, the last one above 0", error);
}

/* The axis of the rest pose. False: it is bent by less than 2 degrees. */
static bool find_axis(const pm_skeleton *s, const pm_u32 *path, pm_chain_row *row) {
    pm_space at = pm_space_of_model(), parent = at;
    pm_quat origins[3];
    for (pm_u32 i = 0, found = 0; i < row->length; i++) {
        const pm_joint *joint = &s->joints[path[i]];
        const pm_local rest = {pm_spread(joint->rotation), pm_spread(joint->position),
                               pm_spread(joint->scale)};
        if (i == row->places[1])
            parent = at;
        at = pm_space_below(at, rest);
        if (i == row->places[found])
            origins[found++] = pm_space_origin(at);
    }
    const pm_bones bones =
        pm_bones_of(pm_quat_difference(origins[1], origins[0]),
                    pm_quat_difference(origins[2], origins[1]), pm_quat_of(0, 0, 0, 0));
    const pm_quat axis = pm_vector_turned(pm_quat_conjugate(parent.rotation), bones.axis);
    const float numbers[3] = {axis.x, axis.y, axis.z};
    return bones.y >= 0.0349f * bones.r && unit_of(numbers, row->axis);
}

static pm_status fill_two_bones(const pm_skeleton *s, const pm_chain *chain, size_t c,
                                const pm_u32 *path, pm_chain_row *row, pm_error *error) {
    const bool given = chain->axis[0] != 0 || chain->axis[1] != 0 || chain->axis[2] != 0;
    row->limit = chain->limit > 0 ? chain->limit : default_soft;
    if (given ? unit_of(chain->axis, row->axis) : find_axis(s, path, row))
        return PM_OK;
    return refuse(c,
                  given ? "axis: not finite, or without a direction"
                        : "the bones are on one line at rest: expected an axis",
                  error);
}

/* The first chain of two bones with this end, if its upper is below the pelvis; else chain_count. */
static size_t find_foot(const pm_skeleton_desc *desc, uint32_t pelvis, uint32_t end) {
    for (size_t c = 0; c < desc->chain_count; c++) {
        const pm_chain *chain = &desc->chains[c];
        if (chain->kind != PM_CHAIN_TWO_BONES || chain->joints[2] != end)
            continue;
        int32_t above = desc->parents[chain->joints[0]];
        while (above >= 0 && (uint32_t)above != pelvis)
            above = desc->parents[above];
        return above >= 0 ? c : desc->chain_count;
    }
    return desc->chain_count;
}

size_t pm_plant_state_bytes(const pm_skeleton *skeleton) {
    _Static_assert(sizeof(pm_plant) == PM_PLANT_BYTES, "devices have the same layout");
    return skeleton->plant_count * sizeof(pm_plant);
}

static pm_status fill_stand(pm_skeleton *s, const pm_skeleton_desc *desc, const pm_chain *chain,
                            size_t c, pm_chain_row *row, pm_error *error) {
    const bool up_is_y = chain->axis[1] == 1, up_is_z = chain->axis[2] == 1;
    if (chain->axis[0] != 0 || chain->axis[1] != (float)up_is_y ||
        chain->axis[2] != (float)up_is_z || up_is_y == up_is_z)
        return refuse(c, "axis: expected up, 0 1 0 or 0 0 1", error);
    memcpy(row->axis, chain->axis, sizeof chain->axis);
    row->count = (pm_u32)chain->joint_count - 1;
    for (size_t k = 0; k < row->count; k++) {
        const size_t foot = find_foot(desc, chain->joints[0], chain->joints[k + 1]);
        if (foot == desc->chain_count)
            return refuse(c, "a joint is not the end of two bones below the first one", error);
        row->places[k] = (pm_u32)foot;
        if (!chain->contacts)
            continue;
        const uint32_t *ids = chain->contacts + 2 * k;
        if (ids[0] == ids[1])
            return refuse(c, "contacts: the same marker begins and ends one", error);
        memcpy(row->contacts + 2 * k, ids, 2 * sizeof *ids);
        row->plants = (pm_u32)(++s->plant_count - k);
    }
    return PM_OK;
}

static pm_status fill_chain(pm_skeleton *s, const pm_skeleton_desc *desc, size_t c,
                            pm_error *error) {
    const pm_chain *chain = &desc->chains[c];
    pm_chain_row *row = &s->chains[c];
    pm_u32 *path = s->chain_paths + row->path;
    if (!find_path(s, desc, chain, row, path))
        return refuse(c, "a joint is not below the one before it", error);
    return chain->kind == PM_CHAIN_TWO_BONES ? fill_two_bones(s, chain, c, path, row, error)
           : chain->kind == PM_CHAIN_AIM     ? fill_aim(chain, c, row, error)
           : chain->kind == PM_CHAIN_STAND   ? fill_stand(s, desc, chain, c, row, error)
                                             : PM_OK;
}

pm_status pm_chains_build(pm_skeleton *s, const pm_skeleton_desc *desc, pm_error *error) {
    size_t numbers = 0;
    pm_status status = PM_OK;
    if (!desc->chains != !desc->chain_count || desc->chain_count > 65535)
        return pm_fail(error, PM_ERROR_ARGUMENT, "chains: expected 1 to 65535, or none");
    if (!desc->chains)
        return PM_OK;
    s->chains = pm_allocate_zeroed(s->host, desc->chain_count, sizeof *s->chains);
    if (!s->chains)
        return pm_fail_memory(error);
    s->chain_count = desc->chain_count;
    for (size_t c = 0; status == PM_OK && c < desc->chain_count; c++) {
        pm_chain_row *row = &s->chains[c];
        status = check(desc, c, error);
        if (status != PM_OK)
            return status;
        row->kind = (pm_u32)desc->chains[c].kind;
        row->count = (pm_u32)desc->chains[c].joint_count;
        row->path = (pm_u32)numbers;
        (void)find_path(s, desc, &desc->chains[c], row, NULL);
        numbers += row->length;
    }
    if (numbers > UINT32_MAX / 2)
        return pm_fail(error, PM_ERROR_SIZE, "chains: their paths have more than 2^31 joints");
    s->path_numbers = numbers;
    s->chain_paths = pm_allocate_zeroed(s->host, numbers, sizeof *s->chain_paths);
    if (!s->chain_paths)
        return pm_fail_memory(error);
    for (size_t c = 0; status == PM_OK && c < desc->chain_count; c++)
        status = fill_chain(s, desc, c, error);
    return status;
}
