#include "exports/nsys/reports.h"

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace profgauge::exports::nsys {

bool IsRange(const Profile& profile, std::uint32_t host_row) {
  if (profile.host.style[host_row] != RangeStyle::kNone) return true;
  const HostKind kind = profile.host.kind[host_row];
  // A mark has no length. nsys counts only ranges.
  if (kind == HostKind::kAnnotation && profile.host.duration[host_row] == 0) return false;
  return kind == HostKind::kAnnotation || kind == HostKind::kIterationMarker;
}

std::string RangeLabel(const Profile& profile, std::uint32_t host_row) {
  std::string label(profile.Name(profile.host.domain[host_row]));
  return label.append(":").append(profile.Name(profile.host.name[host_row]));
}

std::string StyleLabel(const Profile& profile, std::uint32_t host_row) {
  switch (profile.host.style[host_row]) {
    case RangeStyle::kPushPop:
      return "PushPop";
    case RangeStyle::kStartEnd:
      return "StartEnd";
    case RangeStyle::kNone:
      break;
  }
  return "";
}

// A range that starts outside of the selected iterations is skipped, even around selected work.
// O(launches x depth).
void ForEachEnclosing(const SelectedRank& rank,
                      const std::function<void(std::uint32_t, std::uint32_t)>& use) {
  const Profile& profile = *rank.profile;
  const DeviceTable& device = profile.device;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    if (!device.launch[row].valid() || !rank.HasWork(row)) continue;
    const std::uint32_t call = device.launch[row].value;
    const Ns call_end = profile.api.start[call] + profile.api.duration[call];
    for (HostId at = profile.api.op[call]; at.valid(); at = profile.host.parent[at.value]) {
      // A parent may overlap the call without containing it.
      const Ns end = profile.host.start[at.value] + profile.host.duration[at.value];
      const bool holds = end >= call_end && rank.HasHostTime(profile.host.start[at.value]);
      if (holds && IsRange(profile, at.value)) use(at.value, row);
    }
  }
}

std::vector<Projection> ProjectRanges(const SelectedRank& rank) {
  const Profile& profile = *rank.profile;
  std::vector<Projection> projections(profile.host.size());
  ForEachEnclosing(rank, [&](std::uint32_t range, std::uint32_t work) {
    Projection& projection = projections[range];
    const Ns start = profile.device.start[work];
    const Ns end = start + profile.device.duration[work];
    if (projection.empty()) {
      projection.span = {start, end};
    } else {
      projection.span.start = std::min(projection.span.start, start);
      projection.span.end = std::max(projection.span.end, end);
    }
    ++projection.work;
  });
  return projections;
}

namespace {

// Groups values by name, across ranks. Each name is searched once per rank.
class ByName {
 public:
  void NextRank(const Profile& profile) {
    profile_ = &profile;
    of_id_.clear();
  }
  std::vector<std::int64_t>& operator[](StringId id) {
    const auto [at, is_new] = of_id_.try_emplace(id.value);
    if (is_new) {
      const auto [group, unseen] =
          of_name_.try_emplace(std::string(profile_->Name(id)), groups_.size());
      if (unseen) groups_.push_back({{group->first}, {}});
      at->second = group->second;
    }
    return groups_[at->second].values;
  }
  std::vector<Group> Take() { return std::move(groups_); }

 private:
  const Profile* profile_ = nullptr;
  boost::unordered_flat_map<std::uint32_t, std::size_t> of_id_;
  std::map<std::string, std::size_t> of_name_;
  std::vector<Group> groups_;
};

// Groups values by labels that are made for each row.
class ByLabels {
 public:
  std::vector<std::int64_t>& operator[](const std::vector<std::string>& labels) {
    const auto [at, is_new] = known_.try_emplace(labels, groups_.size());
    if (is_new) groups_.push_back({labels, {}});
    return groups_[at->second].values;
  }
  std::vector<Group> Take() { return std::move(groups_); }

