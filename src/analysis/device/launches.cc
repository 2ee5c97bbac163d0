// Launch metrics, and the table `launches`, which AppendLaunches() fills column by column.

#include "analysis/device/launches.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/catalog/device_columns.h"
#include "analysis/catalog/output.h"
#include "analysis/classify/host_work.h"
#include "analysis/device/queue.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/numbers.h"

namespace profgauge::analysis::device {
namespace {

std::string_view KindName(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kKernel:
      return "kernel";
    case DeviceKind::kMemcpy:
      return "memcpy";
    case DeviceKind::kMemset:
      break;
  }
  return "memset";
}

// Inputs for the cells of one rank's rows. Texts are ids in `pool`.
struct Cells {
  Cells(const iterations::RankContext& of, StringPool& to)
      : rank(of), profile(*of.profile), device(profile.device), pool(to), texts(profile, pool) {
    for (const DeviceKind kind : {DeviceKind::kKernel, DeviceKind::kMemcpy, DeviceKind::kMemset}) {
      kinds[static_cast<std::size_t>(kind)] = pool.Intern(KindName(kind));
    }
    for (const classify::Tri tri :
         {classify::Tri::kNo, classify::Tri::kYes, classify::Tri::kUnknown}) {
      verdicts[static_cast<std::size_t>(tri)] = pool.Intern(classify::TriName(tri));
    }
    for (const LaunchConfig& config : profile.launch_configs) {
      grids.push_back(Dimensions(config.grid, pool));
      blocks.push_back(Dimensions(config.block, pool));
    }
  }

  // "8, 1, 1"
  static StringId Dimensions(const std::int32_t (&xyz)[3], StringPool& pool) {
    if (xyz[0] <= 0) return {};
    return pool.Intern(std::to_string(xyz[0]) + ", " + std::to_string(xyz[1]) + ", " +
                       std::to_string(xyz[2]));
  }
  HostId OpOf(LaunchRow row) const { return device.op[row.row]; }
  // Invalid in formats without launches.
  ApiId CallOf(LaunchRow row) const { return device.launch[row.row]; }
  StringId OfConfig(const std::vector<StringId>& known, LaunchRow row) const {
    const LaunchConfigId config = device.config[row.row];
    return config.valid() ? known[config.value] : StringId{};
  }

  StringId LayerOf(LaunchRow row) {
    if (profile.kernel_markers.empty()) return {};
    std::string layers;
    for (const StringId layer : profile.kernel_markers[row.row].layers) {
      if (!layers.empty()) layers += ':';
      layers += profile.Name(layer);
    }
    return layers.empty() ? StringId{} : pool.Intern(layers);
  }
  StringId LineOf(LaunchRow row) {
    const HostId op = OpOf(row);
    const StringId stack = op.valid() ? profile.host.call_stack[op.value] : StringId{};
    if (!stack.valid()) return {};
    StringId& line = lines[stack.value];
    if (!line.valid()) {
      line = pool.Intern(classify::UsersFunction(profile.Name(stack)));
    }
    return line;
  }

