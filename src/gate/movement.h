// Names the kind of change behind a missed limit in one word, with the evidence.
//
// The first kind that applies is chosen. "The change" is that of the mean observed iteration
// between the two runs of the waterfall; if a kind is about the limit, that of the limited metric.
//
//     inputs            longer inputs make over half of the change, or input shapes differ
//     some_iterations   the typical iteration keeps its limit, the total does not
//     between           the time from an iteration's end to the next start makes four fifths of the
//                       change of the total
//     clock             clocks of the device explain at least four fifths of the change
//     one_rank          the own work of one rank became longer, unlike that of the others
//     work              an iteration does other work (gate/work.h), which makes half of the
//                       change or an unknown part of it
//     parts             only single parts miss a limit, or up to five kernels make most of it
//     all_alike         nearly all kernel time changed by one share, which makes half of it
//     host              waiting for the host makes four fifths of it
//     work              other work that makes less than half, with its share
//     unknown           none of these kinds
//
// Other work that makes less than half of the change is evidence beside another kind.
//
// If both apply, all_alike goes before the five kernels: if a program has few kernels, any common
// change is mostly in them. The kind changes no verdict, excuses nothing and blames no code.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gate/movement_kind.h"
#include "gate/snapshot.h"

namespace profgauge::gate {

struct RunComparison;

struct Movement {
  MovementKind kind = MovementKind::kUnknown;
  std::string text;  ///< A sentence without a period: "the inputs are longer: …".
  std::vector<std::string> evidence;  ///< Other differences, for any kind: one clause each.
};

/// Finds the kind. Nothing if every limit on a change is kept and no kind of parts is slower as a
/// whole, or if the runs must not be compared. `same_commit`: runs of the candidates' commit that
/// passed. REQUIRES: `comparison` is of these runs, with parts and clocks judged.
std::optional<Movement> FindMovement(std::span<const Snapshot> baselines,
                                     std::span<const Snapshot> candidates,
                                     const RunComparison& comparison,
                                     std::span<const std::int64_t> same_commit = {});

}  // namespace profgauge::gate
