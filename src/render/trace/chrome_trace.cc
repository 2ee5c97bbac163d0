#include "render/trace/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/readable.h"
#include "render/shared/escape.h"
#include "render/shared/words.h"

namespace profgauge::render {
namespace {

using report::Timeline;

std::string Quoted(std::string_view text) {
  return boost::json::serialize(boost::json::string(Readable(text)));
}

// A time in microseconds, without rounding.
std::string Micros(Ns time) {
  const Ns whole = time / 1000, rest = time % 1000;
  if (rest == 0) return fmt::to_string(whole);
  return fmt::format("{}{}.{:03}", time < 0 && whole == 0 ? "-" : "", whole,
                     rest < 0 ? -rest : rest);
}

// The PyTorch profiler's name for a kind of event, because tools that read its traces, also
// ProfGauge, should read this one.
std::string_view CategoryOf(const Timeline::Kind& kind, const Timeline::Track& track) {
  switch (kind.category) {
    case Category::kTensorCoreKernel:
    case Category::kOtherKernel:
      return "kernel";
    case Category::kCommunication:  // gloo's collectives are host ranges.
      return track.device >= 0 ? "kernel" : "user_annotation";
    case Category::kMemcpy:
      return "gpu_memcpy";
    case Category::kMemset:
      return "gpu_memset";
    case Category::kRuntime:
      return "cuda_runtime";
    case Category::kPython:
      return "python_function";
    case Category::kCpu:
    case Category::kOther:
      return "cpu_op";
    case Category::kWait:
      return "wait";
    case Category::kDataLoader:
      break;
    case Category::kAnnotation:
      return track.device >= 0 ? "gpu_user_annotation" : "user_annotation";
  }
  return "user_annotation";
}

bool IsDeviceWork(std::string_view category) {
  return category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset";
}

// True for shapes, whose text is JSON.
bool IsJson(std::string_view text) {
  boost::system::error_code failed;
  boost::json::parse(text, failed);
  return !failed;
}

class Writer {
 public:
  explicit Writer(const Timeline& timeline) : timeline_(timeline) {}

  std::string Write(const report::Report& report) {
    out_ = "{\"displayTimeUnit\":\"ns\",\"otherData\":{";
    out_ += fmt::format(
        "\"tool\":{},\"run\":{},\"left_out\":{}}},\n\"deviceProperties\":[{}],\n\"traceEvents\":["
        "\n",
        Quoted(report.tool), Quoted(report.profile.name),
        Quoted(timeline_.left_out.empty() ? "nothing" : timeline_.left_out),
        DeviceProperties(report));
    NameProcesses();
    PlaceLanes();
    for (const auto& kind : timeline_.kinds) words_.push_back(ArgumentsOf(kind));
    MarkLaunches();
    for (std::size_t i = 0; i < timeline_.lanes.size(); ++i) WriteLane(i);
    WriteFlows();
    WriteCounters();
    WriteFindings(report);
    return std::move(out_) + "\n]}\n";
  }

 private:
  template <class... Args>
  void Event(fmt::format_string<Args...> form, Args&&... args) {
    if (!is_first_) out_ += ",\n";
    is_first_ = false;
    fmt::format_to(std::back_inserter(out_), form, std::forward<Args>(args)...);
  }

  // The process of a rank and group. It is numbered and its name is written at its first use.
  std::size_t ProcessOf(const std::string& group, std::int64_t rank) {
    const auto [place, is_new] = processes_.try_emplace({rank, group}, processes_.size());
    if (is_new) {
      const std::size_t pid = place->second;
      Event(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":{}}}}})", pid,
            Quoted(several_ranks_ ? fmt::format("rank {} · {}", rank, group) : group));
      Event(
          R"({{"ph":"M","name":"process_sort_index","pid":{},"tid":0,"args":{{"sort_index":{}}}}})",
          pid, pid);
    }
    return place->second;
  }

  void NameProcesses() {
    for (const auto& track : timeline_.tracks) {
      several_ranks_ = several_ranks_ || track.rank != timeline_.tracks.front().rank;
    }
    for (const auto& track : timeline_.tracks) {
      if (!IsPath(track)) ProcessOf(track.group, track.rank);
    }
  }

  // The critical path is omitted, because readers of traces would count it as work.
  static bool IsPath(const Timeline::Track& track) {
    return track.type == report::TrackType::kPath;
  }
  bool IsOnPath(std::size_t lane) const {
    return IsPath(timeline_.tracks[timeline_.lanes[lane].track]);
  }

