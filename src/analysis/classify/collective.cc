#include "analysis/classify/collective.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "analysis/classify/dtypes.h"

namespace profgauge {
namespace {

constexpr std::array<std::string_view, kCollectiveKinds> kIds = {
    "all_reduce", "all_gather", "reduce_scatter", "all_to_all",
    "broadcast",  "reduce",     "send_recv",      "other"};

struct Spelling {
  std::string_view part;  // Of the lower-case name without underscores.
  CollectiveKind kind;
};

// In order: what contains another spelling comes first.
constexpr Spelling kSpellings[] = {
    {"reducescatter", CollectiveKind::kReduceScatter},
    {"allreduce", CollectiveKind::kAllReduce},
    {"crossdevicereduce", CollectiveKind::kAllReduce},
    {"allgather", CollectiveKind::kAllGather},
    {"alltoall", CollectiveKind::kAllToAll},
    {"a2a", CollectiveKind::kAllToAll},
    {"broadcast", CollectiveKind::kBroadcast},
    {"reduce", CollectiveKind::kReduce},
    {"send", CollectiveKind::kSendRecv},
    {"recv", CollectiveKind::kSendRecv},
};

// The name up to its arguments, lower case, without underscores.
std::string Plain(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == '(' || c == '<') break;
    if (c == '_') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

}  // namespace

std::string_view CollectiveKindId(CollectiveKind kind) {
  return kIds[static_cast<std::size_t>(kind)];
}

CollectiveKind CollectiveKindOf(std::string_view name) {
  const std::string plain = Plain(name);
  for (const Spelling& spelling : kSpellings) {
    if (plain.find(spelling.part) != std::string::npos) return spelling.kind;
  }
  return CollectiveKind::kOther;
}

std::int64_t CollectiveBytes(const Profile& profile, const Collective& collective) {
  const double size = DtypeBytes(profile.Name(collective.dtype));
  std::int64_t elements = std::max(collective.in_elements, collective.out_elements);
  if (CollectiveKindOf(profile.Name(collective.name)) == CollectiveKind::kAllToAll &&
      collective.in_elements >= 0) {
    elements = collective.in_elements;  // What this rank sends; the other number is what it gets.
  }
  if (size <= 0 || elements < 0) return -1;
  return static_cast<std::int64_t>(std::llround(static_cast<double>(elements) * size));
}

double BusFactor(CollectiveKind kind, std::int64_t ranks) {
  const double n = static_cast<double>(ranks);
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return 2 * (n - 1) / n;
    case CollectiveKind::kAllGather:
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllToAll:
      return (n - 1) / n;
    default:
      return 1;
  }
}

}  // namespace profgauge
