// Runs of one number, mixed with numbers packed bit by bit: Parquet's levels and indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace profgauge::readers::parquet {

/// Numbers of equally many bits, the lowest bit first. REQUIRES: at most 64 bits.
class PackedBits {
 public:
  PackedBits() = default;
  PackedBits(std::string_view bytes, unsigned width) : bytes_(bytes), width_(width) {}
  /// The next one. After the last byte it is 0.
  std::uint64_t Next();
  /// The next `count`. REQUIRES: at most 32 bits.
  void Read(std::size_t count, std::uint32_t* out);

 private:
  std::string_view bytes_;
  unsigned width_ = 0;
  std::size_t bit_ = 0;
};

/// One pass over such runs.
class Runs {
 public:
  static constexpr unsigned kMostBits = 32;

  Runs() = default;
  /// REQUIRES: width <= kMostBits.
  Runs(std::string_view bytes, unsigned width) : bytes_(bytes), width_(width) {}

  /// Puts the next `count` numbers into `out`. False where runs end early, or are none.
  bool Read(std::size_t count, std::uint32_t* out);
  /// How many of the next numbers, at most `most`, are of one run of one number: that is in
  /// `number`. 0: they are packed, or there are none. They are still to come.
  std::size_t Ahead(std::size_t most, std::uint32_t& number);

 private:
  bool Begin();

  std::string_view bytes_;
  unsigned width_ = 0;
  std::size_t repeated_ = 0, packed_ = 0;  ///< Left of the run.
  std::uint32_t number_ = 0;
  PackedBits bits_;
};

}  // namespace profgauge::readers::parquet
