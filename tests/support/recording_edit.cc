#include "support/recording_edit.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <set>

namespace profgauge::edit {
namespace {

constexpr int kGzip = 15 + 16;  // Window bits of a gzip stream.

}  // namespace

std::string_view NameOf(Fact fact) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Fact::kCount_)> kNames = {
      "device name", "capability",  "multiprocessors", "memory", "device list", "grid",
      "occupancy",   "registers",   "bytes",           "shapes", "types",       "stacks",
      "correlation", "operator id", "world size",      "arrows"};
  return kNames[static_cast<std::size_t>(fact)];
}

std::string Inflated(const std::filesystem::path& path) {
  std::string text;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return text;
  std::string bytes(1 << 16, '\0');
  for (int got; (got = gzread(file, bytes.data(), static_cast<unsigned>(bytes.size()))) > 0;) {
    text.append(bytes, 0, static_cast<std::size_t>(got));
  }
  gzclose(file);
  return text;
}

std::string Gzipped(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, 1, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  std::string in(bytes);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::unique_ptr<Edit> Edit::Open(const std::filesystem::path& path, std::string_view as) {
  return OfText(Inflated(path), as);
}

std::unique_ptr<Edit> Edit::OfText(std::string_view bytes, std::string_view as) {
  if (bytes.starts_with("SQLite format 3")) return EditTables(bytes, as);
  if (as == "xplane" || as == "pftrace") return EditWire(bytes, as);
  return EditJson(bytes, as);
}

Rows Edit::All() const {
  Rows rows(size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

Ns Edit::First() const {
  std::optional<Ns> first;
  for (const std::size_t row : All()) {
    const auto start = StartOf(row);
    if (start && (!first || *start < *first)) first = start;
  }
  return first.value_or(0);
}

bool Edit::Relabel(Field field, const std::function<std::int64_t(std::int64_t)>& now) {
  bool changed = false;
  for (const std::size_t row : All()) {
    if (const auto number = Number(row, field)) {
      changed = SetNumber(row, field, now(*number)) || changed;
    }
  }
  return changed;
}

Rows Edit::Of(std::initializer_list<Kind> kinds) const {
  Rows rows = All();
  std::erase_if(rows, [&](std::size_t row) {
    return std::find(kinds.begin(), kinds.end(), KindOf(row)) == kinds.end();
  });
  return rows;
}

bool Edit::Shift(const Rows& rows, Ns by) {
  bool moved = false;
  for (const std::size_t row : rows) moved = Move(row, by) || moved;
  return moved;
}

bool Edit::Shuffle(Random& random) {
  if (!IsUnordered()) return false;
  Rows rows = All();
  std::shuffle(rows.begin(), rows.end(), random);
  return Select(rows);
}

bool Edit::Repeat(bool at_end) {
  if (!IsUnordered()) return false;
  Rows rows;
  for (const std::size_t row : All()) {
    rows.push_back(row);
    if (!at_end && KindOf(row) != Kind::kLookup) rows.push_back(row);
  }
  for (const std::size_t row : All()) {
    if (at_end && KindOf(row) != Kind::kLookup) rows.push_back(row);
  }
  return Select(rows);
}

bool Edit::Drop(std::initializer_list<Kind> kinds) {
  const Rows gone = Of(kinds);
  if (gone.empty()) return false;
  const std::set<std::size_t> left_out(gone.begin(), gone.end());
  Rows rows = All();
  std::erase_if(rows, [&](std::size_t row) { return left_out.contains(row); });
  return Select(rows);
}

}  // namespace profgauge::edit
