// Rows that are made one by one and added many at once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/profile_builder.h"

namespace profgauge {

/// Rows on their way to the builder, which takes many at once faster than one by one.
template <class Row, void (ProfileBuilder::*kAdd)(std::span<const Row>)>
class RowBatch {
 public:
  void Add(const Row& row, ProfileBuilder& builder) {
    rows_.push_back(row);
    if (rows_.size() == kRows) Flush(builder);
  }
  /// Adds what is left.
  void Flush(ProfileBuilder& builder) {
    (builder.*kAdd)(rows_);
    rows_.clear();
  }

 private:
  static constexpr std::size_t kRows = 256;  ///< They stay in a core's cache.
  std::vector<Row> rows_;
};

using ApiBatch = RowBatch<ApiRow, &ProfileBuilder::AddApi>;
using DeviceBatch = RowBatch<DeviceRow, &ProfileBuilder::AddDevice>;

}  // namespace profgauge
