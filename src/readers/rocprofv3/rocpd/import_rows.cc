// Kernels, copies, regions and samples of a process.
#include <fmt/format.h>

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>

#include "readers/rocprofv3/rocpd/import.h"

namespace profgauge::readers::rocpd {
namespace {

using rocprofv3::Times;

/// For a record whose event is missing, by the function's name: rocprofv3 writes without foreign
/// keys.
Domain DomainOfFunction(std::string_view name) {
  const auto is_upper = [&](std::size_t at) {
    return name.size() > at && name[at] >= 'A' && name[at] <= 'Z';
  };
  if ((name.starts_with("hip") && is_upper(3)) || name.starts_with("hsa_")) return Domain::kCall;
  return name.starts_with("nccl") && is_upper(4) ? Domain::kRccl : Domain::kOther;
}

}  // namespace

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
      if (!rocprofv3::SetAxis(kernel, axis, scan.Integer(column), scan.Integer(column + 1))) break;
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

// The category of the event decides the kind of a region; without an event its name does.
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

// Kernels; sampling while they run (SPM) lets them run concurrently.
// Counters of a kernel are several rows with one event: each kernel counts once.
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
