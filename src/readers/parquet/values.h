// Runs of one number, mixed with bit-packed numbers: Parquet's levels and indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profgauge/error.h"
#include "readers/parquet/footer.h"
#include "readers/parquet/page.h"

namespace profgauge::readers::parquet {

/// Numbers of equal bit width, the lowest bit first. REQUIRES: at most 64 bits.
///
///   width 3, numbers 1 2 3 4:   byte 0  11 010 001   byte 1  .... 100 0
///                                       ^3 begins here, its last bit is in byte 1
class PackedBits {
 public:
  PackedBits() = default;
  PackedBits(std::string_view bytes, unsigned width) : bytes_(bytes), width_(width) {}
  /// The next number; 0 after the last byte.
  std::uint64_t Next();
  /// Reads the next `count` numbers. REQUIRES: a width of at most 32 bits.
  void Read(std::size_t count, std::uint32_t* out);

 private:
  std::string_view bytes_;
  unsigned width_ = 0;
  std::size_t bit_ = 0;
};

/// One pass over runs (RLE / bit-packing hybrid). A run is a varint followed by numbers; the lowest
/// bit of the varint is the kind of run:
///
///   width 2    0A 03       5 << 1 | 0: five times the number 3, which takes a whole byte
///              03 E4 1B    1 << 1 | 1: one group of eight packed numbers: 0 1 2 3 3 2 1 0
class Runs {
 public:
  static constexpr unsigned kMostBits = 32;

  Runs() = default;
  /// REQUIRES: width <= kMostBits.
  Runs(std::string_view bytes, unsigned width) : bytes_(bytes), width_(width) {}

  /// Reads the next `count` numbers into `out`. False if runs end early or are invalid.
  bool Read(std::size_t count, std::uint32_t* out);
  /// The number of next values, at most `most`, that are one repeated number, which is stored in
  /// `number`. Returns 0 if the next values are packed or there are none. Consumes no value.
  std::size_t Ahead(std::size_t most, std::uint32_t& number);

 private:
  bool Begin();

  std::string_view bytes_;
  unsigned width_ = 0;
  std::size_t repeated_ = 0, packed_ = 0;  ///< Remaining in the run.
  std::uint32_t number_ = 0;
  PackedBits bits_;
};

// Integers as differences, in blocks of packed bits (DELTA_BINARY_PACKED).

/// Reads the numbers of one page in order. The bytes must outlive it. Example: the numbers 100 102
/// 101 105 are the first number and the differences 2 -1 4, from which the block's minimum (-1) is
/// subtracted:
///
///   | block 128, minis 4, count 4, first 100 | least -1 | widths 3 0 0 0 | 3 0 5 in 3 bits each |
///     head of the page                         each block: then its mini-blocks of 32 numbers
class Deltas {
 public:
  /// Reads the head at the start of `bytes`; nullopt if it is damaged.
  static std::optional<Deltas> Begin(std::string_view bytes);

  /// How many numbers there are, according to the head.
  std::uint64_t count() const { return count_; }
  /// Reads the next `count` numbers into `out`; sums wrap at 64 bits. False if they end early.
  bool Read(std::size_t count, std::int64_t* out);
  /// The bytes after the numbers; nullopt if they end early. REQUIRES: Read() was not called.
  std::optional<std::string_view> Behind() const;

 private:
  bool BeginBlock();
  bool BeginMini();

  std::string_view bytes_;
  std::uint64_t count_ = 0, minis_ = 0, mini_size_ = 0;
  std::uint64_t left_ = 0;       ///< Remaining numbers of the page.
  std::uint64_t mini_left_ = 0;  ///< Remaining numbers of this mini-block.
  std::string_view widths_;      ///< Widths of this block's remaining mini-blocks.
  bool is_first_ = true;
  std::uint64_t value_ = 0, least_ = 0;
  PackedBits bits_;
};

// The values of a page, without absent ones.

/// Owner of the bytes that texts point to.
using Kept = std::shared_ptr<const std::string>;

/// Decoded values: texts for Form::kText; otherwise integers, or the bits of reals. A column uses
/// only one of the two lists.
struct ValueList {
  std::vector<std::int64_t> numbers;
  std::vector<std::string_view> texts;
  std::size_t size() const { return numbers.size() + texts.size(); }
  void clear() {
    numbers.clear();
    texts.clear();
  }
};

/// The values to which the indices in a chunk's pages refer. Texts point into `bytes`, so `bytes`
/// must be kept as long as the values.
struct Dictionary {
  ValueList values;
  Kept bytes;
};

/// Reads a dictionary page of `count` values. Errors: "parquet/damaged".
Result<Dictionary> ReadDictionary(const Column& column, Kept bytes, std::uint64_t count);

/// One pass over a page's values.
/// The encodings, for 4-byte values or texts; `|` separates parts:
///
///   PLAIN                    1 0 0 0 | 2 0 0 0 ...      texts: length in 4 bytes | letters
///   RLE_DICTIONARY           width in 1 byte | Runs of indices into the dictionary
///   DELTA_BINARY_PACKED      Deltas
///   DELTA_LENGTH_BYTE_ARRAY  Deltas of the lengths | all letters
///   DELTA_BYTE_ARRAY         Deltas of shared prefix lengths | Deltas of rests' lengths | rests
///   BYTE_STREAM_SPLIT        all first bytes | all second bytes | third | fourth
class PageValues {
 public:
  PageValues() = default;
  /// `body`: the part of `bytes` after the levels. `dictionary`: that of the chunk, or nullptr.
  /// REQUIRES: the column and the dictionary outlive this.
  static Result<PageValues> Begin(const Column& column, Encoding encoding, std::string_view body,
                                  const Dictionary* dictionary);

  /// Appends the next `count` values to `out`. Texts point into the page, the dictionary, or memory
  /// that is added to `kept`. REQUIRES: the caller keeps the page's bytes as long as `out`. Errors:
  /// "parquet/damaged".
  Status Read(std::size_t count, ValueList& out, std::vector<Kept>& kept);

 private:
  Status ReadPlain(std::size_t count, ValueList& out);
  Status ReadPlainTexts(std::size_t count, ValueList& out);
  Status ReadIndices(std::size_t count, ValueList& out);
  Status ReadBits(std::size_t count, ValueList& out);
  Status ReadDeltas(std::size_t count, ValueList& out);
  Status ReadDeltaTexts(std::size_t count, ValueList& out, std::vector<Kept>& kept);
  Status ReadSplit(std::size_t count, ValueList& out, std::vector<Kept>& kept);

  const Column* column_ = nullptr;
  const Dictionary* dictionary_ = nullptr;
  Encoding encoding_ = Encoding::kPlain;
  bool is_empty_ = false;  ///< The page has no values, so no bytes.
  std::string_view body_;
  Runs runs_;        ///< Indices, or Booleans.
  PackedBits bits_;  ///< Booleans.
  std::uint64_t bits_left_ = 0;
  Deltas deltas_;           ///< Numbers, or lengths of texts.
  Deltas prefixes_;         ///< For texts: length of the prefix shared with the last text.
  std::string last_;        ///< The last text.
  std::uint64_t made_ = 0;  ///< Total bytes of such texts.
  /// For BYTE_STREAM_SPLIT: values of the page, and the index of the next.
  std::size_t stride_ = 0, next_ = 0;
  std::vector<std::uint32_t> scratch_;
  std::vector<std::int64_t> lengths_, shared_;
};

}  // namespace profgauge::readers::parquet
