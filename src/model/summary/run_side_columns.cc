#include "model/summary/run_side_columns.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace profgauge {
namespace {

constexpr std::size_t kHeadNumbers = 6;  // Of "unrecorded": one per number below.
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::int64_t CountOf(std::size_t size) { return static_cast<std::int64_t>(size); }

void AddSums(const std::vector<StepSum>& sums, std::vector<std::int64_t>& out) {
  for (const StepSum& sum : sums) {
    for (const std::int64_t number : {sum.first, sum.steps, sum.length}) out.push_back(number);
  }
}

std::vector<StepSum> SumsOf(const std::vector<std::int64_t>& numbers) {
  std::vector<StepSum> sums;
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
    const StepSum sum{numbers[i], numbers[i + 1], numbers[i + 2]};
    const bool is_one = sum.first >= 0 && sum.steps > 0 && sum.steps < kMostStepLength &&
                        sum.length > 0 && sum.length / sum.steps <= kMostStepLength;
    if (is_one) sums.push_back(sum);
  }
  return sums;
}

void AddRanges(const std::vector<StepRange>& ranges, const char* column, Summary& summary) {
  for (const StepRange& range : ranges) {
    summary.numbers[column].push_back(range.first);
    summary.numbers[column].push_back(range.last);
    summary.texts[column].push_back(range.word);
  }
}

std::vector<StepRange> RangesOf(const char* column, const Summary& summary) {
  const auto& ends = summary.Numbers(column);
  const auto& words = summary.Texts(column);
  std::vector<StepRange> ranges;
  for (std::size_t i = 0; i < words.size() && 2 * i + 1 < ends.size(); ++i) {
    ranges.push_back({ends[2 * i], ends[2 * i + 1], words[i]});
  }
  return ranges;
}

constexpr std::string_view kConditionNames[] = {"sm_mhz",  "memory_mhz",      "watts",
                                                "celsius", "ecc_uncorrected", "other_processes"};
constexpr std::size_t kDeviceNumbers = 2 + 4 * std::size(kConditionNames);

/// For each device: its number, whether it knows its reasons, and four numbers per condition.
void AddDevices(std::span<const RunDevice> devices, Summary& summary) {
  for (const RunDevice& device : devices) {
    auto& numbers = summary.numbers["unrecorded.devices"];
    const auto place = CountOf(numbers.size() / kDeviceNumbers);
    numbers.push_back(device.id);
    numbers.push_back(device.knows_reasons ? 1 : 0);
    for (const std::string_view name : kConditionNames) {
      const auto found = device.conditions.find(name);
      const DeviceCondition one = found != device.conditions.end()
                                      ? found->second
                                      : DeviceCondition{kNan, kNan, kNan, kNan};
      for (const double number : {one.median, one.least, one.most, one.limit}) {
        numbers.push_back(std::bit_cast<std::int64_t>(number));
      }
    }
    for (const auto& [reason, share] : device.reasons) {
      summary.texts["unrecorded.reasons"].push_back(reason);
      summary.numbers["unrecorded.reasons"].push_back(place);
      summary.numbers["unrecorded.reasons"].push_back(std::bit_cast<std::int64_t>(share));
    }
  }
}

std::vector<RunDevice> DevicesIn(const Summary& summary) {
  const auto& numbers = summary.Numbers("unrecorded.devices");
  std::vector<RunDevice> devices(numbers.size() / kDeviceNumbers);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::int64_t* at = numbers.data() + i * kDeviceNumbers;
    devices[i].id = at[0];
    devices[i].knows_reasons = at[1] != 0;
    at += 2;
    for (const std::string_view name : kConditionNames) {
      const auto number = [&] { return std::bit_cast<double>(*at++); };
      DeviceCondition one{};
      for (double* part : {&one.median, &one.least, &one.most, &one.limit}) *part = number();
      if (std::isfinite(one.median)) devices[i].conditions.emplace(name, one);
    }
  }
  const auto& reasons = summary.Texts("unrecorded.reasons");
  const auto& shares = summary.Numbers("unrecorded.reasons");
  for (std::size_t i = 0; i < reasons.size() && 2 * i + 1 < shares.size(); ++i) {
    const auto share = std::bit_cast<double>(shares[2 * i + 1]);
    const std::int64_t place = shares[2 * i];
    if (place < 0 || place >= CountOf(devices.size()) || !(share >= 0 && share <= 1)) continue;
    devices[static_cast<std::size_t>(place)].reasons[reasons[i]] = share;
  }
  return devices;
}