  const iterations::RankContext& rank;
  const Profile& profile;
  const DeviceTable& device;
  StringPool& pool;
  catalog::Texts texts;
  boost::unordered_flat_map<std::uint32_t, StringId> lines;  // By call stack.
  std::array<StringId, 3> kinds, verdicts;
  std::vector<StringId> grids, blocks;  // By launch properties, which are few.
};

// The id of a column, and the function for its cell of one row. Each column is filled separately,
// because callers may need only some.
struct LaunchColumn {
  std::string_view id;
  void (*append)(Cells& of, LaunchRow row, Column& to);
};

constexpr LaunchColumn kLaunchColumns[] = {
    {"rank", [](Cells& of, LaunchRow, Column& to) { to.AddInteger(of.rank.rank); }},
    {"gpu", [](Cells& of, LaunchRow at, Column& to) { to.AddInteger(of.device.gpu[at.row]); }},
    {"stream",
     [](Cells& of, LaunchRow at, Column& to) { to.AddInteger(of.device.stream[at.row]); }},
    {"name",
     [](Cells& of, LaunchRow at, Column& to) { to.AddText(of.texts(of.device.name[at.row])); }},
    {"kind",
     [](Cells& of, LaunchRow at, Column& to) {
       to.AddText(of.kinds[static_cast<std::size_t>(of.device.kind[at.row])]);
     }},
    {"op",
     [](Cells& of, LaunchRow at, Column& to) {
       const HostId op = of.OpOf(at);
       to.AddText(op.valid() ? of.texts(of.profile.host.name[op.value]) : StringId{});
     }},
    {"call",
     [](Cells& of, LaunchRow at, Column& to) {
       const ApiId call = of.CallOf(at);
       to.AddText(call.valid() ? of.texts(of.profile.api.name[call.value]) : StringId{});
     }},
    {"call_start",
     [](Cells& of, LaunchRow at, Column& to) {
       const ApiId call = of.CallOf(at);
       to.AddInteger(call.valid() ? of.profile.api.start[call.value] : Column::kAbsentInteger);
     }},
    {"call_time",
     [](Cells& of, LaunchRow at, Column& to) {
       const ApiId call = of.CallOf(at);
       to.AddInteger(call.valid() ? of.profile.api.duration[call.value] : Column::kAbsentInteger);
     }},
    {"start", [](Cells& of, LaunchRow at, Column& to) { to.AddInteger(of.device.start[at.row]); }},
    {"time",
     [](Cells& of, LaunchRow at, Column& to) { to.AddInteger(of.device.duration[at.row]); }},
    {"delay",
     [](Cells& of, LaunchRow at, Column& to) {
       to.AddInteger(of.CallOf(at).valid() ? LaunchDelay(of.profile, at.row)
                                           : Column::kAbsentInteger);
     }},
    {"queue_length", [](Cells&, LaunchRow at, Column& to) { to.AddInteger(at.queue); }},
    {"uses_tensor_core",
     [](Cells& of, LaunchRow at, Column& to) {
       to.AddText(of.verdicts[static_cast<std::size_t>(of.rank.classes[at.row].tensor_core)]);
     }},
    {"iteration",
     [](Cells& of, LaunchRow at, Column& to) {
       const std::uint32_t iteration = of.rank.iterations.of_device[at.row];
       to.AddInteger(iteration == iterations::Iterations::kNone ? Column::kAbsentInteger
                                                                : iteration);
     }},
    {"grid", [](Cells& of, LaunchRow at, Column& to) { to.AddText(of.OfConfig(of.grids, at)); }},
    {"block", [](Cells& of, LaunchRow at, Column& to) { to.AddText(of.OfConfig(of.blocks, at)); }},
    {"layer", [](Cells& of, LaunchRow at, Column& to) { to.AddText(of.LayerOf(at)); }},
    {"line", [](Cells& of, LaunchRow at, Column& to) { to.AddText(of.LineOf(at)); }},
    {"shapes",
     [](Cells& of, LaunchRow at, Column& to) {
       const HostId op = of.OpOf(at);
       to.AddText(op.valid() ? of.texts(of.profile.host.input_shapes[op.value]) : StringId{});
     }},
};
static_assert(std::ranges::equal(kLaunchColumns, catalog::columns::kLaunches, {}, &LaunchColumn::id,
                                 &ColumnSpec::id));  // All columns exist.

}  // namespace

// Fills column by column; unknown columns stay unchanged.
void AppendLaunches(const iterations::RankContext& rank, std::span<const LaunchRow> rows,
                    std::span<Column* const> columns, StringPool& strings) {
  Cells cells(rank, strings);
  for (Column* column : columns) {
    const auto* const known =
        std::find_if(std::begin(kLaunchColumns), std::end(kLaunchColumns),
                     [column](const LaunchColumn& one) { return one.id == column->id(); });
    if (known == std::end(kLaunchColumns)) continue;
    for (const LaunchRow row : rows) known->append(cells, row, *column);
  }
}

