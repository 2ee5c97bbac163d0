#include "readers/ascend/kernel_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/metric_id.h"
#include "base/text.h"
#include "knowledge/ascend.h"
#include "knowledge/loss.h"
#include "readers/ascend/trace_view.h"
#include "readers/text/numbers.h"

namespace profgauge::readers::ascend {
namespace {

/// The table lists this many operators. All others share one row, so that sums stay right.
constexpr std::size_t kMostOps = 10'000;

/// Formats the types "DT_BF16;DT_FLOAT" as "BF16, FLOAT".
std::string TypesOf(std::string_view text) {
  std::string types;
  while (!text.empty()) {
    const auto end = std::min(text.find(';'), text.size());
    std::string_view type = text.substr(0, end);
    if (type.starts_with("DT_")) type.remove_prefix(3);
    if (!types.empty()) types += ", ";
    types += type;
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return types;
}

/// The shapes in a cell, without the quotes that are part of the cell's text.
std::string ShapesOf(std::string_view text) {
  while (text.starts_with('"')) text.remove_prefix(1);
  while (text.ends_with('"')) text.remove_suffix(1);
  return CanonicalShapes(text);
}

}  // namespace

std::string CanonicalShapes(std::string_view text) {
  if (text.empty()) return {};
  std::string out = "[[";
  for (const char c : text) {
    if (c == ';') {
      out += "], [";
    } else if (c == ',') {
      out += ", ";
    } else if (c >= '0' && c <= '9') {
      out += c;
    } else if (c != ' ') {
      return {};
    }
  }
  return out + "]]";
}

void KernelDetails::Receive(const CsvRow& row) {
  auto& log = builder_.log();
  log.Add(Counter::events_read);
  const auto start = row.Microseconds("Start Time(us)");
  const auto duration = row.Microseconds("Duration(us)");
  if (!start || !duration || *duration < 0) return log.Add(Counter::events_bad_time);
  DeviceRow out;
  out.start = *start;
  out.duration = *duration;
  out.name = builder_.Intern(row.Text("Name"));
  // A file without this column has the kernels of one device.
  const auto device = row.Integer("Device_id").value_or(0);
  out.gpu = device >= 0 && device < 1 << 16 ? static_cast<std::int32_t>(device) : 0;
  out.stream = row.Integer("Stream ID").value_or(-1);
  if (IsCopy(row, out)) return;
  LaunchConfig config;
  const auto blocks = row.Integer("Block Dim").value_or(0);
  if (blocks > 0 && blocks < 1 << 30) {
    config.grid[0] = static_cast<std::int32_t>(blocks);
    config.grid[1] = config.grid[2] = 1;
  }
  out.config = builder_.AddLaunchConfig(config);
  builder_.AddDevice(out);
  AddOp(row, *duration);
  auto& stay = devices_[out.gpu].emplace_back();
  stay = {*start, *duration, row.Microseconds("Wait Time(us)").value_or(-1)};
  if (const auto step = row.Integer("Step Id"); step && *step >= 0) {
    const auto at = steps_.try_emplace(*step, *start, *start + *duration).first;
    stay.step = *step;
    at->second.first = std::min(at->second.first, *start);
    at->second.second = std::max(at->second.second, *start + *duration);
  }
}

// True if this kernel was read before. Two different kernels never agree in all of these values.
bool KernelDetails::IsCopy(const CsvRow& row, const DeviceRow& out) {
  const auto task = row.Integer("Task ID").value_or(-1);
  const bool is_new =
      rows_.emplace(out.gpu, out.stream, task, out.name.value, out.start, out.duration).second;
  if (!is_new) ++copies_;
  return !is_new;
}

// Only kernels with a utilization above 0 count, weighted by their duration.
void KernelDetails::AddOp(const CsvRow& row, Ns duration) {
  if (const auto percent = ParseReal(row.Text("cube_utilization(%)"));
      percent && *percent > 0 && *percent <= 100) {
    cube_time_ += duration;
    cube_busy_ += *percent / 100 * static_cast<double>(duration);
  }
  const auto type = row.Text("Type");
  if (type.empty()) return;
  auto key = std::tuple(std::string(type), ShapesOf(row.Text("Input Shapes")),
                        TypesOf(row.Text("Input Data Types")));
  if (ops_.size() >= kMostOps && !ops_.contains(key)) key = {"(others)", "", ""};
  OpSum& op = ops_[key];
  ++op.calls;
  op.time += duration;
}

void KernelDetails::ReportOps() {
  Reported& reported = builder_.reported();
  if (cube_time_ > 0) {
    reported.metrics.push_back({metric::kNpuCubeUtilization,
                                cube_busy_ / static_cast<double>(cube_time_),
                                "by kernel_details.csv, of the kernels that state it"});
  }
  if (ops_.empty()) return;
  const auto longest = [](auto& rows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
  };
  std::map<std::string, OpSum> types;
  for (const auto& [key, op] : ops_) {
    OpSum& sum = types[std::get<0>(key)];
    sum.calls += op.calls;
    sum.time += op.time;
  }
  std::vector<std::pair<std::string, OpSum>> by_type(types.begin(), types.end());
  std::vector<std::pair<std::tuple<std::string, std::string, std::string>, OpSum>> by_shape(
      ops_.begin(), ops_.end());
  longest(by_type);
  longest(by_shape);
  ReportedTable ops{"ops", {"name", "calls", "kernels", "device_self", "device_total"}, {}};
  for (const auto& [name, op] : by_type) {
    ops.rows.push_back({name, op.calls, op.calls, op.time, op.time});
  }
  ReportedTable shapes{
      "ops_by_shape",
      {"name", "input_shapes", "dtypes", "calls", "kernels", "device_self", "device_total"},
      {}};
  for (const auto& [key, op] : by_shape) {
    shapes.rows.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), op.calls, op.calls,
                           op.time, op.time});
  }
  reported.tables.push_back(std::move(ops));
  reported.tables.push_back(std::move(shapes));
}

