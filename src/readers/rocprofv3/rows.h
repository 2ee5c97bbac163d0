// Makes rows of the model from rocprofv3's JSON or database, which have the same contents in
// different forms.
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

/// A kernel as in the file. Ids are those of its process.
struct Kernel {
  std::int64_t start = 0, end = 0;
  std::int64_t kernel = -1, agent = -1, stream = -1, correlation = 0, shared_memory = -1;
  std::int32_t block[3] = {0, 0, 0}, grid[3] = {0, 0, 0};  ///< 0: unknown.
};
/// Sets a grid's axis from its number of work items: 1000 items in groups of 256 are 4 blocks.
/// False if the axis is missing; then later axes are missing, too.
bool SetAxis(Kernel& kernel, std::size_t axis, std::int64_t group, std::int64_t items);

struct Copy {
  std::int64_t start = 0, end = 0;
  std::int64_t from = -1, to = -1, stream = -1, correlation = 0, bytes = -1;
};

struct Times {
  Ns start = 0;
  Ns duration = 0;
};

/// The GPU that the object describes; nullopt for a CPU.
std::optional<Gpu> GpuOf(const JsonRow& agent);

/// Returns `value` if it fits into 32 bits and is not negative, else `otherwise`.
std::int32_t SmallOf(std::optional<std::int64_t> value, std::int32_t otherwise = -1);

/// Adds rows of processes. Agents and symbols of a process must come before their uses. The number
/// of the process makes correlation ids unique. REQUIRES: Finish() once, after the last process.
class Rows {
 public:
  explicit Rows(ProfileBuilder& builder) : builder_(builder) {}

  void AddGpu(std::int64_t id, Gpu gpu);
  void AddSymbol(std::int64_t id, std::string_view name, std::int32_t registers);

  /// Checks the times of a record. Impossible times are counted; returns nullopt, and the record
  /// must not be added. A record that ends before it starts is counted and gets length 0.
  std::optional<Times> TimesOf(std::int64_t start, std::int64_t end);
  void Add(const Kernel& kernel);
  /// Adds the number of kernels with counters. rocprofv3 runs such kernels one by one.
  void AddCounted(std::uint64_t kernels) { counted_ += kernels; }
  void Add(const Copy& copy, std::string_view name);
  /// Adds a call. `name` may be empty. A correlation of 0 or below means none.
  void AddCall(const Times& times, std::string_view name, ThreadId thread,
               std::int64_t correlation);
  /// Adds a collective's call, which contains the launches of its kernels, as a host range.
  void AddRcclCall(const Times& times, std::string_view name, ThreadId thread);
  /// Adds an operator, iteration marker or annotation. The text decides which, as for NVTX ranges.
  void AddRange(const Times& times, std::string_view text, ThreadId thread);

  /// Counts a copy or call. `label()` is called to identify the first one without a name.
  template <class Label>
  void CountName(std::string_view name, Label label) {
    ++named_operations_.all;
    if (name.empty() && named_operations_.nameless++ == 0) named_operations_.first = label();
  }

  /// Removes the ids of this process, except for its GPUs.
  void EndProcess();
  /// Adds the GPUs that did any work, or all if none did. Reports objects without names.
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
  /// Counts of records, and of those without a name; `first` identifies the first of the latter.
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
  std::uint64_t dispatches_ = 0, counted_ = 0;  ///< All kernels, and kernels with counters.
};

}  // namespace profgauge::readers::rocprofv3
