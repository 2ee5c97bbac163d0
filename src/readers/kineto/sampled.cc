#include "readers/kineto/sampled.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/metric_id.h"
#include "base/text.h"
#include "readers/hardware_counters.h"
#include "readers/kineto/rows.h"

namespace profgauge::readers::kineto {
namespace {

struct Kind {
  std::string_view prefix;
  MetricId metric;
};
// If a file has several counters of one metric, the first of this list counts.
constexpr Kind kKinds[] = {
    {"sm__inst_executed_pipe_tensor", metric::kGpuMeasuredTensorActive},
    {"sm__pipe_tensor_cycles_active", metric::kGpuMeasuredTensorActive},
    {"sm__cycles_active", metric::kGpuMeasuredSmActive},
    {"dram__throughput", metric::kGpuMeasuredDram},
};
// The limit of counters that are kept, against hostile files.
constexpr std::size_t kMostCounters = 64;

const Kind* KindOf(std::string_view name) {
  // Other counters with these prefixes are sums or counts, not shares of a peak.
  if (name.find(".pct_of_peak") == name.npos) return nullptr;
  const auto found = std::find_if(std::begin(kKinds), std::end(kKinds), [name](const Kind& kind) {
    return name.starts_with(kind.prefix);
  });
  return found == std::end(kKinds) ? nullptr : found;
}

std::string SamplesText(std::uint64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "sample" : "samples");
}

// Formats "sm__a, sm__b (755 samples each)", or each name with its own number of samples.
std::string NamesOf(const std::map<std::string, std::uint64_t>& counters) {
  constexpr std::size_t kMostNamed = 8, kNameShown = 100;
  const bool are_equal = std::all_of(counters.begin(), counters.end(), [&](const auto& one) {
    return one.second == counters.begin()->second;
  });
  std::string text;
  std::size_t named = 0;
  for (const auto& [name, samples] : counters) {
    if (named == kMostNamed) break;
    text += fmt::format("{}{}", named++ == 0 ? "" : ", ", PrintableShort(name, kNameShown));
    if (!are_equal) text += fmt::format(" ({})", SamplesText(samples));
  }
  if (counters.size() > named) text += fmt::format(" and {} more", counters.size() - named);
  if (!are_equal) return text;
  return text + fmt::format(" ({}{})", SamplesText(counters.begin()->second),
                            counters.size() > 1 ? " each" : "");
}

}  // namespace

bool IsReadCounter(std::string_view name) { return KindOf(name) != nullptr; }

void SampledCounters::Take(const Rows& rows) {
  for (const auto& [name, samples] : rows.unread_counters) {
    const bool is_named = unread_.size() < kMostCounters || unread_.contains(name);
    unread_[is_named ? name : std::string(kOtherCounters)] += samples;
  }
  std::vector<std::vector<Sample>*> places;
  for (const std::string& name : rows.counters) places.push_back(&read_[name]);
  for (const SampleRow& row : rows.samples) {
    places[row.counter]->push_back({row.gpu, row.time, row.percent});
  }
  for (const DeviceRow& row : rows.device) {
    const Ns end = row.start + row.duration;
    const auto [worked, is_new] = worked_.try_emplace(row.gpu, Span{row.start, end});
    if (is_new) continue;
    worked->second.start = std::min(worked->second.start, row.start);
    worked->second.end = std::max(worked->second.end, end);
  }
}

void SampledCounters::Finish(ProfileBuilder& builder) const {
  // Chooses one counter for each metric: the first kind in kKinds, then the shortest name.
  std::map<std::string_view, std::pair<std::size_t, std::string>> chosen;
  std::map<std::string, std::uint64_t> unread = unread_;
  for (const auto& [name, samples] : read_) {
    const Kind* kind = KindOf(name);
    const std::pair<std::size_t, std::string> rank = {
        static_cast<std::size_t>(kind - kKinds) * 1'000 + std::min<std::size_t>(name.size(), 999),
        name};
    const auto [best, is_new] = chosen.try_emplace(kind->metric.text(), rank);
    if (!is_new && rank < best->second) best->second = rank;
  }
  HardwareCounters counters;
  for (const auto& [name, samples] : read_) {
    const Kind* kind = KindOf(name);
    if (chosen.at(kind->metric.text()).second != name) {
      unread[name] += samples.size();
      continue;
    }
    for (const Sample& sample : samples) {
      const auto worked = worked_.find(sample.gpu);
      const bool at_work = worked != worked_.end() && sample.time >= worked->second.start &&
                           sample.time <= worked->second.end;
      counters.Add(kind->metric, sample.percent, at_work);
    }
  }
  counters.State(builder);
  if (unread.empty()) return;
  builder.log().AddAt(Counter::hardware_counters_unread, NamesOf(unread));
  builder.log().Add(Counter::hardware_counters_unread, unread.size() - 1);
}

}  // namespace profgauge::readers::kineto
