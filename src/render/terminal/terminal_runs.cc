// Several runs for a terminal: their verdicts below each other, then every two against each other.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "render/shared/render_runs.h"
#include "render/shared/words.h"

namespace profgauge::render {
namespace {

constexpr std::size_t kRunNameWidth = 40;

std::string NameOf(const report::Report& run) {
  return PrintableShort(run.profile.name, kRunNameWidth);
}

std::string Pairs(const report::Runs& runs) {
  std::vector<std::string> heads;
  std::size_t width = 0;
  for (const report::Runs::Pair& pair : runs.pairs) {
    heads.push_back(fmt::format("{} against {}", NameOf(runs.runs[pair.current]),
                                NameOf(runs.runs[pair.base])));
    width = std::max(width, CharactersIn(heads.back()));
  }
  std::string out;
  for (std::size_t i = 0; i < runs.pairs.size(); ++i) {
    std::string line = RenderComparison(runs.pairs[i].report, -1);
    if (line.ends_with('\n')) line.pop_back();
    const auto& comparison = runs.pairs[i].report.comparison;
    if (comparison && !comparison->comparable) line += "; not comparable";
    out += fmt::format("{}  {}\n", Padded(heads[i], width), line);
  }
  return out;
}

}  // namespace

std::string RenderRunsTerminal(const report::Runs& runs, const TerminalOptions& options) {
  std::string out;
  std::size_t width = 0;
  for (const report::Report& run : runs.runs) width = std::max(width, CharactersIn(NameOf(run)));
  TerminalOptions each = options;
  if (each.verbosity <= 0) each.verbosity = -1;
  for (const report::Report& run : runs.runs) {
    if (each.verbosity < 0) out += Padded(NameOf(run), width) + "  ";
    out += RenderTerminal(run, each);
    if (each.verbosity > 0) out += "\n";
  }
  if (options.verbosity < 0) return out;
  return out + (each.verbosity < 0 ? "\n" : "") + Pairs(runs);
}

}  // namespace profgauge::render
