/* SPDX-License-Identifier: MIT
 *
 * The smallest motion with all that a comparison looks at: two joints, three frames.
 */
#ifndef POSEMILL_TESTS_SHORT_TAKE_H
#define POSEMILL_TESTS_SHORT_TAKE_H

/* BVH */
static const char short_take[] =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
    "Xrotation Yrotation\nJOINT Knee\n{\nOFFSET 0 -40 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 0 -40 0\n}\n}\n}\nMOTION\nFrames: 3\nFrame Time: 0.05\n"
    "0 80 0 0 0 0 0 0 0\n1 81 0 5 0 0 9 0 0\n2 80 0 9 1 0 20 0 0\n";

#endif
