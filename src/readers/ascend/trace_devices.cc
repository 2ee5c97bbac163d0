// Which device a process of trace_view.json is. For each kind of process (Ascend Hardware,
// Communication, Overlap Analysis), the first that gives each a different number:
//
//   labels        "NPU 0", "NPU 1"                   0, 1
//   low bits      pid 4376751040, 4376751041 & 31    0, 1; of several processes only
//   order         of appearance                      0, 1, ...
//
// The first kind that has processes says which NPUs there are. Another kind whose numbers are not
// among them is assigned by order.
#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>
#include <set>

#include "base/text.h"
#include "knowledge/ascend.h"
#include "knowledge/loss.h"
#include "readers/ascend/kernel_details.h"
#include "readers/ascend/trace_view.h"
#include "readers/text/numbers.h"

namespace profgauge::readers::ascend {
namespace {

/// 3 of "NPU 3".
std::optional<std::int32_t> NumberOfLabel(std::string_view label) {
  constexpr std::string_view kName = "NPU";
  constexpr std::int64_t kMostNpus = 1 << 16;
  const auto at = label.find(kName);
  if (at == label.npos) return std::nullopt;
  const auto number = ParseInteger(Trim(label.substr(at + kName.size())));
  if (!number || *number < 0 || *number >= kMostNpus) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

// Each has a number, and all are different.
bool AreUnlike(const std::vector<std::int32_t>& numbers, std::size_t count) {
  const std::set<std::int32_t> unlike(numbers.begin(), numbers.end());
  return numbers.size() == count && unlike.size() == count;
}

}  // namespace

std::vector<std::int32_t> TraceView::NumbersOf(const std::vector<std::string>& processes) const {
  std::vector<std::int32_t> labelled, low;
  for (const std::string& process : processes) {
    const auto label = process_labels_.find(process);
    if (label != process_labels_.end()) {
      if (const auto number = NumberOfLabel(label->second)) labelled.push_back(*number);
    }
    // CANN's tools give a process the NPU's number as its last bits.
    constexpr std::int64_t kNumberBits = 31;
    if (const auto number = ParseInteger(process)) {
      low.push_back(static_cast<std::int32_t>(*number & kNumberBits));
    }
  }
  if (AreUnlike(labelled, processes.size())) return labelled;
  if (processes.size() > 1 && AreUnlike(low, processes.size())) return low;
  std::vector<std::int32_t> order(processes.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// If the numbers of one kind are not those of the NPUs, their order decides; rows of no
// NPU are assigned to the first one.
void TraceView::FindDevices() {
  for (const Process kind : {Process::kDevice, Process::kCommunication, Process::kDerived}) {
    std::vector<std::string> processes;
    for (const std::string& process : processes_) {
      if (ProcessOf(process) == kind) processes.push_back(process);
    }
    const auto numbers = NumbersOf(processes);
    if (npus_.empty()) npus_ = numbers;
    const auto is_known = [&](std::int32_t number) {
      return std::find(npus_.begin(), npus_.end(), number) != npus_.end();
    };
    const bool known = std::all_of(numbers.begin(), numbers.end(), is_known);
    for (std::size_t i = 0; i < processes.size(); ++i) {
      devices_[processes[i]] = known ? numbers[i] : npus_[i < npus_.size() ? i : 0];
    }
  }
}

std::int32_t TraceView::DeviceOf(Place place) const {
  const auto found = devices_.find(places_[place].first);
  return found == devices_.end() ? 0 : found->second;
}

}  // namespace profgauge::readers::ascend
