// Columns packed for a page: the input of templates/js/payload.js.
//
// A payload is base64 of gzip of
//   4 bytes  length of the head, little endian
//   head     JSON; head.columns lists [id, kind, planes, count] in order; of tables, whose fields
// have the rest, [kind, planes]
//   planes   for each column its bytes: all lowest bytes, then all next ones, …
// Kinds: "u" unsigned, "d" difference to the one before, as zigzag (0, -1, 1, -2, …); "f" 64-bit
// reals, rounded to 28 bits, which are 8 digits. Byte planes compress half again as well as the
// numbers in a row, and no variable-length encoding is to be decoded.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/table.h"
#include "profgauge/error.h"
#include "report/report.h"

namespace profgauge::render {

/// Packs columns one after another. Three numbers, 1, 256 and 3, have two planes:
///
///   numbers     0x0001 0x0100 0x0003
///   plane 0     01 00 03                 the lowest bytes
///   plane 1     00 01 00                 the next ones
///
/// A column has as many planes as its largest number needs. Cost: O(values); the packed bytes of
/// all columns are in memory together.
class ColumnPacker {
 public:
  void AddUnsigned(std::string_view id, std::span<const std::uint64_t> values);
  void AddDifferences(std::string_view id, std::span<const std::int64_t> values);
  void AddReals(std::string_view id, std::span<const double> values);
  /// Omits ids and counts from the list of columns, where the rest of the head has them. After the
  /// last column, once.
  void NameNothing();
  /// The payload, once. `head` gets the key "columns". Same input, same bytes.
  std::string Finish(boost::json::object head);

 private:
  boost::json::array columns_;
  std::string planes_;
};

/// Rows of several tables in one payload, so that their shared texts (names of kernels) are there
/// once. Head: {texts: […], tables: [{id, rows, of, fields: [{id, title, unit, doc}]}]}; `doc` is
/// the column's definition, as a text cell. The columns of a table are called "table.column". Text
/// cells are indices into texts plus 1, whole numbers are zigzag plus 1, both 0 when absent; reals
/// are NaN when absent.
class TablePacker {
 public:
  /// Definitions are in the words of such devices: report/labels.h.
  explicit TablePacker(std::string_view accelerator = {}) : accelerator_(accelerator) {}
  /// `rows` of `table`, in that order. Columns that are absent as a whole are left out; the head
  /// names those that are there.
  void Add(const Table& table, std::span<const std::size_t> rows);
  /// The definitions of the columns of a table whose rows are all in the page: head.docs, by table
  /// and column.
  void AddDocs(const Table& table, std::string_view docs_of);
  /// The order in which the page has the rows of a table that it does not pack.
  void NoteOrder(const Table& table, std::span<const std::size_t> rows);
  /// The rows of a table that are a finding's, as far as they are in the page: head.rows, by rule
  /// [table, all of them, places as differences]. False if the page has no such table.
  bool AddRowsOf(const std::string& rule, const std::string& table,
                 std::span<const std::uint32_t> rows, std::int64_t all);
  /// Names of iterations that are not their position: head.iterations, [[position, name]].
  void NameIterations(const std::map<std::int64_t, std::string>& names);
  /// The payload; empty when no table was added.
  std::string Finish();

 private:
  std::uint64_t IndexOf(std::string_view text);

  boost::json::object docs_, rows_;
  std::map<std::string, std::vector<std::size_t>> orders_;  // By table.
  std::string accelerator_;
  ColumnPacker packer_;
  boost::json::array tables_, texts_, iterations_;
  std::unordered_map<std::string, std::uint64_t> index_;
};

/// The events of a timeline. Head: {unit, texts, facets, categories, parts, kinds, tracks, lanes,
/// amounts, counters, marks, unobserved, peaks, left_out}; times are in `unit` nanoseconds, 1 up to
/// kExactEvents events and 100 above. A kind is [name, category, detail, facet…], facets being
/// indices into texts plus 1. Amounts are columns called "amount.ID"; those that are all 0 are left
/// out.
inline constexpr std::size_t kExactEvents = 100'000;
/// Words of categories are those of the report's devices.
std::string PackTimeline(const report::Timeline& timeline, std::string_view accelerator = {});

// gzip for the data of a page or a trace.

/// The same bytes for the same bytes: no time stamp, no name.
std::string Gzip(const std::string& bytes);

}  // namespace profgauge::render
