#include "query/bounded_functions.h"

#include "query/functions.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::query {
namespace {

using Arguments = sqlite3_value**;

bool IsAnyNull(int count, Arguments values) {
  return std::any_of(values, values + count,
                     [](sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_NULL; });
}

std::string_view TextOfValue(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

void ReturnText(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

bool IsInsideCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// Linear in the sum of both lengths, unlike std::string_view::find.
std::size_t FindIn(std::string_view text, std::string_view part, std::size_t from) {
  const void* found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

// Position, from 1, of the second text's first occurrence in the first, in characters; else 0.
void Instr(sqlite3_context* context, int count, Arguments values) {
  if (IsAnyNull(count, values)) return;
  const std::string_view text = TextOfValue(values[0]), part = TextOfValue(values[1]);
  if (part.empty()) return sqlite3_result_int(context, 1);
  const std::size_t at = FindIn(text, part, 0);
  if (at == std::string_view::npos) return sqlite3_result_int(context, 0);
  const std::string_view before = text.substr(0, at);
  sqlite3_result_int64(context, 1 + std::count_if(before.begin(), before.end(),
                                                  [](char c) { return !IsInsideCharacter(c); }));
}

std::size_t MostLength(sqlite3_context* context) {
  return static_cast<std::size_t>(
      sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1));
}

void Replace(sqlite3_context* context, int count, Arguments values) {
  if (IsAnyNull(count, values)) return;
  const std::string_view text = TextOfValue(values[0]), part = TextOfValue(values[1]),
                         with = TextOfValue(values[2]);
  if (part.empty()) return ReturnText(context, text);
  const std::size_t most = MostLength(context);
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = FindIn(text, part, from)) != std::string_view::npos;) {
    out.append(text, from, at - from).append(with);
    if (out.size() > most) return sqlite3_result_error_toobig(context);
    from = at + part.size();
  }
  out.append(text, from);
  if (out.size() > most) return sqlite3_result_error_toobig(context);
  ReturnText(context, out);
}

// The different characters, sorted: finding one of n characters takes log n steps.
std::vector<std::string_view> CharactersOf(std::string_view text) {
  std::vector<std::string_view> characters;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && IsInsideCharacter(text[end])) ++end;
    characters.push_back(text.substr(at, end - at));
    at = end;
  }
  std::sort(characters.begin(), characters.end());
  characters.erase(std::unique(characters.begin(), characters.end()), characters.end());
  return characters;
}

// Removes characters of a set (by default blanks) from the ends.
template <bool left, bool right>
void TrimEnds(sqlite3_context* context, int count, Arguments values) {
  if (IsAnyNull(count, values)) return;
  std::string_view text = TextOfValue(values[0]);
  const auto set = CharactersOf(count == 1 ? std::string_view(" ") : TextOfValue(values[1]));
  const auto is_of_set = [&set](std::string_view character) {
    return std::binary_search(set.begin(), set.end(), character);
  };
  while (left && !text.empty()) {
    std::size_t end = 1;
    while (end < text.size() && IsInsideCharacter(text[end])) ++end;
    if (!is_of_set(text.substr(0, end))) break;
    text.remove_prefix(end);
  }
  while (right && !text.empty()) {
    std::size_t start = text.size() - 1;
    while (start > 0 && IsInsideCharacter(text[start])) --start;
    if (!is_of_set(text.substr(start))) break;
    text.remove_suffix(text.size() - start);
  }
  ReturnText(context, text);
}

// The pattern comes first, as SQLite passes `text LIKE pattern`.
template <bool is_glob>
void LikePattern(sqlite3_context* context, int count, Arguments values) {
  if (IsAnyNull(count, values)) return;
  const std::string_view pattern = TextOfValue(values[0]), text = TextOfValue(values[1]);
  const int most =
      sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1);
  if (pattern.size() > static_cast<std::size_t>(most)) {
    return sqlite3_result_error(context, "LIKE or GLOB pattern too complex", -1);
  }
  if (pattern.size() * text.size() > kMostComparisons) {
    return sqlite3_result_error_toobig(context);
  }
  if constexpr (is_glob) {
    return sqlite3_result_int(context, sqlite3_strglob(pattern.data(), text.data()) == 0);
  }
  unsigned int escape = 0;
  if (count == 3) {
    const std::string_view one = TextOfValue(values[2]);
    if (one.size() != 1) {  // SQLite allows any character, but no name needs another.
      return sqlite3_result_error(context, "ESCAPE expression must be a single character", -1);
    }
    escape = static_cast<unsigned char>(one.front());
  }
  sqlite3_result_int(context, sqlite3_strlike(pattern.data(), text.data(), escape) == 0);
}

/// One conversion in a format: "%-8.3f".
struct Conversion {
  std::string flags;
  std::int64_t width = 0, precision = -1;
  char kind = 0;
};

// The maximum width of a field, above any use.
constexpr std::int64_t kWidest = 10'000;

// SQLite's printf() with limits: parses each conversion, checks its width and precision, and has
// SQLite print one at a time. Other conversions (`%n`, `%p`) are errors.
class Formatter {
 public:
  Formatter(int count, Arguments values) : count_(count), values_(values) {}

  // nullopt if the format is wrong or the result would be too long.
  std::optional<std::string> Format(std::string_view format, std::size_t most) {
    std::string out;
    while (!format.empty()) {
      const std::size_t plain = std::min(format.find('%'), format.size());
      out.append(format.substr(0, plain));
      format.remove_prefix(plain);
      if (format.empty()) break;
      Conversion conversion;
      if (!Parse(format, conversion) || !Append(conversion, out)) return std::nullopt;
      if (out.size() > most) return std::nullopt;
    }
    return out;
  }

