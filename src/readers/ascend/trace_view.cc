#include "readers/ascend/trace_view.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <tuple>
#include <utility>

#include "knowledge/ascend.h"
#include "knowledge/loss.h"
#include "model/iteration_source.h"
#include "readers/ascend/kernel_details.h"
#include "readers/text/names.h"
#include "readers/text/numbers.h"

namespace profgauge::readers::ascend {
namespace {

constexpr std::string_view kCollective = "hcom_";
/// The largest number of enclosing rows that a search visits. Operators nest less deep than
/// Python's calls, whose default limit is 1000, so only hostile files nest deeper.
constexpr int kMostNested = 1'000;
/// Numbers for the streams of collectives, which have no number in the file, begin here.
constexpr std::int64_t kFirstGroupStream = 1'000'000;

bool ContainsUpper(std::string_view text, std::string_view part) {
  const auto found =
      std::search(text.begin(), text.end(), part.begin(), part.end(),
                  [](char a, char b) { return std::toupper(static_cast<unsigned char>(a)) == b; });
  return found != text.end();
}

// True for tasks of a stream that waits for another one, which take time without work.
bool IsWait(std::string_view text) {
  return ContainsUpper(text, "EVENT_WAIT") || ContainsUpper(text, "NOTIFY_WAIT") ||
         ContainsUpper(text, "EVENT_RECORD") || ContainsUpper(text, "NOTIFY_RECORD");
}

}  // namespace

// Numbers a process and thread as written: a pid has up to 33 bits and may be a text.
TraceView::Place TraceView::PlaceOf(const JsonRow& row) {
  std::string key(row.Text("pid"));
  const auto thread = row.Text("tid");
  key += '/';
  key += thread;
  const auto [at, is_new] = place_ids_.try_emplace(key, static_cast<Place>(places_.size()));
  if (is_new) places_.emplace_back(row.Text("pid"), thread);
  return at->second;
}

void TraceView::Receive(std::string_view, const JsonRow& row) {
  const auto phase = row.Text("ph");
  auto& log = builder_.log();
  if (phase == "M") return ReceiveName(row);
  log.Add(Counter::events_read);
  if (phase == "X") return ReceiveComplete(row);
  if (phase == "s" || phase == "f") return ReceiveArrow(row);
  log.Add(Counter::events_ignored_kind);
}

// If a process or thread is named twice, the later name counts.
void TraceView::ReceiveName(const JsonRow& row) {
  const auto what = row.Text("name");
  const auto name = row.Text("args.name");
  std::string process(row.Text("pid"));
  if (what == "process_name") {
    if (name == "Python") host_process_ = process;
    if (name.find("Communication") != std::string_view::npos ||
        name.find("HCCL") != std::string_view::npos) {
      has_communication_ = true;
    }
    builder_.NameProcess(process, name);
    if (!process_names_.contains(process)) processes_.push_back(process);
    process_names_[process] = name;
  } else if (what == "process_labels") {
    process_labels_[process] = row.Text("args.labels");
  } else if (what == "thread_name") {
    builder_.NameThread(process, row.Text("tid"), name);
    thread_names_[process + "/" + std::string(row.Text("tid"))] = name;
  }
}

// The two ends of an arrow come in any order. Their "id" may be any text.
void TraceView::ReceiveArrow(const JsonRow& row) {
  const auto time = ParseMicroseconds(row.Text("ts"), Fraction::kDecimal, kMaxTime);
  if (!time) return builder_.log().Add(Counter::events_bad_time);
  const auto category = row.Text("cat");
  const bool from = row.Text("ph") == "s";
  const auto place = PlaceOf(row);
  if (category == "fwdbwd") {
    FlowRow flow;
    flow.id = row.Integer("id").value_or(-1);
    flow.thread = ThreadOf(place);
    flow.time = *time;
    flow.forward = from;
    return builder_.AddFlow(flow);
  }
  const bool to_runtime = category == "HostToDevice";
  if (!to_runtime && category != "async_npu") return;  // This arrow connects events of the host.
  auto& arrow = (to_runtime ? to_runtime_ : to_op_)[std::string(row.Text("id"))];
  (from ? arrow.from : arrow.to) = {place, *time};
  (from ? arrow.has_from : arrow.has_to) = true;
}

void TraceView::ReceiveComplete(const JsonRow& row) {
  auto& log = builder_.log();
  const auto start = ParseMicroseconds(row.Text("ts"), Fraction::kDecimal, kMaxTime);
  if (!start) return log.Add(Counter::events_bad_time);
  const auto length = ParseMicroseconds(row.Text("dur"), Fraction::kDecimal, kMaxDuration);
  if (!length) log.Add(Counter::events_missing_dur);
  if (length && *length < 0) log.Add(Counter::events_negative_dur);
  const Ns duration = std::max<Ns>(length.value_or(0), 0);
  const auto place = PlaceOf(row);
  // Only host events have a category.
  if (row.Find("cat") != nullptr) return AddHost(row, *start, duration, place);
  Event event;
  event.start = *start;
  event.duration = duration;
  event.name = builder_.Intern(row.Text("name"));
  if (const auto task = row.Text("args.Task Type"); !task.empty()) {
    event.task = builder_.Intern(task);
  }
  event.stream = row.Integer("args.Stream Id").value_or(-1);
  event.place = place;
  events_.push_back(event);
}

// Adds a host event. Operators get consecutive ids, because the file has none and arrows need them.
void TraceView::AddHost(const JsonRow& row, Ns start, Ns duration, Place place) {
  const auto category = row.Text("cat");
  const auto name = row.Text("name");
  if (category == "python_function") {
    PythonRow out;
    out.start = start;
    out.duration = duration;
    out.name = builder_.Intern(name);
    out.thread = ThreadOf(place);
    return builder_.AddPython(out);
  }
  HostRow out;
  out.start = start;
  out.duration = duration;
  out.name = builder_.Intern(name);
  out.thread = ThreadOf(place);
  out.kind = name.starts_with(kProfilerStep) ? HostKind::kIterationMarker
             : category == "cpu_op"          ? HostKind::kOp
                                             : HostKind::kAnnotation;
  out.sequence = row.Integer("args.Sequence number").value_or(-1);
  out.backward = row.Integer("args.Fwd thread id").value_or(0) > 0;
  if (const auto shapes = CanonicalShapes(row.Text("args.Input Dims")); !shapes.empty()) {
    out.input_shapes = builder_.Intern(shapes);
  }
  if (const auto stack = row.Text("args.Call stack"); !stack.empty()) {
    out.call_stack = builder_.Intern(stack);
  }
  if (out.kind == HostKind::kOp) {
    out.id = static_cast<std::int64_t>(ops_.size());
    ops_.push_back({place, start, start + duration, out.id});
  }
  builder_.AddHost(out);
}

TraceView::Process TraceView::ProcessOf(Place place) const {
  return ProcessOf(places_[place].first);
}

// Matches the whole name of a process, except for communication, which has several names.
TraceView::Process TraceView::ProcessOf(const std::string& process) const {
  const auto found = process_names_.find(process);
  if (found == process_names_.end()) return Process::kOther;
  const std::string_view name = found->second;
  if (name == "Python") return Process::kHost;
  if (name == "CANN") return Process::kRuntime;
  if (name == "Ascend Hardware") return Process::kDevice;
  if (name == "Overlap Analysis") return Process::kDerived;
  if (name.find("Communication") != std::string_view::npos ||
      name.find("HCCL") != std::string_view::npos) {
    return Process::kCommunication;
  }
  return Process::kOther;
}

ThreadId TraceView::ThreadOf(Place place) {
  return builder_.AddThread(places_[place].first, places_[place].second);
}

void TraceView::Finish() {
  Nest(ops_);
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const auto& event = events_[i];
    if (ProcessOf(event.place) != Process::kRuntime) continue;
    calls_.push_back(
        {event.place, event.start, event.start + event.duration, static_cast<std::int64_t>(i)});
  }
  Nest(calls_);
  FindDevices();
  launches_ = Sorted(to_runtime_);
  requests_ = Sorted(to_op_);
  AddDeviceEvents();
  AddLostLaunches();
  AddCalls();
  CheckOwnTotals();
  CheckProcesses();
}

