#include "gate/doubts.h"

#include <cstdint>
#include <string_view>

#include "analysis/communication/clocks.h"
#include "analysis/context/markers.h"
#include "analysis/recording/unrecorded.h"
#include "base/metric_id.h"

namespace profgauge {
namespace {

// Whether none may accept it, those who accept an incomplete profile may, or this many ranks do.
enum class Accepted : std::uint8_t { kNever, kIncomplete, kMissingRanks };

struct Doubt {
  std::string_view remark;
  Accepted accepted;
};
constexpr Doubt kDoubts[] = {
    {kIterationsLost, Accepted::kIncomplete},     {kIterationsPartial, Accepted::kIncomplete},
    {kMarkersDisplaced, Accepted::kIncomplete},   {kProcessesApart, Accepted::kIncomplete},
    {kWorkOutside, Accepted::kIncomplete},        {kRanksWithoutMarkers, Accepted::kIncomplete},
    {kRanksWithoutWork, Accepted::kMissingRanks}, {kRanksApart, Accepted::kNever},
    {kRunContradicts, Accepted::kNever},
};

bool MayLackRanks(const Policy& policy, const Analysis& analysis) {
  const Metric* without = analysis.Find(metric::kProfileRanksWithoutWork);
  return without != nullptr && !IsAbsent(without->value) &&
         AsNumber(without->value, 0) <= static_cast<double>(policy.ranks.allow_missing);
}

}  // namespace

std::vector<std::string> DoubtsOf(const Policy& policy, const Analysis& analysis,
                                  bool allow_incomplete) {
  std::vector<std::string> doubts;
  for (const Remark& remark : analysis.remarks) {
    for (const Doubt& doubt : kDoubts) {
      if (remark.id != doubt.remark) continue;
      const bool is_accepted = doubt.accepted != Accepted::kNever &&
                               (allow_incomplete || (doubt.accepted == Accepted::kMissingRanks &&
                                                     MayLackRanks(policy, analysis)));
      if (!is_accepted) doubts.push_back(remark.text);
    }
  }
  return doubts;
}

}  // namespace profgauge