 private:
  std::map<std::vector<std::string>, std::size_t> known_;
  std::vector<Group> groups_;
};

template <class Use>
void ForEachDevice(std::span<const SelectedRank> ranks, const Use& use) {
  for (const SelectedRank& rank : ranks) {
    for (std::uint32_t row = 0; row < rank.profile->device.size(); ++row) {
      if (rank.HasWork(row)) use(*rank.profile, row);
    }
  }
}

// The durations of kernels, or of copies and memsets, by name.
std::vector<Group> DeviceTimes(std::span<const SelectedRank> ranks, bool kernels) {
  ByName groups;
  for (const SelectedRank& rank : ranks) {
    groups.NextRank(*rank.profile);
    const DeviceTable& device = rank.profile->device;
    for (std::uint32_t row = 0; row < device.size(); ++row) {
      if ((device.kind[row] == DeviceKind::kKernel) != kernels || !rank.HasWork(row)) continue;
      groups[device.name[row]].push_back(device.duration[row]);
    }
  }
  return groups.Take();
}

// The durations of calls, by name. `table_of` returns the table of calls.
template <class Table>
std::vector<Group> HostTimes(std::span<const SelectedRank> ranks, const Table& table_of) {
  ByName groups;
  for (const SelectedRank& rank : ranks) {
    groups.NextRank(*rank.profile);
    const auto& table = table_of(*rank.profile);
    for (std::size_t row = 0; row < table.size(); ++row) {
      if (!rank.HasHostTime(table.start[row])) continue;
      groups[table.name[row]].push_back(table.duration[row]);
    }
  }
  return groups.Take();
}

ReportTable Kernels(std::span<const SelectedRank> ranks) {
  return TimeTable(DeviceTimes(ranks, true), "Instances", {"Name"});
}

ReportTable KernelsByGrid(std::span<const SelectedRank> ranks) {
  ByLabels groups;
  ForEachDevice(ranks, [&](const Profile& profile, std::uint32_t row) {
    const DeviceTable& device = profile.device;
    if (device.kind[row] != DeviceKind::kKernel) return;
    const LaunchConfigId id = device.config[row];
    const LaunchConfig config = id.valid() ? profile.launch_configs[id.value] : LaunchConfig{};
    const auto text = [](const std::int32_t(&sizes)[3]) {
      return fmt::format("{:>4} {:>4} {:>4}", sizes[0], sizes[1], sizes[2]);
    };
    groups[{text(config.grid), text(config.block), std::string(profile.Name(device.name[row]))}]
        .push_back(device.duration[row]);
  });
  return TimeTable(groups.Take(), "Instances", {"GridXYZ", "BlockXYZ", "Name"});
}

ReportTable MemoryTimes(std::span<const SelectedRank> ranks) {
  return TimeTable(DeviceTimes(ranks, false), "Count", {"Operation"});
}

ReportTable MemorySizes(std::span<const SelectedRank> ranks) {
  ByName groups;
  for (const SelectedRank& rank : ranks) {
    groups.NextRank(*rank.profile);
    const DeviceTable& device = rank.profile->device;
    for (std::uint32_t row = 0; row < device.size(); ++row) {
      if (device.kind[row] == DeviceKind::kKernel || device.bytes[row] < 0) continue;
      if (!rank.HasWork(row)) continue;
      groups[device.name[row]].push_back(device.bytes[row]);
    }
  }
  return SizeTable(groups.Take(), "Operation");
}

ReportTable DeviceWork(std::span<const SelectedRank> ranks) {
  std::vector<Group> all;
  for (const bool kernels : {true, false}) {
    for (Group& group : DeviceTimes(ranks, kernels)) {
      group.labels.insert(group.labels.begin(), kernels ? "CUDA_KERNEL" : "MEMORY_OPER");
      all.push_back(std::move(group));
    }
  }
  return TimeTable(std::move(all), "Instances", {"Category", "Operation"});
}

ReportTable Calls(std::span<const SelectedRank> ranks) {
  return TimeTable(HostTimes(ranks, [](const Profile& p) -> const ApiTable& { return p.api; }),
                   "Num Calls", {"Name"});
}

ReportTable OsCalls(std::span<const SelectedRank> ranks) {
  return TimeTable(HostTimes(ranks, [](const Profile& p) -> const OsTable& { return p.os; }),
                   "Num Calls", {"Name"});
}

template <class Wanted>
ReportTable Ranges(std::span<const SelectedRank> ranks, const Wanted& wanted) {
  ByLabels groups;
  for (const SelectedRank& rank : ranks) {
    const Profile& profile = *rank.profile;
    for (std::uint32_t row = 0; row < profile.host.size(); ++row) {
      if (!IsRange(profile, row) || !wanted(profile.host.style[row])) continue;
      if (!rank.HasHostTime(profile.host.start[row])) continue;
      groups[{StyleLabel(profile, row), RangeLabel(profile, row)}].push_back(
          profile.host.duration[row]);
    }
  }
  return TimeTable(groups.Take(), "Instances", {"Style", "Range"});
}

ReportTable AllRanges(std::span<const SelectedRank> ranks) {
  return Ranges(ranks, [](RangeStyle) { return true; });
}

// Removes the column of styles, for the two reports whose ranges all have the same style.
ReportTable WithoutStyle(ReportTable table) {
  const std::size_t style = table.heads.size() - 2;
  const auto drop = [style](std::vector<std::string>& cells) {
    cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(style));
  };
  drop(table.heads);
  for (auto& row : table.rows) drop(row);
  return table;
}

