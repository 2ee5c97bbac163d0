#include "analysis/time/attribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/context/context.h"
#include "analysis/time/breakdown.h"
#include "analysis/time/run_iterations.h"
#include "analysis/work/op_tree.h"
#include "base/content_hash.h"

namespace profgauge {
namespace {

constexpr std::uint32_t kMostPositions = 16;
constexpr double kFoldedShare = 0.0002;
constexpr double kSeriesShare = 0.005;
constexpr std::size_t kMostSeries = 64;

// One thing that can be credited, within the names of one rank.
struct Key {
  Category category = Category::kOther;
  StringId op, shapes, kernel;
  std::uint32_t position = 0;
  friend bool operator==(const Key&, const Key&) = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::size_t seed = static_cast<std::size_t>(key.category) * 31 + key.position;
    for (const StringId id : {key.op, key.shapes, key.kernel}) {
      seed = (seed ^ id.value) * 0x9e3779b97f4a7c15;
      seed ^= seed >> 29;
    }
    return seed;
  }
};

struct Event {
  Span span;
  Key key;
};

struct Credit {
  std::int64_t count = 0;
  std::vector<Ns> by_iteration;  // Of the run; 0 where another rank was slower.
};

// The iterations in which this rank was the slowest: those that the run's time is made of.
struct OwnIterations {
  std::vector<Span> ranges;               // In order, disjoint.
  std::vector<std::size_t> run_position;  // Of each range among the run's iterations.
};

class RankAttribution {
 public:
  RankAttribution(const RankContext& rank, const OwnIterations& own, std::size_t iterations)
      : rank_(rank),
        profile_(*rank.profile),
        own_(own),
        iterations_(iterations),
        free_(Merge(own.ranges)) {}

  boost::unordered_flat_map<Key, Credit, KeyHash> Run() {
    std::array<std::vector<Event>, kBreakdownCategories - 1> events;
    CollectDevice(events);
    CollectCalls(events);
    CollectHost(events);
    for (auto& list : events) {
      std::stable_sort(list.begin(), list.end(),
                       [](const Event& a, const Event& b) { return a.span.start < b.span.start; });
      CreditCategory(list);
    }
    Key other;
    for (const Span span : free_) Add(other, span);
    if (!free_.empty()) credits_[other].count = static_cast<std::int64_t>(own_.ranges.size());
    return std::move(credits_);
  }

 private:
  static std::size_t Index(Category category) { return static_cast<std::size_t>(category); }

  bool Touches(Span span) const {
    const auto after =
        std::partition_point(own_.ranges.begin(), own_.ranges.end(),
                             [span](const Span& range) { return range.end <= span.start; });
    return after != own_.ranges.end() && after->start < span.end;
  }

  void Push(std::vector<Event>& list, Span span, const Key& key) const {
    if (span.end > span.start && Touches(span)) list.push_back({span, key});
  }

  Key KeyOf(Category category, HostId op, StringId kernel) const {
    Key key{category, {}, {}, kernel, 0};
    if (op.valid()) {
      key.op = profile_.host.name[op.value];
      key.shapes = profile_.host.input_shapes[op.value];
    }
    return key;
  }

  // Launches of one op call are numbered in the order in which they ran.
  std::vector<std::uint32_t> Positions() const {
    const DeviceTable& device = profile_.device;
    std::vector<std::uint32_t> order(device.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return device.start[a] < device.start[b];
    });
    std::vector<std::uint32_t> launched(profile_.host.size(), 0);
    std::vector<std::uint32_t> positions(device.size(), 0);
    for (const std::uint32_t row : order) {
      if (!device.op[row].valid()) continue;
      positions[row] = std::min(launched[device.op[row].value]++, kMostPositions - 1);
    }
    return positions;
  }

  void CollectDevice(std::array<std::vector<Event>, kBreakdownCategories - 1>& events) const {
    const DeviceTable& device = profile_.device;
    const std::vector<std::uint32_t> positions = Positions();
    for (std::size_t row = 0; row < device.size(); ++row) {
      const Category category = CategoryOfDevice(profile_, rank_.classes, row);
      Key key = KeyOf(category, device.op[row], device.name[row]);
      key.position = positions[row];
      Push(events[Index(category)], {device.start[row], device.start[row] + device.duration[row]},
           key);
    }
  }

  void CollectCalls(std::array<std::vector<Event>, kBreakdownCategories - 1>& events) const {
    const ApiTable& api = profile_.api;
    for (std::size_t row = 0; row < api.size(); ++row) {
      Push(events[Index(Category::kRuntime)], {api.start[row], api.start[row] + api.duration[row]},
           KeyOf(Category::kRuntime, OpOf(api.op[row]), api.name[row]));
    }
  }

