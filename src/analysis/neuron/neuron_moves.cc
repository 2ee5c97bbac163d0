// Data movement: DMA queues, engines and transfers, collectives, tensors.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/catalog/neuron_columns.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/classify/arguments.h"
#include "analysis/neuron/neuron.h"
#include "base/metric_id.h"
#include "base/numbers.h"
#include "knowledge/neuron.h"

namespace profgauge::analysis::neuron {
namespace {

using profgauge::neuron::Dma;

constexpr std::size_t kMostTransfers = 10'000;

// Packets of one queue or DMA engine. `spans` has all packets, so that active time can be clipped;
// the sums have the packets that start in the selected part.
struct Packets {
  std::int64_t count = 0, bytes = 0, small = 0;
  Ns time = 0;
  SpanCollector spans;
  std::set<std::int16_t> engines;

  void Add(const Dma& row, bool inside) {
    spans.Add(row.start, row.duration);
    if (!inside) return;
    ++count;
    bytes += row.bytes;
    time += row.duration;
    if (row.bytes > 4 && row.bytes < knowledge::kNeuronSmallDma) ++small;  // Like dma.small_share.
    engines.insert(row.dma_engine);
  }
};

// By name and type of the queue. Queues without packets in the selected part have no row.
void AddQueues(const NeuronRank& rank, catalog::RowWriter<catalog::columns::kDmaQueues>& write) {
  std::map<std::pair<std::string_view, profgauge::neuron::QueueType>, Packets> queues;
  for (const Dma& row : rank.data->packets) {
    queues[{rank.context->profile->Name(row.queue), row.type}].Add(row, rank.Inside(row.start));
  }
  for (auto& [key, queue] : queues) {
    if (queue.count == 0) continue;
    write.Integer("rank"_col, rank.context->rank)
        .Text("name"_col, key.first.empty() ? "unnamed" : key.first);
    write.Text("type"_col, profgauge::neuron::QueueTypeName(key.second));
    write.Integer("engines"_col, static_cast<std::int64_t>(queue.engines.size()))
        .Integer("packets"_col, queue.count);
    write.Integer("bytes"_col, queue.bytes).Integer("time"_col, queue.time);
    write.Integer("active_time"_col, Length(Clip(queue.spans.Take(), rank.sums.window)));
    write.Integer("mean_bytes"_col, queue.bytes / queue.count).Integer("small"_col, queue.small);
  }
}

struct EngineUse {
  std::int64_t used = 0;
  double imbalance = -1;
};

// Returns the imbalance: bytes of the busiest engine divided by the mean over all engines of the
// core, used or not. 1 is even; with 16 engines and all bytes on one it is 16.
EngineUse AddEngines(const NeuronRank& rank,
                     catalog::RowWriter<catalog::columns::kDmaEngines>& write) {
  std::map<std::pair<std::int32_t, std::int16_t>, Packets> engines;
  std::map<std::int32_t, std::int64_t> of_core;
  for (const Dma& row : rank.data->packets) {
    if (row.dma_engine < 0) continue;
    engines[{row.core, row.dma_engine}].Add(row, rank.Inside(row.start));
  }
  for (const auto& [key, engine] : engines) of_core[key.first] += engine.bytes;
  const std::int64_t stated = rank.data->hardware.dma_engines;
  const auto present =
      static_cast<double>(stated > 0 ? stated : knowledge::kNeuronDmaEngines.value());
  EngineUse use;
  std::map<std::int32_t, std::int64_t> used;
  for (auto& [key, engine] : engines) {
    if (engine.count == 0) continue;
    const auto bytes = static_cast<double>(engine.bytes);
    const auto all = static_cast<double>(of_core[key.first]);
    use.used = std::max(use.used, ++used[key.first]);
    if (all > 0) {
      use.imbalance = std::max(use.imbalance, bytes / (all / present));
    }
    const Ns active = Length(Clip(engine.spans.Take(), rank.sums.window));
    write.Integer("rank"_col, rank.context->rank)
        .Integer("core"_col, key.first)
        .Integer("name"_col, key.second);
    write.Integer("packets"_col, engine.count)
        .Integer("bytes"_col, engine.bytes)
        .Integer("time"_col, engine.time)
        .Integer("active_time"_col, active);
    write.Share("active_share"_col, static_cast<double>(active), static_cast<double>(rank.total))
        .Share("byte_share"_col, bytes, all);
  }
  return use;
}

// Adds the kMostTransfers largest transfers, and returns the number of all. Packets contain the id
// of their transfer; 0 is none.
std::size_t AddTransfers(const NeuronRank& rank,
                         catalog::RowWriter<catalog::columns::kDmaTransfers>& write) {
  std::map<std::int64_t, std::int64_t> packets;
  for (const Dma& row : rank.data->packets) {
    if (row.transfer != 0) ++packets[row.transfer];
  }
  std::vector<const Dma*> rows;
  for (const Dma& row : rank.data->transfers) {
    if (rank.Inside(row.start)) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Dma* a, const Dma* b) { return a->bytes > b->bytes; });
  const std::size_t all = rows.size();
  rows.resize(std::min(all, kMostTransfers));
  const Profile& profile = *rank.context->profile;
  for (const Dma* row : rows) {
    write.Integer("rank"_col, rank.context->rank).Text("variable"_col, profile.Name(row->variable));
    write.Text("queue"_col, profile.Name(row->queue))
        .Text("type"_col, profgauge::neuron::QueueTypeName(row->type));
    write.Text("from"_col, profile.Name(row->from)).Text("to"_col, profile.Name(row->to));
    write.Integer("start"_col, row->start)
        .Integer("duration"_col, row->duration)
        .Integer("bytes"_col, row->bytes);
    const auto found = packets.find(row->id);
    write.Known("packets"_col, found == packets.end() ? -1 : found->second);
    write.Share("bandwidth"_col, static_cast<double>(row->bytes) * 1e9,
                static_cast<double>(row->duration));
  }
  return all;
}

// Collectives of one kind, algorithm, type, group and size. Means are over the calls that have a
// value; negative values mean that the file has none.
struct Calls {
  std::vector<Ns> durations;
  double bandwidth = 0, bus_bandwidth = 0, delay = 0;
  std::int64_t with_bandwidth = 0, with_bus = 0, with_delay = 0;

