/* SPDX-License-Identifier: MIT
 * cells.hip: the kernels of the instruction table, of the library that SUBWAVE_CELLS names.
 */
#include "cells.hpp"

#ifdef SUBWAVE_CELLS_HEADER /* where that library is */
#include SUBWAVE_CELLS_HEADER
#endif
#ifndef SUBWAVE_CELLS
#define SUBWAVE_CELLS ours
#endif

#define CELL(operation, kind, type) SUBWAVE_CELL(cells::SUBWAVE_CELLS, operation, kind, type)
#include "cells.def"
