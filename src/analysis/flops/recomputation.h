// Operators that backward repeats because their results were not stored. MFU excludes their
// operations, HFU includes them; the table `ops` has their time.
#pragma once

#include <vector>

#include "model/profile.h"

namespace profgauge::analysis::flops {

/// Returns for each host row whether it is a forward operator that runs inside a backward node
/// (activation checkpointing). PyTorch numbers operators only while it records gradients: a
/// backward node's own operators have no number, repeated ones have one. Older checkpoints name
/// their node. If most nodes contain numbered operators, backward itself recorded gradients (for
/// higher-order gradients). Numbers then prove nothing, and no row counts.
std::vector<bool> FindRecomputed(const Profile& profile);

/// Whether the profile has backward nodes, without which repetition cannot be detected. Only rows
/// with a thread count. O(host rows).
bool HasBackward(const Profile& profile);

/// The rows in `some`, and all rows inside of them.
std::vector<bool> WithInner(std::vector<bool> some, const HostTable& host);
/// The rows in `some` that are not inside another one.
std::vector<bool> OutermostOf(const std::vector<bool>& some, const HostTable& host);

}  // namespace profgauge::analysis::flops
