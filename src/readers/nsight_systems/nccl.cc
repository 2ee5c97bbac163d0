#include "readers/nsight_systems/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "readers/database/sqlite_table.h"

namespace profgauge::readers::nsight {
namespace {

// NVTX's numbers of the types that NCCL uses.
enum PayloadType : std::int64_t {
  kPayloadInt = 5,
  kPayloadUnsigned = 6,
  kPayloadInt32 = 15,
  kPayloadUint32 = 16,
  kPayloadInt64 = 17,
  kPayloadUint64 = 18,
  kPayloadSize = 22
};
// The size of the header before a payload, and the position of the schema's number in it.
constexpr std::size_t kHeader = 32, kSchemaAt = 8;

// A field of binaryData: | 8 bytes | schema 4 | … to 32 | fields, each at its schema's offset |
struct Field {
  std::string name;
  std::size_t offset = 0;  ///< After the header.
  std::size_t bytes = 0;   ///< The size, 4 or 8; 0: the type is not read.
};
using Schemas = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Field>>;

std::size_t SizeOf(std::int64_t type) {
  if (type == kPayloadInt || type == kPayloadUnsigned || type == kPayloadInt32 ||
      type == kPayloadUint32)
    return 4;
  return type == kPayloadInt64 || type == kPayloadUint64 || type == kPayloadSize ? 8 : 0;
}

/// Reads the fields of each (domain, schema). Skips fields at offsets beyond 4 KiB.
Result<Schemas> ReadSchemas(Import& import) {
  PROFGAUGE_TRY(
      auto scan,
      TableScan::Open(
          import.tables, "NVTX_PAYLOAD_SCHEMA_ENTRIES",
          {{{"domainId"}}, {{"schemaId"}}, {{"type"}}, {{"name"}}, {{"offset"}}, {{"idx"}}}));
  Schemas schemas;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    const std::int64_t offset = scan.Integer(4, 0);  // The offset of the first field is null.
    if (offset < 0 || offset > 4096) return;
    schemas[{scan.Integer(0), scan.Integer(1)}].push_back(
        {std::string(scan.Text(3)), static_cast<std::size_t>(offset), SizeOf(scan.Integer(2))});
  }));
  return schemas;
}

/// Reads a little-endian number: all machines with these GPUs are little-endian.
std::uint64_t NumberAt(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = size; i-- > 0;) {
    number = number << 8 | static_cast<std::uint8_t>(bytes[at + i]);
  }
  return number;
}

/// The numbers of a payload by field name. Has none if the payload cannot be read.
class Payload {
 public:
  Payload(const Schemas& schemas, std::int64_t domain, std::string_view bytes) : bytes_(bytes) {
    if (bytes.size() < kHeader) return;
    const auto schema =
        schemas.find({domain, static_cast<std::int64_t>(NumberAt(bytes, kSchemaAt, 4))});
    if (schema != schemas.end()) fields_ = &schema->second;
  }
  std::optional<std::uint64_t> Number(std::string_view name) const {
    if (fields_ == nullptr) return std::nullopt;
    const auto field = std::find_if(fields_->begin(), fields_->end(),
                                    [&](const Field& each) { return each.name == name; });
    if (field == fields_->end() || field->bytes == 0 ||
        kHeader + field->offset + field->bytes > bytes_.size()) {
      return std::nullopt;
    }
    return NumberAt(bytes_, kHeader + field->offset, field->bytes);
  }

 private:
  std::string_view bytes_;
  const std::vector<Field>* fields_ = nullptr;
};

constexpr std::string_view kCommunicator = "NCCL communicator ID";

struct Communicator {
  std::int64_t ranks = -1, rank = -1;
};
/// Communicators by process and id.
using Communicators = std::map<std::pair<std::int64_t, std::uint64_t>, Communicator>;

struct Range {
  std::int64_t thread = 0;
  Ns start = 0;
  std::string name;
  CollectiveId collective;
};

std::int64_t Count(std::optional<std::uint64_t> number) {
  constexpr std::uint64_t kLargestNumber = std::uint64_t{1} << 50;
  return number && *number < kLargestNumber ? static_cast<std::int64_t>(*number) : -1;
}

bool IsAnyOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// For calls that gather, scatter or exchange, NCCL records the bytes of one rank's part:
///
///   ncclAllGather, 4 ranks, 1 MB     in 1 MB, out 4 MB
///   ncclReduceScatter                in 4 MB, out 1 MB
///   ncclAllReduce                    in 1 MB, out 1 MB
class Reading {
 public:
  Reading(Import& import, Schemas schemas) : import_(import), schemas_(std::move(schemas)) {}

