#include "report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/kernel_class.h"
#include "analysis/op_tree.h"
#include "base/format.h"
#include "report/timeline_counters.h"

namespace profgauge::report {
namespace {

constexpr std::uint32_t kNone = 0xffff'ffff;

struct Event {
  Ns start = 0, duration = 0;
  std::uint32_t kind = 0;
  std::uint32_t api = kNone;     // the row of ApiTable that it is
  std::uint32_t launch = kNone;  // the row of ApiTable that launched it
  Ns end() const { return start + duration; }
};
using Lane = std::vector<Event>;

// Numbers of kinds: the same words share one over all ranks.
class Kinds {
 public:
  explicit Kinds(std::vector<Timeline::Kind>& kinds) : kinds_(kinds) {}

  /// The strings of another profile follow.
  void StartProfile() { known_.clear(); }

  std::uint32_t Find(const Profile& profile, StringId name, std::string_view category,
                     std::uint64_t detail_key, const std::function<std::string()>& detail) {
    const auto key = std::make_tuple(name.value, category, detail_key);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    Timeline::Kind kind{std::string(profile.Name(name)), std::string(category), detail()};
    const auto words = std::make_tuple(kind.name, kind.category, kind.detail);
    const auto [slot, is_new] =
        numbers_.try_emplace(words, static_cast<std::uint32_t>(kinds_.size()));
    if (is_new) kinds_.push_back(std::move(kind));
    known_.emplace(key, slot->second);
    return slot->second;
  }

 private:
  std::vector<Timeline::Kind>& kinds_;
  std::map<std::tuple<std::uint32_t, std::string_view, std::uint64_t>, std::uint32_t> known_;
  std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> numbers_;
};

// What is shorter is left out.
struct Cut {
  Ns device = 0, host = 0;
  std::size_t device_lost = 0, host_lost = 0;
};

// The shortest duration of the `keep` longest; 0 when there are no more than that.
Ns ShortestKept(std::vector<Ns> durations, std::size_t keep) {
  if (durations.size() <= keep) return 0;
  if (keep == 0) return *std::max_element(durations.begin(), durations.end()) + 1;
  const auto at = durations.begin() + static_cast<std::ptrdiff_t>(keep - 1);
  std::nth_element(durations.begin(), at, durations.end(), std::greater<>());
  return *at + 1;  // ties must not overrun the budget
}

Cut CutTo(const Profile& profile, std::size_t budget) {
  Cut cut;
  std::vector<Ns> host;
  for (const auto* column :
       {&profile.host.duration, &profile.api.duration, &profile.python.duration}) {
    host.insert(host.end(), column->begin(), column->end());
  }
  const auto& device = profile.device.duration;
  cut.device = ShortestKept(device, budget);
  cut.host = ShortestKept(host, budget - std::min(budget, device.size()));
  const auto lost = [](const std::vector<Ns>& durations, Ns least) {
    return static_cast<std::size_t>(std::count_if(durations.begin(), durations.end(),
                                                  [&](Ns duration) { return duration < least; }));
  };
  cut.device_lost = lost(device, cut.device);
  cut.host_lost = lost(host, cut.host);
  return cut;
}

// Spreads events, sorted by start with the longest first, over lanes: each as deep as it is nested,
// deeper where a neighbour overlaps without nesting.
std::vector<Lane> Spread(const std::vector<Event>& events) {
  std::vector<Lane> lanes;
  std::vector<Ns> open;  // ends of what contains the event
  for (const Event& event : events) {
    while (!open.empty() && open.back() <= event.start) open.pop_back();
    std::size_t depth = open.size();
    while (depth < lanes.size() && !lanes[depth].empty() &&
           lanes[depth].back().end() > event.start) {
      ++depth;
    }
    if (depth >= lanes.size()) lanes.resize(depth + 1);
    lanes[depth].push_back(event);
    open.push_back(event.end());
  }
  return lanes;
}

void SortForSpread(std::vector<Event>& events) {
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.start != b.start ? a.start < b.start : a.duration > b.duration;
  });
}

std::string_view HostCategory(const Profile& profile, std::size_t row) {
  if (IsDataLoaderRange(profile.Name(profile.host.name[row]))) return "dataloader";
  switch (profile.host.kind[row]) {
    case HostKind::kOp:
      return "cpu";
    case HostKind::kPython:
      return "python";
    default:
      return "annotation";
  }
}

