/* SPDX-License-Identifier: MIT
 *
 * The table of outputs of a crowd, which the kernel, the host and the tests read. Each output is a
 * row here and an enumerator of pm_crowd_output in the public header, with the same name and
 * number.
 */
#ifndef PM_CROWD_OUTPUTS_H
#define PM_CROWD_OUTPUTS_H

/* The form of a record, which describes one joint, or an instance. */
#define PM_FORM_LOCAL 0  /* the pose relative to the parent: rotation, position, scale */
#define PM_FORM_RIGID 1  /* a rigid motion as a dual quaternion: real part, dual part */
#define PM_FORM_MATRIX 2 /* a matrix: three rows of four numbers */
#define PM_FORM_BOUNDS 3 /* of an instance: a box about its joints, two corners of four numbers */
#define PM_FORM_BODY 4   /* a part of a joint's state, which pm_body_put writes */

/* X(name, number, form, numbers per record, bits per number, 1: relative to the bind pose) */
#define PM_CROWD_POSE_OUTPUTS(X)                                                                   \
    X(PALETTE, 0, PM_FORM_MATRIX, 12, 32, 1)                                                       \
    X(PALETTE_HALF, 1, PM_FORM_MATRIX, 12, 16, 1)                                                  \
    X(DUAL, 2, PM_FORM_RIGID, 8, 32, 1)                                                            \
    X(MODEL, 3, PM_FORM_MATRIX, 12, 32, 0)                                                         \
    X(LOCAL, 4, PM_FORM_LOCAL, 12, 32, 0)                                                          \
    X(BOUNDS, 5, PM_FORM_BOUNDS, 8, 32, 0)
#define PM_CROWD_BODY_OUTPUTS(X)                                                                   \
    X(BODY_POS, 6, PM_FORM_BODY, 3, 32, 0)                                                         \
    X(BODY_ROT, 7, PM_FORM_BODY, 4, 32, 0)                                                         \
    X(BODY_VEL, 8, PM_FORM_BODY, 3, 32, 0)                                                         \
    X(BODY_ANG_VEL, 9, PM_FORM_BODY, 3, 32, 0)                                                     \
    X(LOCAL_ROT, 10, PM_FORM_BODY, 4, 32, 0)                                                       \
    X(LOCAL_ANG_VEL, 11, PM_FORM_BODY, 3, 32, 0)                                                   \
    X(ANGLE, 12, PM_FORM_BODY, 1, 32, 0)                                                           \
    X(ANGLE_RATE, 13, PM_FORM_BODY, 1, 32, 0)
#define PM_CROWD_OUTPUTS(X)                                                                        \
    PM_CROWD_POSE_OUTPUTS(X)                                                                       \
    PM_CROWD_BODY_OUTPUTS(X)

/* The row of PM_OUTPUT as constants that the preprocessor can evaluate. */
#ifndef PM_OUTPUT
#define PM_OUTPUT 0
#endif
#define PM_ROW_FORM(name, number, form, numbers, bits, bound) | ((PM_OUTPUT == (number)) * (form))
#define PM_ROW_BITS(name, number, form, numbers, bits, bound) | ((PM_OUTPUT == (number)) * (bits))
#define PM_ROW_BOUND(name, number, form, numbers, bits, bound) | ((PM_OUTPUT == (number)) * (bound))
#define PM_ROW_WORDS(name, number, form, numbers, bits, bound)                                     \
    | ((PM_OUTPUT == (number)) * ((numbers) * (bits) / 32))
#define PM_OUTPUT_FORM (0 PM_CROWD_OUTPUTS(PM_ROW_FORM))
#define PM_OUTPUT_BITS (0 PM_CROWD_OUTPUTS(PM_ROW_BITS))
#define PM_OUTPUT_BOUND (0 PM_CROWD_OUTPUTS(PM_ROW_BOUND))
#define PM_OUTPUT_WORDS (0 PM_CROWD_OUTPUTS(PM_ROW_WORDS))

#if PM_OUTPUT_WORDS == 0
#error "PM_OUTPUT is not a number in PM_CROWD_OUTPUTS"
#endif

#endif
