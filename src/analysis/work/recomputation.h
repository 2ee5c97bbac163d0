// Which operators the backward pass runs again because their results were not kept.
#pragma once

#include <vector>

#include "model/profile.h"

namespace profgauge {

/// Per host row: whether it is an operator of the forward pass that runs inside of a backward node
/// (activation checkpointing). PyTorch numbers operators only while it records gradients, so what a
/// backward node runs for itself has no number, and what it runs again has one; a checkpoint of the
/// older kind names its node.
std::vector<bool> FindRecomputed(const Profile& profile);

}  // namespace profgauge
