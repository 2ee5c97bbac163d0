// Reads event files of TensorBoard, i.e. records of a length, its checksum, an `Event` and its
// checksum. Lightning, NeMo, Hugging Face, DeepSpeed, Megatron-LM and torchtitan write them.

#include "readers/run_side/step_log.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/errors.h"
#include "base/exact_json.h"
#include "base/text.h"
#include "readers/run_side/document.h"
#include "readers/run_side/times_reader.h"
#include "readers/text/numbers.h"
#include "readers/text/wire.h"

namespace profgauge::readers {
namespace {

constexpr std::size_t kHead = 12, kTail = 4;  // Length and checksum; checksum.

// A record of an event file, lowest byte first. Checksums are not compared.
//
//   | length 8 | its checksum 4 | Event, `length` bytes | checksum 4 |
std::uint64_t LengthAt(std::string_view bytes) {
  std::uint64_t length = 0;
  for (std::size_t i = 8; i > 0; --i) {
    length = length << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return length;
}

/// Removes the next record from `bytes` and returns it; empty at the end. Drops an incomplete last
/// record, because the file may be read while it is written.
std::string_view TakeRecord(std::string_view& bytes) {
  if (bytes.size() < kHead + kTail) return {};
  const std::uint64_t length = LengthAt(bytes);
  if (length > bytes.size() - kHead - kTail) return {};
  const std::string_view record = bytes.substr(kHead, static_cast<std::size_t>(length));
  bytes.remove_prefix(kHead + record.size() + kTail);
  return record;
}

/// The float in the last 4 bytes of a field. Needed because WireReader has no 32-bit numbers.
std::optional<double> FloatBefore(std::string_view message, std::string_view rest) {
  const std::size_t end = message.size() - rest.size();
  if (end < sizeof(float)) return std::nullopt;
  float value = 0;
  std::memcpy(&value, message.data() + end - sizeof value, sizeof value);
  return value;
}

using Tags = std::map<std::string, std::vector<LoggedTime>, std::less<>>;

// Reads Event: 2 step, 5 summary {1 value {1 tag, 2 simple_value}}.
void ReadValue(std::string_view message, std::int64_t step, Tags& tags) {
  std::string_view tag;
  std::optional<double> number;
  for (WireReader value(message); value.Next();) {
    if (value.field() == 1) tag = value.Bytes();
    if (value.field() == 2 && !value.is_bytes() && !value.is_varint()) {
      number = FloatBefore(message, value.rest());
    }
  }
  if (!tag.empty() && number) tags[std::string(tag)].push_back({step, *number});
}

void ReadEvent(std::string_view message, Tags& tags) {
  std::int64_t step = 0;  // Omitted if it is 0.
  std::vector<std::string_view> summaries;
  for (WireReader event(message); event.Next();) {
    if (event.field() == 2) step = event.Signed();
    if (event.field() == 5) summaries.push_back(event.Bytes());
  }
  for (const std::string_view summary : summaries) {
    for (WireReader values(summary); values.Next();) {
      if (values.field() == 1) ReadValue(values.Bytes(), step, tags);
    }
  }
}

}  // namespace

// TensorBoard's files begin with a record that names the version: "brain.Event:2".
std::optional<Result<StepLog>> ReadEventsFile(std::string_view bytes, const StepTimesInput& how) {
  std::string_view rest = bytes;
  if (TakeRecord(rest).find("brain.Event:") == std::string_view::npos) return std::nullopt;
  Tags tags;
  for (auto record = TakeRecord(rest); !record.empty(); record = TakeRecord(rest)) {
    ReadEvent(record, tags);
  }
  std::vector<std::string> names;
  for (const auto& [tag, values] : tags) names.push_back(tag);
  const auto read = [&]() -> Result<StepLog> {
    PROFGAUGE_TRY(const std::string tag, ChooseName(how.column, names));
    PROFGAUGE_TRY(const double factor, ChooseFactor(how, tag));
    // A value that is logged every few iterations is the mean of these iterations.
    return MakeStepLog("TensorBoard event file", tags[tag], factor, Logged::kMean);
  };
  return read();
}

// Reads JSON: documents of known forms, lists with a column, and JSON lines.

namespace {

namespace json = boost::json;

constexpr std::size_t kMostDepth = 32;

/// Replaces NaN and Infinity, which Python writes although they are no JSON, by null:
///
///   {"loss": NaN, "note": "NaN"}        {"loss": null, "note": "NaN"}
std::string WithoutNan(std::string_view text) {
  constexpr std::string_view kWords[] = {"NaN", "-Infinity", "Infinity"};
  std::string out;
  out.reserve(text.size());
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (is_quoted && text[i] == '\\' && i + 1 < text.size()) out.push_back(text[i++]);
    const auto word = std::ranges::find_if(kWords, [&](std::string_view one) {
      return !is_quoted && text.substr(i).starts_with(one);
    });
    if (word == std::end(kWords)) {
      out.push_back(text[i]);
      continue;
    }
    out += "null";
    i += word->size() - 1;
  }
  return out;
}

std::optional<json::value> Parsed(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMostDepth;
  json::error_code error;
  std::size_t parsed = 0;
  json::value value = ParseExactJson(text, options, error, parsed);
  if (error && ContainsAny(text, {"NaN", "Infinity"})) {
    value = ParseExactJson(WithoutNan(text), options, error, parsed);
  }
  return error ? std::nullopt : std::optional(std::move(value));
}

using Row = std::vector<std::pair<std::string, double>>;
using Rows = std::vector<Row>;

/// Adds the numbers of an object under dotted keys.
void Flatten(const json::object& object, const std::string& before, Row& out) {
  for (const auto& [key, value] : object) {
    const std::string name = before + std::string(key.data(), key.size());
    if (value.is_number()) out.emplace_back(name, value.to_number<double>());
    if (const auto* inner = value.if_object()) Flatten(*inner, name + ".", out);
  }
}

// Skips rows that do not have the column, e.g. those of evaluations.
Result<StepLog> OfRows(const std::string& kind, const Rows& rows, const StepTimesInput& how) {
  std::set<std::string> names;
  for (const Row& row : rows) {
    for (const auto& [name, number] : row) names.insert(name);
  }
  PROFGAUGE_TRY(const std::string column, ChooseName(how.column, {names.begin(), names.end()}));
  PROFGAUGE_TRY(const double factor, ChooseFactor(how, column));
  std::vector<LoggedTime> values;
  std::int64_t skipped = 0;
  for (const Row& row : rows) {
    LoggedTime value;
    bool has_time = false;
    for (const auto& [name, number] : row) {
      if (name == column) {
        value.value = number;
        has_time = true;
      }
      const bool is_number = IsStepNumberName(name) && number >= 0 && number < 1e15;
      if (is_number) value.step = static_cast<std::int64_t>(number);
    }
    if (has_time) {
      values.push_back(value);
    } else {
      ++skipped;
    }
  }
  if (IsRunningTotal(values)) return Fail(RunningTotal(column));
  return WithSkipped(skipped, MakeStepLog(kind, values, factor, Logged::kSingle));
}

Result<StepLog> OfList(const json::array& list, const StepTimesInput& how) {
  Rows rows;
  for (const json::value& entry : list) {  // The form of trtexec's `--exportTimes`.
    if (const auto* object = entry.if_object()) Flatten(*object, "", rows.emplace_back());
  }
  if (!rows.empty()) return OfRows("JSON list", rows, how);
  PROFGAUGE_TRY(const double factor, ChooseFactor(how, "the list"));
  std::vector<LoggedTime> values;
  for (const json::value& entry : list) {
    if (entry.is_number()) values.push_back({-1, entry.to_number<double>()});
  }
  const auto skipped = static_cast<std::int64_t>(list.size() - values.size());
  return WithSkipped(skipped, MakeStepLog("JSON list", values, factor, Logged::kSingle));
}

// Reads JSON lines. A stopped run may break the last line; many broken lines are another log.
std::optional<Result<StepLog>> OfLines(std::string_view text, const StepTimesInput& how) {
  Rows rows;
  std::int64_t broken = 0;
  for (const std::string_view line : Lines(text)) {
    if (Trim(line).empty()) continue;
    const auto value = Parsed(line);
    const bool is_row = value && value->is_object();
    if (is_row) {
      Flatten(value->get_object(), "", rows.emplace_back());
    } else if (static_cast<std::size_t>(++broken) > rows.size()) {
      return std::nullopt;
    }
  }
  auto log = OfRows("JSON lines", rows, how);
  if (log) log->document.rows_skipped += broken;
  return log;
}

/// Reads the log of a tool that appends a line for each run: the last line is used.
std::optional<Result<TimesFile>> OfLastLine(std::string_view text) {
  const std::vector<std::string_view> lines = Lines(text);
  const auto last = Parsed(lines.back());
  if (lines.size() < 2 || !last || !last->is_object()) return std::nullopt;
  auto file = ReadTimesForm(*last);
  if (file && *file && (*file)->load_test) {
    (*file)->notes.push_back(
        fmt::format("{} results are in the file: the last one counts", lines.size()));
    return file;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Result<TimesFile>> ReadJsonTimes(std::string_view text, const StepTimesInput& how) {
  const std::string_view trimmed = Trim(WithoutByteOrderMark(text));
  if (!trimmed.starts_with('{') && !trimmed.starts_with('[')) return std::nullopt;
  if (trimmed.size() > kMostJsonBytes) return std::nullopt;
  if (const auto value = Parsed(trimmed)) {
    if (how.column.empty()) {
      if (auto file = ReadTimesForm(*value)) return file;
    }
    if (const auto* list = value->if_array()) return AsTimes(OfList(*list, how));
    if (Lines(trimmed).size() > 1) return std::nullopt;
  }
  if (how.column.empty()) {
    if (auto file = OfLastLine(trimmed)) return file;
  }
  auto log = OfLines(trimmed, how);
  if (!log) return std::nullopt;
  return AsTimes(*std::move(log));
}

Result<TimesFile> ReadTimes(std::string_view text, const StepTimesInput& how) {
  const std::string_view plain = WithoutByteOrderMark(text);
  // A document that looks like this form but is unusable is an error; no other form is tried.
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
  // The file has the keys of this form, but its end is missing.
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

// True if values only grow: ten of them, or at least five that grow by a factor of over half their
// number. Durations of iterations would fall, too.
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
constexpr std::int64_t kMostMissing = 1'000'000'000;

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

// Converts a log's numbers to ones that only increase: for each epoch that counts from the start,
// and for iterations that a run repeats after a checkpoint, counting continues.
//
//   logged    1 2 3 | 1 2 3 | 2 3 4
//   gives     1 2 3 | 4 5 6 | 7 8 9
class RunningNumbers {
 public:
  /// The converted number of the next line; nothing if it has no usable number. REQUIRES: called in
  /// the order of the log.
  std::optional<std::int64_t> Of(std::int64_t number) {
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max() / 4;
    if (number < 0 || number > kLargest || next_ > kLargest) return std::nullopt;
    if (number + offset_ < next_) offset_ = next_ - number;
    next_ = number + offset_ + 1;
    return number + offset_;
  }
  std::int64_t next() const { return next_ - offset_; }  ///< The next number as logged.

 private:
  std::int64_t next_ = 0, offset_ = 0;
};

std::int64_t FirstNumber(const std::vector<LoggedTime>& values) {
  return values.empty() ? 0 : values.front().step;
}

// Flags lines that are in the log twice, and counts those that a restart repeats with other times.
// Both are told by whole stretches of growing numbers, as a single time may be equal by chance:
//
//   logged     20: 61  21: 64  22: 62 | 21: 64  22: 62 | 21: 63  22: 190
//                                       written twice    run again: these count
std::vector<bool> LinesWrittenTwice(const std::vector<LoggedTime>& values, RunDocument& document) {
  std::vector<bool> copies(values.size(), false);
  std::map<std::int64_t, double> known;
  for (std::size_t first = 0, last = 0; first < values.size(); first = last) {
    std::vector<std::size_t> again;
    bool is_equal = true, varies = false;
    for (last = first; last == first || (last < values.size() && values[last].step >= 0 &&
                                         values[last].step > values[last - 1].step);
         ++last) {
      const auto before = known.find(values[last].step);
      if (values[last].step < 0 || before == known.end()) continue;
      again.push_back(last);
      is_equal = is_equal && before->second == values[last].value;
      varies = varies || values[last].value != values[again.front()].value;
    }
    for (std::size_t i = first; i < last; ++i) known[values[i].step] = values[i].value;
    const bool is_epoch = values[first].step <= FirstNumber(values);
    const bool is_copy = is_equal && (varies || (!is_epoch && again.size() == 1));
    for (const std::size_t i : again) copies[i] = is_copy;
    const auto count = static_cast<std::int64_t>(again.size());
    if (is_copy) document.steps_dropped += count;
    if (!is_copy && !is_epoch) document.steps_repeated += count;
  }
  return copies;
}

// Counts the numbers that are missing inside, if most lines have the same distance.
//
//   1 2 3 7 8 9      4, 5 and 6 are missing
std::int64_t MissingNumbers(const std::vector<LoggedTime>& values) {
  std::map<std::int64_t, std::int64_t> distances;
  std::int64_t all = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i - 1].step < 0 || values[i].step <= values[i - 1].step) continue;
    ++distances[values[i].step - values[i - 1].step];
    ++all;
  }
  const auto usual =
      std::ranges::max_element(distances, {}, [](const auto& distance) { return distance.second; });
  if (usual == distances.end() || 2 * usual->second <= all) return 0;
  std::int64_t missing = 0;
  for (const auto& [distance, count] : distances) {
    const std::int64_t between = std::max<std::int64_t>(0, distance / usual->first - 1);
    if (between > kMostMissing / count) return 0;  // Numbers that jump are no count.
    missing += between * count;
  }
  return missing;
}

// Adds values of single iterations, as one segment for each run of consecutive numbers.
void AddSingle(const std::vector<LoggedTime>& values, double factor, RunDocument& document) {
  const std::vector<bool> copies = LinesWrittenTwice(values, document);
  RunningNumbers numbers;
  std::int64_t next = -1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (copies[i]) continue;
    const auto length = LengthOf(values[i].value, factor);
    const auto step = numbers.Of(values[i].step >= 0 ? values[i].step : numbers.next());
    if (!length || !step) {
      ++document.steps_dropped;
      continue;
    }
    if (*step != next || document.segments.empty()) document.segments.push_back({*step, {}});
    document.segments.back().lengths.push_back(*length);
    next = *step + 1;
  }
}

// Adds means over the iterations since the line before. The first line has no such number, and
// neither has the first line after a restart of the count.
void AddMeans(const std::vector<LoggedTime>& values, double factor, RunDocument& document) {
  const std::vector<bool> copies = LinesWrittenTwice(values, document);
  RunningNumbers numbers;
  std::optional<std::int64_t> before = numbers.Of(FirstNumber(values));
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (copies[i]) continue;
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
  // Megatron-LM's tag for seconds (--log-timers-to-tensorboard).
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
  log.document.steps_missing = MissingNumbers(values);
  // If the log has a line for each iteration, the mean is of one iteration.
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

// Reads a column of a table, with cells separated by commas, semicolons or tabs.

namespace {

/// The cells of a line, with their quotes removed: "a ""b""" becomes a "b".
std::vector<std::string> CellsOf(std::string_view line, char separator) {
  std::vector<std::string> cells(1);
  if (line.find('"') == line.npos) {
    for (std::size_t at = 0; true; cells.emplace_back()) {
      const std::size_t end = std::min(line.find(separator, at), line.size());
      cells.back() = Trim(line.substr(at, end - at));
      if (end == line.size()) return cells;
      at = end + 1;
    }
  }
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back().push_back(line[++i]);
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == separator && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back().push_back(c);
    }
  }
  for (std::string& cell : cells) cell = std::string(Trim(cell));
  return cells;
}

char SeparatorOf(std::string_view head) {
  for (const char c : {'\t', ';'}) {
    if (head.find(c) != head.npos) return c;
  }
  return ',';
}

}  // namespace

