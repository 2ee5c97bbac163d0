#include "exports/dlprof/dlprof_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "base/csv.h"
#include "model/certificate.h"
#include "profgauge/version.h"

namespace profgauge::exports::dlprof {
namespace {

/// Writes one line, with the quotes that DLProf uses for each column.
class Line {
 public:
  explicit Line(std::string& out) : out_(out) {}
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() { out_ += '\n'; }

  Line& Quoted(std::string_view text) {
    Separate();
    out_ += '"';
    for (const char c : NeutralCell(text)) {
      if (c == '"') out_ += '"';
      out_ += c;
    }
    out_ += '"';
    return *this;
  }
  /// Adds a text that DLProf does not quote. If it contains a comma, it is quoted nevertheless.
  Line& Bare(std::string_view text) {
    if (text.find_first_of(",\"\n") != std::string_view::npos) return Quoted(text);
    Separate();
    out_ += NeutralCell(text);
    return *this;
  }
  Line& Number(std::int64_t number) {
    Separate();
    fmt::format_to(std::back_inserter(out_), "{}", number);
    return *this;
  }
  Line& Decimal(double number) {
    Separate();
    fmt::format_to(std::back_inserter(out_), "{:.1f}", number);
    return *this;
  }
  Line& YesNo(bool yes) { return Bare(yes ? "yes" : "no"); }
  Line& Stats(const analysis::dlprof::dlprof::Stat& stat) {
    return Number(stat.sum).Decimal(stat.mean()).Number(stat.min).Number(stat.max);
  }
  Line& All(const analysis::dlprof::dlprof::Times& times) {
    return Stats(times.cpu).Stats(times.gpu).Stats(times.overhead).Stats(times.idle);
  }