namespace {

// The work of one call, which may be a graph of many kernels on several streams.
struct Launch {
  static constexpr std::uint32_t kNone = kNoIndex;
  std::uint32_t first = kNone, first_kernel = kNone;  // Rows of the device table.
  std::int32_t queue = 0;                             // The queue length found by the first.
};

// Counts launches. A call that launches one event, like most, is counted directly; a call with
// several is stored until all of its events were read.
class LaunchCounter {
 public:
  explicit LaunchCounter(const Profile& profile)
      : profile_(profile), launches_(profile.api.size()), launch_more_(profile.api.size()) {
    std::size_t kernels = 0;
    for (std::uint32_t row = 0; row < profile.device.size(); ++row) {
      const ApiId call = profile.device.launch[row];
      if (!call.valid()) continue;
      if (launches_[call.value]) launch_more_[call.value] = true;
      launches_[call.value] = true;
      if (profile.device.kind[row] == DeviceKind::kKernel) ++kernels;
    }
    facts_.delays.reserve(kernels);
  }

  // Adds a device row that was launched into a queue of that length.
  void Add(std::uint32_t row, std::int32_t queue) {
    const std::uint32_t call = profile_.device.launch[row].value;
    if (launch_more_[call]) return Join(row, queue, of_several_[call]);
    Launch one;
    Join(row, queue, one);
    Count(one);
  }

  // Counts the launches of several events, which are complete only now.
  LaunchFacts Facts() && {
    for (const auto& [call, launch] : of_several_) Count(launch);
    return std::move(facts_);
  }

 private:
  // Keeps the first work of a call, and its first kernel, which defines the delay of a graph.
  void Join(std::uint32_t row, std::int32_t queue, Launch& launch) const {
    const DeviceTable& device = profile_.device;
    const auto is_before = [&](std::uint32_t other) {
      return other == Launch::kNone || device.start[row] < device.start[other];
    };
    if (is_before(launch.first)) {
      launch.first = row;
      launch.queue = queue;
    }
    if (device.kind[row] == DeviceKind::kKernel && is_before(launch.first_kernel)) {
      launch.first_kernel = row;
    }
  }

  // A launch of only copies has no kernel delay, but counts for the queue.
  void Count(const Launch& launch) {
    ++facts_.launches;
    if (launch.queue == 0) ++facts_.into_empty_queue;
    if (launch.first_kernel != Launch::kNone) {
      facts_.delays.push_back(LaunchDelay(profile_, launch.first_kernel));
    }
  }

  const Profile& profile_;
  std::vector<bool> launches_, launch_more_;  // By call: has any work, has several events.
  boost::unordered_flat_map<std::uint32_t, Launch> of_several_;
  LaunchFacts facts_;
};

// Adds the launches of the rows [begin, end), which are of one stream. Calls `visit` for each
// launched row with its queue length.
template <class Visit>
void VisitStream(const iterations::RankContext& rank, std::size_t begin, std::size_t end,
                 LaunchCounter& launches, Visit visit) {
  ChosenRows launched;
  for (std::size_t row = begin; row < end; ++row) {
    const auto id = static_cast<std::uint32_t>(row);
    if (rank.profile->device.launch[row].valid()) launched.Add(id);
  }
  const StreamItems items(*rank.profile, std::move(launched));
  std::size_t item = 0;
  ForEachLength(items, [&](std::int64_t length) {
    const std::uint32_t row = items.RowOf(item++);
    const auto queue = static_cast<std::int32_t>(length);
    if (rank.InIterations(DeviceId{row})) launches.Add(row, queue);
    visit(DeviceId{row}, queue);
  });
}

// Visits all launches of a rank with the queue length that each found, stream by stream, so that
// only one stream's times are sorted at a time. Also calls `visit(row, queue)` for work outside of
// iterations.
template <class Visit>
LaunchFacts VisitLaunches(const iterations::RankContext& rank, Visit visit) {
  bool any = false;
  const DeviceTable& device = rank.profile->device;
  LaunchCounter launches(*rank.profile);
  for (std::size_t i = 0; i < device.size();) {  // Rows are sorted by GPU and stream.
    const std::size_t begin = i;
    while (i < device.size() && device.gpu[i] == device.gpu[begin] &&
           device.stream[i] == device.stream[begin]) {
      ++i;
    }
    VisitStream(rank, begin, i, launches, [&](DeviceId row, std::int32_t queue) {
      any = true;
      visit(row, queue);
    });
  }
  LaunchFacts facts = std::move(launches).Facts();
  facts.any = any;
  return facts;
}

// Returns the median of all delays with their counts. REQUIRES: there are any. For an even number,
// the mean of the middle two: delays 1 (twice), 5 (once), 9 (once) have 1 + (5 - 1) / 2 = 3.
Ns CountedMedian(std::span<const LaunchFacts> ranks) {
  std::map<Ns, std::int64_t> counts;
  std::int64_t all = 0;
  for (const LaunchFacts& rank : ranks) {
    for (std::size_t i = 0; i < rank.delays.size(); ++i) {
      const std::int64_t count = rank.delay_counts.empty() ? 1 : rank.delay_counts[i];
      counts[rank.delays[i]] += count;
      all += count;
    }
  }
  const auto at = [&](std::int64_t position) {
    for (const auto& [delay, count] : counts) {
      if (position < count) return delay;
      position -= count;
    }
    return counts.rbegin()->first;
  };
  const Ns middle = at(all / 2);
  if (all % 2 == 1) return middle;
  const Ns below = at(all / 2 - 1);
  return below + (middle - below) / 2;
}

}  // namespace

