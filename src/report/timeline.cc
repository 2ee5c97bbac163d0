#include "report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/breakdown/breakdown.h"
#include "analysis/classify/kernel_class.h"
#include "base/format.h"
#include "model/host_cores.h"
#include "model/neuron.h"
#include "model/neuron_summary.h"
#include "model/tables.h"
#include "report/labels.h"
#include "report/timeline_budget.h"
#include "report/timeline_counters.h"
#include "report/timeline_tracks.h"

namespace profgauge::report {
namespace {

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

// Distinguishes kinds of critical path steps from kinds of other events.
constexpr std::uint64_t kPathKey = std::uint64_t{1} << 40;

Category CategoryOfPart(const analysis::simulation::PathMove& part) {
  switch (part.kind) {
    case PathKind::kHost:
      return Category::kCpu;
    case PathKind::kLaunch:
    case PathKind::kSync:
      return Category::kRuntime;
    case PathKind::kKernel:
      return part.uses_tensor_core ? Category::kTensorCoreKernel : Category::kOtherKernel;
    case PathKind::kCopy:
      return Category::kMemcpy;
    case PathKind::kTransfer:
    case PathKind::kWaiting:
      return Category::kCommunication;
    case PathKind::kDataLoader:
      return Category::kDataLoader;
    case PathKind::kUnknown:
      break;
  }
  return Category::kOther;
}

// Key for events of GPUs that are not drawn, whatever the term for GPUs is.
constexpr std::string_view kGpusText = "GPUs";

Ns Sum(const std::vector<TimelineEvent>& events) {
  Ns sum = 0;
  for (const TimelineEvent& event : events) sum += event.duration;
  return sum;
}

}  // namespace

void TimelineBuilder::AddRank(const Profile& profile, std::int64_t rank, const TimelineCut& cut,
                              const std::vector<analysis::simulation::PathMove>& path) {
  profile_ = &profile;
  cut_ = cut;
  path_ = path;
  kinds_.StartProfile();
  tracks_.StartRank(rank);
  AddPath();
  if (profile.neuron != nullptr) {
    if (timeline_.facets.empty()) timeline_.facets = NeuronFacets();
    AddNeuronTracks(profile, cut, kinds_, tracks_);
  } else {
    AddStreams();
  }
  AddThreads();
  AddCounters(profile, rank, cut.device_lost == 0 && undrawn_.empty(), timeline_);
  AddLinks();
  AddBytes();
  if (profile.neuron != nullptr) {
    AddNeuronAmounts(profile, tracks_, timeline_);
    const neuron::Hardware& hardware = profile.neuron->hardware;
    if (hardware.PeakFlops() > 0) {
      timeline_.peak_flops =
          hardware.PeakFlops() * static_cast<double>(neuron::PeakCores(*profile.neuron));
    }
    if (hardware.hbm_bandwidth > 0) timeline_.peak_bandwidth = hardware.hbm_bandwidth;
  }
}

std::string TimelineBuilder::UndrawnText(const std::string& gpus) const {
  std::string out;
  for (const auto& [what, undrawn] : undrawn_) {
    out += fmt::format("{}{} more {} with {} events", out.empty() ? "" : ", ",
                       FormatCount(static_cast<std::int64_t>(undrawn.tracks)),
                       what == kGpusText ? std::string_view(gpus) : what,
                       FormatCount(static_cast<std::int64_t>(undrawn.events)));
  }
  if (idle_cores_ > 0) {
    out += fmt::format("{}{} idle cores", out.empty() ? "" : ", ", FormatCount(idle_cores_));
  }
  return out;
}

void TimelineBuilder::AddPath() {
  Events events;
  std::map<std::tuple<PathKind, bool, std::string_view, std::string_view>, std::uint64_t> known;
  for (std::size_t i = 0; i < path_.size(); ++i) {
    const analysis::simulation::PathMove& part = path_[i];
    const auto [place, is_new] =
        known.try_emplace({part.kind, part.uses_tensor_core, part.name, part.op}, known.size() + 1);
    TimelineEvent event{part.time.start, part.time.length()};
    event.kind = kinds_.Find(*profile_, {StringId(), CategoryOfPart(part), kPathKey, place->second},
                             [&](Timeline::Kind& kind) {
                               kind.name = part.name;
                               kind.detail = InfoOf(part.kind).title;
                               if (!part.op.empty()) kind.detail += fmt::format(" of {}", part.op);
                             });
    event.of = Of::kPath;
    event.row = static_cast<std::uint32_t>(i);
    events.push_back(event);
  }
  Timeline::Track track;
  track.name = "waits for";
  track.group = "Critical path";
  track.type = TrackType::kPath;
  tracks_.Add(std::move(track), std::move(events));
}

void TimelineBuilder::AddStreams() {
  const DeviceTable& device = profile_->device;
  const auto classes = analysis::classify::ClassifyDevice(*profile_, knowledge_);
  std::map<std::int32_t, std::map<std::int64_t, Events>> gpus;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (!cut_.KeepsDevice(device.duration[row])) continue;
    TimelineEvent event{device.start[row], device.duration[row]};
    event.kind = DeviceKindOf(row, analysis::breakdown::CategoryOfDevice(*profile_, classes, row));
    event.of = Of::kDevice;
    event.row = static_cast<std::uint32_t>(row);
    gpus[device.gpu[row]][device.stream[row]].push_back(event);
  }
  std::map<std::pair<std::int32_t, std::int64_t>, Events> ranges;
  const DeviceRangeTable& spans = profile_->device_ranges;
  for (std::size_t row = 0; row < spans.size(); ++row) {
    TimelineEvent event{spans.start[row], spans.duration[row]};
    event.kind = kinds_.Find(*profile_, {spans.name[row], Category::kAnnotation});
    ranges[{spans.gpu[row], spans.stream[row]}].push_back(event);
  }
  const std::vector<std::int32_t> drawn = DrawnGpus(device);
  for (auto& [gpu, streams] : gpus) {
    if (std::binary_search(drawn.begin(), drawn.end(), gpu)) {
      AddGpu(gpu, streams, ranges);
      continue;
    }
    ++undrawn_[kGpusText].tracks;
    for (const auto& [stream, events] : streams) undrawn_[kGpusText].events += events.size();
  }
}

