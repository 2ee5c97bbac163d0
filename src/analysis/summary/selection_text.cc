#include <fmt/format.h>

#include "analysis/summary/analyze_run.h"
#include "analysis/summary/rank_summary.h"
#include "base/hashes.h"
#include "knowledge/thresholds.h"

namespace profgauge::analysis::summary {
namespace {

/// Names and devices that a project knows, by hash: they change numbers.
std::string KnowledgeText(const classify::Knowledge& knowledge) {
  if (knowledge.kernel_names.empty() && knowledge.devices.empty() &&
      !knowledge.undecided_use_tensor_cores &&
      knowledge.thresholds == knowledge::TunableThresholds{}) {
    return {};
  }
  std::string all;
  for (const classify::KernelNameRule& rule : knowledge.kernel_names) {
    all += fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\n", rule.id, rule.matches, rule.except,
                       static_cast<int>(rule.tensor_core), static_cast<int>(rule.communication),
                       static_cast<int>(rule.kind));
  }
  for (const KnownDevice& device : knowledge.devices) {
    const Gpu& gpu = device.properties;
    all += fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\n", device.match, gpu.name, gpu.sms,
                       gpu.memory, gpu.compute_major, gpu.compute_minor,
                       device.peaks.memory_bandwidth);
    for (const auto& [type, rate] : device.peaks.flop_rate) {
      all += fmt::format("{}\x1f{}\n", type, rate);
    }
  }
  if (knowledge.undecided_use_tensor_cores) all += "upper_bound\n";
  for (const knowledge::ThresholdRow& row : knowledge::Thresholds()) {
    if (row.IsChanged(knowledge.thresholds)) {
      all += fmt::format("{}\x1f{}\n", row.id, row.get(knowledge.thresholds));
    }
  }
  ContentHash hash;
  hash.Add(all);
  return " knowledge=" + hash.Hex();
}

// Which of the marked iterations count, and the project's knowledge.
std::string ChosenText(const Selection& selection, std::string text) {
  const auto add = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  };
  if (selection.start_number) {
    add("start", fmt::format("#{}", *selection.start_number));
  } else if (selection.start >= 0) {
    add("start", std::to_string(selection.start));
  }
  if (selection.stop_number) {
    add("stop", fmt::format("#{}", *selection.stop_number));
  } else if (selection.stop >= 0) {
    add("stop", std::to_string(selection.stop));
  }
  if (selection.warmup > 0) add("warmup", std::to_string(selection.warmup));
  return text;
}

std::string OrAll(const std::string& text) {
  return text.empty() ? std::string(kAllIterations) : text;
}

}  // namespace

std::string SelectionText(const Selection& selection) {
  std::string text;
  if (!selection.iteration_marker.empty()) text += "marker=" + selection.iteration_marker;
  if (!selection.key_op.empty()) {
    text += fmt::format("{}key_op={}", text.empty() ? "" : " ", selection.key_op);
  }
  text = ChosenText(selection, std::move(text));
  if (selection.range) {
    text += fmt::format("{}range={}:{}", text.empty() ? "" : " ", selection.range->start,
                        selection.range->end);
  }
  return OrAll(text + KnowledgeText(selection.knowledge));
}

std::string ComparedSelection(const Selection& selection) {
  const std::string knowledge = KnowledgeText(selection.knowledge);
  const std::string chosen = OrAll(ChosenText(selection, {}));
  return chosen + knowledge;
}

}  // namespace profgauge::analysis::summary
