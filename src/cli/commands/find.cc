// `profgauge find DIR`: the runs below a folder, and the command that judges each.
#include <fmt/format.h>

#include <chrono>
#include <string>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/find_runs.h"
#include "cli/outputs.h"
#include "render/json/json_writer.h"

namespace profgauge::cli {
namespace {

/// "2026-11-26 17:04:17", in UTC.
std::string TimeText(std::int64_t time) {
  const std::chrono::sys_seconds second{std::chrono::seconds(time / 1'000'000'000)};
  const auto day = std::chrono::floor<std::chrono::days>(second);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss of_day(second - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     of_day.hours().count(), of_day.minutes().count(), of_day.seconds().count());
}

// "3 of 4 ranks" where a file states how many there are; else only the files can be counted.
std::string RanksText(const FoundRun& run) {
  const std::size_t files = run.files.size();
  if (run.world_size) return fmt::format("{} of {} ranks", run.ranks.size(), *run.world_size);
  return fmt::format("{} {}", files, files == 1 ? "file" : "files");
}

//   runs/step-20/rank*_trace.json
//     FORMAT · 4 of 4 ranks · step 20 · 2026-11-26 17:04:17 UTC
//     profgauge check runs/step-20
std::string ListOf(const FoundRuns& found) {
  std::string out;
  for (const FoundRun& run : found.runs) {
    out += fmt::format("{}\n  {} · {}", Printable(run.name), run.format, RanksText(run));
    if (run.step) out += fmt::format(" · step {}", *run.step);
    if (run.time) out += fmt::format(" · {} UTC", TimeText(*run.time));
    out += fmt::format("\n  {}\n", run.command);
  }
  return out;
}

std::string JsonOf(const FoundRuns& found, const std::string& folder) {
  render::JsonWriter out;
  out.BeginObject();
  out.Field("schema", std::int64_t{1});
  out.Field("kind", "profgauge.runs");
  out.Field("folder", folder);
  out.Key("runs");
  out.BeginArray();
  for (const FoundRun& run : found.runs) {
    out.BeginObject();
    out.Field("name", run.name);
    out.Field("format", run.format);
    if (run.step) out.Field("step", *run.step);
    if (run.time) out.Field("time", *run.time);
    if (run.world_size) out.Field("world_size", *run.world_size);
    if (const auto complete = run.IsComplete()) out.Key("complete"), out.Bool(*complete);
    out.Key("ranks");
    out.BeginArray(render::JsonWriter::Style::kInline);
    for (const std::int64_t rank : run.ranks) out.Integer(rank);
    out.EndArray();
    out.Key("files");
    out.BeginArray();
    for (const std::string& file : run.files) out.Text(file);
    out.EndArray();
    out.Field("command", run.command);
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
  return out.Take();
}

}  // namespace

Result<int> RunFind(const Options& options, Console& console) {
  const std::string& folder = options.arguments.front();
  Outputs outputs(KeptBy(options));
  std::size_t output = 0;
  if (options.outputs.Has(OutputKind::kJson)) {
    PROFGAUGE_TRY(output, outputs.Open(options.outputs[OutputKind::kJson], FileKind::kRuns));
  }
  PROFGAUGE_TRY(const Part part, ParsePart(options.part));
  PROFGAUGE_TRY(FoundRuns found, FindRuns(folder));
  if (!found.is_whole) {
    console.Say("note: there are more than 100000 names below the folder; the rest was not read");
  }
  if (found.runs.empty()) return Fail(NotOneRun(found, folder));
  FoundRuns own;
  for (std::size_t i = 0; i < found.runs.size(); ++i) {
    if (part.Has(i)) own.runs.push_back(std::move(found.runs[i]));
  }
  if (options.outputs[OutputKind::kJson] != "-") console.Print(ListOf(own));
  if (options.outputs.Has(OutputKind::kJson))
    PROFGAUGE_CHECK(outputs.Commit(output, JsonOf(own, folder)));
  return kExitPass;
}

}  // namespace profgauge::cli
