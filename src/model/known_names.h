// Names in profiles whose meaning rules/knowledge/ knows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/iteration_source.h"
#include "model/profile.h"

namespace profgauge {

// Evidence by names in a profile: its framework and the libraries that the program used.

enum class Sign : std::uint8_t {
  kPyTorch,
  kXla,
  kTensorRt,
  kTensorFlow,
  kDdp,           ///< DistributedDataParallel.
  kFsdp,          ///< FullyShardedDataParallel.
  kGraphCapture,  ///< Calls that begin or end the capture of a graph.
  kNccl,
  kGloo,
  kDali,            ///< DALI or rocAL, which decode images on the device.
  kXlaCompiled,     ///< TensorFlow's calls of code that XLA compiled.
  kFusedOptimizer,  ///< An optimizer whose step is few kernels for all parameters.
  kTorchCompiled,   ///< Graphs that PyTorch compiled run: AOTAutograd, Dynamo, Inductor.
  kCount_
};

/// True if a name in the profile has the sign; of a summary, a name in the profile that was
/// summarized. O(texts), in parallel. Searches all texts of the pool, also texts that no row uses.
bool Shows(const Profile& profile, Sign sign);

/// An example of a name with the sign.
std::string_view NameWith(Sign sign);

// Kinds of host work during which a device waits: the table `host_work` of
// rules/knowledge/names.yaml and the values of `gap.category`.

struct HostWork {
  std::string_view id;       ///< "data_loader"
  std::string_view title;    ///< "data loader"
  std::string_view pattern;  ///< RE2 that names of frames, operators and ranges contain.
};
inline constexpr HostWork kHostWork[] = {
#include "knowledge/host_work.inc"
};
/// Chosen by the cause of the gap, not by recorded names.
inline constexpr const HostWork& kFirstUse = kHostWork[0];
/// Host work is recorded, but no kind's pattern matches it.
inline constexpr HostWork kUnnamedHostWork = {"unnamed", "other code", ""};
/// No frame, operator or range covers most of the gap: not recorded, or several short ones.
inline constexpr HostWork kUnknownHostWork = {"unknown", "unknown", ""};

static_assert(kFirstUse.id == "first_use");

// Ranges whose names show iterations if no markers do: the tables `steps` and `witnesses` of
// rules/knowledge/markers.yaml.

/// Iterations of a serving engine in one phase.
struct EngineStep {
  std::string_view engine;   ///< "vLLM"
  std::string_view phase;    ///< "decode"
  std::string_view pattern;  ///< RE2 that the names of these iterations match.
};
inline constexpr EngineStep kEngineSteps[] = {
#include "knowledge/steps.inc"
};

/// Ranges that occur once in each iteration.
struct IterationWitness {
  std::string_view id;
  bool closes = false;  ///< True: the iteration ends where the range ends; false: it begins where
                        ///< the range begins.
  std::string_view pattern;
};
inline constexpr IterationWitness kIterationWitnesses[] = {
#include "knowledge/witnesses.inc"
};

static_assert(kIterationWitnesses[0].id == "optimizer_step" && kIterationWitnesses[0].closes);

// Names of ranges that mark iterations, from rules/knowledge/markers.yaml.

/// One family of names. At least one of `starts` and `matches` is given.
struct MarkerName {
  std::string_view family;
  std::string_view starts = {};   ///< The name starts with it; empty: `matches` decides.
  std::string_view matches = {};  ///< RE2 that the name must contain; empty: `starts` decides.
  std::string_view domain = {};   ///< Only NVTX ranges of this domain count; empty: any range.
};
inline constexpr MarkerName kMarkerNames[] = {
#include "knowledge/markers.inc"
};

static_assert(kMarkerNames[0].family == "profiler_step" && kMarkerNames[0].starts == kProfilerStep);

}  // namespace profgauge
