// PyProf's prof stage for one kernel: parameters, Tensor Core use, FLOPs and bytes.
#pragma once

#include <string>
#include <vector>

#include "analysis/classify/kernel_class.h"
#include "analysis/context/kernel_work.h"
#include "exports/pyprof/record.h"

namespace profgauge::exports::pyprof {

struct ProfResult {
  std::string module, op;          ///< Empty: the record's first.
  std::string params = "na=na,";   ///< "[35,20]fp32;[]fp32": the tensors of the call.
  std::string tensor_core = "na";  ///< 1, 0, - (the op cannot use them) or na (unknown).
  /// Whole numbers; na where unknown, 0 for kernels that only help another of their call.
  std::string flops = "0", bytes = "0";
  bool understood = false;
};

/// The profile must outlive it. The constructor classifies all kernels and counts the work of all
/// operators, so one object serves all records of a profile.
class Prof {
 public:
  explicit Prof(const Profile& profile);
  Prof(const Prof&) = delete;  // The division refers to the other members.
  Prof& operator=(const Prof&) = delete;
  ProfResult operator()(const KernelRecord& record) const;

 private:
  /// For kernels without markers: their part of the work of the operator around them.
  void DivideWork(const KernelRecord& record, ProfResult& result) const;

  const Profile& profile_;
  analysis::classify::KernelClasses classes_;
  analysis::work::OpWorks works_;
  analysis::context::WorkDivision division_;
};

}  // namespace profgauge::exports::pyprof
