// The critical path step by step, in words: the timeline's track.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "analysis/path/replayer.h"

namespace profgauge {

/// One piece of the path with the names that a timeline prints.
struct PathMove {
  Span time;
  PathKind kind = PathKind::kUnknown;
  bool uses_tensor_core = false;
  std::string_view name;  ///< Like in the table critical_path: a kernel, an operator, a call.
  std::string_view op;    ///< That launched it; may be empty.
  /// The event that it is in: of a step between a call and its work, the call. `row` is
  /// PathGraph::kNone where there is none.
  PathOwner in;
};

/// The longest pieces of a path, with the number of the others.
struct PathMoves {
  std::vector<PathMove> kept;  ///< In time order. On a whole path they touch.
  std::size_t left_out = 0;    ///< Shorter ones.
};

/// The path of one rank, or of a longer one the longest moves, at most `most` (moves as
/// short as the longest omitted one are omitted, too). Names live as long as the replayer's
/// profiles. REQUIRES: replayer.can_replay().
PathMoves LongestPathMoves(const Replayer& replayer, std::size_t rank, std::size_t most);

}  // namespace profgauge