  // The innermost op around a host range of any kind.
  HostId OpOf(HostId row) const {
    while (row.valid() && !rank_.tree.IsOp(row.value)) row = profile_.host.parent[row.value];
    return row;
  }

  // Waiting for data and host collectives count whole; of nested ops the innermost one counts.
  void CollectHost(std::array<std::vector<Event>, kBreakdownCategories - 1>& events) const {
    const HostTable& host = profile_.host;
    const std::vector<Category> categories = CategoriesOfHost(profile_);
    struct Open {
      std::size_t row;
      Ns end;
    };
    std::vector<Open> stack;
    Ns cursor = 0;
    const auto emit = [&](Ns until) {
      if (!stack.empty() && until > cursor) {
        const HostId row{static_cast<std::uint32_t>(stack.back().row)};
        Push(events[Index(Category::kCpu)], {cursor, until}, KeyOf(Category::kCpu, row, {}));
      }
      cursor = std::max(cursor, until);
    };
    ThreadId thread;
    for (std::size_t row = 0; row < host.size(); ++row) {
      if (categories[row] == Category::kOther) continue;
      if (categories[row] != Category::kCpu) {
        Push(events[Index(categories[row])],
             {host.start[row], host.start[row] + host.duration[row]},
             KeyOf(categories[row], {}, host.name[row]));
        continue;
      }
      if (!(host.thread[row] == thread)) {
        while (!stack.empty()) Close(stack, emit);
        thread = host.thread[row];
        cursor = host.start[row];
      }
      while (!stack.empty() && stack.back().end <= host.start[row]) Close(stack, emit);
      emit(host.start[row]);
      cursor = std::max(cursor, host.start[row]);
      stack.push_back({row, host.start[row] + host.duration[row]});
    }
    while (!stack.empty()) Close(stack, emit);
  }

  template <class Stack, class Emit>
  static void Close(Stack& stack, const Emit& emit) {
    emit(stack.back().end);
    stack.pop_back();
  }

  // Credits disjoint pieces of `events` (sorted by start) that lie in what is still free, then
  // takes them away from it.
  void CreditCategory(const std::vector<Event>& events) {
    std::vector<Span> taken;
    std::size_t next = 0;
    Ns cursor = std::numeric_limits<Ns>::min();
    for (const Event& event : events) {
      ++credits_[event.key].count;
      const Ns start = std::max(event.span.start, cursor);
      if (start >= event.span.end) continue;
      cursor = event.span.end;
      while (next < free_.size() && free_[next].end <= start) ++next;
      for (std::size_t i = next; i < free_.size() && free_[i].start < event.span.end; ++i) {
        const Span piece{std::max(start, free_[i].start), std::min(event.span.end, free_[i].end)};
        Add(event.key, piece);
        taken.push_back(piece);
      }
    }
    free_ = Subtract(free_, Merge(std::move(taken)));
  }

  // Splits a piece at the borders of iterations.
  void Add(const Key& key, Span piece) {
    Credit& credit = credits_[key];
    if (credit.by_iteration.empty()) credit.by_iteration.resize(iterations_, 0);
    auto range = std::partition_point(own_.ranges.begin(), own_.ranges.end(),
                                      [piece](const Span& r) { return r.end <= piece.start; });
    for (; range != own_.ranges.end() && range->start < piece.end; ++range) {
      const Ns common = std::min(piece.end, range->end) - std::max(piece.start, range->start);
      const auto index = static_cast<std::size_t>(range - own_.ranges.begin());
      credit.by_iteration[own_.run_position[index]] += common;
    }
  }

  const RankContext& rank_;
  const Profile& profile_;
  const OwnIterations& own_;
  std::size_t iterations_;
  std::vector<Span> free_;
  boost::unordered_flat_map<Key, Credit, KeyHash> credits_;
};

using Names = std::tuple<std::string, std::string, std::string, std::string, std::int64_t>;

