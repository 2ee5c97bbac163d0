// Iterations of a profile without recorded markers: the steps of a serving engine, else the time
// between calls of an optimizer or a data loader, else exact repetition of the kernels.
// FindMarkers() tries them in this order. Two or more recorded markers (marker_choice.h) take
// precedence over all of them, a single one over all except an engine's steps.
//
// An optimizer's step ends an iteration. The parts before the first and after the last step are
// iterations, too, if they launch at least 80 % of the usual number; the last part is mostly cut:
//
//   host          ....|step|.....|step|.....|step|.....|step|...
//   iterations   |---------|----------|----------|----------|      four: the last part is cut
//   launches         38         40         40         40      12
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/iterations/marker_choice.h"
#include "base/interval.h"
#include "model/iteration_source.h"
#include "model/profile.h"

namespace profgauge::analysis::iterations {

/// Iterations derived from events other than markers.
struct DerivedMarkers {
  std::vector<Marker> found;  ///< In order of time; empty if no iterations were found.
  ThreadId thread;            ///< The thread of the iterations.
  IterationSource source;
};

/// Returns the iterations by the first of these ways that succeeds:
///
///   - Steps of an engine (`steps` of rules/knowledge/markers.yaml), at least two. The phase with
///     the most time is used, because decoding and prefill have different lengths.
///   - At least three calls of one optimizer's step. An iteration lasts from the end of one call to
///     the end of the next. Work before the first is also one if it launches about as much.
///   - In training, at least three calls of a data loader. An iteration lasts from one call to the
///     next, and the last one until the host's activity ends.
///   - Repetition of kernels (iterations/repetition.h). The witness marks the iterations.
///
/// `extent`: the extent of the host's activity. Without a timeline only the first way is tried.
DerivedMarkers DeriveMarkers(const Profile& profile, Span extent);
/// Only the first way. If there are several engines or threads, the one with the most time is used.
DerivedMarkers EngineSteps(const Profile& profile);

/// A way to divide a profile without markers, whether it is reliable enough or not. IterationWays()
/// shows all of them to users.
struct IterationCandidate {
  std::string_view kind;  ///< "optimizer_step" or another witness of markers.yaml; "repetition".
  std::string range;      ///< Name of the range; empty if no range marks it.
  std::string text;       ///< "20 × Optimizer.step#AdamW.step, equal work in 19"
  std::string pattern;    ///< For --iteration-marker; empty: no range marks it.
  std::string why_not;    ///< Why it is not used automatically.
};
/// In the order in which DeriveMarkers() tries them.
std::vector<IterationCandidate> IterationCandidates(const Profile& profile);

/// The phase of a source from DeriveMarkers(), e.g. "decode"; empty if it has none.
std::string_view PhaseOf(const IterationSource& source);

/// RE2 for the names of this phase's steps in any engine; empty for an unknown phase.
std::string MarkerPatternOfPhase(std::string_view phase);

}  // namespace profgauge::analysis::iterations