void TimelineBuilder::AddGpu(std::int32_t gpu, std::map<std::int64_t, Events>& streams,
                             std::map<std::pair<std::int32_t, std::int64_t>, Events>& ranges) {
  std::vector<Ns> busy;
  for (const auto& [stream, events] : streams) busy.push_back(Sum(events));
  const std::vector<bool> alone = BusiestTracks(busy);
  const std::vector<bool> drawn = Busiest(busy, kMostDrawnTracks);
  Timeline::Track track;
  track.group = GpuName(gpu);
  track.device = gpu;
  for (const bool chosen : {true, false}) {
    if (!chosen && streams.size() > kMostTracks) {
      track.section = fmt::format("{} more streams",
                                  std::min(streams.size(), kMostDrawnTracks) - kBusiestTracks);
    }
    std::size_t index = 0;
    for (auto& [stream, events] : streams) {
      const std::size_t at = index++;
      if (alone[at] != chosen) continue;
      if (!drawn[at]) {
        Leave("streams", events);
        continue;
      }
      const auto named = profile_->stream_names.find({gpu, stream});
      track.name =
          named == profile_->stream_names.end() ? fmt::format("stream {}", stream) : named->second;
      track.type = TrackType::kStream;
      tracks_.Add(track, std::move(events));
      const auto found = ranges.find({gpu, stream});
      if (found == ranges.end()) continue;
      track.name += ", ranges";
      track.type = TrackType::kAnnotation;
      tracks_.Add(track, std::move(found->second));
    }
  }
}

std::uint32_t TimelineBuilder::DeviceKindOf(std::size_t row, Category category) {
  const DeviceTable& device = profile_->device;
  const LaunchConfigId config = device.config[row];
  return kinds_.Find(
      *profile_, {device.name[row], category, config.value}, [&](Timeline::Kind& kind) {
        kind.detail = ConfigText(*profile_, config);
        if (!config.valid()) return;
        kind.blocks = std::max(0.0, profile_->launch_configs[config.value].blocks_per_sm);
      });
}

void TimelineBuilder::Leave(std::string_view what, const Events& events) {
  ++undrawn_[what].tracks;
  undrawn_[what].events += events.size();
}

