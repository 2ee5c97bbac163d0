#include "analysis/time/breakdown.h"

#include <algorithm>

#include "analysis/context/loop_threads.h"
#include "analysis/time/host_communication.h"
#include "analysis/work/op_tree.h"

namespace profgauge {
namespace {

std::size_t Index(Category category) { return static_cast<std::size_t>(category); }

// What a host range counts as; decided once per distinct name.
enum class HostRole : std::uint8_t { kUnknown, kPlain, kDataLoader, kCommunication };

HostRole RoleOfName(std::string_view name) {
  if (IsDataLoaderRange(name)) return HostRole::kDataLoader;
  if (IsHostCollective(name)) return HostRole::kCommunication;
  return HostRole::kPlain;
}

using Collectors = std::array<SpanCollector, kBreakdownCategories - 1>;

Category CategoryOfRole(HostRole role, HostKind kind) {
  switch (role) {
    case HostRole::kDataLoader:
      return Category::kDataLoader;
    case HostRole::kCommunication:
      return Category::kCommunication;
    default:
      return kind == HostKind::kAnnotation ? Category::kOther : Category::kCpu;
  }
}

// The first span that ends after `at`.
auto FirstAfter(std::span<const Span> list, Ns at) {
  return std::partition_point(list.begin(), list.end(),
                              [at](const Span& span) { return span.end <= at; });
}

// Pieces of time that cover `whole`, small enough that what lies in one is little: a long recording
// is taken apart piece by piece.
std::vector<Span> Pieces(const Roles& roles, std::span<const Span> whole) {
  constexpr std::size_t kSpansInPiece = 100'000;
  if (whole.empty()) return {};
  std::size_t spans = 0;
  for (const std::vector<Span>& role : roles) spans += role.size();
  const Ns length =
      (whole.back().end - whole.front().start) / static_cast<Ns>(spans / kSpansInPiece + 1) + 1;
  std::vector<Span> pieces;
  for (Ns at = whole.front().start; at < whole.back().end; at += length) {
    pieces.push_back({at, std::min(at + length, whole.back().end)});
  }
  return pieces;
}

// Of the device's work and the calls, which are the most by far: lists that grow take twice as
// much.
void Reserve(const Profile& profile, const KernelClasses& classes, Collectors& collectors) {
  std::array<std::size_t, kBreakdownCategories> counts{};
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    ++counts[Index(CategoryOfDevice(profile, classes, row))];
  }
  counts[Index(Category::kRuntime)] += profile.api.size();
  for (std::size_t i = 0; i < collectors.size(); ++i) collectors[i].Reserve(counts[i]);
}

}  // namespace

Category CategoryOfDevice(const Profile& profile, const KernelClasses& classes, std::size_t row) {
  switch (profile.device.kind[row]) {
    case DeviceKind::kMemcpy:
      return Category::kMemcpy;
    case DeviceKind::kMemset:
      return Category::kMemset;
    case DeviceKind::kKernel:
      break;
  }
  if (classes[row].collective) return Category::kCommunication;
  return classes[row].tensor_core == Tri::kYes ? Category::kTensorCoreKernel
                                               : Category::kOtherKernel;
}

std::vector<Category> CategoriesOfHost(const Profile& profile) {
  const HostTable& host = profile.host;
  std::vector<HostRole> roles(profile.strings.size(), HostRole::kUnknown);
  std::vector<Category> categories(host.size(), Category::kOther);
  for (std::size_t row = 0; row < host.size(); ++row) {
    const HostKind kind = host.kind[row];
    if (kind == HostKind::kIterationMarker || kind == HostKind::kOverhead) continue;
    HostRole role = HostRole::kPlain;
    if (host.name[row].valid()) {
      HostRole& known = roles[host.name[row].value];
      if (known == HostRole::kUnknown) known = RoleOfName(profile.strings[host.name[row]]);
      role = known;
    }
    categories[row] = CategoryOfRole(role, kind);
  }
  return categories;
}

Roles CollectRoles(const Profile& profile, const KernelClasses& classes) {
  Collectors collectors;
  const DeviceTable& device = profile.device;
  Reserve(profile, classes, collectors);
  for (std::size_t row = 0; row < device.size(); ++row) {
    collectors[Index(CategoryOfDevice(profile, classes, row))].Add(device.start[row],
                                                                   device.duration[row]);
  }
  for (std::size_t row = 0; row < profile.api.size(); ++row) {
    collectors[Index(Category::kRuntime)].Add(profile.api.start[row], profile.api.duration[row]);
  }
  const std::vector<Category> categories = CategoriesOfHost(profile);
  const std::vector<bool> in_loop = FindLoopThreads(profile);
  for (std::size_t row = 0; row < categories.size(); ++row) {
    if (categories[row] == Category::kOther || categories[row] == Category::kCommunication)
      continue;
    const ThreadId thread = profile.host.thread[row];
    const bool is_ahead = thread.valid() && !in_loop[thread.value];
    if (categories[row] == Category::kDataLoader && is_ahead) continue;
    collectors[Index(categories[row])].Add(profile.host.start[row], profile.host.duration[row]);
  }
  for (const Span span : OpenHostCommunication(profile)) {
    collectors[Index(Category::kCommunication)].Add(span.start, span.length());
  }
  Roles roles;
  for (std::size_t i = 0; i < roles.size(); ++i) roles[i] = collectors[i].Take();
  return roles;
}

std::vector<Breakdown> Partition(const Roles& roles, std::span<const Span> ranges) {
  std::vector<Breakdown> parts(ranges.size(), Breakdown{});
  // Ranges that touch stay apart here: a part is credited to the range it lies in.
  const auto credit = [&](std::span<const Span> spans, std::size_t category) {
    if (spans.empty()) return;
    auto i = static_cast<std::size_t>(FirstAfter(ranges, spans.front().start) - ranges.begin());
    for (const Span span : spans) {
      while (i < ranges.size() && ranges[i].end <= span.start) ++i;
      for (std::size_t k = i; k < ranges.size() && ranges[k].start < span.end; ++k) {
        const Ns common = std::min(span.end, ranges[k].end) - std::max(span.start, ranges[k].start);
        if (common > 0) parts[k][category] += common;
      }
    }
  };
  const std::vector<Span> whole = Merge({ranges.begin(), ranges.end()});
  for (const Span piece : Pieces(roles, whole)) {
    std::vector<Span> free = Clip(Near(whole, piece), piece);
    for (std::size_t category = 0; category < roles.size(); ++category) {
      const auto near = Near(roles[category], piece);
      credit(Intersect(free, near), category);
      free = Subtract(free, near);
    }
    credit(free, Index(Category::kOther));
  }
  return parts;
}

std::vector<Breakdown> PartitionWithout(std::span<const Span> hidden, const Roles& roles,
                                        std::span<const Span> ranges) {
  if (hidden.empty()) return Partition(roles, ranges);
  std::vector<Span> pieces;
  std::vector<std::size_t> range_of;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    for (const Span piece : Subtract(ranges.subspan(i, 1), hidden)) {
      pieces.push_back(piece);
      range_of.push_back(i);
    }
  }
  const std::vector<Breakdown> parts = Partition(roles, pieces);
  std::vector<Breakdown> sums(ranges.size(), Breakdown{});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t c = 0; c < kBreakdownCategories; ++c) sums[range_of[i]][c] += parts[i][c];
  }
  return sums;
}

}  // namespace profgauge