  // True if each event of the lane is within an event of the lane above. Both are in order of time,
  // so one pass is enough:
  //
  //   above   |------A------|   |--B--|
  //   lane      |--c--| |-d-|    |-e-|        c and d are in A, e is in B: nested
  //   lane              |--f--|               f ends after A: not nested
  bool IsNested(const Timeline::Lane& above, const Timeline::Lane& lane) const {
    std::uint32_t outer = above.begin;
    for (std::uint32_t i = lane.begin; i < lane.end; ++i) {
      while (outer < above.end && EndOf(outer) <= timeline_.start[i]) ++outer;
      if (outer == above.end || timeline_.start[outer] > timeline_.start[i] ||
          EndOf(outer) < EndOf(i)) {
        return false;
      }
    }
    return true;
  }

  // Assigns a thread to each track, and one more to each lane that does not nest in the lane above.
  void PlaceLanes() {
    std::size_t thread = 0;
    for (std::size_t i = 0; i < timeline_.lanes.size(); ++i) {
      const Timeline::Lane& lane = timeline_.lanes[i];
      if (IsOnPath(i)) {
        threads_.push_back(thread);
        continue;
      }
      const bool goes_on = i > 0 && timeline_.lanes[i - 1].track == lane.track &&
                           IsNested(timeline_.lanes[i - 1], lane);
      if (!goes_on) {
        ++thread;
        const auto& track = timeline_.tracks[lane.track];
        const std::size_t pid = ProcessOf(track.group, track.rank);
        Event(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", pid,
              thread,
              Quoted(lane.depth == 0 ? track.name
                                     : fmt::format("{} ({})", track.name, lane.depth + 1)));
        Event(
            R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
            pid, thread, thread);
      }
      threads_.push_back(thread);
    }
  }

