#include "readers/run_side/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "base/exact_json.h"
#include "knowledge/unrecorded.h"

namespace profgauge::readers {
namespace {

namespace json = boost::json;

/// Segments and batches are in order, and none begins before the last one ends.
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

/// The sum of the single iterations of a window; nothing if the segments do not cover all of it.
std::optional<double> SumOf(const RunDocument& document, const StepSum& window) {
  double sum = 0;
  std::int64_t found = 0;
  const auto end_of = [](const StepSegment& segment) {
    return segment.first + static_cast<std::int64_t>(segment.lengths.size());
  };
  const std::int64_t end = window.first + window.steps;
  // In order: those that end before the window are skipped at once.
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

// A host that runs ahead moves about one iteration across the end of a window: that much is fine.
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

/// Whether the schema is one that is known.
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
      "impossible lengths, or numbers of steps that repeat or are unusable");
  return problems;
}

//   first 10    8 ms  8 ms  -1  9 ms
//
//   first 10    8 ms  8 ms                 a length that cannot be true ends a segment
//   first 13                    9 ms       and the next begins with the number that follows
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

//   T        W        F        u
//   010011 | 010110 | 000101 | 101110
//   01001101 |  01100001 | 01101110         M a n
//
// Bits that fill no byte at the end are dropped.
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

}  // namespace profgauge::readers
