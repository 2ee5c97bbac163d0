// Decodes files in which a policy adds knowledge: the names of a project's own kernels
// (`tensor_core: {names: FILE}`) and the properties of its chips (`devices: FILE`).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/classify/knowledge.h"
#include "rules/decode.h"
#include "rules/policy.h"

namespace profgauge::rules {

/// Reads `schema: 1` and `names`, a list of {id, matches, except, uses_tensor_core}, and checks the
/// patterns.
void DecodeKernelNames(Decoder& decoder, std::vector<analysis::classify::KernelNameRule>& out);

/// Reads `schema: 1` and `devices`, a list of {match, name, compute_capability, sms, memory,
/// max_threads_per_sm, warp_size}; only `match` is required.
void DecodeDevices(Decoder& decoder, std::vector<KnownDevice>& out);

}  // namespace profgauge::rules