// Finds the holes between kernels: idle times that are not the wait of the next kernel. The first
// kernel of a step waits for none, so its wait may be 0. REQUIRES: kernels are sorted by start.
//   rows, us   |== a ==|    |== b ==|                  |== c ==|
//   gap                 20                   700
//   wait                    b: 20                      c: 50
//   holes      none: it is the wait          one of 650, as 700 > 2 * 50 + 100 of slack
KernelDetails::Holes KernelDetails::HolesOf(const std::vector<Stay>& kernels) {
  Holes holes;
  std::set<std::int64_t> begun;
  Ns end = kernels.front().start;
  for (const Stay& kernel : kernels) {
    const Ns gap = std::max<Ns>(kernel.start - end, 0);
    end = std::max(end, kernel.start + kernel.duration);
    holes.idle += gap;
    const bool is_first = kernel.step >= 0 && begun.insert(kernel.step).second;
    if (kernel.wait < 0 || gap <= 2 * kernel.wait + knowledge::kAscendWaitSlack) continue;
    if (kernel.wait == 0 && is_first) continue;  // The first kernel of its step waits for none.
    holes.unexplained += gap - kernel.wait;
    ++holes.count;
  }
  holes.span = end - kernels.front().start;
  return holes;
}

// Counts missing rows. The table has each kernel's wait for the kernel before it. If gaps between
// rows exceed these waits, rows are missing there: the table is an excerpt, or rows were lost. Only
// many holes, or long ones, are counted (thresholds ascend.* in rules/knowledge).
void KernelDetails::CountMissingRows() {
  for (auto& [id, kernels] : devices_) {
    std::stable_sort(kernels.begin(), kernels.end(),
                     [](const Stay& a, const Stay& b) { return a.start < b.start; });
    const Holes holes = HolesOf(kernels);
    const bool are_many = holes.count > knowledge::kAscendManyHolesShare.WholeOf(kernels.size()) &&
                          holes.unexplained > holes.idle / 2;
    if (!are_many && holes.unexplained <= knowledge::kAscendUnexplainedShare.WholeOf(holes.span))
      continue;
    builder_.log().Add(Counter::rows_missing, holes.count);
    is_excerpt_ = true;
  }
}

