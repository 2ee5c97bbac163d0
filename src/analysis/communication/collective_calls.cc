// Finds collective calls, and their sizes: analysis/communication/collective_calls.h.

#include "analysis/communication/collective_calls.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/breakdown/host_waits.h"
#include "analysis/classify/arguments.h"
#include "analysis/classify/communication_rules.h"
#include "analysis/classify/device_spans.h"
#include "analysis/classify/kernel_name.h"
#include "analysis/classify/name_memo.h"
#include "analysis/communication/communication.h"
#include "analysis/communication/peers.h"
#include "analysis/iterations/observed.h"
#include "base/interval.h"
#include "base/numbers.h"

namespace profgauge::analysis::communication {
namespace {

// Uses the profiler's own record of the call, e.g. Kineto's `Collective name`, `In msg nelems`.
void DescribeBy(const Profile& profile, const Collective& collective, CollectiveCall& call) {
  const std::string_view recorded = profile.Name(collective.name);
  call.kind = classify::CollectiveKindOf(recorded);
  call.name = std::string(recorded);
  call.group = std::string(profile.Name(collective.group));
  call.group_description = std::string(profile.Name(collective.description));
  call.dtype = std::string(classify::CanonicalDtype(profile.Name(collective.dtype)));
  call.group_size = classify::CollectiveGroupSize(profile, collective);
  call.in_elements = collective.in_elements;
  call.out_elements = collective.out_elements;
  call.sequence = collective.sequence;
  call.source = collective.source_rank;
  call.destination = collective.destination_rank;
  call.bytes = classify::CollectiveBytes(profile, collective);
  call.is_uneven = recorded == "all_to_allv";
}

// Sets fields that the call does not have yet, from one operator.
void AddFromOp(const Profile& profile, std::uint32_t row, CollectiveCall& call) {
  const HostTable& host = profile.host;
  const std::string_view name = profile.Name(host.name[row]);
  const std::string_view dtypes = profile.Name(host.input_dtypes[row]);
  const OpSize size = SizeOfOp(name, call.kind, profile.Name(host.input_shapes[row]), dtypes,
                               profile.Name(host.concrete_inputs[row]));
  if (call.bytes < 0) call.bytes = size.bytes;
  if (call.chunk < 0) call.chunk = size.chunk;
  if (call.group_size < 0) call.group_size = size.group_size;
  if (call.dtype.empty()) call.dtype = std::string(classify::FirstTensorDtype(dtypes));
}

// The kinds of communication operators, by name, found once per name.
class OpKinds {
 public:
  explicit OpKinds(const Profile& profile)
      : profile_(profile),
        communicates_(profile, classify::IsCommunicationOp),
        kinds_(profile.strings.size()) {}

  /// The kind for communication operators; none for others.
  std::optional<classify::CollectiveKind> Of(StringId name) {
    if (!communicates_(name)) return std::nullopt;
    std::optional<classify::CollectiveKind>& kind = kinds_[name.value];
    if (!kind) kind = classify::CollectiveKindOf(profile_.Name(name));
    return kind;
  }

