// Decides which parts of a document may be shown and kept.

#include "readers/run_side/document.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_from.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/exact_json.h"
#include "base/text.h"
#include "knowledge/unrecorded.h"

namespace profgauge::readers {
namespace {

constexpr std::size_t kMostRevision = 64;

constexpr std::array<std::string_view, 6> kVariables = {
    "CUDA_LAUNCH_BLOCKING",    "CUDA_DEVICE_MAX_CONNECTIONS",
    "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF",
    "OMP_NUM_THREADS",         "XLA_FLAGS"};
// TensorFlow's are longer than TF_: Terraform has secrets like TF_TOKEN_* and TF_VAR_*.
constexpr std::array<std::string_view, 14> kPrefixes = {
    "NCCL_",   "TORCH_NCCL_",      "HSA_",      "HIP_",       "NEURON_RT_", "TORCHINDUCTOR_",
    "TF_XLA_", "TF_GPU_",          "TF_CUDNN_", "TF_ENABLE_", "TF_FORCE_",  "TF_NUM_",
    "TF_CPP_", "TF_DETERMINISTIC_"};
constexpr std::array<std::string_view, 7> kSecrets = {"TOKEN",      "SECRET", "PASSW",  "KEY",
                                                      "CREDENTIAL", "AUTH",   "TF_VAR_"};

bool IsLetterOrDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool IsVariableLetter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

// Rejects paths (leading slash), sentences (blanks) and addresses (colons).
bool IsRevision(std::string_view text) {
  if (text.empty() || text.size() > kMostRevision || !IsLetterOrDigit(text.front())) return false;
  return std::ranges::all_of(text, [](char c) {
    return IsLetterOrDigit(c) || c == '.' || c == '_' || c == '/' || c == '+' || c == '-';
  });
}

bool IsSharedVariable(std::string_view name) {
  if (!std::ranges::all_of(name, IsVariableLetter)) return false;
  const auto holds = [&](std::string_view word) { return name.find(word) != name.npos; };
  if (std::ranges::any_of(kSecrets, holds)) return false;
  if (std::ranges::find(kVariables, name) != kVariables.end()) return true;
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) {
    return name.size() > prefix.size() && name.starts_with(prefix);
  });
}