 private:
  sqlite3_value* Next() { return at_ < count_ ? values_[at_++] : nullptr; }
  std::int64_t NextInteger() {
    sqlite3_value* value = Next();
    return value == nullptr ? 0 : sqlite3_value_int64(value);
  }

  std::int64_t Number(std::string_view& format) {
    if (format.starts_with('*')) {
      format.remove_prefix(1);
      return NextInteger();
    }
    std::int64_t number = 0;
    while (!format.empty() && format.front() >= '0' && format.front() <= '9') {
      number = std::min<std::int64_t>(number * 10 + (format.front() - '0'), kWidest + 1);
      format.remove_prefix(1);
    }
    return number;
  }

  // Removes a conversion from the front.
  bool Parse(std::string_view& format, Conversion& out) {
    format.remove_prefix(1);
    while (!format.empty() && std::string_view("-+ #!0,").find(format.front()) != format.npos) {
      if (out.flags.find(format.front()) == std::string::npos) out.flags += format.front();
      format.remove_prefix(1);
    }
    out.width = Number(format);
    if (out.width < 0) {
      out.flags += '-';
      out.width = -std::max(out.width, -kWidest - 1);
    }
    if (format.starts_with('.')) {
      format.remove_prefix(1);
      out.precision = std::max<std::int64_t>(Number(format), -1);
    }
    while (format.starts_with('l')) format.remove_prefix(1);
    if (format.empty() || out.width > kWidest || out.precision > kWidest) return false;
    out.kind = format.front();
    format.remove_prefix(1);
    return true;
  }

  template <class Value>
  static void Print(const Conversion& conversion, const char* kind, Value value, std::string& out) {
    std::string text = "%" + conversion.flags;
    if (conversion.width > 0) text += std::to_string(conversion.width);
    if (conversion.precision >= 0) text += "." + std::to_string(conversion.precision);
    char* const made = sqlite3_mprintf((text + kind).c_str(), value);
    if (made == nullptr) throw std::bad_alloc();
    out += made;
    sqlite3_free(made);
  }

  bool Append(Conversion conversion, std::string& out) {
    switch (conversion.kind) {
      case '%':
        out += '%';
        return true;
      case 'd':
      case 'i':
        Print(conversion, "lld", static_cast<long long>(NextInteger()), out);
        return true;
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        Print(conversion, (std::string("ll") + conversion.kind).c_str(),
              static_cast<unsigned long long>(NextInteger()), out);
        return true;
      case 'f':
      case 'e':
      case 'E':
      case 'g':
      case 'G': {
        sqlite3_value* value = Next();
        Print(conversion, std::string(1, conversion.kind).c_str(),
              value == nullptr ? 0.0 : sqlite3_value_double(value), out);
        return true;
      }
      case 's':
      case 'z':
      case 'q':
      case 'Q':
      case 'w': {
        sqlite3_value* value = Next();
        const auto* text =
            value == nullptr ? nullptr : reinterpret_cast<const char*>(sqlite3_value_text(value));
        const char kind = conversion.kind == 'z' ? 's' : conversion.kind;
        Print(conversion, std::string(1, kind).c_str(), text, out);
        return true;
      }
      case 'c': {
        sqlite3_value* value = Next();
        const std::string_view text = value == nullptr ? std::string_view() : TextOfValue(value);
        std::size_t end = std::min<std::size_t>(1, text.size());
        while (end < text.size() && IsInsideCharacter(text[end])) ++end;
        std::string repeated;
        for (std::int64_t i = 0; i < std::max<std::int64_t>(conversion.precision, 1); ++i) {
          repeated += text.substr(0, end);
        }
        conversion.precision = -1;
        conversion.flags += '!';  // Widths count characters.
        Print(conversion, "s", repeated.c_str(), out);
        return true;
      }
      default:
        return false;
    }
  }

  int count_, at_ = 0;
  Arguments values_;
};

void Printf(sqlite3_context* context, int count, Arguments values) {
  if (count == 0 || TextOfValue(values[0]).empty()) return;  // NULL, as in SQLite.
  const auto text =
      Formatter(count - 1, values + 1).Format(TextOfValue(values[0]), MostLength(context));
  if (text) return ReturnText(context, *text);
  sqlite3_result_error(
      context, "printf(): wrong format, or a width, precision or text that is too large", -1);
}

// Exceptions must not pass through SQLite.
template <auto function>
void Caught(sqlite3_context* context, int count, Arguments values) noexcept {
  try {
    function(context, count, values);
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

}  // namespace

int AddBoundedFunctions(sqlite3* connection) {
  struct Entry {
    const char* name;
    int arguments;
    void (*call)(sqlite3_context*, int, Arguments);
  };
  constexpr Entry kEntries[] = {
      {"instr", 2, Caught<Instr>},
      {"replace", 3, Caught<Replace>},
      {"trim", 1, Caught<TrimEnds<true, true>>},
      {"trim", 2, Caught<TrimEnds<true, true>>},
      {"ltrim", 1, Caught<TrimEnds<true, false>>},
      {"ltrim", 2, Caught<TrimEnds<true, false>>},
      {"rtrim", 1, Caught<TrimEnds<false, true>>},
      {"rtrim", 2, Caught<TrimEnds<false, true>>},
      {"like", 2, Caught<LikePattern<false>>},
      {"like", 3, Caught<LikePattern<false>>},
      {"glob", 2, Caught<LikePattern<true>>},
      {"printf", -1, Caught<Printf>},
      {"format", -1, Caught<Printf>},
  };
  for (const Entry& entry : kEntries) {
    const int code = sqlite3_create_function_v2(connection, entry.name, entry.arguments,
                                                SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                                                entry.call, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

}  // namespace profgauge::query
