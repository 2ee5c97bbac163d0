#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "model/neuron.h"
#include "report/timeline_counters.h"
#include "report/timeline_neuron.h"
#include "report/timeline_tracks.h"

namespace profgauge::report {
namespace {

constexpr Ns kMostBuckets = 500;

Timeline::Counter MakeCounter(const Profile& profile, std::int64_t rank, std::int32_t core,
                              std::string name, Unit unit) {
  Timeline::Counter counter;
  counter.name = std::move(name);
  counter.group = TimelineGpuName(profile, core);
  counter.unit = unit;
  counter.rank = rank;
  if (unit == Unit::kShare) counter.scale = 1 / kMillionths;
  counter.end = std::max(profile.last, profile.span_end);
  return counter;
}

struct CurveName {
  neuron::Curve curve;
  const char* name;
  Unit unit;
};
constexpr CurveName kCurves[] = {
    {neuron::Curve::kDmaThroughput, "DMA throughput", Unit::kBandwidth},
    {neuron::Curve::kHbmThroughput, "HBM throughput", Unit::kBandwidth},
    {neuron::Curve::kPendingDma, "pending DMA", Unit::kCount},
    {neuron::Curve::kSbuf, "SBUF use", Unit::kShare},
    {neuron::Curve::kPsum, "PSUM use", Unit::kShare},
};

// Adds curves. Points are sorted by curve, core and time; the largest of `each` neighbors is kept.
void AddCurves(const Profile& profile, std::int64_t rank, Timeline& timeline) {
  const auto& points = profile.neuron->curves;
  for (std::size_t begin = 0; begin < points.size();) {
    std::size_t end = begin;
    while (end < points.size() && points[end].curve == points[begin].curve &&
           points[end].core == points[begin].core) {
      ++end;
    }
    const CurveName& curve = kCurves[static_cast<std::size_t>(points[begin].curve)];
    Timeline::Counter counter =
        MakeCounter(profile, rank, points[begin].core, curve.name, curve.unit);
    const std::size_t each = (end - begin) / kMostCounterPoints + 1;
    for (std::size_t i = begin; i < end; i += each) {
      double highest = 0;
      for (std::size_t j = i; j < std::min(i + each, end); ++j) {
        highest = std::max(highest, points[j].value);
      }
      counter.time.push_back(points[i].time);
      const double scaled = curve.unit == Unit::kShare ? highest * kMillionths : highest;
      counter.value.push_back(std::llround(std::clamp(scaled, 0.0, kLargestWhole)));
    }
    timeline.counters.push_back(std::move(counter));
    begin = end;
  }
}

// Adds FLOPs over time; those of an instruction are spread evenly over its duration.
void AddFlops(const Profile& profile, std::int64_t rank, Timeline& timeline) {
  const neuron::Data& data = *profile.neuron;
  const double peak = data.hardware.PeakFlops() * 1e-9;  // Per nanosecond.
  const Ns total = std::max(profile.last, profile.span_end);
  if (peak <= 0 || total <= 0) return;
  const Ns bucket = std::max<Ns>(1, (total + kMostBuckets - 1) / kMostBuckets);
  std::map<std::int32_t, std::vector<double>> cores;
  for (const neuron::Instruction& row : data.instructions) {
    if (row.flops <= 0 || row.start < 0 || row.end() > total) continue;
    auto& flops = cores[row.core];
    flops.resize(static_cast<std::size_t>(total / bucket) + 1);
    const double each =
        static_cast<double>(row.flops) / static_cast<double>(std::max<Ns>(1, row.duration));
    for (Ns at = row.start; at < std::max(row.end(), row.start + 1);) {
      const Ns next = std::min((at / bucket + 1) * bucket, std::max(row.end(), row.start + 1));
      flops[static_cast<std::size_t>(at / bucket)] += each * static_cast<double>(next - at);
      at = next;
    }
  }
  for (const auto& [core, flops] : cores) {
    Timeline::Counter counter = MakeCounter(profile, rank, core, "HFU", Unit::kShare);
    for (std::size_t i = 0; i < flops.size(); ++i) {
      counter.time.push_back(static_cast<Ns>(i) * bucket);
      const double share = flops[i] / (peak * static_cast<double>(bucket));
      counter.value.push_back(std::llround(kMillionths * std::min(share, 1.0)));
    }
    timeline.counters.push_back(std::move(counter));
  }
}

// Adds throttling: from `start` on, `k` of `n` cycles were allowed, until the core's next row.
void AddThrottles(const Profile& profile, std::int64_t rank, Timeline& timeline) {
  std::map<std::int32_t, Timeline::Counter> cores;
  for (const neuron::Throttle& row : profile.neuron->throttles) {
    auto [found, is_new] = cores.try_emplace(row.core);
    if (is_new) {
      found->second = MakeCounter(profile, rank, row.core, "cycles allowed", Unit::kShare);
      found->second.line = true;
    }
    Timeline::Counter& counter = found->second;
    counter.time.push_back(row.start);
    counter.value.push_back(
        std::llround(kMillionths * static_cast<double>(row.k) / static_cast<double>(row.n)));
  }
  for (auto& [core, counter] : cores) timeline.counters.push_back(std::move(counter));
}

// Adds the semaphores that change most often; the last of `each` neighboring values is kept.
void AddSemaphores(const Profile& profile, std::int64_t rank, Timeline& timeline) {
  constexpr std::size_t kMostSemaphores = 64, kMostSteps = 1000;
  using Updates = std::vector<const neuron::SemaphoreUpdate*>;
  std::map<std::pair<std::int32_t, std::uint32_t>, Updates> semaphores;
  for (const neuron::SemaphoreUpdate& row : profile.neuron->semaphores) {
    semaphores[{row.core, row.semaphore.value}].push_back(&row);
  }
  std::vector<const decltype(semaphores)::value_type*> order;
  for (const auto& semaphore : semaphores) order.push_back(&semaphore);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->second.size() > b->second.size();
  });
  order.resize(std::min(order.size(), kMostSemaphores));
  for (const auto* semaphore : order) {
    const Updates& updates = semaphore->second;
    const std::string_view name = profile.Name(updates.front()->semaphore);
    const bool numbered = name.find_first_not_of("0123456789") == std::string_view::npos;
    Timeline::Counter counter =
        MakeCounter(profile, rank, semaphore->first.first,
                    (numbered ? "semaphore " : "") + std::string(name), Unit::kCount);
    counter.line = true;
    counter.section = semaphores.size() <= kMostSemaphores
                          ? std::string("Semaphores")
                          : fmt::format("Semaphores ({} of {}, most changes first)",
                                        kMostSemaphores, semaphores.size());
    const std::size_t each = updates.size() / kMostSteps + 1;
    if (each > 1) counter.name += fmt::format(" (the last of each {} values)", each);
    for (std::size_t i = 0; i < updates.size(); i += each) {
      counter.time.push_back(updates[i]->time);
      counter.value.push_back(updates[std::min(i + each, updates.size()) - 1]->value);
    }
    timeline.counters.push_back(std::move(counter));
  }
}

}  // namespace

