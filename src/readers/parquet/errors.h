// Messages for Parquet that cannot be read. The file's name is added where it is known.
#pragma once

#include <string>
#include <utility>

#include "base/errors.h"
#include "profgauge/error.h"

namespace profgauge::readers::parquet {

/// The file contradicts itself or the format.
inline tl::unexpected<Error> Damaged(std::string what) {
  return Fail(InputError({}, "parquet/damaged", "the Parquet file is damaged: " + std::move(what),
                         "copy or export it again"));
}

/// The file is valid and has a feature that this reader does not have.
inline tl::unexpected<Error> Unsupported(std::string what) {
  return Fail(InputError({}, "parquet/unsupported",
                         "the Parquet file uses an unsupported feature: " + std::move(what),
                         "write it again with another tool, such as DuckDB: `duckdb -c \"COPY "
                         "(FROM 'OLD.parquet') TO 'NEW.parquet'\"`"));
}

/// The file states a size that would need more memory than any real file.
inline tl::unexpected<Error> TooLarge(std::string what) {
  return Fail(InputError({}, "parquet/too-large",
                         "the Parquet file has impossible values: " + std::move(what),
                         "copy or export it again"));
}

}  // namespace profgauge::readers::parquet
