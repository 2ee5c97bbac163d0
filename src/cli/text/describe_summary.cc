#include <fmt/core.h>

#include <iterator>

#include "analysis/summary/rank_summary.h"
#include "base/format.h"
#include "base/text.h"
#include "cli/text/describe.h"

namespace profgauge::cli {
namespace {

void AddEntry(std::string& text, std::string_view label, std::string_view value) {
  fmt::format_to(std::back_inserter(text), "  {:<13} {}\n", label, value);
}

std::string Count(std::size_t count) { return FormatCount(static_cast<std::int64_t>(count)); }

}  // namespace

std::string DescribeSummary(const Summary& summary, const std::string& path) {
  std::string text = Printable(path) + "\n";
  const auto rank = analysis::summary::ReadRankSummary(summary, path);
  if (!rank) {
    AddEntry(text, "summary", "damaged: data that this version needs is missing");
    return text;
  }
  const Profile& profile = rank->profile;
  const analysis::communication::RankFacts& facts = rank->communication;
  AddEntry(text, "summary of",
           fmt::format("rank {}{}", facts.rank,
                       facts.world_size > 0 ? fmt::format(" of {}", facts.world_size) : ""));
  AddEntry(text, "made of",
           fmt::format("{}, {}, {}", Printable(profile.source.format),
                       FormatBytes(static_cast<double>(profile.source.bytes)),
                       Printable(profile.source.hash)));
  AddEntry(text, "selection", Printable(rank->selection));
  AddEntry(text, "iterations",
           fmt::format("{} by {}, {}", rank->iterations.all.size(),
                       Printable(rank->iterations.source.Text()),
                       FormatDuration(static_cast<double>(facts.step_time()))));
  AddEntry(text, "GPUs",
           fmt::format("{} with work of {}", Count(rank->gpus.size()),
                       FormatCount(rank->times.gpus_listed)));
  AddEntry(text, "groups", Count(facts.groups.size()));
  AddEntry(text, "collectives", Count(facts.calls.size()));
  AddEntry(text, "kernels", fmt::format("{} names and shapes", Count(facts.kernels.size())));
  AddEntry(text, "size", FormatBytes(static_cast<double>(EncodeSummary(summary).size())));
  return text;
}

}  // namespace profgauge::cli