// Events are sorted into lanes, so their numbers are no rows of the profile. First, every event
// writes its number at its row; then each looks up the number of its launch or container:
//
//     timeline event   40: call, row 7      calls[7] = 40
//                      95: kernel, row 3    launched by call 7: link[95] = 40
//
// If the launch was omitted, the kernel has no link.
void TimelineBuilder::AddLinks() {
  std::vector<std::uint32_t> calls(profile_->api.size(), Timeline::kNoLink);
  std::vector<std::uint32_t> hosts(path_.empty() ? 0 : profile_->host.size(), Timeline::kNoLink);
  std::vector<std::uint32_t> works(path_.empty() ? 0 : profile_->device.size(), Timeline::kNoLink);
  for (std::size_t i = 0; i < tracks_.rows().size(); ++i) {
    const TimelineRow& event = tracks_.rows()[i];
    const auto number = static_cast<std::uint32_t>(tracks_.first() + i);
    if (event.of == Of::kCall) calls[event.row] = number;
    if (event.of == Of::kHost && !hosts.empty()) hosts[event.row] = number;
    if (event.of == Of::kDevice && !works.empty()) works[event.row] = number;
  }
  for (const TimelineRow& event : tracks_.rows()) {
    std::uint32_t link = Timeline::kNoLink;
    if (event.of == Of::kPath &&
        path_[event.row].in.row != analysis::simulation::PathGraph::kNone) {
      const analysis::simulation::PathOwner& in = path_[event.row].in;
      link = (in.table == analysis::simulation::PathTable::kHost  ? hosts
              : in.table == analysis::simulation::PathTable::kApi ? calls
                                                                  : works)[in.row];
    } else if (event.of == Of::kDevice) {
      const ApiId call = profile_->device.launch[event.row];
      if (call.valid()) link = calls[call.value];
    }
    timeline_.link.push_back(link);
  }
}

void TimelineBuilder::AddBytes() {
  if (profile_->neuron != nullptr) return;
  auto& bytes = FindAmount(timeline_, "bytes", "Bytes", Unit::kBytes);
  for (std::size_t i = 0; i < tracks_.rows().size(); ++i) {
    const TimelineRow& event = tracks_.rows()[i];
    if (event.of != Of::kDevice) continue;
    bytes[tracks_.first() + i] = std::max<std::int64_t>(0, profile_->device.bytes[event.row]);
  }
}

Timeline BuildTimeline(std::span<const Profile> ranks, const Report& report,
                       const TimelineOptions& options) {
  Timeline timeline;
  if (options.mode == TimelineOptions::Mode::kOff) {
    timeline.left_out = "all events (--timeline off)";
    return timeline;
  }
  if (ranks.empty()) return timeline;
  if (std::none_of(ranks.begin(), ranks.end(), [](const Profile& p) { return p.has_timeline; })) {
    timeline.left_out = "all events: their times were not recorded";
    return timeline;
  }
  TimelineBuilder builder(timeline, options.knowledge);
  std::vector<TimelineCut> cuts;
  std::size_t steps_left_out = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::int64_t recorded = ranks[i].distributed.rank;
    const std::int64_t rank = recorded >= 0 ? recorded : static_cast<std::int64_t>(i);
    cuts.push_back(options.mode == TimelineOptions::Mode::kFull
                       ? TimelineCut{}
                       : CutTimeline(ranks[i], options.budget / ranks.size(),
                                     SpansAroundFindings(report, rank)));
    const auto path =
        std::find_if(options.paths.begin(), options.paths.end(),
                     [&](const TimelinePath& of_rank) { return of_rank.profile == &ranks[i]; });
    const bool has_path = path != options.paths.end();
    builder.AddRank(ranks[i], rank, cuts.back(),
                    has_path ? path->moves.kept : std::vector<analysis::simulation::PathMove>{});
    if (has_path) steps_left_out += path->moves.left_out;
  }
  timeline.left_out = LeftOutText(cuts);
  timeline.is_cut = !timeline.left_out.empty();
  const std::string undrawn = builder.UndrawnText(TextFor(report.profile, "{{ device.device }}s"));
  timeline.is_cut = timeline.is_cut || !undrawn.empty();
  if (!undrawn.empty()) timeline.left_out += (timeline.left_out.empty() ? "" : ", ") + undrawn;
  if (steps_left_out > 0) {
    timeline.left_out += fmt::format("{}the {} shortest segments of the critical path",
                                     timeline.left_out.empty() ? "" : ", ",
                                     FormatCount(static_cast<std::int64_t>(steps_left_out)));
  }
  timeline.marks = options.marks;
  // The values of an amount end with the last rank that has it.
  for (Timeline::Amount& amount : timeline.amounts) amount.value.resize(timeline.start.size());
  return timeline;
}

