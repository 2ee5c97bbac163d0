#include "readers/rocprofv3/rocpd/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "readers/rocprofv3/rocpd/schema.h"
#include "readers/text/json_rows.h"

namespace profgauge::readers::rocpd {
namespace {

/// Prefixes of both tools' names for the data measured here.
Domain DomainNamed(std::string_view category) {
  struct Entry {
    std::string_view start;
    Domain domain;
  };
  static constexpr std::array<Entry, 11> kEntries = {{
      {"HIP_RUNTIME_API", Domain::kCall},
      {"HIP_COMPILER_API", Domain::kCall},
      {"HSA_", Domain::kCall},
      {"rocm_hip_api", Domain::kCall},
      {"rocm_hsa_api", Domain::kCall},
      {"RCCL_API", Domain::kRccl},
      {"rocm_rccl_api", Domain::kRccl},
      {"MARKER_", Domain::kMarker},
      {"rocm_marker_api", Domain::kMarker},
      {"KERNEL_DISPATCH", Domain::kKernel},
      {"rocm_kernel_dispatch", Domain::kKernel},
  }};
  for (const auto& [start, domain] : kEntries) {
    if (category.starts_with(start)) return domain;
  }
  return Domain::kOther;
}

/// The text of an event's `{"message": …}`.
std::string MessageOf(std::string_view json) {
  std::string message;
  ReadJsonObject(json, [&](const JsonRow& row) { message = row.Text("message"); });
  return message;
}

}  // namespace

Result<TableScan> Import::Open(std::string_view base, std::initializer_list<Wanted> wanted,
                               const Only& only) {
  return TableScan::Open(database_, TableOf(base, suffix_), wanted, only);
}

// Tables that rows refer to come before theirs: texts, processes, tracks, agents, symbols, events.
Status Import::Read() {
  PROFGAUGE_CHECK(ReadTexts());
  PROFGAUGE_CHECK(ReadCategories());
  PROFGAUGE_CHECK(ReadProcesses());
  PROFGAUGE_CHECK(ReadThreads());
  PROFGAUGE_CHECK(ReadTracks());
  PROFGAUGE_CHECK(ReadAgents());
  PROFGAUGE_CHECK(ReadSymbols());
  PROFGAUGE_CHECK(ReadEvents());
  PROFGAUGE_CHECK(ReadMessages());
  PROFGAUGE_CHECK(ReadKernels());
  PROFGAUGE_CHECK(ReadCopies());
  PROFGAUGE_CHECK(ReadRegions());
  PROFGAUGE_CHECK(ReadSamples());
  PROFGAUGE_CHECK(CountCounters());
  PROFGAUGE_CHECK(CountOthers());
  rows_.Finish();
  return {};
}

std::string Import::Layout() const {
  return fmt::format("streams by {}; {}; markers named by their {}; {} records without length",
                     streams_are_queues_ ? "queue"
                     : has_tracks_       ? "track"
                                         : "row",
                     has_categories_ ? "a table of categories" : "categories among the strings",
                     by_message_ > 0 ? "text" : "function", without_length_);
}

void Import::Keep(ById<Text>& texts, std::int64_t id, std::string_view text) {
  texts.Add(id, {bytes_.size(), text.size()});
  bytes_ += text;
}

std::string_view Import::TextOf(const ById<Text>& texts, std::int64_t id) const {
  const Text* const text = texts.Find(id);
  return text == nullptr ? std::string_view()
                         : std::string_view(bytes_).substr(text->begin, text->size);
}

// Most are names of operations that nothing here uses: they are no strings of the profile yet.
Status Import::ReadTexts() {
  PROFGAUGE_TRY(auto scan, Open("string", {{{"id"}}, {{"string"}}}));
  if (!scan.Has(0)) return {};
  return scan.ForEach([&] { Keep(texts_, scan.Integer(0), scan.Text(1)); });
}

Status Import::ReadCategories() {
  constexpr std::size_t kMostIds = 512;  // For markers: a writer has four.
  PROFGAUGE_TRY(auto scan, Open("info_category", {{{"id"}}, {{"name"}}}));
  has_categories_ = scan.Has(0);
  const auto note = [&](std::int64_t id, std::string_view name) {
    if (DomainNamed(name) != Domain::kMarker || marker_categories_.size() > kMostIds) return;
    marker_categories_.push_back(id);
  };
  if (has_categories_) {
    return scan.ForEach([&] {
      Keep(categories_, scan.Integer(0), scan.Text(1));
      note(scan.Integer(0), scan.Text(1));
    });
  }
  PROFGAUGE_TRY(auto strings, Open("string", {{{"id"}}, {{"string"}}}));
  if (!strings.Has(0)) return {};
  return strings.ForEach([&] { note(strings.Integer(0), strings.Text(1)); });
}

Domain Import::DomainOf(std::int64_t category) const {
  const std::string_view name = TextOf(has_categories_ ? categories_ : texts_, category);
  return name.empty() ? Domain::kNone : DomainNamed(name);
}

// Not the command line, nor anything else that a user may want to keep.
Status Import::ReadProcesses() {
  PROFGAUGE_TRY(auto scan, Open("info_process", {{{"id"}}, {{"pid"}}, {{"environment"}}}));
  bool is_first = true;
  return scan.ForEach([&] {
    const std::int64_t pid = scan.Integer(1, scan.Integer(0, -1));
    pids_.Add(scan.Integer(0, pid), pid);
    if (is_first) environment_ = EnvironmentOf(scan.Text(2));
    is_first = false;
  });
}

Status Import::ReadThreads() {
  PROFGAUGE_TRY(auto scan, Open("info_thread", {{{"id"}}, {{"pid"}}, {{"tid"}}}));
  if (!scan.Has(0)) return {};
  return scan.ForEach([&] {
    const std::int64_t id = scan.Integer(0);
    threads_.Add(id, {scan.Integer(1, -1), scan.Integer(2, id)});
  });
}

Status Import::ReadTracks() {
  PROFGAUGE_TRY(
      auto scan,
      Open("track",
           {{{"id"}}, {{"pid"}}, {{"tid"}}, {{"agent_id"}}, {{"queue_id"}}, {{"stream_id"}}}));
  if (!scan.Has(0)) return {};
  return scan.ForEach([&] {
    tracks_.Add(scan.Integer(0), {scan.Integer(1, -1), scan.Integer(2, -1), scan.Integer(3, -1),
                                  scan.Integer(4, -1), scan.Integer(5, -1)});
  });
}

Status Import::ReadAgents() {
  PROFGAUGE_TRY(auto scan, Open("info_agent", {{{"id"}},
                                               {{"type"}},
                                               {{"type_index"}},
                                               {{"absolute_index"}},
                                               {{"product_name"}},
                                               {{"generic_name", "name"}},
                                               {{"extdata"}}}));
  if (!scan.Has(0)) return {};
  return scan.ForEach([&] {
    if (scan.Text(1) != "GPU") return;
    // rocprof-sys of ROCm 7.0 leaves the description empty.
    std::optional<Gpu> gpu;
    ReadJsonObject(scan.Text(6), [&](const JsonRow& agent) { gpu = rocprofv3::GpuOf(agent); });
    if (!gpu) gpu.emplace();
    if (gpu->id < 0) {
      const auto index = scan.IsSet(2) ? std::optional(scan.Integer(2)) : std::nullopt;
      gpu->id = rocprofv3::SmallOf(index, rocprofv3::SmallOf(scan.Integer(3, -1)));
    }
    if (gpu->name.empty()) gpu->name = scan.Text(4).empty() ? scan.Text(5) : scan.Text(4);
    rows_.AddGpu(scan.Integer(0), *std::move(gpu));
  });
}

// Without extdata, which says the same again and is most of the file.
Status Import::ReadSymbols() {
  PROFGAUGE_TRY(auto scan,
                Open("info_kernel_symbol",
                     {{{"id"}}, {{"display_name"}}, {{"kernel_name"}}, {{"arch_vgpr_count"}}}));
  if (!scan.Has(0)) return {};
  return scan.ForEach([&] {
    const std::string_view name = scan.Text(1).empty() ? scan.Text(2) : scan.Text(1);
    if (name.empty()) return;
    rows_.AddSymbol(scan.Integer(0), name, rocprofv3::SmallOf(scan.Integer(3, -1)));
  });
}

// The category of the row before is kept, as events of one kind follow each other.
Status Import::ReadEvents() {
  PROFGAUGE_TRY(auto scan, Open("event", {{{"id"}}, {{"category_id"}}, {{"stack_id"}}}));
  if (!scan.Has(0)) return {};
  std::int64_t last = -1;
  Domain domain = Domain::kNone;
  return scan.ForEach([&] {
    const std::int64_t category = scan.Integer(1, -1);
    if (category != last) domain = DomainOf(category);
    last = category;
    events_.Add(scan.Integer(0), {scan.Integer(2, 0), domain});
  });
}

Status Import::ReadMessages() {
  if (marker_categories_.empty()) return {};
  PROFGAUGE_TRY(const auto all, Open("event", {{{"id"}}, {{"category_id"}}, {{"extdata"}}}));
  if (!all.Has(0) || !all.Has(1) || !all.Has(2)) return {};
  PROFGAUGE_TRY(auto scan,
                Open("event", {{{"id"}}, {{"extdata"}}}, {"category_id", marker_categories_}));
  return scan.ForEach([&] {
    if (scan.Text(1) == "{}") return;
    const std::string message = MessageOf(scan.Text(1));
    if (!message.empty()) Keep(messages_, scan.Integer(0), message);
  });
}

const Import::Event& Import::EventOf(const TableScan& scan, std::size_t column) const {
  static constexpr Event kNone;
  const Event* const event = scan.IsSet(column) ? events_.Find(scan.Integer(column)) : nullptr;
  return event == nullptr ? kNone : *event;
}

const Import::Track* Import::TrackOf(const TableScan& scan, std::size_t column) const {
  return scan.IsSet(column) ? tracks_.Find(scan.Integer(column)) : nullptr;
}

// By rows of the tables, which may be missing: then their numbers are taken for the system's.
ThreadId Import::ThreadOf(std::int64_t process, std::int64_t thread) {
  const auto [at, is_new] = known_threads_.try_emplace({process, thread});
  if (!is_new) return at->second;
  const Thread* const known = threads_.Find(thread);
  if (known != nullptr && process < 0) process = known->process;
  const std::int64_t* const pid = pids_.Find(process);
  at->second = builder_.AddThread(std::to_string(pid == nullptr ? process : *pid),
                                  std::to_string(known == nullptr ? thread : known->number));
  return at->second;
}

}  // namespace profgauge::readers::rocpd