std::string ConfigText(const Profile& profile, LaunchConfigId id) {
  if (!id.valid()) return {};
  const LaunchConfig& config = profile.launch_configs[id.value];
  std::string out;
  if (config.grid[0] > 0) {
    out = fmt::format("grid {}×{}×{}, block {}×{}×{}", config.grid[0], config.grid[1],
                      config.grid[2], config.block[0], config.block[1], config.block[2]);
  }
  if (config.registers >= 0) out += fmt::format(", {} registers", config.registers);
  if (config.shared_memory > 0) {
    out += fmt::format(", {} shared", FormatBytes(static_cast<double>(config.shared_memory)));
  }
  return out.starts_with(", ") ? out.substr(2) : out;
}

class Builder {
 public:
  Builder(Timeline& timeline, const Knowledge& knowledge)
      : timeline_(timeline), kinds_(timeline.kinds), knowledge_(knowledge) {}

  void AddRank(const Profile& profile, std::int64_t rank, const Cut& cut) {
    profile_ = &profile;
    rank_ = rank;
    cut_ = cut;
    kinds_.StartProfile();
    calls_.assign(profile.api.size(), Timeline::kNoLink);
    const std::size_t first = timeline_.start.size();
    launches_.clear();
    AddStreams();
    AddThreads();
    AddCounters(profile, rank, timeline_);
    for (std::size_t i = first; i < timeline_.start.size(); ++i) {
      const std::uint32_t call = launches_[i - first];
      timeline_.link.push_back(call == kNone ? Timeline::kNoLink : calls_[call]);
    }
  }

 private:
  void AddTrack(std::string name, std::string group, std::string type,
                const std::vector<Lane>& lanes) {
    const auto track = static_cast<std::uint32_t>(timeline_.tracks.size());
    timeline_.tracks.push_back({std::move(name), std::move(group), std::move(type), rank_});
    for (std::uint32_t depth = 0; depth < lanes.size(); ++depth) {
      const auto begin = static_cast<std::uint32_t>(timeline_.start.size());
      for (const Event& event : lanes[depth]) {
        if (event.api != kNone) {
          calls_[event.api] = static_cast<std::uint32_t>(timeline_.start.size());
        }
        timeline_.start.push_back(event.start);
        timeline_.duration.push_back(event.duration);
        timeline_.kind.push_back(event.kind);
        launches_.push_back(event.launch);
      }
      timeline_.lanes.push_back(
          {track, depth, begin, static_cast<std::uint32_t>(timeline_.start.size())});
    }
  }

  std::string GpuName(std::int32_t id) const { return TimelineGpuName(*profile_, id); }

  void AddStreams() {
    const DeviceTable& device = profile_->device;
    const auto classes = ClassifyDevice(*profile_, knowledge_);
    std::map<std::pair<std::int32_t, std::int64_t>, std::vector<Event>> streams;
    for (std::size_t row = 0; row < device.size(); ++row) {
      if (device.duration[row] < cut_.device) continue;
      Event event{device.start[row], device.duration[row]};
      event.kind = DeviceKindOf(row, classes[row]);
      if (device.launch[row].valid()) event.launch = device.launch[row].value;
      streams[{device.gpu[row], device.stream[row]}].push_back(event);
    }
    std::map<std::pair<std::int32_t, std::int64_t>, std::vector<Event>> ranges;
    const DeviceRangeTable& spans = profile_->device_ranges;
    for (std::size_t row = 0; row < spans.size(); ++row) {
      Event event{spans.start[row], spans.duration[row]};
      event.kind = kinds_.Find(*profile_, spans.name[row], "annotation", 0, [] { return ""; });
      ranges[{spans.gpu[row], spans.stream[row]}].push_back(event);
    }
    for (auto& [place, events] : streams) {
      SortForSpread(events);
      const auto named = profile_->stream_names.find(place);
      const std::string name = named == profile_->stream_names.end()
                                   ? fmt::format("stream {}", place.second)
                                   : named->second;
      AddTrack(name, GpuName(place.first), "stream", Spread(events));
      if (const auto found = ranges.find(place); found != ranges.end()) {
        SortForSpread(found->second);
        AddTrack(name + ", ranges", GpuName(place.first), "annotation", Spread(found->second));
      }
    }
  }

  std::uint32_t DeviceKindOf(std::size_t row, const KernelClass& verdict) {
    const DeviceTable& device = profile_->device;
    std::string_view category =
        verdict.tensor_core == Tri::kYes ? "tensor_core_kernel" : "other_kernel";
    if (verdict.collective) category = "communication";
    if (device.kind[row] == DeviceKind::kMemcpy) category = "memcpy";
    if (device.kind[row] == DeviceKind::kMemset) category = "memset";
    const std::int64_t bytes = device.bytes[row];
    if (device.kind[row] != DeviceKind::kKernel) {
      return kinds_.Find(
          *profile_, device.name[row], category, static_cast<std::uint64_t>(bytes),
          [&] { return bytes < 0 ? std::string() : FormatBytes(static_cast<double>(bytes)); });
    }
    const LaunchConfigId config = device.config[row];
    return kinds_.Find(*profile_, device.name[row], category, config.value,
                       [&] { return ConfigText(*profile_, config); });
  }

