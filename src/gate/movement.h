// What kind of movement is behind a missed limit, in one word, with the evidence beside it.
//
// The first row that holds. "Change" is that of the mean observed iteration between the two runs of
// the waterfall, or of the metric where the row is about its limit:
//
//     inputs            longer inputs make over half of the change, or input shapes differ
//     some_iterations   the typical iteration keeps its limit, the total does not
//     clock             clocks of the device explain four fifths of it at least
//     one_rank          one rank's own work became longer, unlike the others'
//     work              an iteration does other work (gate/work.h), which makes half of it, if
//     known parts             only single parts miss a limit, or up to five kernels make most of it
//     all_alike         nearly all kernel time changed by one share, which makes half of it
//     host              waiting for the host makes four fifths of it
//     work              other work that makes less, said with its share
//     unknown           none of these
//
// Other work that makes less than half is evidence beside a kind that explains more.
//
// Where both would hold all_alike goes before the five kernels: in a program of few kernels any
// common change is mostly theirs.
//
// It changes no verdict and excuses nothing. Nothing here says that it is the code.
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
  std::string text;  ///< One sentence without an end: "the inputs are longer: …".
  std::vector<std::string> evidence;  ///< What else differs, whatever the kind is: one clause each.
};

/// Nothing where every limit on a change is kept and no kind of parts is slower as a whole, or
/// where the runs must not be compared. `same_commit`: runs of the history of the candidates'
/// commit that passed. REQUIRES: `comparison` is of these runs, with parts and clocks judged.
std::optional<Movement> FindMovement(std::span<const Snapshot> baselines,
                                     std::span<const Snapshot> candidates,
                                     const RunComparison& comparison,
                                     std::span<const std::int64_t> same_commit = {});

}  // namespace profgauge::gate
