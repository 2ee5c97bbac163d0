// The host's activity while a GPU is idle: the functions, operators and ranges that cover most of a
// gap. It names locations in the program; gap_explainer.h finds the cause of the idle time without
// it.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/classify/host_work.h"
#include "analysis/iterations/context.h"
#include "model/known_names.h"

namespace profgauge::analysis::breakdown {

/// The host events that cover more than half of the gap; empty if there are none. Each text is the
/// name and, if recorded, the user's function and line in parentheses.
struct GapActivity {
  /// "train.py(88): preprocess", "aten::item (train.py(90): step)"; or empty. Prefers the function
  /// that covers nearly all of the gap, because inner functions would show only part of the work.
  std::string innermost;
  std::string outermost;  ///< The same for the outermost; equal if only one covers it.
};

/// The kind of work of the innermost name, else of the outermost; kUnnamedHostWork or
/// kUnknownHostWork without one.
const HostWork& CategoryOf(const GapActivity& activity, classify::HostWorkByName& works);

/// The call of `thread` that runs in the middle of a gap and covers more than half of it; of nested
/// ones the inner; invalid without one. O(log calls).
ApiId CallOver(const Profile& profile, Span gap, ThreadId thread);

/// Finds calls that hold a host thread: those that block, and asynchronous copies of at least 1 ms,
/// since such calls normally return immediately. Gaps may be queried in any order.
class HoldingCalls {
 public:
  /// The profile must outlive it. O(calls log calls).
  explicit HoldingCalls(const Profile& profile);

  /// The call, on any thread, that covers most of a gap and more than half; invalid without one.
  /// O(threads log calls).
  ApiId Over(Span gap) const;

 private:
  const Profile& profile_;
  std::vector<std::vector<ApiId>> of_thread_;  // By thread with such calls, in order of time.
};

/// Finds the activities in gaps, queried in any order. Construction is O(Python frames + host
/// rows); it stores a parent for each frame.
class GapActivities {
 public:
  /// The context must outlive this.
  explicit GapActivities(const iterations::RankContext& rank);

  /// The activity among events that cover more than half of the gap: Python functions of the user's
  /// own files, operators, ranges and garbage collections. Uses the launching thread, else any
  /// thread of the profile (the first 256 with such events). Library functions count only if
  /// nothing else does. The outermost is one that did not run during the whole window, if possible.
  /// O(log n + depth) for each thread, with at most 1 024 levels.
  GapActivity Of(Span gap, ThreadId launching);

 private:
  struct Source {
    bool is_users = false, has_file = false;
  };
  struct Frame {
    Span time;
    StringId name, stack;
    Source source;
  };
  static bool HasUsersFile(const Frame& frame) {
    return frame.source.is_users && frame.source.has_file;
  }
  Source SourceOf(StringId name);
  void AddFrames(ThreadId thread, Span gap, std::vector<Frame>& frames);
  void AddPython(ThreadId thread, Span gap, std::vector<Frame>& frames);
  void AddRanges(ThreadId thread, Span gap, std::vector<Frame>& frames);
  void AddOthers(ThreadId launching, Span gap, std::vector<Frame>& frames);
  std::string TextOf(const Frame& frame) const;

  const iterations::RankContext& rank_;
  std::vector<std::uint32_t> python_parent_;                  // By row; of the same thread.
  std::vector<ThreadId> threads_;                             // Those with such events.
  boost::unordered_flat_map<std::uint32_t, Source> sources_;  // By name.
};

}  // namespace profgauge::analysis::breakdown
