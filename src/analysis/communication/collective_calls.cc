// Finding and matching collective calls: analysis/communication/communication.h.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <utility>

#include "analysis/classify/device_spans.h"
#include "analysis/classify/dtypes.h"
#include "analysis/communication/communication.h"

namespace profgauge {
namespace {

bool IsCommunicationOp(std::string_view name) {
  for (const std::string_view prefix :
       {"nccl:", "rccl:", "gloo:", "c10d::", "_c10d_functional::", "c10d_functional::"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

// Elements times size of all inputs of an operator, or -1.
std::int64_t InputBytes(std::string_view shapes, std::string_view dtypes) {
  const std::vector<std::string_view> items = SplitList(shapes);
  const std::vector<std::string_view> types = SplitList(dtypes);
  double bytes = 0;
  for (std::size_t i = 0; i < items.size() && i < types.size(); ++i) {
    const std::vector<std::string_view> sizes = SplitList(items[i]);
    if (sizes.empty()) continue;
    double elements = 1;
    for (const std::string_view text : sizes) {
      std::int64_t size = -1;
      std::from_chars(text.data(), text.data() + text.size(), size);
      if (size < 0) return -1;
      elements *= static_cast<double>(size);
    }
    bytes += elements * DtypeBytes(types[i]);
  }
  return bytes > 0 && bytes < 9e18 ? static_cast<std::int64_t>(std::llround(bytes)) : -1;
}

void DescribeBy(const Profile& profile, const Collective& collective, CollectiveCall& call) {
  const std::string_view recorded = profile.Name(collective.name);
  call.kind = CollectiveKindOf(recorded);
  call.name = std::string(recorded);
  call.group = std::string(profile.Name(collective.group));
  call.group_description = std::string(profile.Name(collective.description));
  call.dtype = std::string(CanonicalDtype(profile.Name(collective.dtype)));
  call.group_size = collective.group_size;
  call.in_elements = collective.in_elements;
  call.out_elements = collective.out_elements;
  call.sequence = collective.sequence;
  call.source = collective.source_rank;
  call.destination = collective.destination_rank;
  call.bytes = CollectiveBytes(profile, collective);
}

// From the innermost communication operator around the launch. False: there is none.
bool DescribeByOps(const Profile& profile, HostId op, CollectiveCall& call) {
  const HostTable& host = profile.host;
  for (; op.valid(); op = host.parent[op.value]) {
    const std::uint32_t row = op.value;
    if (host.collective[row].valid()) {
      DescribeBy(profile, profile.collectives[host.collective[row].value], call);
      return true;
    }
    const std::string_view name = profile.Name(host.name[row]);
    if (!IsCommunicationOp(name) || CollectiveKindOf(name) == CollectiveKind::kOther) continue;
    call.kind = CollectiveKindOf(name);
    call.name = std::string(name);
    const std::string_view dtypes = profile.Name(host.input_dtypes[row]);
    call.dtype = std::string(FirstTensorDtype(dtypes));
    call.bytes = InputBytes(profile.Name(host.input_shapes[row]), dtypes);
    return true;
  }
  return false;
}

void Describe(const Profile& profile, std::size_t row, CollectiveCall& call) {
  const CollectiveId recorded = profile.device.collective[row];
  if (recorded.valid()) {
    DescribeBy(profile, profile.collectives[recorded.value], call);
  } else if (!DescribeByOps(profile, profile.device.op[row], call)) {
    const std::string_view kernel = profile.Name(profile.device.name[row]);
    call.kind = CollectiveKindOf(kernel);
    call.name = std::string(kernel.substr(0, kernel.find('(')));
  }
  if (call.kind != CollectiveKind::kOther) call.name = std::string(CollectiveKindId(call.kind));
}

// Gloo communicates on the host; its ranges are the communication itself.
void CollectHostCalls(const RankContext& rank, std::vector<CollectiveCall>& calls) {
  const Profile& profile = *rank.profile;
  const HostTable& host = profile.host;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const std::string_view name = profile.Name(host.name[row]);
    if (!name.starts_with("gloo:")) continue;
    CollectiveCall& call = calls.emplace_back();
    DescribeByOps(profile, HostId{row}, call);
    if (call.kind != CollectiveKind::kOther) call.name = std::string(CollectiveKindId(call.kind));
    if (call.name.empty()) call.name = std::string(name);
    call.time = {host.start[row], host.start[row] + host.duration[row]};
    call.iteration = rank.iterations.AtHostTime(host.start[row]);
    call.in_iterations = rank.InIterations(HostId{row});
  }
}

}  // namespace

std::vector<CollectiveCall> CollectCollectives(const RankContext& rank) {
  const Profile& profile = *rank.profile;
  const DeviceTable& device = profile.device;
  std::vector<CollectiveCall> calls;
  const std::vector<Ns> exposed = ExposedTimes(profile, rank.classes);
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (!rank.classes[i].collective) continue;
    CollectiveCall& call = calls.emplace_back();
    Describe(profile, i, call);
    call.time = {device.start[i], device.start[i] + device.duration[i]};
    call.exposed = exposed[i];
    call.iteration = rank.iterations.of_device[i];
    call.in_iterations = rank.InIterations(DeviceId{static_cast<std::uint32_t>(i)});
    call.event = static_cast<std::uint32_t>(i);
  }
  if (calls.empty()) CollectHostCalls(rank, calls);
  std::stable_sort(
      calls.begin(), calls.end(),
      [](const CollectiveCall& a, const CollectiveCall& b) { return a.time.start < b.time.start; });
  return calls;
}

}  // namespace profgauge