  void Add(const profgauge::neuron::CcOp& row) {
    durations.push_back(row.duration);
    const auto mean = [](double value, double& sum, std::int64_t& count) {
      if (value < 0) return;
      sum += value;
      ++count;
    };
    mean(row.bandwidth, bandwidth, with_bandwidth);
    mean(row.bus_bandwidth, bus_bandwidth, with_bus);
    mean(static_cast<double>(row.trigger_delay), delay, with_delay);
  }
};

// Adds rows for the calls that start in the selected part. Median and maximum of the durations show
// outliers that a mean hides.
void AddCcOps(const NeuronRank& rank, catalog::RowWriter<catalog::columns::kCcOps>& write) {
  const Profile& profile = *rank.context->profile;
  using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view,
                         std::int64_t>;
  std::map<Key, Calls> groups;
  for (const profgauge::neuron::CcOp& row : rank.data->cc_ops) {
    if (!rank.Inside(row.start)) continue;
    groups[{profile.Name(row.operation), profile.Name(row.algorithm), profile.Name(row.dtype),
            profile.Name(row.group), row.input_bytes}]
        .Add(row);
  }
  for (auto& [key, calls] : groups) {
    auto& durations = calls.durations;
    std::sort(durations.begin(), durations.end());
    Ns time = 0;
    for (const Ns duration : durations) time += duration;
    const auto count = static_cast<std::int64_t>(durations.size());
    const auto mean = [](double sum, std::int64_t n) {
      return n > 0 ? sum / static_cast<double>(n) : -1.0;
    };
    const auto& [operation, algorithm, dtype, group, bytes] = key;
    write.Integer("rank"_col, rank.context->rank)
        .Text("name"_col, operation)
        .Text("algorithm"_col, algorithm)
        .Text("dtype"_col, classify::CanonicalDtype(dtype))
        .Text("group"_col, group);
    write.Known("input_bytes"_col, bytes)
        .Integer("calls"_col, count)
        .Integer("time"_col, time)
        .Integer("mean"_col, time / count);
    const Ns longest = durations.back();
    write.Integer("median"_col, Median(std::move(durations))).Integer("max"_col, longest);
    write.KnownReal("bandwidth"_col, mean(calls.bandwidth, calls.with_bandwidth));
    write.KnownReal("bus_bandwidth"_col, mean(calls.bus_bandwidth, calls.with_bus));
    write.Known("trigger_delay"_col,
                static_cast<std::int64_t>(mean(calls.delay, calls.with_delay)));
  }
}

// Uses the file's values: loads cover the whole profile.
void AddTensors(const NeuronRank& rank, catalog::RowWriter<catalog::columns::kTensors>& write) {
  const Profile& profile = *rank.context->profile;
  for (const profgauge::neuron::Tensor& row : rank.data->tensors) {
    write.Integer("rank"_col, rank.context->rank)
        .Text("name"_col, profile.Name(row.name))
        .Text("type"_col, profile.Name(row.type));
    write.Text("format"_col, profile.Name(row.format))
        .Text("shape"_col, profile.Name(row.shape))
        .Known("bytes"_col, row.bytes);
    write.Known("loads"_col, row.loads)
        .Known("load_bytes"_col, row.load_bytes)
        .Known("mean_load_bytes"_col, row.mean_load_bytes);
    write.KnownReal("reload_factor"_col, row.reload_factor);
  }
}

template <class Has>
bool Any(std::span<const NeuronRank> ranks, const Has& has) {
  return std::any_of(ranks.begin(), ranks.end(), has);
}

}  // namespace

