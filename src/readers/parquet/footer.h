// The footer of a Parquet file: its columns and the places of their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/thrift.h"
#include "profgauge/error.h"
#include "readers/parquet/stored_bytes.h"

namespace profgauge::readers::parquet {

/// Stored types, by the format's numbers.
enum class Physical : std::uint8_t {
  kBoolean = 0,
  kInt32 = 1,
  kInt64 = 2,
  kInt96 = 3,
  kFloat = 4,
  kDouble = 5,
  kBytes = 6,
  kFixedBytes = 7,
};

/// The type of a decoded value.
enum class Form : std::uint8_t { kBool, kInteger, kReal, kText };

/// How a stored value is converted to its Form.
enum class Conversion : std::uint8_t {
  kNone,
  kUnsigned32,
  kTimes,        ///< Multiplied by `factor`: a time or length in nanoseconds.
  kDecimal,      ///< An integer divided by 10 to the power of `scale`.
  kNanoseconds,  ///< Nanoseconds of the day and the Julian day, converted to nanoseconds since
                 ///< 1970.
  kHalf,         ///< A two-byte real.
};

/// A column of single values or of lists. `form` shows which list of ValueList has its values;
/// `conversion` is how a stored value is converted to it.
struct Column {
  std::string name;
  Physical physical = Physical::kInt64;
  Form form = Form::kInteger;
  Conversion conversion = Conversion::kNone;
  bool is_unsigned = false;  ///< Values from 2^63 on wrap.
  bool is_list = false;
  bool is_readable = true;                      ///< False for maps and lists of lists.
  std::uint8_t definition = 0, repetition = 0;  ///< The highest levels.
  /// For a list: the definition level of an empty list.
  std::uint8_t empty = 0;
  std::uint32_t width = 0;  ///< Bytes of kFixedBytes.
  std::int64_t factor = 1;
  int scale = 0;
};

/// The values of one column in one row group.
struct Chunk {
  std::uint64_t begin = 0, size = 0;  ///< In the file.
  std::uint64_t values = 0;           ///< Including absent values.
  std::int32_t codec = 0;             ///< By the format's numbers.
};

/// The contents of the footer that readers need.
struct Footer {
  std::vector<Column> columns;
  std::vector<std::uint64_t> group_rows;  ///< Rows of each row group.
  std::vector<Chunk> chunks;              ///< By group, then by column.
  std::uint64_t rows = 0;
  std::string created_by;
  std::uint32_t encodings = 0, codecs = 0;  ///< Bit sets of the format's numbers.

  const Chunk& ChunkOf(std::size_t group, std::size_t column) const {
    return chunks[group * columns.size() + column];
  }
};

/// Reads and checks the footer. Later code relies on these checks: offsets are inside the file, all
/// groups have equally many columns, and rows fit into their bytes. Errors, without the file's
/// name: kInput "parquet/truncated", "parquet/encrypted", "parquet/damaged", "parquet/too-large",
/// "parquet/unsupported".
Result<Footer> ReadFooter(const StoredBytes& bytes);

/// Describes the file: "parquet-rs version 59.3.0; PLAIN, RLE_DICTIONARY; zstd; reals of 32 bits".
std::string FormText(const Footer& footer);

/// True if `head` is the beginning of a Parquet file, even of an encrypted one.
bool IsParquet(std::string_view head);

// The schema of a Parquet file: a tree, written as a list of its nodes.

/// A node of the schema as stored.
///
///   message                       nodes, parents before children      columns
///     required int64 ts           schema (2 children), ts, args,      ts
///     optional group args (LIST)  list, element                       args  (x.list.element is x)
///       repeated group list
///         optional binary element
struct SchemaElement {
  std::string_view name;
  std::int64_t type = -1;  ///< None: a group.
  std::int64_t length = 0, repetition = 0, children = 0;
  std::int64_t converted = -1, scale = 0;
  std::int64_t logical = -1;        ///< The number of the logical type.
  std::int64_t logical_unit = -1;   ///< Only for times: 1 ms, 2 µs, 3 ns.
  std::int64_t logical_scale = -1;  ///< Only for decimals.
  bool logical_is_signed = true;
};

SchemaElement ReadSchemaElement(ThriftReader& thrift);

/// Makes columns from nodes. REQUIRES: parents precede children. Errors: "parquet/damaged".
Result<std::vector<Column>> ColumnsOf(const std::vector<SchemaElement>& elements);

}  // namespace profgauge::readers::parquet
