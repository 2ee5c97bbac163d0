// Throttling, possible work of the Tensor Engine, semaphores, memory, curves, and data on the file
// itself: warnings, errors, and consistency of rows and summary.
#include <fmt/format.h>

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/catalog/neuron_columns.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/neuron/neuron.h"
#include "model/certificate.h"

namespace profgauge::analysis::neuron {
namespace {

// A notification limits the clock to k of n cycles; it has an effect only if k < n.
void AddThrottles(const NeuronRank& rank, catalog::RowWriter<catalog::columns::kThrottles>& write) {
  struct Sum {
    std::int64_t count = 0;
    Ns covered = 0, limited = 0;
    double weighted = 0;
  };
  std::map<std::pair<std::int32_t, std::string_view>, Sum> sums;
  for (const profgauge::neuron::Throttle& row : rank.data->throttles) {
    if (!rank.Inside(row.start)) continue;
    Sum& sum = sums[{row.core, rank.context->profile->Name(row.cause)}];
    ++sum.count;
    sum.covered += row.duration;
    if (row.k < row.n) sum.limited += row.duration;
    sum.weighted +=
        static_cast<double>(row.duration) * static_cast<double>(row.k) / static_cast<double>(row.n);
  }
  for (const auto& [key, sum] : sums) {
    write.Integer("rank"_col, rank.context->rank)
        .Integer("core"_col, key.first)
        .Text("type"_col, key.second);
    write.Integer("notifications"_col, sum.count)
        .Integer("covered_time"_col, sum.covered)
        .Integer("limited_time"_col, sum.limited);
    write.Share("limit"_col, sum.weighted, static_cast<double>(sum.covered));
  }
}

// Why the use of the Tensor Engines' time is unknown; empty if it is known.
std::string_view WhyNoFlopsParts(const NeuronRank& rank) {
  if (!rank.data->has.instructions || rank.data->hardware.PeakFlops() <= 0) {
    return "needs instructions and the peak of the Tensor Engine";
  }
  if (rank.total <= 0) return "needs the total time, which is unknown";
  if (rank.total > kFarthestTime / rank.peak_cores) {
    return "the total time is longer than any run";
  }
  return {};
}

// Splits the total time by use of the Tensor Engines at their peak, in whole nanoseconds that add
// up to it.
//
//   |model|transpose|other|active_throttled|active_unused|unused_throttled|idle|
//   |FLOPs at the peak    |rest of the active time       |rest of the time     |
//
// Each part takes at most the remaining time: otherwise inconsistent sums would make one negative.
void AddFlopsParts(const NeuronRank& rank,
                   catalog::RowWriter<catalog::columns::kFlopsParts>& write) {
  if (!WhyNoFlopsParts(rank).empty()) return;
  const double peak = rank.data->hardware.PeakFlops();
  const Ns total = rank.total * rank.peak_cores;
  Ns left = total;
  std::vector<std::pair<const char*, Ns>> parts;
  const auto take = [&](const char* name, double time) {
    const Ns part = std::clamp<Ns>(std::llround(time), 0, left);
    left -= part;
    parts.emplace_back(name, part);
  };
  const auto as_time = [&](std::int64_t flops) { return static_cast<double>(flops) / peak * 1e9; };
  const auto& sums = rank.sums;
  const std::int64_t useful = sums.flops - sums.transpose_flops;
  const double stated = rank.whole ? rank.data->SummaryNumber("model_flops") : -1;
  // A file may state any number, also one beyond all integers.
  const std::int64_t model = stated > 0 && stated < static_cast<double>(useful)
                                 ? static_cast<std::int64_t>(stated)
                                 : useful;
  take("model", as_time(model));
  take("transpose", as_time(sums.transpose_flops));
  take("other", as_time(useful - model));
  const Ns busy = total - left;
  // Time lost by throttling, in total and while the engine was active; from k of n cycles.
  double lost = 0, lost_active = 0;
  const std::vector<Span> active =
      profgauge::neuron::ActiveSpans(*rank.data, profgauge::neuron::Engine::kTensor);
  for (const profgauge::neuron::Throttle& row : rank.data->throttles) {
    if (!rank.Inside(row.start)) continue;
    const double share = 1 - static_cast<double>(row.k) / static_cast<double>(row.n);
    const Span span[] = {{row.start, row.start + row.duration}};
    lost += share * static_cast<double>(row.duration);
    if (row.duration > 0) {
      lost_active += share * static_cast<double>(OverlapLength(span, active));
    }
  }
  const double idle_in_active =
      static_cast<double>(sums.engines[0].active) - static_cast<double>(busy) - lost_active;
  take("active_throttled", lost_active);
  take("active_unused", idle_in_active);
  take("unused_throttled", lost - lost_active);
  parts.emplace_back("idle", left);
  for (const auto& [name, time] : parts) {
    write.Integer("rank"_col, rank.context->rank).Text("name"_col, name).Integer("time"_col, time);
    write.Share("share"_col, static_cast<double>(time), static_cast<double>(total));
  }
}

// Maps a semaphore's number to its text in operands, with the queue if the operand names it: "24"
// to "S[24] (qGpSimdDynamic)".
boost::unordered_flat_map<std::string_view, std::string_view> SemaphoreNames(
    const NeuronRank& rank) {
  boost::unordered_flat_map<std::string_view, std::string_view> names;
  for (const profgauge::neuron::Instruction& row : rank.data->instructions) {
    const std::string_view text =
        profgauge::neuron::WaitedSemaphore(rank.context->profile->Name(row.operands));
    const auto close = text.find(']');
    if (close == std::string_view::npos || close < 2) continue;
    names.try_emplace(text.substr(2, close - 2), text);
  }
  return names;
}

// One row per semaphore of a core, with the name in operands, if there is one.
void AddSemaphores(const NeuronRank& rank,
                   catalog::RowWriter<catalog::columns::kSemaphores>& write) {
  struct Use {
    std::int64_t updates = 0, highest = 0;
    Ns first = 0, last = 0;
  };
  // Ids are faster to find than names; there are far fewer names than updates.
  boost::unordered_flat_map<std::pair<std::int32_t, std::uint32_t>, Use> by_id;
  for (const profgauge::neuron::SemaphoreUpdate& row : rank.data->semaphores) {
    if (!rank.Inside(row.time)) continue;
    Use& use = by_id[{row.core, row.semaphore.value}];
    if (use.updates++ == 0) use.first = row.time;
    use.last = row.time;
    use.highest = std::max(use.highest, row.value);
  }
  std::map<std::pair<std::int32_t, std::string_view>, Use> uses;
  for (const auto& [key, use] : by_id) {
    uses.emplace(std::pair(key.first, rank.context->profile->Name(StringId{key.second})), use);
  }
  const auto names = SemaphoreNames(rank);
  for (const auto& [key, use] : uses) {
    const auto named = names.find(key.second);
    write.Integer("rank"_col, rank.context->rank).Integer("core"_col, key.first);
    write.Text("name"_col, named == names.end() ? fmt::format("S[{}]", key.second)
                                                : std::string(named->second));
    write.Integer("updates"_col, use.updates)
        .Integer("first"_col, use.first)
        .Integer("last"_col, use.last)
        .Integer("highest"_col, use.highest);
  }
}

// Takes every n-th point, so that any curve fits into the table; memory_peaks has the peaks.
void AddCurves(const NeuronRank& rank,
               catalog::RowWriter<catalog::columns::kCounterCurves>& write) {
  constexpr std::size_t kCurvePointsInTable = 20'000;
  const auto& points = rank.data->curves;
  const std::size_t step = points.size() / kCurvePointsInTable + 1;
  for (std::size_t i = 0; i < points.size(); i += step) {
    const profgauge::neuron::CurvePoint& point = points[i];
    if (!rank.Inside(point.time)) continue;
    write.Integer("rank"_col, rank.context->rank)
        .Integer("core"_col, point.core)
        .Text("name"_col, profgauge::neuron::CurveName(point.curve));
    write.Integer("time"_col, point.time).Real("value"_col, point.value);
  }
}

// Compares numbers that follow from rows and are also in the summary. The remark names the first
// that differs.
void AddIdentities(const NeuronRank& rank, std::int64_t& broken, std::string& first,
                   catalog::RowWriter<catalog::columns::kIdentities>& write) {
  const auto whole = profgauge::neuron::SumWhole(*rank.data);
  for (const profgauge::neuron::Identity& row : whole->identities) {
    write.Integer("rank"_col, rank.context->rank)
        .Text("name"_col, row.name)
        .Real("computed"_col, row.computed)
        .Real("stated"_col, row.stated);
    write.Real("deviation"_col, row.deviation).Bool("holds"_col, row.holds);
    if (!row.holds && broken++ == 0) {
      first =
          fmt::format("{}: {:g} from the rows, {:g} stated", row.name, row.computed, row.stated);
    }
  }
}

// Warnings of the profiler also become remarks: they concern the profile, so reports show them.
void AddMessages(std::span<const NeuronRank> ranks, catalog::Output& out) {
  catalog::RowWriter<catalog::columns::kProfilerWarnings> warnings(
      out.AddTable("profiler_warnings"));
  bool errors = false;
  for (const NeuronRank& rank : ranks) {
    const Profile& profile = *rank.context->profile;
    errors = errors || rank.data->has.errors;
    for (const profgauge::neuron::Message& row : rank.data->warnings) {
      const std::string text(profile.Name(row.text));
      warnings.Integer("rank"_col, rank.context->rank)
          .Text("category"_col, profile.Name(row.category))
          .Text("message"_col, text);
      out.AddRemark("profiler-warning", "the profiler warns: " + text);
    }
  }
  if (!errors) return out.SetTableAbsent("device_errors", "the file has no table of errors");
  catalog::RowWriter<catalog::columns::kDeviceErrors> table(out.AddTable("device_errors"));
  for (const NeuronRank& rank : ranks) {
    for (const profgauge::neuron::Message& row : rank.data->errors) {
      table.Integer("rank"_col, rank.context->rank)
          .Integer("core"_col, row.core)
          .Known("time"_col, row.time);
      table.Text("type"_col, rank.context->profile->Name(row.category));
      table.Text("message"_col, rank.context->profile->Name(row.text));
    }
  }
}

// Adds a table over the ranks if any of them `has` its data; otherwise the reason `missing`.
template <const auto& kColumns, class Has, class Add>
void AddWhere(std::span<const NeuronRank> ranks, const char* table, std::string_view missing,
              catalog::Output& out, const Has& has, const Add& add) {
  if (!std::any_of(ranks.begin(), ranks.end(), has)) {
    return out.SetTableAbsent(table, std::string(missing));
  }
  catalog::RowWriter<kColumns> write(out.AddTable(table));
  for (const NeuronRank& rank : ranks) add(rank, write);
}

}  // namespace

void AddNeuronNotes(std::span<const NeuronRank> ranks, catalog::Output& out) {
  AddWhere<catalog::columns::kThrottles>(
      ranks, "throttles", "the file has no throttle notifications", out,
      [](const NeuronRank& rank) { return rank.data->has.throttles; }, AddThrottles);
  AddWhere<catalog::columns::kFlopsParts>(
      ranks, "flops_parts", WhyNoFlopsParts(ranks.front()), out,
      [](const NeuronRank& rank) { return WhyNoFlopsParts(rank).empty(); }, AddFlopsParts);
  AddWhere<catalog::columns::kSemaphores>(
      ranks, "semaphores", "the file has no semaphore updates", out,
      [](const NeuronRank& rank) { return rank.data->has.semaphores; }, AddSemaphores);
  AddWhere<catalog::columns::kHbmUsage>(
      ranks, "hbm_usage", "the file has no memory use", out,
      [](const NeuronRank& rank) { return !rank.data->memory.empty(); },
      [](const NeuronRank& rank, catalog::RowWriter<catalog::columns::kHbmUsage>& write) {
        for (const profgauge::neuron::MemoryUse& row : rank.data->memory) {
          write.Integer("rank"_col, rank.context->rank)
              .Integer("device"_col, row.device)
              .Integer("core"_col, row.core);
          write.Text("name"_col, rank.context->profile->Name(row.use))
              .Integer("bytes"_col, row.bytes);
        }
      });
  AddWhere<catalog::columns::kCounterCurves>(
      ranks, "counter_curves", "the file has no counters", out,
      [](const NeuronRank& rank) { return rank.data->has.curves; }, AddCurves);
  std::int64_t broken = 0;
  std::string first;
  AddWhere<catalog::columns::kIdentities>(
      ranks, "identities", "the file has rows or a summary, not both", out,
      [](const NeuronRank& rank) { return rank.data->has.summary && rank.HasRows(); },
      [&](const NeuronRank& rank, catalog::RowWriter<catalog::columns::kIdentities>& write) {
        AddIdentities(rank, broken, first, write);
      });
  if (broken > 0) {
    out.AddRemark(
        "neuron-identities",
        broken == 1 ? fmt::format("one number of the file's summary is not confirmed by its rows, "
                                  "{}: the file may be filtered or incomplete",
                                  first)
                    : fmt::format("{} numbers of the file's summary are not confirmed by its rows, "
                                  "the first is {}: the file may be filtered or incomplete",
                                  broken, first));
  }
  AddMessages(ranks, out);
  for (const NeuronRank& rank : ranks) {
    if (rank.data->unread_tables.empty()) continue;
    std::string names;
    for (const std::string& name : rank.data->unread_tables)
      names += (names.empty() ? "" : ", ") + name;
    out.AddRemark("neuron-unread-tables", "tables of the file that nothing here uses: " + names);
  }
}

}  // namespace profgauge::analysis::neuron
