// rocprofv3's data made into rows of the model, from either file: its JSON and its
// database have the same contents in other forms.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/profile_builder.h"
#include "readers/text/json_rows.h"

namespace profgauge::readers::rocprofv3 {

/// A kernel as files have it. Ids are those of its process.
struct Kernel {
  std::int64_t start = 0, end = 0;
  std::int64_t kernel = -1, agent = -1, stream = -1, correlation = 0, shared_memory = -1;
  std::int32_t block[3] = {0, 0, 0}, grid[3] = {0, 0, 0};  ///< 0: unknown.
};
/// A grid's axis, which counts work items. False if it is missing: so are those after it.
/// 1000 work items in groups of 256 are 4 blocks.
bool SetAxis(Kernel& kernel, std::size_t axis, std::int64_t group, std::int64_t items);

struct Copy {
  std::int64_t start = 0, end = 0;
  std::int64_t from = -1, to = -1, stream = -1, correlation = 0, bytes = -1;
};

struct Times {
  Ns start = 0;
  Ns duration = 0;
};

/// The GPU that the object describes; nothing for a CPU.
std::optional<Gpu> GpuOf(const JsonRow& agent);

/// `value` where a number of 32 bits holds it and it is not negative.
std::int32_t SmallOf(std::optional<std::int64_t> value, std::int32_t otherwise = -1);

/// Agents and symbols of a process come before their uses.
/// REQUIRES: Finish() once, after the last process. Correlation ids are made unique by the number
/// of the process.
class Rows {
 public:
  explicit Rows(ProfileBuilder& builder) : builder_(builder) {}

  void AddGpu(std::int64_t id, Gpu gpu);
  void AddSymbol(std::int64_t id, std::string_view name, std::int32_t registers);

  /// Counts times that no record has, and those that end before they start.
  /// Nothing for such a record: it must not be added.
  std::optional<Times> TimesOf(std::int64_t start, std::int64_t end);
  void Add(const Kernel& kernel);
  /// Number of kernels with counters: rocprofv3 runs those one by one.
  void AddCounted(std::uint64_t kernels) { counted_ += kernels; }
  void Add(const Copy& copy, std::string_view name);
  /// `name` may be empty.
  /// A correlation of 0 or below is none.
  void AddCall(const Times& times, std::string_view name, ThreadId thread,
               std::int64_t correlation);
  /// Launches of a collective's kernels are inside it.
  void AddRcclCall(const Times& times, std::string_view name, ThreadId thread);
  /// By the text as NVTX ranges are: operator, iteration marker or annotation.
  void AddRange(const Times& times, std::string_view text, ThreadId thread);

  /// Counts a copy or call; `label()` says which one has no name.
  template <class Label>
  void CountName(std::string_view name, Label label) {
    ++named_operations_.all;
    if (name.empty() && named_operations_.nameless++ == 0) named_operations_.first = label();
  }

  /// Ids are those of one process: forgets them, except for its GPUs.
  void EndProcess();
  /// Adds the GPUs that did any work; all of them when none did. Reports objects without names.
  void Finish();

 private:
  struct Agent {
    Gpu gpu;
    bool used = false;
  };
  struct Symbol {
    StringId name;
    std::int32_t registers = -1;
  };
  /// Records by whether the file has their kind.
  struct Named {
    std::uint64_t all = 0, nameless = 0;
    std::string first;
  };

  std::int64_t CorrelationOf(std::int64_t id) const;
  Agent* AgentOf(std::int64_t id);
  LaunchConfigId ConfigOf(const Kernel& kernel, const Gpu* gpu, const Symbol* symbol);
  void TellOfNameless(const Named& named, std::string_view what);

  ProfileBuilder& builder_;
  boost::unordered_flat_map<std::int64_t, Agent> agents_;
  boost::unordered_flat_map<std::int64_t, Symbol> symbols_;
  Named named_kernels_, named_operations_;
  std::int64_t process_number_ = 0;
  std::uint64_t dispatches_ = 0, counted_ = 0;  ///< Kernels, and those whose counters were read.
};

}  // namespace profgauge::readers::rocprofv3
