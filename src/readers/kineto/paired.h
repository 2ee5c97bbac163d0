// Separate begin and end events ("ph": "B" and "E"): on each thread an end closes the range that
// began last. PyTorch writes whole ones; tools that convert or merge traces may not.
//
//   time      0    2    5    9            a stack per thread, by time
//   thread 1  B a  B b  E    E            b is 2 to 5, a is 0 to 9
//   thread 2       B c       (no E)       c is counted as unreadable
//
// An end has no name: where a range overlaps another without nesting, their ends are swapped.
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "model/profile_builder.h"

namespace profgauge::readers::kineto {

/// Rows of the same type for two tables.
struct SyncRow {
  StreamRow row;
};
struct RangeRow {
  StreamRow row;
};

/// One end of an event. Times decide, not the file's order; of several at one time that order.
/// `process` and `thread` are the builder's ids once Merge() has them.
struct ApartRow {
  StringId process, thread;  ///< As written.
  Ns time = 0;
  bool begins = false;
  /// A begin, without a length yet; nothing for unmeasured kinds, whose ends are still consumed.
  std::variant<std::monostate, HostRow, ApiRow, DeviceRow, PythonRow, SyncRow, RangeRow> row;
};

/// Those of one trace. O(n log n) in their number, and keeps all of them until Finish(): an end may
/// be any number of chunks after its begin.
class PairedEvents {
 public:
  /// A begin or an end, in the order of the file.
  void Add(ApartRow row) { rows_.push_back(std::move(row)); }
  /// Adds the events that have both ends, and counts the others as unreadable.
  void Finish(ProfileBuilder& builder);
  /// Those since the last call, for who pairs them by other rules.
  std::vector<ApartRow> Take() { return std::exchange(rows_, {}); }

 private:
  std::vector<ApartRow> rows_;
};

}  // namespace profgauge::readers::kineto
