#include "gate/accept.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/analysis.h"
#include "base/errors.h"
#include "base/literal.h"
#include "base/text.h"
#include "gate/compare.h"
#include "gate/compare_series.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

constexpr std::size_t kMostLines = 100;

std::string_view Trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Removes the first word of `rest` and returns it.
std::string_view TakeWord(std::string_view& rest) {
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
  rest = Trimmed(rest.substr(word.size()));
  return word;
}

std::string_view FirstWord(std::string_view rest) { return TakeWord(rest); }

// The subject of a line: "work:", "policy:", or a metric with or without a colon; else empty.
std::string SubjectIn(std::string_view word) {
  const bool has_colon = word.ends_with(':');
  if (has_colon) word.remove_suffix(1);
  if (has_colon && (word == kAcceptWork || word == kAcceptPolicy)) return std::string(word);
  return analysis::DescribeMetric(word) != nullptr ? std::string(word) : std::string();
}

Error Refuse(std::string_view line, std::string slug, std::string_view why) {
  return UsageError("accept/" + std::move(slug),
                    fmt::format("`{}`: {}", PrintableShort(line, 120), why),
                    "write `Profgauge-Accept: +9.4% REASON`");
}

// "+N%", "-3%", "9%" and "9 %" are no reasons; "2x batch" is one.
bool IsMeantAsBound(std::string_view word, std::string_view rest) {
  const auto has_digit_at = [word](std::size_t at) {
    return at < word.size() && std::isdigit(static_cast<unsigned char>(word[at])) != 0;
  };
  const bool is_signed = word.starts_with('+') || word.starts_with('-');
  if (is_signed && word.size() > 1) return word.ends_with('%') || has_digit_at(1);
  if (!has_digit_at(0)) return false;
  TakeWord(rest);
  return word.ends_with('%') || FirstWord(rest) == "%";
}

Result<AcceptanceLine> ParseLine(std::string_view line) {
  AcceptanceLine out;
  std::string_view rest = line;
  out.what = SubjectIn(FirstWord(rest));
  if (!out.what.empty()) TakeWord(rest);
  const std::string_view number = FirstWord(rest);
  const bool is_number = number.size() > 1 && number.front() == '+' &&
                         std::isdigit(static_cast<unsigned char>(number[1])) != 0;
  if (is_number) {
    TakeWord(rest);
    if (rest.starts_with("% ") || rest == "%") TakeWord(rest);
    const std::string share = std::string(number.substr(1)) + (number.ends_with('%') ? "" : "%");
    const auto literal = ParseLiteral(share);
    const auto value = literal ? ConvertLiteral(*literal, Unit::kShare)
                               : tl::expected<double, std::string>(tl::unexpect, "");
    if (!value || !std::isfinite(*value)) {
      return Fail(Refuse(line, "bound", "expected an increase such as `+9.4%`"));
    }
    out.up_to = *value;
  } else if (IsMeantAsBound(number, rest)) {
    return Fail(Refuse(line, "bound", "expected an increase such as `+9.4%`"));
  }
  out.reason = rest;
  if (out.reason.empty() || out.reason == "REASON") {
    return Fail(Refuse(line, "no-reason", "expected a reason, found none"));
  }
  return out;
}