ReportTable PushPopRanges(std::span<const SelectedRank> ranks) {
  return WithoutStyle(Ranges(ranks, [](RangeStyle s) { return s == RangeStyle::kPushPop; }));
}

ReportTable StartEndRanges(std::span<const SelectedRank> ranks) {
  return WithoutStyle(Ranges(ranks, [](RangeStyle s) { return s == RangeStyle::kStartEnd; }));
}

struct Projected {
  std::vector<std::int64_t> spans;
  std::int64_t range_time = 0, work = 0, levels = 0, children = 0;
};

// By host row: its depth among its thread's ranges (0 is outermost) and its direct children.
struct Nesting {
  std::vector<std::int32_t> level, children;
};

// Considers only ranges that reports list, so operators between two ranges add no level. One pass
// is enough, because a parent precedes its children.
Nesting NestingOf(const Profile& profile) {
  const HostTable& host = profile.host;
  Nesting nesting{std::vector<std::int32_t>(host.size(), 0),
                  std::vector<std::int32_t>(host.size(), 0)};
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    HostId parent = host.parent[row];
    while (parent.valid() && !IsRange(profile, parent.value)) parent = host.parent[parent.value];
    if (!parent.valid() || !IsRange(profile, row)) continue;
    nesting.level[row] = nesting.level[parent.value] + 1;
    ++nesting.children[parent.value];
  }
  return nesting;
}

// Groups projections by label and style, across ranks.
std::map<std::pair<std::string, std::string>, Projected> CollectProjections(
    std::span<const SelectedRank> ranks) {
  std::map<std::pair<std::string, std::string>, Projected> groups;
  for (const SelectedRank& rank : ranks) {
    const Profile& profile = *rank.profile;
    const std::vector<Projection> projections = ProjectRanges(rank);
    const Nesting nesting = NestingOf(profile);
    for (std::uint32_t row = 0; row < projections.size(); ++row) {
      if (projections[row].empty()) continue;
      Projected& group = groups[{RangeLabel(profile, row), StyleLabel(profile, row)}];
      group.spans.push_back(projections[row].span.length());
      group.range_time += profile.host.duration[row];
      group.work += projections[row].work;
      group.levels += nesting.level[row];
      group.children += nesting.children[row];
    }
  }
  return groups;
}

// Averages are over the instances that have work on the GPU.
ReportTable ProjectedRanges(std::span<const SelectedRank> ranks) {
  ReportTable table;
  table.heads = {"Range",
                 "Style",
                 "Total Proj Time (ns)",
                 "Total Range Time (ns)",
                 "Range Instances",
                 "Proj Avg (ns)",
                 "Proj Med (ns)",
                 "Proj Min (ns)",
                 "Proj Max (ns)",
                 "Proj StdDev (ns)",
                 "Total GPU Ops",
                 "Avg GPU Ops",
                 "Avg Range Lvl",
                 "Avg Num Child"};
  std::vector<std::pair<std::int64_t, std::vector<std::string>>> rows;
  for (auto& [key, group] : CollectProjections(ranks)) {
    const Summary s = Summarize(std::move(group.spans));
    const auto average = [&](std::int64_t sum) {
      return fmt::format("{:.1f}", static_cast<double>(sum) / static_cast<double>(s.count));
    };
    rows.push_back(
        {s.total,
         {key.first, key.second, fmt::format("{}", s.total), fmt::format("{}", group.range_time),
          fmt::format("{}", s.count), fmt::format("{:.1f}", s.mean),
          fmt::format("{:.1f}", s.median), fmt::format("{}", s.min), fmt::format("{}", s.max),
          fmt::format("{:.1f}", s.stddev), fmt::format("{}", group.work), average(group.work),
          average(group.levels), average(group.children)}});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& row : rows) table.rows.push_back(std::move(row.second));
  return table;
}

