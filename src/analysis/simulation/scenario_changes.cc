// Rows of idle time for scenarios.

#include "analysis/simulation/scenario_changes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/catalog/rank_columns.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/catalog/time_columns.h"
#include "analysis/catalog/work_columns.h"
#include "analysis/simulation/replayer.h"
#include "base/parallel.h"
#include "knowledge/idle.h"
#include "model/idle_cause.h"
#include "model/known_names.h"

namespace profgauge::analysis::simulation {
namespace {

// Kinds of host work that other rules cover, or that happen once: not code that can be moved.
constexpr std::array<std::string_view, 4> kNotMovable = {"first_use", "synchronization", "backward",
                                                         "operators"};

// "train.py(12): preprocess", but not an operator called by one: "aten::add (train.py(12): f)".
bool IsPythonFunction(std::string_view doing) {
  const std::size_t file = doing.find(".py");
  return file != doing.npos && file < doing.find('(');
}

bool IsMovable(const HostGap& gap) {
  if (!IsPythonFunction(gap.doing)) return false;
  for (const IdleCause cause : {IdleCause::kModuleLoading, IdleCause::kDataLoader}) {
    if (gap.cause == InfoOf(cause).title) return false;
  }
  return std::none_of(std::begin(kHostWork), std::end(kHostWork), [&](const HostWork& work) {
    return work.title == gap.category &&
           std::find(kNotMovable.begin(), kNotMovable.end(), work.id) != kNotMovable.end();
  });
}

// The longest gap of the main cause; nullptr without gaps.
const HostGap* LongestOfMainCause(std::span<const HostGap> gaps) {
  std::map<std::string_view, Ns> by_cause;
  for (const HostGap& gap : gaps) by_cause[gap.cause] += gap.time.length();
  const HostGap* longest = nullptr;
  const auto key = [&](const HostGap& gap) {
    return std::pair(by_cause[gap.cause], gap.time.length());
  };
  for (const HostGap& gap : gaps) {
    if (longest == nullptr || key(gap) > key(*longest)) longest = &gap;
  }
  return longest;
}

// Marks gaps of the same host work as the longest gap of the main cause, if that work covers most
// of the idle time.
void FindLeading(std::vector<HostGap>& gaps) {
  const HostGap* longest = LongestOfMainCause(gaps);
  if (longest == nullptr || !IsMovable(*longest)) return;
  const std::string doing = longest->doing;
  Ns all = 0, its = 0;
  for (const HostGap& gap : gaps) {
    all += gap.time.length();
    if (gap.doing == doing) its += gap.time.length();
  }
  if (its < knowledge::kIdleLeadingShare.WholeOf(all)) return;
  for (HostGap& gap : gaps) gap.leads = gap.doing == doing && IsMovable(gap);
}

}  // namespace

std::string TextAt(const Table& table, const Column& cells, std::size_t row) {
  if (!cells.absent_because().empty() || cells.IsAbsentAt(row)) return {};
  return std::string(table.strings()[cells.TextAt(row)]);
}

std::vector<HostGap> HostGapsOf(std::span<const iterations::RankContext> ranks,
                                const catalog::Output& out) {
  std::vector<HostGap> gaps;
  const Table* table = out.Added("gaps");
  if (table == nullptr) return gaps;
  const auto* of_rank = catalog::ColumnOf<catalog::columns::kGaps>(table, "rank"_col);
  const auto* starts = catalog::ColumnOf<catalog::columns::kGaps>(table, "start"_col);
  const auto* durations = catalog::ColumnOf<catalog::columns::kGaps>(table, "duration"_col);
  const auto* causes = catalog::ColumnOf<catalog::columns::kGaps>(table, "cause"_col);
  const auto* doings = catalog::ColumnOf<catalog::columns::kGaps>(table, "doing"_col);
  const auto* categories = catalog::ColumnOf<catalog::columns::kGaps>(table, "category"_col);
  std::map<std::int64_t, std::uint32_t> position;
  for (std::uint32_t i = 0; i < ranks.size(); ++i) position.emplace(ranks[i].rank, i);
  for (std::size_t row = 0; row < table->rows(); ++row) {
    const auto rank = position.find(of_rank->IntegerAt(row));
    if (rank == position.end()) continue;
    const Ns start = starts->IntegerAt(row);
    const Ns length = durations->IntegerAt(row);
    gaps.push_back({rank->second, Span{start, start + length}, TextAt(*table, *causes, row),
                    TextAt(*table, *doings, row), TextAt(*table, *categories, row), false});
  }
  std::stable_sort(gaps.begin(), gaps.end(), [](const HostGap& a, const HostGap& b) {
    return std::tie(a.rank, a.time.start, a.time.end) < std::tie(b.rank, b.time.start, b.time.end);
  });
  FindLeading(gaps);
  return gaps;
}

// Targets of launches, and the late rank, for scenarios.

namespace {

// A time of the row as a share of `time`; -1 if it is absent.
double PartOfTime(const Column& cells, std::size_t row, double time) {
  if (!cells.absent_because().empty() || cells.IsAbsentAt(row) || time <= 0) return -1;
  return std::min(1.0, static_cast<double>(cells.IntegerAt(row)) / time);
}

double ShareAt(const Column& cells, std::size_t row) {
  if (!cells.absent_because().empty() || cells.IsAbsentAt(row)) return -1;
  return std::min(1.0, cells.RealAt(row));
}

}  // namespace

std::optional<std::size_t> StragglerOf(const catalog::Output& out) {
  const Table* ranks = out.Added("ranks");
  if (ranks == nullptr) return std::nullopt;
  const auto* straggles = catalog::ColumnOf<catalog::columns::kRanks>(ranks, "straggles"_col);
  if (!straggles->absent_because().empty()) return std::nullopt;
  for (std::size_t row = 0; row < ranks->rows(); ++row) {
    if (!straggles->IsAbsentAt(row) && straggles->IntegerAt(row) != 0) return row;
  }
  return std::nullopt;
}

// The roofline has one row per operator and shapes; its times are sums over kernels. Their shares
// of the summed time therefore apply to each kernel of the operator.
LaunchTargets LaunchTargetsOf(catalog::Output& out, std::size_t ranks) {
  LaunchTargets found;
  const Table* table = out.Added("roofline");
  if (table == nullptr) return found;
  const auto* times = catalog::ColumnOf<catalog::columns::kRoofline>(table, "time"_col);
  const auto* shares = catalog::ColumnOf<catalog::columns::kRoofline>(table, "roof_share"_col);
  const auto* targets = catalog::ColumnOf<catalog::columns::kRoofline>(table, "target"_col);
  const auto* of_matrix_units =
      catalog::ColumnOf<catalog::columns::kRoofline>(table, "matrix_target"_col);
  const auto* shapes = catalog::ColumnOf<catalog::columns::kRoofline>(table, "input_shapes"_col);
  const auto* kinds = catalog::ColumnOf<catalog::columns::kRoofline>(table, "kind"_col);
  const auto* traits = catalog::ColumnOf<catalog::columns::kRoofline>(table, "trait"_col);
  for (std::size_t row = 0; row < table->rows(); ++row) {
    const auto time = static_cast<double>(times->IntegerAt(row));
    found.ops.push_back({ShareAt(*shares, row), PartOfTime(*targets, row, time),
                         PartOfTime(*of_matrix_units, row, time), TextAt(*table, *shapes, row),
                         TextAt(*table, *kinds, row), TextAt(*table, *traits, row)});
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    found.op_of.push_back(std::move(out.RowsOfDevice("roofline", rank)));
  }
  return found;
}

namespace {

using StepId = PathGraph::StepId;

constexpr double kMostFactor = 1e6;  // The largest product of several scalings.

}  // namespace

double FactorInSteps(double factor) {
  constexpr double kSteps = 1000;  // Finer than the accuracy of predictions.
  if (std::isnan(factor)) return 1;
  return std::round(std::clamp(factor, 0.0, 1.0) * kSteps) / kSteps;
}

// Finds the factors of all segments that scalings cover. Each step stores an index of its factor,
// since there are few different factors.
class Coverer {
 public:
  explicit Coverer(ScenarioChanges& out)
      : graph_(*out.graph_), out_(out), which_(out.which_), factors_(out.factors_) {
    which_.Resize(graph_.device_steps());
  }

