#include "base/units.h"

namespace profgauge {

std::string_view UnitName(Unit unit) {
  switch (unit) {
    case Unit::kText: return "text";
    case Unit::kBool: return "bool";
    case Unit::kCount: return "count";
    case Unit::kNumber: return "number";
    case Unit::kTime: return "ns";
    case Unit::kShare: return "ratio";
    case Unit::kBytes: return "bytes";
    case Unit::kBandwidth: return "bytes/s";
    case Unit::kFlops: return "flop";
    case Unit::kFlopRate: return "flop/s";
  }
  return "number";
}

}  // namespace profgauge
