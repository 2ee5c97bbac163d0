#include "readers/run_side/times_reader.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/hashes.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "model/profile_builder.h"
#include "model/run_side.h"
#include "readers/detect.h"
#include "readers/run_side/document.h"
#include "readers/run_side/step_log.h"
#include "readers/text/json_shape.h"

namespace profgauge::readers {
namespace {

std::string_view TextOf(std::span<const std::byte> head) {
  return {reinterpret_cast<const char*>(head.data()), head.size()};
}

bool IsOwnDocument(std::string_view head) {
  const JsonShape shape = ShapeOfJson(head);
  return shape.is_object && shape.Has("schema") && !shape.Has("traceEvents") &&
         (shape.Has("segments") || shape.Has("batches"));
}

/// True for text. Logs have no bytes below 32 except for white space and some control characters.
bool IsText(std::string_view head) {
  return !head.empty() && std::none_of(head.begin(), head.end(), [](char c) {
    return static_cast<unsigned char>(c) < 32 && !IsSpace(c) && c != '\x1b' && c != '\b' &&
           c != '\f';
  });
}

bool IsEventsFile(std::string_view head) { return Contains(head.substr(0, 64), "brain.Event:"); }

Result<std::string> ReadAll(ByteSource& source) {
  std::string text;
  std::vector<std::byte> block(std::size_t{1} << 18);
  while (true) {
    PROFGAUGE_TRY(const std::size_t got, source.Read(block));
    if (got == 0) return text;
    text.append(reinterpret_cast<const char*>(block.data()), got);
    if (text.size() > kMostLogBytes) {
      const TimesForm* form = FormOfLog(std::string_view(text).substr(0, kSniffBytes));
      return Fail(InputError(source.name(), "run/too-large",
                             fmt::format("over {} MiB of text", kMostLogBytes >> 20),
                             fmt::format("pass only the lines with times: `grep -F \"{}\" FILE > "
                                         "times.log`",
                                         form == nullptr ? "WORDS" : form->sign)));
    }
  }
}

std::size_t ValuesIn(const RunDocument& document) {
  std::size_t single = 0;
  for (const StepSegment& segment : document.segments) single += segment.lengths.size();
  return std::max(single, document.batches.size());
}

class TimesReader final : public Reader {
 public:
  std::string_view name() const override { return kTimesFormat; }
  std::string_view expected() const override {
    return "times without a profile: profgauge.run, logs of Megatron-LM and NeMo, CSV, JSON lines, "
           "benchmarks, load tests";
  }

  Match Sniff(std::span<const std::byte> head) const override {
    const std::string_view text = WithoutByteOrderMark(TextOf(head));
    if (IsOwnDocument(text)) return Match::kYes;
    const TimesForm* form = FormOfHead(text);
    // A form with `{}` as key fits documents with any keys, so it is no certain sign.
    if (form != nullptr && !form->keys.starts_with("{}")) return Match::kYes;
    // A training's log may begin with its command or lines of libraries: looks for words first.
    if (IsText(text) && FormOfLog(text) != nullptr && !text.starts_with('{')) return Match::kYes;
    // For JSON this decides, because its keys show the form. A Parquet file may look like text.
    const bool is_json = text.starts_with('{') || text.starts_with('[');
    if (text.starts_with("PAR1") || (is_json && !LooksLikeTimes(text))) return Match::kNo;
    return IsText(text) || IsEventsFile(text) ? Match::kMaybe : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    PROFGAUGE_TRY(const std::string text, ReadAll(source));
    const bool is_chosen = options.step_times.file == source.name();
    auto times = ReadTimes(text, is_chosen ? options.step_times : StepTimesInput());
    if (!times) {
      Error error = std::move(times).error();
      const bool is_other = !is_chosen && IsOfAnother(error, text);
      if (is_other) return Fail(UnknownFile(source.name(), text.substr(0, kSniffBytes)));
      error.where.file = source.name();
      return Fail(std::move(error));
    }
    if (times->document && ValuesIn(*times->document) < kLeastTimes) {
      const std::size_t count = ValuesIn(*times->document);
      return Fail(InputError(
          source.name(), "run/few-values",
          fmt::format("{} time{}: {} are needed", count, count == 1 ? "" : "s", kLeastTimes),
          "record more steps"));
    }
    return ProfileOf(*std::move(times), source, text);
  }

