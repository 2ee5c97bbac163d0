#include "readers/kineto/raw_event.h"

#include <boost/unordered/unordered_flat_map.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace profgauge::readers::kineto {
namespace {

struct Hash {
  std::size_t operator()(std::string_view text) const {
    return XXH3_64bits(text.data(), text.size());
  }
};
using Keys = boost::unordered_flat_map<std::string_view, Field, Hash>;

const Keys& EventKeys() {
  static const Keys keys = {
      {"ph", Field::kPhase},     {"cat", Field::kCategory}, {"name", Field::kName},
      {"pid", Field::kPid},      {"tid", Field::kTid},      {"ts", Field::kTime},
      {"dur", Field::kDuration}, {"id", Field::kId},        {"args", Field::kArgs},
  };
  return keys;
}

// All spellings of keys since 2020. No spelling has two meanings.
const Keys& ArgsKeys() {
  static const Keys keys = {
      {"correlation", Field::kCorrelation},
      // Calls and kernels of nightlies before PyTorch 1.8 have "external id"; 0 is none.
      {"External id", Field::kExternalId},
      {"external id", Field::kExternalId},
      {"device", Field::kDevice},
      {"stream", Field::kStream},
      {"sycl queue", Field::kStream},  // Streams of Intel XPU are called queues.
      {"bytes", Field::kBytes},
      {"registers per thread", Field::kRegisters},
      {"shared memory", Field::kSharedMemory},
      {"grid", Field::kGrid},
      {"block", Field::kBlock},
      {"blocks per SM", Field::kBlocksPerSm},
      {"warps per SM", Field::kWarpsPerSm},
      // PyTorch 1.9 renamed "theoretical" to "est. achieved".
      {"est. achieved occupancy %", Field::kOccupancy},
      {"theoretical occupancy %", Field::kOccupancy},
      {"Input Dims", Field::kInputDims},
      {"Input dims", Field::kInputDims},
      {"Input type", Field::kInputTypes},
      {"Concrete Inputs", Field::kConcreteInputs},
      {"Call stack", Field::kCallStack},
      {"Sequence number", Field::kSequence},
      {"Fwd thread id", Field::kForwardThread},
      {"Python id", Field::kPythonId},
      {"Python parent id", Field::kPythonParent},
      {"Python module id", Field::kPythonModule},
      {"Device Type", Field::kDeviceType},
      {"Device Id", Field::kDeviceId},
      {"Addr", Field::kAddress},
      {"Bytes", Field::kMemoryBytes},
      {"Total Allocated", Field::kTotalAllocated},
      {"Total Reserved", Field::kTotalReserved},
      {"Collective name", Field::kCollective},
      {"dtype", Field::kCollectiveType},
      {"In msg nelems", Field::kInElements},
      {"Out msg nelems", Field::kOutElements},
      {"Group size", Field::kGroupSize},
      {"Process Group Name", Field::kGroupName},
      {"Process Group ID", Field::kGroupId},  // The id before PyTorch 2.4; not the name.
      {"Process Group Description", Field::kGroupDescription},
      {"Seq", Field::kCollectiveSequence},
      {"Src Rank", Field::kSourceRank},
      {"Dst Rank", Field::kDestinationRank},
      {"name", Field::kLabel},
      {"rank", Field::kRank},      // TraceLens writes it into merged traces.
      {"", Field::kCounter},       // In samples of hardware counters.
      {"kernel", Field::kKernel},  // ROCm's profiler names the kernel at the launch.
  };
  return keys;
}

Field Find(const Keys& keys, std::string_view key) {
  const auto found = keys.find(key);
  return found == keys.end() ? Field::kNone : found->second;
}

}  // namespace

Field EventField(std::string_view key) { return Find(EventKeys(), key); }
Field ArgsField(std::string_view key) { return Find(ArgsKeys(), key); }

}  // namespace profgauge::readers::kineto
