// Tracks of the host: threads, calls of the operating system, and cores.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/time/breakdown.h"
#include "model/host_cores.h"
#include "model/tables.h"
#include "report/timeline_builder.h"
#include "report/timeline_tracks.h"

namespace profgauge::report {
namespace {

// Ranges that the breakdown counts as nothing are annotations.
Category ShownCategory(Category category) {
  return category == Category::kOther ? Category::kAnnotation : category;
}

std::string GroupOf(TrackType type) {
  if (type == TrackType::kPython) return "Python";
  if (type == TrackType::kOs) return "System calls";
  if (type == TrackType::kSample) return "Sampled call stacks";
  return type == TrackType::kWaiting ? "Waiting" : "Host threads";
}

}  // namespace

// Marks without length are kept whatever the cut is: they are few, and programs write them to be
// found.
void TimelineBuilder::AddThreads() {
  std::vector<Events> threads(profile_->threads.size());
  const HostTable& host = profile_->host;
  const std::vector<Category> categories = analysis::time::CategoriesOfHost(*profile_);
  for (std::size_t row = 0; row < host.size(); ++row) {
    const bool is_moment = host.duration[row] == 0 && host.kind[row] == HostKind::kAnnotation;
    if (!host.thread[row].valid()) continue;
    if (!is_moment && !cut_.KeepsHost(host.start[row], host.duration[row])) continue;
    TimelineEvent event{host.start[row], host.duration[row]};
    event.kind =
        kinds_.Find(*profile_, {host.name[row], ShownCategory(categories[row]), DetailKey(row)},
                    [&](Timeline::Kind& kind) { kind.detail = DetailOf(row); });
    event.of = Of::kHost;
    event.row = static_cast<std::uint32_t>(row);
    threads[host.thread[row].value].push_back(event);
  }
  const ApiTable& api = profile_->api;
  for (std::size_t row = 0; row < api.size(); ++row) {
    if (!api.thread[row].valid() || !cut_.KeepsHost(api.start[row], api.duration[row])) continue;
    TimelineEvent event{api.start[row], api.duration[row]};
    event.kind = kinds_.Find(*profile_, {api.name[row], Category::kRuntime});
    event.of = Of::kCall;
    event.row = static_cast<std::uint32_t>(row);
    threads[api.thread[row].value].push_back(event);
  }
  AddByThread(threads, TrackType::kThread);
  std::vector<Events> stacks(profile_->threads.size());
  const PythonTable& python = profile_->python;
  for (std::size_t row = 0; row < python.size(); ++row) {
    if (!python.thread[row].valid() || !cut_.KeepsHost(python.start[row], python.duration[row])) {
      continue;
    }
    TimelineEvent event{python.start[row], python.duration[row]};
    event.kind = kinds_.Find(*profile_, {python.name[row], Category::kPython});
    stacks[python.thread[row].value].push_back(event);
  }
  AddByThread(stacks, TrackType::kPython);
  AddOsCalls();
  AddCpu();
}

void TimelineBuilder::AddOsCalls() {
  std::vector<Events> threads(profile_->threads.size());
  const OsTable& os = profile_->os;
  for (std::size_t row = 0; row < os.size(); ++row) {
    if (!os.thread[row].valid() || !cut_.KeepsHost(os.start[row], os.duration[row])) continue;
    TimelineEvent event{os.start[row], os.duration[row]};
    event.kind = kinds_.Find(*profile_, {os.name[row], Category::kOther});
    threads[os.thread[row].value].push_back(event);
  }
  AddByThread(threads, TrackType::kOs);
}

void TimelineBuilder::AddCpu() {
  if (profile_->cpu == nullptr) return;
  std::map<std::int32_t, Events> cores;
  std::vector<Events> waiting(profile_->threads.size());
  for (const CpuSpan& span : profile_->cpu->spans) {
    if (!span.name.valid() || !cut_.KeepsHost(span.start, span.duration)) continue;
    TimelineEvent event{span.start, span.duration};
    event.kind = kinds_.Find(*profile_, {span.name, Category::kOther});
    (span.core >= 0 ? cores[span.core] : waiting[span.thread.value]).push_back(event);
  }
  AddByThread(waiting, TrackType::kWaiting);
  auto samples = SampleEvents(*profile_, cut_, kinds_);
  AddByThread(samples, TrackType::kSample);
  // A row for each object of the host, used or not, if all of them fit.
  const std::int32_t of_host = cores.empty() ? 0 : CoresOfHost(*profile_);
  constexpr std::int32_t kMostIdleCores = 64;
  for (std::int32_t core = 0; core < of_host && of_host <= kMostIdleCores; ++core) {
    cores.try_emplace(core);
  }
  std::size_t drawn = 0;
  for (auto& [core, events] : cores) {
    if (++drawn > kMostDrawnTracks) {
      Leave("cores", events);
      continue;
    }
    std::sort(events.begin(), events.end(),
              [](const auto& a, const auto& b) { return a.start < b.start; });
    Timeline::Track track;
    track.name = fmt::format("core {}", core);
    track.group = "Cores";
    track.type = TrackType::kCore;
    if (events.empty()) {
      tracks_.AddEmpty(std::move(track));
    } else {
      tracks_.Add(std::move(track), std::move(events));
    }
  }
}

std::string_view TimelineBuilder::AttachedTo(std::size_t row) const {
  const std::string_view text = profile_->Name(profile_->host.concrete_inputs[row]);
  const bool is_attached =
      text.starts_with("category ") || text.starts_with("color ") || text.starts_with("payload ");
  return is_attached || !IsOp(row) ? text : std::string_view{};
}

std::uint32_t TimelineBuilder::DetailKey(std::size_t row) const {
  const HostTable& host = profile_->host;
  const std::uint32_t key = (IsOp(row) ? host.input_shapes[row] : host.domain[row]).value;
  if (AttachedTo(row).empty()) return key;
  constexpr std::uint32_t kSpread = 2'654'435'761;  // Knuth's, for keys of two parts.
  return host.concrete_inputs[row].value * kSpread ^ key;
}

std::string TimelineBuilder::DetailOf(std::size_t row) const {
  const HostTable& host = profile_->host;
  const std::string_view own =
      profile_->Name(IsOp(row) ? host.input_shapes[row] : host.domain[row]);
  std::string detail = IsOp(row) || own.empty() ? std::string(own) : fmt::format("domain {}", own);
  const std::string_view attached = AttachedTo(row);
  if (!attached.empty()) detail += fmt::format("{}{}", detail.empty() ? "" : ", ", attached);
  return detail;
}

// Hundreds of threads do nothing of interest. The busiest are drawn, the others folded, and beyond
// a bound left out and counted.
void TimelineBuilder::AddByThread(std::vector<Events>& threads, TrackType type) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    if (!threads[i].empty()) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return threads[a].size() > threads[b].size();
  });
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (at >= kMostDrawnTracks) {
      Leave("threads", threads[order[at]]);
      continue;
    }
    const Thread& thread = profile_->threads[order[at]];
    Timeline::Track track;
    track.name = thread.name.empty() ? fmt::format("thread {}", thread.tid) : thread.name;
    track.group = GroupOf(type);
    track.type = type;
    if (order.size() > kMostTracks && at >= kBusiestTracks) {
      track.section =
          fmt::format("{} more threads", std::min(order.size(), kMostDrawnTracks) - kBusiestTracks);
    }
    tracks_.Add(std::move(track), std::move(threads[order[at]]));
  }
}

}  // namespace profgauge::report