std::vector<TraceView::Link> TraceView::Sorted(const Arrows& arrows) {
  std::vector<Link> links;
  for (const auto& [id, arrow] : arrows) {
    if (arrow.has_from && arrow.has_to) links.push_back({arrow.to, arrow.from});
  }
  std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) {
    return std::tuple(a.to.place, a.to.time, a.from.place, a.from.time) <
           std::tuple(b.to.place, b.to.time, b.from.place, b.from.time);
  });
  return links;
}

const TraceView::End* TraceView::SourceOf(const std::vector<Link>& links, Place place, Ns time) {
  const auto found = std::lower_bound(links.begin(), links.end(), std::pair(place, time),
                                      [](const Link& link, const auto& key) {
                                        return std::pair(link.to.place, link.to.time) < key;
                                      });
  const bool hit = found != links.end() && found->to.place == place && found->to.time == time;
  return hit ? &found->from : nullptr;
}

// Finds the row around each row, in one pass. It keeps the rows that may also be around later ones:
//
//   rows by start   |-- a --------------------|
//                     |- b -|  |- c -|
//   outer             a        a               b ends before c does, so it is around nothing later
//
// A row that overlaps the one before without nesting has the last row that ends later around it.
void TraceView::Nest(std::vector<Started>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Started& a, const Started& b) {
    return std::tuple(a.place, a.start, -a.end) < std::tuple(b.place, b.start, -b.end);
  });
  std::vector<std::size_t> around;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && rows[i].place != rows[i - 1].place) around.clear();
    while (!around.empty() && rows[around.back()].end <= rows[i].end) around.pop_back();
    if (!around.empty()) rows[i].outer = around.back();
    around.push_back(i);
  }
}

