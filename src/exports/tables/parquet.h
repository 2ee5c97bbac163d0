// Writes a Parquet file: texts with dictionaries, numbers plain, every column optional, no
// compression. Integers are INT64, Booleans BOOLEAN, other numbers DOUBLE, texts UTF-8.
//
//   "PAR1"
//   group 1    column a: dictionary page, data page    (texts)
//              column b: data page                     (numbers)
//   group 2    ...
//   footer     schema, row counts, where each column of each group is, metadata
//   4 bytes    length of the footer
//   "PAR1"
//
// A page is a Thrift header and its bytes. Those of a data page begin with definition levels, 1 for
// a cell with a value and 0 for an absent one. Then come the values that exist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "base/value.h"

namespace profgauge::exports {

struct ParquetColumn {
  std::string name;
  Unit unit = Unit::kText;
};

/// Usage: the columns, then groups of rows, then Finish(). Bytes can be taken between any two
/// calls, so writing a file of any size needs the memory of only one group.
class ParquetWriter {
 public:
  /// Most rows in one group.
  static constexpr std::size_t kMostRows = 1'000'000;

  /// `metadata` is stored unchanged; programs that read the file show it with the schema.
  ParquetWriter(std::vector<ParquetColumn> columns,
                std::vector<std::pair<std::string, std::string>> metadata);

  /// Adds a group of rows. Calls `cell` column by column. REQUIRES: 0 < rows <= kMostRows.
  void AddGroup(std::size_t rows,
                const std::function<Cell(std::size_t row, std::size_t column)>& cell);
  /// Writes the end of the file.
  void Finish();
  /// Removes and returns the finished bytes.
  std::string Take();

 private:
  struct Chunk {
    std::size_t dictionary_at = 0;  ///< 0 if there is no dictionary.
    std::size_t data_at = 0;
    std::size_t begin = 0, bytes = 0;
  };
  struct Group {
    std::vector<Chunk> chunks;
    std::size_t rows = 0;
  };
  /// Appends a page. Returns its offset in the file.
  std::size_t AddPage(bool is_dictionary, std::size_t values, int encoding,
                      const std::string& bytes);
  Chunk AddChunk(std::size_t rows, std::size_t column,
                 const std::function<Cell(std::size_t row, std::size_t column)>& cell);

  std::vector<ParquetColumn> columns_;
  std::vector<std::pair<std::string, std::string>> metadata_;
  std::vector<Group> groups_;
  std::string out_;
  std::size_t written_ = 0;  ///< Bytes taken before those in out_.
};

}  // namespace profgauge::exports
