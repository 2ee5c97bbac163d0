// Whole numbers as differences, in blocks of packed bits (DELTA_BINARY_PACKED).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "readers/parquet/runs.h"

namespace profgauge::readers::parquet {

/// Reads the numbers of one page in order. The bytes must outlive it.
class Deltas {
 public:
  /// Reads the head of the numbers at the begin of `bytes`; nothing where it is damaged.
  static std::optional<Deltas> Begin(std::string_view bytes);

  /// How many there are by their head.
  std::uint64_t count() const { return count_; }
  /// Puts the next `count` into `out`; sums wrap at 64 bits. False where they end early.
  bool Read(std::size_t count, std::int64_t* out);
  /// The bytes after them; nothing where they end early. REQUIRES: none was read yet.
  std::optional<std::string_view> Behind() const;

 private:
  bool BeginBlock();
  bool BeginMini();

  std::string_view bytes_;
  std::uint64_t count_ = 0, minis_ = 0, mini_size_ = 0;
  std::uint64_t left_ = 0;       ///< Still to come, of all.
  std::uint64_t mini_left_ = 0;  ///< And of this mini-block.
  std::string_view widths_;      ///< Widths of this block's remaining mini-blocks.
  bool is_first_ = true;
  std::uint64_t value_ = 0, least_ = 0;
  PackedBits bits_;
};

}  // namespace profgauge::readers::parquet
