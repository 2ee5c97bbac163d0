#include "gate/changed.h"

#include "gate/change_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

constexpr std::size_t kNamedKernels = 2;
constexpr std::size_t kNameWidth = 40;
// Copies and memsets are launches, too. Smaller changes of counts are ignored: means over unequal
// iterations have fractions.
constexpr double kLeastKernels = knowledge::kGateChangedKernels.value();
constexpr std::array<std::string_view, 4> kSoftware = {"driver", "runtime", "nccl", "framework"};

std::string NamesOf(const PairedTable& table, PartChange change, std::string_view word) {
  std::string text;
  std::size_t count = 0;
  for (const PairedWork& row : table.rows) {
    if (row.change != change) continue;
    if (++count <= kNamedKernels) {
      text += (count == 1 ? "" : ", ") + PrintableShort(row.name, kNameWidth);
    }
  }
  if (count == 0) return {};
  if (count > kNamedKernels) text += fmt::format(" and {} more", count - kNamedKernels);
  return fmt::format("{}: {}", word, text);
}

std::string KernelsText(const PairedTable& table) {
  double change = 0;
  for (const PairedWork& row : table.rows) change += row.current_count - row.base_count;
  const bool has_changed = std::abs(change) >= kLeastKernels;
  std::vector<std::string> names;
  for (const auto& [kind, word] :
       {std::pair{PartChange::kAdded, "new"}, std::pair{PartChange::kRemoved, "gone"}}) {
    if (std::string text = NamesOf(table, kind, word); !text.empty()) names.push_back(text);
  }
  const std::string named = fmt::format("{}", fmt::join(names, "; "));
  if (!has_changed) return named.empty() ? "" : "kernels (" + named + ")";
  const std::string text =
      fmt::format("{}{:.3g} launch{} per iteration", change > 0 ? "+" : "−", std::abs(change),
                  std::abs(std::abs(change) - 1) < kLeastKernels ? "" : "es");
  return named.empty() ? text : text + " (" + named + ")";
}

}  // namespace

std::string ChangedLine(const RunComparison& comparison) {
  std::vector<std::string> parts;
  if (std::string kernels = KernelsText(comparison.kernels); !kernels.empty()) {
    parts.push_back(std::move(kernels));
  }
  if (!comparison.changed_inputs.empty()) {
    parts.push_back("input shapes (" + comparison.changed_inputs + ")");
  }
  for (const Difference& difference : comparison.differences) {
    const bool is_software =
        std::find(kSoftware.begin(), kSoftware.end(), difference.property) != kSoftware.end();
    if (!is_software || difference.base.empty() || difference.current.empty()) continue;
    parts.push_back(fmt::format("{} {} → {}", difference.property,
                                PrintableShort(difference.base, kNameWidth),
                                PrintableShort(difference.current, kNameWidth)));
  }
  return parts.empty() ? "" : fmt::format("changed: {}", fmt::join(parts, ", "));
}

}  // namespace profgauge::gate
