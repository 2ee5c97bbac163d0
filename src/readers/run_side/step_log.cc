#include "readers/run_side/step_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/errors.h"
#include "base/text.h"
#include "readers/run_side/document.h"

namespace profgauge::readers {

Result<TimesFile> ReadTimes(std::string_view text, const StepTimesInput& how) {
  const std::string_view plain = WithoutByteOrderMark(text);
  // A file of this kind that cannot be used is no log of another kind.
  const bool is_document = Trim(plain).starts_with('{') && Contains(plain, "\"schema\"") &&
                           ContainsAny(plain, {"\"segments\"", "\"batches\""});
  if (is_document) {
    RunReading reading = ReadRunDocument(plain);
    if (reading.document) {
      TimesFile file;
      file.document = std::move(reading.document);
      file.form = "profgauge.run";
      for (const RunProblem& problem : reading.problems) file.notes.push_back(problem.text);
      return file;
    }
    const RunProblem& problem = reading.problems.front();
    return Fail(InputError("", problem.code,
                           fmt::format("the times of iterations cannot be used: {}", problem.text),
                           "`profgauge schema run` prints the fields of the file"));
  }
  if (auto log = ReadEventsFile(text, how)) return AsTimes(*std::move(log));
  if (auto file = ReadJsonTimes(text, how)) return *std::move(file);
  if (auto log = ReadTextLog(text)) return AsTimes(*std::move(log));
  if (auto log = ReadMetricLog(text, how)) return AsTimes(*std::move(log));
  if (auto log = ReadTableLog(text, how)) return AsTimes(*std::move(log));
  const TimesForm* form = FormOfHead(plain.substr(0, kSniffBytes));
  if (form == nullptr) return Fail(NoTimes("the file holds no times of iterations that are known"));
  // Its keys are there, and its end is not.
  return Fail(InputError(
      "", "run/no-times",
      fmt::format("the file ({}) is no whole JSON: it was probably cut off", form->title),
      "write it again, and let the tool end"));
}

Result<TimesFile> AsTimes(Result<StepLog> log) {
  if (!log) return Fail(std::move(log).error());
  TimesFile file;
  file.form = std::move(log->kind);
  file.document = std::move(log->document);
  return file;
}

// Times of steps go up and down: ten in a row that only grow are none, nor five that grow as fast
// as their number.
bool IsRunningTotal(const std::vector<LoggedTime>& values) {
  if (values.size() < kLeastTimes || !(values.front().value > 0)) return false;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (!(values[i].value > values[i - 1].value)) return false;
  }
  constexpr std::size_t kManyGrow = 10;
  const double growth = values.back().value / values.front().value;
  return values.size() >= kManyGrow || growth > static_cast<double>(values.size()) / 2;
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

// Numbers that go on where a log starts to count anew, as in each epoch.
//
//   first logged number 1       1 2 3 | 1 2 3 | 2 3 4
//   gives                       1 2 3 | 4 5 6 | none none 7
//
// The second epoch begins with a number that is not above the first: it goes on counting. A number
// that falls to a later one repeats iterations after a checkpoint: those are dropped.
class RunningNumbers {
 public:
  explicit RunningNumbers(std::int64_t first) : first_(first) {}

  /// Of the next line; nothing where it repeats earlier ones (a run that went back to a checkpoint)
  /// or has no usable number. REQUIRES: asked in the order of the log.
  std::optional<std::int64_t> Of(std::int64_t number) {
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max() / 4;
    if (number < 0 || number > kLargest || next_ > kLargest) return std::nullopt;
    const bool begins_anew = number + offset_ < next_ && number <= first_;
    if (begins_anew) offset_ = next_ - number;
    if (number + offset_ < next_) return std::nullopt;
    next_ = number + offset_ + 1;
    return number + offset_;
  }

