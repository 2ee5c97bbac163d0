#include "readers/run_side/step_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/errors.h"
#include "base/text.h"
#include "readers/run_side/document.h"

namespace profgauge::readers {

Result<StepLog> ReadStepLog(std::string_view text, const StepTimesInput& how) {
  if (auto log = ReadEventsFile(text, how)) return *std::move(log);
  if (auto log = ReadJsonLog(text, how)) return *std::move(log);
  if (auto log = ReadTextLog(text)) return *std::move(log);
  if (auto log = ReadMetricLog(text, how)) return *std::move(log);
  if (auto log = ReadTableLog(text, how)) return *std::move(log);
  return Fail(NoTimes("the file holds no times of iterations that are known"));
}

namespace {

constexpr std::size_t kMostNamed = 8;

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string ListOf(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) {
    list += fmt::format("{}`{}`", i == 0 ? "" : ", ", PrintableShort(names[i]));
  }
  return names.size() > kMostNamed ? list + ", …" : list;
}

std::optional<Ns> LengthOf(double value, double factor) {
  const double length = value * factor;
  if (!(length > 0) || length > static_cast<double>(kMostStepLength)) return std::nullopt;
  return std::max<Ns>(1, std::llround(length));
}

// Those of one iteration each, by runs of numbers that follow each other.
void AddSingle(const std::vector<LoggedTime>& values, double factor, RunDocument& document) {
  std::int64_t next = -1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto length = LengthOf(values[i].value, factor);
    if (!length) {
      ++document.steps_dropped;
      continue;
    }
    const std::int64_t step = values[i].step >= 0 ? values[i].step : static_cast<std::int64_t>(i);
    if (step < next) continue;  // A restarted run logs some numbers again.
    if (step != next || document.segments.empty()) document.segments.push_back({step, {}});
    document.segments.back().lengths.push_back(*length);
    next = step + 1;
  }
}

// A line is the mean of the iterations since the line before; of the first that is unknown.
void AddMeans(const std::vector<LoggedTime>& values, double factor, RunDocument& document) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    const std::int64_t steps = values[i].step - values[i - 1].step;
    const auto length = LengthOf(values[i].value, factor);
    if (steps <= 0 || values[i - 1].step < 0) continue;
    if (!length || *length > kMostStepLength / steps) {
      ++document.steps_dropped;
      continue;
    }
    document.batches.push_back({values[i - 1].step + 1, steps, *length * steps});
  }
}

}  // namespace

std::optional<double> FactorOf(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}};
  for (const auto& [name, factor] : kUnits) {
    if (name == unit) return factor;
  }
  return std::nullopt;
}

std::optional<double> FactorOfName(std::string_view name) {
  const std::string lower = Lower(name);
  for (const std::string_view unit : {"ms", "us", "ns", "s"}) {
    for (const std::string& end : {fmt::format("_{}", unit), fmt::format("({})", unit),
                                   fmt::format(" in {}", unit), fmt::format("[{}]", unit)}) {
      if (lower.ends_with(end)) return FactorOf(unit);
    }
  }
  // Megatron-LM's tag, which is in seconds (--log-timers-to-tensorboard).
  return lower == "iteration-time" ? FactorOf("s") : std::nullopt;
}

Result<double> ChooseFactor(const StepTimesInput& how, const std::string& name) {
  if (const auto factor = FactorOf(how.unit)) return *factor;
  if (Lower(name).ends_with("/s") || Contains(Lower(name), "per_sec")) {
    return Fail(UsageError("usage/step-unit",
                           fmt::format("`{}` is a rate, not a time", PrintableShort(name)),
                           "name a column of times with `--step-column`"));
  }
  if (const auto factor = FactorOfName(name)) return *factor;
  return Fail(UsageError("usage/step-unit",
                         fmt::format("the unit of `{}` is unknown", PrintableShort(name)),
                         "give it with `--step-unit s|ms|us|ns`"));
}

bool IsStepTimeName(std::string_view name) {
  const std::string lower = Lower(name);
  return ContainsAny(lower,
                     {"step_time", "step time", "iteration-time", "iteration_time", "iter_time",
                      "batch_time", "time_ms", "end_to_end(s)", "train_step_timing"});
}

bool IsStepNumberName(std::string_view name) {
  const std::string lower = Lower(name);
  return lower == "step" || lower == "global_step" || lower == "_step" || lower == "iteration" ||
         lower == "iter";
}

Result<std::string> ChooseName(const std::string& given, const std::vector<std::string>& names,
                               std::string_view option) {
  const auto fail = [&](std::string message) -> Result<std::string> {
    return Fail(UsageError("usage/step-column", std::move(message),
                           fmt::format("name one with `{}`; there are {}", option, ListOf(names))));
  };
  if (!given.empty()) {
    if (std::ranges::find(names, given) != names.end()) return given;
    return fail(fmt::format("`{}` is not in the file", PrintableShort(given)));
  }
  std::vector<std::string> fit;
  std::ranges::copy_if(names, std::back_inserter(fit), IsStepTimeName);
  if (fit.size() == 1) return fit.front();
  return fail(fit.empty()
                  ? "no name says that it holds the times of iterations"
                  : fmt::format("{} names say that they hold the times of iterations", fit.size()));
}

Result<StepLog> MakeStepLog(std::string kind, const std::vector<LoggedTime>& values, double factor,
                            Logged logged) {
  StepLog log;
  log.kind = std::move(kind);
  log.document.clock = StepClock::kReported;
  // Where each line is of the next iteration, a mean is one of one.
  if (logged == Logged::kMean) {
    AddMeans(values, factor, log.document);
  } else {
    AddSingle(values, factor, log.document);
  }
  if (log.document.segments.empty() && log.document.batches.empty()) {
    return Fail(NoTimes("no time of an iteration is in the " + log.kind));
  }
  return log;
}

Error NoTimes(std::string message) {
  return InputError("", "run/no-times", std::move(message),
                    "expected `profgauge.run`, a log of Megatron-LM or NeMo, TensorBoard's events, "
                    "CSV or JSON lines with a column of times, vLLM's latencies or a benchmark's "
                    "list of times");
}

}  // namespace profgauge::readers
