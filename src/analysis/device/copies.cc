#include "analysis/device/copies.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/classify/device_spans.h"

namespace profgauge {
namespace {

constexpr std::array<std::string_view, 8> kKindNames = {"unknown", "h2d", "d2h",     "d2d",
                                                        "p2p",     "h2h", "unknown", "memset"};
constexpr std::uint8_t kMemset = 7;
constexpr std::array<std::string_view, 3> kHostNames = {"unknown", "pageable", "pinned"};

struct CopySums {
  std::int64_t calls = 0;
  Ns time = 0, exposed = 0;
  std::int64_t bytes = 0;
  Ns sized_time = 0;  // Of the copies whose size is known.
  std::int64_t sized = 0;
};

struct CopyRow {
  std::uint8_t kind = 0;
  HostMemory host_memory = HostMemory::kUnknown;
  std::size_t rank = 0;
  std::int32_t gpu = -1;
  CopySums sums;
  std::vector<std::uint32_t> events;  // Rows of the rank's device table.
};

std::uint8_t KindOf(const DeviceTable& device, std::size_t row) {
  if (device.kind[row] == DeviceKind::kMemset) return kMemset;
  return static_cast<std::uint8_t>(device.copy[row]);
}

void CollectRows(const RankContext& rank, std::size_t position, std::vector<CopyRow>& rows) {
  const DeviceTable& device = rank.profile->device;
  const std::vector<Ns> exposed = ExposedTimes(*rank.profile, rank.classes);
  const std::size_t first = rows.size();  // A handful per rank: look through them.
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (device.kind[i] == DeviceKind::kKernel) continue;
    if (!rank.InIterations(DeviceId{static_cast<std::uint32_t>(i)})) continue;
    const std::uint8_t kind = KindOf(device, i);
    std::size_t at = first;
    while (at < rows.size() && (rows[at].kind != kind || rows[at].gpu != device.gpu[i] ||
                                rows[at].host_memory != device.host_memory[i])) {
      ++at;
    }
    if (at == rows.size())
      rows.push_back({kind, device.host_memory[i], position, device.gpu[i], {}, {}});
    rows[at].events.push_back(static_cast<std::uint32_t>(i));
    CopySums& sums = rows[at].sums;
    ++sums.calls;
    sums.time += device.duration[i];
    sums.exposed += exposed[i];
    if (device.bytes[i] >= 0) {
      sums.bytes += device.bytes[i];
      sums.sized_time += device.duration[i];
      ++sums.sized;
    }
  }
}

double Bandwidth(const CopySums& sums) {
  return static_cast<double>(sums.bytes) * 1e9 / static_cast<double>(sums.sized_time);
}

void FillTable(std::vector<CopyRow> rows, std::span<const RankContext> ranks, Output& out) {
  std::stable_sort(rows.begin(), rows.end(), [](const CopyRow& a, const CopyRow& b) {
    return std::tuple(-a.sums.time, a.kind, a.host_memory, a.rank, a.gpu) <
           std::tuple(-b.sums.time, b.kind, b.host_memory, b.rank, b.gpu);
  });
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    std::vector<std::uint32_t>& row_of = out.RowsOfDevice("memcpys", rows[row].rank);
    row_of.resize(ranks[rows[row].rank].profile->device.size(), Output::kNoRow);
    for (const std::uint32_t event : rows[row].events) row_of[event] = row;
  }
  Table& table = out.AddTable("memcpys");
  StringPool& pool = out.strings();
  for (const CopyRow& row : rows) {
    table.Find("kind")->AddText(pool.Intern(kKindNames[row.kind]));
    table.Find("host_memory")
        ->AddText(pool.Intern(kHostNames[static_cast<std::size_t>(row.host_memory)]));
    table.Find("rank")->AddInteger(ranks[row.rank].rank);
    table.Find("gpu")->AddInteger(row.gpu);
    table.Find("calls")->AddInteger(row.sums.calls);
    table.Find("time")->AddInteger(row.sums.time);
    table.Find("mean")->AddInteger(row.sums.time / row.sums.calls);
    table.Find("exposed_time")->AddInteger(row.sums.exposed);
    Column& bytes = *table.Find("bytes");
    if (row.sums.sized > 0)
      bytes.AddInteger(row.sums.bytes);
    else
      bytes.AddAbsent();
    Column& bandwidth = *table.Find("bandwidth");
    if (row.sums.sized > 0 && row.sums.sized_time > 0)
      bandwidth.AddReal(Bandwidth(row.sums));
    else
      bandwidth.AddAbsent();
  }
}

void SetDirection(std::string_view id, const std::vector<CopyRow>& rows,
                  std::initializer_list<CopyKind> kinds, bool has_device, Output& out) {
  const std::string prefix = "memcpy." + std::string(id);
  CopySums sums;
  for (const CopyRow& row : rows) {
    const bool wanted = std::any_of(kinds.begin(), kinds.end(), [&](CopyKind kind) {
      return row.kind == static_cast<std::uint8_t>(kind);
    });
    if (!wanted) continue;
    sums.calls += row.sums.calls;
    sums.time += row.sums.time;
    sums.bytes += row.sums.bytes;
    sums.sized += row.sums.sized;
    sums.sized_time += row.sums.sized_time;
  }
  if (!has_device) {
    for (const char* part : {".time", ".bytes", ".bandwidth"}) {
      out.SetAbsent(prefix + part, out.Gap(Capability::kDeviceEvents));
    }
    return;
  }
  out.Set(prefix + ".time", sums.time);
  if (sums.sized == sums.calls) {
    out.Set(prefix + ".bytes", sums.bytes);
  } else {
    out.SetAbsent(prefix + ".bytes", "the recording does not give the size of every copy");
  }
  if (sums.sized_time > 0) {
    out.Set(prefix + ".bandwidth", Bandwidth(sums));
  } else {
    out.SetAbsent(prefix + ".bandwidth", "no such copy with a known size takes time");
  }
}

void SetPageableShare(const std::vector<CopyRow>& rows, Output& out) {
  std::int64_t pageable = 0, known = 0;
  for (const CopyRow& row : rows) {
    if (row.host_memory == HostMemory::kUnknown) continue;
    known += row.sums.bytes;
    if (row.host_memory == HostMemory::kPageable) pageable += row.sums.bytes;
  }
  if (known > 0) {
    out.Set("memcpy.pageable_share", static_cast<double>(pageable) / static_cast<double>(known));
  } else {
    out.SetAbsent("memcpy.pageable_share",
                  "no copy with a known size and a known kind of host memory was recorded");
  }
}

}  // namespace

void AddCopies(std::span<const RankContext> ranks, Output& out) {
  std::vector<CopyRow> rows;
  bool has_device = false;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    CollectRows(ranks[i], i, rows);
    has_device = has_device || ranks[i].has_device();
  }
  SetDirection("h2d", rows, {CopyKind::kHostToDevice}, has_device, out);
  SetDirection("d2h", rows, {CopyKind::kDeviceToHost}, has_device, out);
  SetDirection("d2d", rows, {CopyKind::kDeviceToDevice, CopyKind::kPeerToPeer}, has_device, out);
  SetPageableShare(rows, out);
  if (has_device) {
    FillTable(std::move(rows), ranks, out);
  } else {
    out.SetTableAbsent("memcpys", out.Gap(Capability::kDeviceEvents));
  }
}

}  // namespace profgauge