// A kernel counts for each range around its launch.
ReportTable KernelsByRange(std::span<const SelectedRank> ranks) {
  using Key = std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::string>;
  struct Kernels {
    std::vector<std::int64_t> times;
    std::set<std::uint32_t> ranges;
  };
  std::map<Key, Kernels> groups;
  for (const SelectedRank& rank : ranks) {
    const Profile& profile = *rank.profile;
    ForEachEnclosing(rank, [&](std::uint32_t range, std::uint32_t work) {
      if (profile.device.kind[work] != DeviceKind::kKernel) return;
      const Thread& thread = profile.threads[profile.host.thread[range].value];
      Kernels& group = groups[{RangeLabel(profile, range), StyleLabel(profile, range), thread.pid,
                               thread.tid, std::string(profile.Name(profile.device.name[work]))}];
      group.times.push_back(profile.device.duration[work]);
      group.ranges.insert(range);
    });
  }
  ReportTable table;
  table.heads = {"NVTX Range", "Style",           "PID",        "TID",      "NVTX Inst",
                 "Kern Inst",  "Total Time (ns)", "Avg (ns)",   "Med (ns)", "Min (ns)",
                 "Max (ns)",   "StdDev (ns)",     "Kernel Name"};
  for (auto& [key, group] : groups) {
    const Summary s = Summarize(std::move(group.times));
    const auto& [range, style, process, thread, kernel] = key;
    table.rows.push_back({range, style, fmt::format("{}", process), fmt::format("{}", thread),
                          fmt::format("{}", group.ranges.size()), fmt::format("{}", s.count),
                          fmt::format("{}", s.total), fmt::format("{:.1f}", s.mean),
                          fmt::format("{:.1f}", s.median), fmt::format("{}", s.min),
                          fmt::format("{}", s.max), fmt::format("{:.1f}", s.stddev), kernel});
  }
  return table;
}

constexpr ReportSpec kReports[] = {
    {"cuda_gpu_kern_sum", "kernels by name", Kernels},
    {"cuda_gpu_kern_gb_sum", "kernels by name, grid and block", KernelsByGrid},
    {"cuda_api_sum", "runtime and driver calls", Calls},
    {"cuda_gpu_mem_time_sum", "copies and memory sets by time", MemoryTimes},
    {"cuda_gpu_mem_size_sum", "copies and memory sets by bytes", MemorySizes},
    {"cuda_gpu_sum", "kernels, copies and memory sets", DeviceWork},
    {"nvtx_sum", "ranges", AllRanges},
    {"nvtx_pushpop_sum", "ranges that were pushed and popped", PushPopRanges},
    {"nvtx_startend_sum", "ranges that were started and ended", StartEndRanges},
    {"nvtx_gpu_proj_sum", "ranges, projected onto the GPU", ProjectedRanges},
    {"nvtx_kern_sum", "kernels by range", KernelsByRange},
    {"osrt_sum", "calls of the operating system's libraries", OsCalls},
};

struct OldName {
  std::string_view old, name;
};
constexpr OldName kOldNames[] = {
    {"gpukernsum", "cuda_gpu_kern_sum"},
    {"kernsum", "cuda_gpu_kern_sum"},
    {"gpukerngbsum", "cuda_gpu_kern_gb_sum"},
    {"cudaapisum", "cuda_api_sum"},
    {"gpumemtimesum", "cuda_gpu_mem_time_sum"},
    {"gpumemsizesum", "cuda_gpu_mem_size_sum"},
    {"gpusum", "cuda_gpu_sum"},
    {"nvtxsum", "nvtx_sum"},
    {"nvtxppsum", "nvtx_pushpop_sum"},
    {"nvtxsesum", "nvtx_startend_sum"},
    {"nvtxgpuprojsum", "nvtx_gpu_proj_sum"},
    {"nvtxkernsum", "nvtx_kern_sum"},
    {"osrtsum", "osrt_sum"},
};

}  // namespace

