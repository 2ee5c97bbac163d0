#include "readers/builtin.h"

#include <vector>

#include "readers/ascend/ascend_reader.h"
#include "readers/dlprof/dlprof_reader.h"
#include "readers/kineto/kineto_reader.h"
#include "readers/kineto/pftrace/pftrace_reader.h"
#include "readers/neuron/neuron_reader.h"
#include "readers/nsight_systems/nsight_reader.h"
#include "readers/nvprof/nvprof_reader.h"
#include "readers/pyprof/net_dict_reader.h"
#include "readers/rocprofv3/rocpd/rocpd_reader.h"
#include "readers/rocprofv3/rocprofv3_reader.h"
#include "readers/summary/summary_reader.h"
#include "readers/xla/xla_reader.h"

namespace profgauge {
namespace {

std::vector<std::unique_ptr<Reader>> MakeBuiltinReaders() {
  std::vector<std::unique_ptr<Reader>> made;
  made.push_back(readers::MakeSummaryReader());
  made.push_back(readers::MakeAscendTraceReader());
  made.push_back(readers::MakeAscendTableReader());
  made.push_back(readers::MakeRocprofv3Reader());
  made.push_back(readers::MakeRocpdReader());
  made.push_back(readers::MakeXPlaneReader());
  made.push_back(readers::MakeXlaTraceReader());
  made.push_back(readers::MakeKinetoReader());
  made.push_back(readers::MakePftraceReader());
  made.push_back(readers::MakeNeuronReader());
  made.push_back(readers::MakeNsightReader());
  made.push_back(readers::MakeNvprofReader());
  made.push_back(readers::MakeNetDictReader());
  made.push_back(readers::MakeDlprofDatabaseReader());
  made.push_back(readers::MakeDlprofReportReader());
  return made;
}

}  // namespace

std::span<const std::unique_ptr<Reader>> BuiltinReaders() {
  static const auto kReaders = MakeBuiltinReaders();
  return kReaders;
}

std::string_view WhatToCheckFirst(const Source& source) {
  for (const auto& reader : BuiltinReaders()) {
    if (const std::string_view check = reader->CheckFirst(source); !check.empty()) return check;
  }
  return {};
}

}  // namespace profgauge
