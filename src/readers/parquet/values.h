// The values of a page, without those that are absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "profgauge/error.h"
#include "readers/parquet/footer.h"
#include "readers/parquet/page.h"
#include "readers/parquet/runs.h"

namespace profgauge::readers::parquet {

/// Bytes that texts are in, as long as somebody needs them.
using Kept = std::shared_ptr<const std::string>;

/// Values as they come out: texts of Form::kText; of all else whole numbers, or the bits of reals.
/// Only one of the two lists is used for a column.
struct ValueList {
  std::vector<std::int64_t> numbers;
  std::vector<std::string_view> texts;
  std::size_t size() const { return numbers.size() + texts.size(); }
  void clear() {
    numbers.clear();
    texts.clear();
  }
};

/// The values that indices of a chunk's pages refer to.
/// Texts point into `bytes`: whoever keeps values keeps them too.
struct Dictionary {
  ValueList values;
  Kept bytes;
};

/// Reads a dictionary's page of `count` values. Errors: "parquet/damaged".
Result<Dictionary> ReadDictionary(const Column& column, Kept bytes, std::uint64_t count);

/// One pass over a page's values.
/// The encodings, for 4-byte values or texts; `|` separates parts:
///
///   PLAIN                    1 0 0 0 | 2 0 0 0 ...      texts: length in 4 bytes | letters
///   RLE_DICTIONARY           width in 1 byte | Runs of indices into the dictionary
///   DELTA_BINARY_PACKED      Deltas
///   DELTA_LENGTH_BYTE_ARRAY  Deltas of the lengths | all letters
///   DELTA_BYTE_ARRAY         Deltas of shared beginnings | Deltas of the rests' lengths | rests
///   BYTE_STREAM_SPLIT        all first bytes | all second bytes | third | fourth
class PageValues {
 public:
  PageValues() = default;
  /// `body`: the part of `bytes` after the levels. `dictionary`: the chunk's, or nullptr. REQUIRES:
  /// the column and the dictionary outlive this.
  static Result<PageValues> Begin(const Column& column, Encoding encoding, std::string_view body,
                                  const Dictionary* dictionary);

  /// Adds the next `count` to `out`, and to `kept` the memory of their texts, except for the page
  /// and the dictionary. Errors: "parquet/damaged".
  /// Texts point into the page, the dictionary or `kept`. REQUIRES: the caller keeps the page's
  /// bytes as long as `out`.
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
  bool is_empty_ = false;  ///< No bytes for values: of a page without any.
  std::string_view body_;
  Runs runs_;        ///< Indices, or truth values.
  PackedBits bits_;  ///< Truth values.
  std::uint64_t bits_left_ = 0;
  Deltas deltas_;           ///< Numbers, or lengths of texts.
  Deltas prefixes_;         ///< For texts: the length that equals the text before.
  std::string last_;        ///< That one.
  std::uint64_t made_ = 0;  ///< Bytes of such texts.
  /// For split bytes: values of the page, and the index of the next.
  std::size_t stride_ = 0, next_ = 0;
  std::vector<std::uint32_t> scratch_;
  std::vector<std::int64_t> lengths_, shared_;
};

}  // namespace profgauge::readers::parquet
