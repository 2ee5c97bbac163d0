#include "analysis/context/iterations.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "analysis/classify/communication_rules.h"
#include "analysis/classify/name_memo.h"
#include "analysis/context/iteration_parts.h"
#include "base/units.h"
#include "knowledge/launches.h"

namespace profgauge::analysis::context {
namespace {

Ns EndOf(const DeviceTable& device, std::uint32_t row) {
  return device.start[row] + std::max<Ns>(device.duration[row], 0);
}

// The device rows of one stream, which are in a row.
struct StreamWork {
  std::int32_t gpu = -1;
  std::uint32_t begin = 0, end = 0;
  Ns computing = 0;  // Time of kernels that do not communicate.
};

// All streams in the order of the table: GPU, then number.
std::vector<StreamWork> StreamsOf(const Profile& profile) {
  const DeviceTable& device = profile.device;
  classify::NameMemo communicates(
      profile, [](std::string_view name) { return classify::CommunicationOf(name).has_value(); });
  std::vector<StreamWork> streams;
  std::int64_t last_stream = 0;
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    const std::int32_t gpu = device.gpu[row];
    const std::int64_t stream = device.stream[row];
    const bool is_new = streams.empty() || gpu != streams.back().gpu || stream != last_stream;
    if (is_new) streams.push_back({gpu, row, row, 0});
    last_stream = stream;
    streams.back().end = row + 1;
    if (device.kind[row] != DeviceKind::kKernel || device.collective[row].valid()) continue;
    if (communicates(device.name[row])) continue;
    streams.back().computing += std::max<Ns>(device.duration[row], 0);
  }
  return streams;
}

// Kernels of one iteration, on a GPU or on one stream.
struct IterationWork {
  Ns begin = std::numeric_limits<Ns>::max(), end = std::numeric_limits<Ns>::min();
  std::int64_t count = 0;
};

// The rest of an iteration at the profile's end is soon done.
bool IsRestOf(const IterationWork& next, const IterationWork& own) {
  return 2 * next.count < own.count;
}

// Finds the rows that extend no iteration, GPU by GPU. See WorkBehind() for the rules.
class Behind {
 public:
  Behind(const Profile& profile, std::span<const std::uint32_t> of_device)
      : device_(profile.device), api_(profile.api), of_device_(of_device) {}

  // `streams`: all of one GPU.
  void AddGpu(std::span<const StreamWork> streams) {
    const StreamWork& main = *std::max_element(
        streams.begin(), streams.end(),
        [](const StreamWork& a, const StreamWork& b) { return a.computing < b.computing; });
    const auto of_all = KernelsOf(streams);
    if (streams.size() == 1) return AddOutliving(main, of_all);
    const auto of_main = KernelsOf({&main, 1});
    for (const StreamWork& stream : streams) {
      AddOutliving(stream, of_all);
      if (main.computing > 0 && stream.begin != main.begin) AddBeside(stream, main, of_main);
    }
  }
  boost::unordered_flat_set<std::uint32_t> Take() { return std::move(behind_); }

 private:
  using ByIteration = std::map<std::uint32_t, IterationWork>;

  // Over these streams: the first start, last end and count of each iteration's kernels.
  ByIteration KernelsOf(std::span<const StreamWork> streams) const {
    ByIteration kernels;
    for (const StreamWork& stream : streams) {
      IterationWork* own = nullptr;
      std::uint32_t at = kNoIteration;
      for (std::uint32_t row = stream.begin; row < stream.end; ++row) {
        if (of_device_[row] == kNoIteration || device_.kind[row] != DeviceKind::kKernel) continue;
        if (own == nullptr || of_device_[row] != at) own = &kernels[at = of_device_[row]];
        own->begin = std::min(own->begin, device_.start[row]);
        own->end = std::max(own->end, EndOf(device_, row));
        ++own->count;
      }
    }
    return kernels;
  }

  // Calls `test(row, own, next)` for work that outlives its iteration's kernels; if true, it
  // does not count for the iteration. After the last iteration only earlier examples show this.
  template <class Test>
  void Add(const StreamWork& stream, const ByIteration& kernels, Test test) {
    std::vector<std::uint32_t> of_last;
    bool any = false;
    auto own = kernels.end();
    std::uint32_t iteration = kNoIteration;
    for (std::uint32_t row = stream.begin; row < stream.end; ++row) {
      if (of_device_[row] != iteration) own = kernels.find(iteration = of_device_[row]);
      if (own == kernels.end() || EndOf(device_, row) <= own->second.end) continue;
      const auto next = kernels.find(of_device_[row] + 1);
      if (next == kernels.end() || IsRestOf(next->second, own->second)) {
        of_last.push_back(row);
      } else if (test(row, next->second)) {
        behind_.insert(row);
        any = true;
      }
    }
    if (any) behind_.insert(of_last.begin(), of_last.end());
  }

  // Copies and sets that outlive the next iteration's kernels. Kernels are AddBeside()'s.
  void AddOutliving(const StreamWork& stream, const ByIteration& kernels) {
    Add(stream, kernels, [&](std::uint32_t row, const IterationWork& next) {
      return device_.kind[row] != DeviceKind::kKernel && EndOf(device_, row) > next.end;
    });
  }

  // Work beside the next iteration's kernels on the main stream, on a stream that the next
  // iteration does not use. If the main stream waits for it (Awaits()), it is part of the
  // iteration.
  void AddBeside(const StreamWork& stream, const StreamWork& main, const ByIteration& kernels) {
    boost::unordered_flat_set<std::uint32_t> used;
    for (std::uint32_t row = stream.begin; row < stream.end; ++row) used.insert(of_device_[row]);
    Add(stream, kernels, [&](std::uint32_t row, const IterationWork& next) {
      const Ns end = EndOf(device_, row);
      const std::uint32_t iteration = of_device_[row] + 1;
      return next.begin < end && !used.contains(iteration) && !Awaits(main, iteration, end);
    });
  }

  // Whether the iteration's work on the stream that could have begun well before `at` begins then.
  bool Awaits(const StreamWork& stream, std::uint32_t iteration, Ns at) const {
    const auto begin = device_.start.begin() + stream.begin;
    const auto found = std::lower_bound(begin, device_.start.begin() + stream.end, at);
    const auto row = static_cast<std::uint32_t>(found - device_.start.begin());
    if (row == stream.end || of_device_[row] != iteration ||
        *found - at > knowledge::kLaunchesStartAfterWait) {
      return false;
    }
    Ns ready = std::numeric_limits<Ns>::min();
    if (row > stream.begin) ready = EndOf(device_, row - 1);
    const ApiId launch = device_.launch[row];
    if (launch.valid()) {
      ready = std::max(ready, api_.start[launch.value] + api_.duration[launch.value]);
    }
    return ready < at - knowledge::kLaunchesFreeLatency;
  }

  const DeviceTable& device_;
  const ApiTable& api_;
  std::span<const std::uint32_t> of_device_;
  boost::unordered_flat_set<std::uint32_t> behind_;
};

}  // namespace

// GPUs do not wait for each other here: each is looked at by itself.
boost::unordered_flat_set<std::uint32_t> WorkBehind(const Profile& profile,
                                                    std::span<const std::uint32_t> of_device) {
  const std::vector<StreamWork> streams = StreamsOf(profile);
  Behind behind(profile, of_device);
  for (auto first = streams.begin(); first != streams.end();) {
    const auto last = std::find_if(first, streams.end(),
                                   [&](const StreamWork& each) { return each.gpu != first->gpu; });
    behind.AddGpu({first, last});
    first = last;
  }
  return behind.Take();
}

}  // namespace profgauge::analysis::context
