#include "analysis/device/copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/catalog/device_columns.h"
#include "analysis/catalog/row_writer.h"
#include "analysis/classify/device_spans.h"
#include "analysis/iterations/observed.h"
#include "base/metric_id.h"

namespace profgauge::analysis::device {
namespace {

constexpr std::array<std::string_view, 8> kKindNames = {"unknown", "h2d", "d2h",     "d2d",
                                                        "p2p",     "h2h", "unknown", "memset"};
constexpr std::uint8_t kMemset = kKindNames.size() - 1;  // After the kinds of copies.
constexpr std::array<std::string_view, 4> kHostNames = {"unknown", "pageable", "pinned", "managed"};

// A row, and the position of its rank.
struct PlacedRow {
  std::size_t rank = 0;
  const CopyRow* row = nullptr;
};

// The position in kKindNames.
std::uint8_t KindOf(const DeviceTable& device, std::size_t row) {
  if (device.kind[row] == DeviceKind::kMemset) return kMemset;
  return static_cast<std::uint8_t>(device.copy[row]);
}

// Also sums exposed time by iteration, to find its one-off part. One pass over the device table.
std::vector<CopyRow> CollectRows(const iterations::RankContext& rank) {
  const DeviceTable& device = rank.profile->device;
  const OptionalColumn<Ns>& exposed = rank.ExposedOf(classify::Exposable::kCopiesAndSets);
  std::vector<CopyRow> rows;                  // Only a few: searched linearly.
  std::vector<std::vector<Ns>> by_iteration;  // By row, then by iteration.
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (device.kind[i] == DeviceKind::kKernel) continue;
    if (!rank.InIterations(DeviceId{static_cast<std::uint32_t>(i)})) continue;
    const std::uint8_t kind = KindOf(device, i);
    std::size_t at = 0;
    while (at < rows.size() && (rows[at].kind != kind || rows[at].gpu != device.gpu[i] ||
                                rows[at].host_memory != device.host_memory[i])) {
      ++at;
    }
    if (at == rows.size()) {
      rows.push_back({kind, device.host_memory[i], device.gpu[i], {}, {}});
      by_iteration.emplace_back(rank.iterations.selected().size(), 0);
    }
    rows[at].events.push_back(static_cast<std::uint32_t>(i));
    CopySums& sums = rows[at].sums;
    ++sums.calls;
    sums.time += device.duration[i];
    sums.exposed += exposed[i];
    const std::size_t iteration = rank.iterations.of_device[i] - rank.iterations.first;
    if (iteration < by_iteration[at].size()) by_iteration[at][iteration] += exposed[i];
    if (device.bytes[i] >= 0) {
      sums.bytes += device.bytes[i];
      sums.sized_time += device.duration[i];
      ++sums.sized;
    }
  }
  for (std::size_t at = 0; at < rows.size(); ++at) {
    rows[at].sums.exposed_once = iterations::OnlyOnce(by_iteration[at]);
  }
  return rows;
}

// Bytes per second. REQUIRES: sized_time > 0.
double Bandwidth(const CopySums& sums) {
  return static_cast<double>(sums.bytes) * 1e9 / static_cast<double>(sums.sized_time);
}

// Records which row counts each event.
void LinkRows(const std::vector<PlacedRow>& rows, std::span<const CopyFacts> facts,
              catalog::Output& out) {
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    const PlacedRow& placed = rows[row];
    std::vector<std::uint32_t>& row_of = out.RowsOfDevice("memcpys", placed.rank);
    row_of.resize(facts[placed.rank].device_rows, catalog::Output::kNoRow);
    for (const std::uint32_t event : placed.row->events) row_of[event] = row;
  }
}

// Sorted by time (longest first), kind, host memory, rank and GPU, independent of event order.
void FillTable(std::span<const iterations::RankContext> ranks, std::span<const CopyFacts> facts,
               catalog::Output& out) {
  std::vector<PlacedRow> rows;
  for (std::size_t rank = 0; rank < facts.size(); ++rank) {
    for (const CopyRow& row : facts[rank].rows) rows.push_back({rank, &row});
  }
  const auto key = [](const PlacedRow& placed) {
    const CopyRow& row = *placed.row;
    return std::tuple(-row.sums.time, row.kind, row.host_memory, placed.rank, row.gpu);
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const PlacedRow& a, const PlacedRow& b) { return key(a) < key(b); });
  LinkRows(rows, facts, out);
  catalog::RowWriter<catalog::columns::kMemcpys> write(out.AddTable("memcpys"));
  for (const PlacedRow& placed : rows) {
    const CopyRow& row = *placed.row;
    const CopySums& sums = row.sums;
    write.Text("kind"_col, kKindNames[row.kind])
        .Text("host_memory"_col, kHostNames[static_cast<std::size_t>(row.host_memory)])
        .Integer("rank"_col, ranks[placed.rank].rank)
        .Integer("gpu"_col, row.gpu)
        .Integer("calls"_col, sums.calls)
        .Integer("time"_col, sums.time)
        .Integer("mean"_col, sums.time / sums.calls)
        .IntegerIf("bytes"_col, sums.sized > 0, sums.bytes)
        .Real("bandwidth"_col,
              sums.sized > 0 && sums.sized_time > 0 ? std::optional(Bandwidth(sums)) : std::nullopt)
        .Integer("exposed_time"_col, sums.exposed)
        .IntegerIf("exposed_once"_col, sums.exposed_once > 0, sums.exposed_once);
  }
}

