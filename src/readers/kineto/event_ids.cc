// Objects that events share and rows name by number: threads, traces, texts, launch configurations
// and collectives.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/whole.h"
#include "readers/kineto/event_sink.h"
#include "readers/kineto/raw_event.h"

namespace profgauge::readers::kineto {

// Process and thread are texts: old traces have "stream 7" and "Traces" there. Events in a row are
// mostly of one thread, so the one before is tried first.
ThreadId EventSink::ThreadOf(const RawEvent& event) {
  if (event.is_placed_later) return {};
  const auto pid = event.Text(Field::kPid);
  const auto tid = event.Text(Field::kTid);
  if (last_thread_.valid() && pid == last_pid_ && tid == last_tid_) return last_thread_;
  const auto process = strings_.Intern(pid);
  const auto thread = strings_.Intern(tid);
  const auto key = std::uint64_t{process.value} << 32 | thread.value;
  const auto next = static_cast<std::uint32_t>(rows_->threads.size());
  const auto [at, is_new] = threads_.emplace(key, next);
  if (is_new) rows_->threads.emplace_back(process, thread);
  last_pid_.assign(pid);
  last_tid_.assign(tid);
  last_thread_ = ThreadId{at->second};
  return last_thread_;
}

// The number of the label in this chunk, from 1 on; Merge() makes it the file's. Events without a
// label are of trace 0.
TraceNumber EventSink::TraceOf(const RawEvent& event) {
  const auto pid = event.Text(Field::kPid);
  if (pid.empty() || pid.front() != '[') return 0;
  if (pid == labelled_pid_) return trace_;
  const std::string_view label = LabelOf(pid);
  labelled_pid_.assign(pid);
  trace_ = 0;
  if (!label.empty()) trace_ = NumberOfTrace(label);
  return trace_;
}

TraceNumber EventSink::NumberOfTrace(std::string_view label) {
  const StringId id = strings_.Intern(label);
  auto& traces = rows_->traces;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (traces[i] == id) return static_cast<TraceNumber>(i) + 1;
  }
  constexpr std::size_t kMostLabels = 4096;  // Ranks are fewer, unless a file is hostile.
  if (traces.size() >= kMostLabels) return 0;
  traces.push_back(id);
  return static_cast<TraceNumber>(traces.size());
}

// Where a merge writes the rank into each event of a device, its GPU is that rank's. Correlations
// are then made unique by the merge, and calls have no rank: only GPUs are kept apart.
TraceNumber EventSink::TraceOfGpu(const RawEvent& event) {
  const TraceNumber labelled = TraceOf(event);
  if (labelled != 0 || !event.Has(Field::kRank)) return labelled;
  const std::int64_t rank = IntegerOr(event, Field::kRank, -1);
  return rank < 0 ? 0 : NumberOfTrace(fmt::format("{}{}", kRankLabel, rank));
}

// An empty text counts as a missing one.
StringId EventSink::Text(const RawEvent& event, Field field) {
  const auto text = event.Text(field);
  return text.empty() ? StringId{} : strings_.Intern(text);
}

LaunchConfigId EventSink::ConfigOf(const RawEvent& event) {
  LaunchConfig config;
  ReadTriple(event.Text(Field::kGrid), config.grid);
  ReadTriple(event.Text(Field::kBlock), config.block);
  config.registers = Narrow(IntegerOr(event, Field::kRegisters, -1), -1);
  config.shared_memory = IntegerOr(event, Field::kSharedMemory, -1);
  config.blocks_per_sm = RealOr(event, Field::kBlocksPerSm, -1);
  config.warps_per_sm = RealOr(event, Field::kWarpsPerSm, -1);
  const double percent = RealOr(event, Field::kOccupancy, -1);
  if (percent >= 0) config.occupancy = percent / 100;
  // Most kernels in a row repeat one of the last few launches.
  auto& configs = rows_->configs;
  for (std::size_t back = 1; back <= configs.size() && back <= 8; ++back) {
    const auto at = configs.size() - back;
    if (configs[at] == config) return LaunchConfigId{static_cast<std::uint32_t>(at)};
  }
  configs.push_back(config);
  return LaunchConfigId{static_cast<std::uint32_t>(configs.size() - 1)};
}

// An event of a process group without a collective's name counts, too. Without a group name the id
// of the group is used (before PyTorch 2.4), then its description.
CollectiveId EventSink::CollectiveOf(const RawEvent& event) {
  const bool of_group = event.Has(Field::kGroupName) || event.Has(Field::kGroupDescription);
  if (!event.Has(Field::kCollective) && !of_group) return {};
  Collective collective;
  collective.name = Text(event, Field::kCollective);
  collective.dtype = Text(event, Field::kCollectiveType);
  collective.description = Text(event, Field::kGroupDescription);
  collective.group = Text(event, Field::kGroupName);
  if (!collective.group.valid()) collective.group = Text(event, Field::kGroupId);
  if (!collective.group.valid()) collective.group = collective.description;
  collective.in_elements = IntegerOr(event, Field::kInElements, -1);
  collective.out_elements = IntegerOr(event, Field::kOutElements, -1);
  collective.group_size = IntegerOr(event, Field::kGroupSize, -1);
  collective.sequence = IntegerOr(event, Field::kCollectiveSequence, -1);
  collective.source_rank = IntegerOr(event, Field::kSourceRank, -1);
  collective.destination_rank = IntegerOr(event, Field::kDestinationRank, -1);
  rows_->collectives.push_back(collective);
  return CollectiveId{static_cast<std::uint32_t>(rows_->collectives.size() - 1)};
}

}  // namespace profgauge::readers::kineto