 private:
  const Profile& profile_;
  classify::NameMemo communicates_;
  std::vector<std::optional<classify::CollectiveKind>> kinds_;
};

// Describes the call by the communication operators around its launch. The innermost gives the
// kind; outer ones give missing data (PyTorch's own range is inside the process group's operator).
// Returns false if there are none.
bool DescribeByOps(const Profile& profile, HostId op, OpKinds& kinds, CollectiveCall& call) {
  const HostTable& host = profile.host;
  bool found = false;
  for (; op.valid(); op = host.parent[op.value]) {
    const std::uint32_t row = op.value;
    if (!found && host.collective[row].valid()) {
      DescribeBy(profile, profile.collectives[host.collective[row].value], call);
      return true;
    }
    const auto kind = kinds.Of(host.name[row]);
    if (!kind || kind == classify::CollectiveKind::kOther || (found && kind != call.kind)) continue;
    if (!found) {
      call.kind = *kind;
      call.name = std::string(profile.Name(host.name[row]));
    }
    found = true;
    AddFromOp(profile, row, call);
  }
  return found;
}

// The innermost range around the launch, of any kind: "nccl:all_reduce" is no operator.
HostId InnermostRange(const Profile& profile, std::size_t row) {
  const ApiId launch = profile.device.launch[row];
  const HostId range = launch.valid() ? profile.api.op[launch.value] : HostId{};
  return range.valid() ? range : profile.device.op[row];
}

// Finds the sender and receiver of a transfer: from its record, else from names of ranges if one
// end is unknown, else from its batch if both are.
void FindPeers(const Profile& profile, std::size_t row, const Peers& peers, CollectiveCall& call) {
  if (call.kind != classify::CollectiveKind::kSendRecv) return;
  peers.SetOwn(call.name, call);
  for (HostId op = InnermostRange(profile, row); op.valid(); op = profile.host.parent[op.value]) {
    peers.SetByName(profile.Name(profile.host.name[op.value]), call);
  }
  peers.SetByBatch(row, call);
}

// Describes a call by three sources in this order: the kernel's record, the operators around its
// launch, the kernel's name. A record without a name has group and size, but not the kind.
void Describe(const iterations::RankContext& rank, std::size_t row, const Peers& peers,
              OpKinds& kinds, CollectiveCall& call) {
  const Profile& profile = *rank.profile;
  const CollectiveId recorded = profile.device.collective[row];
  if (recorded.valid() && profile.collectives[recorded.value].name.valid()) {
    DescribeBy(profile, profile.collectives[recorded.value], call);
  } else if (!DescribeByOps(profile, InnermostRange(profile, row), kinds, call)) {
    if (recorded.valid()) DescribeBy(profile, profile.collectives[recorded.value], call);
    call.kind = rank.classes[row].kind;
    call.name = std::string(classify::WithoutArguments(profile.Name(profile.device.name[row])));
  }
  FindPeers(profile, row, peers, call);
  if (call.kind != classify::CollectiveKind::kOther)
    call.name = std::string(classify::CollectiveKindId(call.kind));
  if (call.is_uneven) call.name = "all_to_allv";
}

// Gloo communicates on the host; its ranges are the calls.
void CollectHostCalls(const iterations::RankContext& rank, OpKinds& kinds,
                      std::vector<CollectiveCall>& calls) {
  const Profile& profile = *rank.profile;
  const HostTable& host = profile.host;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const std::string_view name = profile.Name(host.name[row]);
    if (!name.starts_with("gloo:")) continue;
    CollectiveCall& call = calls.emplace_back();
    DescribeByOps(profile, HostId{row}, kinds, call);
    if (call.kind != classify::CollectiveKind::kOther)
      call.name = std::string(classify::CollectiveKindId(call.kind));
    if (call.name.empty()) call.name = std::string(name);
    call.time = {host.start[row], host.start[row] + host.duration[row]};
    call.iteration = NumberOfIteration(rank, rank.iterations.AtHostTime(host.start[row]));
    call.in_iterations = rank.InIterations(HostId{row});
  }
}

// Sets the exposed time of collectives on the host like the breakdown: no kernel runs, and no
// operator beside them. Time in several calls counts for the first. REQUIRES: sorted by start.
void ExposeHostCalls(const iterations::RankContext& rank, std::vector<CollectiveCall>& calls) {
  std::vector<Span> kernels;
  for (const auto& device : classify::CollectDeviceSpans(*rank.profile, rank.classes)) {
    kernels.insert(kernels.end(), device.compute.begin(), device.compute.end());
  }
  const std::vector<Span> open =
      Subtract(Subtract(breakdown::OpenHostCommunication(*rank.profile), Merge(std::move(kernels))),
               iterations::UncountedParts(rank.unobserved, rank.iterations));
  Ns given = std::numeric_limits<Ns>::min();
  for (CollectiveCall& call : calls) {
    const Span own{std::max(call.time.start, given), call.time.end};
    if (own.end <= own.start) continue;
    call.exposed = OverlapLength(Near(open, own), std::span(&own, 1));
    given = own.end;
  }
}

// Finds missing group sizes from the members of the call's group.
void SizeByMembers(const std::vector<ProcessGroup>& groups, std::vector<CollectiveCall>& calls) {
  std::map<std::string_view, std::int64_t> sizes;
  for (const ProcessGroup& group : groups) {
    const auto members = static_cast<std::int64_t>(group.ranks.size());
    if (const std::int64_t size = members > 0 ? members : group.size; size > 0) {
      sizes.emplace(group.name, size);
    }
  }
  if (sizes.empty()) return;
  for (CollectiveCall& call : calls) {
    if (call.group_size > 0) continue;
    const auto found = sizes.find(call.group);
    if (found != sizes.end()) call.group_size = found->second;
  }
}

}  // namespace

