#include "base/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/text.h"

namespace profgauge {

Error InputError(std::string file, std::string code, std::string message, std::string help) {
  Error error;
  error.kind = ErrorKind::kInput;
  error.code = std::move(code);
  error.message = std::move(message);
  error.where.file = std::move(file);
  if (!help.empty()) error.notes.push_back("help: " + std::move(help));
  return error;
}

Error InputErrorAt(std::string file, std::uint64_t offset, std::string code, std::string message,
                   std::string help) {
  Error error = InputError(std::move(file), std::move(code), std::move(message), std::move(help));
  error.where.offset = offset;
  error.where.has_offset = true;
  return error;
}

Error UsageError(std::string code, std::string message, std::string help) {
  Error error{ErrorKind::kUsage, std::move(code), std::move(message), {}, {}};
  if (!help.empty()) error.notes.push_back("help: " + std::move(help));
  return error;
}

namespace {

constexpr std::size_t kShownBytes = 120;       ///< Most bytes shown of a source line.
constexpr std::size_t kBeforeCaret = 60;       ///< Bytes before the caret, if cut on the left.
constexpr std::size_t kLongestCompared = 100;  ///< In DidYouMean(); no one types longer names.

struct Colors {
  std::string_view head, strong, place, off;
};

Colors ColorsFor(std::string_view word, bool color) {
  if (!color) return {};
  return {word == "error"     ? "\x1b[1;31m"
          : word == "warning" ? "\x1b[1;33m"
                              : "\x1b[1;36m",
          "\x1b[1m", "\x1b[36m", "\x1b[0m"};
}

/// Number of columns of printable text: one per character.
std::size_t WidthOf(std::string_view printable) {
  return static_cast<std::size_t>(std::count_if(printable.begin(), printable.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string PrintableLine(std::string_view line) {
  std::string copy(line);
  std::replace(copy.begin(), copy.end(), '\t', ' ');
  return Printable(copy);
}

/// Moves `at` back to the start of its character.
std::size_t CharacterStart(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
  return at;
}

/// The bar, the source line and the caret line; empty if the line is not in `source`.
std::string SourceExcerpt(const Where& where, std::string_view source, const Colors& colors) {
  if (where.line == 0 || source.empty()) return {};
  for (std::uint32_t skip = 1; skip < where.line; ++skip) {
    const std::size_t end = source.find('\n');
    if (end == std::string_view::npos) return {};
    source.remove_prefix(end + 1);
  }
  std::string_view line = source.substr(0, source.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);

  std::size_t caret = where.column == 0 ? 0 : std::min<std::size_t>(where.column - 1, line.size());
  std::string_view lead, tail;
  if (line.size() > kShownBytes && caret > kBeforeCaret) {
    const std::size_t cut = CharacterStart(line, caret - kBeforeCaret);
    line.remove_prefix(cut);
    caret -= cut;
    lead = "\u2026";
  }
  if (line.size() > kShownBytes) {
    line = line.substr(0, CharacterStart(line, kShownBytes));
    tail = "\u2026";
  }
  const std::string number = fmt::format("{}", where.line);
  const std::string margin(number.size(), ' ');
  std::string out = fmt::format("{}{} |\n{} |{}", colors.place, margin, number, colors.off);
  out += line.empty() ? "\n" : fmt::format(" {}{}{}\n", lead, PrintableLine(line), tail);
  if (where.column == 0) return out;
  const std::string_view marked = line.substr(caret, std::max<std::size_t>(where.length, 1));
  const std::size_t indent = WidthOf(lead) + WidthOf(PrintableLine(line.substr(0, caret)));
  const std::size_t width = std::max<std::size_t>(1, WidthOf(PrintableLine(marked)));
  out += fmt::format("{}{} |{} {}{}{}{}\n", colors.place, margin, colors.off,
                     std::string(indent, ' '), colors.head, std::string(width, '^'), colors.off);
  return out;
}

std::string Lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Edit distance in which swapping adjacent letters is one edit (optimal string alignment).
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string PlaceText(const Where& where) {
  std::string place = Printable(where.file);
  if (where.line > 0) place += fmt::format(":{}", where.line);
  if (where.line > 0 && where.column > 0) place += fmt::format(":{}", where.column);
  const auto append = [&place](const std::string& part) {
    if (!place.empty()) place += ", ";
    place += part;
  };
  if (where.has_offset) {
    // Offsets count decompressed bytes; say that only if there is a difference.
    const bool compressed = where.file.ends_with(".gz");
    append(fmt::format("byte {}{}", FormatCount(static_cast<std::int64_t>(where.offset)),
                       compressed ? " (decompressed)" : ""));
  }
  if (!where.path.empty()) append(Printable(where.path));
  return place;
}

std::string RenderDiagnostic(const Error& error, std::string_view source, bool color,
                             std::string_view word) {
  const Colors colors = ColorsFor(word, color);
  const std::string code = error.code.empty() ? "" : fmt::format("   [{}]", error.code);
  std::string out = fmt::format("{}{}:{} {}{}{}", colors.head, word, colors.off, colors.strong,
                                Printable(error.message), colors.off);
  out += error.notes.empty() ? code + "\n" : "\n";
  const std::string place = PlaceText(error.where);
  const std::string excerpt = SourceExcerpt(error.where, source, colors);
  if (!place.empty()) {
    // The arrow's head is above the excerpt's bar.
    const std::size_t digits = excerpt.empty() ? 2 : fmt::format("{}", error.where.line).size();
    out += fmt::format("{}{}-->{} {}\n", std::string(digits, ' '), colors.place, colors.off, place);
  }
  out += excerpt;
  for (std::size_t i = 0; i < error.notes.size(); ++i) {
    const bool is_last = i + 1 == error.notes.size();
    out += fmt::format("  {}{}\n", Printable(error.notes[i]), is_last ? code : "");
  }
  return out;
}

// At most one letter in three may differ, at least 1 and at most 4:
//
//   word         candidate        distance
//   gpu.idl      gpu.idle         1, of letters
//   gpu.idle     gpu.idle.mean    1: continues after a dot
//   warning      warn             2: the word begins with it
//   time         throughput       6 letters longer: too far, without comparing letters
std::string_view DidYouMean(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kLongestCompared) return {};
  const std::string wanted = Lowered(word);
  const std::size_t limit = std::clamp<std::size_t>(wanted.size() / 3, 1, 4);
  std::string_view best;
  std::size_t best_distance = limit + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongestCompared) continue;
    const std::string lowered = Lowered(candidate);
    const bool continues = lowered.starts_with(wanted) && lowered[wanted.size()] == '.';
    // "warning" for "warn" counts as similar, not as three wrong letters.
    const bool contains = lowered.size() >= 4 && wanted.starts_with(lowered);
    const std::size_t more = std::max(wanted.size(), lowered.size());
    const std::size_t fewest = more - std::min(wanted.size(), lowered.size());
    const std::size_t distance = continues        ? 1
                                 : contains       ? std::min<std::size_t>(limit, 2)
                                 : fewest > limit ? fewest
                                                  : EditDistance(wanted, lowered);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::vector<std::string_view> Nearest(std::string_view word,
                                      std::vector<std::string_view> candidates, std::size_t count) {
  const std::string wanted = Lowered(word.substr(0, kLongestCompared));
  std::vector<std::pair<std::size_t, std::string_view>> by_distance;
  for (const std::string_view candidate : candidates) {
    const std::string lowered = Lowered(candidate.substr(0, kLongestCompared));
    // A part of a name is more similar than another word of that length.
    const bool is_part =
        lowered.find(wanted) != std::string::npos || wanted.find(lowered) != std::string::npos;
    by_distance.emplace_back(is_part ? 1 : EditDistance(wanted, lowered), candidate);
  }
  std::ranges::stable_sort(by_distance, {}, [](const auto& entry) { return entry.first; });
  candidates.clear();
  for (const auto& [distance, candidate] : by_distance) {
    if (candidates.size() < count) candidates.push_back(candidate);
  }
  return candidates;
}

// Byte 10 of this text is in the second run: 12:16. The underline ends with its run.
//
//   file, line 11     where: a > 1          text    a > 1 and b     runs   0 -> 11:12
//   file, line 12            and b                                         6 -> 12:12
Where SourceText::At(std::size_t offset, std::size_t length) const {
  Where where;
  where.file = file;
  if (runs.empty()) return where;
  offset = std::min(offset, text.size());
  const auto next =
      std::upper_bound(runs.begin(), runs.end(), offset,
                       [](std::size_t value, const Run& run) { return value < run.offset; });
  const Run& run = next == runs.begin() ? runs.front() : *std::prev(next);
  where.line = run.line;
  where.column = run.column + static_cast<std::uint32_t>(offset - run.offset);
  const std::size_t end = next == runs.end() ? text.size() : next->offset;
  where.length = static_cast<std::uint32_t>(std::min(length, end - std::min(end, offset)));
  return where;
}

}  // namespace profgauge
