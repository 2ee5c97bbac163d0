// Packs columns for a page. templates/js/payload.js reads them.
//
// A payload is Packed(), gzip as text, of:
//   4 bytes  length of the head, little endian
//   head     JSON; head.columns lists [id, kind, planes, count] in order; for tables, whose fields
//            have the rest, [kind, planes]
//   planes   for each column its bytes: all lowest bytes, then all next ones, …
// Kinds: "u" unsigned; "d" difference to the previous value as zigzag (0, -1, 1, -2, …); "f" 64-bit
// reals, rounded to 28 bits, which is 8 digits. Planes of bytes compress 1.5 times as well as whole
// numbers, and need no variable-length decoding.
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
/// A column has as many planes as its largest number needs. Cost: O(values). The packed bytes of
/// all columns are in memory at the same time.
class ColumnPacker {
 public:
  void AddUnsigned(std::string_view id, std::span<const std::uint64_t> values);
  void AddDifferences(std::string_view id, std::span<const std::int64_t> values);
  void AddReals(std::string_view id, std::span<const double> values);
  /// Omits ids and counts from the list of columns, because the rest of the head has them. Called
  /// once, after the last column.
  void NameNothing();
  /// Returns the payload. Called once. `head` gets the key "columns". Equal input gives equal
  /// bytes.
  std::string Finish(boost::json::object head);

 private:
  boost::json::array columns_;
  std::string planes_;
};

/// Packs rows of several tables into one payload, which stores shared texts (names of kernels)
/// once. Head: {texts: […], tables: [{id, rows, of, fields: [{id, title, unit, doc}]}]}; `doc` is
/// the column's definition, stored like a text. Columns are named "table.column". Text cells are
/// indices into texts plus 1, and integers are zigzag plus 1; 0 is an absent cell. Absent reals are
/// NaN.
class TablePacker {
 public:
  /// Definitions use the words for these devices: see report/labels.h.
  explicit TablePacker(std::string_view accelerator = {}) : accelerator_(accelerator) {}
  /// Adds `rows` of `table` in that order. Columns without any value are omitted, and the head
  /// names the others. Names of other rows are in the head of the table, for a search.
  void Add(const Table& table, std::span<const std::size_t> rows);
  /// Adds column definitions for a table whose rows are all in the page: head.docs, by table and
  /// column.
  void AddDocs(const Table& table, std::string_view docs_of);
  /// Sets the order of rows that the page has, for a table that is not packed.
  void NoteOrder(const Table& table, std::span<const std::size_t> rows);
  /// Adds which rows of a table belong to a finding: head.rows, by rule [table, total number,
  /// positions as differences]. False if the page has no such table.
  bool AddRowsOf(const std::string& rule, const std::string& table,
                 std::span<const std::uint32_t> rows, std::int64_t all);
  /// Adds the names of iterations that are not their position: head.iterations, [[position, name]].
  void NameIterations(const std::map<std::int64_t, std::string>& names);
  /// Returns the payload; empty if no table was added.
  std::string Finish();

 private:
  std::uint64_t IndexOf(std::string_view text);
  boost::json::array AbsentNames(const Table& table, std::span<const std::size_t> rows);

  boost::json::object docs_, rows_;
  std::map<std::string, std::vector<std::size_t>> orders_;  // By table.
  std::string accelerator_;
  ColumnPacker packer_;
  boost::json::array tables_, texts_, iterations_;
  std::unordered_map<std::string, std::uint64_t> index_;
};

/// The events of a timeline. Head: {unit, texts, facets, categories, parts, kinds, tracks, lanes,
/// amounts, counters, marks, unobserved, peaks, left_out, cut}. Times are in `unit` nanoseconds: 1
/// up to kExactEvents events, 100 above. A kind is [name, category, detail, facet…], in which
/// facets are indices into texts plus 1. Amounts are columns called "amount.ID"; if all are 0,
/// there is none.
inline constexpr std::size_t kExactEvents = 100'000;
/// Names of categories use the words for the report's devices.
std::string PackTimeline(const report::Timeline& timeline, std::string_view accelerator = {});

// gzip for the data of a page or a trace.

/// Compresses deterministically: without time stamp and name.
std::string Gzip(const std::string& bytes);

/// Gzip() as text for an element of a page that browsers do not run: 4 bytes are 5 of 85 letters,
/// '#' to 'y' without '<' and '\', so that it ends no element. It is 6 % shorter than base64. A
/// last group of n bytes has n + 1 letters. templates/js/inflate.js reads it.
///
///   1f 8b 08 00   0x1f8b0800 = 10·85⁴ + 11·85³ + …   5 letters, the largest power first
std::string Packed(const std::string& bytes);

}  // namespace profgauge::render
