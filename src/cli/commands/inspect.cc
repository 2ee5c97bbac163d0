// `profgauge inspect`: the contents of a file, without judging it, and the reasons of decisions of
// the analysis.
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_list.h"
#include "cli/reading.h"
#include "cli/stats.h"
#include "cli/text/describe.h"
#include "model/summary/summary.h"

namespace profgauge::cli {
namespace {

// A row of --json; unknown ranks and sizes have no key.
void DescribeProfile(const Profile& profile, render::JsonWriter& row) {
  row.Field("path", profile.source.path);
  row.Field("format", profile.source.format);
  row.OptionalField("dialect", profile.source.dialect);
  row.Field("bytes", static_cast<std::int64_t>(profile.source.bytes));
  row.Field("hash", profile.source.hash);
  if (profile.distributed.rank >= 0) row.Field("rank", profile.distributed.rank);
  if (profile.distributed.world_size >= 0) row.Field("world_size", profile.distributed.world_size);
  row.Field("device_events", static_cast<std::int64_t>(profile.device.size()));
  row.Field("host_events", static_cast<std::int64_t>(profile.host.size()));
  row.Field("calls", static_cast<std::int64_t>(profile.api.size()));
  row.Key("devices");
  row.BeginArray();
  for (const Gpu& gpu : profile.gpus) {
    row.BeginObject(render::JsonWriter::Style::kInline);
    row.Field("id", std::int64_t{gpu.id});
    row.OptionalField("name", gpu.name);
    row.EndObject();
  }
  row.EndArray();
}

}  // namespace

// A summary has other facts than a profile, and gets a text of its kind.
Result<int> RunInspect(const Options& options, Console& console) {
  Stats stats;
  PROFGAUGE_TRY(const std::vector<Profile> ranks, ReadProfiles(options, console));
  stats.EndPhase("read");
  if (!options.explain.empty()) {
    JsonList list("inspect-" + options.explain);
    PROFGAUGE_TRY(const std::string reasons, ExplainDecision(options.explain, ranks, list));
    return PrintList(options, reasons, std::move(list), console);
  }
  std::string text;
  JsonList list("inspect");
  for (const Profile& profile : ranks) {
    if (&profile != &ranks.front()) text += '\n';
    const auto summary = SummaryOf(profile);
    text += summary ? DescribeSummary(*summary, profile.source.path) : DescribeProfile(profile);
    DescribeProfile(profile, list.Row());
  }
  PROFGAUGE_TRY(const int exit_code, PrintList(options, text, std::move(list), console));
  stats.EndPhase("describe");
  if (options.verbosity > 0) console.Warn(stats.Table());
  return exit_code;
}

}  // namespace profgauge::cli
