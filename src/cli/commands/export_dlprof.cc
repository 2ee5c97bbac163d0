// `profgauge export dlprof`: a profile in DLProf's eight CSV reports.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "api/session.h"
#include "base/errors.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/reading.h"
#include "exports/dlprof/dlprof_csv.h"
#include "report/build_findings.h"
#include "report/build_sections.h"
#include "rules/policy.h"
#include "rules/rulebook.h"

namespace profgauge::cli {
namespace {

using exports::dlprof::Advice;
using exports::dlprof::kDlprofFiles;

/// Joins "- Do this.\n- Or that." into one line.
std::string OneLine(std::string_view advice) {
  std::string line;
  for (std::string_view part : Lines(advice)) {
    part = Trim(part);
    if (part.starts_with("- ")) part.remove_prefix(2);
    if (!part.empty()) line.append(line.empty() ? "" : " ").append(part);
  }
  return line;
}

/// The problem and advice of each finding of the recommended rules, in ProfGauge's wording.
Result<std::vector<Advice>> AdviceOn(const std::vector<Profile>& ranks,
                                     const EvaluateOptions& choices) {
  auto policy = rules::LoadPolicy("builtin:recommended");
  if (!policy) return Fail(policy.error().front());
  auto book = rules::LoadRulebook(*policy, {});
  if (!book) return Fail(book.error().front());
  PROFGAUGE_TRY(const analysis::Analysis analysis,
                analysis::Analyze(ranks, SelectionOf(*policy, choices)));
  const rules::Evaluation evaluation =
      book->Evaluate(analysis, rules::CollectFacts(ranks, analysis));
  std::vector<Advice> advice;
  for (const report::Finding& finding : report::BuildFindings(evaluation)) {
    if (!report::HasFired(finding)) continue;
    advice.emplace_back(finding.message.empty() ? finding.title : finding.message,
                        OneLine(finding.advice));
  }
  return advice;
}

/// Chooses the rank, since DLProf's reports are of one process. --rank may be omitted if it is the
/// only one. A rank without a number has its position. Errors: kUsage "usage/one-rank".
Result<const Profile*> OneRank(const std::vector<Profile>& ranks, const Options& options) {
  const std::int64_t wanted = options.rank.value_or(-1);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::int64_t recorded = ranks[i].distributed.rank;
    if (wanted == (recorded >= 0 ? recorded : static_cast<std::int64_t>(i))) return &ranks[i];
  }
  if (wanted < 0 && ranks.size() == 1) return &ranks.front();
  return Fail(UsageError(
      "usage/one-rank",
      wanted < 0 ? fmt::format("the run has {} ranks; these reports are of one", ranks.size())
                 : fmt::format("the run has no rank {}", wanted),
      "choose one with `--rank N`; `profgauge inspect` lists them"));
}

}  // namespace

// Opens all files before profiles are read: if one may not be replaced, the folder is unchanged.
Result<int> RunExportDlprof(const Options& options, Console& console) {
  const std::string folder = options.out_dir.empty() ? "." : options.out_dir;
  Outputs outputs(KeptBy(options));
  PROFGAUGE_CHECK(outputs.MakeDirectory(folder));
  std::vector<std::size_t> opened;
  for (const std::string_view file : kDlprofFiles) {
    PROFGAUGE_TRY(const std::size_t output,
                  outputs.Open(fmt::format("{}/{}", folder, file), FileKind::kDlprof));
    opened.push_back(output);
  }
  PROFGAUGE_TRY(const std::vector<Profile> ranks, ReadProfiles(options, console));
  PROFGAUGE_TRY(const Profile* profile, OneRank(ranks, options));
  const EvaluateOptions choices = Choices(options);
  PROFGAUGE_TRY(const analysis::dlprof::dlprof::Report report,
                analysis::dlprof::dlprof::Compute(*profile, SelectionOf(rules::Policy{}, choices)));
  PROFGAUGE_TRY(const std::vector<Advice> advice, AdviceOn(ranks, choices));
  const std::vector<std::string> texts = exports::dlprof::DlprofCsvTexts(*profile, report, advice);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    PROFGAUGE_CHECK(outputs.Commit(opened[i], texts[i]));
  }
  console.Say(fmt::format("wrote {} ops, {} kernel launches and {} iterations to {}/dlprof_*.csv",
                          report.ops.size(), report.launches.size(), report.summary.aggregated,
                          folder));
  return kExitPass;
}

}  // namespace profgauge::cli