void AddNeuronMoves(std::span<const NeuronRank> ranks, catalog::Output& out) {
  constexpr const char* kNoDma =
      "the file has no DMA packets; capture with NEURON_RT_ENABLE_DGE_NOTIFICATIONS=1";
  if (Any(ranks, [](const NeuronRank& rank) { return !rank.data->packets.empty(); })) {
    catalog::RowWriter<catalog::columns::kDmaQueues> queues(out.AddTable("dma_queues"));
    for (const NeuronRank& rank : ranks) AddQueues(rank, queues);
    catalog::RowWriter<catalog::columns::kDmaEngines> engines(out.AddTable("dma_engines"));
    EngineUse use;
    for (const NeuronRank& rank : ranks) {
      const EngineUse of_rank = AddEngines(rank, engines);
      use.used = std::max(use.used, of_rank.used);
      use.imbalance = std::max(use.imbalance, of_rank.imbalance);
    }
    if (use.used > 0) out.Set(metric::kDmaEnginesUsed, use.used);
    if (use.imbalance >= 0) out.Set(metric::kDmaEngineImbalance, use.imbalance);
  } else {
    out.SetTableAbsent("dma_queues", kNoDma);
    out.SetTableAbsent("dma_engines", kNoDma);
  }
  if (Any(ranks, [](const NeuronRank& rank) { return !rank.data->transfers.empty(); })) {
    catalog::RowWriter<catalog::columns::kDmaTransfers> transfers(out.AddTable("dma_transfers"));
    std::size_t all = 0;
    for (const NeuronRank& rank : ranks) all += AddTransfers(rank, transfers);
    out.RemarkCut("dma_transfers", all, "largest");
  } else {
    out.SetTableAbsent("dma_transfers", "the file has no transfers of tensors");
  }
  if (Any(ranks, [](const NeuronRank& rank) { return !rank.data->cc_ops.empty(); })) {
    catalog::RowWriter<catalog::columns::kCcOps> ops(out.AddTable("cc_ops"));
    for (const NeuronRank& rank : ranks) AddCcOps(rank, ops);
  } else {
    out.SetTableAbsent("cc_ops", "the file has no collectives");
  }
  if (Any(ranks, [](const NeuronRank& rank) { return !rank.data->tensors.empty(); })) {
    catalog::RowWriter<catalog::columns::kTensors> tensors(out.AddTable("tensors"));
    for (const NeuronRank& rank : ranks) AddTensors(rank, tensors);
  } else {
    out.SetTableAbsent("tensors", "the file has no table of tensors");
  }
}

}  // namespace profgauge::analysis::neuron
