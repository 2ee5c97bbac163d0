#include "readers/rocpd/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <iterator>

#include "readers/rocpd/schema.h"
#include "readers/text/json_rows.h"

namespace profgauge::readers::rocpd {
namespace {

using rocprofv3::Times;

/// Both tools' names of what is measured here, by how they begin.
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

/// Of a record whose event is not there, by the function's name: rocprofv3 writes without foreign
/// keys.
Domain DomainOfFunction(std::string_view name) {
  const auto is_upper = [&](std::size_t at) {
    return name.size() > at && name[at] >= 'A' && name[at] <= 'Z';
  };
  if ((name.starts_with("hip") && is_upper(3)) || name.starts_with("hsa_")) return Domain::kCall;
  return name.starts_with("nccl") && is_upper(4) ? Domain::kRccl : Domain::kOther;
}

/// The text of an event's `{"message": …}`.
std::string MessageOf(std::string_view json) {
  std::string message;
  ReadJsonObject(json, [&](const JsonRow& row) { message = row.Text("message"); });
  return message;
}

}  // namespace

Result<TableScan> Import::Open(std::string_view base, std::initializer_list<Wanted> wanted,
                               std::string_view filter) {
  return TableScan::Open(database_, TableOf(base, suffix_), wanted, filter);
}

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
  constexpr std::size_t kMostBytes = 4096;  // Of markers' ids: a writer has four.
  PROFGAUGE_TRY(auto scan, Open("info_category", {{{"id"}}, {{"name"}}}));
  has_categories_ = scan.Has(0);
  const auto note = [&](std::int64_t id, std::string_view name) {
    if (DomainNamed(name) != Domain::kMarker || marker_categories_.size() > kMostBytes) return;
    marker_categories_ += (marker_categories_.empty() ? "" : ", ") + std::to_string(id);
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
  PROFGAUGE_TRY(auto scan, Open("event", {{{"id"}}, {{"extdata"}}},
                                "category_id in (" + marker_categories_ + ")"));
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

Status Import::ReadKernels() {
  enum : std::size_t {
    kStart,
    kEnd,
    kKernel,
    kAgent,
    kStream,
    kQueue,
    kTrack,
    kEvent,
    kShared,
    kSizes
  };
  PROFGAUGE_TRY(auto scan, Open("kernel_dispatch", {{{"start"}},
                                                    {{"end"}},
                                                    {{"kernel_id"}},
                                                    {{"agent_id"}},
                                                    {{"stream_id"}},
                                                    {{"queue_id"}},
                                                    {{"track_id"}},
                                                    {{"event_id"}},
                                                    {{"group_segment_size"}},
                                                    {{"workgroup_size_x"}},
                                                    {{"grid_size_x"}},
                                                    {{"workgroup_size_y"}},
                                                    {{"grid_size_y"}},
                                                    {{"workgroup_size_z"}},
                                                    {{"grid_size_z"}}}));
  has_tracks_ = scan.Has(kTrack) && !scan.Has(kAgent);
  return scan.ForEach([&] {
    builder_.log().Add(Counter::events_read);
    const Track* const track = TrackOf(scan, kTrack);
    rocprofv3::Kernel kernel;
    kernel.start = scan.Integer(kStart);
    kernel.end = scan.Integer(kEnd);
    kernel.kernel = scan.Integer(kKernel, -1);
    kernel.agent = scan.Integer(kAgent, track ? track->agent : -1);
    kernel.stream = scan.Integer(kStream, track ? track->stream : -1);
    if (kernel.stream < 0) {  // Streams share queues.
      kernel.stream = scan.Integer(kQueue, track ? track->queue : -1);
      builder_.StreamsMayOverlap();
      streams_are_queues_ = true;
    }
    kernel.correlation = EventOf(scan, kEvent).stack;
    kernel.shared_memory = scan.Integer(kShared, -1);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t column = kSizes + 2 * axis;
      if (!SetAxis(kernel, axis, scan.Integer(column), scan.Integer(column + 1))) break;
    }
    rows_.Add(kernel);
  });
}

Status Import::ReadCopies() {
  enum : std::size_t { kStart, kEnd, kName, kFrom, kTo, kStream, kTrack, kSize, kEvent };
  PROFGAUGE_TRY(auto scan, Open("memory_copy", {{{"start"}},
                                                {{"end"}},
                                                {{"name_id"}},
                                                {{"src_agent_id"}},
                                                {{"dst_agent_id"}},
                                                {{"stream_id"}},
                                                {{"track_id"}},
                                                {{"size"}},
                                                {{"event_id"}}}));
  return scan.ForEach([&] {
    builder_.log().Add(Counter::events_read);
    const Track* const track = TrackOf(scan, kTrack);
    rocprofv3::Copy copy;
    copy.start = scan.Integer(kStart);
    copy.end = scan.Integer(kEnd);
    copy.from = scan.Integer(kFrom, -1);
    copy.to = scan.Integer(kTo, -1);
    copy.stream = scan.Integer(kStream, track ? track->stream : -1);
    copy.correlation = EventOf(scan, kEvent).stack;
    copy.bytes = scan.Integer(kSize, -1);
    const std::int64_t id = scan.Integer(kName, -1);
    const std::string_view name = NameOf(id);
    rows_.CountName(name, [&] { return fmt::format("string {} of a copy", id); });
    rows_.Add(copy, name);
  });
}

Status Import::ReadRegions() {
  enum : std::size_t { kStart, kEnd, kName, kEvent, kProcess, kThread, kTrack };
  PROFGAUGE_TRY(auto scan, Open("region", {{{"start"}},
                                           {{"end"}},
                                           {{"name_id"}},
                                           {{"event_id"}},
                                           {{"pid"}},
                                           {{"tid"}},
                                           {{"track_id"}}}));
  return scan.ForEach([&] {
    builder_.log().Add(Counter::events_read);
    const auto times = rows_.TimesOf(scan.Integer(kStart), scan.Integer(kEnd));
    if (!times) return;
    const Track* const track = TrackOf(scan, kTrack);
    Place(*times, scan.Integer(kEvent, -1), NameOf(scan.Integer(kName, -1)),
          {scan.Integer(kProcess, track ? track->process : -1),
           scan.Integer(kThread, track ? track->thread : -1)});
  });
}

// Records that end when they begin; the rest are counters of other tools, which have no domain
// here.
Status Import::ReadSamples() {
  enum : std::size_t { kTime, kTrack, kEvent, kName };
  PROFGAUGE_TRY(auto scan,
                Open("sample", {{{"timestamp"}}, {{"track_id"}}, {{"event_id"}}, {{"name_id"}}}));
  return scan.ForEach([&] {
    builder_.log().Add(Counter::events_read);
    const Domain domain = EventOf(scan, kEvent).domain;
    if (!IsMeasured(domain)) {
      return builder_.log().Add(Counter::events_ignored_kind);
    }
    const auto times = rows_.TimesOf(scan.Integer(kTime), scan.Integer(kTime));
    if (!times) return;
    ++without_length_;
    const Track* const track = TrackOf(scan, kTrack);
    Place(*times, scan.Integer(kEvent, -1), NameOf(scan.Integer(kName, -1)),
          {track ? track->process : -1, track ? track->thread : -1});
  });
}

std::string_view Import::MarkerText(std::int64_t event, std::string_view name) const {
  // Pausing, naming threads and the like are calls without a range.
  const bool is_function = name.starts_with("roctx");
  if (is_function && (name.find("Name") != name.npos || name.find("Profiler") != name.npos)) {
    return {};
  }
  const std::string_view message = TextOf(messages_, event);
  const std::string_view text = !message.empty() ? message : is_function ? "" : name;
  return text == "roctxGetThreadId" || text.starts_with("MARKER_") ? std::string_view() : text;
}

void Import::Place(const Times& times, std::int64_t event, std::string_view name,
                   std::pair<std::int64_t, std::int64_t> thread) {
  const Event* const known = events_.Find(event);
  Domain domain = known == nullptr ? Domain::kNone : known->domain;
  if (domain == Domain::kNone) domain = DomainOfFunction(name);
  if (!IsMeasured(domain)) return builder_.log().Add(Counter::events_ignored_kind);
  if (domain == Domain::kMarker) {
    const std::string_view text = MarkerText(event, name);
    if (text.empty()) return builder_.log().Add(Counter::events_ignored_kind);
    by_message_ += text == name ? 1 : 0;
    return rows_.AddRange(times, text, ThreadOf(thread.first, thread.second));
  }
  rows_.CountName(name, [&] { return fmt::format("event {}", event); });
  const ThreadId on = ThreadOf(thread.first, thread.second);
  if (domain == Domain::kRccl) return rows_.AddRcclCall(times, name, on);
  rows_.AddCall(times, name, on, known == nullptr ? 0 : known->stack);
}

// Of kernels; what is sampled while they run (SPM) lets them run side by side.
Status Import::CountCounters() {
  PROFGAUGE_TRY(auto scan, Open("pmc_event", {{{"event_id"}}, {{"sample_id"}}}));
  boost::unordered_flat_set<std::int64_t> kernels;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    if (scan.IsSet(0) && !scan.IsSet(1) && EventOf(scan, 0).domain == Domain::kKernel) {
      kernels.insert(scan.Integer(0));
    }
  }));
  rows_.AddCounted(kernels.size());
  return {};
}

// Allocations of the runtime are no allocator's.
Status Import::CountOthers() {
  PROFGAUGE_TRY(auto scan, Open("memory_allocate", {{{"start"}}}));
  return scan.ForEach([&] {
    builder_.log().Add(Counter::events_read);
    builder_.log().Add(Counter::events_ignored_kind);
  });
}

}  // namespace profgauge::readers::rocpd