// The recorded number, so that profiles that start at different iterations match.
std::int64_t NumberOfIteration(const iterations::RankContext& rank, std::uint32_t iteration) {
  if (iteration == iterations::Iterations::kNone) return -1;
  return iterations::NumberOf(rank.iterations.all[iteration], iteration);
}

// O(device rows + calls log calls). Gloo ranges only count if no device communicates.
std::vector<CollectiveCall> CollectCollectives(const iterations::RankContext& rank) {
  const Profile& profile = *rank.profile;
  const DeviceTable& device = profile.device;
  std::vector<CollectiveCall> calls;
  const Peers peers(rank);
  OpKinds kinds(profile);
  const OptionalColumn<Ns>& exposed = rank.ExposedOf(classify::Exposable::kCollectives);
  std::size_t count = 0;  // Reserved in one step: calls are large.
  for (std::size_t i = 0; i < device.size(); ++i) count += rank.classes[i].collective ? 1 : 0;
  calls.reserve(count);
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (!rank.classes[i].collective) continue;
    CollectiveCall& call = calls.emplace_back();
    Describe(rank, i, peers, kinds, call);
    call.time = {device.start[i], device.start[i] + device.duration[i]};
    call.exposed = exposed[i];
    call.iteration = NumberOfIteration(rank, rank.iterations.of_device[i]);
    call.in_iterations = rank.InIterations(DeviceId{static_cast<std::uint32_t>(i)});
    call.event = static_cast<std::uint32_t>(i);
  }
  const bool of_host = calls.empty();
  if (of_host) CollectHostCalls(rank, kinds, calls);
  const auto earlier = [](const CollectiveCall& a, const CollectiveCall& b) {
    return a.time.start < b.time.start;
  };
  // Already sorted if only one stream communicates.
  if (!std::is_sorted(calls.begin(), calls.end(), earlier)) {
    std::stable_sort(calls.begin(), calls.end(), earlier);
  }
  if (of_host) ExposeHostCalls(rank, calls);
  SizeByMembers(profile.distributed.groups, calls);
  return calls;
}

