// A copy of a table in CSV that keeps what a list allows and nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "profgauge/error.h"
#include "readers/text/rename.h"

namespace profgauge::readers {

/// What stays of a column's cells. All columns stay, since a table is known by its head.
enum class CsvKeep : std::uint8_t {
  kNumbers,  ///< Numbers; other cells are emptied.
  kWords,    ///< Texts too, without folders: the format's own words.
  kNames,    ///< Texts too, renamed: names of code.
};

/// Errors: kInput of reading, "csv/truncated" when it ends inside a cell or a row,
/// "csv/row-too-long".
/// The copy is held in memory. Columns that `keep` does not know must give kNumbers.
Result<std::string> CopyCsv(ByteSource& source,
                            const std::function<CsvKeep(std::string_view column)>& keep,
                            const Rename& rename);

}  // namespace profgauge::readers
