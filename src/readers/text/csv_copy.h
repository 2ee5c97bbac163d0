// Copies a CSV table, but only the contents that a list allows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "profgauge/error.h"
#include "readers/text/rename.h"

namespace profgauge::readers {

/// The copied part of a column's cells. No column is dropped: the head identifies the table.
enum class CsvKeep : std::uint8_t {
  kNumbers,  ///< Numbers; other cells become empty.
  kWords,    ///< Also texts, without folders: the format's own words.
  kNames,    ///< Also texts, renamed: names of code.
};

/// Copies the table; the copy is in memory. `keep` must return kNumbers for unknown columns.
/// Errors: kInput of reading, "csv/truncated" if the table ends inside a cell or a row,
/// "csv/row-too-long".
Result<std::string> CopyCsv(ByteSource& source,
                            const std::function<CsvKeep(std::string_view column)>& keep,
                            const Rename& rename);

}  // namespace profgauge::readers