std::string Percent(double share) {
  const double number = share * 100;
  std::string text = fmt::format("{:+.1f}", number);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

// The line that accepts the change, which is rounded up so that the line is enough.
std::string LineText(std::string_view what, double change) {
  return fmt::format("`Profgauge-Accept: {}{}% REASON`",
                     what.empty() ? "" : std::string(what) + " ",
                     Percent(std::ceil(change * 1000 - 1e-6) / 1000));
}

// Added to a bound that a line does not state.
constexpr std::string_view kAssumed = ", twice the limit since the line has no number";

// True for times and rates, and for parts, which are times, too.
bool IsSpeed(std::string_view what) {
  const auto spec = analysis::DescribeMetric(what);
  if (spec == nullptr || spec->unit == Unit::kTime) return true;
  return spec->unit == Unit::kNumber && spec->direction == analysis::Direction::kHigherIsBetter;
}

// The name that a suggested line needs: empty for the time itself and for parts.
std::string_view NameIn(std::string_view what) {
  const bool is_time = IsTypicalTime(what) || IsMeanTime(what);
  return is_time || analysis::DescribeMetric(what) == nullptr ? std::string_view() : what;
}

// The line about the metric, or else, for times and rates, the line without a metric.
const AcceptanceLine* LineFor(const Acceptance& acceptance, std::string_view what, double assumed) {
  if (const AcceptanceLine* own = acceptance.About(what, assumed)) return own;
  return IsSpeed(what) ? acceptance.About("", assumed) : nullptr;
}

AcceptanceAnswer Answer(const Acceptance& acceptance, const std::string& what, double change,
                        double limit) {
  AcceptanceAnswer answer;
  const double assumed = knowledge::kGateAcceptLimits.value() * limit;
  const AcceptanceLine* line = LineFor(acceptance, what, assumed);
  if (line == nullptr) return answer;
  const double up_to = line->up_to.value_or(assumed);
  const double most = std::log1p(up_to) + knowledge::kGateAcceptSlack.value() * std::log1p(limit);
  if (std::log1p(change) <= most) {
    answer.accepted =
        Accepted{what, change, up_to, !line->up_to, line->reason, acceptance.owner, {}};
  } else {
    answer.why_not =
        fmt::format("accepted up to {} %{}, measured {} %: write {}", Percent(up_to),
                    line->up_to ? "" : kAssumed, Percent(change), LineText(NameIn(what), change));
  }
  return answer;
}

}  // namespace

const AcceptanceLine* Acceptance::About(std::string_view what, double assumed) const {
  const AcceptanceLine* best = nullptr;
  for (const AcceptanceLine& line : lines) {
    if (line.what != what) continue;
    if (best == nullptr || line.up_to.value_or(assumed) > best->up_to.value_or(assumed)) {
      best = &line;
    }
  }
  return best;
}

Result<std::vector<AcceptanceLine>> ParseAcceptance(std::string_view text) {
  std::vector<AcceptanceLine> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (lines.size() == kMostLines) {
      return Fail(Refuse(line, "too-many", fmt::format("more than {} lines", kMostLines)));
    }
    PROFGAUGE_TRY(AcceptanceLine one, ParseLine(line));
    lines.push_back(std::move(one));
  }
  return lines;
}

double LargestChange(const MetricComparison& metric) {
  const bool is_relative = metric.method == CompareMethod::kStatistics;
  const double change = is_relative        ? metric.shift
                        : metric.base != 0 ? metric.change / std::abs(metric.base)
                                           : metric.change;
  // If the typical iteration is faster, only a longer total needs an excuse.
  if (metric.total && change < 0) return std::max(0.0, *metric.total);
  return std::max(std::abs(change), metric.total.value_or(0));
}

AcceptanceAnswer AnswerOf(const Acceptance& acceptance, const MetricComparison& missed) {
  return Answer(acceptance, missed.metric, LargestChange(missed), missed.allowed);
}

AcceptanceAnswer AnswerOf(const Acceptance& acceptance, const PartsComparison& missed) {
  return Answer(acceptance, missed.kind, missed.worst, missed.allowed);
}

std::string AcceptLine(std::span<const MetricComparison> metrics) {
  double time = 0;
  std::vector<std::string> lines;
  for (const MetricComparison& metric : metrics) {
    const bool is_failed = metric.verdict == stats::Change::kFail && !metric.is_missing &&
                           metric.excuse == Excuse::kNone;
    const double change = is_failed && metric.base != 0 ? LargestChange(metric) : 0;
    if (change <= 0) continue;
    const std::string_view name = NameIn(metric.metric);
    if (name.empty()) {
      time = std::max(time, change);
    } else {
      lines.push_back(LineText(name, change));
    }
  }
  if (time > 0) lines.insert(lines.begin(), LineText("", time));
  return fmt::format("{}", fmt::join(lines, ", "));
}

std::string AcceptedText(const Accepted& accepted) {
  std::string text = "accepted";
  if (!accepted.owner.empty()) text += " by " + PrintableShort(accepted.owner, 40);
  if (accepted.up_to) text += fmt::format(" up to {} %", Percent(*accepted.up_to));
  if (accepted.is_assumed) text += kAssumed;
  if (accepted.up_to && accepted.change && *accepted.change > *accepted.up_to) {
    text += ", and half a limit more";
  }
  if (!accepted.until.empty()) text += ", until " + accepted.until;
  return text + ": " + PrintableShort(accepted.reason);
}

}  // namespace profgauge::gate