std::shared_ptr<const RunSide> OnlyDevices(std::vector<RunDevice> devices) {
  if (devices.empty()) return nullptr;
  auto side = std::make_shared<RunSide>();
  side->logged = std::move(devices);
  return side;
}

}  // namespace

void AddRunSide(const Profile& profile, Summary& summary) {
  if (profile.run_side == nullptr) return;
  AddDevices(DevicesOf(*profile.run_side), summary);
  if (!profile.run_side->document) return;
  const RunSide& side = *profile.run_side;
  const RunDocument& document = *side.document;
  summary.numbers["unrecorded"] = {static_cast<std::int64_t>(side.carrier),
                                   side.is_of_process ? 1 : 0,
                                   static_cast<std::int64_t>(document.clock),
                                   document.is_attached ? 1 : 0,
                                   document.rank,
                                   document.world_size};
  for (const StepSegment& segment : document.segments) {
    summary.numbers["unrecorded.first"].push_back(segment.first);
    summary.numbers["unrecorded.count"].push_back(CountOf(segment.lengths.size()));
    auto& lengths = summary.numbers["unrecorded.lengths"];
    lengths.insert(lengths.end(), segment.lengths.begin(), segment.lengths.end());
  }
  if (!document.batches.empty()) AddSums(document.batches, summary.numbers["unrecorded.batches"]);
  AddRanges(document.marks, "unrecorded.marks", summary);
  AddRanges(document.recorded, "unrecorded.recorded", summary);
  for (const auto& [name, amount] : document.work) {
    summary.texts["unrecorded.work"].push_back(name);
    summary.numbers["unrecorded.work"].push_back(std::bit_cast<std::int64_t>(amount));
  }
  summary.texts["unrecorded.commit"] = {document.commit};
}

//   unrecorded           carrier | of the process | clock | attached | rank | ranks
//   unrecorded.first     0        500        the first iteration of each segment
//   unrecorded.count     3        2          how many it has
//   unrecorded.lengths   9 8 8    9 9        lengths of all segments, concatenated
std::shared_ptr<const RunSide> RunSideOf(const Summary& summary) {
  const auto& head = summary.Numbers("unrecorded");
  if (head.size() != kHeadNumbers || head[0] < 0 || head[0] > 2 || head[2] < 0 || head[2] > 4) {
    return OnlyDevices(DevicesIn(summary));
  }
  auto side = std::make_shared<RunSide>();
  side->logged = DevicesIn(summary);
  side->carrier = static_cast<RunCarrier>(head[0]);
  side->is_of_process = head[1] != 0;
  RunDocument& document = side->document.emplace();
  document.clock = static_cast<StepClock>(head[2]);
  document.is_attached = head[3] != 0;
  document.rank = head[4];
  document.world_size = head[5];
  const auto& firsts = summary.Numbers("unrecorded.first");
  const auto& counts = summary.Numbers("unrecorded.count");
  const auto& lengths = summary.Numbers("unrecorded.lengths");
  std::size_t at = 0;
  for (std::size_t i = 0; i < std::min(firsts.size(), counts.size()); ++i) {
    if (counts[i] < 0 || static_cast<std::size_t>(counts[i]) > lengths.size() - at) return nullptr;
    const auto begin = lengths.begin() + static_cast<std::ptrdiff_t>(at);
    document.segments.push_back({firsts[i], {begin, begin + counts[i]}});
    at += static_cast<std::size_t>(counts[i]);
  }
  const bool are_lengths = std::ranges::all_of(
      lengths, [](Ns length) { return length > 0 && length <= kMostStepLength; });
  const bool are_numbers = std::ranges::all_of(
      firsts, [](std::int64_t first) { return first >= 0 && first < kMostStepLength; });
  if (!are_lengths || !are_numbers) return nullptr;
  document.batches = SumsOf(summary.Numbers("unrecorded.batches"));
  document.marks = RangesOf("unrecorded.marks", summary);
  document.recorded = RangesOf("unrecorded.recorded", summary);
  const auto& names = summary.Texts("unrecorded.work");
  const auto& amounts = summary.Numbers("unrecorded.work");
  for (std::size_t i = 0; i < std::min(names.size(), amounts.size()); ++i) {
    const auto amount = std::bit_cast<double>(amounts[i]);
    if (amount > 0 && std::isfinite(amount)) document.work.emplace(names[i], amount);
  }
  document.commit = summary.Text("unrecorded.commit");
  return side;
}

}  // namespace profgauge
