// The attribution of one rank, and FoldSmall(), which bounds its size.

#include "analysis/breakdown/rank_attribution.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/category_times.h"
#include "analysis/classify/device_spans.h"
#include "analysis/classify/eligibility.h"
#include "analysis/flops/op_tree.h"
#include "base/interval.h"
#include "base/mix.h"

namespace profgauge::analysis::breakdown {
namespace {

constexpr std::size_t kMostCells = 20'000;

// The size of a part in a summary, in cells.
std::size_t SizeOf(const RankPart& part) { return part.cells.size() + part.spans.size(); }

Ns TimeOf(const RankPart& part) {
  Ns time = 0;
  for (const PartCell& cell : part.cells) time += cell.time;
  return time;
}

/// Adds a part to one that represents several. Spans (first and last iteration of an event) are
/// added only if both are equal, so that the run counts an event of several iterations once.
void FoldInto(RankPart& into, const RankPart& part) {
  std::map<std::int64_t, PartCell> cells;
  for (const RankPart* of : {&std::as_const(into), &part}) {
    for (const PartCell& cell : of->cells) {
      PartCell& sum = cells[cell.iteration];
      sum.iteration = cell.iteration;
      sum.count += cell.count;
      sum.time += cell.time;
    }
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> spans;
  for (const RankPart* of : {&std::as_const(into), &part}) {
    for (const PartSpan& span : of->spans) spans[{span.first, span.last}] += span.count;
  }
  into.cells.clear();
  for (const auto& [iteration, cell] : cells) into.cells.push_back(cell);
  into.spans.clear();
  for (const auto& [ends, count] : spans) into.spans.push_back({ends.first, ends.second, count});
}

// Keeps the largest parts by time up to the limit; all are merged from the first that does not fit,
// so the result depends on one limit only. `other` is always kept.
//
//   parts by time    9 000 cells | 8 000 | 5 000 | 100 ...      the limit is 20 000
//   kept             9 000       | 8 000 |                      the third does not fit, so it and
//   folded                               | 5 000 | 100 ...      all after it are merged by op type
void FoldParts(std::vector<RankPart>& parts) {
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<Ns> times;
  for (const RankPart& part : parts) times.push_back(TimeOf(part));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return times[a] > times[b]; });
  std::size_t room = kMostCells;
  std::vector<bool> is_kept(parts.size(), false);
  for (const std::size_t index : order) {
    if (SizeOf(parts[index]) > room) break;
    room -= SizeOf(parts[index]);
    is_kept[index] = true;
  }
  std::vector<RankPart> kept;
  std::map<std::pair<Category, std::string>, RankPart> folded;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (is_kept[i] || parts[i].category == Category::kOther) {
      kept.push_back(std::move(parts[i]));
      continue;
    }
    RankPart& into = folded[{parts[i].category, parts[i].op_type}];
    into.category = parts[i].category;
    into.op_type = parts[i].op_type;
    into.is_folded = true;
    FoldInto(into, parts[i]);
  }
  for (auto& [names, part] : folded) kept.push_back(std::move(part));
  parts = std::move(kept);
}

}  // namespace

void FoldSmall(AttributionFacts& facts) {
  FoldParts(facts.parts);
  for (std::vector<NameWork>* names : {&facts.work.kernels, &facts.work.ops, &facts.work.sums,
                                       &facts.work.collectives, &facts.work.modules}) {
    DropSmallSeries(kMostCells / 2, *names);
  }
}

namespace {

constexpr std::uint32_t kMostPositions = 16;

// Identifies a part, within the names of one rank.
struct Key {
  Category category = Category::kOther;
  StringId op, shapes, kernel;
  std::uint32_t position = 0;
  friend bool operator==(const Key&, const Key&) = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::size_t seed = static_cast<std::size_t>(key.category);
    for (const std::uint32_t part :
         {key.position, key.op.value, key.shapes.value, key.kernel.value}) {
      seed = Mixed(seed, part);
    }
    return seed;
  }
};

struct Event {
  Span span;
  Key key;
};

// The requested iterations, as their observed parts.
struct WantedIterations {
  std::vector<Span> ranges;             // In order, disjoint.
  std::vector<std::int64_t> positions;  // The position of each range among the selected iterations.
};

struct Credit {
  std::vector<PartCell> cells;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> spans;  // Count by first, last.

