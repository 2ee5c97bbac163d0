#include "support/line_mutator.h"

#include <charconv>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "support/dice.h"

namespace profgauge::fuzz {
namespace {

using Line = std::vector<std::string>;

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string Joined(const std::vector<Line>& lines, char separator) {
  std::string text;
  for (const Line& line : lines) {
    if (&line != &lines.front()) text += '\n';
    for (const std::string& cell : line) {
      if (&cell != &line.front()) text += separator;
      text += cell;
    }
  }
  return text;
}

std::string ChangedCell(const std::string& cell, const std::string& other, Dice& dice) {
  std::int64_t number = 0;
  const char* end = cell.data() + cell.size();
  const bool is_number = std::from_chars(cell.data(), end, number).ptr == end && !cell.empty();
  const auto unsigned_one = static_cast<std::uint64_t>(number);
  switch (dice.Below(is_number ? 9 : 4)) {
    case 0:
      return other;
    case 1:
      return dice.OneIn(2) ? OddText(dice) : "";
    case 2:
      return MutatedText(cell, 8);
    case 3:
      return std::to_string(OddNumber(dice));
    case 4:
      return cell + ".5";
    default: {
      const std::uint64_t choices[] = {unsigned_one + 1, unsigned_one - 1, ~unsigned_one + 1,
                                       unsigned_one * 2, unsigned_one + dice.Below(10'000)};
      return std::to_string(static_cast<std::int64_t>(dice.Of(choices)));
    }
  }
}

// A row for a known line that is a head: as many numbers.
Line RowFor(const Line& head, Dice& dice) {
  Line row;
  for (std::size_t i = 1; i < head.size(); ++i) row.push_back(std::to_string(dice.Below(100)));
  return row;
}

/// Rows rather than heads of tables: rows decide more, and an unchanged table need not be made
/// again.
std::size_t PlaceIn(const std::vector<Line>& lines, Dice& dice) {
  std::size_t at = dice.Below(lines.size());
  for (int tries = 3; tries > 0 && !lines[at].empty() && lines[at].front().starts_with("# ");
       --tries) {
    at = dice.Below(lines.size());
  }
  return at;
}

void ChangeOnce(std::vector<Line>& lines, char separator, std::span<const std::string_view> known,
                Dice& dice) {
  const std::size_t at = PlaceIn(lines, dice), other = PlaceIn(lines, dice);
  const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
  Line& line = lines[at];
  switch (dice.Below(known.empty() ? 6 : 8)) {
    case 0:
      if (lines.size() > 1) lines.erase(place);
      return;
    case 1: {
      Line copy = lines[other];
      lines.insert(place, std::move(copy));
      return;
    }
    case 2:
      std::swap(line, lines[other]);
      return;
    case 3:
      if (!line.empty())
        line.erase(line.begin() + static_cast<std::ptrdiff_t>(dice.Below(line.size())));
      return;
    case 6: {
      Line added = Split(dice.Of(known), separator);
      Line row = RowFor(added, dice);
      const bool has_row = added.size() > 1;
      const auto put = lines.insert(place, std::move(added));
      if (has_row) lines.insert(put + 1, std::move(row));
      return;
    }
    case 7: {  // A cell of a known line.
      const Line from = Split(dice.Of(known), separator);
      line.insert(line.begin() + static_cast<std::ptrdiff_t>(dice.Below(line.size() + 1)),
                  dice.Of(from));
      return;
    }
    default: {
      const Line& from = lines[other];
      if (line.empty() || from.empty()) return;
      std::string& cell = dice.Of(line);
      cell = ChangedCell(cell, dice.Of(from), dice);
    }
  }
}

}  // namespace

std::size_t MutateLines(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed,
                        char separator, std::span<const std::string_view> known) {
  Dice dice(seed);
  if (dice.OneIn(6)) return LLVMFuzzerMutate(data, size, max_size);
  std::vector<Line> lines;
  for (const std::string& line : Split({reinterpret_cast<const char*>(data), size}, '\n')) {
    lines.push_back(Split(line, separator));
  }
  for (std::size_t left = 1 + dice.Below(4); left > 0; --left) {
    ChangeOnce(lines, separator, known, dice);
  }
  const std::string text = Joined(lines, separator);
  if (text.empty() || text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

}  // namespace profgauge::fuzz
