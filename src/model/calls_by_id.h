// The calls that launched device work, by the correlation ids of that work.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <utility>
#include <vector>

#include "model/tables.h"

namespace profgauge {

/// Maps the correlation id of device work to the row of the call that launched it. Profilers count
/// ids up, so they are mostly dense and in the order of the rows.
///
///   ids of work        102 103 105          dense_   | none | none | no work | none |
///   after the calls    call 8 has 102       dense_   |  8   | none | no work | none |   first_ 102
///
/// Find() of 104 returns null: no work has this id. Find() of 103 returns ApiId::kNone until the
/// caller stores a call there. O(1) each. Dense ids take four bytes each, including unused ids
/// between them; ids that are far apart are kept in a hash table.
class CallsById {
 public:
  /// Makes one entry, ApiId::kNone at first, for each of `ids` that is not negative.
  template <std::ranges::input_range Ids>
  explicit CallsById(const Ids& ids) {
    std::int64_t last = -1;
    std::size_t count = 0;
    for (const std::int64_t id : ids) {
      if (id < 0) continue;
      ++count;
      first_ = std::min(first_, id);
      last = std::max(last, id);
    }
    if (count == 0) return;
    const auto span = static_cast<std::uint64_t>(last - first_);
    if (span / kSparse > count) {
      sparse_.reserve(count);
    } else {
      dense_.resize(span + 1, kNoWork);
    }
    for (const std::int64_t id : ids) {
      if (id < 0) continue;
      if (dense_.empty()) {
        sparse_.emplace(id, ApiId::kNone);
      } else {
        dense_[static_cast<std::size_t>(id - first_)] = ApiId::kNone;
      }
    }
  }

  /// Returns null if no work has that id.
  std::uint32_t* Find(std::int64_t id) {
    return const_cast<std::uint32_t*>(std::as_const(*this).Find(id));
  }
  const std::uint32_t* Find(std::int64_t id) const {
    if (dense_.empty()) {
      const auto found = sparse_.find(id);
      return found == sparse_.end() ? nullptr : &found->second;
    }
    const std::uint64_t place = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(first_);
    const bool has = place < dense_.size() && dense_[place] != kNoWork;
    return has ? &dense_[place] : nullptr;
  }

 private:
  /// A hash table takes about as much memory as an array with this many places per used place.
  static constexpr std::uint64_t kSparse = 4;
  static constexpr std::uint32_t kNoWork = ApiId::kNone - 1;
  std::int64_t first_ = std::numeric_limits<std::int64_t>::max();
  std::vector<std::uint32_t> dense_;
  boost::unordered_flat_map<std::int64_t, std::uint32_t> sparse_;
};

}  // namespace profgauge
