#include "analysis/pyprof/prof.h"

namespace profgauge::pyprof {

Prof::Prof(const Profile& profile, Dialect dialect)
    : profile_(profile), dialect_(dialect), classes_(ClassifyDevice(profile)) {}

ProfResult Prof::operator()(const KernelRecord& record) const {
  ProfResult result;
  const Tri uses = classes_[record.row].tensor_core;
  if (dialect_ == Dialect::kOurs && uses != Tri::kUnknown) {
    result.tensor_core = uses == Tri::kYes ? "1" : "0";
  }
  return result;
}

}  // namespace profgauge::pyprof