  // Sets the time of all work of threads to 0.
  void HideHost() {
    which_.Resize(graph_.size());
    const auto nothing = static_cast<std::uint32_t>(factors_.size());
    factors_.push_back(0);
    for (std::size_t step = graph_.device_steps(); step < graph_.size(); ++step) {
      which_.Set(step, nothing);
    }
    out_.covers_threads_ = true;
  }

  void Add(const Scaling& scaling, std::uint32_t rank) {
    if (scaling.paces) return CoverOwnWork((*scaling.paces)[rank]);
    if (scaling.factor == 1 && !scaling.without_waiting) return;
    if (scaling.table == PathTable::kGap) return CoverGaps(scaling, rank);
    if (scaling.table != PathTable::kDevice) return CoverThreads(scaling, rank);
    const Flags named = NamedRows(graph_, scaling, rank);
    if (named.empty()) return;
    times_this_.assign(factors_.size(), kNotYet);
    CoverDevice(named, scaling.factor);
    if (scaling.without_waiting) StopWaiting(named);
  }

 private:
  static constexpr std::uint32_t kNotYet = 0;

  [[gnu::always_inline]] void Cover(StepId step, double factor) {
    which_.Set(step, Product(which_.Of(step), factor));
  }

  [[gnu::always_inline]] std::uint32_t Product(std::uint32_t which, double factor) {
    if (times_this_[which] == kNotYet) times_this_[which] = AddProduct(which, factor);
    return times_this_[which];
  }
  std::uint32_t AddProduct(std::uint32_t which, double factor) {
    const bool is_covered = which != 0;
    const double both = out_.by_smallest_ && is_covered ? std::min(factors_[which], factor)
                                                        : factors_[which] * factor;
    factors_.push_back(std::min(both, kMostFactor));
    return static_cast<std::uint32_t>(factors_.size() - 1);
  }

