// Profiles whose possible savings are known by their making.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "../analysis/fixture.h"

namespace profgauge::rules {

/// An iteration: kernels, and collectives between them, one after the other, which the host
/// launches ahead. One rank comes late to the first collective.
struct MadeTraining {
  explicit MadeTraining(unsigned seed) : random(seed) {
    iterations = Draw(2, 5);
    for (Ns i = Draw(3, 12); i-- > 0;) kernels.push_back(Draw(20, 600) * 1'000);
    for (Ns i = Draw(1, 4); i-- > 0;) transfers.push_back(Draw(10, 1'500) * 1'000);
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      after.push_back(static_cast<std::size_t>(Draw(1, static_cast<Ns>(kernels.size()))));
    }
    std::sort(after.begin(), after.end());
    gap = Draw(0, 20) * 1'000;
    lateness = Draw(0, 2) * Draw(0, 400) * 1'000;
    stream = Draw(0, 1) == 0 ? kComputing : kSecond;
    ranks = static_cast<std::size_t>(Draw(2, 4));
    late = static_cast<std::size_t>(Draw(0, static_cast<Ns>(ranks) - 1));
  }

  Ns Draw(Ns least, Ns most) {
    return least + static_cast<Ns>(random() % static_cast<std::uint64_t>(most - least + 1));
  }
  static Ns Sum(const std::vector<Ns>& some) {
    Ns sum = 0;
    for (const Ns one : some) sum += one;
    return sum;
  }
  Ns transfer() const { return Sum(transfers); }
  Ns computation() const { return Sum(kernels); }

  static constexpr std::int64_t kComputing = 7, kSecond = 20;
  std::mt19937_64 random;
  std::int64_t stream = kComputing;  ///< Of the collectives; on a second one, events order them.
  Ns iterations = 0, gap = 0, lateness = 0;
  std::size_t ranks = 0, late = 0;
  std::vector<Ns> kernels, transfers;
  std::vector<std::size_t> after;  ///< Number of kernels before each collective.
};

inline constexpr Ns kLead = 10'000;  // Of an iteration, before its first work.

/// Writes one rank of a MadeTraining, event by event.
class TrainingRank {
 public:
  TrainingRank(const MadeTraining& run, std::size_t rank) {
    auto& distributed = test_.builder().distributed();
    distributed.backend = "nccl";
    distributed.rank = static_cast<std::int64_t>(rank);
    distributed.world_size = size_ = static_cast<std::int64_t>(run.ranks);
    ProcessGroup group;
    group.name = "dp";
    group.size = size_;
    for (std::int64_t r = 0; r < size_; ++r) group.ranks.push_back(r);
    distributed.groups.push_back(group);
    test_.Op("start", {0, 1});
  }

  void Compute(Ns call, Ns begin, Ns end) {
    test_.Launch("gemm", {call, call + 100}, {begin, end});
  }
  void Reduce(Ns call, Ns begin, Ns end, std::int64_t stream) {
    auto& builder = test_.builder();
    Collective collective;
    collective.name = builder.Intern("allreduce");
    collective.group = builder.Intern("dp");
    collective.in_elements = collective.out_elements = 1'000;
    collective.group_size = size_;
    collective.sequence = sequence_++;
    ApiRow launch;
    launch.start = call;
    launch.duration = 100;
    launch.name = builder.Intern("cudaLaunchKernel");
    launch.kind = ApiKind::kLaunch;
    launch.thread = test_.main();
    launch.correlation = 1'000'000 + sequence_;
    builder.AddApi(launch);
    DeviceRow kernel;
    kernel.start = begin;
    kernel.duration = end - begin;
    kernel.kind = DeviceKind::kKernel;
    kernel.name = builder.Intern("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)");
    kernel.gpu = 0;
    kernel.stream = stream;
    kernel.correlation = launch.correlation;
    kernel.collective = builder.AddCollective(collective);
    builder.AddDevice(kernel);
  }
  /// The next launch of the thread waits for the last one, on another stream.
  void Follow(Ns call) {
    test_.Call("cudaEventRecord", ApiKind::kOther, {call, call + 100});
    test_.Call("cudaStreamWaitEvent", ApiKind::kOther, {call + 150, call + 250});
  }
  /// The host waits for the device, then the iteration ends.
  void Step(std::int64_t number, Ns begin, Ns call, Ns end) {
    test_.Call("cudaDeviceSynchronize", ApiKind::kSync, {call, end});
    test_.Step(static_cast<int>(number), {begin, end});
  }
  Profile Finish() { return test_.Finish(); }