void AddNeuronCounters(const Profile& profile, std::int64_t rank, Timeline& timeline) {
  AddFlops(profile, rank, timeline);
  AddCurves(profile, rank, timeline);
  AddThrottles(profile, rank, timeline);
  AddSemaphores(profile, rank, timeline);
}

namespace {

using neuron::Engine;
using Of = TimelineEvent::Of;
using Events = std::vector<TimelineEvent>;

enum FacetIndex { kLayer, kHlo, kType, kSource, kQueue, kTensor, kFacets };

constexpr std::string_view kTrackNames[] = {"Tensor", "Vector", "Scalar",
                                            "GpSimd", "Sync",   "Other engines"};
constexpr std::string_view kMatrixTrack = "TensorMatrix";

struct TrackName {
  std::int32_t core;
  Engine engine;
  bool matrix;
  auto operator<=>(const TrackName&) const = default;
};
struct QueueName {
  std::int32_t core;
  std::uint32_t queue;
  std::int16_t engine;
  auto operator<=>(const QueueName&) const = default;
};

// Adds the tracks of one NeuronCore after the other:
//
//     Layers                             once, in the group of core 0
//     Tensor, Tensor (matmuls), ...      a track for each engine
//     Collectives, Core for collectives  once, after the first core's engines
//     DMA QUEUE                          a section for each queue, a track for each DMA engine
//
// Rows of the profile's track TensorMatrix are a separate track.
class Adder {
 public:
  Adder(const Profile& profile, const TimelineCut& cut, TimelineKinds& kinds,
        TimelineTracks& tracks)
      : profile_(profile), data_(*profile.neuron), cut_(cut), kinds_(kinds), tracks_(tracks) {}

