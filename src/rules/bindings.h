// Binds the names in a rule to the columns and numbers of one analysis.
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

/// One analysis in the form that rules read; thread-safe. Joins rows of tables with their rank, GPU
/// or iteration only once for all rules. `analysis` and `facts` must outlive it.
class RunData {
 public:
  /// `simulations` may be null.
  RunData(const analysis::Analysis& analysis, const Facts& facts,
          ScenarioRunner* simulations = nullptr)
      : analysis_(analysis), facts_(facts), simulations_(simulations) {}

  /// The words for parts of the run's devices, chosen by the fact `device.vendor`.
  const DeviceWords& device_words() const;
  /// Finds a table; nullptr if the profile does not have it, or has no columns of it.
  const Table* FindTable(const analysis::TableSpec& spec) const;
  /// Explains in one clause why the table is missing.
  std::string WhyNoTable(const analysis::TableSpec& spec) const;
  const analysis::Metric* FindMetric(MetricId id) const { return analysis_.Find(id); }
  const analysis::Metric* FindMetric(std::string_view id) const { return analysis_.Find(id); }

  double host_excess() const { return HostExcessOf(analysis_); }

  /// For each row of `table`, the row of `enclosing` that it belongs to; expr::Source::kNoRow if
  /// unknown. nullptr if one of the tables is missing.
  const std::vector<expr::RowId>* Join(const analysis::TableSpec& table,
                                       const analysis::TableSpec& enclosing);

  /// The possible cost of a table's rows; nullptr if unknown.
  const analysis::catalog::Exposure* FindExposure(std::string_view table) const;
  /// Simulates the rule's scenario. Returns no prediction without a scenario or a simulation, if
  /// the scenario matches nothing, or if some threads launch work without a visible reason to wait.
  ScenarioOutcome Simulate(const CompiledRule& rule);
  /// The simulated saving in ns per iteration if kernels, copies and memsets took no time, but for
  /// collectives: where the host is behind, faster kernels save less than their time. Nothing
  /// without a simulation, or if it may miss waits of the host.
  std::optional<double> SavingOfAllDeviceWork();
  /// True if a simulation may save nothing only because a wait of the host was not recorded
  /// (path.silent_share).
  bool MayMissWaits();

  /// The data sources for all slots of `rule`. Slots that depend on the group have no value yet.
  expr::Data Bind(const CompiledRule& rule);

 private:
  expr::Source BindColumn(const analysis::TableSpec& spec, const std::string& column) const;
  expr::Source BindCommon(const analysis::TableSpec& spec, const std::string& column) const;
  expr::Source BindMetric(std::string_view id) const;
  bool HasFreeThread() const;

  const analysis::Analysis& analysis_;
  const Facts& facts_;
  ScenarioRunner* simulations_;
  std::mutex joining_, listening_, removing_;
  std::optional<bool> may_miss_waits_;
  std::optional<CompiledScenario> all_device_work_;  ///< Made when first needed, with its outcome.
  std::optional<double> saving_of_all_device_work_;
  std::map<std::pair<const analysis::TableSpec*, const analysis::TableSpec*>,
           std::unique_ptr<std::vector<expr::RowId>>>
      joins_;
};

/// Sets the fields that have one value for a whole group, from its first row. All groups share
/// `data`, so it has the values of the last group only. REQUIRES: `data` comes from run.Bind(rule).
void BindGroup(const CompiledRule& rule, const RunData& run, expr::RowId first, expr::Data& data);

}  // namespace profgauge::rules