void KernelDetails::Finish() {
  ThreadId thread;
  if (!steps_.empty()) thread = builder_.AddThread("kernel_details.csv", "Step Id");
  for (const auto& [step, extent] : steps_) {
    HostRow row;
    row.start = extent.first;
    row.duration = extent.second - extent.first;
    row.name = builder_.Intern(fmt::format("step {}", step));
    row.kind = HostKind::kIterationMarker;
    row.thread = thread;
    builder_.AddHost(row);
  }
  CountMissingRows();
  for (const auto& [id, kernels] : devices_) {
    Gpu npu;
    npu.id = id;
    npu.name = "Ascend NPU";
    builder_.AddGpu(std::move(npu));
  }
  if (copies_ > 0) {
    builder_.AddFact("events recorded twice",
                     fmt::format("{} of the device; each counts once", copies_));
  }
  ReportOps();
}

// Compares trace_view.json with itself: launches, names of processes, and the profiler's totals.
//
//   arrow HostToDevice ends at (place, time)   an event begins there: launch and work
//                                              none does: the call launched work that was lost
//   track Computing of Overlap Analysis        its length against the union of the kernels
//   track Communication                        against the union of the collectives

// Makes a call with an arrow to no event a launch, which is then counted as without its kernel.
void TraceView::AddLostLaunches() {
  std::vector<std::pair<Place, Ns>> starts;
  for (const Event& event : events_) starts.emplace_back(event.place, event.start);
  std::sort(starts.begin(), starts.end());
  for (const Link& link : launches_) {
    if (std::binary_search(starts.begin(), starts.end(), std::pair(link.to.place, link.to.time))) {
      continue;
    }
    if (const std::int64_t call = Around(calls_, link.from); call >= 0) launching_.push_back(call);
  }
}

// Reports missing names. Without the names of processes, device events cannot be recognized.
// Without names of threads, collectives cannot be distinguished from their tasks.
void TraceView::CheckProcesses() {
  auto& log = builder_.log();
  if (without_thread_ > 0 && communicating_.empty()) {
    log.AddAt(
        Counter::rows_unusable,
        fmt::format("{} communication events belong to threads without a name", without_thread_));
  }
  const std::uint64_t read = log[Counter::events_read];
  if (without_process_ < knowledge::kLossLeastEvents ||
      without_process_ <= knowledge::kLossUnusableShare.Of(read))
    return;
  log.AddAt(
      Counter::rows_unusable,
      fmt::format("{} of {} events belong to processes without a name", without_process_, read));
}

void TraceView::CheckOwnTotals() {
  // Merging the spans makes a track that a trace has twice as long as a single one.
  Spans computing, communicating;
  for (const auto& event : events_) {
    if (ProcessOf(event.place) != Process::kDerived) continue;
    const auto& [process, thread] = places_[event.place];
    const auto track = thread_names_.find(process + "/" + thread);
    if (track == thread_names_.end()) continue;
    const std::int32_t npu = DeviceOf(event.place);
    const Span span = {event.start, event.start + event.duration};
    if (track->second == "Computing") computing[npu].push_back(span);
    if (track->second == "Communication") communicating[npu].push_back(span);
  }
  CheckOwnTotal("Computing", computing, computing_);
  CheckOwnTotal("Communication", communicating, communicating_);
}