  void WriteLane(std::size_t index) {
    if (IsOnPath(index)) return;
    const Timeline::Lane& lane = timeline_.lanes[index];
    const auto& track = timeline_.tracks[lane.track];
    const std::size_t pid = ProcessOf(track.group, track.rank);
    for (std::uint32_t i = lane.begin; i < lane.end; ++i) {
      const Timeline::Kind& kind = timeline_.kinds[timeline_.kind[i]];
      const std::string_view category = CategoryOf(kind, track);
      Event(
          R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}{}}}}})",
          Quoted(kind.name), category, pid, threads_[index], Micros(timeline_.start[i]),
          Micros(timeline_.duration[i]), words_[timeline_.kind[i]],
          OwnArguments(i, category, track, threads_[index]));
    }
  }

  // The arguments that all events of a kind share.
  std::string ArgumentsOf(const Timeline::Kind& kind) const {
    std::string out = fmt::format("\"class\":\"{}\"", CategoryId(kind.category));
    const bool shapes = kind.category == Category::kCpu && IsJson(kind.detail);
    if (shapes) out += ",\"Input Dims\":" + kind.detail;
    if (!shapes && !kind.detail.empty()) out += ",\"detail\":" + Quoted(kind.detail);
    for (std::size_t i = 0; i < kind.facets.size(); ++i) {
      if (kind.facets[i].empty()) continue;
      out += fmt::format(",{}:{}", Quoted(timeline_.facets[i].id), Quoted(kind.facets[i]));
    }
    return out;
  }

  // The arguments of one event. The stream of device work is from the name of its track, else it is
  // the thread's number, because readers group by the stream. A correlation is the index of the
  // launching call plus 1; 0 means none.
  std::string OwnArguments(std::uint32_t event, std::string_view category,
                           const Timeline::Track& track, std::size_t thread) const {
    std::string out;
    if (IsDeviceWork(category)) {
      std::int64_t stream = static_cast<std::int64_t>(thread);
      if (track.name.starts_with("stream ")) {
        std::from_chars(track.name.data() + 7, track.name.data() + track.name.size(), stream);
      }
      out += fmt::format(",\"device\":{},\"stream\":{}", track.device, stream);
      const std::uint32_t call = timeline_.link[event];
      if (call != Timeline::kNoLink) out += fmt::format(",\"correlation\":{}", call + 1);
    } else if (launches_[event]) {
      out += fmt::format(",\"correlation\":{}", event + 1);
    }
    for (const auto& amount : timeline_.amounts) {
      if (amount.value[event] == 0) continue;
      out += fmt::format(",\"{}\":{}", amount.id, amount.value[event]);
    }
    return out;
  }

  // Marks the calls that launched something, because they get a correlation. The critical path is
  // excluded, because its events have links but launch nothing.
  void MarkLaunches() {
    launches_.assign(timeline_.start.size(), false);
    for (std::size_t lane = 0; lane < timeline_.lanes.size(); ++lane) {
      if (IsOnPath(lane)) continue;
      for (std::uint32_t i = timeline_.lanes[lane].begin; i < timeline_.lanes[lane].end; ++i) {
        if (timeline_.link[i] != Timeline::kNoLink) launches_[timeline_.link[i]] = true;
      }
    }
  }

  static std::string DeviceProperties(const report::Report& report) {
    std::string out;
    for (const report::Device& device : report.profile.devices) {
      if (device.rank != report.profile.devices.front().rank) continue;
      out += fmt::format("{}{{\"id\":{},\"name\":{}}}", out.empty() ? "" : ",", device.id,
                         Quoted(device.name));
    }
    return out;
  }

  // The lane of an event: the first lane that ends after it. O(log lanes).
  std::size_t LaneOf(std::uint32_t event) const {
    const auto after = std::upper_bound(
        timeline_.lanes.begin(), timeline_.lanes.end(), event,
        [](std::uint32_t at, const Timeline::Lane& lane) { return at < lane.end; });
    return static_cast<std::size_t>(after - timeline_.lanes.begin());
  }

  // Writes arrows. The start and the end of an arrow have the event's index as id. `bp: e` binds
  // the end to the slice around it instead of to the next one.
  void WriteFlows() {
    for (std::uint32_t i = 0; i < timeline_.link.size(); ++i) {
      const std::uint32_t from = timeline_.link[i];
      if (from == Timeline::kNoLink || IsOnPath(LaneOf(i))) continue;
      for (const auto& [event, form] : {std::pair(from, std::string_view("s")),
                                        std::pair(i, std::string_view("f\",\"bp\":\"e"))}) {
        const std::size_t lane = LaneOf(event);
        const auto& track = timeline_.tracks[timeline_.lanes[lane].track];
        Event(R"({{"ph":"{}","name":"ac2g","cat":"ac2g","id":{},"pid":{},"tid":{},"ts":{}}})", form,
              i, ProcessOf(track.group, track.rank), threads_[lane],
              Micros(timeline_.start[event]));
      }
    }
  }

  void WriteCounters() {
    for (const auto& counter : timeline_.counters) {
      const std::size_t pid = ProcessOf(counter.group, counter.rank);
      for (std::size_t i = 0; i < counter.time.size(); ++i) {
        Event(R"({{"ph":"C","name":{},"pid":{},"tid":0,"ts":{},"args":{{"value":{}}}}})",
              Quoted(counter.name), pid, Micros(counter.time[i]),
              static_cast<double>(counter.value[i]) * counter.scale);
      }
    }
  }

  // Writes findings as a process with a thread for each finding and rank, in the page's order, and
  // a slice for each row of evidence that has a time. Readers ignore the category.
  void WriteFindings(const report::Report& report) {
    const std::size_t pid = processes_.size();
    std::size_t thread = 0;
    for (const report::Finding* finding : FiredFindings(report)) {
      std::map<std::int64_t, std::size_t> threads;  // By rank.
      for (const std::vector<Value>& row : finding->evidence) {
        const auto when = report::FindInterval(*finding, row);
        if (!when) continue;
        if (thread == 0) {
          Event(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":"{}"}}}})",
                pid, "profgauge findings");
        }
        const std::string& key = finding->key.empty() ? finding->rule : finding->key;
        const auto [place, is_new] = threads.try_emplace(when->rank, thread + 1);
        if (is_new) {
          ++thread;
          Event(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", pid,
                place->second,
                Quoted(when->rank < 0 || !several_ranks_
                           ? key
                           : fmt::format("{} · rank {}", key, when->rank)));
        }
        Event(
            R"({{"ph":"X","name":{},"cat":"profgauge","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"key":{},"level":"{}","message":{},"advice":{},"gain":{}}}}})",
            Quoted(finding->title), pid, place->second, Micros(when->start),
            Micros(when->end - when->start), Quoted(key), report::NameOf(finding->status),
            Quoted(finding->message), Quoted(finding->advice), Quoted(finding->saves.text));
      }
    }
  }

  Ns EndOf(std::uint32_t event) const { return timeline_.start[event] + timeline_.duration[event]; }

  const Timeline& timeline_;
  std::string out_;
  bool is_first_ = true, several_ranks_ = false;
  std::map<std::pair<std::int64_t, std::string>, std::size_t> processes_;
  std::vector<std::size_t> threads_;  // By lane: its thread.
  std::vector<std::string> words_;    // By kind: its events' arguments.
  std::vector<bool> launches_;        // By event: true if it launched another.
};

}  // namespace

std::string RenderChromeTrace(const report::Report& report) {
  return Writer(report.timeline).Write(report);
}

}  // namespace profgauge::render
