// Separate begin and end events ("ph": "B" and "E"): on each thread, an end closes the range that
// began last. PyTorch writes complete events; tools that convert or merge traces may not.
//
//   time      0    2    5    9            a stack per thread, by time
//   thread 1  B a  B b  E    E            b is 2 to 5, a is 0 to 9
//   thread 2       B c       (no E)       c is counted as unreadable
//
// Ends have no name: if two ranges overlap without nesting, their ends are swapped.
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "model/profile_builder.h"

namespace profgauge::readers::kineto {

/// Rows for two tables; distinct types of the same content.
struct SyncRow {
  StreamRow row;
};
struct RangeRow {
  StreamRow row;
};

/// The begin or the end of an event, ordered by time, then by position in the file. `process` and
/// `thread` are the builder's ids after Merge().
struct ApartRow {
  StringId process, thread;  ///< As written.
  Ns time = 0;
  bool begins = false;
  /// A begin, without a length yet; nothing for unmeasured kinds, whose ends are still consumed.
  std::variant<std::monostate, HostRow, ApiRow, DeviceRow, PythonRow, SyncRow, RangeRow> row;
};

/// The begins and ends of one trace. Keeps them all until Finish(), because an end may be many
/// chunks after its begin. O(n log n).
class PairedEvents {
 public:
  /// A begin or an end, in the order of the file.
  void Add(ApartRow row) { rows_.push_back(std::move(row)); }
  /// Adds the events that have a begin and an end, and counts the others as unreadable.
  void Finish(ProfileBuilder& builder);
  /// Removes and returns the ends since the last call, for code with other pairing rules.
  std::vector<ApartRow> Take() { return std::exchange(rows_, {}); }

 private:
  std::vector<ApartRow> rows_;
};

}  // namespace profgauge::readers::kineto
