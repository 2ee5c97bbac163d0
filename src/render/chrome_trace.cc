#include "render/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "render/escape.h"

namespace profgauge::render {
namespace {

using report::Timeline;

std::string Quoted(std::string_view text) {
  return boost::json::serialize(boost::json::string(ValidUtf8(text)));
}

// Microseconds, exactly.
std::string Micros(Ns time) {
  const Ns whole = time / 1000, rest = time % 1000;
  if (rest == 0) return fmt::to_string(whole);
  return fmt::format("{}{}.{:03}", time < 0 && whole == 0 ? "-" : "", whole,
                     rest < 0 ? -rest : rest);
}

class Writer {
 public:
  explicit Writer(const Timeline& timeline) : timeline_(timeline) {}

  std::string Write(const report::Report& report) {
    out_ = "{\"displayTimeUnit\":\"ns\",\"otherData\":{";
    out_ += fmt::format("\"tool\":{},\"run\":{},\"left_out\":{}}},\n\"traceEvents\":[\n",
                        Quoted(report.tool), Quoted(report.profile.name),
                        Quoted(timeline_.left_out.empty() ? "nothing" : timeline_.left_out));
    NameProcesses();
    PlaceLanes();
    for (const auto& kind : timeline_.kinds) {
      words_.push_back(fmt::format(
          "\"name\":{},\"cat\":\"{}\"{}", Quoted(kind.name), kind.category,
          kind.detail.empty() ? ""
                              : fmt::format(",\"args\":{{\"detail\":{}}}", Quoted(kind.detail))));
    }
    for (std::size_t i = 0; i < timeline_.lanes.size(); ++i) WriteLane(i);
    WriteFlows();
    WriteCounters();
    return std::move(out_) + "\n]}\n";
  }

 private:
  template <class... Args>
  void Event(fmt::format_string<Args...> form, Args&&... args) {
    if (!is_first_) out_ += ",\n";
    is_first_ = false;
    fmt::format_to(std::back_inserter(out_), form, std::forward<Args>(args)...);
  }

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
    for (const auto& track : timeline_.tracks) ProcessOf(track.group, track.rank);
  }

  // Whether each event of the lane lies inside one of the lane above it.
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

  // A thread for each track, and one more from each lane on that does not nest.
  void PlaceLanes() {
    std::size_t thread = 0;
    for (std::size_t i = 0; i < timeline_.lanes.size(); ++i) {
      const Timeline::Lane& lane = timeline_.lanes[i];
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
    const Timeline::Lane& lane = timeline_.lanes[index];
    const auto& track = timeline_.tracks[lane.track];
    const std::size_t pid = ProcessOf(track.group, track.rank);
    for (std::uint32_t i = lane.begin; i < lane.end; ++i) {
      Event(R"({{"ph":"X",{},"pid":{},"tid":{},"ts":{},"dur":{}}})", words_[timeline_.kind[i]], pid,
            threads_[index], Micros(timeline_.start[i]), Micros(timeline_.duration[i]));
    }
  }

  std::size_t LaneOf(std::uint32_t event) const {
    const auto after = std::upper_bound(
        timeline_.lanes.begin(), timeline_.lanes.end(), event,
        [](std::uint32_t at, const Timeline::Lane& lane) { return at < lane.end; });
    return static_cast<std::size_t>(after - timeline_.lanes.begin());
  }

  void WriteFlows() {
    for (std::uint32_t i = 0; i < timeline_.link.size(); ++i) {
      const std::uint32_t from = timeline_.link[i];
      if (from == Timeline::kNoLink) continue;
      for (const auto& [event, form] : {std::pair(from, std::string_view("s")),
                                        std::pair(i, std::string_view("f\",\"bp\":\"e"))}) {
        const std::size_t lane = LaneOf(event);
        const auto& track = timeline_.tracks[timeline_.lanes[lane].track];
        Event(R"({{"ph":"{}","name":"launch","cat":"launch","id":{},"pid":{},"tid":{},"ts":{}}})",
              form, i, ProcessOf(track.group, track.rank), threads_[lane],
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

  Ns EndOf(std::uint32_t event) const { return timeline_.start[event] + timeline_.duration[event]; }

  const Timeline& timeline_;
  std::string out_;
  bool is_first_ = true, several_ranks_ = false;
  std::map<std::pair<std::int64_t, std::string>, std::size_t> processes_;
  std::vector<std::size_t> threads_;  // Of each lane.
  std::vector<std::string> words_;    // Of each kind: what its events share.
};

}  // namespace

std::string RenderChromeTrace(const report::Report& report) {
  return Writer(report.timeline).Write(report);
}

}  // namespace profgauge::render
