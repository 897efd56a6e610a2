/*
 * Named parameter sets: X(name, a, b, c, d, edge factor).
 *
 * graph500   Graph500 specification 2.0 (2017), section "Generating the edge list": A 0.57, B 0.19,
 *            C 0.19, D 0.05, 16 edges per vertex.
 */
#ifndef DATASETS_PRESETS_H
#define DATASETS_PRESETS_H

#define RMAT_PRESETS(X) X(graph500, 0.57, 0.19, 0.19, 0.05, 16)

#endif
