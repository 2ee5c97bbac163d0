// Training on many ranks, simulated in integer nanoseconds, with the truth of who waits for whom.
//
// Every rank loads data, copies it, computes layer by layer and communicates in the groups of its
// mesh. The plan chooses the cause of lateness, slow links, jitter, clocks that differ, missing
// calls and missing ranks. The truth is the simulation's own record, made before any trace was
// written. Same plan, same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::made {

using Ns = std::int64_t;

/// Which groups ranks communicate in; those of `inner` ranks are next to each other.
enum class Mesh {
  kDp,    ///< All ranks reduce gradients after every layer.
  kTpDp,  ///< Groups of `inner` ranks reduce after every layer, the others at the end of a step.
  kPpDp,  ///< `inner` stages send micro-batches on and gradients back, then reduce per stage.
  kEpDp,  ///< Groups of `inner` ranks exchange all to all twice a layer, all reduce at the end.
};

/// The cause of the late rank's lateness.
enum class LateBy { kNothing, kLoader, kHost, kSlowGpu, kMoreWork, kCopies };

/// The profile's metadata of collectives: the years of PyTorch.
enum class Metadata {
  kNames,    ///< Kernels have names only.
  kSizes,    ///< Kind, elements, type and size of the group (2.2).
  kGroups,   ///< Groups by name with their members (2.4).
  kNumbers,  ///< The number of each call in its group (2.12).
};

/// The data that shows who sends to whom.
enum class Peers {
  kOther,   ///< The kernel names the other rank, as PyTorch does.
  kBoth,    ///< It names both.
  kRange,   ///< "nccl:send 0->1" around the launch, by places in the group.
  kBatch,   ///< Records before the launch of a batch.
  kUntold,  ///< Nothing.
};

struct Plan {
  Mesh mesh = Mesh::kDp;
  std::int64_t ranks = 8, inner = 4;
  std::int64_t iterations = 6, layers = 4, microbatches = 4;
  std::uint64_t seed = 1;

  LateBy cause = LateBy::kNothing;
  std::int64_t late = 1;        ///< The late rank.
  Ns lateness = 100'000;        ///< More than the others need, each layer or micro-batch.
  bool first_only = false;      ///< Late before the first layer only of an iteration.
  std::int64_t only_step = -1;  ///< Late only in this iteration; -1: in every one.
  /// Ranks compute on while they communicate, and wait at the end of the iteration.
  bool beside = false;
  /// The host waits for each collective in a call, which returns so much later (from 1 000 on); 0:
  /// no call shows why it waits.
  Ns waits = 0;
  Ns jitter = 0;  ///< Every rank takes up to this much longer each time, at random.

  std::int64_t slow_link = -1;  ///< The link of this rank with those next to it in its mesh.
  std::int64_t slow_link_percent = 50;  ///< How much longer its transfers take.

  Ns clock_offset = 0;          ///< Clocks differ by up to this much, at random.
  std::int64_t drift_ppb = 0;   ///< They run apart by up to this much, in parts of a billion.
  std::int64_t lost_rank = -1;  ///< Does not have the collectives `lost_first` to `lost_last`.
  std::int64_t lost_first = 1, lost_last = 1;
  std::vector<std::int64_t> missing;  ///< Ranks without a profile.
  std::int64_t doubled = -1;          ///< This rank has two.
  Metadata metadata = Metadata::kNumbers;
  Peers peers = Peers::kOther;
  Ns start = 1'000'000;  ///< When the first iteration begins.
};

struct Group {
  std::string name, description;
  std::vector<std::int64_t> members;
};

struct Event {
  enum class Kind { kStep, kLoader, kHost, kCopy, kKernel, kCollective };
  Kind kind = Kind::kHost;
  Ns start = 0, end = 0;
  std::string name;
  std::int64_t call = -1;  ///< For a collective: position in Truth::calls.
};

/// One call on all of its ranks, as it was.
struct Call {
  std::size_t group = 0;  ///< Position in Truth::groups.
  std::string kind;       ///< As PyTorch writes it: "allreduce", "send".
  std::int64_t elements = 0;
  std::int64_t number = 0;                     ///< In its group.
  std::int64_t source = -1, destination = -1;  ///< For a transfer between two ranks.
  std::vector<std::int64_t> ranks;
  std::vector<Ns> arrivals;  ///< As `ranks`.
  Ns end = 0, transfer = 0;
};

struct RankTruth {
  Ns waiting = 0, transfer = 0;  ///< In all collectives, before and after the last had come.
  Ns bubble = 0;                 ///< The part of the waiting in transfers between stages.
  std::int64_t last_calls = 0;   ///< Collectives only in which it came last.
  Ns clock = 0;                  ///< The error of its clock at the first iteration.
  Ns step_time = 0;              ///< Sum of its iterations.
};

struct Truth {
  std::vector<Group> groups;
  std::vector<Call> calls;
  std::vector<RankTruth> ranks;
  std::int64_t straggler = -1;  ///< The late rank; -1: there is none.
  std::string cause;            ///< In the program's words; empty without one.
  /// Largest less smallest end of each iteration, over the ranks.
  std::vector<Ns> step_skew;
};

struct Made {
  std::vector<std::vector<Event>> events;  ///< By rank, by the rank's own clock.
  Truth truth;
};

Made Simulate(const Plan& plan);

/// One rank as the PyTorch profiler writes it.
std::string Kineto(const Plan& plan, const Made& made, std::int64_t rank);
std::string TruthJson(const Plan& plan, const Made& made);

/// Writes the ranks that have a profile into `folder`, and the truth beside it.
void WriteRun(const Plan& plan, const Made& made, const std::string& folder);

std::string_view CauseInWords(LateBy cause);

}  // namespace profgauge::made
