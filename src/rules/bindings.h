// From the names of a rule to the columns and numbers of one analysis.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expr/eval.h"
#include "model/devices.h"
#include "rules/claim.h"
#include "rules/compile.h"
#include "rules/facts.h"
#include "rules/what_if.h"

namespace profgauge::rules {

/// One analysis, as rules see it; thread-safe. Rows of tables are joined with
/// their rank, GPU or iteration once, for all rules. `analysis` and `facts` must outlive it.
class RunData {
 public:
  /// `simulations` may be null.
  RunData(const analysis::Analysis& analysis, const Facts& facts,
          ScenarioRunner* simulations = nullptr)
      : analysis_(analysis), facts_(facts), simulations_(simulations) {}

  /// The words for the run's devices: by the fact `device.vendor`.
  const DeviceWords& device_words() const;
  /// nullptr when the profile has no such table (or an empty shell of it).
  const Table* FindTable(const analysis::TableSpec& spec) const;
  /// Why there is no such table, in one clause.
  std::string WhyNoTable(const analysis::TableSpec& spec) const;
  const analysis::Metric* FindMetric(MetricId id) const { return analysis_.Find(id); }
  const analysis::Metric* FindMetric(std::string_view id) const { return analysis_.Find(id); }

  double profiler_delay() const { return ProfilerDelayOf(analysis_); }

  /// For each row of `table` the row of `enclosing` that it belongs to; expr::Source::kNoRow where
  /// that is unknown. nullptr when one of the tables is missing.
  const std::vector<expr::RowId>* Join(const analysis::TableSpec& table,
                                       const analysis::TableSpec& enclosing);

  /// The possible cost of a table's rows; nullptr when that is unknown.
  const analysis::catalog::Exposure* FindExposure(std::string_view table) const;
  /// The rule's scenario, simulated. No prediction without a scenario or a replay, when the
  /// scenario matches nothing, or where some threads launch work without a visible reason to wait.
  ScenarioOutcome Simulate(const CompiledRule& rule);
  /// Whether a simulation that saves nothing may only miss a wait of the host that was not recorded
  /// (path.silent_share).
  bool MayMissWaits();

  /// Sources of all slots of `rule`. Those that depend on the group are left without a value.
  expr::Data Bind(const CompiledRule& rule);

 private:
  expr::Source BindColumn(const analysis::TableSpec& spec, const std::string& column) const;
  expr::Source BindCommon(const analysis::TableSpec& spec, const std::string& column) const;
  expr::Source BindMetric(std::string_view id) const;

  const analysis::Analysis& analysis_;
  const Facts& facts_;
  ScenarioRunner* simulations_;
  std::mutex joining_, listening_;
  std::optional<bool> may_miss_waits_;
  std::map<std::pair<const analysis::TableSpec*, const analysis::TableSpec*>,
           std::unique_ptr<std::vector<expr::RowId>>>
      joins_;
};

/// Gives the fields that are the same for a whole group their value, from its first row. Groups
/// share `data`: it holds the values of the last group only. REQUIRES: `data` is of run.Bind(rule).
void BindGroup(const CompiledRule& rule, const RunData& run, expr::RowId first, expr::Data& data);

}  // namespace profgauge::rules
