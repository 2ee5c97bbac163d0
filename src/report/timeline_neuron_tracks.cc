#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/neuron.h"
#include "report/timeline_tracks.h"

namespace profgauge::report {
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

// Tracks of one NeuronCore after the other:
//
//     Layers                             once, in the group of core 0
//     Tensor, Tensor (matmuls), ...      a track for each engine
//     Collectives, Core for collectives  once, after the first core's engines
//     DMA QUEUE                          a section for each queue, a track for each DMA engine
//
// Rows of the profile's track TensorMatrix have a separate track.
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

  // A section for each queue, most packets first, with a track for each DMA engine that works on
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
    {"bytes", "Bytes", Unit::kBytes, true, nullptr},  // Bytes of packets.
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

// Dependencies are between instructions; they are drawn where the cut kept both.
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
