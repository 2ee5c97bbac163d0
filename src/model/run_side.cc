#include "model/run_side.h"

#include <array>
#include <cstddef>

#include "model/profile.h"

namespace profgauge {
namespace {

constexpr std::array<std::string_view, 5> kClocks = {"host", "device_event", "fetch", "window",
                                                     "reported"};

}  // namespace

std::string_view NameOf(StepClock clock) { return kClocks[static_cast<std::size_t>(clock)]; }

std::optional<StepClock> FindStepClock(std::string_view name) {
  for (std::size_t i = 0; i < kClocks.size(); ++i) {
    if (kClocks[i] == name) return static_cast<StepClock>(i);
  }
  return std::nullopt;
}

std::string_view TextOf(RunCarrier carrier) {
  switch (carrier) {
    case RunCarrier::kInside:
      return "inside the profile";
    case RunCarrier::kBeside:
      return "a file beside the profile";
    case RunCarrier::kItself:
      return "the file";
    case RunCarrier::kNamed:
      break;
  }
  return "`--step-times`";
}

std::span<const RunDevice> DevicesOf(const RunSide& side) {
  if (!side.logged.empty() || !side.document) return side.logged;
  return side.document->devices;
}

bool IsOfTimes(const Profile& profile) {
  return profile.run_side != nullptr && profile.run_side->carrier == RunCarrier::kItself;
}

bool IsPowerCap(std::string_view reason) { return reason.find("power_cap") != reason.npos; }

bool IsThrottle(std::string_view reason) {
  return reason.find("thermal") != reason.npos || reason.find("hw_") != reason.npos ||
         reason.find("power_brake") != reason.npos;
}

}  // namespace profgauge
