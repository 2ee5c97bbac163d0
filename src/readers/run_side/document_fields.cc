#include "readers/run_side/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profgauge::readers {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostDevices = 64, kMostPairs = 64, kMostWork = 16, kMostReasons = 32;
constexpr std::size_t kMostText = 128, kMostWord = 32, kMostValue = 1'024;

constexpr std::string_view kKeys[] = {"schema",   "clock",   "attached", "warmup",     "segments",
                                      "batches",  "windows", "marks",    "recorded",   "profiler",
                                      "per_step", "rank",    "host",     "world_size", "commit",
                                      "job",      "devices", "versions", "env"};

std::string_view TextOf(const json::string& text) { return {text.data(), text.size()}; }

/// Reads a document; the first thing that cannot be used is kept as a problem.
/// A method that cannot use its value calls Fail() and returns; loops end at the first problem.
class Parser {
 public:
  explicit Parser(RunDocument& out) : out_(out) {}

  void Read(const json::object& object);
  const std::optional<RunProblem>& problem() const { return problem_; }

 private:
  void Fail(std::string code, std::string text) {
    if (!problem_) problem_ = RunProblem{std::move(code), std::move(text)};
  }
  void FailAt(const std::string& place, std::string_view expected) {
    Fail("run/unreadable", fmt::format("`{}` is not {}", place, expected));
  }
  void FailSize(const std::string& place, std::size_t most) {
    Fail("run/too-large", fmt::format("`{}` has more than {} values", place, most));
  }

  std::int64_t Count(const json::value* value, const std::string& place, std::int64_t least = 0);
  const json::array* List(const json::value* value, const std::string& place, std::size_t most);
  std::int64_t CountOf(const json::object& object, const char* key, const std::string& place,
                       std::int64_t least = 0) {
    return Count(object.if_contains(key), place + "." + key, least);
  }
  std::optional<std::string> Shown(const json::value& value, bool is_allowed);

  void ReadSegments(const json::value& value);
  void ReadSums(const json::value& value);
  void ReadWindows(const json::value& value);
  std::vector<StepRange> ReadRanges(const json::value& value, const std::string& place,
                                    bool has_word);
  void ReadWork(const json::value& value);
  void ReadProfiler(const json::value& value);
  void ReadDevices(const json::value& value);
  void ReadPairs(const json::object& object);
  void ReadNames(const json::object& object);

  RunDocument& out_;
  std::optional<RunProblem> problem_;
  std::size_t steps_ = 0;
};

std::int64_t Parser::Count(const json::value* value, const std::string& place, std::int64_t least) {
  const auto* number = value == nullptr ? nullptr : value->if_int64();
  if (number != nullptr && *number >= least) return *number;
  FailAt(place, least == 0 ? "a whole number" : "a whole number above 0");
  return 0;
}

const json::array* Parser::List(const json::value* value, const std::string& place,
                                std::size_t most) {
  const auto* list = value == nullptr ? nullptr : value->if_array();
  if (list == nullptr) FailAt(place, "a list");
  if (list != nullptr && list->size() > most) {
    FailSize(place, most);
    return nullptr;
  }
  return list;
}

/// A text that may be shown; others are counted.
std::optional<std::string> Parser::Shown(const json::value& value, bool is_allowed) {
  const auto* text = value.if_string();
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (text == nullptr || !is_allowed || text->size() > kMostValue ||
      !std::ranges::all_of(TextOf(*text), is_plain)) {
    ++out_.left_out;
    return std::nullopt;
  }
  return std::string(TextOf(*text));
}

void Parser::ReadSegments(const json::value& value) {
  const auto* list = List(&value, "segments", kMostRunSteps);
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->size() && !problem_; ++i) {
    const std::string place = fmt::format("segments[{}]", i);
    const auto* object = (*list)[i].if_object();
    if (object == nullptr) return FailAt(place, "an object");
    StepSegment segment;
    segment.first = CountOf(*object, "first", place);
    const auto* lengths = List(object->if_contains("ns"), place + ".ns", kMostRunSteps - steps_);
    if (lengths == nullptr) return;
    steps_ += lengths->size();
    for (std::size_t k = 0; k < lengths->size() && !problem_; ++k) {
      const json::value& length = (*lengths)[k];
      const auto* number = length.if_int64();
      if (number != nullptr) {
        segment.lengths.push_back(*number);
      } else if (length.if_uint64() != nullptr) {
        segment.lengths.push_back(std::numeric_limits<Ns>::max());  // Impossible, as below.
      } else {
        FailAt(fmt::format("{}.ns[{}]", place, k), "a whole number of nanoseconds");
      }
    }
    out_.segments.push_back(std::move(segment));
  }
}

