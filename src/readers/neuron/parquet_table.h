// Tables of Neuron's schema as Parquet, which neuron-explorer writes by default: one table a file,
// long ones in several.
#pragma once

#include <cstdint>
#include <string>

#include "base/content_hash.h"
#include "profgauge/error.h"
#include "readers/neuron/import.h"
#include "readers/reader.h"

namespace profgauge::readers::neuron {

/// The state of the files that a profile is read from.
struct FilesRead {
  std::uint64_t total = 0;  ///< Bytes of all; 0: unknown.
  std::uint64_t bytes = 0;  ///< Bytes of the files that are read.
  std::string table;        ///< The last of Parquet's. Its parts are one.
  ContentHash hash;
  std::string parquet_form;  ///< How the first of Parquet's is written.
};

/// Gives the rows of the file to `import`. One that ends early is counted and left out where
/// `options` allow that. Errors: kInput.
Status ReadParquetTable(const std::string& path, const ReadOptions& options, Import& import,
                        FilesRead& read);

}  // namespace profgauge::readers::neuron
