// A column for reading, named as RowWriter names it: `ColumnOf<columns::kKernels>(table,
// "time"_col)`. A name that the catalog's table does not have does not compile. If the table has
// the catalog's order, only this name is compared; reports of other versions are searched by name.
#pragma once

#include <cstddef>

#include "analysis/tables/row_writer.h"
#include "base/table.h"

namespace profgauge {

/// nullptr where the table, of another version of this program, has no column.
template <const auto& kColumns, class AnyTable, NamesColumn<kColumns> Name>
auto ColumnOf(AnyTable& table, Name) -> decltype(table.Find(Name::id())) {
  constexpr std::size_t kAt = PlaceOf(kColumns, Name::id());
  auto& all = table.columns();
  if (kAt < all.size() && all[kAt].id() == Name::id()) return &all[kAt];
  return table.Find(Name::id());
}
/// The same of a table that may be missing.
template <const auto& kColumns, NamesColumn<kColumns> Name>
const Column* ColumnOf(const Table* table, Name name) {
  return table == nullptr ? nullptr : ColumnOf<kColumns>(*table, name);
}

}  // namespace profgauge
