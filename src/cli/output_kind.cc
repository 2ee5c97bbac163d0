#include "cli/output_kind.h"

#include "cli/file_kind.h"

namespace profgauge::cli {
namespace {

using Kind = OutputKind;
using Scope = OutputScope;

constexpr OutputSpec kOutputs[] = {
    {Kind::kHtml, "", "--html", "html", "", FileKind::kHtml, Scope::kRuns},
    {Kind::kMarkdown, "", "--md", "md", "", FileKind::kMarkdown, Scope::kRuns},
    {Kind::kSummary, "summary", "--write summary", "", "summary.md", FileKind::kMarkdown,
     Scope::kRuns},
    {Kind::kText, "text", "--write text", "", "", FileKind::kText},
    {Kind::kXlsx, "", "--xlsx", "xlsx", "", FileKind::kXlsx, Scope::kRuns},
    {Kind::kJson, "", "--json", "json", "", FileKind::kJson, Scope::kRuns},
    {Kind::kJunit, "junit", "--write junit", "", "junit.xml", FileKind::kJunit},
    {Kind::kSarif, "sarif", "--write sarif", "", "profgauge.sarif", FileKind::kSarif},
    {Kind::kGithub, "github", "--write github", "", "", FileKind::kGithub},
    {Kind::kCodeQuality, "code-quality", "--write code-quality", "", "codequality.json",
     FileKind::kGitlab},
    {Kind::kMetrics, "metrics", "--write metrics", "", "metrics.prom", FileKind::kOpenMetrics},
    {Kind::kTrace, "trace", "--write trace", "", "", FileKind::kTrace, Scope::kProfile},
    {Kind::kHtmlFolder, "html-dir", "--write html-dir", "", "", FileKind::kHtml, Scope::kRuns},
    {Kind::kVerdict, "verdict", "--write verdict", "", "verdict.json", FileKind::kVerdict},
    {Kind::kRow, "row", "--write row", "", "", FileKind::kRow},
    {Kind::kRunSummary, "pgsum", "--write pgsum", "", "run.pgsum", FileKind::kSummary,
     Scope::kProfile},
    {Kind::kDotenv, "", "--ci", "", "", FileKind::kDotenv},
    {Kind::kGithubOutput, "", "--ci", "", "", FileKind::kJson, Scope::kRun, true},
    {Kind::kStepSummary, "step-summary", "--write step-summary", "", "", FileKind::kMarkdown,
     Scope::kRuns, true},
};
static_assert(std::size(kOutputs) == kOutputKinds);

// True if row i is kind i, which SpecOf() assumes.
constexpr bool AreInOrder() {
  for (std::size_t i = 0; i < kOutputKinds; ++i) {
    if (kOutputs[i].kind != static_cast<Kind>(i)) return false;
  }
  return true;
}
static_assert(AreInOrder(), "the rows are in the order of OutputKind");

}  // namespace

std::span<const OutputSpec> AllOutputs() { return kOutputs; }

const OutputSpec& SpecOf(OutputKind kind) { return kOutputs[static_cast<std::size_t>(kind)]; }

}  // namespace profgauge::cli
