// Which operators the backward pass runs again because their results were not kept. MFU leaves
// their operations out, HFU counts them; the table `ops` has their time.
#pragma once

#include <vector>

#include "model/profile.h"

namespace profgauge::analysis::flops {

/// Per host row: whether it is an operator of the forward pass that runs inside of a backward node
/// (activation checkpointing). PyTorch numbers operators only while it records gradients, so a
/// backward node's own operators have no number, and those it runs again have one; a checkpoint of
/// the older kind names its node. Where most nodes run numbered operators, gradients were recorded
/// in backward, too (for gradients of gradients): then numbers are no evidence, and none counts.
std::vector<bool> FindRecomputed(const Profile& profile);

/// Whether the profile has backward nodes: without them nothing would show it. Only rows with a
/// thread count. O(host rows).
bool HasBackward(const Profile& profile);

/// The rows in `some`, and all that are in one of them.
std::vector<bool> WithInner(std::vector<bool> some, const HostTable& host);
/// Those of the rows in `some` that are in no other one of them.
std::vector<bool> OutermostOf(const std::vector<bool>& some, const HostTable& host);

}  // namespace profgauge::analysis::flops