std::span<const ReportSpec> Reports() { return kReports; }

const ReportSpec* FindReport(std::string_view name) {
  for (const OldName& old : kOldNames) {
    if (old.old == name) name = old.name;
  }
  for (const ReportSpec& report : kReports) {
    if (report.name == name) return &report;
  }
  return nullptr;
}

namespace {

constexpr double kMegabyte = 1e6;

struct Row {
  Summary summary;
  std::vector<std::string> labels;
};

// Sorts groups by total, largest first, and equal totals by label, so that the order does not
// depend on the order of the profile's rows.
std::vector<Row> InOrder(std::vector<Group> groups) {
  std::vector<Row> rows;
  for (Group& group : groups) {
    if (group.values.empty()) continue;
    rows.push_back({Summarize(std::move(group.values)), std::move(group.labels)});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.summary.total != b.summary.total ? a.summary.total > b.summary.total
                                              : a.labels < b.labels;
  });
  return rows;
}

}  // namespace

Summary Summarize(std::vector<std::int64_t> values) {
  Summary summary;
  summary.count = static_cast<std::int64_t>(values.size());
  if (values.empty()) return summary;
  std::sort(values.begin(), values.end());
  summary.total = std::accumulate(values.begin(), values.end(), std::int64_t{0});
  summary.min = values.front();
  summary.max = values.back();
  const auto count = static_cast<double>(summary.count);
  summary.mean = static_cast<double>(summary.total) / count;
  const std::size_t middle = values.size() / 2;
  summary.median = static_cast<double>(values[middle]);
  if (values.size() % 2 == 0) {
    summary.median = (summary.median + static_cast<double>(values[middle - 1])) / 2;
  }
  if (values.size() > 1) {
    double squares = 0;
    for (const std::int64_t value : values) {
      const double off = static_cast<double>(value) - summary.mean;
      squares += off * off;
    }
    summary.stddev = std::sqrt(squares / (count - 1));
  }
  return summary;
}

// Percentages are of the table's total, which is nsys's definition, not of the run time.
ReportTable TimeTable(std::vector<Group> groups, const char* count,
                      const std::vector<std::string>& labels) {
  ReportTable table;
  table.heads = {"Time (%)", "Total Time (ns)", count,      "Avg (ns)",
                 "Med (ns)", "Min (ns)",        "Max (ns)", "StdDev (ns)"};
  table.heads.insert(table.heads.end(), labels.begin(), labels.end());
  const std::vector<Row> rows = InOrder(std::move(groups));
  double all = 0;
  for (const Row& row : rows) all += static_cast<double>(row.summary.total);
  for (const Row& row : rows) {
    const Summary& s = row.summary;
    std::vector<std::string> cells = {
        fmt::format("{:.1f}", all > 0 ? 100 * static_cast<double>(s.total) / all : 0),
        fmt::format("{}", s.total),
        fmt::format("{}", s.count),
        fmt::format("{:.1f}", s.mean),
        fmt::format("{:.1f}", s.median),
        fmt::format("{}", s.min),
        fmt::format("{}", s.max),
        fmt::format("{:.1f}", s.stddev)};
    cells.insert(cells.end(), row.labels.begin(), row.labels.end());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// Sorts rows by bytes, largest first.
ReportTable SizeTable(std::vector<Group> groups, const std::string& label) {
  ReportTable table;
  table.heads = {"Total (MB)", "Count",    "Avg (MB)",    "Med (MB)",
                 "Min (MB)",   "Max (MB)", "StdDev (MB)", label};
  const auto megabytes = [](double bytes) { return fmt::format("{:.3f}", bytes / kMegabyte); };
  for (const Row& row : InOrder(std::move(groups))) {
    const Summary& s = row.summary;
    std::vector<std::string> cells = {megabytes(static_cast<double>(s.total)),
                                      fmt::format("{}", s.count),
                                      megabytes(s.mean),
                                      megabytes(s.median),
                                      megabytes(static_cast<double>(s.min)),
                                      megabytes(static_cast<double>(s.max)),
                                      megabytes(s.stddev)};
    cells.insert(cells.end(), row.labels.begin(), row.labels.end());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace profgauge::exports::nsys