namespace {

namespace json = boost::json;

/// True if segments and batches are in order and do not overlap.
bool AreInOrder(const RunDocument& document) {
  std::int64_t next = 0;
  for (const StepSegment& segment : document.segments) {
    const auto steps = static_cast<std::int64_t>(segment.lengths.size());
    if (segment.first < next || segment.first > std::numeric_limits<std::int64_t>::max() - steps) {
      return false;
    }
    next = segment.first + steps;
  }
  for (const auto* sums : {&document.batches, &document.windows}) {
    next = 0;
    for (const StepSum& sum : *sums) {
      if (sum.first < next || sum.first > std::numeric_limits<std::int64_t>::max() - sum.steps) {
        return false;
      }
      next = sum.first + sum.steps;
    }
  }
  return true;
}

/// The sum of the single iterations in a window; nothing if segments do not cover all of it.
std::optional<double> SumOf(const RunDocument& document, const StepSum& window) {
  double sum = 0;
  std::int64_t found = 0;
  const auto end_of = [](const StepSegment& segment) {
    return segment.first + static_cast<std::int64_t>(segment.lengths.size());
  };
  const std::int64_t end = window.first + window.steps;
  // Segments are in order, so those that end before the window are skipped by binary search.
  auto segment = std::ranges::upper_bound(document.segments, window.first, {}, end_of);
  for (; segment != document.segments.end() && segment->first < end; ++segment) {
    const std::int64_t from = std::max(segment->first, window.first);
    const std::int64_t to = std::min(end_of(*segment), end);
    for (std::int64_t step = from; step < to; ++step) {
      sum += static_cast<double>(segment->lengths[static_cast<std::size_t>(step - segment->first)]);
      ++found;
    }
  }
  return found == window.steps ? std::optional(sum) : std::nullopt;
}

// Tolerates about one iteration: a host that runs ahead shifts that much out of a window.
bool DoWindowsDisagree(const RunDocument& document) {
  return std::ranges::any_of(document.windows, [&](const StepSum& window) {
    const std::optional<double> sum = SumOf(document, window);
    const auto length = static_cast<double>(window.length);
    const double one = length / static_cast<double>(window.steps);
    return sum && std::abs(*sum - length) > knowledge::kUnrecordedWindowsAgree * length + one;
  });
}

std::optional<json::object> ObjectOf(std::string_view text, RunReading& out) {
  json::parse_options options;
  options.max_depth = kMostLevels;
  json::error_code error;
  std::size_t parsed = 0;
  json::value value = ParseExactJson(text, options, error, parsed, &out.repeated_keys);
  if (error == json::error::too_deep) {
    out.problems.push_back({"run/too-large", fmt::format("more than {} levels", kMostLevels)});
  } else if (error) {
    out.problems.push_back({"run/unreadable", fmt::format("no JSON at byte {}", parsed)});
  } else if (!value.is_object()) {
    out.problems.push_back({"run/unreadable", "not an object"});
  } else {
    return std::move(value.get_object());
  }
  return std::nullopt;
}

/// True if the document has a known schema.
bool IsKnownSchema(const json::object& object, RunReading& out) {
  const auto* schema = object.if_contains("schema");
  const auto* number = schema == nullptr ? nullptr : schema->if_int64();
  if (number == nullptr || *number < 1) {
    out.problems.push_back({"run/unreadable", "`schema` is missing or no number"});
    return false;
  }
  if (*number > 1) {
    out.problems.push_back({"run/newer", fmt::format("schema {}; this version reads 1", *number)});
    return false;
  }
  return true;
}

}  // namespace

std::vector<RunProblem> LeftOutOf(const RunDocument& document) {
  std::vector<RunProblem> problems;
  const auto add = [&](const char* code, std::int64_t count, std::string_view thing,
                       std::string_view why) {
    if (count == 0) return;
    problems.push_back(
        {code, fmt::format("skipped {} {}{}: {}", count, thing, count == 1 ? "" : "s", why)});
  };
  add("run/rows-skipped", document.rows_skipped, "row", "no number is where the time belongs");
  add("run/steps-dropped", document.steps_dropped, "time",
      "impossible lengths, lines that are written twice, or unusable numbers of steps");
  if (document.steps_repeated > 0) {
    problems.push_back({"run/steps-repeated",
                        fmt::format("numbers of steps that were logged before: {}, with other "
                                    "times. The run repeated these steps, and they count",
                                    document.steps_repeated)});
  }
  // A skipped row may have had the number.
  if (document.steps_missing > document.rows_skipped + document.steps_dropped) {
    problems.push_back({"run/steps-missing",
                        fmt::format("numbers of steps missing between the first and the last: {}. "
                                    "Their times are unknown",
                                    document.steps_missing)});
  }
  return problems;
}