  void CoverDevice(const Flags& named, double factor) {
    for (StepId end = 1; end < graph_.device_steps(); end += 2) {
      if (named[graph_.OwnerOf(end).row]) Cover(end, factor);
    }
  }

  void StopWaiting(const Flags& named) {
    if (out_.waits_not_.empty()) out_.waits_not_ = Flags(graph_.device_steps() / 2);
    for (StepId end = 1; end < graph_.device_steps(); end += 2) {
      if (named[graph_.OwnerOf(end).row]) out_.waits_not_.Set(end / 2);
    }
  }

  void CoverThreads(const Scaling& scaling, std::uint32_t rank) {
    const StepRanges found = scaling.steps ? StepRanges() : CoveredSteps(graph_, scaling, rank);
    const StepRanges& covered = scaling.steps ? (*scaling.steps)[rank] : found;
    if (covered.empty()) return;
    which_.Resize(graph_.size());
    times_this_.assign(factors_.size(), kNotYet);
    for (const auto& [begin, end] : covered) {
      if (which_.AreNone(begin, end - begin)) {  // The usual case.
        which_.Fill(begin, end - begin, Product(0, scaling.factor));
        continue;
      }
      for (StepId step = begin; step < end; ++step) Cover(step, scaling.factor);
    }
    out_.covers_threads_ = true;
  }

  // Covers the host's work in idle time.
  void CoverGaps(const Scaling& scaling, std::uint32_t rank) {
    std::vector<Pace> idle;  // Disjoint and in order: several GPUs may be idle simultaneously.
    for (const ScenarioRows::Range& range : scaling.rows.ranges()) {
      for (std::uint32_t row = range.begin; range.rank == rank && row < range.end; ++row) {
        const Span time = scaling.gaps[row].time;
        if (idle.empty() || idle.back().time.end < time.start) {
          idle.push_back({time, scaling.factor});
        } else {
          idle.back().time.end = std::max(idle.back().time.end, time.end);
        }
      }
    }
    if (!idle.empty() && scaling.factor != 1) CoverThreadsIn(idle, true);
  }