 private:
  std::int64_t first_, next_ = 0, offset_ = 0;
};

std::int64_t FirstNumber(const std::vector<LoggedTime>& values) {
  return values.empty() ? 0 : values.front().step;
}

// Those of one iteration each, by runs of numbers that follow each other.
void AddSingle(const std::vector<LoggedTime>& values, double factor, RunDocument& document) {
  RunningNumbers numbers(std::max<std::int64_t>(0, FirstNumber(values)));
  std::int64_t next = -1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto length = LengthOf(values[i].value, factor);
    const auto step =
        numbers.Of(values[i].step >= 0 ? values[i].step : static_cast<std::int64_t>(i));
    if (!length || !step) {
      ++document.steps_dropped;
      continue;
    }
    if (*step != next || document.segments.empty()) document.segments.push_back({*step, {}});
    document.segments.back().lengths.push_back(*length);
    next = *step + 1;
  }
}

// A line is the mean of the iterations since the line before; of the first that is unknown, also
// of the first of a count that begins anew.
void AddMeans(const std::vector<LoggedTime>& values, double factor, RunDocument& document) {
  RunningNumbers numbers(FirstNumber(values));
  std::optional<std::int64_t> before = numbers.Of(FirstNumber(values));
  for (std::size_t i = 1; i < values.size(); ++i) {
    const auto step = numbers.Of(values[i].step);
    const bool is_known = step && before && values[i].step > values[i - 1].step;
    const std::int64_t steps = is_known ? *step - *before : 0;
    const std::int64_t first = before.value_or(0) + 1;
    if (step) before = step;
    const auto length = LengthOf(values[i].value, factor);
    if (steps <= 0 || !length || *length > kMostStepLength / steps) {
      ++document.steps_dropped;
      continue;
    }
    document.batches.push_back({first, steps, *length * steps});
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

StepTimesInput ParseStepTimes(std::string_view text) {
  std::error_code code;
  std::size_t end = text.size();
  while (end != std::string_view::npos && !std::filesystem::exists(text.substr(0, end), code)) {
    end = end == 0 ? std::string_view::npos : text.rfind(':', end - 1);
  }
  if (end == std::string_view::npos) end = std::min(text.find(':'), text.size());
  StepTimesInput input{std::string(text.substr(0, end)), "", ""};
  if (end == text.size()) return input;
  std::string_view column = text.substr(end + 1);
  const std::size_t colon = column.rfind(':');
  if (colon != std::string_view::npos && FactorOf(column.substr(colon + 1))) {
    input.unit = column.substr(colon + 1);
    column = column.substr(0, colon);
  }
  input.column = column;
  return input;
}

Result<double> ChooseFactor(const StepTimesInput& how, const std::string& name) {
  if (const auto factor = FactorOf(how.unit)) return *factor;
  if (Lower(name).ends_with("/s") || Contains(Lower(name), "per_sec")) {
    return Fail(UsageError("usage/step-unit",
                           fmt::format("`{}` is a rate, not a time", PrintableShort(name)),
                           "name a column of times: --step-times FILE:COLUMN"));
  }
  if (const auto factor = FactorOfName(name)) return *factor;
  return Fail(UsageError("usage/step-unit",
                         fmt::format("the unit of `{}` is unknown", PrintableShort(name)),
                         "give it: --step-times FILE:COLUMN:UNIT, of s, ms, us and ns"));
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

Result<std::string> ChooseName(const std::string& given, const std::vector<std::string>& names) {
  const auto fail = [&](std::string message) -> Result<std::string> {
    return Fail(
        UsageError("usage/step-column", std::move(message),
                   fmt::format("name one: --step-times FILE:COLUMN; there are {}", ListOf(names))));
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

Result<StepLog> WithSkipped(std::int64_t rows, Result<StepLog> log) {
  if (log) log->document.rows_skipped = rows;
  return log;
}

Error RunningTotal(const std::string& column) {
  return UsageError("usage/step-column",
                    fmt::format("`{}` is a running total, not a step", PrintableShort(column)),
                    "name a column with the time of each step: --step-times FILE:COLUMN:UNIT");
}

Error NoTimes(std::string message) {
  return InputError("", "run/no-times", std::move(message),
                    "expected `profgauge.run`, a log of Megatron-LM or NeMo, TensorBoard's events, "
                    "CSV or JSON lines with a column of times, vLLM's latencies or a benchmark's "
                    "list of times");
}

}  // namespace profgauge::readers
