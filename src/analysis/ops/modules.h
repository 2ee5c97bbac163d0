// The hierarchy of nn.Modules, from the Python frames of their calls.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Adds `modules`: a row for each module at its place in the hierarchy, calls summed.
///
/// Definition: TensorBoard plug-in (formats/kineto, b11) with these differences: a module lies in
/// the one that contains it in time on its thread; device work that no operator launched counts for
/// the innermost module around the launch; device work of the backward pass is told separately, for
/// the module of the forward operator that it is linked to. Several ranks add up.
void AddModules(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
