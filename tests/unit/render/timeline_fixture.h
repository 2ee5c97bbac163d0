// A made-up recording for the timeline's tests: iterations of operators on a thread, each launching
// kernels on two streams, with a gap where the data loader is waited for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "report/report.h"

namespace profgauge::render::testing {

class TimelineMaker {
 public:
  /// `ops` operators an iteration; each is four events: operator, inner operator, launch, kernel.
  static report::Timeline Make(int iterations, int ops) {
    TimelineMaker maker;
    maker.AddKinds();
    for (int i = 0; i < iterations; ++i) maker.AddIteration(i, ops);
    return std::move(maker).Finish();
  }

 private:
  struct Event {
    Ns start, duration;
    std::uint32_t kind;
    std::uint32_t launched_by = report::Timeline::kNoLink;  // position in lane kLaunches
  };
  enum Lane { kSteps, kOps, kInner, kLaunches, kCompute, kCopies, kLaneCount };

  void AddKinds() {
    timeline_.kinds = {
        {"ProfilerStep", Category::kAnnotation, ""},
        {"DataLoader.__next__", Category::kDataLoader, ""},
        {"aten::linear", Category::kCpu, "[[64, 1024], [1024, 1024]]"},
        {"aten::addmm", Category::kCpu, "[[1024], [64, 1024], [1024, 1024]]"},
        {"cudaLaunchKernel", Category::kRuntime, ""},
        {"gemm_fp16_tn_128x128 </script>", Category::kTensorCoreKernel, "grid 8×8×1"},
        {"elementwise_kernel", Category::kOtherKernel, "grid 512×1×1, block 128"},
        {"Memcpy HtoD (Pinned -> Device)", Category::kMemcpy, "4.19 MB"},
        {"ncclAllReduce", Category::kCommunication, ""}};
  }

  void AddIteration(int index, int ops) {
    const Ns begin = now_;
    lanes_[kOps].push_back({now_, 40'000, 1});
    now_ += 41'000;
    lanes_[kCopies].push_back({now_ - 10'000, 9'000, 7});
    for (int i = 0; i < ops; ++i) {
      const Ns length = 9'000 + (i * 37 + index * 11) % 5'000;
      lanes_[kOps].push_back({now_, length, 2});
      lanes_[kInner].push_back({now_ + 1'000, length - 2'000, 3});
      const auto launch = static_cast<std::uint32_t>(lanes_[kLaunches].size());
      lanes_[kLaunches].push_back({now_ + 3'000, 2'500, 4});
      const Ns start = std::max(now_ + 8'000, device_free_);
      const Ns kernel = 3'000 + (i * 53) % 9'000;
      lanes_[kCompute].push_back({start, kernel, i % 3 == 0 ? 6u : 5u, launch});
      if (i % 16 == 15) lanes_[kCopies].push_back({start + 500, 20'000, 8, launch});
      device_free_ = start + kernel + 200;
      now_ += length + 300;
    }
    now_ = std::max(now_, device_free_);
    lanes_[kSteps].push_back({begin, now_ - begin - 1, 0});
    timeline_.counters[0].time.push_back(begin);
    timeline_.counters[0].value.push_back(1'000'000'000 + 40'000'000 * (index % 7));
  }

  report::Timeline Finish() && {
    timeline_.tracks = {{"iterations", "host", report::TrackType::kAnnotation, 0},
                        {"thread 4711 (main)", "host", report::TrackType::kThread, 0},
                        {"stream 7", "GPU 0 Tesla V100-SXM2-16GB", report::TrackType::kStream, 0},
                        {"stream 16", "GPU 0 Tesla V100-SXM2-16GB", report::TrackType::kStream, 0}};
    constexpr std::pair<std::uint32_t, std::uint32_t> kPlaces[kLaneCount] = {
        {0, 0}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {3, 0}};
    std::uint32_t first_launch = 0;
    for (int lane = 0; lane < kLaneCount; ++lane) {
      std::stable_sort(lanes_[lane].begin(), lanes_[lane].end(),
                       [](const Event& a, const Event& b) { return a.start < b.start; });
      const auto begin = static_cast<std::uint32_t>(timeline_.start.size());
      if (lane == kLaunches) first_launch = begin;
      for (const Event& event : lanes_[lane]) {
        timeline_.start.push_back(event.start);
        timeline_.duration.push_back(event.duration);
        timeline_.kind.push_back(event.kind);
        timeline_.link.push_back(event.launched_by == report::Timeline::kNoLink
                                     ? report::Timeline::kNoLink
                                     : first_launch + event.launched_by);
      }
      timeline_.lanes.push_back({kPlaces[lane].first, kPlaces[lane].second, begin,
                                 static_cast<std::uint32_t>(timeline_.start.size())});
    }
    timeline_.counters[0].end = now_;
    return std::move(timeline_);
  }

  report::Timeline timeline_ = [] {
    report::Timeline timeline;
    timeline.counters.push_back(
        {"allocated", "GPU 0 Tesla V100-SXM2-16GB", Unit::kBytes, 0, 1, {}, {}});
    return timeline;
  }();
  std::vector<Event> lanes_[kLaneCount];
  Ns now_ = 5'000, device_free_ = 0;
};

}  // namespace profgauge::render::testing
