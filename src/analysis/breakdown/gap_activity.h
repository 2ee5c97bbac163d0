// The host's activity while a GPU is idle: the functions, operators and ranges that cover
// most of a gap. It names places in the program; why the GPU was idle is decided without it, by
// gap_explainer.h.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/classify/host_work.h"
#include "analysis/iterations/context.h"
#include "model/known_names.h"

namespace profgauge::analysis::breakdown {

/// Empty if no host event covers more than half of the gap. Both names are for people: name, and
/// where recorded the user's function and line in parentheses.
struct GapActivity {
  /// "train.py(88): preprocess", "aten::item (train.py(90): step)"; or empty. The function that
  /// covers nearly all of the gap, else most of it: parts of the host's work would hide the rest.
  std::string innermost;
  std::string outermost;  ///< Also; the same where only one covers the gap.
};

/// The kind of work of both names, the innermost first; kUnnamedHostWork and kUnrecordedHostWork
/// where no kind is known.
const HostWork& CategoryOf(const GapActivity& activity, classify::HostWorkByName& works);

/// The calls that hold a host thread: those that block, and asynchronous copies that took at least
/// 1 ms, since such calls return at once. Answers gaps in any order.
class HoldingCalls {
 public:
  /// The profile must outlive it. O(calls log calls).
  explicit HoldingCalls(const Profile& profile);

  /// The one that covers most of a gap, more than half, on any thread; invalid without one.
  /// O(threads log calls).
  ApiId Over(Span gap) const;

 private:
  const Profile& profile_;
  std::vector<std::vector<ApiId>> of_thread_;  // Of threads that have some, in order of time.
};

/// Answers gaps in any order. Building it is O(Python frames + host rows); it keeps a parent for
/// each frame.
class GapActivities {
 public:
  /// The context must outlive this.
  explicit GapActivities(const iterations::RankContext& rank);

  /// Among events over more than half of the gap: Python functions of the user's own files,
  /// operators, ranges and garbage collections of the launching thread, else of any thread of the
  /// profile (the first 256 that have some). Libraries' functions count only where nothing else
  /// does, and the outermost is one that did not run during the whole window, if there is one.
  /// O(log n + depth) for each thread, of 1 024 levels at most.
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
  std::vector<ThreadId> threads_;                             // With anything to look at.
  boost::unordered_flat_map<std::uint32_t, Source> sources_;  // By name.
};

}  // namespace profgauge::analysis::breakdown
