// Iterations of a profile in which no reader found a marker: those that a serving engine names,
// else from one call of an optimizer or a data loader to the next, else by exact repetition of the
// kernels. Otherwise there are none. FindMarkers() asks in this order; two or more recorded markers
// (marker_choice.h) come first, a single one comes before all but an engine's steps.
//
// An optimizer's step closes an iteration. The head and the tail are iterations, too, if they
// launch at least 80 % of the usual number; the tail mostly is cut off:
//
//   host          ....|step|.....|step|.....|step|.....|step|...
//   iterations   |---------|----------|----------|----------|      four: the tail is too little
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

/// Iterations that were derived from other events than markers.
struct DerivedMarkers {
  std::vector<Marker> found;  ///< In order of time; empty where nothing shows iterations.
  ThreadId thread;            ///< Whose they are.
  IterationSource source;
};

/// The first of these that holds:
///
///   - Steps of an engine (`steps` of rules/knowledge/markers.yaml), at least two: those of the
///     phase that covers most time, as decoding and prefill have different lengths.
///   - Three calls of one optimizer's step: from the end of one to the end of the next. Work before
///     the first is an iteration too where it launches about as much.
///   - In training, three calls of a data loader: from one to the next, the last to the end of
///     the host's activity.
///   - Repetition (iterations/repetition.h), with its witness as the mark.
///
/// `extent`: of the host's activity.
/// Without a timeline only the first is asked for.
DerivedMarkers DeriveMarkers(const Profile& profile, Span extent);
/// The first only of these. If there are several engines or threads, that with most time counts.
DerivedMarkers EngineSteps(const Profile& profile);

/// A way to divide a profile without markers, certain enough or not. IterationWays() shows people
/// all of them.
struct IterationCandidate {
  std::string_view kind;  ///< "optimizer_step" or another witness of markers.yaml; "repetition".
  std::string range;      ///< Name of the range; empty: none marks it.
  std::string text;       ///< "20 × Optimizer.step#AdamW.step, equal work in 19"
  std::string pattern;    ///< For --iteration-marker; empty: no range marks it.
  std::string why_not;    ///< The reason why it does not divide the profile by itself.
};
/// In the order in which DeriveMarkers() asks them.
std::vector<IterationCandidate> IterationCandidates(const Profile& profile);

/// "decode" of a source that DeriveMarkers() made of a phase; empty: of none.
std::string_view PhaseOf(const IterationSource& source);

/// RE2 of the names that mark steps of this phase in any engine; empty: there is no such phase.
std::string MarkerPatternOfPhase(std::string_view phase);

}  // namespace profgauge::analysis::iterations