  // Covers all work of the rank itself.
  void CoverOwnWork(std::span<const Pace> paces) {
    if (paces.empty()) return;
    CoverThreadsIn(paces, false);
    std::size_t next = 0;
    for (StepId end = 1; end < graph_.device_steps(); end += 2) {
      if (graph_.Before(end - 1) == PathGraph::kNone) next = 0;  // Another stream.
      CoverIn(end, {graph_.RecordedAt(end - 1), graph_.RecordedAt(end)}, paces, next);
    }
  }

  // Covers the parts of threads' segments within these times, maybe without one-off work.
  void CoverThreadsIn(std::span<const Pace> paces, bool without_once) {
    which_.Resize(graph_.size());
    const auto begins = graph_.thread_begins();
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const auto size = static_cast<StepId>(graph_.size());
      const StepId end = i + 1 < begins.size() ? begins[i + 1] : size;
      KeptSteps once(graph_, graph_.kept_times()[i].once);
      std::size_t next = 0;
      for (StepId step = begins[i]; step < end; ++step) {
        if (graph_.Before(step) == PathGraph::kNone) continue;  // The first, or an end on no chain.
        const Span segment{graph_.RecordedAt(step - 1), graph_.RecordedAt(step)};
        if (!without_once || !once.Has(step, segment)) CoverIn(step, segment, paces, next);
      }
    }
    out_.covers_threads_ = true;
  }

  // Covers only own work. `next`: the first pace that ends after an earlier step of its chain.
  void CoverIn(StepId step, Span segment, std::span<const Pace> paces, std::size_t& next) {
    while (next < paces.size() && paces[next].time.end <= segment.start) ++next;
    if (segment.end <= segment.start || next == paces.size()) return;
    const Pace& first = paces[next];
    if (first.time.start >= segment.end || !IsOwnWork(graph_, step)) return;
    if (first.time.start <= segment.start && segment.end <= first.time.end) {  // The usual case.
      return CoverPart(step, first.factor);
    }
    double saved = 0;
    for (std::size_t at = next; at < paces.size() && paces[at].time.start < segment.end; ++at) {
      const Ns common =
          std::min(paces[at].time.end, segment.end) - std::max(paces[at].time.start, segment.start);
      saved += (1 - paces[at].factor) * static_cast<double>(common);
    }
    CoverPart(step, FactorInSteps(1 - saved / static_cast<double>(segment.length())));
  }

  void CoverPart(StepId step, double factor) {
    const std::uint32_t was = which_.Of(step);
    const auto [known, is_new] = parts_.try_emplace({was, factor}, 0);
    if (is_new) known->second = AddProduct(was, factor);
    which_.Set(step, known->second);
  }

  const PathGraph& graph_;
  ScenarioChanges& out_;
  StepFactors& which_;
  std::vector<double>& factors_;
  std::vector<std::uint32_t> times_this_;  // By factor: its product with the current one.
  std::map<std::pair<std::uint32_t, double>, std::uint32_t> parts_;  // The same for parts.
};

ScenarioChanges::ScenarioChanges(const Scenario& scenario, const PathGraph& graph,
                                 std::uint32_t rank, std::span<const Ns> transfers,
                                 const JointReplay* joint)
    : graph_(&graph),
      rank_(rank),
      transfers_(transfers),
      joint_(joint),
      without_waiting_(scenario.without_waiting),
      by_smallest_(scenario.by_smallest) {
  Coverer coverer(*this);
  for (const Scaling& scaling : scenario.scalings) coverer.Add(scaling, rank);
  if (scenario.hidden_host) coverer.HideHost();
}

// Whether the call waits for a slot in a queue. A call that launches other work does so even with a
// fast host. A call that waits for its own copy, or launches nothing, would wait less.
bool ScenarioChanges::WaitsForRoom(StepId end, StepId waits_for) const {
  const PathOwner owner = graph_->OwnerOf(end);
  if (owner.table != PathTable::kApi) return false;
  const Profile& profile = *graph_->rank().profile;
  const ApiKind kind = profile.api.kind[owner.row];
  if (kind == ApiKind::kLaunch) return true;
  return (kind == ApiKind::kMemcpy || kind == ApiKind::kMemset) &&
         profile.device.launch[graph_->OwnerOf(waits_for).row].value != owner.row;
}