// Finds the innermost row around `at`: goes outward from the last row that began before `at` to the
// first one that has not ended. No row is missed: rows that ended before c, or with it, have ended.
//
//   rows by start   |-- a --------------------|
//                     |- b -|  |- c -|
//   at                                 ^         c ended before; a is around c and has not
std::int64_t TraceView::Around(const std::vector<Started>& rows, const End& at) {
  const auto behind =
      std::upper_bound(rows.begin(), rows.end(), at, [](const End& end, const Started& r) {
        return std::pair(end.place, end.time) < std::pair(r.place, r.start);
      });
  if (behind == rows.begin() || std::prev(behind)->place != at.place) return -1;
  auto row = static_cast<std::size_t>(behind - rows.begin()) - 1;
  for (int level = 0; level < kMostNested; ++level) {
    if (rows[row].end >= at.time) return rows[row].id;
    if (rows[row].outer == kNoRow) break;
    row = rows[row].outer;
  }
  return -1;
}

void TraceView::AddDeviceEvents() {
  auto& log = builder_.log();
  bool any = false;
  for (const auto& event : events_) {
    switch (ProcessOf(event.place)) {
      case Process::kDevice:
        any = true;
        AddWork(event);
        break;
      case Process::kCommunication:
        any = true;
        AddCollective(event);
        break;
      case Process::kDerived:
        log.Add(Counter::events_derived);
        break;
      case Process::kRuntime:
        break;
      case Process::kHost:
      case Process::kOther:
        if (!process_names_.contains(places_[event.place].first)) ++without_process_;
        log.Add(Counter::events_ignored_kind);
        break;
    }
  }
  if (!any) return;
  for (const std::int32_t id : npus_) {
    Gpu npu;
    npu.id = id;
    npu.name = "Ascend NPU";
    builder_.AddGpu(std::move(npu));
  }
}

