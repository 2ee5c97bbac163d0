#include "render/shared/quality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace profgauge::render {
namespace {

int WeightOfState(CheckState state) {
  switch (state) {
    case CheckState::kLost:
      return 0;
    case CheckState::kDoubt:
      return 1;
    case CheckState::kUnknown:
      return 2;
    case CheckState::kOk:
      break;
  }
  return 3;
}

}  // namespace

std::string_view TrustText(Trust trust) {
  switch (trust) {
    case Trust::kWhole:
      return "whole";
    case Trust::kLimited:
      return "limited";
    case Trust::kNone:
      break;
  }
  return "no verdict";
}

std::string_view StateText(CheckState state) {
  switch (state) {
    case CheckState::kOk:
      return "fine";
    case CheckState::kDoubt:
      return "uncertain";
    case CheckState::kLost:
      return "lost";
    case CheckState::kUnknown:
      break;
  }
  return "unknown";
}

std::string QualityText(const Certificate& recording) {
  if (recording.trust == Trust::kWhole) return {};
  const auto checks = ChecksByWeight(recording);
  const auto more = std::ranges::count_if(
      checks, [](const CertificateCheck* check) { return WeightOfState(check->state) < 2; });
  return fmt::format("{}: {}{}", TrustText(recording.trust), checks.front()->text,
                     more > 1 ? fmt::format(" (and {} more)", more - 1) : "");
}

std::vector<const CertificateCheck*> ChecksByWeight(const Certificate& recording) {
  std::vector<const CertificateCheck*> checks;
  for (const CertificateCheck& check : recording.checks) checks.push_back(&check);
  std::ranges::stable_sort(
      checks, {}, [](const CertificateCheck* check) { return WeightOfState(check->state); });
  return checks;
}

std::string FoundText(const CertificateCheck& check) {
  const bool affects = check.state == CheckState::kDoubt || check.state == CheckState::kLost;
  if (!affects || check.affects.empty()) return check.text;
  return fmt::format("{}; affects {}", check.text, fmt::join(check.affects, ", "));
}

}  // namespace profgauge::render
