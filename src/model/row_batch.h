// Rows that are made one by one and added in batches.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/profile_builder.h"

namespace profgauge {

/// A batch of rows for the builder, which takes many in one call faster than one by one.
template <class Row, void (ProfileBuilder::*kAdd)(std::span<const Row>)>
class RowBatch {
 public:
  void Add(const Row& row, ProfileBuilder& builder) {
    rows_.push_back(row);
    if (rows_.size() == kRows) Flush(builder);
  }
  /// Adds the remaining rows.
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