// Adds work of the device's process. Its collectives repeat those of the Communication process,
// which are complete, so they count only without such a process. Copies have no direction.
void TraceView::AddWork(const Event& event) {
  const auto name = builder_.Name(event.name);
  const auto task = builder_.Name(event.task);
  if (IsWait(task) || IsWait(name)) {
    StreamRow row;
    row.start = event.start;
    row.duration = event.duration;
    row.name = event.name;
    row.gpu = DeviceOf(event.place);
    row.stream = event.stream;
    return builder_.AddSync(row);
  }
  const bool collective = name.starts_with(kCollective);
  if (collective && has_communication_) return builder_.log().Add(Counter::events_derived);
  DeviceRow row;
  row.start = event.start;
  row.duration = event.duration;
  row.name = event.name;
  row.gpu = DeviceOf(event.place);
  row.stream = event.stream;
  if (ContainsUpper(name, "MEMCPY") || ContainsUpper(task, "MEMCPY") || task == "SDMA") {
    row.kind = DeviceKind::kMemcpy;
    row.copy = CopyKind::kUnknown;
  } else {
    (collective ? communicating_ : computing_)[row.gpu].push_back(
        {event.start, event.start + event.duration});
  }
  LinkRow(event, row);
  builder_.AddDevice(row);
}

// The Communication process has a thread for each group ("Group 0 Communication"), and threads with
// the tasks of these collectives ("Plane 0"). Only those of groups are counted.
void TraceView::AddCollective(const Event& event) {
  const auto& [process, thread] = places_[event.place];
  const auto name = thread_names_.find(process + "/" + thread);
  const bool is_named = name != thread_names_.end();
  if (!is_named) ++without_thread_;
  // Threads with the tasks of collectives have other names.
  const bool is_collective = is_named ? name->second.find("Communication") != std::string::npos
                                      : builder_.Name(event.name).starts_with(kCollective);
  if (!is_collective) return builder_.log().Add(Counter::events_derived);
  DeviceRow row;
  row.start = event.start;
  row.duration = event.duration;
  row.name = event.name;
  row.gpu = DeviceOf(event.place);
  row.stream = kFirstGroupStream + ParseInteger(thread).value_or(0) % kFirstGroupStream;
  LinkRow(event, row);
  communicating_[row.gpu].push_back({event.start, event.start + event.duration});
  builder_.AddDevice(row);
}

void TraceView::LinkRow(const Event& event, DeviceRow& row) {
  if (const End* const call = SourceOf(launches_, event.place, event.start)) {
    row.correlation = Around(calls_, *call);
    if (row.correlation >= 0) launching_.push_back(row.correlation);
  }
  if (const End* const op = SourceOf(requests_, event.place, event.start)) {
    row.op_id = Around(ops_, *op);
  }
}

// Adds the runtime's calls. A call with an arrow to device work is a launch, whatever its name is.
void TraceView::AddCalls() {
  std::sort(launching_.begin(), launching_.end());
  for (const auto& call : calls_) {
    const auto& event = events_[static_cast<std::size_t>(call.id)];
    std::string_view name = builder_.Name(event.name);
    constexpr std::string_view kPrefix = "AscendCL@";
    if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
    ApiRow row;
    row.start = event.start;
    row.duration = event.duration;
    row.kind = std::binary_search(launching_.begin(), launching_.end(), call.id) ? ApiKind::kLaunch
                                                                                 : ApiKindOf(name);
    row.name = builder_.Intern(std::string(name));
    // CANN's process is the Python process with another number. Its threads have the same numbers.
    const auto& [process, thread] = places_[event.place];
    row.thread = builder_.AddThread(host_process_.empty() ? process : host_process_, thread);
    row.correlation = call.id;
    builder_.AddApi(row);
  }
}

}  // namespace profgauge::readers::ascend