  // Queries ascend, except for the last few.
  PartCell& At(std::int64_t iteration) {
    std::size_t at = cells.size();
    while (at > 0 && cells[at - 1].iteration > iteration) --at;
    if (at > 0 && cells[at - 1].iteration == iteration) return cells[at - 1];
    return *cells.insert(cells.begin() + static_cast<std::ptrdiff_t>(at), {iteration, 0, 0});
  }
};

// Credits the time of one rank's iterations, one category after another by priority. `free_` is the
// time that no earlier category took; each category takes its part of it:
//
//   free      [0, 20)                          the observed parts of the wanted iterations
//   kernels   a [3, 8)  b [11, 16)             take all of their time
//   free      [0, 3)  [8, 11)  [16, 20)
//   calls     launch [1, 11)  sync [16, 20)    launch takes [1, 3) and [8, 11), sync [16, 20)
//   free      [0, 1)                           is left for `other`
class RankAttribution {
 public:
  RankAttribution(const iterations::RankContext& rank, const WantedIterations& wanted)
      : rank_(rank), profile_(*rank.profile), wanted_(wanted), free_(Merge(wanted.ranges)) {}

  boost::unordered_flat_map<Key, Credit, KeyHash> Run() {
    std::array<std::vector<Event>, kBreakdownCategories - 1> events;
    CollectDevice(events);
    CollectCalls(events);
    CollectHost(events);
    const Roles roles = CollectRoles(profile_, rank_.classes);
    for (std::size_t i = 0; i < roles.size(); ++i) {
      std::stable_sort(events[i].begin(), events[i].end(),
                       [](const Event& a, const Event& b) { return a.span.start < b.span.start; });
      CreditCategory(events[i], roles[i]);
    }
    Key other;
    for (const Span span : free_) Add(other, span);
    return std::move(credits_);
  }

 private:
  static std::size_t Index(Category category) { return static_cast<std::size_t>(category); }

  using Range = std::vector<Span>::const_iterator;

  // The first range that ends after `span` starts.
  Range FirstAround(Span span) const {
    return std::partition_point(wanted_.ranges.begin(), wanted_.ranges.end(),
                                [span](const Span& range) { return range.end <= span.start; });
  }

  // Whether it overlaps a wanted iteration; other events are not listed.
  bool Touches(Span span) const {
    const Range after = FirstAround(span);
    return after != wanted_.ranges.end() && after->start < span.end;
  }

  std::int64_t PositionOf(Range range) const {
    return wanted_.positions[static_cast<std::size_t>(range - wanted_.ranges.begin())];
  }

  void Push(std::vector<Event>& list, Span span, const Key& key) const {
    if (span.end > span.start && Touches(span)) list.push_back({span, key});
  }

  // The names of the op, if any, and of the kernel, copy or call.
  Key KeyOf(Category category, HostId op, StringId kernel) const {
    Key key{category, {}, {}, kernel, 0};
    if (op.valid()) {
      key.op = profile_.host.name[op.value];
      key.shapes = profile_.host.input_shapes[op.value];
    }
    return key;
  }

