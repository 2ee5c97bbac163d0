// Interned strings: each distinct text is stored once and identified by a 32-bit id.
//
// Ids are numbered by first appearance, so equal inputs give equal ids. Not thread-safe. Returned
// views stay valid for the pool's lifetime.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
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
  // A text by its place and a part of its hash: 8 bytes a slot, where views would take 24. With as
  // many texts as events, the slots were a sixth of a report's memory.
  struct Entry {
    std::uint32_t id = 0, hash = 0;
  };
  struct Key {
    std::string_view text;
    std::uint32_t hash = 0;
    const std::deque<std::string>* texts = nullptr;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const auto& key) const { return key.hash; }
  };
  struct IsSame {
    using is_transparent = void;
    bool operator()(const Entry& a, const Entry& b) const { return a.id == b.id; }
    bool operator()(const Key& key, const Entry& entry) const {
      return entry.hash == key.hash && (*key.texts)[entry.id] == key.text;
    }
    bool operator()(const Entry& entry, const Key& key) const { return (*this)(key, entry); }
  };
  Key KeyOf(std::string_view text) const;

  std::deque<std::string> texts_;
  boost::unordered_flat_set<Entry, Hash, IsSame> ids_;
};

}  // namespace profgauge
