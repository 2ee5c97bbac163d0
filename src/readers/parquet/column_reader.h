// One column of a Parquet file, from its first row to its last.
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
#include "readers/parquet/stored_bytes.h"
#include "readers/parquet/values.h"

namespace profgauge::readers::parquet {

/// The values of a block of rows. In a list column, a row has several values. Three rows [7, 8],
/// absent, [] of a list column:
///
///   values  7 8       is_set  1 0 1       ends  2 2 2
///
/// Absent elements of a list are dropped.
struct ColumnBlock {
  ValueList values;                  ///< One per row; for a list, one per element.
  std::vector<std::uint8_t> is_set;  ///< By row. Others have a meaningless value, or no list.
  std::vector<std::uint32_t> ends;   ///< For lists, by row: the index after its last element.
  std::vector<Kept> kept;            ///< Owners of the texts.

  void Clear();
};

/// Reads a column's values page by page. Memory: one decompressed page.
///
/// Levels state which values are present. A column `optional int` with rows 5, absent, 6:
///
///   definition   1 0 1        values on the page: 5 6
///
/// A list column (optional list, optional elements) with rows [7, 8], absent, [], [9]:
///
///   repetition   0 1 0 0 0    0 begins a row
///   definition   3 3 0 1 3    3 an element, 2 an absent element, 1 an empty list, 0 no list
///   values       7 8     9
class ColumnReader {
 public:
  /// REQUIRES: all arguments outlive the reader.
  ColumnReader(const StoredBytes& bytes, const Footer& footer, std::size_t column);

  /// Goes to the first row of a group.
  void BeginGroup(std::size_t group);
  /// Replaces `block` by the next rows. REQUIRES: the group has this many more rows. Errors,
  /// without the file's name: kInput "parquet/damaged", "parquet/unsupported", "parquet/too-large",
  /// "input/read".
  Status Read(std::size_t rows, ColumnBlock& block);
  /// Checks that the group's pages have no values after its last row.
  Status EndGroup();

 private:
  Status NextPage();
  Result<bool> NextHead(PageHead& head);
  Status ReadStored(const PageHead& head, std::string& stored);
  Status SetDictionary(const PageHead& head, std::string_view stored);
  Status SetPage(const PageHead& head, std::string_view stored);
  Status SetPageV2(const PageHead& head, std::string_view stored);
  Result<Runs> LevelsOf(std::uint8_t most, Encoding encoding, std::string_view& body) const;
  Status SetValues(const PageHead& head, std::string_view body);
  Status ReadSingle(std::size_t rows, ColumnBlock& block);
  Status ReadLists(std::size_t rows, ColumnBlock& block);
  /// Reads `count` definition levels and returns the number of present values.
  Result<std::size_t> ReadDefinitions(std::size_t count);

  const StoredBytes& bytes_;
  const Footer& footer_;
  const std::size_t column_number_;
  const Column& column_;

  std::uint64_t at_ = 0, end_ = 0;  ///< Offsets in the file: next page, and end of the chunk.
  std::int32_t codec_ = 0;
  std::uint64_t values_left_ = 0;  ///< Values of the chunk after this page.
  std::shared_ptr<const Dictionary> dictionary_;
  Kept page_;
  std::uint64_t page_left_ = 0;  ///< Remaining values of the page, including absent ones.
  Runs definitions_, repetitions_;
  PageValues values_;
  std::string window_;  ///< Bytes of the file read ahead from at_.
  std::uint64_t window_begin_ = 0;
  std::vector<std::uint32_t> levels_, repeats_;
};

}  // namespace profgauge::readers::parquet
