// PyProf's prof stage for one kernel: parameters, Tensor Core use, FLOPs and bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/classify/kernel_class.h"
#include "analysis/context/kernel_work.h"
#include "analysis/work/op_call.h"
#include "exports/pyprof/columns.h"
#include "exports/pyprof/record.h"

namespace profgauge::exports::pyprof {

struct ProfResult {
  std::string module, op;          ///< Empty: the record's first.
  std::string params = "na=na,";   ///< "T=(35,20),fp32," or "[35,20]fp32;[]fp32".
  std::string tensor_core = "na";  ///< 1, 0, - (the op cannot use them) or na (unknown).
  /// As Python prints them: "12", "12.0". An unknown one is 0 in PyProf's dialects, na in ours.
  std::string flops = "0", bytes = "0";
  bool understood = false;
};

/// The profile must outlive it. The constructor classifies all kernels and counts the work of all
/// operators, so one object serves all records of a profile.
class Prof {
 public:
  Prof(const Profile& profile, Dialect dialect);
  Prof(const Prof&) = delete;  // The division refers to the other members.
  Prof& operator=(const Prof&) = delete;
  ProfResult operator()(const KernelRecord& record) const;

 private:
  ProfResult Ours(const KernelRecord& record, std::optional<analysis::work::OpCall> call) const;
  /// For kernels without markers: their part of the work of the operator around them.
  void DivideWork(const KernelRecord& record, ProfResult& result) const;

  const Profile& profile_;
  Dialect dialect_;
  analysis::classify::KernelClasses classes_;
  analysis::work::OpWorks works_;
  analysis::context::WorkDivision division_;
};

}  // namespace profgauge::exports::pyprof
