// Tables by engine, opcode and NeuronCore.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/catalog/neuron_cells.h"
#include "analysis/catalog/neuron_columns.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/neuron/neuron.h"
#include "base/metric_id.h"
#include "base/numbers.h"
#include "knowledge/neuron.h"

namespace profgauge::analysis::neuron {
namespace {

using profgauge::neuron::Engine;
using profgauge::neuron::Instruction;

// Sums over the instructions of one engine or opcode. EVENT_SEMAPHORE instructions only wait. They
// count as instructions and as waits, but their time does not count.
struct Group {
  std::int64_t instructions = 0, with_source = 0, flops = 0;
  Ns time = 0, wait = 0, setup = 0, active = 0;

  void Add(const Instruction& row) {
    ++instructions;
    wait += row.wait;
    flops += row.flops;
    if (row.nki_source) ++with_source;
    if (row.semaphore) return;
    time += row.duration;
    if (row.setup) setup += row.duration;
  }
};

struct OpcodeGroup : Group {
  SpanCollector spans;  ///< For the core being added.

  void Add(const Instruction& row) {
    Group::Add(row);
    if (!row.semaphore) spans.Add(row.start, row.duration);
  }
  /// Ends one core; call it after its rows.
  void Close(Span window) { active += Length(Clip(spans.Take(), window)); }
};

// When any of the rows is active, in the selected part. REQUIRES: rows of one engine of one core.
std::vector<Span> ActiveSpans(const NeuronRank& rank, std::span<const Instruction> rows) {
  SpanCollector spans;
  for (const Instruction& row : rows) {
    if (!row.semaphore) spans.Add(row.start, row.duration);
  }
  return Clip(spans.Take(), rank.sums.window);
}

// Calls `take` with the rows of each engine of each core, which are adjacent.
template <class Take>
void ForEachEngine(const profgauge::neuron::Data& data, const Take& take) {
  const auto& rows = data.instructions;
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    while (end < rows.size() && rows[end].core == rows[begin].core &&
           rows[end].engine == rows[begin].engine) {
      ++end;
    }
    take(std::span(rows).subspan(begin, end - begin));
    begin = end;
  }
}

// Returns the rank's sums for the engine if it has only one core. With several cores, these sums
// cover all of them, so they do not describe one core: nullptr.
const profgauge::neuron::EngineSums* SumsOfEngine(const NeuronRank& rank, Engine engine) {
  if (rank.sums.cores != 1 || engine == Engine::kOther) return nullptr;
  return &rank.sums.engines[static_cast<std::size_t>(engine)];
}

// Active time is clipped to the selected part, and includes work that began earlier. All other sums
// are over instructions that start in the part.
void AddEngineRows(const NeuronRank& rank, bool any_source,
                   catalog::RowWriter<catalog::columns::kEngines>& write) {
  ForEachEngine(*rank.data, [&](std::span<const Instruction> rows) {
    Group group;
    group.active = Length(ActiveSpans(rank, rows));
    std::vector<Ns> durations;
    for (const Instruction& row : rows) {
      if (!rank.Inside(row.start)) continue;
      group.Add(row);
      if (!row.semaphore) durations.push_back(row.duration);
    }
    if (const profgauge::neuron::EngineSums* sums = SumsOfEngine(rank, rows.front().engine)) {
      group.active = sums->active;
      group.time = sums->instruction_time;
    }
    write.Integer("rank"_col, rank.context->rank).Integer("core"_col, rows.front().core);
    write.Text("name"_col, profgauge::neuron::EngineName(rows.front().engine))
        .Integer("instructions"_col, group.instructions);
    write.Integer("instruction_time"_col, group.time).Integer("active_time"_col, group.active);
    write.Share("active_share"_col, static_cast<double>(group.active),
                static_cast<double>(rank.total));
    write.Integer("wait_time"_col, group.wait)
        .Integer("setup_time"_col, group.setup)
        .Known("median_time"_col, durations.empty() ? -1 : Median(std::move(durations)));
    if (any_source) {
      write.Share("nki_share"_col, static_cast<double>(group.with_source),
                  static_cast<double>(group.instructions));
    } else {
      write.Absent("nki_share"_col);
    }
    write.Flops("flops"_col, group.flops);
  });
}

// Opcodes are summed over cores. Their active time is computed core by core, since cores run
// simultaneously. Rows are sorted by instruction time, the longest first.
void AddOpcodeRows(const NeuronRank& rank, catalog::RowWriter<catalog::columns::kOpcodes>& write) {
  std::map<std::pair<Engine, std::string_view>, OpcodeGroup> groups;
  ForEachEngine(*rank.data, [&](std::span<const Instruction> rows) {
    for (const Instruction& row : rows) {
      if (!rank.Inside(row.start)) continue;
      groups[{row.engine, rank.context->profile->Name(row.opcode)}].Add(row);
    }
    for (auto& [key, group] : groups) {
      if (key.first == rows.front().engine) group.Close(rank.sums.window);
    }
  });
  std::vector<std::pair<std::pair<Engine, std::string_view>, const Group*>> order;
  for (const auto& [key, group] : groups) order.emplace_back(key, &group);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second->time > b.second->time; });
  for (const auto& [key, group] : order) {
    write.Integer("rank"_col, rank.context->rank)
        .Text("engine"_col, profgauge::neuron::EngineName(key.first))
        .Text("opcode"_col, key.second);
    write.Integer("instructions"_col, group->instructions)
        .Integer("instruction_time"_col, group->time)
        .Integer("active_time"_col, group->active);
    write.Integer("mean"_col, group->time / group->instructions)
        .Integer("wait_time"_col, group->wait)
        .Flops("flops"_col, group->flops);
  }
}