namespace {

template <class T>
void Append(std::vector<T>& to, std::vector<T> more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

std::string InRun(std::string_view run, const std::string& group) {
  return std::string(run) + " · " + group;
}

void Prepare(TimelineOfRun& run, Ns moved) {
  Timeline& timeline = run.timeline;
  for (Timeline::Track& track : timeline.tracks) track.group = InRun(run.name, track.group);
  for (Ns& start : timeline.start) start += moved;
  for (Timeline::Counter& counter : timeline.counters) {
    counter.group = InRun(run.name, counter.group);
    for (Ns& time : counter.time) time += moved;
    counter.end += moved;
  }
  for (Timeline::Mark& mark : timeline.marks) {
    mark.name = InRun(run.name, mark.name);
    mark.time += moved;
  }
  for (Timeline::Amount& amount : timeline.amounts) amount.value.resize(timeline.start.size());
  if (!timeline.left_out.empty()) timeline.left_out = InRun(run.name, timeline.left_out);
}

bool SameFacets(const Timeline& a, const Timeline& b) {
  return std::equal(a.facets.begin(), a.facets.end(), b.facets.begin(), b.facets.end(),
                    [](const auto& one, const auto& other) { return one.id == other.id; });
}

void DropFacets(Timeline& timeline) {
  timeline.facets.clear();
  for (Timeline::Kind& kind : timeline.kinds) kind.facets.clear();
}

// Appends amounts; those of only one timeline are 0 in the other.
void AppendAmounts(Timeline& to, Timeline& more, std::size_t events_before) {
  for (Timeline::Amount& amount : more.amounts) {
    auto same = std::find_if(to.amounts.begin(), to.amounts.end(),
                             [&](const Timeline::Amount& known) { return known.id == amount.id; });
    if (same == to.amounts.end()) {
      Timeline::Amount added{amount.id, amount.title, amount.unit, amount.adds_up, {}};
      added.value.resize(events_before);
      same = to.amounts.insert(to.amounts.end(), std::move(added));
    }
    Append(same->value, std::move(amount.value));
  }
  for (Timeline::Amount& amount : to.amounts) amount.value.resize(to.start.size());
}

}  // namespace

// Indices of the second run follow those of the first: each index into a list of `more` grows by
// the size of the same list in `out` before anything is appended.
Timeline StackTimelines(TimelineOfRun base, TimelineOfRun current) {
  Prepare(base, std::max<Ns>(0, current.anchor - base.anchor));
  Prepare(current, std::max<Ns>(0, base.anchor - current.anchor));
  Timeline out = std::move(base.timeline);
  Timeline& more = current.timeline;
  if (!SameFacets(out, more)) {
    DropFacets(out);
    DropFacets(more);
  }
  const auto kinds = static_cast<std::uint32_t>(out.kinds.size());
  const auto tracks = static_cast<std::uint32_t>(out.tracks.size());
  const auto events = static_cast<std::uint32_t>(out.start.size());
  for (Timeline::Lane& lane : more.lanes) {
    lane.track += tracks;
    lane.begin += events;
    lane.end += events;
  }
  for (std::uint32_t& kind : more.kind) kind += kinds;
  for (std::uint32_t& link : more.link) {
    if (link != Timeline::kNoLink) link += events;
  }
  for (auto& [earlier, later] : more.dependencies) {
    earlier += events;
    later += events;
  }
  Append(out.kinds, std::move(more.kinds));
  Append(out.tracks, std::move(more.tracks));
  Append(out.lanes, std::move(more.lanes));
  Append(out.start, std::move(more.start));
  Append(out.duration, std::move(more.duration));
  Append(out.kind, std::move(more.kind));
  Append(out.link, std::move(more.link));
  Append(out.dependencies, std::move(more.dependencies));
  Append(out.counters, std::move(more.counters));
  Append(out.marks, std::move(more.marks));
  AppendAmounts(out, more, events);
  if (out.peak_flops != more.peak_flops) out.peak_flops = -1;
  if (out.peak_bandwidth != more.peak_bandwidth) out.peak_bandwidth = -1;
  if (!out.left_out.empty() && !more.left_out.empty()) out.left_out += "; ";
  out.left_out += more.left_out;
  return out;
}

// Tracks of the host: threads, system calls, and cores.

namespace {

// Ranges that are in no category of the breakdown are annotations.
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

// Marks without length are always kept: they are few, and programs write them to be found.
void TimelineBuilder::AddThreads() {
  std::vector<Events> threads(profile_->threads.size());
  const HostTable& host = profile_->host;
  const std::vector<Category> categories = analysis::breakdown::CategoriesOfHost(*profile_);
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
  // Adds a track for each core of the host, used or not, if all of them fit.
  const std::int32_t of_host = cores.empty() ? 0 : CoresOfHost(*profile_);
  const auto used = static_cast<std::int32_t>(cores.size());
  constexpr std::int32_t kMostIdleCores = 64;
  for (std::int32_t core = 0; core < of_host && of_host <= kMostIdleCores; ++core) {
    cores.try_emplace(core);
  }
  if (of_host > kMostIdleCores) idle_cores_ += std::max(0, of_host - used);
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

// Hundreds of threads do little. The busiest are drawn, others are folded, and beyond a limit only
// counted.
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
