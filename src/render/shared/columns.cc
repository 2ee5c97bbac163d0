#include "render/shared/columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/json.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cmath>

#include "base/gzip.h"
#include "base/hashes.h"
#include "base/readable.h"
#include "base/whole.h"
#include "render/shared/escape.h"
#include "render/shared/looks.h"
#include "report/labels.h"
#include "report/table_look.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;

// Names of one table that a search finds although their rows are not in the page: about 10 kB.
constexpr std::size_t kMostAbsentNames = 500;

// Small numbers of either sign need few bytes; in two's complement, -1 would need eight.
//   value   0  -1  1  -2  2 …        becomes   0  1  2  3  4 …
std::uint64_t ZigZag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

// The number of bytes that the largest value needs, at least 1. gzip removes a column of zeros.
unsigned PlanesOf(std::span<const std::uint64_t> values) {
  std::uint64_t all = 0;
  for (const std::uint64_t value : values) all |= value;
  return std::max(1u, (static_cast<unsigned>(std::bit_width(all)) + 7) / 8);
}

// Keeps eight digits, which are more than the page shows. The other bits become 0 and compress
// well. Integers, e.g. counts of FLOPs, stay exact, because readers sum and copy them.
std::vector<std::uint64_t> Bits(std::span<const double> values) {
  constexpr std::uint64_t kLost = (std::uint64_t{1} << 24) - 1;
  std::vector<std::uint64_t> bits;
  bits.reserve(values.size());
  for (const double value : values) {
    const auto exact = std::bit_cast<std::uint64_t>(value);
    const bool is_rounded = std::isfinite(value) && value != std::round(value);
    bits.push_back(is_rounded ? (exact + (kLost >> 1)) & ~kLost : exact);
  }
  return bits;
}

void AddPlanes(std::span<const std::uint64_t> values, unsigned planes, std::string& out) {
  const std::size_t before = out.size();
  out.resize(before + planes * values.size());
  char* to = out.data() + before;
  for (unsigned plane = 0; plane < planes; ++plane) {
    for (const std::uint64_t value : values) {
      *to++ = static_cast<char>(value >> (8 * plane) & 0xff);
    }
  }
}

bool HasPoints(const report::Timeline::Counter& counter) {
  return counter.of == report::Timeline::Counter::Of::kPoints;
}

std::string_view OfName(report::Timeline::Counter::Of of) {
  switch (of) {
    case report::Timeline::Counter::Of::kBusy:
      return "busy";
    case report::Timeline::Counter::Of::kBlocks:
      return "blocks";
    case report::Timeline::Counter::Of::kPoints:
      break;
  }
  return "";
}

json::array CountersOf(const report::Timeline& timeline, Ns unit) {
  json::array counters;
  for (const auto& counter : timeline.counters) {
    counters.push_back(json::object{{"name", Readable(counter.name)},
                                    {"group", Readable(counter.group)},
                                    {"unit", UnitName(counter.unit)},
                                    {"scale", counter.scale},
                                    {"rank", counter.rank},
                                    {"section", Readable(counter.section)},
                                    {"line", counter.line},
                                    {"end", counter.end / unit},
                                    {"device", counter.device},
                                    {"of", OfName(counter.of)},
                                    {"count", HasPoints(counter) ? counter.time.size() : 0}});
  }
  return counters;
}

bool IsNothing(const report::Timeline::Amount& amount) {
  return std::all_of(amount.value.begin(), amount.value.end(),
                     [](std::int64_t value) { return value == 0; });
}

// Gives each text its index in head.texts plus 1. 0 is the empty text.
class TextIndex {
 public:
  std::uint64_t Of(const std::string& text) {
    if (text.empty()) return 0;
    const auto [slot, is_new] = index_.try_emplace(Readable(text), texts_.size() + 1);
    if (is_new) texts_.push_back(json::string(slot->first));
    return slot->second;
  }
  json::array Take() { return std::move(texts_); }

 private:
  std::unordered_map<std::string, std::uint64_t> index_;
  json::array texts_;
};

json::array TracksOf(const report::Timeline& timeline) {
  json::array tracks;
  for (const auto& track : timeline.tracks) {
    tracks.push_back(json::object{{"name", Readable(track.name)},
                                  {"group", Readable(track.group)},
                                  {"type", report::NameOf(track.type)},
                                  {"rank", track.rank},
                                  {"section", Readable(track.section)},
                                  {"unit", Readable(track.unit)},
                                  {"device", track.device}});
  }
  return tracks;
}

