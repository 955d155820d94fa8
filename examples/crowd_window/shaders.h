/* SPDX-License-Identifier: MIT
 *
 * The shaders, in GLSL 4.30.
 */
#ifndef EXAMPLES_CROWD_WINDOW_SHADERS_H
#define EXAMPLES_CROWD_WINDOW_SHADERS_H

/* Skins a vertex of an instance with its palette. Output `skinned`: its position in the world. */
extern const char figure_vertex[], figure_fragment[];

/* The sword of an instance, at its hand. */
extern const char sword_vertex[];

/* A square of ground, and a soft shadow below each instance. */
extern const char ground_vertex[], ground_fragment[];
extern const char shadow_vertex[], shadow_fragment[];

/* Characters, a square for each, from a font of 5 by 7 dots. */
extern const char text_vertex[], text_fragment[];

#endif