 private:
  /// True if the text has no sign of times. The error then is that of an unknown file.
  static bool IsOfAnother(const Error& error, const std::string& text) {
    if (LooksLikeTimes(text)) return false;
    return error.code == "run/no-times" || error.code == "usage/step-column" ||
           error.code == "usage/step-unit";
  }

  static Result<Profile> ProfileOf(TimesFile times, ByteSource& source, const std::string& text) {
    ProfileBuilder builder;
    Source& out = builder.source();
    out.path = source.name();
    out.format = kTimesFormat;
    out.dialect = times.form;
    out.bytes = text.size();
    out.is_of_any_program = true;
    ContentHash hash;
    hash.Add(text);
    out.hash = hash.Hex();
    auto side = std::make_shared<RunSide>();
    side->carrier = RunCarrier::kItself;
    side->document = std::move(times.document);
    side->benchmarks = std::move(times.benchmarks);
    side->load_test = std::move(times.load_test);
    for (const std::string& note : times.notes) {
      side->note += (side->note.empty() ? "" : "; ") + note;
    }
    PROFGAUGE_TRY(Profile profile, builder.Finish());
    profile.has_timeline = false;
    if (side->document) {
      profile.distributed.rank = side->document->rank;
      profile.distributed.world_size = side->document->world_size;
      side->problems = LeftOutOf(*side->document);
    }
    profile.run_side = std::move(side);
    return profile;
  }
};

}  // namespace

// True if the first line has the number of a step beside other columns or keys.
bool LooksLikeTimes(std::string_view head) {
  head = WithoutByteOrderMark(head.substr(0, kSniffBytes));
  if (IsOwnDocument(head) || FormOfHead(head) != nullptr || FormOfLog(head) != nullptr ||
      IsEventsFile(head)) {
    return true;
  }
  const JsonShape shape = ShapeOfJson(head);
  if (shape.is_object) {
    return !shape.Has("traceEvents") &&
           std::any_of(shape.keys.begin(), shape.keys.end(), [](std::string_view key) {
             return IsStepTimeName(key) || IsStepNumberName(key);
           });
  }
  const std::string_view line = head.substr(0, head.find('\n'));
  if (line.size() == head.size() || line.find_first_of(",;\t") == line.npos) return false;
  std::size_t at = 0;
  while (at <= line.size()) {
    const std::size_t end = std::min(line.find_first_of(",;\t\r", at), line.size());
    std::string_view cell = line.substr(at, end - at);
    if (cell.size() > 1 && cell.front() == '"') cell = cell.substr(1, cell.size() - 2);
    if (IsStepNumberName(cell) || IsStepTimeName(cell)) return true;
    at = end + 1;
  }
  return false;
}

std::unique_ptr<Reader> MakeTimesReader() { return std::make_unique<TimesReader>(); }

namespace {

namespace json = boost::json;

constexpr auto kForms = [] {
  using enum Gives;
  return std::to_array<TimesForm>({
#include "knowledge/times_forms.inc"
  });
}();

// The limit of a benchmark's name, because longer names would fill a page.
constexpr std::size_t kLongestName = 400;

/// Removes the part of a path before the first dot, and returns it.
std::string_view FirstKey(std::string_view& path) {
  const std::size_t dot = path.find('.');
  const std::string_view key = path.substr(0, dot);
  path.remove_prefix(dot == path.npos ? path.size() : dot + 1);
  return key;
}

/// Calls `use` with each value at the path, and its key at `{}`. Stops if a call returns false.
template <class Use>
bool Walk(const json::value& value, std::string_view path, std::string_view name, const Use& use) {
  if (path.empty()) return use(name, value);
  std::string_view key = FirstKey(path);
  if (key == "{}") {
    const auto* object = value.if_object();
    if (object == nullptr) return true;
    return std::all_of(object->begin(), object->end(), [&](const auto& entry) {
      return Walk(entry.value(), path, {entry.key().data(), entry.key().size()}, use);
    });
  }
  const bool is_list = key.ends_with("[]");
  if (is_list) key.remove_suffix(2);
  const json::value* at = key.empty() ? &value : AtPath(value, key);
  if (at == nullptr) return true;
  if (!is_list) return Walk(*at, path, name, use);
  const auto* list = at->if_array();
  if (list == nullptr) return true;
  return std::all_of(list->begin(), list->end(),
                     [&](const json::value& entry) { return Walk(entry, path, name, use); });
}

bool Has(const json::value& value, std::string_view path) {
  return !Walk(value, path, {}, [](std::string_view, const json::value&) { return false; });
}

/// True if `fits` accepts each of the texts between blanks.
template <class Fits>
bool FitAll(std::string_view texts, const Fits& fits) {
  while (!texts.empty()) {
    const std::size_t end = std::min(texts.find(' '), texts.size());
    if (!fits(texts.substr(0, end))) return false;
    texts.remove_prefix(std::min(end + 1, texts.size()));
  }
  return true;
}

bool Fits(const TimesForm& form, const json::value& value) {
  if (form.keys.empty() || form.list != value.is_array()) return false;
  return FitAll(form.keys, [&](std::string_view path) { return Has(value, path); });
}

std::string TextAt(const json::value& value, std::string_view path) {
  const json::value* found = AtPath(value, path);
  const auto* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? "" : std::string(text->data(), text->size());
}

bool IsWanted(const json::value& row, std::string_view only) {
  if (only.empty()) return true;
  const std::size_t at = only.find('=');
  return TextAt(row, only.substr(0, at)) == only.substr(at + 1);
}

/// Nanoseconds of a benchmark's unit, e.g. "ns", "ms/iter", "microseconds".
std::optional<double> FactorOfUnit(std::string_view unit) {
  for (const std::string_view end : {"/iter", "/op", "/call"}) {
    if (unit.ends_with(end)) unit.remove_suffix(end.size());
  }
  struct Word {
    std::string_view word, unit;
  };
  constexpr Word kWords[] = {{"seconds", "s"},       {"second", "s"},       {"sec", "s"},
                             {"milliseconds", "ms"}, {"millisecond", "ms"}, {"msec", "ms"},
                             {"microseconds", "us"}, {"microsecond", "us"}, {"usec", "us"},
                             {"µs", "us"},           {"μs", "us"},          {"nanoseconds", "ns"},
                             {"nanosecond", "ns"},   {"nsec", "ns"}};
  for (const Word& word : kWords) {
    if (word.word == unit) return FactorOf(word.unit);
  }
  return FactorOf(unit);
}

std::string ShortName(std::string name) {
  if (name.size() <= kLongestName) return name;
  ContentHash hash;
  hash.Add(name);
  name.resize(kLongestName);
  return name + "… " + hash.Hex().substr(0, 8);
}

/// Times by name, in the order of first occurrence.
class Benchmarks {
 public:
  explicit Benchmarks(const TimesForm& form) : form_(form) {}