 private:
  void Separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  std::string& out_;
  bool first_ = true;
};

/// The heads of the four times: "Total CPU Time (ns),Avg. CPU Time (ns),…".
std::string TimeHeads() {
  std::string heads;
  for (const std::string_view time : {"CPU Time", "GPU Time", "CPU Overhead", "GPU Idle"}) {
    for (const std::string_view kind : {"Total", "Avg.", "Min", "Max"}) {
      heads += fmt::format("{}{} {} (ns)", heads.empty() ? "" : ",", kind, time);
    }
  }
  return heads;
}

/// One line for each op. Some columns are quoted even without a comma, because DLProf does so.
std::string Detailed(const analysis::dlprof::dlprof::Report& report) {
  std::string text =
      "All Iterations\nOp ID,Op Name,Direction,Op Type,No. Calls,TC Eligible,Using TC," +
      TimeHeads() + ",Data Type,Stack Trace\n";
  for (const analysis::dlprof::dlprof::Op& op : report.ops) {
    Line line(text);
    line.Quoted(op.id).Quoted(op.name).Bare(op.direction).Quoted(op.type).Number(op.calls);
    line.YesNo(op.eligible).YesNo(op.uses_tensor_cores).All(op.times);
    line.Bare(op.data_type).Quoted(op.stack);
  }
  return text;
}

/// The long name of each op and short name. DLProf keeps only that of the last launch, although
/// variants of a template differ.
std::map<std::pair<std::size_t, std::string_view>, std::string_view> LongNames(
    const Profile& profile, const analysis::dlprof::dlprof::Report& report) {
  std::map<std::pair<std::size_t, std::string_view>, std::string_view> names;
  std::map<std::pair<std::size_t, std::string_view>, Ns> starts;
  for (const analysis::dlprof::dlprof::Launch& launch : report.launches) {
    const std::pair<std::size_t, std::string_view> key{launch.op, launch.name};
    const Ns start = profile.device.start[launch.row];
    const auto [at, is_new] = starts.try_emplace(key, start);
    if (!is_new && start < at->second) continue;
    at->second = start;
    names[key] = launch.long_name;
  }
  return names;
}

/// One line for each launch; times count from the start of the session. The op's parameters are
/// unknown, so their column is empty.
std::string ByIteration(const Profile& profile, const analysis::dlprof::dlprof::Report& report) {
  std::string text =
      "Iteration Report\nIteration,Op ID,Op Name,Direction,Op Type,Kernel Name,Device ID,"
      "GPU Start Time (ns),GPU Duration (ns),API Call Start (ns),API Call Time (ns),Uses TC,"
      "Grid X,Grid Y,Grid Z,Block X,Block Y,Block Z,Data Types,Input Shapes,Parameters,"
      "Output Shapes,Long Kernel Name\n";
  const DeviceTable& device = profile.device;
  const auto long_names = LongNames(profile, report);
  for (const analysis::dlprof::dlprof::Launch& launch : report.launches) {
    const analysis::dlprof::dlprof::Op& op = report.ops[launch.op];
    Line line(text);
    line.Number(launch.iteration).Quoted(op.id).Quoted(op.name).Bare(op.direction);
    line.Quoted(op.type).Quoted(launch.name).Number(device.gpu[launch.row]);
    // DLProf counts times from the start of the session.
    line.Number(device.start[launch.row] - profile.session_start);
    line.Number(device.duration[launch.row]);
    if (launch.api_start < 0) {
      line.Bare("").Bare("");
    } else {
      line.Number(launch.api_start - profile.session_start).Number(launch.api_time);
    }
    line.YesNo(launch.uses_tensor_cores);
    const LaunchConfigId id = device.config[launch.row];
    const LaunchConfig config = id.valid() ? profile.launch_configs[id.value] : LaunchConfig{};
    for (const std::int32_t size : config.grid) line.Number(size);
    for (const std::int32_t size : config.block) line.Number(size);
    line.Bare(op.data_type).Quoted(op.input_shapes).Quoted("").Quoted(op.output_shapes);
    line.Quoted(long_names.at({launch.op, launch.name}));
  }
  return text;
}

std::string Kernels(const analysis::dlprof::dlprof::Report& report) {
  std::string text =
      "Kernel Report\nKernel Name,Op ID,Op Name,Direction,Uses TC,Total GPU Time (ns),"
      "Avg GPU Time (ns),Min GPU Time (ns),Max GPU Time (ns),Total API Time (ns),"
      "Avg API Time (ns),Min API Time (ns),Max API Time (ns)\n";
  for (const analysis::dlprof::dlprof::KernelSum& kernel : report.kernels) {
    const analysis::dlprof::dlprof::Op& op = report.ops[kernel.op];
    Line line(text);
    line.Quoted(kernel.name).Quoted(op.id).Quoted(op.name).Bare(op.direction);
    line.YesNo(kernel.uses_tensor_cores).Stats(kernel.gpu).Stats(kernel.api);
  }
  return text;
}

std::string Groups(const analysis::dlprof::dlprof::Report& report) {
  std::string text =
      "Group Op Report\nName,Num Calls Aggregated,Num TC Eligible Ops,Num Ops Using TC," +
      TimeHeads() + "\n";
  for (const analysis::dlprof::dlprof::Group& group : report.groups) {
    Line line(text);
    line.Quoted(group.name).Number(group.calls).Number(group.eligible_ops);
    line.Number(group.tensor_core_ops).All(group.times);
  }
  return text;
}

std::string Types(const analysis::dlprof::dlprof::Report& report) {
  std::string text = "Op Type Summary Report\nOp Type,# Ops,# Calls," + TimeHeads() + "\n";
  for (const analysis::dlprof::dlprof::OpType& type : report.types) {
    Line(text).Quoted(type.name).Number(type.ops).Number(type.calls).All(type.times);
  }
  return text;
}

std::string TensorCores(const analysis::dlprof::dlprof::Report& report) {
  std::string text =
      "Tensor Core Report\nOp ID,Op Name,Direction,Op Type,Uses TC,Total GPU Time (ns),"
      "TC GPU Time (ns),Non-TC GPU Time (ns),TC Utilization (%),Total Kernel Count,"
      "TC Kernel Count,TC Kernel Names,Non-TC Kernel Count,Non-TC Kernel Names\n";
  for (const analysis::dlprof::dlprof::TensorCoreOp& row : report.tensor) {
    const analysis::dlprof::dlprof::Op& op = report.ops[row.op];
    const Ns total = row.tensor_core_time + row.other_time;
    const auto count = [](const auto& names) { return static_cast<std::int64_t>(names.size()); };
    Line line(text);
    line.Quoted(op.id).Quoted(op.name).Bare(op.direction).Quoted(op.type);
    line.YesNo(op.uses_tensor_cores).Number(total).Number(row.tensor_core_time);
    line.Number(row.other_time);
    line.Decimal(total == 0 ? 0
                            : 100.0 * static_cast<double>(row.tensor_core_time) /
                                  static_cast<double>(total));
    line.Number(count(row.tensor_core_kernels) + count(row.other_kernels));
    line.Number(count(row.tensor_core_kernels));
    line.Quoted(fmt::format("{}", fmt::join(row.tensor_core_kernels, ", ")));
    line.Number(count(row.other_kernels));
    line.Quoted(fmt::format("{}", fmt::join(row.other_kernels, ", ")));
  }
  return text;
}

// The first of these facts that is recorded, because readers use different keys for it.
std::string FirstFact(const Profile& profile, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const std::string_view fact = FactOf(profile, key); !fact.empty()) return std::string(fact);
  }
  return {};
}

