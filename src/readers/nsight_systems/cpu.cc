// Reads when threads ran and why they waited (`--cpuctxsw`), sampled call stacks (`--sample`), and
// when nsys delayed threads.
#include "readers/nsight_systems/cpu.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/text.h"
#include "readers/database/sqlite_table.h"
#include "readers/nsight_systems/import.h"
#include "readers/nsight_systems/metadata.h"
#include "readers/times.h"

namespace profgauge::readers::nsight {
namespace {

using Labels = boost::unordered_flat_map<std::int64_t, std::string>;

Result<Labels> ReadLabels(Import& import, const char* table) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(import.tables, table, {{{"id"}}, {{"label"}}}));
  Labels labels;
  PROFGAUGE_CHECK(scan.ForEach(
      [&] { labels.insert_or_assign(scan.Integer(0, -1), std::string(scan.Text(1))); }));
  return labels;
}

// True for labels that give no reason why a thread does not run.
bool SaysNothing(std::string_view label) {
  return label.empty() || label == "Unknown" || label == "NonBlocked" || label == "Running" ||
         label == "Unscheduled";
}

// A thread that starts or stops running on a core.
struct Switch {
  ThreadId thread;
  Ns at = 0;
  std::int32_t core = -1;  // -1: it leaves its core.
  StringId state;          // The reason why it waits, if recorded.
  bool ends = false;
};

// Makes spans of states from switches, only for threads that other tables name, not the system's:
//
//   SCHED_EVENTS    in, core 3   out, blocked   in, core 5        end of the capture
//   time            0            4              7                 9
//   spans           [core 3 -----)[off, blocked -)[core 5 -------)
class Scheduling {
 public:
  Scheduling(Import& import, Labels states, Labels blocks)
      : import_(import), states_(std::move(states)), blocks_(std::move(blocks)) {}

  Status Read() {
    PROFGAUGE_CHECK(ReadSwitches());
    // Sorts the rows, which are not always in order of time.
    std::stable_sort(switches_.begin(), switches_.end(), [](const Switch& a, const Switch& b) {
      return std::pair(a.thread.value, a.at) < std::pair(b.thread.value, b.at);
    });
    for (auto first = switches_.begin(); first != switches_.end();) {
      const auto last = std::find_if(first, switches_.end(),
                                     [&](const Switch& s) { return s.thread != first->thread; });
      AddSpans({first, last});
      first = last;
    }
    return {};
  }

 private:
  Status ReadSwitches() {
    PROFGAUGE_TRY(auto scan, TableScan::Open(import_.tables, "SCHED_EVENTS",
                                             {{{"start"}},
                                              {{"isSchedIn"}},
                                              {{"globalTid"}},
                                              {{"cpu"}},
                                              {{"threadState"}},
                                              {{"threadBlock"}}}));
    return scan.ForEach([&] {
      if (!scan.IsSet(0)) return import_.builder->log().Add(Counter::events_bad_time);
      observed_until_ = std::max(observed_until_, scan.Integer(0));
      // A thread without other events is the system's or another program's, so it is skipped.
      const auto thread = import_.threads.find(scan.Integer(2));
      if (thread == import_.threads.end()) return;
      import_.builder->log().Add(Counter::events_read);
      Switch next{thread->second, scan.Integer(0), -1, {}, false};
      if (scan.Integer(1) != 0) {
        next.core = static_cast<std::int32_t>(std::clamp<std::int64_t>(
            scan.IsSet(3) ? scan.Integer(3) : 0, 0, std::int64_t{1} << 30));
      } else {
        const std::string state =
            NameOf(scan.IsSet(4) ? scan.Integer(4) : -1, scan.IsSet(5) ? scan.Integer(5) : -1);
        next.ends = state == "Terminated";
        if (!state.empty()) next.state = import_.builder->Intern(state);
      }
      switches_.push_back(next);
    });
  }

  // The reason why a thread leaves its core; nothing if not recorded.
  std::string NameOf(std::int64_t state, std::int64_t block) const {
    for (const auto& [labels, id] : {std::pair(&blocks_, block), std::pair(&states_, state)}) {
      const auto label = labels->find(id);
      if (label != labels->end() && !SaysNothing(label->second)) return label->second;
    }
    return {};
  }

  // Adds a span for each state, from one switch to the next or to the end of the data.
  //
  //   in 1, in 2, out 5    the switch out between 1 and 2 is missing: on a core from 2
  //   in 1, out 3, out 5   the switch in between 3 and 5 is missing: off from 3
  void AddSpans(std::span<const Switch> switches) {
    std::vector<Switch> kept;
    for (const Switch& next : switches) {
      const bool repeats = !kept.empty() && (kept.back().core >= 0) == (next.core >= 0);
      // The switch between them was lost: the last switch in and the first switch out are kept.
      if (repeats && next.core >= 0) kept.back() = next;
      if (!repeats) kept.push_back(next);
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (!kept[i].ends) Add(kept[i], i + 1 < kept.size() ? kept[i + 1].at : observed_until_);
    }
  }

  void Add(const Switch& from, Ns end) {
    const Ns duration = Between(from.at, end);
    if (duration <= 0 || !TimesFit(from.at, duration)) return;
    import_.builder->AddCpuSpan({from.at, duration, from.thread, from.core, from.state});
  }

  Import& import_;
  Labels states_, blocks_;
  std::vector<Switch> switches_;
  Ns observed_until_ = std::numeric_limits<Ns>::min();
};