//   first 10    8 ms  8 ms  -1  9 ms
//
//   first 10    8 ms  8 ms                 an impossible length ends a segment, and the
//   first 13                    9 ms       next segment begins after it
std::optional<RunProblem> CheckLengths(RunDocument& document) {
  const auto is_impossible = [](Ns length, std::int64_t steps) {
    return length <= 0 || length / steps > kMostStepLength;
  };
  std::int64_t all = 0, dropped = 0;
  std::vector<StepSegment> segments;
  for (StepSegment& segment : document.segments) {
    all += static_cast<std::int64_t>(segment.lengths.size());
    StepSegment part{segment.first, {}};
    for (std::size_t i = 0; i < segment.lengths.size(); ++i) {
      if (!is_impossible(segment.lengths[i], 1)) {
        part.lengths.push_back(segment.lengths[i]);
        continue;
      }
      ++dropped;
      const std::int64_t next = segment.first + static_cast<std::int64_t>(i) + 1;
      if (!part.lengths.empty()) segments.push_back(std::move(part));
      part = {next, {}};
    }
    if (!part.lengths.empty()) segments.push_back(std::move(part));
  }
  document.segments = std::move(segments);
  for (auto* sums : {&document.batches, &document.windows}) {
    all += static_cast<std::int64_t>(sums->size());
    dropped += static_cast<std::int64_t>(std::erase_if(
        *sums, [&](const StepSum& sum) { return is_impossible(sum.length, sum.steps); }));
  }
  document.steps_dropped += dropped;
  if (static_cast<double>(dropped) >
      knowledge::kUnrecordedImpossibleShare * static_cast<double>(all)) {
    return RunProblem{"run/unreadable",
                      fmt::format("no iteration can take {} of the {} lengths", dropped, all)};
  }
  if (document.segments.empty() && document.batches.empty()) {
    return RunProblem{"run/unreadable", "no iteration is in it"};
  }
  return std::nullopt;
}

RunReading ReadRunDocument(std::string_view text) {
  RunReading out;
  if (text.size() > kMostRunBytes) {
    out.problems.push_back({"run/too-large", fmt::format("over {} bytes", kMostRunBytes)});
    return out;
  }
  const std::optional<json::object> object = ObjectOf(text, out);
  if (!object || !IsKnownSchema(*object, out)) return out;
  if (!object->contains("segments") && !object->contains("batches")) {
    out.problems.push_back({"run/unreadable", "neither `segments` nor `batches` is in it"});
    return out;
  }
  RunDocument document;
  if (const auto problem = ReadRunFields(*object, document)) {
    out.problems.push_back(*problem);
    return out;
  }
  if (!AreInOrder(document)) {
    out.problems.push_back({"run/unreadable", "iterations overlap or their numbers fall"});
    return out;
  }
  if (const auto problem = CheckLengths(document)) {
    out.problems.push_back(*problem);
    return out;
  }
  if (DoWindowsDisagree(document)) {
    out.problems.push_back({"run/windows-disagree",
                            "single iterations do not add up to the sums between two waits: only "
                            "the sums are used"});
    document.batches = document.windows;
    document.segments.clear();
  }
  out.document = std::move(document);
  return out;
}

// Decodes base64url. Remaining bits that do not fill a byte are dropped.
//
//   T        W        F        u
//   010011 | 010110 | 000101 | 101110
//   01001101 |  01100001 | 01101110         M a n
std::optional<std::string> DecodeBase64Url(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    std::uint32_t value = 0;
    if (c >= 'A' && c <= 'Z') {
      value = static_cast<std::uint32_t>(c - 'A');
    } else if (c >= 'a' && c <= 'z') {
      value = static_cast<std::uint32_t>(c - 'a') + 26;
    } else if (c >= '0' && c <= '9') {
      value = static_cast<std::uint32_t>(c - '0') + 52;
    } else if (c == '-' || c == '_') {
      value = c == '-' ? 62 : 63;
    } else {
      return std::nullopt;
    }
    bits = bits << 6 | value;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out.push_back(static_cast<char>(bits >> held & 0xff));
  }
  return out;
}

std::optional<std::string> DecodeRunMark(std::string_view mark) {
  constexpr std::string_view kStart = "profgauge.run:";
  if (!mark.starts_with(kStart)) return std::nullopt;
  return DecodeBase64Url(mark.substr(kStart.size()));
}

bool IsRunDocumentName(std::string_view name) {
  return name == "run.json" || name.ends_with(".run.json");
}