  void Add() {
    AddLayers();
    const auto engines = Instructions();
    const auto packets = Packets();
    std::vector<std::int32_t> cores;
    for (const auto& [name, events] : engines) cores.push_back(name.core);
    for (const auto& [name, events] : packets) cores.push_back(name.core);
    std::sort(cores.begin(), cores.end());
    cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
    if (cores.empty()) cores.push_back(0);
    for (const std::int32_t core : cores) {
      for (const auto& [name, events] : engines) {
        if (name.core == core) AddEngine(name, events);
      }
      if (core == cores.front()) AddCollectives();
      AddQueues(core, packets);
    }
  }

 private:
  std::uint32_t Kind(StringId name, Category category, const TimelineKinds::Key& key,
                     const std::function<void(Timeline::Kind&)>& fill) {
    TimelineKinds::Key whole = key;
    whole.name = name;
    whole.category = category;
    return kinds_.Find(profile_, whole, [&](Timeline::Kind& kind) {
      kind.facets.resize(kFacets);
      fill(kind);
    });
  }
  std::string Text(StringId id) const { return std::string(profile_.Name(id)); }

  Timeline::Track Track(std::string name, std::int32_t core, TrackType type) const {
    Timeline::Track track;
    track.name = std::move(name);
    track.group = TimelineGpuName(profile_, core);
    track.type = type;
    track.device = core;
    return track;
  }

  void AddLayers() {
    Events events;
    for (const neuron::Layer& row : data_.layers) {
      TimelineEvent event{row.start, row.duration};
      event.kind = Kind(row.path, Category::kAnnotation, {},
                        [&](Timeline::Kind& kind) { kind.facets[kLayer] = kind.name; });
      events.push_back(event);
    }
    tracks_.Add(Track("Layers", 0, TrackType::kLayer), std::move(events));
  }

  std::map<TrackName, Events> Instructions() {
    std::map<TrackName, Events> engines;
    for (std::uint32_t i = 0; i < data_.instructions.size(); ++i) {
      const neuron::Instruction& row = data_.instructions[i];
      if (!cut_.KeepsDevice(row.duration)) continue;
      TimelineEvent event{row.start, row.duration};
      event.of = Of::kInstruction;
      event.row = i;
      const TimelineKinds::Key key{
          {}, {}, row.layer.value, row.hlo.value, row.source.value, row.type.value};
      event.kind = Kind(row.opcode, row.semaphore ? Category::kWait : Category::kOtherKernel, key,
                        [&](Timeline::Kind& kind) {
                          if (kind.name.empty()) kind.name = "instruction";
                          kind.facets[kLayer] = Text(row.layer);
                          kind.facets[kHlo] = Text(row.hlo);
                          kind.facets[kSource] = Text(row.source);
                          kind.facets[kType] = Text(row.type);
                        });
      engines[{row.core, row.engine, profile_.Name(row.track) == kMatrixTrack}].push_back(event);
    }
    return engines;
  }

  void AddEngine(const TrackName& name, const Events& events) {
    const auto index = std::min(static_cast<std::size_t>(name.engine), neuron::kEngines);
    Timeline::Track track =
        Track(name.matrix ? "Tensor (matmuls)" : std::string(kTrackNames[index]), name.core,
              TrackType::kStream);
    track.unit = std::string(neuron::EngineName(name.engine));
    tracks_.Add(std::move(track), events);
  }

