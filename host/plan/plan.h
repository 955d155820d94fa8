/* SPDX-License-Identifier: MIT
 *
 * The door of this room: requests, and what is launched for them. A request is a checked job with
 * everything resolved. A plan is its list of steps, without a call of any API.
 */
#ifndef PM_HOST_PLAN_H
#define PM_HOST_PLAN_H

#include "pair_order.h"
#include "pose_plan.h"
#include "sample_plan.h"

#endif