 private:
  analysis::TestProfile test_;
  std::int64_t size_ = 0, sequence_ = 0;
};

/// One after the other, as recorded.
inline std::vector<Profile> Serial(const MadeTraining& run) {
  std::vector<Profile> out;
  for (std::size_t rank = 0; rank < run.ranks; ++rank) {
    TrainingRank writer(run, rank);
    Ns begin = 1'000;
    for (Ns i = 0; i < run.iterations; ++i) {
      const bool is_late = rank == run.late;
      Ns call = begin + 1'000, at = begin + kLead, waits = is_late ? 0 : run.lateness;
      std::size_t next = 0;
      for (std::size_t k = 0; k < run.kernels.size(); ++k) {
        const Ns begins = at + (k == 0 && is_late ? run.lateness : 0);
        writer.Compute(k == 0 ? begins - 2'000 : call, begins, begins + run.kernels[k]);
        if (k == 0) call = begins - 1'500;
        call += 200;
        at = begins + run.kernels[k] + run.gap;
        for (; next < run.after.size() && run.after[next] == k + 1; ++next) {
          if (run.stream != MadeTraining::kComputing) writer.Follow(call);
          writer.Reduce(call + 300, at, at + waits + run.transfers[next], run.stream);
          call += 500;
          if (run.stream != MadeTraining::kComputing) writer.Follow(call);
          call += 300;
          at += waits + run.transfers[next];
          waits = 0;
        }
      }
      writer.Step(i, begin, call, at + 1'000);
      begin = at + 1'000;
    }
    out.push_back(writer.Finish());
  }
  return out;
}

/// The same work, with as much of the transfers beside kernels as these have time for. Nobody waits
/// for the late rank, but at the end of the iteration.
inline std::vector<Profile> Beside(const MadeTraining& run) {
  std::vector<Profile> out;
  const Ns beside = std::min(run.transfer(), run.computation());
  for (std::size_t rank = 0; rank < run.ranks; ++rank) {
    TrainingRank writer(run, rank);
    Ns begin = 1'000;
    for (Ns i = 0; i < run.iterations; ++i) {
      const Ns end = begin + kLead + run.lateness + run.computation() +
                     static_cast<Ns>(run.kernels.size()) * run.gap + run.transfer() - beside;
      const Ns first = begin + kLead + run.lateness;
      Ns call = first - 1'500, at = first, left = beside;
      for (const Ns kernel : run.kernels) {
        writer.Compute(call, at, at + kernel);
        call += 200;
        const Ns part = std::min(left, kernel);  // One part of the transfers beside each kernel.
        if (part > 0) {
          writer.Reduce(call, at, at + part, MadeTraining::kSecond);
          call += 200;
        }
        left -= part;
        at += kernel + run.gap;
      }
      if (run.transfer() > beside)
        writer.Reduce(call, at, at + run.transfer() - beside, MadeTraining::kSecond);
      writer.Step(i, begin, call + 200, end + 1'000);
      begin = end + 1'000;
    }
    out.push_back(writer.Finish());
  }
  return out;
}

inline constexpr Ns kOp = 30'000, kCall = 8'000, kKernel = 5'000;

/// The shape of a launch-bound run, and which of its launches is a kernel's first.
struct LaunchShape {
  explicit LaunchShape(unsigned seed) : random(seed) {}

  std::mt19937_64 random;
  int iterations = 3 + static_cast<int>(random() % 8);
  int launches = 10 + static_cast<int>(random() % 40);
  int its_iteration = 1 + static_cast<int>(random() % static_cast<unsigned>(iterations - 1));
  int its_launch = 1 + static_cast<int>(random() % static_cast<unsigned>(launches - 2));

  /// ns per iteration of the kernels before it: launched early, they run beside that call.
  double WorkBefore() const {
    return static_cast<double>(kKernel) * (its_iteration * launches + its_launch) / iterations;
  }
};

/// Iterations of operators that launch a kernel each and take longer than it; the first launch of
/// one kernel takes `first`, in an iteration that `seed` draws.
inline Profile LaunchBound(unsigned seed, Ns first) {
  const LaunchShape shape(seed);
  const auto [iterations, launches] = std::pair(shape.iterations, shape.launches);
  const auto [its_iteration, its_launch] = std::pair(shape.its_iteration, shape.its_launch);
  analysis::TestProfile test;
  test.Op("start", {0, 1});
  Ns at = 1'000;
  for (int i = 0; i < iterations; ++i) {
    const Ns begin = at;
    at += 1'000;
    for (int k = 0; k < launches; ++k) {
      const bool is_first = i == its_iteration && k == its_launch;
      const Ns call = is_first ? first : kCall;
      test.Op("aten::add", {at, at + kOp - kCall + call});
      const Ns called = at + 10'000;
      test.Launch(is_first ? "used_once" : "add", {called, called + call},
                  {called + call + 2'000, called + call + 2'000 + kKernel});
      at += kOp - kCall + call + 500;
    }
    test.Step(i, {begin, at});
  }
  return test.Finish();
}

}  // namespace profgauge::rules
