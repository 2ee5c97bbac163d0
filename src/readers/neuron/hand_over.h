// Pieces made by one thread and taken by another, in order: the document is read while rows of the
// piece before go into the import.
#pragma once

#include <functional>

#include "readers/neuron/json_stream.h"

namespace profgauge::readers::neuron {

/// Calls `make` for piece after piece until it returns false, and `take` with each of the pieces
/// before, in order, on this thread. `aside`: `make` runs on a thread of its own from the second
/// piece on, if one can be had; only pieces are then shared. What `make` and `take` throw is
/// thrown.
void HandOver(bool aside, const std::function<bool(Piece&)>& make,
              const std::function<void(const Piece&)>& take);

}  // namespace profgauge::readers::neuron