namespace {

constexpr std::size_t kMostDevices = 64, kMostPairs = 64, kMostWork = 16, kMostReasons = 32;
constexpr std::size_t kMostText = 128, kMostWord = 32, kMostValue = 1'024;

constexpr std::string_view kKeys[] = {"schema",   "clock",   "attached", "warmup",     "segments",
                                      "batches",  "windows", "marks",    "recorded",   "profiler",
                                      "per_step", "rank",    "host",     "world_size", "commit",
                                      "job",      "devices", "versions", "env"};

std::string_view TextOf(const json::string& text) { return {text.data(), text.size()}; }

/// Reads a document. A method that cannot use a value calls Fail() and returns. Only the first
/// problem is kept, and loops end there.
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

/// Returns a text that may be shown; all others are counted.
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
        segment.lengths.push_back(std::numeric_limits<Ns>::max());  // CheckLengths() removes it.
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
    if (IsRevision(name)) {
      out_.work.emplace(name, number);
    } else {
      ++out_.left_out;
    }
  }
}

void Parser::ReadProfiler(const json::value& value) {
  const auto* object = value.if_object();
  const auto* options = object == nullptr ? nullptr : object->if_contains("options");
  if (options == nullptr || !options->is_array()) return;
  for (const json::value& option : options->get_array()) {
    auto text = Shown(option, true);
    if (!text) continue;
    if (text->size() <= kMostText && out_.profiler_options.size() < kMostWork) {
      out_.profiler_options.push_back(*std::move(text));
    } else {
      ++out_.left_out;
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
      if (text->size() > kMostText) text->clear(), ++out_.left_out;
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
        const bool is_shown = number >= 0 && number <= 1 && IsRevision({key.data(), key.size()});
        if (is_shown && device.reasons.size() < kMostReasons) {
          device.reasons[std::string(key.data(), key.size())] = number;
        } else {
          ++out_.left_out;
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
      if (!shown) continue;
      if (out.size() < kMostPairs) {
        out.emplace_back(name, *std::move(shown));
      } else {
        ++out_.left_out;
      }
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

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kDuetSchema = 1;
constexpr std::pair<std::string_view, DuetProcess> kProcesses[] = {
    {"both_loaded", DuetProcess::kBothLoaded},
    {"restarted", DuetProcess::kRestarted},
    {"one", DuetProcess::kOne},
};

Error DuetError(std::string code, std::string message) {
  return InputError("", std::move(code), std::move(message),
                    "`python -m profgauge.duet -a CMD -b CMD -o FOLDER` writes such a file");
}
Error Unreadable(std::string_view place, std::string_view expected) {
  return DuetError("duet/unreadable", fmt::format("`{}` is not {}", place, expected));
}

std::string TextAtKey(const json::object& object, const char* key) {
  const auto* found = object.if_contains(key);
  const auto* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string() : std::string(text->data(), text->size());
}

DuetSide SideAt(const json::object& object, const char* key) {
  DuetSide side;
  const auto* found = object.if_contains(key);
  const auto* keys = found == nullptr ? nullptr : found->if_object();
  if (keys == nullptr) return side;
  side.commit = TextAtKey(*keys, "commit");
  if (!IsRevision(side.commit)) side.commit.clear();
  const auto* work = keys->if_contains("per_step");
  if (work == nullptr || !work->is_object()) return side;
  for (const auto& [name, amount] : work->get_object()) {
    const std::string shown(name.data(), name.size());
    const double number = amount.is_number() ? amount.to_number<double>() : 0;
    if (IsRevision(shown) && number > 0 && std::isfinite(number)) side.work.emplace(shown, number);
  }
  return side;
}

Result<DuetBlock> BlockAt(const json::value& value, std::size_t number, std::size_t& steps) {
  const std::string place = fmt::format("blocks[{}]", number);
  const auto* object = value.if_object();
  if (object == nullptr) return Fail(Unreadable(place, "an object"));
  DuetBlock block;
  const std::string side = TextAtKey(*object, "side");
  if (side != "A" && side != "B") return Fail(Unreadable(place + ".side", "A or B"));
  block.is_b = side == "B";
  if (const auto* start = object->if_contains("start")) {
    if (start->if_int64() == nullptr || start->get_int64() < 0) {
      return Fail(Unreadable(place + ".start", "a whole number"));
    }
    block.start = start->get_int64();
  }
  const auto* lengths = object->if_contains("ns");
  if (lengths == nullptr || !lengths->is_array()) return Fail(Unreadable(place + ".ns", "a list"));
  steps += lengths->get_array().size();
  if (steps > kMostDuetSteps) {
    return Fail(DuetError("duet/too-large", fmt::format("over {} iterations", kMostDuetSteps)));
  }
  for (const json::value& length : lengths->get_array()) {
    const auto* ns = length.if_int64();
    if (ns == nullptr || *ns <= 0 || *ns > kMostStepLength) {
      return Fail(Unreadable(place + ".ns", "a list of whole nanoseconds above 0, up to a day"));
    }
    block.lengths.push_back(*ns);
  }
  return block;
}

Status ReadFields(const json::object& object, Duet& duet) {
  const auto* schema = object.if_contains("schema");
  if (schema == nullptr || schema->if_int64() == nullptr) {
    return Fail(Unreadable("schema", "a whole number"));
  }
  if (schema->get_int64() > kDuetSchema) {
    return Fail(DuetError("duet/newer", fmt::format("schema {} is newer than this program's {}",
                                                    schema->get_int64(), kDuetSchema)));
  }
  if (TextAtKey(object, "kind") != "duet") return Fail(Unreadable("kind", "\"duet\""));
  const std::string process = TextAtKey(object, "process");
  bool is_known = process.empty();
  for (const auto& [name, value] : kProcesses) {
    if (process != name) continue;
    duet.process = value;
    is_known = true;
  }
  if (!is_known) return Fail(Unreadable("process", "both_loaded, restarted or one"));
  if (const auto* warmup = object.if_contains("warmup")) {
    if (warmup->if_int64() == nullptr || warmup->get_int64() < 0) {
      return Fail(Unreadable("warmup", "a whole number"));
    }
    duet.warmup = warmup->get_int64();
  }
  duet.order = Printable(TextAtKey(object, "order"));
  duet.a = SideAt(object, "a");
  duet.b = SideAt(object, "b");
  const auto* blocks = object.if_contains("blocks");
  if (blocks == nullptr || !blocks->is_array()) return Fail(Unreadable("blocks", "a list"));
  if (blocks->get_array().size() > kMostRunRanges) {
    return Fail(DuetError("duet/too-large", fmt::format("over {} blocks", kMostRunRanges)));
  }
  std::size_t steps = 0;
  for (const json::value& block : blocks->get_array()) {
    PROFGAUGE_TRY(DuetBlock one, BlockAt(block, duet.blocks.size(), steps));
    duet.blocks.push_back(std::move(one));
  }
  return {};
}

}  // namespace

Result<Duet> ReadDuet(std::string_view text) {
  if (text.size() > kMostDuetBytes) {
    return Fail(DuetError("duet/too-large", fmt::format("over {} bytes", kMostDuetBytes)));
  }
  json::parse_options options;
  options.max_depth = kMostLevels;
  json::error_code error;
  std::size_t parsed = 0;
  const json::value value = ParseExactJson(WithoutByteOrderMark(text), options, error, parsed);
  if (error || !value.is_object()) {
    return Fail(DuetError("duet/unreadable", error ? fmt::format("no JSON, from byte {} on", parsed)
                                                   : std::string("the document is not an object")));
  }
  Duet duet;
  PROFGAUGE_CHECK(ReadFields(value.get_object(), duet));
  return duet;
}

std::string DuetFileOf(const std::string& path) {
  std::error_code code;
  const fs::path inside = fs::path(path) / kDuetName;
  if (fs::is_directory(path, code)) return fs::is_regular_file(inside, code) ? inside.string() : "";
  return fs::path(path).filename() == kDuetName && fs::is_regular_file(path, code) ? path : "";
}

}  // namespace profgauge::readers
