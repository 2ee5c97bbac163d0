#include "profgauge/profgauge.h"

#include <cstdlib>
#include <iterator>
#include <span>
#include <utility>

#include "api/default_policy.h"
#include "api/session.h"
#include "api/snapshots.h"
#include "base/errors.h"
#include "base/units.h"
#include "readers/load.h"
#include "render/shared/renderer.h"
#include "report/report.h"
#include "rules/rulebook.h"
#include "rules/waiver.h"

namespace profgauge {

// Loads an embedder's files, which must be recorded or listed as ranks. They cannot be separate
// runs, because Evaluate() judges one run.
Result<Recording> Load(const std::vector<std::string>& paths, const LoadOptions& options) {
  if (paths.empty()) {
    return Fail(InputError("", "input/no-profiles", "no profile was passed",
                           "name files, or folders with one file per rank"));
  }
  readers::ReadOptions read;
  read.allow_incomplete = options.allow_incomplete;
  read.threads = options.threads;
  const readers::RanksFrom from =
      options.ranks_as_listed ? readers::RanksFrom::kListed : readers::RanksFrom::kRecorded;
  PROFGAUGE_TRY(std::vector<Profile> ranks, readers::ReadRun(paths, read, from));
  return Recording(std::make_shared<Recording::Data>(Recording::Data{paths, std::move(ranks)}));
}

std::size_t Recording::ranks() const { return data_->ranks.size(); }

// Checks in the order of `check`, because each step needs the previous ones: the policy (all of its
// errors are shown), the date, the rules, the baselines.
tl::expected<Judgement, rules::Errors> Evaluate(const Recording& recording,
                                                const EvaluateOptions& options) {
  const auto fail = [](auto error) { return tl::unexpected(rules::Errors{std::move(error)}); };
  const Recording::Data& loaded = recording.data();
  JudgeRunsOptions how;
  how.choices = options;
  const RunToJudge run{RunName(loaded.paths), loaded.ranks};
  std::string named = options.policy;
  if (named.empty()) {
    DefaultPolicy chosen = DefaultPolicyOf(std::span(&run, 1));
    named = chosen.name;
    how.remark = std::move(chosen.remark);
  }
  auto policy = rules::LoadPolicy(named);
  if (!policy) return tl::unexpected(std::move(policy).error());
  auto today = rules::Today(options.now, std::getenv("SOURCE_DATE_EPOCH"));
  if (!today) return fail(std::move(today).error());
  how.today = *today;
  rules::SelectOptions select;
  select.today = *today;
  auto rules = rules::LoadRulebook(*policy, select);
  if (!rules) return tl::unexpected(std::move(rules).error());
  std::vector<gate::Snapshot> baselines;
  for (const std::string& path : options.baselines) {
    auto runs = LoadBaselineFile(path);
    if (!runs) return fail(std::move(runs).error());
    std::move(runs->begin(), runs->end(), std::back_inserter(baselines));
  }
  auto judged =
      JudgeRuns(std::span(&run, 1), *policy, *rules, BaselineSource{std::move(baselines), {}}, how);
  if (!judged) return fail(std::move(judged).error());
  if (options.policy.empty()) judged->report.verdict.policy_from = kNoPolicyGiven;
  return Judgement(std::make_shared<Judgement::Data>(*std::move(judged)));
}

std::string_view Judgement::status() const {
  return gate::VerdictStatusName(data_->verdict.status);
}

int Judgement::exit_code() const { return gate::ExitCodeOf(data_->verdict, false); }

std::optional<double> Judgement::Metric(std::string_view id) const {
  const analysis::Metric* metric = data_->analysis.Find(id);
  if (metric == nullptr || IsAbsent(metric->value)) return std::nullopt;
  return AsNumber(metric->value, 0);
}

std::vector<api::Metric> Judgement::metrics() const {
  std::vector<api::Metric> out;
  for (const report::Metric& from : data_->report.metrics) {
    api::Metric& metric = out.emplace_back();
    metric.id = from.id;
    metric.title = from.title;
    metric.definition = from.definition;
    metric.unit = UnitName(from.quantity.unit);
    if (!IsAbsent(from.quantity.value)) metric.value = AsNumber(from.quantity.value, 0);
    metric.text = from.quantity.text;
    metric.absent_because = from.quantity.absent_because;
  }
  return out;
}

std::vector<std::string> Judgement::tables() const {
  std::vector<std::string> ids;
  for (const profgauge::Table& table : data_->report.tables) ids.push_back(table.id());
  return ids;
}

// Copies the table, so that the result stays valid without the handle.
std::optional<api::TableData> Judgement::Table(std::string_view id) const {
  const profgauge::Table* from = report::FindTableById(data_->report, id);
  if (from == nullptr) return std::nullopt;
  api::TableData table;
  table.id = from->id();
  table.title = from->title();
  for (const Column& column : from->columns()) {
    table.columns.push_back({column.id(), column.title(), std::string(UnitName(column.unit())),
                             column.absent_because()});
  }
  for (std::size_t row = 0; row < from->rows(); ++row) {
    std::vector<api::Cell>& cells = table.rows.emplace_back();
    for (const Column& column : from->columns()) cells.push_back(from->At(row, column));
  }
  return table;
}

std::vector<api::Finding> Judgement::findings() const {
  std::vector<api::Finding> out;
  for (const report::Finding& from : data_->report.findings) {
    api::Finding& finding = out.emplace_back();
    finding.rule = from.rule;
    finding.level = NameOf(from.level);
    finding.status = NameOf(from.status);
    finding.title = from.title;
    finding.message = from.message;
    finding.advice = from.advice;
    if (!IsAbsent(from.saves.value.value)) finding.gain = AsNumber(from.saves.value.value, 0);
    finding.gain_text = from.saves.text;
    finding.reason = from.reason;
  }
  return out;
}

Result<std::string> Render(const Judgement& judgement, Format format) {
  const report::Report& report = judgement.data().report;
  switch (format) {
    case Format::kHtml:
      return render::RenderHtml(report);
    case Format::kMarkdown:
      return render::RenderMarkdown(report);
    case Format::kXlsx:
      return render::RenderXlsx(report);
    case Format::kText:
      return render::RenderTerminal(report, {});
    case Format::kJson:
      break;
  }
  return render::RenderJson(report);
}

}  // namespace profgauge
