// ProfGauge as a library: Load, Analyze, Evaluate, Render.
//
//   auto recording = profgauge::Load({"run7.pt.trace.json.gz"}, {});
//   if (!recording) return Complain(recording.error());
//   auto judged = profgauge::Evaluate(*recording, {.policy = "policy.yaml"});
//   if (!judged) return Complain(judged.error());
//   std::string page = *profgauge::Render(*judged, profgauge::Format::kHtml);
//   return judged->passed() ? 0 : 1;
//
// Everything here is a value and cheap to copy: handles share immutable data. Nothing throws except
// std::bad_alloc. Different handles may be used from different threads. The program's command line
// is the stable interface; this one may still change between minor versions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profgauge/error.h"

namespace profgauge {

struct LoadOptions {
  /// Accept truncated input; what was lost is in the report. Default: refuse it.
  bool allow_incomplete = false;
  /// Threads to read with; 0 is one per core. Never changes the result.
  unsigned threads = 0;
};

/// What was loaded: one profile per rank.
class Recording {
 public:
  struct Data;
  explicit Recording(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::size_t ranks() const;
  const Data& data() const { return *data_; }

 private:
  std::shared_ptr<const Data> data_;
};

/// Reads profiles: files, or folders with one file per rank; "-" is standard input.
/// Errors: kInput, with the place in the file.
Result<Recording> Load(const std::vector<std::string>& paths, const LoadOptions& options);

struct EvaluateOptions {
  /// A file, or builtin:recommended, builtin:strict, builtin:report-only.
  std::string policy = "builtin:recommended";
  /// Which iterations to look at; unset: what the policy says, else all.
  std::optional<std::int64_t> iter_start, iter_stop, warmup, rank;
  /// The same as the numbers that were recorded (5 of ProfilerStep#5); they go first.
  std::optional<std::int64_t> iter_start_number, iter_stop_number;
  std::optional<std::string> key_op, iteration_marker;
  /// Only this part of the recording: nanoseconds from its start, [first, second).
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
  /// Moments by name, in time order, between which the recording is summed up.
  std::vector<std::pair<std::string, std::int64_t>> marks;
  /// Folder with the sources whose lines the report shows. Empty: none.
  std::string source_root;
  bool allow_incomplete = false;
};

/// A run that was analyzed and judged: everything that reports are drawn from.
class Judgement {
 public:
  struct Data;
  explicit Judgement(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  /// "pass", "fail" or "no_verdict".
  std::string_view status() const;
  bool passed() const { return status() == "pass"; }
  /// What `profgauge check` would exit with: 0, 1 or 3.
  int exit_code() const;
  /// A metric's value in its base unit (ns, 0..1, bytes, counts); nothing when the profile cannot
  /// give it or there is no such metric.
  std::optional<double> Metric(std::string_view id) const;
  const Data& data() const { return *data_; }

 private:
  std::shared_ptr<const Data> data_;
};

/// Analyzes a run and holds the policy against it.
/// Errors: kConfig for the policy (the first of its errors), kUsage for the selection.
Result<Judgement> Evaluate(const Recording& recording, const EvaluateOptions& options);

enum class Format : std::uint8_t { kHtml, kMarkdown, kXlsx, kJson, kText };

/// The bytes of a report. The same judgement gives the same bytes.
Result<std::string> Render(const Judgement& judgement, Format format);

}  // namespace profgauge