LaunchFacts LaunchFactsOf(const iterations::RankContext& rank) {
  return VisitLaunches(rank, [](DeviceId, std::int32_t) {});
}

void FoldDelays(LaunchFacts& facts) {
  constexpr std::size_t kDelaysKept = 16'384;
  std::map<Ns, std::int64_t> counts;
  for (std::size_t i = 0; i < facts.delays.size(); ++i) {
    counts[facts.delays[i]] += facts.delay_counts.empty() ? 1 : facts.delay_counts[i];
  }
  // Keeps fewer and fewer leading bits: the relative error is equal for short and long delays.
  for (int bits = 20; counts.size() > kDelaysKept && bits > 1; --bits) {
    std::map<Ns, std::int64_t> rounded;
    for (const auto& [delay, count] : counts) {
      const auto value = static_cast<std::uint64_t>(delay);
      const int dropped = std::max(0, static_cast<int>(std::bit_width(value)) - bits);
      const std::uint64_t kept = value >> dropped << dropped;
      facts.delay_error = std::max(facts.delay_error, static_cast<Ns>(value - kept));
      rounded[static_cast<Ns>(kept)] += count;
    }
    counts = std::move(rounded);
  }
  facts.delays.clear();
  facts.delay_counts.clear();
  for (const auto& [delay, count] : counts) {
    facts.delays.push_back(delay);
    facts.delay_counts.push_back(count);
  }
}

void SetLaunchMetrics(std::vector<LaunchFacts> ranks, catalog::Output& out) {
  std::vector<Ns> delays;
  std::int64_t launches = 0, into_empty_queue = 0;
  Ns error = 0;
  const bool any = std::any_of(ranks.begin(), ranks.end(),
                               [](const LaunchFacts& rank) { return !rank.delays.empty(); });
  const bool is_counted = std::any_of(ranks.begin(), ranks.end(), [](const LaunchFacts& rank) {
    return !rank.delay_counts.empty();
  });
  for (LaunchFacts& rank : ranks) {
    if (!is_counted && delays.empty()) {
      delays = std::move(rank.delays);  // Avoids a second long list.
    } else if (!is_counted) {
      delays.insert(delays.end(), rank.delays.begin(), rank.delays.end());
    }
    launches += rank.launches;
    into_empty_queue += rank.into_empty_queue;
    error = std::max(error, rank.delay_error);
  }
  const std::string reason = out.Gap(Capability::kLaunchLinks);
  if (!any) {
    out.SetAbsent(metric::kLaunchDelayMedian,
                  launches > 0 ? std::string(catalog::kNoKernelRan) : reason);
  } else {
    out.Set(metric::kLaunchDelayMedian,
            is_counted ? CountedMedian(ranks) : Median(std::move(delays)));
    if (error > 0) {
      out.SetNote(metric::kLaunchDelayMedian,
                  "at most " + FormatValue(error, Unit::kTime) +
                      " more: summaries keep the delays of many launches rounded down");
    }
  }
  if (launches == 0) {
    out.SetAbsent(metric::kLaunchQueueEmptyShare, reason);
  } else {
    out.Set(metric::kLaunchQueueEmptyShare,
            static_cast<double>(into_empty_queue) / static_cast<double>(launches));
  }
}

