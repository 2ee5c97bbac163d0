#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

#include "exports/pyprof/record.h"

namespace profgauge::exports::pyprof {
namespace {

struct State {
  std::int64_t id = -1;
  std::int64_t sub = -1;
  std::vector<std::string> ops;
};

bool IsCellForward(const KernelRecord& record) {
  if (record.ops.empty() || record.ops[0] != "forward" || record.modules.empty()) return false;
  const std::string& module = record.modules[0];
  return module == "LSTMCell" || module == "GRUCell" || module == "RNNCell";
}

// Forward, the next larger number than the one before; backward, the smallest. The number before
// stays if there is no larger one.
std::int64_t CurrentId(const KernelRecord& record, std::int64_t previous) {
  const auto& ids = record.seq_ids;
  if (record.backward) return ids.front();
  const auto later = std::upper_bound(ids.begin(), ids.end(), previous);
  return later == ids.end() ? previous : *later;
}

// PyProf removes from the list that it walks, so the entry after a removed one is never examined.
void MoveOthers(KernelRecord& record, std::int64_t current) {
  for (std::size_t i = 0; i < record.seq_ids.size(); ++i) {
    if (record.seq_ids[i] == current) continue;
    record.alt_seq_ids.push_back(record.seq_ids[i]);
    record.seq_ids.erase(record.seq_ids.begin() + static_cast<std::ptrdiff_t>(i));
  }
  auto& alt = record.alt_seq_ids;
  std::sort(alt.begin(), alt.end());
  alt.erase(std::unique(alt.begin(), alt.end()), alt.end());
}

}  // namespace

//   ops         linear  linear  relu  linear
//   seq_ids     5       5       6     7
//   sub_seq     0       1       0     0          counts on while op and number are the same
//
// Forward kernels of a recurrent cell count on although their numbers differ.
void NumberSequences(std::vector<KernelRecord>& records) {
  State previous{-1, -1, {"na"}};
  for (KernelRecord& record : records) {
    auto& ids = record.seq_ids;
    if (ids.size() > 1) std::erase(ids, 0);
    if (ids.empty()) continue;
    const std::int64_t current = CurrentId(record, previous.id);
    const bool same_ops = record.ops == previous.ops;
    const bool continues = same_ops && (current == previous.id || IsCellForward(record));
    record.sub_seq = continues ? previous.sub + 1 : 0;
    previous = {current, record.sub_seq, record.ops};
    MoveOthers(record, current);
  }
}

void CopyForwardToBackward(std::vector<KernelRecord>& records) {
  boost::unordered_flat_map<std::int64_t, std::size_t> by_id, by_alt;
  for (std::size_t i = 0; i < records.size(); ++i) {
    KernelRecord& record = records[i];
    if (!record.backward) {
      for (const std::int64_t id : record.seq_ids) by_id[id] = i;
      for (const std::int64_t id : record.alt_seq_ids) by_alt[id] = i;
      continue;
    }
    if (!record.markers.empty() || record.seq_ids.empty()) continue;
    const std::int64_t id = record.seq_ids.front();
    const auto same = by_id.find(id);
    const auto other = by_alt.find(id);
    if (same == by_id.end() && other == by_alt.end()) continue;
    const KernelRecord& forward = records[same != by_id.end() ? same->second : other->second];
    record.markers = forward.markers;
    record.modules = forward.modules;
    record.ops = forward.ops;
    record.layers = forward.layers;
    record.trace = forward.trace;
  }
}

}  // namespace profgauge::exports::pyprof