void Parser::ReadSums(const json::value& value) {
  const auto* list = List(&value, "batches", kMostRunRanges);
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->size() && !problem_; ++i) {
    const std::string place = fmt::format("batches[{}]", i);
    const auto* object = (*list)[i].if_object();
    if (object == nullptr) return FailAt(place, "an object");
    out_.batches.push_back({CountOf(*object, "first", place), CountOf(*object, "steps", place, 1),
                            CountOf(*object, "sum", place)});
  }
}

void Parser::ReadWindows(const json::value& value) {
  const auto* list = List(&value, "windows", kMostRunRanges);
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->size() && !problem_; ++i) {
    const std::string place = fmt::format("windows[{}]", i);
    const auto* window = (*list)[i].if_array();
    if (window == nullptr || window->size() != 3)
      return FailAt(place, "[first, steps, nanoseconds]");
    out_.windows.push_back(
        {Count(&(*window)[0], place), Count(&(*window)[1], place, 1), Count(&(*window)[2], place)});
  }
}

std::vector<StepRange> Parser::ReadRanges(const json::value& value, const std::string& place,
                                          bool has_word) {
  std::vector<StepRange> ranges;
  const auto* list = List(&value, place, kMostRunRanges);
  if (list == nullptr) return ranges;
  for (std::size_t i = 0; i < list->size() && !problem_; ++i) {
    const std::string at = fmt::format("{}[{}]", place, i);
    const auto* range = (*list)[i].if_array();
    if (range == nullptr || range->size() != (has_word ? 3u : 2u)) {
      FailAt(at, has_word ? "[first, last, word]" : "[first, last]");
      break;
    }
    StepRange out{Count(&(*range)[0], at), Count(&(*range)[1], at)};
    if (has_word) {
      const auto is_letter = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
      };
      const auto* word = (*range)[2].if_string();
      const bool is_word = word != nullptr && word->size() <= kMostWord &&
                           std::ranges::all_of(TextOf(*word), is_letter);
      if (is_word) out.word = TextOf(*word);
      if (!is_word) ++out_.left_out;
    }
    if (out.last < out.first) FailAt(at, "a range: it ends before it begins");
    ranges.push_back(std::move(out));
  }
  return ranges;
}

double NumberOf(const json::value* value) {
  if (value == nullptr || !value->is_number()) return std::nan("");
  return value->to_number<double>();
}

void Parser::ReadWork(const json::value& value) {
  const auto* object = value.if_object();
  if (object == nullptr) return FailAt("per_step", "an object");
  if (object->size() > kMostWork) return FailSize("per_step", kMostWork);
  for (const auto& [key, amount] : *object) {
    const double number = NumberOf(&amount);
    const std::string name(key.data(), key.size());
    if (!(number > 0) || !std::isfinite(number)) {
      return FailAt("per_step", "numbers above 0");
    }
    if (IsRevision(name)) out_.work.emplace(name, number);
  }
}

void Parser::ReadProfiler(const json::value& value) {
  const auto* object = value.if_object();
  const auto* options = object == nullptr ? nullptr : object->if_contains("options");
  if (options == nullptr || !options->is_array()) return;
  for (const json::value& option : options->get_array()) {
    if (out_.profiler_options.size() == kMostWork) break;
    if (auto text = Shown(option, true); text && text->size() <= kMostText) {
      out_.profiler_options.push_back(*std::move(text));
    }
  }
}

