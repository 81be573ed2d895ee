/* SPDX-License-Identifier: MIT
 * cells.hip: the kernels of the instruction table, of the library that SUBWAVE_CELLS names.
 */
#include "cells.hpp"

#ifndef SUBWAVE_CELLS
#define SUBWAVE_CELLS ours
#endif

#define CELL(operation, kind, type) SUBWAVE_CELL(cells::SUBWAVE_CELLS, operation, kind, type)
#include "cells.def"
