// A run of many ranks with known truth: data-parallel training whose ranks load data, compute and
// reduce, one of them late for a cause of one's choice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "fixture.h"

namespace profgauge::analysis {

/// The cause of the late rank's lateness.
enum class LateBy { kNothing, kLoader, kHost, kSlowGpu, kMoreWork, kCopies };

struct MadeRun {
  std::size_t ranks = 8;
  std::size_t iterations = 4;
  std::size_t calls = 3;       ///< Collectives of an iteration.
  std::size_t group_size = 0;  ///< Ranks r with equal r / group_size communicate; 0: all.
  LateBy cause = LateBy::kNothing;
  std::size_t late = 1;                     ///< The late rank.
  Ns lateness = 200'000;                    ///< Each call.
  Ns jitter = 0;                            ///< Every rank comes up to this much later, at random.
  bool numbered = true;                     ///< Calls have their number (`Seq`).
  std::size_t lost_rank = ~std::size_t{0};  ///< Does not have its second call.
  Ns clock_offset = 0;                      ///< Offset of each rank from the one before.

  static constexpr Ns kLoad = 300'000, kHost = 100'000, kCompute = 1'000'000, kCopy = 50'000,
                      kTransfer = 80'000;
};

namespace made_run_detail {

struct Piece {
  Ns loader = 0, host = 0, copy = 0, compute = 0;
  std::int64_t kernels = 4;
  Ns sum() const { return loader + host + copy + compute; }
};

inline Piece PieceOf(const MadeRun& run, std::size_t rank, std::size_t call, std::mt19937& random) {
  Piece piece{call == 0 ? MadeRun::kLoad : 0, MadeRun::kHost, MadeRun::kCopy, MadeRun::kCompute};
  if (run.jitter > 0) piece.host += static_cast<Ns>(random() % static_cast<unsigned>(run.jitter));
  if (rank != run.late) return piece;
  switch (run.cause) {
    case LateBy::kNothing:
      break;
    case LateBy::kLoader:
      piece.loader += run.lateness;
      break;
    case LateBy::kHost:
      piece.host += run.lateness;
      break;
    case LateBy::kSlowGpu:
      piece.compute += run.lateness;
      break;
    case LateBy::kMoreWork:
      piece.compute += run.lateness;
      ++piece.kernels;
      break;
    case LateBy::kCopies:
      piece.copy += run.lateness;
      break;
  }
  return piece;
}

/// One rank's recording, event by event.
class Recorder {
 public:
  Recorder(const MadeRun& run, std::size_t rank) : run_(run) {
    auto& distributed = test_.builder().distributed();
    distributed.backend = "nccl";
    distributed.rank = static_cast<std::int64_t>(rank);
    distributed.world_size = static_cast<std::int64_t>(run.ranks);
    const std::size_t size = run.group_size > 0 ? run.group_size : run.ranks;
    ProcessGroup group;
    // All groups have one description; names are their own.
    group.name = "dp" + std::to_string(rank / size);
    group.description = "DATA_PARALLEL";
    group.size = static_cast<std::int64_t>(size);
    for (std::size_t r = rank / size * size; r < rank / size * size + size; ++r) {
      group.ranks.push_back(static_cast<std::int64_t>(r));
    }
    distributed.groups.push_back(group);
    test_.Op("start", {0, 1});
  }

  /// From `at`: the rank's work before its call; returns when it is ready to communicate.
  Ns Work(Ns at, const Piece& piece) {
    if (piece.loader > 0) {
      test_.Op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
               {at, at + piece.loader});
    }
    at += piece.loader;
    if (piece.host > 0) test_.Op("aten::prepare", {at, at + piece.host});
    at += piece.host;
    test_.Launch("Memcpy HtoD (Pinned -> Device)", {at - 2'000, at - 1'000}, {at, at + piece.copy},
                 {}, DeviceKind::kMemcpy);
    at += piece.copy;
    for (std::int64_t k = 0; k < piece.kernels; ++k) {
      const Ns end = at + piece.compute / piece.kernels;
      const std::string name = k < 4 ? "gemm" : "extra";
      test_.Launch(name, {at - 1'000, at - 500}, {at, end});
      at = end;
    }
    return at;
  }

  void Reduce(Ns arrival, Ns end, std::int64_t number) {
    auto& builder = test_.builder();
    Collective collective;
    collective.name = builder.Intern("allreduce");
    collective.dtype = builder.Intern("Float");
    collective.group = builder.Intern(test_.builder().distributed().groups.front().name);
    collective.description = builder.Intern("DATA_PARALLEL");
    collective.in_elements = collective.out_elements = 1'000 + number % 3;
    collective.group_size = test_.builder().distributed().groups.front().size;
    if (run_.numbered) collective.sequence = number;
    ++correlation_;
    ApiRow call;
    call.start = arrival - 1'000;
    call.duration = 500;
    call.name = builder.Intern("cudaLaunchKernel");
    call.kind = ApiKind::kLaunch;
    call.thread = test_.main();
    call.correlation = correlation_;
    builder.AddApi(call);
    DeviceRow kernel;
    kernel.start = arrival;
    kernel.duration = end - arrival;
    kernel.kind = DeviceKind::kKernel;
    kernel.name = builder.Intern("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)");
    kernel.gpu = 0;
    kernel.stream = 20;
    kernel.correlation = correlation_;
    kernel.collective = builder.AddCollective(collective);
    builder.AddDevice(kernel);
  }

  void Step(std::size_t number, Ns start, Ns end) {
    test_.Step(static_cast<int>(number), {start, end});
  }
  Profile Finish() { return test_.Finish(); }

 private:
  const MadeRun& run_;
  TestProfile test_;
  std::int64_t correlation_ = 1'000'000;
};

}  // namespace made_run_detail

inline std::vector<Profile> Make(const MadeRun& run) {
  using made_run_detail::Piece;
  std::mt19937 random(5);
  std::vector<made_run_detail::Recorder> recorders;
  for (std::size_t rank = 0; rank < run.ranks; ++rank) recorders.emplace_back(run, rank);
  const std::size_t size = run.group_size > 0 ? run.group_size : run.ranks;
  std::vector<Ns> at(run.ranks, 10'000);
  std::int64_t number = 0;
  for (std::size_t iteration = 0; iteration < run.iterations; ++iteration) {
    const std::vector<Ns> begin = at;
    for (std::size_t call = 0; call < run.calls; ++call, ++number) {
      std::vector<Ns> ready(run.ranks);
      for (std::size_t rank = 0; rank < run.ranks; ++rank) {
        ready[rank] =
            recorders[rank].Work(at[rank], made_run_detail::PieceOf(run, rank, call, random));
      }
      for (std::size_t rank = 0; rank < run.ranks; ++rank) {
        const std::size_t first = rank / size * size;
        Ns last = 0;
        for (std::size_t r = first; r < first + size; ++r) last = std::max(last, ready[r]);
        const bool lost = rank == run.lost_rank && number == 1;
        if (!lost) recorders[rank].Reduce(ready[rank], last + MadeRun::kTransfer, number);
        at[rank] = last + MadeRun::kTransfer;
      }
    }
    for (std::size_t rank = 0; rank < run.ranks; ++rank) {
      recorders[rank].Step(iteration + 5, begin[rank], at[rank] - 1);
      at[rank] += 1'000;
    }
  }
  std::vector<Profile> profiles;
  for (auto& recorder : recorders) profiles.push_back(recorder.Finish());
  return profiles;
}

}  // namespace profgauge::analysis