  Status Add(std::string_view key, const json::value& row) {
    if (!IsWanted(row, form_.only)) return {};
    const json::value* at = AtPath(row, form_.at);
    if (at == nullptr) {
      ++left_out_;
      return {};
    }
    double factor = 1;
    const std::string name =
        form_.rows.ends_with("{}") ? std::string(key) : TextAt(row, form_.name);
    if (HasFailed(row)) {
      return Fail(InputError("", "run/failed",
                             fmt::format("the benchmark `{}` failed: its times are not those of "
                                         "its work",
                                         PrintableShort(name)),
                             "repair it, and record again"));
    }
    if (form_.unit.starts_with('.')) {
      const std::string unit = TextAt(row, form_.unit.substr(1));
      const auto known = FactorOfUnit(unit);
      if (!known) return Fail(UnknownUnit(name, unit));
      factor = *known;
    } else {
      factor = FactorOf(form_.unit).value_or(1);
    }
    AddValues(name, *at, factor);
    if (all_.size() > kMostBenchmarks) {
      return Fail(InputError("", "run/too-large",
                             fmt::format("over {} benchmarks are in the file", kMostBenchmarks),
                             "select those that matter, and write them to a file of their own"));
    }
    return {};
  }

  std::vector<NamedTimes> Take() { return std::move(all_); }
  std::int64_t left_out() const { return left_out_; }

 private:
  /// Failures as hyperfine and Google Benchmark mark them.
  static bool HasFailed(const json::value& row) {
    const json::value* error = AtPath(row, "error_occurred");
    if (error != nullptr && error->is_bool() && error->as_bool()) return true;
    const json::value* codes = AtPath(row, "exit_codes");
    if (codes == nullptr || !codes->is_array()) return false;
    const json::array& list = codes->as_array();
    return std::any_of(list.begin(), list.end(), [](const json::value& code) {
      return !code.is_number() || code.to_number<double>() != 0;
    });
  }

  static Error UnknownUnit(const std::string& name, const std::string& unit) {
    return UsageError("usage/step-unit",
                      fmt::format("`{}` is in `{}`, which is no unit of time", PrintableShort(name),
                                  PrintableShort(unit)),
                      "leave it out of the file, or give times in s, ms, us or ns");
  }

