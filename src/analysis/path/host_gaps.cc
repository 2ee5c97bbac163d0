// Rows of idle time for scenarios: analysis/path/scenario_facts.h.
#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include "analysis/path/scenario_facts.h"
#include "analysis/tables/row_writer.h"
#include "analysis/tables/time_columns.h"
#include "knowledge/idle.h"
#include "model/idle_cause.h"
#include "model/known_names.h"

namespace profgauge::analysis::path {
namespace {

// Kinds of host work that other rules are about, or that happen once: no code to move elsewhere.
constexpr std::array<std::string_view, 4> kNotMovable = {"first_use", "synchronization", "backward",
                                                         "operators"};

// "train.py(12): preprocess", but not an operator that one called: "aten::add (train.py(12): f)".
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

std::vector<HostGap> HostGapsOf(std::span<const context::RankContext> ranks,
                                const tables::Output& out) {
  std::vector<HostGap> gaps;
  const Table* table = out.Added("gaps");
  if (table == nullptr) return gaps;
  const auto* of_rank = tables::ColumnOf<tables::columns::kGaps>(table, "rank"_col);
  const auto* starts = tables::ColumnOf<tables::columns::kGaps>(table, "start"_col);
  const auto* durations = tables::ColumnOf<tables::columns::kGaps>(table, "duration"_col);
  const auto* causes = tables::ColumnOf<tables::columns::kGaps>(table, "cause"_col);
  const auto* doings = tables::ColumnOf<tables::columns::kGaps>(table, "doing"_col);
  const auto* categories = tables::ColumnOf<tables::columns::kGaps>(table, "category"_col);
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

}  // namespace profgauge::analysis::path