// Parts of all ranks by their names, with a series each.
std::map<Names, TimePart> MergeRanks(std::span<const RankContext> ranks,
                                     std::span<const RunIteration> run) {
  std::map<Names, TimePart> parts;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    OwnIterations own;
    for (std::size_t i = 0; i < run.size(); ++i) {
      if (run[i].rank != r) continue;
      own.ranges.push_back(ranks[r].iterations.all[run[i].iteration].time);
      own.run_position.push_back(i);
    }
    if (own.ranges.empty()) continue;
    const Profile& profile = *ranks[r].profile;
    for (const auto& [key, credit] : RankAttribution(ranks[r], own, run.size()).Run()) {
      const std::string op(profile.Name(key.op));
      const std::string category(CategoryId(key.category));
      const std::string shapes(profile.Name(key.shapes));
      const std::string kernel(profile.Name(key.kernel));
      TimePart& part = parts[{category, op, shapes, kernel, key.position}];
      part.category = category;
      part.op_type = OpType(op);
      part.op = op;
      part.shapes = shapes;
      part.kernel = kernel;
      part.position = key.position;
      part.count += credit.count;
      part.series.resize(run.size(), 0);
      for (std::size_t i = 0; i < credit.by_iteration.size(); ++i) {
        part.series[i] += credit.by_iteration[i];
        part.time += credit.by_iteration[i];
      }
    }
  }
  return parts;
}

// Small parts of a category and op type become one, so that a baseline stays kilobytes.
std::vector<TimePart> Fold(std::map<Names, TimePart> all, Ns whole) {
  const double least = kFoldedShare * static_cast<double>(whole);
  std::map<std::pair<std::string, std::string>, TimePart> folded;
  std::vector<TimePart> parts;
  for (auto& [names, part] : all) {
    if (static_cast<double>(part.time) >= least || part.category == "other") {
      parts.push_back(std::move(part));
      continue;
    }
    TimePart& rest = folded[{part.category, part.op_type}];
    rest.category = part.category;
    rest.op_type = part.op_type;
    rest.kernel = "(smaller parts)";
    rest.count += part.count;
    rest.time += part.time;
  }
  for (auto& [names, part] : folded) parts.push_back(std::move(part));
  std::stable_sort(parts.begin(), parts.end(),
                   [](const TimePart& a, const TimePart& b) { return a.time > b.time; });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool is_large =
        static_cast<double>(parts[i].time) >= kSeriesShare * static_cast<double>(whole);
    if (!is_large || i >= kMostSeries) parts[i].series.clear();
  }
  return parts;
}

// Ranks may do different work, so lines of all ranks are put together.
std::string ShapeSignature(std::span<const RankContext> ranks) {
  std::set<std::string> lines;
  bool has_shapes = false;
  for (const RankContext& rank : ranks) {
    const Profile& profile = *rank.profile;
    std::map<std::pair<std::string_view, std::string_view>, std::int64_t> launches;
    for (std::uint32_t row = 0; row < profile.device.size(); ++row) {
      const std::uint32_t iteration = rank.iterations.of_device[row];
      const HostId op = profile.device.op[row];
      if (!op.valid() || !rank.iterations.SelectsIteration(iteration)) continue;
      const StringId shapes = profile.host.input_shapes[op.value];
      has_shapes = has_shapes || shapes.valid();
      ++launches[{profile.Name(profile.host.name[op.value]), profile.Name(shapes)}];
    }
    const auto iterations = static_cast<double>(rank.iterations.selected().size());
    for (const auto& [op, count] : launches) {
      lines.insert(fmt::format("{} {} {:.0f}\n", op.first, op.second,
                               std::round(static_cast<double>(count) / iterations)));
    }
  }
  if (!has_shapes) return {};
  ContentHash hash;
  for (const std::string& line : lines) hash.Add(line);
  return hash.Hex();
}

void SetShares(const std::map<Names, TimePart>& parts, Attribution& out) {
  for (std::size_t category = 0; category < kBreakdownCategories; ++category) {
    const auto name = CategoryId(static_cast<Category>(category));
    std::vector<double> times(out.iteration_times.size(), 0);
    for (const auto& [names, part] : parts) {
      if (part.category != name) continue;
      for (std::size_t i = 0; i < times.size(); ++i)
        times[i] += static_cast<double>(part.series[i]);
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto whole = static_cast<double>(out.iteration_times[i]);
      times[i] = whole > 0 ? times[i] / whole : 0;
    }
    out.iteration_shares["breakdown." + std::string(name)] = std::move(times);
  }
}

}  // namespace

Result<Attribution> AttributeTime(std::span<const Profile> profiles, const Selection& selection) {
  PROFGAUGE_TRY(const std::vector<RankContext> ranks, BuildRankContexts(profiles, selection));
  const std::vector<RunIteration> run = PoolIterations(ranks);
  Attribution out;
  Ns whole = 0;
  for (const RunIteration& iteration : run) {
    out.iteration_times.push_back(iteration.duration);
    whole += iteration.duration;
  }
  std::map<Names, TimePart> parts = MergeRanks(ranks, run);
  SetShares(parts, out);
  out.shape_signature = ShapeSignature(ranks);
  out.work = SumWork(ranks, run);
  out.parts = Fold(std::move(parts), whole);
  return out;
}

}  // namespace profgauge
