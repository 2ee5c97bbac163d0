// The profile's certificate: whether it can be trusted, check by check.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge {

enum class Trust : std::uint8_t {
  kWhole,    ///< Nothing is known against it.
  kLimited,  ///< Values that a check affects are uncertain.
  kNone,     ///< Data was lost: no verdict.
};
inline constexpr std::array<std::string_view, 3> kTrustNames = {"whole", "limited", "none"};
constexpr std::string_view NameOf(Trust trust) {
  return kTrustNames[static_cast<std::size_t>(trust)];
}

enum class CheckState : std::uint8_t { kOk, kDoubt, kLost, kUnknown };
inline constexpr std::array<std::string_view, 4> kCheckStateNames = {"ok", "doubt", "lost",
                                                                     "unknown"};
constexpr std::string_view NameOf(CheckState state) {
  return kCheckStateNames[static_cast<std::size_t>(state)];
}

struct CertificateCheck {
  std::string id;  ///< "kernels-lost"
  std::string title;
  CheckState state = CheckState::kOk;
  std::int64_t count = 0, of = 0;         ///< How many cases, of how many; 0: not counted.
  std::string text = {};                  ///< The result of the check; empty if there is no fault.
  std::vector<std::string> affects = {};  ///< Of "time", "idle", "kernels", "communication", …
  std::string advice = {};                ///< What to do; may be empty.
};

struct Certificate {
  Trust trust = Trust::kWhole;
  std::vector<CertificateCheck> checks;  ///< All, in a fixed order; empty: none was made.
};

}  // namespace profgauge