  // Numbers the launches of one op call in the order in which they ran, so that comparisons can
  // separate the two kernels of one matmul. From the 16th on they share a number.
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
    std::vector<classify::ShortGap> gaps = classify::FindShortGaps(device);
    std::sort(
        gaps.begin(), gaps.end(),
        [](const classify::ShortGap& a, const classify::ShortGap& b) { return a.row < b.row; });
    auto gap = gaps.begin();
    for (std::size_t row = 0; row < device.size(); ++row) {
      const Category category = CategoryOfDevice(profile_, rank_.classes, row);
      Key key = KeyOf(category, device.op[row], device.name[row]);
      key.position = positions[row];
      Span time{device.start[row], device.start[row] + device.duration[row]};
      if (gap != gaps.end() && gap->row == row) time.end = gap++->time.end;
      Push(events[Index(category)], time, key);
    }
  }

  // Collects runtime calls with the op that made them: `cudaLaunchKernel` of `aten::mm`.
  void CollectCalls(std::array<std::vector<Event>, kBreakdownCategories - 1>& events) const {
    const ApiTable& api = profile_.api;
    for (std::size_t row = 0; row < api.size(); ++row) {
      Push(events[Index(Category::kRuntime)], {api.start[row], api.start[row] + api.duration[row]},
           KeyOf(Category::kRuntime, OpOf(api.op[row]), api.name[row]));
    }
  }

  // The innermost op around a host range.
  HostId OpOf(HostId row) const {
    while (row.valid() && !rank_.tree.IsOp(row.value)) row = profile_.host.parent[row.value];
    return row;
  }

  // Collects host time. Waiting for data and host collectives count completely; of nested ops the
  // innermost counts. A stack of open ranges cuts a thread's time into pieces of one op each:
  //
  //   ops      layer [0, 20)   mm [3, 8)   add [11, 17), both in layer
  //   pieces   layer [0, 3)   mm [3, 8)   layer [8, 11)   add [11, 17)   layer [17, 20)
  void CollectHost(std::array<std::vector<Event>, kBreakdownCategories - 1>& events) const {
    const HostTable& host = profile_.host;
    const std::vector<Category> categories = CountedCategoriesOfHost(profile_);
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

  // Credits to each of `events` (sorted by start) its time that is free, in `role`, and not in an
  // earlier event; then removes it from the free time. `cursor`: the end of the events so far,
  // whether or not their time was free.
  void CreditCategory(const std::vector<Event>& events, const std::vector<Span>& role) {
    const std::vector<Span> open = Intersect(free_, role);
    std::vector<Span> taken;
    std::size_t next = 0;
    Ns cursor = std::numeric_limits<Ns>::min();
    for (const Event& event : events) {
      Count(event);
      const Ns start = std::max(event.span.start, cursor);
      if (start >= event.span.end) continue;
      cursor = event.span.end;
      while (next < open.size() && open[next].end <= start) ++next;
      for (std::size_t i = next; i < open.size() && open[i].start < event.span.end; ++i) {
        const Span piece{std::max(start, open[i].start), std::min(event.span.end, open[i].end)};
        Add(event.key, piece);
        taken.push_back(piece);
      }
    }
    free_ = Subtract(free_, Merge(std::move(taken)));
  }

  // REQUIRES: the event touches an iteration.
  void Count(const Event& event) {
    const Range first = FirstAround(event.span);
    Range last = first;
    while (std::next(last) != wanted_.ranges.end() && std::next(last)->start < event.span.end) {
      ++last;
    }
    Credit& credit = credits_[event.key];
    if (first == last) {
      ++credit.At(PositionOf(first)).count;
    } else {
      ++credit.spans[{PositionOf(first), PositionOf(last)}];
    }
  }

  // Splits a piece at the borders of iterations.
  void Add(const Key& key, Span piece) {
    Credit& credit = credits_[key];
    for (Range range = FirstAround(piece);
         range != wanted_.ranges.end() && range->start < piece.end; ++range) {
      const Ns common = std::min(piece.end, range->end) - std::max(piece.start, range->start);
      credit.At(PositionOf(range)).time += common;
    }
  }

  const iterations::RankContext& rank_;
  const Profile& profile_;
  const WantedIterations& wanted_;
  std::vector<Span> free_;
  boost::unordered_flat_map<Key, Credit, KeyHash> credits_;
};

// The order of parts in a summary, independent of event order: its bytes are reproducible.
auto NamesOf(const RankPart& part) {
  return std::tie(part.category, part.op_type, part.op, part.shapes, part.kernel, part.position);
}

// Converts ids of the profile to texts, because ids differ between ranks.
std::vector<RankPart> PartsOf(const iterations::RankContext& rank,
                              const std::vector<bool>& is_wanted) {
  WantedIterations wanted;
  const std::span<const iterations::Iteration> selected = rank.iterations.selected();
  for (std::size_t i = 0; i < selected.size(); ++i) {
    if (!is_wanted.empty() && !is_wanted[i]) continue;
    for (const Span part : Subtract(std::span(&selected[i].time, 1), rank.unobserved)) {
      wanted.ranges.push_back(part);
      wanted.positions.push_back(static_cast<std::int64_t>(i));
    }
  }
  if (wanted.ranges.empty()) return {};
  const Profile& profile = *rank.profile;
  std::vector<RankPart> parts;
  for (auto& [key, credit] : RankAttribution(rank, wanted).Run()) {
    RankPart& part = parts.emplace_back();
    part.category = key.category;
    part.op = profile.Name(key.op);
    part.op_type = flops::OpType(part.op);
    part.shapes = profile.Name(key.shapes);
    part.kernel = profile.Name(key.kernel);
    part.position = key.position;
    part.cells = std::move(credit.cells);
    for (const auto& [ends, count] : credit.spans) {
      part.spans.push_back({ends.first, ends.second, count});
    }
  }
  std::sort(parts.begin(), parts.end(),
            [](const RankPart& a, const RankPart& b) { return NamesOf(a) < NamesOf(b); });
  return parts;
}

