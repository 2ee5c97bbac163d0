// `profgauge.run`, schema 1: from text to numbers. The text may be anything; unusable text
// gives a problem and no document.
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

// The limits of schema 1 (rules/schemas/run.json): no larger document is used. A file has as many
// bytes as any other of times.
inline constexpr std::size_t kMostRunBytes = std::size_t{128} << 20;
inline constexpr std::size_t kMostRunSteps = std::size_t{1} << 24;
inline constexpr std::size_t kMostRunRanges = 4'096;
/// How deep documents may be nested.
inline constexpr std::size_t kMostLevels = 16;

/// The result of a text: a document, problems, or both.
///
///   {"schema": 1, "clock": "device_event",
///    "segments": [{"first": 100, "ns": [12000000, 11900000]}],      single iterations 100 and 101
///    "batches":  [{"first": 102, "steps": 10, "sum": 119000000}],   ten iterations together
///    "windows":  [[100, 12, 143500000]],                            sums between two waits
///    "marks":    [[105, 105, "checkpoint"]], "recorded": [[100, 101]], ...}
struct RunReading {
  std::optional<RunDocument> document;
  std::vector<RunProblem> problems;
  std::size_t repeated_keys = 0;  ///< Keys given twice, of which the last counts.
};

/// Codes: "run/unreadable" with the place, "run/newer", "run/too-large", and beside a document
/// "run/windows-disagree". O(n).
RunReading ReadRunDocument(std::string_view text);

/// What of the file is not in its document: "run/steps-dropped", "run/rows-skipped".
std::vector<RunProblem> LeftOutOf(const RunDocument& document);

/// Checks that the lengths of a document can be used: impossible lengths are removed
/// and counted; over 1 % of them, and none left, is a problem.
/// A removed length ends its segment: the next one begins with the iteration after it.
std::optional<RunProblem> CheckLengths(RunDocument& document);

/// The document that a mark carries: `profgauge.run:` and base64url without padding. Nothing where
/// it is none.
std::optional<std::string> DecodeRunMark(std::string_view mark);
/// The bytes of base64url without padding; nothing where it is none.
std::optional<std::string> DecodeBase64Url(std::string_view text);

/// Whether the name is that of a document beside profiles: "run.json", "rank-3.run.json".
bool IsRunDocumentName(std::string_view name);

/// Whether a revision, a job or a version may be shown: no path from the root, which names people.
bool IsRevision(std::string_view text);
/// Whether an environment variable may be read: a list of names, without those of secrets.
/// Only capital letters, digits and `_`. Names with TOKEN, SECRET, KEY and the like are refused
/// even where a prefix allows them.
bool IsSharedVariable(std::string_view name);

// The fields of `profgauge.run`, one by one.

/// Fills `out`; the first unusable field is a problem, and the rest is not read. Private
/// fields are counted and left out.
std::optional<RunProblem> ReadRunFields(const boost::json::object& object, RunDocument& out);

// `duet.json`: written by `python -m profgauge.duet` and its class Duet.

// The limits of its schema.
inline constexpr std::size_t kMostDuetBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMostDuetSteps = 65'536;

/// The name of the document in its folder.
inline constexpr std::string_view kDuetName = "duet.json";

/// Errors: kInput "duet/unreadable" with the place,
/// "duet/newer", "duet/too-large".
/// Unknown keys are ignored; an unusable block is an error.
Result<Duet> ReadDuet(std::string_view text);

/// The document of a folder, or the file itself; empty where `path` is neither.
std::string DuetFileOf(const std::string& path);

}  // namespace profgauge::readers