namespace {

std::optional<std::int64_t> WholeNumber(std::string_view text) {
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// Number of elements of "[8, 1024]", or of all tensors in "[[8], [1024]]"; -1 if not a tensor.
double ElementsOf(std::string_view shape) {
  const auto items = classify::SplitList(shape);
  if (items.empty()) return -1;
  double product = 1, sum = 0;
  const bool is_list = items.front().starts_with('[');
  for (const std::string_view item : items) {
    if (is_list) {
      const double elements = ElementsOf(item);
      if (elements < 0) return -1;
      sum += elements;
      continue;
    }
    const auto size = WholeNumber(item);
    if (!size) return -1;
    product *= static_cast<double>(*size);
  }
  return is_list ? sum : product;
}

// -1 for invalid sizes: 0, negative, or above the exact integers of a double.
std::int64_t Whole(double bytes) {
  return bytes > 0 && bytes < kLargestWhole ? static_cast<std::int64_t>(std::llround(bytes)) : -1;
}

// Sizes of arguments in bytes; -1 for arguments that are no tensors.
class Arguments {
 public:
  Arguments(std::string_view shapes, std::string_view dtypes)
      : shapes_(classify::SplitList(shapes)), dtypes_(classify::SplitList(dtypes)) {}
  std::int64_t At(std::size_t i) const {
    if (i >= shapes_.size() || i >= dtypes_.size()) return -1;
    const double elements = ElementsOf(shapes_[i]);
    return elements < 0 ? -1 : Whole(elements * classify::DtypeBytes(dtypes_[i]));
  }
  /// Total of all tensors, for a backend's own range.
  std::int64_t All() const {
    double sum = 0;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (const std::int64_t bytes = At(i); bytes > 0) sum += static_cast<double>(bytes);
    }
    return Whole(sum);
  }

 private:
  std::vector<std::string_view> shapes_, dtypes_;
};

// The number of chunks in the whole; -1 if the chunk does not divide it, i.e. is no part of it.
std::int64_t Ratio(std::int64_t whole, std::int64_t chunk) {
  return chunk > 0 && whole >= chunk && whole % chunk == 0 ? whole / chunk : -1;
}

bool IsGathered(classify::CollectiveKind kind) {
  return kind == classify::CollectiveKind::kAllGather || kind == classify::CollectiveKind::kGather;
}
bool IsScattered(classify::CollectiveKind kind) {
  return kind == classify::CollectiveKind::kReduceScatter ||
         kind == classify::CollectiveKind::kScatter;
}

OpSize SizeOfPair(classify::CollectiveKind kind, std::int64_t output, std::int64_t input) {
  OpSize size;
  size.bytes = IsGathered(kind) ? output : input;
  if (IsGathered(kind)) {
    size.chunk = input;
    size.group_size = Ratio(output, input);
  } else if (IsScattered(kind)) {
    size.group_size = Ratio(input, output);
  }
  return size;
}

// The sizes of an operator whose input is either the whole buffer or one rank's part of it.
OpSize SizeOfInput(classify::CollectiveKind kind, std::int64_t input, std::int64_t group_size) {
  OpSize size;
  size.group_size = group_size;
  if (!IsGathered(kind)) {
    size.bytes = input;
    return size;
  }
  size.chunk = input;
  if (group_size > 0 && input > 0) {
    size.bytes = Whole(static_cast<double>(input) * static_cast<double>(group_size));
  }
  return size;
}

// Gathers have (input, group_size, group), scatters (input, operation, group_size, group).
std::int64_t GroupSizeArgument(classify::CollectiveKind kind, std::string_view values) {
  const auto items = classify::SplitList(values);
  const std::size_t at = IsScattered(kind) ? 2 : 1;
  if ((!IsGathered(kind) && !IsScattered(kind)) || items.size() <= at) return -1;
  return WholeNumber(items[at]).value_or(-1);
}

}  // namespace

// The sizes by the form of the operator:
//
//   name                     inputs                                size of the whole buffer
//   c10d:: gather, scatter,  (output, input, ...)                  a gather's output, else the
//     all_to_all                                                   input
//   c10d:: others            (tensor, ...)                         the tensor
//   NAMESPACE::op            (input, [operation,] group size, ..)  the input; of a gather times the
//                                                                  size of the group
//   nccl:op, a range         (inputs)                              all inputs; of a gather they are
//                                                                  one rank's part
OpSize SizeOfOp(std::string_view name, classify::CollectiveKind kind, std::string_view shapes,
                std::string_view dtypes, std::string_view values) {
  if (kind == classify::CollectiveKind::kBarrier || kind == classify::CollectiveKind::kOther)
    return {};
  const Arguments arguments(shapes, dtypes);
  if (name.starts_with("c10d::")) {
    const bool has_output =
        IsGathered(kind) || IsScattered(kind) || kind == classify::CollectiveKind::kAllToAll;
    return has_output ? SizeOfPair(kind, arguments.At(0), arguments.At(1))
                      : SizeOfInput(kind, arguments.At(0), -1);
  }
  const bool is_functional = name.find("::") != std::string_view::npos;
  if (is_functional) return SizeOfInput(kind, arguments.At(0), GroupSizeArgument(kind, values));
  return SizeOfInput(kind, arguments.All(), -1);
}

}  // namespace profgauge::analysis::communication
