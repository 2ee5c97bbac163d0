// Names the segments of a critical path: kind of work, name, operator and module.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <type_traits>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "analysis/simulation/critical_path.h"
#include "analysis/simulation/graph.h"
#include "analysis/simulation/module_of.h"
#include "base/mix.h"

namespace profgauge::analysis::simulation {

/// One rank's row of the table `critical_path`. Texts are those of the profile.
struct NamedPart {
  PathKind kind = PathKind::kUnknown;
  std::string_view name, op, module, tensor_core;
  friend auto operator<=>(const NamedPart&, const NamedPart&) = default;
};

/// Whether a part has a recorded name, or which text replaces it.
enum class PartLabel : std::uint8_t {
  kRecorded,
  kBetweenOps,
  kBetweenThreads,
  kNextOnStream,
  kOtherStream,
  kNotExplained
};

/// A part, by the ids of its texts. A path can have as many segments as the profile has events:
/// comparing ids avoids comparing texts.
struct PartIds {
  PathKind kind = PathKind::kUnknown;
  PartLabel said = PartLabel::kNotExplained;
  bool tells_tensor_core = false;
  classify::Tri tensor_core = classify::Tri::kUnknown;
  StringId name{}, op{}, module{};

  using Words = std::array<std::uint64_t, 2>;
  Words words() const { return std::bit_cast<Words>(*this); }
  friend bool operator==(const PartIds& a, const PartIds& b) { return a.words() == b.words(); }
};
static_assert(std::has_unique_object_representations_v<PartIds>);  // No padding bits.

/// Names the segments of one graph's path. The graph must outlive it.
class PartNamer {
 public:
  explicit PartNamer(const PathGraph& graph)
      : graph_(graph), profile_(*graph.rank().profile), modules_(ModulesOfHost(profile_)) {}

  /// O(1) per segment, except for finding the innermost range around a step of a thread.
  PartIds IdsOf(const PathSegment& segment) const;
  NamedPart TextsOf(const PartIds& ids) const;

 private:
  std::string_view NameOf(const PartIds& ids) const;
  void SetName(StringId name, PartIds& part) const;
  void SetOp(HostId op, PartIds& part) const;
  void NameDevice(std::uint32_t row, const PathSegment& segment, PartIds& part) const;
  void NameHost(PathOwner in, PartIds& part) const;

  const PathGraph& graph_;
  const Profile& profile_;
  std::vector<StringId> modules_;
};

/// Numbers parts by first appearance. Parts with different ids but equal texts get the same number.
class PartNumbers {
 public:
  explicit PartNumbers(const PartNamer& namer) : namer_(namer) {}

  /// The number of a part. Calls `add(texts)` for a new part.
  template <class Add>
  std::uint32_t Of(const PartIds& ids, Add add) {
    const auto [seen, is_unseen] = by_ids_.try_emplace(ids, 0);
    if (!is_unseen) return seen->second;
    const NamedPart part = namer_.TextsOf(ids);
    const auto next = static_cast<std::uint32_t>(by_text_.size());
    const auto [known, is_new] = by_text_.try_emplace(part, next);
    if (is_new) add(part);
    return seen->second = known->second;
  }

 private:
  struct Hash {
    using is_avalanching = void;
    std::size_t operator()(const PartIds& ids) const {
      const auto [first, second] = ids.words();
      const std::uint64_t hash = (first ^ second * kGoldenRatio) * 0xd6e8'feb8'6659'fd93;
      return hash ^ hash >> 32;
    }
  };
  const PartNamer& namer_;
  boost::unordered_flat_map<PartIds, std::uint32_t, Hash> by_ids_;
  std::map<NamedPart, std::uint32_t> by_text_;
};

}  // namespace profgauge::analysis::simulation
