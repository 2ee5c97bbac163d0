// Interned strings: each distinct text is stored once and identified by a 32-bit id.
//
// Ids are numbered by first appearance, so equal inputs give equal ids. Not thread-safe. Returned
// views stay valid for the pool's lifetime.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/numbers.h"

namespace profgauge {

/// Identifies a string of one StringPool. A default-constructed id identifies none.
struct StringId {
  static constexpr std::uint32_t kNone = kNoIndex;
  std::uint32_t value = kNone;
  bool valid() const { return value != kNone; }
  friend bool operator==(StringId, StringId) = default;
  friend auto operator<=>(StringId, StringId) = default;
};

/// Stores each text once, and frees none before the pool. Intern() is O(length) on average. Moving
/// the pool keeps views valid, but the moved-from pool must not be used.
class StringPool {
 public:
  StringPool() = default;
  StringPool(StringPool&&) = default;
  StringPool& operator=(StringPool&&) = default;

  /// Returns the id of `text`, which is interned if it is new.
  StringId Intern(std::string_view text);
  /// Returns the id of `text`, or an invalid id if it was never interned.
  StringId Find(std::string_view text) const;
  /// REQUIRES: id.valid() and id came from this pool.
  std::string_view operator[](StringId id) const { return texts_[id.value]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(texts_.size()); }

 private:
  struct Hash {
    std::size_t operator()(std::string_view text) const;
  };
  std::deque<std::string> texts_;
  boost::unordered_flat_map<std::string_view, std::uint32_t, Hash> ids_;
};

}  // namespace profgauge
