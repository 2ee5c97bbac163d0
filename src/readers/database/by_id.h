// A map from the ids of a file's rows.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace profgauge::readers {

/// Finds rows by the ids that the file gives them, mostly 1, 2, 3 … without gaps. Other rows refer
/// to them, so Find() accepts any number, also ids without a row. An array holds ids from the first
/// one on, a map ids before it or far after it: ids that are hashes take a map's memory,
/// consecutive ids an array's. Add() and Find() are O(1).
template <class Row>
class ById {
 public:
  /// If two rows have the same id, the last one counts.
  void Add(std::int64_t id, Row row) {
    if (rows_.empty()) first_ = id;
    const std::uint64_t place = PlaceOf(id);
    // The array may have as many unused places as it has rows.
    if (id < first_ || place > 2 * count_ + 64) {
      others_[id] = std::move(row);
      return;
    }
    if (place >= rows_.size()) rows_.resize(static_cast<std::size_t>(place) + 1);
    Slot& slot = rows_[static_cast<std::size_t>(place)];
    count_ += slot.is_there ? 0 : 1;
    slot = {std::move(row), true};
  }

  /// Returns nullptr if there is no such row.
  const Row* Find(std::int64_t id) const {
    if (id >= first_ && PlaceOf(id) < rows_.size()) {
      const Slot& slot = rows_[static_cast<std::size_t>(PlaceOf(id))];
      if (slot.is_there) return &slot.row;
    }
    const auto found = others_.find(id);
    return found == others_.end() ? nullptr : &found->second;
  }

  bool empty() const { return rows_.empty() && others_.empty(); }

 private:
  struct Slot {
    Row row{};
    bool is_there = false;
  };
  std::uint64_t PlaceOf(std::int64_t id) const {
    return static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(first_);
  }

  std::int64_t first_ = 0;
  std::uint64_t count_ = 0;  ///< Rows in rows_.
  std::vector<Slot> rows_;   ///< From first_ on.
  boost::unordered_flat_map<std::int64_t, Row> others_;
};

}  // namespace profgauge::readers
