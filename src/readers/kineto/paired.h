// Separate begin and end events ("ph": "B" and "E"): on each thread an end closes the range that
// began last. PyTorch writes whole ones; tools that convert or merge traces may not.
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "model/profile_builder.h"

namespace profgauge::readers::kineto {

struct SyncRow {
  StreamRow row;
};
struct RangeRow {
  StreamRow row;
};

/// One end of an event. Times decide, not the file's order; of several at one time that order.
struct ApartRow {
  StringId process, thread;  ///< As written.
  Ns time = 0;
  bool begins = false;
  /// A begin, without a length yet; nothing for unmeasured kinds, whose ends are still consumed.
  std::variant<std::monostate, HostRow, ApiRow, DeviceRow, PythonRow, SyncRow, RangeRow> row;
};

/// Those of one trace. O(n log n) in their number, and keeps all of them until Finish().
class PairedEvents {
 public:
  void Add(ApartRow row) { rows_.push_back(std::move(row)); }
  /// Adds the events that have both ends, and counts the others as unreadable.
  void Finish(ProfileBuilder& builder);
  /// Those since the last call, for who pairs them by other rules.
  std::vector<ApartRow> Take() { return std::exchange(rows_, {}); }

 private:
  std::vector<ApartRow> rows_;
};

}  // namespace profgauge::readers::kineto