  std::map<QueueName, Events> Packets() {
    std::map<QueueName, Events> queues;
    for (std::uint32_t i = 0; i < data_.packets.size(); ++i) {
      const neuron::Dma& row = data_.packets[i];
      if (!cut_.KeepsDevice(row.duration)) continue;
      TimelineEvent event{row.start, row.duration};
      event.of = Of::kPacket;
      event.row = i;
      const TimelineKinds::Key key{{},
                                   {},
                                   row.variable.value,
                                   row.from.value,
                                   row.to.value,
                                   static_cast<std::uint64_t>(row.type)};
      event.kind = Kind(row.queue, Category::kMemcpy, key, [&](Timeline::Kind& kind) {
        if (kind.name.empty()) kind.name = "DMA";
        kind.facets[kQueue] = Text(row.queue);
        kind.facets[kTensor] = Text(row.variable);
        kind.facets[kType] = std::string(neuron::QueueTypeName(row.type));
        if (row.from.valid() || row.to.valid()) {
          kind.detail = fmt::format("{} → {}", profile_.Name(row.from), profile_.Name(row.to));
        }
      });
      queues[{row.core, row.queue.value, row.dma_engine}].push_back(event);
    }
    return queues;
  }

  // Adds a section per queue, most packets first, with a track for each DMA engine that works on
  // it.
  void AddQueues(std::int32_t core, const std::map<QueueName, Events>& packets) {
    std::map<std::uint32_t, std::size_t> counts;
    for (const auto& [name, events] : packets) {
      if (name.core == core) counts[name.queue] += events.size();
    }
    std::vector<std::pair<std::uint32_t, std::size_t>> order(counts.begin(), counts.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [queue, count] : order) {
      const std::string_view text = profile_.Name(StringId{queue});
      for (const auto& [name, events] : packets) {
        if (name.core != core || name.queue != queue) continue;
        Timeline::Track track =
            Track(name.engine < 0 ? "any engine" : fmt::format("engine {}", name.engine), core,
                  TrackType::kStream);
        track.section = fmt::format("DMA {}", text.empty() ? "packets" : text);
        track.unit = "DMA";
        tracks_.Add(std::move(track), events);
      }
    }
  }

  void AddCollectives() {
    Events events;
    for (const neuron::CcOp& row : data_.cc_ops) {
      TimelineEvent event{row.start, row.duration};
      const TimelineKinds::Key key{{},
                                   {},
                                   row.algorithm.value,
                                   row.dtype.value,
                                   row.group.value,
                                   static_cast<std::uint64_t>(row.input_bytes)};
      event.kind = Kind(row.operation, Category::kCommunication, key, [&](Timeline::Kind& kind) {
        if (kind.name.empty()) kind.name = "collective";
        for (const StringId id : {row.algorithm, row.dtype, row.group}) {
          if (!id.valid() || profile_.Name(id).empty()) continue;
          kind.detail += (kind.detail.empty() ? "" : ", ") + Text(id);
        }
      });
      events.push_back(event);
    }
    Timeline::Track track = Track("Collectives", 0, TrackType::kStream);
    track.unit = "collectives";
    tracks_.Add(std::move(track), std::move(events));
    Events instructions;
    for (const neuron::CcInstruction& row : data_.cc_instructions) {
      TimelineEvent event{row.start, row.duration};
      event.kind = Kind({}, Category::kCommunication, {}, [](Timeline::Kind& kind) {
        kind.name = "instruction of the core for collectives";
      });
      instructions.push_back(event);
    }
    tracks_.Add(Track("Core for collectives", 0, TrackType::kDetail), std::move(instructions));
  }