struct Core {
  std::int64_t instructions = 0;
  std::array<Ns, profgauge::neuron::kEngines> active{};
  std::vector<Span> all;
};

// The cores by number. `all` contains the active times of each engine one after another, not merged
// over engines.
std::map<std::int32_t, Core> CoresOf(const NeuronRank& rank) {
  std::map<std::int32_t, Core> cores;
  ForEachEngine(*rank.data, [&](std::span<const Instruction> rows) {
    Core& core = cores[rows.front().core];
    for (const Instruction& row : rows) {
      if (rank.Inside(row.start)) ++core.instructions;
    }
    const std::vector<Span> active = ActiveSpans(rank, rows);
    core.all.insert(core.all.end(), active.begin(), active.end());
    if (rows.front().engine != Engine::kOther) {
      const profgauge::neuron::EngineSums* sums = SumsOfEngine(rank, rows.front().engine);
      core.active[static_cast<std::size_t>(rows.front().engine)] +=
          sums == nullptr ? Length(active) : sums->active;
    }
  });
  return cores;
}

// Sets the largest imbalance of an engine between cores; nearly idle engines are ignored.
void SetImbalance(std::span<const std::map<std::int32_t, Core>> cores,
                  std::span<const NeuronRank> ranks, catalog::Output& out) {
  std::int64_t count = 0;
  for (const auto& of_rank : cores) count += static_cast<std::int64_t>(of_rank.size());
  if (count > 0) out.Set(metric::kNeuronCores, count);
  if (count < 2) {
    return out.SetAbsent(metric::kNeuronCoreImbalance, "the run has one NeuronCore");
  }
  double largest = 0;
  for (std::size_t engine = 0; engine < profgauge::neuron::kEngines; ++engine) {
    double low = 0, high = 0, sum = 0, time = 0;
    bool first = true;
    for (std::size_t i = 0; i < cores.size(); ++i) {
      for (const auto& [id, core] : cores[i]) {
        const auto active = static_cast<double>(core.active[engine]);
        low = first ? active : std::min(low, active);
        high = first ? active : std::max(high, active);
        first = false;
        sum += active;
        time += static_cast<double>(ranks[i].total);
      }
    }
    if (time <= 0 || sum < knowledge::kNeuronEngineActiveLeastShare * time) continue;
    largest = std::max(largest, (high - low) / (sum / static_cast<double>(count)));
  }
  out.Set(metric::kNeuronCoreImbalance, largest);
}

// A core is active while any of its engines or DMA packets is. The rank's own sums are only used
// for a single core without collectives, which belong to no core.
void AddCoreRows(const NeuronRank& rank, const std::map<std::int32_t, Core>& cores,
                 catalog::RowWriter<catalog::columns::kCores>& write) {
  for (const auto& [id, core] : cores) {
    SpanCollector packets;
    for (const profgauge::neuron::Dma& row : rank.data->packets) {
      if (row.core == id) packets.Add(row.start, row.duration);
    }
    const std::vector<Span> dma = Clip(packets.Take(), rank.sums.window);
    std::vector<Span> all = core.all;
    all.insert(all.end(), dma.begin(), dma.end());
    write.Integer("rank"_col, rank.context->rank)
        .Integer("id"_col, id)
        .Integer("instructions"_col, core.instructions);
    catalog::AppendActive(core.active, write);
    const bool is_all = rank.sums.cores == 1 && rank.sums.cc_ops == 0;
    write.Integer("dma_active"_col, is_all ? rank.sums.dma.active : Length(dma))
        .Integer("active_time"_col, is_all ? rank.sums.active : Length(Merge(std::move(all))));
  }
}

}  // namespace

// If no instruction of the run has a source line, the column of NKI source is absent: a share of 0
// would suggest that no kernel was written in NKI.
void AddNeuronEngines(std::span<const NeuronRank> ranks, catalog::Output& out) {
  const bool rows = std::any_of(ranks.begin(), ranks.end(), [](const NeuronRank& rank) {
    return !rank.data->instructions.empty();
  });
  if (!rows) {
    for (const char* table : {"engines", "opcodes", "cores"}) {
      out.SetTableAbsent(table, "the file has no instructions");
    }
    return;
  }
  std::int64_t with_source = 0;
  for (const NeuronRank& rank : ranks) {
    for (const profgauge::neuron::EngineSums& engine : rank.sums.engines)
      with_source += engine.with_source;
  }
  catalog::RowWriter<catalog::columns::kEngines> engines(out.AddTable("engines"));
  for (const NeuronRank& rank : ranks) AddEngineRows(rank, with_source > 0, engines);
  catalog::RowWriter<catalog::columns::kOpcodes> opcodes(out.AddTable("opcodes"));
  for (const NeuronRank& rank : ranks) AddOpcodeRows(rank, opcodes);
  std::vector<std::map<std::int32_t, Core>> cores;
  for (const NeuronRank& rank : ranks) cores.push_back(CoresOf(rank));
  catalog::RowWriter<catalog::columns::kCores> table(out.AddTable("cores"));
  for (std::size_t i = 0; i < ranks.size(); ++i) AddCoreRows(ranks[i], cores[i], table);
  SetImbalance(cores, ranks, out);
}

}  // namespace profgauge::analysis::neuron
