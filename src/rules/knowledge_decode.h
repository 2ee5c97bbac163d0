// Files of a policy that add to profiles: names of a project's own kernels
// (`tensor_core: {names: FILE}`) and properties of its chips (`devices: FILE`).
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

/// `schema: 1` and `names`: a list of {id, matches, except, uses_tensor_core}. Patterns are
/// checked.
void DecodeKernelNames(Decoder& decoder, std::vector<analysis::classify::KernelNameRule>& out);

/// `schema: 1` and `devices`: a list of {match, name, compute_capability, sms, memory,
/// max_threads_per_sm, warp_size}, of which all but `match` may be left out.
void DecodeDevices(Decoder& decoder, std::vector<KnownDevice>& out);

}  // namespace profgauge::rules