  void AddValues(const std::string& name, const json::value& at, double factor) {
    if (const auto* list = at.if_array()) {
      for (const json::value& entry : *list) AddValue(name, entry, factor);
    } else {
      AddValue(name, at, factor);
    }
  }

  void AddValue(const std::string& name, const json::value& value, double factor) {
    const double length = value.is_number() ? value.to_number<double>() * factor : 0;
    if (!(length > 0) || length > static_cast<double>(kMostStepLength)) {
      ++left_out_;
      return;
    }
    const auto [place, is_new] = places_.try_emplace(name, all_.size());
    if (is_new) all_.push_back({ShortName(name), {}});
    all_[place->second].lengths.push_back(length);
  }

  const TimesForm& form_;
  std::vector<NamedTimes> all_;
  std::map<std::string, std::size_t> places_;
  std::int64_t left_out_ = 0;
};

Error FewValues(std::size_t count, std::string_view form) {
  return InputError("", "run/few-values",
                    fmt::format("{} time{} in the {}: {} are needed", count,
                                count == 1 ? " is" : "s are", form, kLeastTimes),
                    "record more steps or repetitions");
}

std::optional<Result<TimesFile>> ReadRows(const json::value& value, const TimesForm& form) {
  Benchmarks found(form);
  Status status;
  Walk(value, form.rows, {}, [&](std::string_view key, const json::value& row) {
    status = found.Add(key, row);
    return status.has_value();
  });
  if (!status) return Fail(std::move(status).error());
  TimesFile file;
  file.form = form.title;
  file.benchmarks = found.Take();
  if (file.benchmarks.empty()) return std::nullopt;
  if (found.left_out() > 0) {
    file.notes.push_back(
        fmt::format("{} entries without a time that can be true are left out", found.left_out()));
  }
  if (!form.note.empty()) file.notes.emplace_back(form.note);
  if (file.benchmarks.size() > 1) return file;
  // A single benchmark is judged as the iteration.
  NamedTimes& only = file.benchmarks.front();
  if (only.lengths.size() < kLeastTimes) {
    if (form.gives == Gives::kValue) return file;
    return Fail(FewValues(only.lengths.size(), form.title));
  }
  const double shortest = *std::min_element(only.lengths.begin(), only.lengths.end());
  constexpr double kRoundedWell = 1000;  // Whole nanoseconds are exact to 0.1 %.
  if (shortest < kRoundedWell) return file;
  std::vector<LoggedTime> times;
  for (const double length : only.lengths) times.push_back({-1, length});
  auto log = MakeStepLog(file.form, times, 1, Logged::kSingle);
  if (!log) return Fail(std::move(log).error());
  file.document = std::move(log->document);
  if (only.name.empty()) {
    file.benchmarks.clear();
  } else {
    file.notes.push_back(
        fmt::format("the only benchmark, `{}`, is the step", PrintableShort(only.name)));
  }
  return file;
}

/// Reads steps like {"1": "nan", "2": 0.0612}. A text instead of a number is a gap.
Result<TimesFile> ReadSteps(const json::value& value, const TimesForm& form) {
  const json::value* at = AtPath(value, form.at);
  const auto* steps = at == nullptr ? nullptr : at->if_object();
  std::vector<LoggedTime> times;
  std::int64_t skipped = 0;
  for (const auto& entry : steps == nullptr ? json::object() : *steps) {
    std::int64_t number = -1;
    const std::string_view key(entry.key().data(), entry.key().size());
    const auto [end, failed] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (failed != std::errc{} || end != key.data() + key.size()) continue;
    if (entry.value().is_number()) {
      times.push_back({number, entry.value().to_number<double>()});
    } else {
      ++skipped;
    }
  }
  std::stable_sort(times.begin(), times.end(),
                   [](const LoggedTime& a, const LoggedTime& b) { return a.step < b.step; });
  PROFGAUGE_TRY(StepLog log, WithSkipped(skipped, MakeStepLog(std::string(form.title), times,
                                                              FactorOf(form.unit).value_or(1),
                                                              Logged::kSingle)));
  TimesFile file;
  file.form = form.title;
  file.document = std::move(log.document);
  if (!form.note.empty()) file.notes.emplace_back(form.note);
  std::string others;
  std::size_t count = 0;
  constexpr std::size_t kNamed = 4;
  std::string_view path = form.at;
  const std::string_view own = FirstKey(path);
  for (const auto& entry : value.get_object()) {
    const std::string_view key(entry.key().data(), entry.key().size());
    if (key == own) continue;
    if (++count <= kNamed)
      others += fmt::format("{}`{}`", others.empty() ? "" : ", ", PrintableShort(key));
  }
  if (count > 0) {
    file.notes.push_back(fmt::format("other values of the file are not times and are ignored: {}{}",
                                     others, count > kNamed ? ", …" : ""));
  }
  return file;
}

}  // namespace

const std::vector<TimesForm>& TimesForms() {
  static const std::vector<TimesForm> forms(std::begin(kForms), std::end(kForms));
  return forms;
}

const json::value* AtPath(const json::value& value, std::string_view path) {
  const json::value* at = &value;
  while (at != nullptr && !path.empty()) {
    const std::string_view key = FirstKey(path);
    const auto* object = at->if_object();
    at = object == nullptr ? nullptr : object->if_contains({key.data(), key.size()});
  }
  return at;
}

std::optional<Result<TimesFile>> ReadTimesForm(const json::value& value) {
  const TimesForm* without = nullptr;  // Fits, but has no possible time.
  for (const TimesForm& form : kForms) {
    if (!Fits(form, value)) continue;
    switch (form.gives) {
      case Gives::kSeries:
      case Gives::kValue:
        if (auto file = ReadRows(value, form)) return file;
        if (without == nullptr) without = &form;
        continue;
      case Gives::kSteps:
        return ReadSteps(value, form);
      case Gives::kLoad:
        return ReadLoadTest(value, form);
      case Gives::kNone:
        return Fail(InputError("", "run/no-times",
                               std::string(form.note.substr(0, form.note.find(": "))),
                               std::string(form.note.substr(form.note.find(": ") + 2))));
      case Gives::kMeans:
      case Gives::kSingle:
        continue;
    }
  }
  if (without == nullptr) return std::nullopt;
  return Fail(NoTimes(fmt::format("no time that can be true is in the file ({})", without->title)));
}

// Keys of the document are compared with its shape. Deeper keys are searched as text.
const TimesForm* FormOfHead(std::string_view head) {
  const JsonShape shape = ShapeOfJson(head);
  if ((!shape.is_object && !shape.is_list) || shape.Has("traceEvents")) return nullptr;
  for (const TimesForm& form : kForms) {
    if (form.keys.empty() || form.list != shape.is_list) continue;
    const bool fits = FitAll(form.keys, [&](std::string_view path) {
      std::string_view key = FirstKey(path);
      if (key == "{}" || key == "[]") key = FirstKey(path);
      const bool is_deep = form.keys.starts_with("{}");
      if (key.ends_with("[]")) key.remove_suffix(2);
      if (!is_deep && !shape.Has(key)) return false;
      while (!path.empty()) {
        if (!Contains(head, fmt::format("\"{}\"", key))) return false;
        key = FirstKey(path);
      }
      return Contains(head, fmt::format("\"{}\"", key));
    });
    if (fits) return &form;
  }
  return nullptr;
}

const TimesForm* FormOfLog(std::string_view text) {
  for (const TimesForm& form : kForms) {
    if (!form.sign.empty() && Contains(text, form.sign)) return &form;
  }
  return nullptr;
}

// Reads load tests: keys of latencies and rates, and the keys that must be equal for comparisons.

namespace {

/// The names of a latency in the tools, which replace WHAT in the path of a form.
struct Latency {
  std::string_view name, other, of_aiperf;
  MetricId stats[5];
};
constexpr std::string_view kStats[] = {"mean", "median", "p90", "p95", "p99"};
constexpr std::string_view kStatsOfAiperf[] = {"avg", "p50", "p90", "p95", "p99"};

#define PROFGAUGE_STATS(What)                                                            \
  {                                                                                      \
    metric::kServe##What##Mean, metric::kServe##What##Median, metric::kServe##What##P90, \
        metric::kServe##What##P95, metric::kServe##What##P99                             \
  }
constexpr Latency kLatencies[] = {
    {"ttft", "ttft", "time_to_first_token", PROFGAUGE_STATS(Ttft)},
    {"tpot", "tpot", "time_per_output_token", PROFGAUGE_STATS(Tpot)},
    {"itl", "itl", "inter_token_latency", PROFGAUGE_STATS(Itl)},
    {"e2el", "e2e_latency", "request_latency", PROFGAUGE_STATS(E2e)},
};
#undef PROFGAUGE_STATS

struct Rate {
  std::string_view key, of_aiperf;
  MetricId metric;
};
constexpr Rate kRates[] = {
    {"request_throughput", "request_throughput", metric::kServeRequestRate},
    {"output_throughput", "output_token_throughput", metric::kServeOutputRate},
    {"total_token_throughput", "total_token_throughput", metric::kServeTotalRate},
    {"request_goodput", "goodput", metric::kServeGoodput},
};

/// Keys on which latencies depend.
constexpr std::string_view kLoad[] = {
    "model_id",           "backend",          "dataset_name",
    "num_prompts",        "request_rate",     "max_concurrency",
    "total_input_tokens", "random_input_len", "random_output_len"};
constexpr std::size_t kLongestValue = 200;

std::optional<double> NumberAt(const json::value& value, std::string_view path) {
  const json::value* at = AtPath(value, path);
  if (at == nullptr || !at->is_number()) return std::nullopt;
  const auto number = at->to_number<double>();
  return std::isfinite(number) && number >= 0 ? std::optional(number) : std::nullopt;
}

std::optional<double> NanosecondsOf(const json::value& value, std::string_view unit_path) {
  const json::value* at = AtPath(value, unit_path);
  const auto* unit = at == nullptr ? nullptr : at->if_string();
  const std::string_view text =
      unit == nullptr ? "ms" : std::string_view(unit->data(), unit->size());
  if (text == "ms") return 1e6;
  if (text == "s" || text == "sec") return 1e9;
  if (text == "us") return 1e3;
  return text == "ns" ? std::optional(1.0) : std::nullopt;
}

void AddLatencies(const json::value& value, bool is_aiperf, LoadTest& test) {
  for (const Latency& latency : kLatencies) {
    for (std::size_t i = 0; i < std::size(kStats); ++i) {
      std::optional<double> number;
      double factor = 1e6;
      if (is_aiperf) {
        number = NumberAt(value, fmt::format("{}.{}", latency.of_aiperf, kStatsOfAiperf[i]));
        const auto unit = NanosecondsOf(value, fmt::format("{}.unit", latency.of_aiperf));
        if (!unit) continue;
        factor = *unit;
      } else {
        number = NumberAt(value, fmt::format("{}_{}_ms", kStats[i], latency.name));
        if (!number) number = NumberAt(value, fmt::format("{}_{}_ms", kStats[i], latency.other));
      }
      constexpr double kLongest = static_cast<double>(kMostStepLength);
      if (number && *number > 0 && *number * factor <= kLongest) {
        test.metrics.emplace_back(latency.stats[i], *number * factor);
      }
    }
  }
}

std::string TextOf(const json::value& value) {
  if (const auto* text = value.if_string()) {
    return PrintableShort({text->data(), text->size()}, kLongestValue);
  }
  if (value.is_null()) return "none";
  if (value.is_number()) return fmt::format("{}", value.to_number<double>());
  return PrintableShort(json::serialize(value), kLongestValue);
}

}  // namespace

Result<TimesFile> ReadLoadTest(const json::value& value, const TimesForm& form) {
  TimesFile file;
  file.form = form.title;
  LoadTest& test = file.load_test.emplace();
  const bool is_aiperf = form.at == "WHAT.STAT";
  AddLatencies(value, is_aiperf, test);
  for (const Rate& rate : kRates) {
    const auto number = is_aiperf ? NumberAt(value, fmt::format("{}.avg", rate.of_aiperf))
                                  : NumberAt(value, rate.key);
    if (number) test.metrics.emplace_back(rate.metric, *number);
  }
  const auto count = [&](std::string_view key, std::string_view of_aiperf) {
    return NumberAt(value, is_aiperf ? fmt::format("{}.avg", of_aiperf) : std::string(key));
  };
  const auto completed = count("completed", "request_count");
  const auto failed = count("failed", "error_request_count");
  if (completed && *completed == 0) {
    return Fail(InputError("", "run/failed", "no request of the load test was answered",
                           "see why the server refused them, and test it again"));
  }
  test.completed = completed.value_or(0);
  test.output_tokens = count("total_output_tokens", "total_osl").value_or(0);
  if (failed && *failed + test.completed > 0) {
    test.metrics.emplace_back(metric::kServeFailedShare, *failed / (*failed + test.completed));
  }
  for (const std::string_view key : kLoad) {
    const json::value* at = AtPath(value, key);
    if (at != nullptr) test.load.emplace_back(key, TextOf(*at));
  }
  return file;
}

}  // namespace profgauge::readers