// Kinds as [name, category, detail, facet, facet, …], without empty facets at the end.
json::array KindsOf(const report::Timeline& timeline, TextIndex& texts) {
  json::array kinds;
  for (const auto& kind : timeline.kinds) {
    json::array entry{Readable(kind.name), CategoryId(kind.category), Readable(kind.detail)};
    for (const std::string& text : kind.facets) entry.push_back(texts.Of(text));
    while (entry.back() == 0 || entry.back() == "") entry.pop_back();
    kinds.push_back(std::move(entry));
  }
  return kinds;
}

// Blocks by kind. Empty if no counter needs them.
json::array BlocksOf(const report::Timeline& timeline) {
  json::array blocks;
  const bool is_needed = std::ranges::any_of(timeline.counters, [](const auto& counter) {
    return counter.of == report::Timeline::Counter::Of::kBlocks;
  });
  if (!is_needed) return blocks;
  for (const auto& kind : timeline.kinds) blocks.push_back(kind.blocks);
  return blocks;
}

json::object TimelineHead(const report::Timeline& timeline, std::string_view accelerator, Ns unit) {
  TextIndex texts;
  json::array facets, lanes, amounts, marks;
  json::array kinds = KindsOf(timeline, texts);
  for (const auto& facet : timeline.facets) {
    facets.push_back(json::object{{"id", facet.id}, {"title", facet.title}});
  }
  for (const auto& lane : timeline.lanes) {
    lanes.push_back(json::array{lane.track, lane.depth, lane.begin, lane.end});
  }
  for (const auto& amount : timeline.amounts) {
    if (IsNothing(amount)) continue;
    amounts.push_back(json::object{{"id", amount.id},
                                   {"title", amount.title},
                                   {"unit", UnitName(amount.unit)},
                                   {"adds_up", amount.adds_up}});
  }
  json::array unobserved;
  for (const auto& [rank, span] : timeline.unobserved) {
    unobserved.push_back(json::array{rank, span.start, span.end});
  }
  for (const auto& mark : timeline.marks) {
    marks.push_back(json::object{{"name", Readable(mark.name)}, {"time", mark.time}});
  }
  json::object head{{"unit", unit},
                    {"texts", texts.Take()},
                    {"facets", std::move(facets)},
                    {"categories", CategoriesForScript(accelerator)},
                    {"device", report::TextFor(accelerator, "{{ device.device }}")},
                    {"parts", kBreakdownCategories},
                    {"kinds", std::move(kinds)},
                    {"tracks", TracksOf(timeline)},
                    {"lanes", std::move(lanes)},
                    {"amounts", std::move(amounts)},
                    {"counters", CountersOf(timeline, unit)},
                    {"blocks", BlocksOf(timeline)},
                    {"marks", std::move(marks)},
                    {"peaks", json::object{{"flops", timeline.peak_flops},
                                           {"bandwidth", timeline.peak_bandwidth}}},
                    {"left_out", Readable(timeline.left_out)},
                    {"cut", timeline.is_cut}};
  if (!unobserved.empty()) head["unobserved"] = std::move(unobserved);
  return head;
}

// Adds one column after the other, so that only one unpacked column is in memory.
void AddEvents(const report::Timeline& timeline, Ns unit, ColumnPacker& packer) {
  const std::size_t count = timeline.start.size();
  std::vector<std::int64_t> differences(count);
  for (std::size_t i = 0; i < count; ++i) differences[i] = timeline.start[i] / unit;
  packer.AddDifferences("start", differences);
  std::vector<std::uint64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    // Both ends are rounded, so that adjacent events stay adjacent.
    const Ns end = (timeline.start[i] + timeline.duration[i]) / unit;
    values[i] = static_cast<std::uint64_t>(end - timeline.start[i] / unit);
  }
  packer.AddUnsigned("duration", values);
  values.assign(timeline.kind.begin(), timeline.kind.end());
  packer.AddUnsigned("kind", values);
  values = {};
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t link = timeline.link[i];
    differences[i] = link == report::Timeline::kNoLink ? -1 : static_cast<std::int64_t>(link);
  }
  packer.AddDifferences("link", differences);
}

// The earlier and later event of each dependency, sorted by the later, so differences are small.
void AddDependencies(const report::Timeline& timeline, ColumnPacker& packer) {
  auto edges = timeline.dependencies;
  std::sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  });
  std::vector<std::int64_t> from, to;
  for (const auto& [earlier, later] : edges) {
    from.push_back(earlier);
    to.push_back(later);
  }
  packer.AddDifferences("edge_from", from);
  packer.AddDifferences("edge_to", to);
}

}  // namespace

void ColumnPacker::AddUnsigned(std::string_view id, std::span<const std::uint64_t> values) {
  const unsigned planes = PlanesOf(values);
  columns_.push_back(json::array{id, "u", planes, values.size()});
  AddPlanes(values, planes, planes_);
}