void Parser::ReadDevices(const json::value& value) {
  const auto* list = List(&value, "devices", kMostDevices);
  if (list == nullptr) return;
  for (const json::value& entry : *list) {
    const auto* object = entry.if_object();
    if (object == nullptr) return FailAt("devices", "a list of objects");
    RunDevice device;
    if (const auto* id = object->if_contains("id")) device.id = Count(id, "devices.id");
    for (const auto& [key, text] :
         {std::pair("uuid", &device.uuid), std::pair("name", &device.name)}) {
      const auto* given = object->if_contains(key);
      if (given != nullptr) *text = Shown(*given, true).value_or("");
      if (text->size() > kMostText) text->clear();
    }
    for (const char* key : {"sm_mhz", "memory_mhz", "watts", "celsius"}) {
      const auto* given = object->if_contains(key);
      const auto* spread = given == nullptr ? nullptr : given->if_object();
      if (spread == nullptr) continue;
      device.conditions[key] = {
          NumberOf(spread->if_contains("median")), NumberOf(spread->if_contains("min")),
          NumberOf(spread->if_contains("max")), NumberOf(spread->if_contains("limit"))};
    }
    for (const char* key : {"ecc_uncorrected", "other_processes"}) {
      const auto* given = object->if_contains(key);
      const double count = given == nullptr ? std::nan("") : NumberOf(given);
      if (count >= 0) device.conditions[key] = {count, count, count, std::nan("")};
    }
    const auto* reasons = object->if_contains("reasons");
    if (reasons != nullptr && reasons->is_object()) {
      device.knows_reasons = true;
      for (const auto& [key, share] : reasons->get_object()) {
        const double number = NumberOf(&share);
        if (!(number >= 0 && number <= 1) || device.reasons.size() == kMostReasons) continue;
        if (IsRevision({key.data(), key.size()})) {
          device.reasons[std::string(key.data(), key.size())] = number;
        }
      }
    }
    out_.devices.push_back(std::move(device));
  }
}

void Parser::ReadPairs(const json::object& object) {
  const auto read = [&](const char* place, auto is_allowed, auto& out) {
    const auto* given = object.if_contains(place);
    if (given == nullptr) return;
    const auto* pairs = given->if_object();
    if (pairs == nullptr) return FailAt(place, "an object");
    for (const auto& [key, value] : *pairs) {
      const std::string name(key.data(), key.size());
      const auto* text = value.if_string();
      auto shown = Shown(value, text != nullptr && is_allowed(name, TextOf(*text)));
      if (shown && out.size() < kMostPairs) out.emplace_back(name, *std::move(shown));
    }
  };
  read(
      "env", [](std::string_view name, std::string_view) { return IsSharedVariable(name); },
      out_.environment);
  read(
      "versions",
      [](std::string_view name, std::string_view text) {
        return IsRevision(name) && IsRevision(text);
      },
      out_.versions);
}

void Parser::ReadNames(const json::object& object) {
  for (const auto& [key, text] : {std::pair("commit", &out_.commit), std::pair("job", &out_.job)}) {
    const auto* given = object.if_contains(key);
    if (given == nullptr) continue;
    const auto* name = given->if_string();
    *text = Shown(*given, name != nullptr && IsRevision(TextOf(*name))).value_or("");
  }
}

void Parser::Read(const json::object& object) {
  for (const auto& [key, value] : object) {
    if (std::ranges::find(kKeys, std::string_view(key.data(), key.size())) == std::end(kKeys)) {
      ++out_.unknown_keys;
    }
  }
  if (const auto* clock = object.if_contains("clock")) {
    const auto* name = clock->if_string();
    const auto found = name == nullptr ? std::nullopt : FindStepClock(TextOf(*name));
    if (!found) return FailAt("clock", "one of host, device_event, fetch, window, reported");
    out_.clock = *found;
  }
  if (const auto* attached = object.if_contains("attached")) {
    out_.is_attached = attached->is_bool() && attached->get_bool();
  }
  if (const auto* segments = object.if_contains("segments")) ReadSegments(*segments);
  if (const auto* batches = object.if_contains("batches")) ReadSums(*batches);
  if (const auto* windows = object.if_contains("windows")) ReadWindows(*windows);
  if (const auto* marks = object.if_contains("marks")) {
    out_.marks = ReadRanges(*marks, "marks", true);
  }
  if (const auto* recorded = object.if_contains("recorded")) {
    out_.recorded = ReadRanges(*recorded, "recorded", false);
  }
  if (const auto* work = object.if_contains("per_step")) ReadWork(*work);
  if (const auto* profiler = object.if_contains("profiler")) ReadProfiler(*profiler);
  if (const auto* rank = object.if_contains("rank")) out_.rank = Count(rank, "rank");
  if (const auto* size = object.if_contains("world_size")) {
    out_.world_size = Count(size, "world_size", 1);
  }
  if (const auto* devices = object.if_contains("devices")) ReadDevices(*devices);
  ReadPairs(object);
  ReadNames(object);
}

}  // namespace

std::optional<RunProblem> ReadRunFields(const boost::json::object& object, RunDocument& out) {
  Parser parser(out);
  parser.Read(object);
  return parser.problem();
}

}  // namespace profgauge::readers