// Sets launches per iteration of each op and shapes, rounded: one additional launch, or one that
// the profile cut off, does not change the signature of a model.
void SetLaunching(const iterations::RankContext& rank, AttributionFacts& facts) {
  const Profile& profile = *rank.profile;
  std::map<std::pair<std::string_view, std::string_view>, std::int64_t> launches;
  for (std::uint32_t row = 0; row < profile.device.size(); ++row) {
    const std::uint32_t iteration = rank.iterations.of_device[row];
    const HostId op = profile.device.op[row];
    if (!op.valid() || !rank.iterations.SelectsIteration(iteration)) continue;
    const StringId shapes = profile.host.input_shapes[op.value];
    facts.has_shapes = facts.has_shapes || shapes.valid();
    ++launches[{profile.Name(profile.host.name[op.value]), profile.Name(shapes)}];
  }
  const auto iterations = static_cast<double>(rank.iterations.selected().size());
  for (const auto& [op, count] : launches) {
    facts.launching.push_back({std::string(op.first), std::string(op.second),
                               std::llround(static_cast<double>(count) / iterations)});
  }
}

// FNV-1a: equal on every machine.
std::uint64_t HashOf(std::string_view text, std::uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// Uses only matmuls and convolutions: other elementwise operators mean another program, but not
// inputs of another length. Hashes are added, since the order of operators does not matter.
void SetIterationShapes(const iterations::RankContext& rank, AttributionFacts& facts) {
  const Profile& profile = *rank.profile;
  std::vector<std::uint64_t> sums(rank.iterations.selected().size(), 0);
  std::vector<bool> is_seen(profile.host.size(), false);
  bool has_any = false;
  for (std::uint32_t row = 0; row < profile.device.size(); ++row) {
    const std::uint32_t iteration = rank.iterations.of_device[row];
    const HostId op = profile.device.op[row];
    if (!op.valid() || is_seen[op.value] || !rank.iterations.SelectsIteration(iteration)) continue;
    is_seen[op.value] = true;
    const std::string_view name = profile.Name(profile.host.name[op.value]);
    const std::string_view shapes = profile.Name(profile.host.input_shapes[op.value]);
    if (shapes.empty() || !classify::IsProduct(name)) continue;
    has_any = true;
    std::uint64_t hash = HashOf(shapes, HashOf(name, 0xcbf29ce484222325));
    // Mixed, because a sum needs all bits to vary.
    sums[iteration - rank.iterations.first] += Mixed(hash, hash >> 32);
  }
  if (!has_any) return;
  for (const std::uint64_t sum : sums) {
    facts.iteration_shapes.push_back(static_cast<std::int64_t>(sum));
  }
}

// Sets the product names of GPUs with rows, not of GPUs that are only listed.
void SetGpuModels(const Profile& profile, AttributionFacts& facts) {
  const std::set<std::int32_t> ids(profile.device.gpu.begin(), profile.device.gpu.end());
  std::set<std::string> models;
  for (const Gpu& gpu : profile.gpus) {
    if (ids.contains(gpu.id) && !gpu.name.empty()) models.insert(gpu.name);
  }
  facts.gpu_models.assign(models.begin(), models.end());
}

}  // namespace

AttributionFacts AttributionFactsOf(const iterations::RankContext& rank,
                                    const std::vector<bool>& is_wanted) {
  AttributionFacts facts;
  facts.parts = PartsOf(rank, is_wanted);
  SetLaunching(rank, facts);
  SetIterationShapes(rank, facts);
  facts.work = RankWorkOf(rank);
  facts.work.sums = IterationSumsOf(rank);
  SetGpuModels(*rank.profile, facts);
  return facts;
}

}  // namespace profgauge::analysis::breakdown
