// The verdict in a dozen plain lines, for chats and mails.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "render/ci/ci.h"
#include "render/shared/change.h"
#include "render/shared/ending.h"
#include "render/shared/looks.h"
#include "render/shared/words.h"
#include "report/first_screen.h"

namespace profgauge::render {
namespace {

/// A chat shows that much without folding it; Slack's blocks take 3 000 characters.
constexpr std::size_t kMostLines = 12, kMostBytes = 2'900;
/// A line that is cut has "…" after this, and each has its end.
constexpr std::string_view kCut = "…", kLineEnd = "\n";
constexpr std::size_t kMostOfLine = kMostBytes / kMostLines - kCut.size() - kLineEnd.size();
constexpr std::size_t kMostSteps = 4;

/// How the file begins, so that a later run may replace it.
constexpr std::string_view kFirst = "profgauge: ";

// Chats show backticks and no-break spaces as they are, so both go.
std::string PlainLine(std::string text) {
  for (auto at = text.find(kNumberSpace); at != text.npos; at = text.find(kNumberSpace, at)) {
    text.replace(at, kNumberSpace.size(), " ");
  }
  std::erase(text, '`');
  return PrintableShort(text, kMostOfLine);
}

void AddLine(std::string text, std::vector<std::string>& lines) {
  if (!text.empty() && lines.size() < kMostLines) lines.push_back(PlainLine(std::move(text)));
}

std::string Joined(const std::vector<std::string>& lines) {
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

void AddPlan(const report::Report& report, std::vector<std::string>& lines) {
  if (!report.plan) return;
  const std::vector<report::PlanStep>& steps = report.plan->steps;
  for (std::size_t i = 0; i < std::min(steps.size(), kMostSteps); ++i) {
    const std::string text = PlanStepText(steps[i]);
    AddLine(
        fmt::format("{}. {}: {}", i + 1, steps[i].saves.text, text.empty() ? steps[i].title : text),
        lines);
  }
}

}  // namespace

std::string RenderText(const report::Report& report) {
  std::vector<std::string> lines;
  AddLine(fmt::format("{}{} · {} · {}", kFirst, VerdictWord(report.verdict.status),
                      report.profile.name, CountsText(report.verdict)),
          lines);
  for (const std::string& text : AcceptedTexts(report)) AddLine(text, lines);
  AddLine(LoosenedText(report), lines);
  if (const std::string moved = MovementText(report); !moved.empty()) {
    AddLine(TextOf(PartsOf("moved " + moved)), lines);
  }
  AddLine(RunText(report), lines);
  const std::string sources = SourcesText(report, false);
  AddLine(sources.empty() ? "" : "policy " + sources, lines);
  const report::Diagnosis diagnosis = report::Diagnose(report);
  AddLine(TextOf(PartsOf(diagnosis.text)), lines);
  for (const std::string& reason : ReasonTexts(diagnosis, kMostReasons)) {
    AddLine(fmt::format("{} {}", ReasonsLabel(report, diagnosis), TextOf(PartsOf(reason))), lines);
  }
  AddPlan(report, lines);
  return Joined(lines);
}

std::string RenderText(const Ending& ending) {
  std::vector<std::string> lines;
  AddLine(fmt::format("{}{} · {}", kFirst, VerdictWord(StateOf(ending)), ending.name), lines);
  for (const EndingError& error : ending.errors) {
    AddLine(fmt::format("{} [{}]", error.message, error.code), lines);
    if (!error.where.empty()) AddLine("at " + error.where, lines);
    for (const std::string& note : error.notes) AddLine(note, lines);
  }
  return Joined(lines);
}

}  // namespace profgauge::render