  const Profile& profile_;
  const neuron::Data& data_;
  const TimelineCut& cut_;
  TimelineKinds& kinds_;
  TimelineTracks& tracks_;
};

struct AmountSpec {
  const char *id, *title;
  Unit unit;
  bool adds_up;
  std::int64_t (*of)(const neuron::Instruction&);
};
constexpr AmountSpec kAmounts[] = {
    {"bytes", "Bytes", Unit::kBytes, true, nullptr},  // For packets.
    {"wait", "Wait", Unit::kTime, true, [](const neuron::Instruction& row) { return row.wait; }},
    {"flops", "FLOPs", Unit::kFlops, true,
     [](const neuron::Instruction& row) { return row.flops; }},
    {"transpose_flops", "Transpose FLOPs", Unit::kFlops, true,
     [](const neuron::Instruction& row) { return row.transpose ? row.flops : 0; }},
    {"hbm_read", "HBM read", Unit::kBytes, true,
     [](const neuron::Instruction& row) { return row.traffic.hbm_read; }},
    {"hbm_write", "HBM written", Unit::kBytes, true,
     [](const neuron::Instruction& row) { return row.traffic.hbm_write; }},
    {"sbuf_read", "SBUF read", Unit::kBytes, true,
     [](const neuron::Instruction& row) { return row.traffic.sbuf_read; }},
    {"sbuf_write", "SBUF written", Unit::kBytes, true,
     [](const neuron::Instruction& row) { return row.traffic.sbuf_write; }},
    {"psum_read", "PSUM read", Unit::kBytes, true,
     [](const neuron::Instruction& row) { return row.traffic.psum_read; }},
    {"psum_write", "PSUM written", Unit::kBytes, true,
     [](const neuron::Instruction& row) { return row.traffic.psum_write; }},
    {"spill_save", "Spilled", Unit::kBytes, true,
     [](const neuron::Instruction& row) { return row.traffic.spill_save; }},
    {"spill_reload", "Reloaded", Unit::kBytes, true,
     [](const neuron::Instruction& row) { return row.traffic.spill_reload; }},
    {"pc", "PC", Unit::kCount, false,
     [](const neuron::Instruction& row) { return std::max<std::int64_t>(row.pc, 0); }},
};

}  // namespace

std::vector<Timeline::Facet> NeuronFacets() {
  std::vector<Timeline::Facet> facets(kFacets);
  facets[kLayer] = {"layer", "Layer"};
  facets[kHlo] = {"hlo", "Graph operator"};
  facets[kType] = {"type", "Type"};
  facets[kSource] = {"source", "Source"};
  facets[kQueue] = {"queue", "Queue"};
  facets[kTensor] = {"tensor", "Tensor"};
  return facets;
}

void AddNeuronTracks(const Profile& profile, const TimelineCut& cut, TimelineKinds& kinds,
                     TimelineTracks& tracks) {
  Adder(profile, cut, kinds, tracks).Add();
}

// Dependencies between instructions are drawn if both were kept.
void AddNeuronAmounts(const Profile& profile, const TimelineTracks& tracks, Timeline& timeline) {
  const neuron::Data& data = *profile.neuron;
  for (const AmountSpec& spec : kAmounts) {
    auto& values = FindAmount(timeline, spec.id, spec.title, spec.unit, spec.adds_up);
    for (std::size_t i = 0; i < tracks.rows().size(); ++i) {
      const TimelineRow& event = tracks.rows()[i];
      std::int64_t& value = values[tracks.first() + i];
      if (event.of == Of::kPacket && spec.of == nullptr) value = data.packets[event.row].bytes;
      if (event.of == Of::kInstruction && spec.of != nullptr) {
        value = spec.of(data.instructions[event.row]);
      }
    }
  }
  std::vector<std::uint32_t> event_of(data.instructions.size(), Timeline::kNoLink);
  for (std::size_t i = 0; i < tracks.rows().size(); ++i) {
    const TimelineRow& event = tracks.rows()[i];
    if (event.of != Of::kInstruction) continue;
    event_of[event.row] = static_cast<std::uint32_t>(tracks.first() + i);
  }
  for (const neuron::Dependency& edge : data.dependencies) {
    const std::uint32_t from = event_of[edge.from], to = event_of[edge.to];
    if (from != Timeline::kNoLink && to != Timeline::kNoLink) {
      timeline.dependencies.emplace_back(from, to);
    }
  }
}

}  // namespace profgauge::report