void ColumnPacker::AddDifferences(std::string_view id, std::span<const std::int64_t> values) {
  std::vector<std::uint64_t> steps;
  steps.reserve(values.size());
  std::int64_t before = 0;
  for (const std::int64_t value : values) {
    steps.push_back(ZigZag(value - before));
    before = value;
  }
  const unsigned planes = PlanesOf(steps);
  columns_.push_back(json::array{id, "d", planes, values.size()});
  AddPlanes(steps, planes, planes_);
}

void ColumnPacker::AddReals(std::string_view id, std::span<const double> values) {
  columns_.push_back(json::array{id, "f", 8, values.size()});
  AddPlanes(Bits(values), 8, planes_);
}

void ColumnPacker::NameNothing() {
  for (json::value& column : columns_) {
    json::array& entry = column.as_array();
    entry.erase(entry.begin());
    entry.pop_back();
  }
}

std::string ColumnPacker::Finish(boost::json::object head) {
  head["columns"] = std::move(columns_);
  const std::string text = json::serialize(head);
  std::string bytes;
  bytes.reserve(4 + text.size() + planes_.size());
  for (int shift = 0; shift < 32; shift += 8) {
    bytes += static_cast<char>(text.size() >> shift & 0xff);
  }
  bytes += text;
  bytes += planes_;
  planes_ = {};  // Packed, they are as large again.
  return Packed(bytes);
}

std::uint64_t TablePacker::IndexOf(std::string_view text) {
  const auto [slot, is_new] = index_.try_emplace(Readable(text), texts_.size() + 1);
  if (is_new) texts_.push_back(json::string(slot->first));
  return slot->second;
}

// Adds column by column, because the packed form has them. The indices of texts are cached by their
// ids, so that a common name is hashed only once for a table. For texts and integers, 0 means
// absent, so other integers are increased by one.
void TablePacker::Add(const Table& table, std::span<const std::size_t> rows) {
  json::array fields;
  boost::unordered_flat_map<std::uint32_t, std::uint64_t> known;
  const auto text_index = [&](StringId id) -> std::uint64_t {
    if (!id.valid()) return 0;
    const auto [slot, is_new] = known.try_emplace(id.value, 0);
    if (is_new) slot->second = IndexOf(table.strings()[id]);
    return slot->second;
  };
  for (const Column& column : table.columns()) {
    if (!column.absent_because().empty()) continue;
    const std::string doc =
        report::TextFor(accelerator_, report::ColumnDoc(table.id(), column.id()));
    fields.push_back(json::object{{"id", column.id()},
                                  {"title", column.title()},
                                  {"unit", UnitName(column.unit())},
                                  {"doc", doc.empty() ? 0 : IndexOf(doc)}});
    const std::string id = table.id() + "." + column.id();
    if (column.type() == CellType::kReal) {
      std::vector<double> values;
      values.reserve(rows.size());
      for (const std::size_t row : rows) values.push_back(column.RealAt(row));
      packer_.AddReals(id, values);
      continue;
    }
    std::vector<std::uint64_t> values;
    values.reserve(rows.size());
    for (const std::size_t row : rows) {
      if (column.type() == CellType::kText) {
        values.push_back(text_index(column.TextAt(row)));
      } else {
        values.push_back(column.IsAbsentAt(row) ? 0 : ZigZag(column.IntegerAt(row)) + 1);
      }
    }
    packer_.AddUnsigned(id, values);
  }
  NoteOrder(table, rows);
  json::object entry{{"id", table.id()},
                     {"rows", rows.size()},
                     {"of", table.all_rows()},
                     {"fields", std::move(fields)}};
  if (rows.size() < table.rows()) entry["absent"] = AbsentNames(table, rows);
  tables_.push_back(std::move(entry));
}

// The names of rows that are not among `rows`, in the order of their first row, so that a search of
// the page can tell where they are: [text, rows, first rank, last rank], ranks of -1 where the
// table has none.
json::array TablePacker::AbsentNames(const Table& table, std::span<const std::size_t> rows) {
  const Column* name = table.Find("name");
  const Column* rank = table.Find("rank");
  if (name == nullptr || name->type() != CellType::kText) return {};
  std::vector<bool> is_here(table.rows(), false);
  for (const std::size_t row : rows) is_here[row] = true;
  boost::unordered_flat_map<std::uint32_t, std::size_t> places;
  std::vector<std::array<std::int64_t, 4>> found;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const StringId text = is_here[row] ? StringId{} : name->TextAt(row);
    if (!text.valid()) continue;
    const std::int64_t of = rank == nullptr ? -1 : AsWhole(table.At(row, *rank), -1);
    const auto [slot, is_new] = places.try_emplace(text.value, found.size());
    if (is_new && found.size() < kMostAbsentNames) found.push_back({text.value, 0, of, of});
    if (slot->second >= found.size()) continue;
    auto& [id, count, first, last] = found[slot->second];
    ++count;
    first = std::min(first, of);
    last = std::max(last, of);
  }
  json::array out;
  for (const auto& [id, count, first, last] : found) {
    const StringId text{static_cast<std::uint32_t>(id)};
    out.push_back({IndexOf(table.strings()[text]), count, first, last});
  }
  return out;
}