/// Converts "11070" to "11.7".
std::string CudaVersion(const std::string& text) {
  if (text.size() < 4 || text.size() > 6 ||
      text.find_first_not_of("0123456789") != std::string::npos) {
    return text;
  }
  const int number = std::stoi(text);
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

// Writes every line of the system report. A missing property leaves its cell empty.
void AddSystem(const Profile& profile, std::string& text) {
  text += "System Config\n";
  Line(text).Bare("GPU Count").Number(static_cast<std::int64_t>(profile.gpus.size()));
  std::string names;
  for (const Gpu& gpu : profile.gpus) names += (names.empty() ? "" : ", ") + gpu.name;
  // The list is not quoted, so that every GPU has a cell.
  text += "GPU Name(s)," + NeutralCell(names) + "\n";
  const std::pair<std::string_view, std::string> rows[] = {
      {"CPU Model", FirstFact(profile, {"cpu_model"})},
      {"GPU Driver Version", FirstFact(profile, {"nvidia_driver_version"})},
      {"Framework", FirstFact(profile, {"framework"})},
      {"CUDA Version", CudaVersion(FirstFact(profile, {"cuda_version", "cuda_driver_version"}))},
      {"NSys Version", FirstFact(profile, {"nsight_systems_version"})},
      {"DLProf Version", fmt::format("ProfGauge {}", kVersion)},
      {"DLProf Build", ""},
  };
  for (const auto& [key, value] : rows) Line(text).Bare(key).Bare(value);
}

// Adds a block of the summary: an empty line, its title, its heads, and one line for each share.
void AddShares(
    std::string_view title, std::string_view count,
    std::initializer_list<std::pair<std::string_view, const analysis::dlprof::dlprof::Share*>> rows,
    std::string& text) {
  fmt::format_to(std::back_inserter(text), "\n{}\n,GPU Time (ns),CPU Time (ns),# {}\n", title,
                 count);
  for (const auto& [name, share] : rows) {
    Line(text).Bare(name).Number(share->gpu).Number(share->cpu).Number(share->count);
  }
}

std::string SummaryText(const Profile& profile, const analysis::dlprof::dlprof::Summary& s) {
  std::string text;
  AddSystem(profile, text);
  const auto percent = [&](Ns part) {
    return s.wall == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(s.wall);
  };
  text += "\nSummary Report\n";
  Line(text).Bare("Wall Clock Time (ns)").Number(s.wall);
  const std::pair<std::string_view, double> percents[] = {
      {"Tensor Core Kernel Utilization %", 100 * s.tensor_core_utilization},
      {"GPU Utilization %", 100 * s.gpu_utilization},
      {"Tensor Core Kernel Duration %", percent(s.breakdown.tensor_core)},
      {"Non-Tensor Core Kernel Duration %", percent(s.breakdown.other_kernel)},
      {"Memory Duration %", percent(s.breakdown.memory)},
      {"Dataloader Duration %", percent(s.breakdown.dataloader)},
      {"IO Duration %", percent(s.breakdown.io)},
      {"CPU Duration %", percent(s.breakdown.cpu)},
      {"Other Duration %", percent(s.breakdown.other)},
  };
  for (const auto& [key, value] : percents) Line(text).Bare(key).Decimal(value);
  text += "\nIterations\n";
  Line(text).Bare("Total Iterations").Number(s.iterations);
  Line(text).Bare("Aggregated Iterations").Number(s.aggregated);
  Line(text).Bare("Start Iteration").Number(s.start);
  Line(text).Bare("Stop Iteration").Number(s.stop);
  Line(text).Bare("Average Iteration Time (ns)").Decimal(s.mean_iteration);
  Line(text).Bare("Iteration Time Standard Deviation").Decimal(s.stddev_iteration);
  AddShares("All Ops", "Ops",
            {{"All ops", &s.ops},
             {"Ops using TC", &s.ops_using},
             {"Ops eligible for TC but not using", &s.ops_eligible},
             {"All other ops", &s.ops_other}},
            text);
  AddShares("All Kernels", "Kernels",
            {{"All kernels", &s.kernels},
             {"Kernels using TC", &s.kernels_using},
             {"Memory", &s.kernels_memory},
             {"All other kernels", &s.kernels_other}},
            text);
  return text;
}

std::string ExpertSystems(const std::vector<Advice>& advice) {
  std::string text = "Expert Systems Feedback\nProblem,Recommendation\n";
  for (const auto& [problem, recommendation] : advice) {
    Line(text).Quoted(problem).Quoted(recommendation);
  }
  return text;
}

}  // namespace

std::vector<std::string> DlprofCsvTexts(const Profile& profile,
                                        const analysis::dlprof::dlprof::Report& report,
                                        const std::vector<Advice>& advice) {
  return {SummaryText(profile, report.summary),
          Detailed(report),
          ByIteration(profile, report),
          Kernels(report),
          TensorCores(report),
          Groups(report),
          Types(report),
          ExpertSystems(advice)};
}

}  // namespace profgauge::exports::dlprof