// Why copies are unknown; empty if they are known.
struct WhyUnknown {
  std::string to_host, in_device;
};

// Copies that are unknown on one rank are unknown for the run: the sum of the other ranks would be
// too small. The first reason that applies is returned: not in the file, copied by calls but not
// recorded, known only within the device.
WhyUnknown WhyUnknownOf(std::span<const CopyFacts> ranks, const catalog::Output& out) {
  const auto find = [ranks](CopyKnowledge known) {
    return std::find_if(ranks.begin(), ranks.end(),
                        [known](const CopyFacts& rank) { return rank.known == known; });
  };
  if (const auto rank = find(CopyKnowledge::kNotInFile); rank != ranks.end()) {
    return {rank->why, rank->why};
  }
  std::string why;
  if (find(CopyKnowledge::kNotRecorded) != ranks.end()) {
    why = "calls in the iterations copy data, but their copies were not recorded";
  } else if (const auto rank = find(CopyKnowledge::kInDevice); rank != ranks.end()) {
    return {rank->why, {}};
  } else if (find(CopyKnowledge::kRecorded) == ranks.end()) {
    why = out.Gap(Capability::kDeviceEvents);
  }
  return {why, why};
}

// Only sets the reason if copies are unknown; otherwise the metric per iteration is computed with
// launches.
void SetAbsentPerIteration(std::span<const iterations::RankContext> ranks, const WhyUnknown& why,
                           catalog::Output& out) {
  const bool have_times =
      std::all_of(ranks.begin(), ranks.end(),
                  [](const iterations::RankContext& rank) { return rank.profile->has_timeline; });
  if (!have_times) return;
  const std::pair<MetricId, const std::string&> reasons[] = {
      {metric::kMemcpyH2dBytesPerIteration, why.to_host},
      {metric::kMemcpyD2hBytesPerIteration, why.to_host},
      {metric::kMemcpyD2dBytesPerIteration, why.in_device}};
  for (const auto& [id, reason] : reasons) {
    if (!reason.empty()) out.SetAbsent(id, reason);
  }
}

// Sets the share in the bytes of copies with a known kind of host memory.
void SetPageableShare(std::span<const CopyFacts> ranks, catalog::Output& out) {
  std::int64_t pageable = 0, known = 0;
  for (const CopyFacts& rank : ranks) {
    for (const CopyRow& row : rank.rows) {
      if (row.host_memory == HostMemory::kUnknown) continue;
      known += row.sums.bytes;
      if (row.host_memory == HostMemory::kPageable) pageable += row.sums.bytes;
    }
  }
  if (known > 0) {
    out.Set(metric::kMemcpyPageableShare,
            static_cast<double>(pageable) / static_cast<double>(known));
  } else {
    out.SetAbsent(metric::kMemcpyPageableShare,
                  "no copy with a known size and a known kind of host memory was recorded");
  }
}

// Decides whether a profile without copies made none or lost them. A cudaMemcpy call in the
// iterations without any recorded copy shows a loss.
CopyKnowledge KnowledgeOf(const iterations::RankContext& rank) {
  if (!rank.has_device()) return CopyKnowledge::kNoDevice;
  const Profile& profile = *rank.profile;
  const auto& kinds = profile.device.kind;
  if (!profile.copies_unknown.empty()) {
    const bool has_copies =
        std::find(kinds.begin(), kinds.end(), DeviceKind::kMemcpy) != kinds.end();
    return has_copies ? CopyKnowledge::kInDevice : CopyKnowledge::kNotInFile;
  }
  for (std::uint32_t row = 0; row < profile.device.size(); ++row) {
    const bool is_copy = kinds[row] == DeviceKind::kMemcpy;
    if (is_copy && rank.InIterations(DeviceId{row})) return CopyKnowledge::kRecorded;
  }
  const ApiTable& api = profile.api;
  for (std::size_t call = 0; call < api.size(); ++call) {
    if (api.kind[call] == ApiKind::kMemcpy && rank.iterations.CountsHostTime(api.start[call])) {
      return CopyKnowledge::kNotRecorded;
    }
  }
  return CopyKnowledge::kRecorded;
}

}  // namespace

CopyFacts CopyFactsOf(const iterations::RankContext& rank) {
  return {KnowledgeOf(rank), rank.profile->copies_unknown, CollectRows(rank),
          rank.profile->device.size()};
}

void AddCopies(std::span<const iterations::RankContext> ranks, std::span<const CopyFacts> facts,
               catalog::Output& out) {
  const WhyUnknown why = WhyUnknownOf(facts, out);
  SetAbsentPerIteration(ranks, why, out);
  SetPageableShare(facts, out);
  const bool any_row = std::any_of(facts.begin(), facts.end(),
                                   [](const CopyFacts& rank) { return !rank.rows.empty(); });
  if (why.in_device.empty() || any_row) {
    FillTable(ranks, facts, out);
  } else {
    out.SetTableAbsent("memcpys", why.in_device);
  }
}

}  // namespace profgauge::analysis::device
