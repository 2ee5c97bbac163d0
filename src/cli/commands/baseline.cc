// `profgauge baseline save|show`: small files that a run is compared with.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "api/snapshots.h"
#include "base/errors.h"
#include "base/format.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_list.h"
#include "cli/outputs.h"
#include "cli/snapshots.h"
#include "gate/compare.h"
#include "gate/snapshot.h"
#include "gate/work.h"

namespace profgauge::cli {
namespace {

// Rejects repeated profiles, which would look like two equal runs without any noise. Each run is
// compared with those before it.
Status RefuseMixed(const std::vector<gate::Snapshot>& runs, const Options& options,
                   Console& console) {
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const std::span<const gate::Snapshot> before = std::span(runs).first(i);
    if (const gate::Snapshot* same = gate::FindMisfit(runs[i], before).same; same != nullptr) {
      return Fail(
          UsageError("baseline/same-run",
                     fmt::format("{} and {} are the same profile", Printable(same->name),
                                 Printable(runs[i].name)),
                     "record the program again; each run of a baseline needs a separate profile"));
    }
    PROFGAUGE_CHECK(RefuseOther(runs[i], before, options, console));
  }
  return {};
}

// Why the runs must not replace those of the file: they did less work, so the next correct run
// would be slower. nullopt if there is no such file, or if replacing is accepted.
std::optional<std::string> WhyNotReplaced(const std::vector<gate::Snapshot>& runs,
                                          const Options& options) {
  if (!options.accept.empty() || !IsBaselineFile(options.out_dir)) return std::nullopt;
  const auto before = LoadBaselineFile(options.out_dir);
  if (!before) return std::nullopt;
  const gate::WorkChange work = gate::CompareWork(*before, runs);
  const bool is_less =
      work.kind == gate::WorkKind::kLess || work.kind == gate::WorkKind::kCollapsed;
  return is_less ? gate::WhyNoTimes(work, false, true) : std::nullopt;
}

std::string MedianText(const gate::Snapshot& run) {
  const std::optional<double> median = gate::MedianIteration(run);
  return median ? FormatDuration(*median) : "not recorded";
}

}  // namespace

Result<int> RunBaselineSave(const Options& options, Console& console) {
  if (options.out_dir.empty()) {
    return Fail(UsageError("usage/no-output", "`baseline save` needs a file to write to",
                           "`profgauge baseline save PROFILE -o baseline.json`"));
  }
  const std::optional<rules::Policy> policy = KeepingPolicy(options, console);
  if (!policy) return kExitUsage;
  Outputs outputs(KeptBy(options, &*policy));
  PROFGAUGE_TRY(const std::size_t output, outputs.Open(options.out_dir, FileKind::kBaseline));
  PROFGAUGE_TRY(const std::vector<gate::Snapshot> runs,
                LoadAllSnapshots(options.arguments, options, *policy, console));
  PROFGAUGE_CHECK(RefuseMixed(runs, options, console));
  if (const auto why = WhyNotReplaced(runs, options)) {
    Error error = InputError(
        options.out_dir, "baseline/replaced", *why,
        "repair the iteration markers, or pass --accept REASON; the file was not changed");
    return Fail(std::move(error));
  }
  const std::string bytes = gate::WriteBaseline(runs);
  PROFGAUGE_CHECK(outputs.Commit(output, bytes));
  if (options.out_dir != "-") {
    console.Say(fmt::format("wrote {} ({}, {})", options.out_dir,
                            FormatBytes(static_cast<double>(bytes.size())),
                            runs.size() == 1 ? "1 run" : fmt::format("{} runs", runs.size())));
  }
  return kExitPass;
}

// Also accepts profiles and histories, like `compare`, and shows the baseline they would make.
Result<int> RunBaselineShow(const Options& options, Console& console) {
  PROFGAUGE_TRY(const std::vector<gate::Snapshot> runs,
                LoadAllSnapshots(options.arguments, options, {}, console));
  std::string text;
  JsonList list("baseline-show");
  for (const gate::Snapshot& run : runs) {
    text += fmt::format("{}\n  format      {}\n  source      {}\n", Printable(run.name),
                        Printable(run.format), Printable(run.source));
    text +=
        fmt::format("  iterations  {}, median {}\n", run.iteration_times.size(), MedianText(run));
    for (const auto& [property, value] : run.environment) {
      text += fmt::format("  {:<10}  {}\n", Printable(property), Printable(value));
    }
    text += fmt::format("  metrics     {}, parts {}\n", run.metrics.size(), run.parts.size());
    JsonWriter& row = list.Row();
    row.Field("name", run.name);
    row.Field("format", run.format);
    row.Field("source", run.source);
    row.Field("iterations", static_cast<std::int64_t>(run.iteration_times.size()));
    const std::optional<double> median = gate::MedianIteration(run);
    RealOrNull(row, "median", median ? &*median : nullptr);
    row.Field("median_text", MedianText(run));
    row.Key("environment");
    row.BeginObject();
    for (const auto& [property, value] : run.environment) row.Field(property, value);
    row.EndObject();
    row.Key("metrics");
    row.BeginObject();
    for (const auto& [id, value] : run.metrics) row.Key(id), row.Real(value);
    row.EndObject();
  }
  return PrintList(options, text, std::move(list), console);
}

}  // namespace profgauge::cli
