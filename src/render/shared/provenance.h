// The provenance of a report, as a page or text lists it: the first of many inputs.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "report/report.h"

namespace profgauge::render {

inline constexpr std::size_t kListedInputs = 24;

/// Report::provenance with the first kListedInputs inputs; of the others how many there are.
inline std::vector<std::pair<std::string, std::string>> ListedProvenance(
    const report::Report& report) {
  std::vector<std::pair<std::string, std::string>> listed;
  std::size_t inputs = 0, last = 0;
  for (const auto& [name, text] : report.provenance) {
    const bool is_input = name.starts_with("input ");
    inputs += is_input ? 1 : 0;
    if (is_input && inputs > kListedInputs) continue;
    listed.emplace_back(name, text);
    if (is_input) last = listed.size();
  }
  if (inputs > kListedInputs) {
    const auto more = static_cast<std::int64_t>(inputs - kListedInputs);
    listed.emplace(listed.begin() + static_cast<std::ptrdiff_t>(last), "more inputs",
                   fmt::format("{}; report.json has the hashes of all", FormatCount(more)));
  }
  return listed;
}

}  // namespace profgauge::render
