// The schema of a Parquet file: a tree, written as a list of its nodes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/thrift.h"
#include "profgauge/error.h"
#include "readers/parquet/footer.h"

namespace profgauge::readers::parquet {

/// A node as it is written.
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
  std::int64_t logical_unit = -1;   ///< Only for moments: 1 ms, 2 µs, 3 ns.
  std::int64_t logical_scale = -1;  ///< Only for decimals.
  bool logical_is_signed = true;
};

SchemaElement ReadSchemaElement(ThriftReader& thrift);

/// The columns of nodes, in which parents precede children. Errors: "parquet/damaged".
Result<std::vector<Column>> ColumnsOf(const std::vector<SchemaElement>& elements);

}  // namespace profgauge::readers::parquet