void TablePacker::NoteOrder(const Table& table, std::span<const std::size_t> rows) {
  orders_[table.id()].assign(rows.begin(), rows.end());
}

bool TablePacker::AddRowsOf(const std::string& rule, const std::string& table,
                            std::span<const std::uint32_t> rows, std::int64_t all) {
  const auto order = orders_.find(table);
  if (order == orders_.end()) return false;
  const boost::unordered_flat_set<std::size_t> wanted(rows.begin(), rows.end());
  json::array places;
  std::size_t before = 0;
  for (std::size_t place = 0; place < order->second.size(); ++place) {
    if (!wanted.contains(order->second[place])) continue;
    places.push_back(place - before);
    before = place;
  }
  rows_[rule] = json::array{table, all, std::move(places)};
  return true;
}

void TablePacker::NameIterations(const std::map<std::int64_t, std::string>& names) {
  for (const auto& [position, name] : names) {
    iterations_.push_back(json::array{position, Readable(name)});
  }
}

void TablePacker::AddDocs(const Table& table, std::string_view docs_of) {
  json::object docs;
  for (const Column& column : table.columns()) {
    const std::string doc = report::TextFor(accelerator_, report::ColumnDoc(docs_of, column.id()));
    if (!doc.empty()) docs[column.id()] = IndexOf(doc);
  }
  if (!docs.empty()) docs_[table.id()] = std::move(docs);
}

std::string TablePacker::Finish() {
  if (tables_.empty() && docs_.empty()) return {};
  packer_.NameNothing();
  return packer_.Finish({{"tables", std::move(tables_)},
                         {"docs", std::move(docs_)},
                         {"iterations", std::move(iterations_)},
                         {"rows", std::move(rows_)},
                         {"texts", std::move(texts_)}});
}

// If there are more than kExactEvents events, times are in 100 ns, which saves almost a byte each.
std::string PackTimeline(const report::Timeline& timeline, std::string_view accelerator) {
  const Ns unit = timeline.start.size() > kExactEvents ? 100 : 1;
  ColumnPacker packer;
  AddEvents(timeline, unit, packer);
  for (const auto& amount : timeline.amounts) {
    if (!IsNothing(amount)) packer.AddDifferences("amount." + amount.id, amount.value);
  }
  AddDependencies(timeline, packer);
  std::vector<std::int64_t> times, values;
  for (const auto& counter : timeline.counters) {
    if (!HasPoints(counter)) continue;
    for (const Ns time : counter.time) times.push_back(time / unit);
    values.insert(values.end(), counter.value.begin(), counter.value.end());
  }
  packer.AddDifferences("counter_time", times);
  packer.AddDifferences("counter_value", values);
  return packer.Finish(TimelineHead(timeline, accelerator, unit));
}

std::string Packed(const std::string& bytes) {
  constexpr char kFirst = '#', kSkipped[] = {'<', '\\'};
  constexpr std::uint32_t kLetters = 85;
  const std::string packed = Gzip(bytes);
  std::string out;
  out.reserve(packed.size() / 4 * 5 + 5);
  for (std::size_t at = 0; at < packed.size(); at += 4) {
    const std::size_t count = std::min<std::size_t>(4, packed.size() - at);
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      word = word << 8 | (i < count ? static_cast<unsigned char>(packed[at + i]) : 0U);
    }
    std::array<char, 5> letters;
    for (std::size_t i = letters.size(); i-- > 0; word /= kLetters) {
      letters[i] = static_cast<char>(kFirst + static_cast<char>(word % kLetters));
      for (const char skipped : kSkipped) {
        letters[i] = static_cast<char>(letters[i] + (letters[i] >= skipped ? 1 : 0));
      }
    }
    out.append(letters.data(), count + 1);
  }
  return out;
}

std::string Gzip(const std::string& bytes) {
  // Small data belongs to a page without a timeline, whose size is limited.
  constexpr std::size_t kLittle = 1'000'000;
  return profgauge::Gzip(bytes, bytes.size() < kLittle ? Effort::kSmallest : Effort::kSmall);
}

}  // namespace profgauge::render