  // Scans the rows twice, since they have no order and calls need the communicators.
  Result<std::vector<Range>> Run() {
    PROFGAUGE_CHECK(Scan([&](std::string_view, std::int64_t thread, const Payload& payload, Ns) {
      const auto id = payload.Number(kCommunicator);
      const std::int64_t ranks = Count(payload.Number("No. of ranks"));
      if (!id || ranks <= 0) return;
      communicators_[{ProcessOf(thread), *id}] = {ranks, Count(payload.Number("Rank"))};
    }));
    std::vector<Range> ranges;
    PROFGAUGE_CHECK(
        Scan([&](std::string_view name, std::int64_t thread, const Payload& payload, Ns start) {
          ranges.push_back({thread, start, std::string(name), Of(name, thread, payload)});
        }));
    return ranges;
  }

 private:
  template <class Take>
  Status Scan(Take take) {
    PROFGAUGE_TRY(auto scan, TableScan::Open(import_.tables, "NVTX_EVENTS",
                                             {{{"start"}},
                                              {{"globalTid"}},
                                              {{"domainId"}},
                                              {{"text"}},
                                              {{"textId"}},
                                              {{"binaryData"}}}));
    return scan.ForEach([&] {
      const StringId registered = import_.String(scan.Integer(4, -1));
      const std::string_view name =
          scan.IsSet(3) ? scan.Text(3) : import_.builder->Name(registered);
      if (!name.starts_with("nccl") || !scan.IsSet(0)) return;
      take(name, scan.Integer(1), Payload(schemas_, scan.Integer(2), scan.Text(5)),
           scan.Integer(0));
    });
  }

  CollectiveId Of(std::string_view name, std::int64_t thread, const Payload& payload) {
    auto bytes = Count(payload.Number("Message size [bytes]"));
    if (bytes < 0) bytes = Count(payload.Number("Bytes"));
    if (bytes < 0) return {};
    Collective call;
    call.name = import_.builder->Intern(name);
    call.dtype = import_.builder->Intern("bytes");
    Communicator group;
    if (const auto id = payload.Number(kCommunicator)) {
      call.group = import_.builder->Intern(fmt::format("0x{:016x}", *id));
      const auto known = communicators_.find({ProcessOf(thread), *id});
      if (known != communicators_.end()) group = known->second;
    }
    call.group_size = group.ranks;
    SetSizes(name, bytes, group.ranks, call);
    const std::int64_t peer = Count(payload.Number("Peer rank"));
    const bool sends = name == "ncclSend";
    if (sends || name == "ncclRecv") {
      call.source_rank = sends ? group.rank : peer;
      call.destination_rank = sends ? peer : group.rank;
    }
    return import_.builder->AddCollective(call);
  }

  // Computes input and output bytes from `bytes`, one rank's part of gathered or scattered data.
  static void SetSizes(std::string_view name, std::int64_t bytes, std::int64_t ranks,
                       Collective& call) {
    const bool gathers = IsAnyOf(name, {"ncclAllGather", "ncclGather"});
    const bool scatters = IsAnyOf(name, {"ncclReduceScatter", "ncclScatter"});
    const bool exchanges = IsAnyOf(name, {"ncclAlltoAll", "ncclAllToAll"});
    if (!gathers && !scatters && !exchanges) {
      call.in_elements = call.out_elements = bytes;
    } else if (ranks > 0 && ranks < (std::int64_t{1} << 12)) {
      call.in_elements = gathers ? bytes : bytes * ranks;
      call.out_elements = scatters ? bytes : bytes * ranks;
    }
  }

  Import& import_;
  Schemas schemas_;
  Communicators communicators_;
};

}  // namespace

Result<NcclCalls> NcclCalls::Read(Import& import) {
  PROFGAUGE_TRY(Schemas schemas, ReadSchemas(import));
  NcclCalls calls;
  if (schemas.empty()) return calls;
  PROFGAUGE_TRY(std::vector<Range> ranges, Reading(import, std::move(schemas)).Run());
  std::stable_sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::pair(a.thread, a.start) < std::pair(b.thread, b.start);
  });
  //   ncclGroupStart  ncclSend  ncclRecv  ncclGroupEnd      two calls: the end has none
  //   ncclGroupStart  ncclAllReduce  ncclGroupEnd           one call: the end has it
  //
  // The range of a group's end has the collective, because the group's kernels are launched in it.
  int depth = 0, of_group = 0;
  CollectiveId last;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    Range& range = ranges[i];
    if (i == 0 || ranges[i - 1].thread != range.thread) depth = 0;
    if (range.name == "ncclGroupStart") {
      if (depth++ == 0) of_group = 0;
    } else if (range.name == "ncclGroupEnd" && depth > 0) {
      if (--depth == 0 && of_group == 1) range.collective = last;
    } else if (range.collective.valid()) {
      ++of_group;
      last = range.collective;
    }
    if (range.collective.valid()) calls.by_range_[{range.thread, range.start}] = range.collective;
  }
  return calls;
}

CollectiveId NcclCalls::Of(std::int64_t thread, Ns start) const {
  const auto found = by_range_.find({thread, start});
  return found == by_range_.end() ? CollectiveId{} : found->second;
}

}  // namespace profgauge::readers::nsight