// Also used for queries and scenarios, which need rows without the table.
std::vector<LaunchRow> LaunchRowsOf(const iterations::RankContext& rank) {
  std::vector<LaunchRow> rows;
  rows.reserve(rank.profile->device.size());
  VisitLaunches(rank, [&](DeviceId row, std::int32_t queue) {
    if (rank.InTables(row)) rows.push_back({row.value, queue});
  });
  return rows;
}

namespace {

// Counts the rows, to reserve memory exactly: growth by doubling would temporarily need one and a
// half times the largest table.
std::size_t CountLaunched(std::span<const iterations::RankContext> ranks) {
  std::size_t rows = 0;
  for (const iterations::RankContext& rank : ranks) {
    for (const ApiId launch : rank.profile->device.launch) rows += launch.valid() ? 1 : 0;
  }
  return rows;
}

// Adds a row for each launch of the profile, and returns the facts on the selected ones.
std::vector<LaunchFacts> AddRows(std::span<const iterations::RankContext> ranks, std::size_t rows,
                                 catalog::Output& out) {
  std::vector<Column*> columns;
  for (Column& column : out.AddTable("launches").columns()) {
    column.Reserve(rows);
    columns.push_back(&column);
  }
  std::vector<LaunchFacts> facts;
  for (const iterations::RankContext& rank : ranks) {
    std::vector<LaunchRow> of_rank;
    of_rank.reserve(rank.profile->device.size());
    facts.push_back(VisitLaunches(rank, [&](DeviceId row, std::int32_t queue) {
      if (rank.InTables(row)) of_rank.push_back({row.value, queue});
    }));
    AppendLaunches(rank, of_rank, columns, out.strings());
  }
  return facts;
}

}  // namespace

void AddLaunches(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  if (!out.Wants("launches")) {
    std::vector<LaunchFacts> facts;
    for (const iterations::RankContext& rank : ranks) facts.push_back(LaunchFactsOf(rank));
    return SetLaunchMetrics(std::move(facts), out);
  }
  const std::size_t rows = CountLaunched(ranks);
  if (rows == 0) {
    out.SetTableAbsent("launches", out.Gap(Capability::kLaunchLinks));
    SetLaunchMetrics({}, out);
    return;
  }
  SetLaunchMetrics(AddRows(ranks, rows, out), out);
}

// The starts of such profiles keep the recorded order, but are no times.
void AddKernelCalls(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  const bool has_any =
      std::ranges::any_of(ranks, [](const auto& rank) { return rank.profile->device.size() > 0; });
  if (!out.Wants("launches") || !has_any) return;
  static constexpr std::string_view kTimes[] = {"call",  "call_start", "call_time",
                                                "start", "delay",      "queue_length"};
  std::vector<Column*> columns, times;
  for (Column& column : out.AddTable("launches").columns()) {
    const bool is_time = std::ranges::find(kTimes, column.id()) != std::end(kTimes);
    (is_time ? times : columns).push_back(&column);
  }
  for (Column* column : times) column->MarkAbsent(out.Gap(Capability::kLaunchLinks));
  for (const iterations::RankContext& rank : ranks) {
    const DeviceTable& device = rank.profile->device;
    std::vector<LaunchRow> rows;
    for (std::uint32_t row = 0; row < device.size(); ++row) {
      if (rank.InTables(DeviceId{row})) rows.push_back({row, 0});
    }
    std::ranges::stable_sort(rows, {}, [&](LaunchRow at) { return device.start[at.row]; });
    AppendLaunches(rank, rows, columns, out.strings());
    for (Column* column : times) {
      for (std::size_t row = 0; row < rows.size(); ++row) column->AddAbsent();
    }
  }
}

}  // namespace profgauge::analysis::device
