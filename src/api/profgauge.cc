#include "profgauge/profgauge.h"

#include <cstdlib>
#include <utility>

#include "analysis/replay.h"
#include "api/session.h"
#include "readers/load.h"
#include "render/shared/renderer.h"
#include "report/build_findings.h"
#include "report/build_report.h"
#include "rules/rulebook.h"
#include "rules/waiver.h"

namespace profgauge {

Result<Recording> Load(const std::vector<std::string>& paths, const LoadOptions& options) {
  ReadOptions read;
  read.allow_incomplete = options.allow_incomplete;
  read.threads = options.threads;
  PROFGAUGE_TRY(std::vector<Profile> ranks, ReadRun(paths, read));
  return Recording(std::make_shared<Recording::Data>(Recording::Data{paths, std::move(ranks)}));
}

std::size_t Recording::ranks() const { return data_->ranks.size(); }

Result<Judgement> Evaluate(const Recording& recording, const EvaluateOptions& options) {
  const Recording::Data& loaded = recording.data();
  auto policy = LoadPolicy(options.policy);
  if (!policy) return Fail(policy.error().front());
  SelectOptions select;
  PROFGAUGE_TRY(select.today, Today("", std::getenv("SOURCE_DATE_EPOCH")));
  auto book = LoadRulebook(*policy, select);
  if (!book) return Fail(book.error().front());

  Judgement::Data data;
  PROFGAUGE_TRY(Replayable run, AnalyzeForReplay(loaded.ranks, SelectionOf(*policy, options)));
  data.analysis = std::move(run.analysis);
  book->Predict(run.replayer.get(), data.analysis);
  const Evaluation evaluation = book->Evaluate(
      data.analysis, CollectFacts(loaded.ranks, data.analysis), false, run.replayer.get());
  data.verdict = Judge(*policy, data.analysis, MergedLog(loaded.ranks),
                       JudgeOptions{options.allow_incomplete, &evaluation});
  report::BuildInput input;
  input.run_name = RunName(loaded.paths);
  input.ranks = loaded.ranks;
  input.analysis = &data.analysis;
  input.policy = &*policy;
  input.verdict = &data.verdict;
  input.findings = report::BuildFindings(evaluation);
  input.rules_hash = book->rules().hash;
  input.options = ProvenanceOptions(options, *policy);
  input.tables = &data.analysis.tables;
  data.report = report::BuildReport(input);
  return Judgement(std::make_shared<Judgement::Data>(std::move(data)));
}

std::string_view Judgement::status() const { return VerdictStatusName(data_->verdict.status); }

int Judgement::exit_code() const { return ExitCodeOf(data_->verdict, false); }

std::optional<double> Judgement::Metric(std::string_view id) const {
  const profgauge::Metric* metric = data_->analysis.Find(id);
  if (metric == nullptr || IsAbsent(metric->value)) return std::nullopt;
  return AsNumber(metric->value, 0);
}

Result<std::string> Render(const Judgement& judgement, Format format) {
  const report::Report& report = judgement.data().report;
  switch (format) {
    case Format::kHtml:
      return render::RenderHtml(report, {});
    case Format::kMarkdown:
      return render::RenderMarkdown(report, {});
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