// Reads a table. Any text has a first line: a head has only names, one name must be of times.
std::optional<Result<StepLog>> ReadTableLog(std::string_view text, const StepTimesInput& how) {
  const std::vector<std::string_view> lines = Lines(WithoutByteOrderMark(text));
  if (lines.size() < 2) return std::nullopt;
  const char separator = SeparatorOf(lines.front());
  const std::vector<std::string> head = CellsOf(lines.front(), separator);
  const bool has_names = std::ranges::none_of(
      head, [](const std::string& cell) { return cell.empty() || ParseReal(cell); });
  if (!has_names || (head.size() == 1 && !IsStepTimeName(head.front()) && how.column.empty())) {
    return std::nullopt;
  }
  const auto read = [&]() -> Result<StepLog> {
    PROFGAUGE_TRY(const std::string column, ChooseName(how.column, head));
    PROFGAUGE_TRY(const double factor, ChooseFactor(how, column));
    const auto place = static_cast<std::size_t>(std::ranges::find(head, column) - head.begin());
    const auto number = std::ranges::find_if(head, IsStepNumberName);
    std::vector<LoggedTime> values;
    std::int64_t skipped = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      if (Trim(lines[i]).empty()) continue;
      const std::vector<std::string> cells = CellsOf(lines[i], separator);
      const auto value = place < cells.size() ? ParseReal(cells[place]) : std::nullopt;
      if (!value) {  // The row has other data, or the step failed.
        ++skipped;
        continue;
      }
      LoggedTime time{-1, *value};
      const auto at = static_cast<std::size_t>(number - head.begin());
      if (at < cells.size()) time.step = ParseInteger(cells[at]).value_or(-1);
      values.push_back(time);
    }
    if (IsRunningTotal(values)) return Fail(RunningTotal(column));
    return WithSkipped(skipped, MakeStepLog("table", values, factor, Logged::kSingle));
  };
  return read();
}

// Reads logs of Megatron-LM and NeMo by the words around the numbers, as lines differ between
// versions. Also reads MLflow's files of one metric.

namespace {

/// The number right after `words` in `line`, without white space between; nothing if there is none.
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

/// Reads a line of MLflow: "1767323045000 0.0279 1" is milliseconds since 1970, value and step. A
/// file with any other line is another log.
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

// Examples: Megatron-LM writes " iteration       10/      61 | … elapsed time per iteration (ms):
// 28.4 |", NeMo "… | global_step: 0 | … | train_step_timing in s: 7.126". Lines differ between
// versions.
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
