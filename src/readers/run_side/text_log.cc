// Megatron-LM's and NeMo's logs, by the words around the numbers: lines differ from version to
// version. And MLflow's files of one metric.
#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "readers/run_side/step_log.h"
#include "readers/run_side/times_forms.h"
#include "readers/text/numbers.h"

namespace profgauge::readers {
namespace {

/// The number after `words` in `line`, white space skipped; nothing where there is none.
std::optional<double> NumberBehind(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  if (at == line.npos) return std::nullopt;
  std::string_view rest = line.substr(at + words.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  double value = 0;
  const auto [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  return failed == std::errc{} ? std::optional(value) : std::nullopt;
}

std::int64_t StepOf(std::optional<double> number) {
  constexpr double kMostSteps = 1e15;
  return number && *number >= 0 && *number < kMostSteps ? static_cast<std::int64_t>(*number) : -1;
}

/// "1767323045000 0.0279 1": milliseconds since 1970, the value, the step.
/// A file of MLflow has nothing but such lines; anything else in it means that it is another log.
std::optional<LoggedTime> OfMetricLine(std::string_view line) {
  std::int64_t time = 0;
  LoggedTime value;
  const char* at = line.data();
  const char* const end = at + line.size();
  const auto read = [&](auto& number) {
    if (at != line.data() && (at == end || *at++ != ' ')) return false;
    const auto [next, failed] = std::from_chars(at, end, number);
    at = next;
    return failed == std::errc{};
  };
  if (!read(time) || time < 1'000'000'000'000 /* 2001 */ || !read(value.value) ||
      !read(value.step) || at != end) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

std::optional<Result<StepLog>> ReadMetricLog(std::string_view text, const StepTimesInput& how) {
  std::vector<LoggedTime> values;
  for (const std::string_view line : Lines(text)) {
    if (Trim(line).empty()) continue;
    const auto value = OfMetricLine(Trim(line));
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  const auto factor = ChooseFactor(how, "the metric");
  if (!factor) return Fail(factor.error());
  return MakeStepLog("MLflow metric", values, *factor, Logged::kSingle);
}

// Lines differ from version to version: of Megatron-LM " iteration       10/      61 | … elapsed
// time per iteration (ms): 28.4 |", of NeMo "… | global_step: 0 | … | train_step_timing in
// s: 7.126".
std::optional<Result<StepLog>> ReadTextLog(std::string_view text) {
  const TimesForm* form = FormOfLog(text);
  if (form == nullptr) return std::nullopt;
  std::vector<LoggedTime> values;
  std::int64_t skipped = 0;
  for (const std::string_view line : Lines(text)) {
    const auto value = NumberBehind(line, form->sign);
    if (value) {
      values.push_back({StepOf(NumberBehind(line, form->step)), *value});
    } else if (Contains(line, form->sign)) {
      ++skipped;
    }
  }
  return WithSkipped(skipped,
                     MakeStepLog(std::string(form->title), values, FactorOf(form->unit).value_or(1),
                                 form->gives == Gives::kMeans ? Logged::kMean : Logged::kSingle));
}

}  // namespace profgauge::readers