struct Frame {
  std::int64_t sample = 0, depth = 0;
  StringId name;
};

// Reads frames with the name of their function or, without symbols, of their library. Sorts by
// sample, the outermost frame first: stackDepth 0 is the innermost.
Result<std::vector<Frame>> ReadFrames(Import& import) {
  PROFGAUGE_TRY(
      auto scan,
      TableScan::Open(import.tables, "SAMPLING_CALLCHAINS",
                      {{{"id"}}, {{"symbol"}}, {{"module"}}, {{"unresolved"}}, {{"stackDepth"}}}));
  std::vector<Frame> frames;
  boost::unordered_flat_map<std::uint32_t, StringId> libraries;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    Frame frame{scan.Integer(0), scan.Integer(4), import.String(scan.Integer(1, -1))};
    const StringId module = import.String(scan.Integer(2, -1));
    if ((scan.Integer(3) != 0 || !frame.name.valid()) && module.valid()) {
      StringId& library = libraries[module.value];
      if (!library.valid()) {
        const std::string path(import.builder->Name(module));
        library = import.builder->Intern("[" + path.substr(path.find_last_of("/\\") + 1) + "]");
      }
      frame.name = library;
    }
    // This is no function; it marks that the stack is deeper than nsys follows it.
    const bool is_mark = import.builder->Name(frame.name) == "[Max depth]";
    if (frame.name.valid() && !is_mark) frames.push_back(frame);
  }));
  std::sort(frames.begin(), frames.end(), [](const Frame& a, const Frame& b) {
    return std::tuple(a.sample, -a.depth) < std::tuple(b.sample, -b.depth);
  });
  return frames;
}

// Limits, as names of templates may be of any length and stacks repeat them.
constexpr std::size_t kLongestName = 200, kDeepest = 256;

void AppendName(std::string_view name, std::string& stack) {
  std::size_t length = 0;
  while (length < name.size()) {
    const std::size_t next = std::max<std::size_t>(Utf8Length(name.substr(length)), 1);
    if (length + next > kLongestName) break;
    length += next;
  }
  for (const char c : name.substr(0, length)) stack += c == '\n' ? ' ' : c;
  if (length < name.size()) stack += "…";
}

// Joins frames to a stack for each sample. Consecutive frames of one library become one frame.
Result<boost::unordered_flat_map<std::int64_t, StringId>> ReadStacks(Import& import) {
  PROFGAUGE_TRY(const std::vector<Frame> frames, ReadFrames(import));
  boost::unordered_flat_map<std::int64_t, StringId> stacks;
  for (std::size_t i = 0; i < frames.size();) {
    const std::int64_t sample = frames[i].sample;
    std::string stack;
    std::size_t depth = 0;
    for (StringId last; i < frames.size() && frames[i].sample == sample; ++i) {
      const std::string_view name = import.builder->Name(frames[i].name);
      const bool repeats = frames[i].name == last && name.starts_with('[');
      if (repeats || depth == kDeepest) continue;
      ++depth;
      last = frames[i].name;
      if (!stack.empty()) stack += '\n';
      AppendName(name, stack);
    }
    stacks.emplace(sample, import.builder->Intern(stack));
  }
  return stacks;
}

Status ReadSamples(Import& import) {
  PROFGAUGE_TRY(const auto stacks, ReadStacks(import));
  if (stacks.empty()) return {};
  PROFGAUGE_TRY(auto scan, TableScan::Open(import.tables, "COMPOSITE_EVENTS",
                                           {{{"id"}}, {{"start"}}, {{"globalTid"}}}));
  return scan.ForEach([&] {
    const auto stack = stacks.find(scan.Integer(0, -1));
    if (stack == stacks.end() || !scan.IsSet(1) || !scan.IsSet(2)) return;
    import.builder->log().Add(Counter::events_read);
    import.builder->AddCpuSample(
        {scan.Integer(1), ThreadOf(import, scan.Integer(2)), stack->second});
  });
}

// Reads only overhead in threads that call CUDA. In the profiler's own threads it delays nothing.
Status ReadOverhead(Import& import) {
  PROFGAUGE_TRY(auto scan,
                TableScan::Open(import.tables, "PROFILER_OVERHEAD",
                                {{{"start"}}, {{"end"}}, {{"globalTid"}}, {{"nameId"}}}));
  return scan.ForEach([&] {
    const std::int64_t thread = scan.Integer(2);
    if (!scan.IsSet(0) || !scan.IsSet(1) || !import.calls.contains(thread)) return;
    CpuSpan span;
    span.start = scan.Integer(0);
    span.duration = std::max<Ns>(0, Between(span.start, scan.Integer(1)));
    span.thread = ThreadOf(import, thread);
    span.name = import.String(scan.Integer(3, -1));
    import.builder->AddProfilerOverhead(span);
  });
}

}  // namespace

Status ReadCpu(Import& import) {
  PROFGAUGE_CHECK(ReadOverhead(import));
  PROFGAUGE_TRY(Labels states, ReadLabels(import, "ENUM_SAMPLING_THREAD_STATE"));
  PROFGAUGE_TRY(Labels blocks, ReadLabels(import, "ENUM_SCHEDULING_THREAD_BLOCK"));
  PROFGAUGE_CHECK(Scheduling(import, std::move(states), std::move(blocks)).Read());
  return ReadSamples(import);
}

}  // namespace profgauge::readers::nsight
