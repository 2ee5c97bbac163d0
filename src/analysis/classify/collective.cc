#include "analysis/classify/collective.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "analysis/classify/arguments.h"
#include "analysis/classify/kernel_name.h"
#include "base/numbers.h"

namespace profgauge::analysis::classify {
namespace {

constexpr std::array<std::string_view, kCollectiveKinds> kIds = {
    "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce",
    "send_recv",  "gather",     "scatter",        "barrier",    "other"};

struct Spelling {
  std::string_view part;  // Part of the lower-case name without `_` and `-`.
  CollectiveKind kind;
};

using enum CollectiveKind;

// Sorted so that a spelling comes before its parts.
constexpr Spelling kSpellings[] = {
#include "knowledge/collectives.inc"
};

// Returns the name before its arguments, in lower case, without underscores and hyphens, since
// libraries differ in these: "nccl:_all_gather_base" gives "nccl:allgatherbase".
std::string Plain(std::string_view name) {
  std::string plain;
  for (const char c : KernelHead(name)) {
    if (c == '_' || c == '-') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

// The size of all ranks' buffer: one rank's part times the group's size, if known.
double WholeOf(std::int64_t chunk, std::int64_t whole, std::int64_t group_size) {
  if (chunk <= 0 || group_size <= 0) return static_cast<double>(whole);
  return static_cast<double>(chunk) * static_cast<double>(group_size);
}

}  // namespace

std::string_view CollectiveKindId(CollectiveKind kind) {
  return kIds[static_cast<std::size_t>(kind)];
}

// Uses the first spelling in the name: "reducescatter" precedes "reduce".
CollectiveKind CollectiveKindOf(std::string_view name) {
  const std::string plain = Plain(name);
  for (const Spelling& spelling : kSpellings) {
    if (plain.find(spelling.part) != std::string::npos) return spelling.kind;
  }
  return CollectiveKind::kOther;
}

// Uses the ratio of whole and part: 4096 gathered from 1024 each are 4 ranks.
std::int64_t CollectiveGroupSize(const Profile& profile, const Collective& collective) {
  if (collective.group_size > 0) return collective.group_size;
  const CollectiveKind kind = CollectiveKindOf(profile.Name(collective.name));
  const bool gathers = kind == CollectiveKind::kAllGather;
  if (!gathers && kind != CollectiveKind::kReduceScatter) return -1;
  const std::int64_t whole = gathers ? collective.out_elements : collective.in_elements;
  const std::int64_t chunk = gathers ? collective.in_elements : collective.out_elements;
  return chunk > 0 && whole >= chunk && whole % chunk == 0 ? whole / chunk : -1;
}

std::int64_t CollectiveBytes(const Profile& profile, const Collective& collective) {
  const double size = DtypeBytes(profile.Name(collective.dtype));
  const std::int64_t in = collective.in_elements, out = collective.out_elements;
  auto elements = static_cast<double>(std::max(in, out));
  switch (CollectiveKindOf(profile.Name(collective.name))) {
    case CollectiveKind::kAllToAll:
      if (in >= 0) elements = static_cast<double>(in);  // Outputs may differ in size.
      break;
    case CollectiveKind::kGather:  // Only the root has the whole.
      elements = WholeOf(in, out, collective.group_size);
      break;
    case CollectiveKind::kScatter:
      elements = WholeOf(out, in, collective.group_size);
      break;
    case CollectiveKind::kBarrier:
      return -1;
    default:
      break;
  }
  if (size <= 0 || elements < 0 || elements * size > kLargestWhole) return -1;
  return static_cast<std::int64_t>(std::llround(elements * size));
}

double BusFactor(CollectiveKind kind, std::int64_t ranks) {
  const double n = static_cast<double>(ranks);
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return 2 * (n - 1) / n;
    case CollectiveKind::kAllGather:
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kGather:
    case CollectiveKind::kScatter:
      return (n - 1) / n;
    default:
      return 1;
  }
}

}  // namespace profgauge::analysis::classify