// The profiler's tracks are unions, so overlapping kernels count once here, too. One analysis may
// be of several NPUs: a single track is compared with the sum over all NPUs.
void TraceView::CheckOwnTotal(std::string_view track, const Spans& own, const Spans& ours) {
  const bool of_all = own.size() == 1;
  for (const auto& [npu, spans_of_track] : own) {
    const Ns stated = std::min(Length(Merge(spans_of_track)), kMaxTime);
    Ns found = 0;
    for (const auto& [id, spans] : ours) {
      if (!of_all && id != npu) continue;
      found = std::min(found + std::min(Length(Merge(spans)), kMaxTime), kMaxTime);
    }
    if (stated == 0 || std::abs(stated - found) <= knowledge::kLossTotalTolerance.WholeOf(stated))
      continue;
    const std::string what =
        fmt::format("Overlap Analysis, {}{}: {} ns; its events: {} ns", track,
                    of_all ? "" : fmt::format(" of NPU {}", npu), stated, found);
    builder_.log().AddAt(Counter::own_totals_differ, what);
    if (stated - found > knowledge::kAscendLostTotalShare.WholeOf(stated))
      builder_.log().AddAt(Counter::events_dropped, what);
  }
}

// Finds the device of a process in trace_view.json. For each kind of process (Ascend Hardware,
// Communication, Overlap Analysis), the first rule counts that gives different numbers:
//
//   labels        "NPU 0", "NPU 1"                   0, 1
//   low bits      pid 4376751040, 4376751041 & 31    0, 1; of several processes only
//   order         of appearance                      0, 1, ...
//
// The first kind that has processes shows which NPUs there are. A later kind with other numbers is
// assigned by order.

namespace {

/// The number in a label: 3 for "NPU 3".
std::optional<std::int32_t> NumberOfLabel(std::string_view label) {
  constexpr std::string_view kName = "NPU";
  constexpr std::int64_t kMostNpus = 1 << 16;
  const auto at = label.find(kName);
  if (at == label.npos) return std::nullopt;
  const auto number = ParseInteger(Trim(label.substr(at + kName.size())));
  if (!number || *number < 0 || *number >= kMostNpus) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

// True if there are `count` numbers, and all are different.
bool AreUnlike(const std::vector<std::int32_t>& numbers, std::size_t count) {
  const std::set<std::int32_t> unlike(numbers.begin(), numbers.end());
  return numbers.size() == count && unlike.size() == count;
}

}  // namespace

std::vector<std::int32_t> TraceView::NumbersOf(const std::vector<std::string>& processes) const {
  std::vector<std::int32_t> labelled, low;
  for (const std::string& process : processes) {
    const auto label = process_labels_.find(process);
    if (label != process_labels_.end()) {
      if (const auto number = NumberOfLabel(label->second)) labelled.push_back(*number);
    }
    // CANN's tools put the NPU's number into the last bits of a process id.
    constexpr std::int64_t kNumberBits = 31;
    if (const auto number = ParseInteger(process)) {
      low.push_back(static_cast<std::int32_t>(*number & kNumberBits));
    }
  }
  if (AreUnlike(labelled, processes.size())) return labelled;
  if (processes.size() > 1 && AreUnlike(low, processes.size())) return low;
  std::vector<std::int32_t> order(processes.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// If the numbers of a kind are not those of the NPUs, the order of its processes decides. Rows
// without an NPU are assigned to the first one.
void TraceView::FindDevices() {
  for (const Process kind : {Process::kDevice, Process::kCommunication, Process::kDerived}) {
    std::vector<std::string> processes;
    for (const std::string& process : processes_) {
      if (ProcessOf(process) == kind) processes.push_back(process);
    }
    const auto numbers = NumbersOf(processes);
    if (npus_.empty()) npus_ = numbers;
    const auto is_known = [&](std::int32_t number) {
      return std::find(npus_.begin(), npus_.end(), number) != npus_.end();
    };
    const bool known = std::all_of(numbers.begin(), numbers.end(), is_known);
    for (std::size_t i = 0; i < processes.size(); ++i) {
      devices_[processes[i]] = known ? numbers[i] : npus_[i < npus_.size() ? i : 0];
    }
  }
}

std::int32_t TraceView::DeviceOf(Place place) const {
  const auto found = devices_.find(places_[place].first);
  return found == devices_.end() ? 0 : found->second;
}

}  // namespace profgauge::readers::ascend
