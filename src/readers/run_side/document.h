// Parses `profgauge.run`, schema 1. Accepts any text; an unusable text gives a problem and no
// document.
#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/duet.h"
#include "model/run_side.h"
#include "profgauge/error.h"

namespace profgauge::readers {

// The size limits of schema 1 (rules/schemas/run.json): larger documents are not used. The limit of
// bytes is that of all files of times.
inline constexpr std::size_t kMostRunBytes = std::size_t{128} << 20;
inline constexpr std::size_t kMostRunSteps = std::size_t{1} << 24;
inline constexpr std::size_t kMostRunRanges = 4'096;
/// The limit of nesting.
inline constexpr std::size_t kMostLevels = 16;

/// The result of parsing: a document, problems, or both.
///
///   {"schema": 1, "clock": "device_event",
///    "segments": [{"first": 100, "ns": [12000000, 11900000]}],      single iterations 100 and 101
///    "batches":  [{"first": 102, "steps": 10, "sum": 119000000}],   ten iterations together
///    "windows":  [[100, 12, 143500000]],                            sums between two waits
///    "marks":    [[105, 105, "checkpoint"]], "recorded": [[100, 101]], ...}
struct RunReading {
  std::optional<RunDocument> document;
  std::vector<RunProblem> problems;
  std::size_t repeated_keys = 0;  ///< Repeated keys; the last of each counts.
};

/// Parses a document. O(n). Codes of problems: "run/unreadable" with the place, "run/newer",
/// "run/too-large"; with a document also "run/windows-disagree".
RunReading ReadRunDocument(std::string_view text);

/// Problems for data that was left out: "run/steps-dropped", "run/rows-skipped".
std::vector<RunProblem> LeftOutOf(const RunDocument& document);

/// Removes and counts implausible lengths. A removed length ends its segment: the next one begins
/// after it. Returns a problem if over 1 % of the lengths are implausible, or none is left.
std::optional<RunProblem> CheckLengths(RunDocument& document);

/// The document in a mark that is `profgauge.run:` followed by base64url without padding; nullopt
/// for other marks.
std::optional<std::string> DecodeRunMark(std::string_view mark);
/// Decodes base64url without padding; nullopt if it is invalid.
std::optional<std::string> DecodeBase64Url(std::string_view text);

/// True for the name of a document beside profiles: "run.json", "rank-3.run.json".
bool IsRunDocumentName(std::string_view name);

/// True if a revision, job or version may be shown: absolute paths may not, as they name people.
bool IsRevision(std::string_view text);
/// True if an environment variable may be read. Its name must be allow-listed and have only capital
/// letters, digits and `_`. Names with TOKEN, SECRET, KEY and similar words are rejected even if a
/// prefix allows them.
bool IsSharedVariable(std::string_view name);

// Reads the fields of `profgauge.run` one by one.

/// Fills `out`. Stops at the first unusable field and returns the problem. Private fields are left
/// out and counted.
std::optional<RunProblem> ReadRunFields(const boost::json::object& object, RunDocument& out);

// `duet.json`: written by `python -m profgauge.duet` and its class Duet.

// The size limits of a duet's document.
inline constexpr std::size_t kMostDuetBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMostDuetSteps = 65'536;

/// The file name of the document in its folder.
inline constexpr std::string_view kDuetName = "duet.json";

/// Parses a duet. Unknown keys are ignored; an unusable block is an error. Errors: kInput
/// "duet/unreadable" with the place, "duet/newer", "duet/too-large".
Result<Duet> ReadDuet(std::string_view text);

/// The path of the `duet.json` in a folder, or `path` if it is such a file; otherwise empty.
std::string DuetFileOf(const std::string& path);

}  // namespace profgauge::readers