// The change of a covered segment, by the kind of its end:
//
//   only the step before on its thread   its length is scaled
//   the end of a joint call              only the transfer is scaled; if the call stops waiting,
//                                        its waiting is cut, and it waits for no rank
//   a call that waits for the device     the whole call is scaled, and waits for nothing any more
//   all else                             the lag of the binding predecessor is scaled, if positive
//
// A call that waits for a slot in a queue still waits for it.
StepChange ScenarioChanges::OfSegment(StepId step) const {
  const double factor = FactorOf(step);
  const Ns at = graph_->RecordedAt(step);
  const StepId before = graph_->Before(step);
  if (step >= graph_->device_steps() && graph_->HasOneEdge(step)) {
    const Ns from = before == PathGraph::kNone ? at : graph_->RecordedAt(before);
    const Ns segment = std::max<Ns>(0, at - from);
    return {segment - Scaled(segment, factor), false};
  }
  const PathGraph::Edge binding = graph_->BindingOf(step);
  Ns segment = 0, waiting = 0;
  bool is_alone = false;
  if (binding.from != PathGraph::kNone) {
    segment = std::max<Ns>(0, at - graph_->RecordedAt(binding.from));
  }
  if (joint_ != nullptr && joint_->IsJointEnd(rank_, step)) {
    const Ns transfer = TransferOf(step);
    if (StopsWaiting(step) && !joint_->IsSendEnd(rank_, step)) {
      is_alone = true;
      waiting = segment - transfer;
    }
    segment = transfer;
  }
  if (step >= graph_->device_steps() && binding.kind == PathEdge::kSync &&
      before != PathGraph::kNone && !WaitsForRoom(step, binding.from)) {
    is_alone = true;
    segment = at - graph_->RecordedAt(before);
  }
  return {waiting + segment - Scaled(segment, factor), is_alone};
}

// The change of a launch: the part within its call shrinks with the call, the rest stays.
//
//   call     |======|              within: from the start of the call to its end at most
//   kernel   |------....|####      the dots are the device's latency: as recorded
//
// The factor is that of the segment after the call's start, which is in the call.
StepChange ScenarioChanges::OfLaunch(StepId start, Ns recorded) const {
  if (!covers_threads_) return {};
  const PathGraph::Edge binding = graph_->BindingOf(start);
  if (binding.kind != PathEdge::kLaunch) return {};
  const double factor = FactorOf(binding.from + 1);
  if (factor == 1) return {};
  const ApiTable& api = graph_->rank().profile->api;
  const std::uint32_t call = graph_->OwnerOf(binding.from).row;
  const Ns within =
      std::clamp<Ns>(recorded - api.start[call], 0, std::max<Ns>(api.duration[call], 0));
  return {within - Scaled(within, factor), false};
}

// Without waiting, a collective takes its transfer time from its own start, whoever arrives later.
StepChange ScenarioChanges::OfWaiting(StepId end) const {
  const Ns segment = std::max<Ns>(0, graph_->SegmentOf(end));
  const Ns waiting = std::max<Ns>(0, graph_->SegmentOf(end) - TransferOf(end));
  const Ns rest = segment - waiting;
  return {waiting + rest - Scaled(rest, FactorOf(end)), true};
}

bool StepFactors::AreNone(std::size_t begin, std::size_t count) const {
  if (!high.empty()) return false;
  if (count == 0) return true;
  const std::uint8_t* const first = low.data() + begin;
  return *first == 0 && std::memcmp(first, first + 1, count - 1) == 0;  // All bytes are equal.
}

void StepFactors::Fill(std::size_t begin, std::size_t count, std::uint32_t which) {
  if (which < 256) {
    std::fill_n(low.begin() + static_cast<std::ptrdiff_t>(begin), count,
                static_cast<std::uint8_t>(which));
    return;
  }
  for (std::size_t step = begin; step < begin + count; ++step) Set(step, which);
}

void StepFactors::Resize(std::size_t steps) {
  low.resize(steps);
  if (!high.empty()) high.resize(steps);
}

}  // namespace profgauge::analysis::simulation