  void AddThreads() {
    std::vector<std::vector<Event>> threads(profile_->threads.size());
    const HostTable& host = profile_->host;
    for (std::size_t row = 0; row < host.size(); ++row) {
      if (host.duration[row] < cut_.host || !host.thread[row].valid()) continue;
      Event event{host.start[row], host.duration[row]};
      const StringId shapes = host.input_shapes[row];
      event.kind = kinds_.Find(*profile_, host.name[row], HostCategory(*profile_, row),
                               shapes.value, [&] { return std::string(profile_->Name(shapes)); });
      threads[host.thread[row].value].push_back(event);
    }
    const ApiTable& api = profile_->api;
    for (std::size_t row = 0; row < api.size(); ++row) {
      if (api.duration[row] < cut_.host || !api.thread[row].valid()) continue;
      Event event{api.start[row], api.duration[row]};
      event.kind = kinds_.Find(*profile_, api.name[row], "runtime", 0, [] { return ""; });
      event.api = static_cast<std::uint32_t>(row);
      threads[api.thread[row].value].push_back(event);
    }
    AddByThread(threads, "thread");
    std::vector<std::vector<Event>> stacks(profile_->threads.size());
    const PythonTable& python = profile_->python;
    for (std::size_t row = 0; row < python.size(); ++row) {
      if (python.duration[row] < cut_.host || !python.thread[row].valid()) continue;
      Event event{python.start[row], python.duration[row]};
      event.kind = kinds_.Find(*profile_, python.name[row], "python", 0, [] { return ""; });
      stacks[python.thread[row].value].push_back(event);
    }
    AddByThread(stacks, "python");
  }

  // Busiest threads first: the one that launches the work is what most readers look for.
  void AddByThread(std::vector<std::vector<Event>>& threads, const std::string& type) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < threads.size(); ++i) {
      if (!threads[i].empty()) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return threads[a].size() > threads[b].size();
    });
    for (const std::size_t i : order) {
      SortForSpread(threads[i]);
      const Thread& thread = profile_->threads[i];
      const std::string name =
          thread.name.empty() ? fmt::format("thread {}", thread.tid) : thread.name;
      AddTrack(name, type == "python" ? "Python" : "Host threads", type, Spread(threads[i]));
    }
  }

  Timeline& timeline_;
  Kinds kinds_;
  const Knowledge& knowledge_;
  const Profile* profile_ = nullptr;
  std::int64_t rank_ = 0;
  Cut cut_;
  std::vector<std::uint32_t> calls_;     // row of ApiTable -> event
  std::vector<std::uint32_t> launches_;  // event of this rank -> row of ApiTable
};

std::string LeftOutText(const std::vector<Cut>& cuts) {
  std::size_t device = 0, host = 0;
  Ns device_least = 0, host_least = 0;
  for (const Cut& cut : cuts) {
    device += cut.device_lost;
    host += cut.host_lost;
    device_least = std::max(device_least, cut.device);
    host_least = std::max(host_least, cut.host);
  }
  const auto part = [](std::size_t count, std::string_view what, Ns least) {
    return fmt::format("{} {} shorter than {}", FormatCount(static_cast<std::int64_t>(count)), what,
                       FormatDuration(static_cast<double>(least)));
  };
  std::string out;
  if (device > 0) out = part(device, "device events", device_least);
  if (host > 0) out += (out.empty() ? "" : ", ") + part(host, "host events", host_least);
  return out;
}

}  // namespace

Timeline BuildTimeline(std::span<const Profile> ranks, const TimelineOptions& options) {
  Timeline timeline;
  if (options.mode == TimelineOptions::Mode::kOff) {
    timeline.left_out = "all events (--timeline off)";
    return timeline;
  }
  if (ranks.empty()) return timeline;
  Builder builder(timeline, options.knowledge);
  std::vector<Cut> cuts;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    cuts.push_back(options.mode == TimelineOptions::Mode::kFull
                       ? Cut{}
                       : CutTo(ranks[i], options.budget / ranks.size()));
    const std::int64_t recorded = ranks[i].distributed.rank;
    builder.AddRank(ranks[i], recorded >= 0 ? recorded : static_cast<std::int64_t>(i), cuts.back());
  }
  timeline.left_out = LeftOutText(cuts);
  return timeline;
}

}  // namespace profgauge::report
