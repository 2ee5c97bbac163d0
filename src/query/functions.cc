#include "query/functions.h"
#include "query/bounded_functions.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "base/format.h"
#include "base/interval.h"
#include "base/units.h"

namespace profgauge::query {
namespace {

constexpr FunctionDoc kFunctions[] = {
    {"union_time", "union_time(start, duration)",
     "Aggregate: time that at least one row covers; with FILTER it gives overlap and exposure."},
    {"median", "median(x)", "Aggregate: the middle value."},
    {"percentile", "percentile(x, p)",
     "Aggregate: p from 0 to 100, one for all rows; linear between two values."},
    {"regexp", "x REGEXP 'pattern'", "Whether a part of x matches (RE2)."},
    {"s", "s(ns)", "Seconds, rounded to 3 decimals."},
    {"ms", "ms(ns)", "Milliseconds, rounded to 3 decimals."},
    {"us", "us(ns)", "Microseconds, rounded to 3 decimals."},
    {"pct", "pct(share)", "Percent, rounded to 3 decimals."},
    {"mib", "mib(bytes)", "Mebibytes, rounded to 3 decimals."},
    {"show", "show(x, unit)", "The text that reports show, e.g. show(duration, 'ns')."},
    {"short", "short(name)", "A kernel's name without template arguments and parameters."},
};

bool IsNull(sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_NULL; }

std::string_view TextIn(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

void SetText(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

// Exceptions must not pass through SQLite.
template <auto function>
void Guarded(sqlite3_context* context, int count, sqlite3_value** values) noexcept {
  try {
    function(context, count, values);
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

// The values that an aggregate has collected, in memory from SQLite's allocator, so that its memory
// limit includes them.
template <class T>
struct Collected {
  T* values;
  std::size_t size, room;
};

template <class T>
void Collect(sqlite3_context* context, const T& value) {
  auto* all = static_cast<Collected<T>*>(sqlite3_aggregate_context(context, sizeof(Collected<T>)));
  if (all == nullptr) return sqlite3_result_error_nomem(context);
  if (all->size == all->room) {
    const std::size_t room = all->room == 0 ? 64 : all->room * 2;
    void* const grown = sqlite3_realloc64(all->values, room * sizeof(T));
    if (grown == nullptr) return sqlite3_result_error_nomem(context);
    all->values = static_cast<T*>(grown);
    all->room = room;
  }
  all->values[all->size++] = value;
}

// Calls `use` with the collected values and frees them; the result is null if there are none.
template <class T, class Use>
void Finish(sqlite3_context* context, Use use) {
  auto* all = static_cast<Collected<T>*>(sqlite3_aggregate_context(context, 0));
  if (all == nullptr || all->size == 0) {
    sqlite3_result_null(context);
  } else {
    use(std::span<T>(all->values, all->size));
  }
  if (all != nullptr) sqlite3_free(all->values);
}

void UnionStep(sqlite3_context* context, int, sqlite3_value** values) {
  if (IsNull(values[0]) || IsNull(values[1])) return;
  const std::int64_t start = sqlite3_value_int64(values[0]);
  std::int64_t end = 0;
  if (__builtin_add_overflow(start, sqlite3_value_int64(values[1]), &end)) {
    return sqlite3_result_error(context, "union_time(): start + duration is out of range", -1);
  }
  if (end > start) Collect(context, Span{start, end});
}

// Sums the union of spans, sorted by start. It keeps the latest end of all spans so far:
//
//     |-----a-----|                     a adds all of it
//         |---b---------|               b adds only its part after a
//             |-c-|                     c adds nothing
//                          |--d--|      d adds all of it
void UnionFinal(sqlite3_context* context) {
  auto* all = static_cast<Collected<Span>*>(sqlite3_aggregate_context(context, 0));
  if (all == nullptr || all->size == 0) return sqlite3_result_int64(context, 0);
  Finish<Span>(context, [context](std::span<Span> spans) {
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
      return a.start != b.start ? a.start < b.start : a.end < b.end;
    });
    std::int64_t covered = 0, until = spans.front().start;
    for (const Span& span : spans) {
      covered += std::max<std::int64_t>(0, span.end - std::max(span.start, until));
      until = std::max(until, span.end);
    }
    sqlite3_result_int64(context, covered);
  });
}

// A value, and the `p` of its row.
struct Ranked {
  double value;
  double percent;
};

void MedianStep(sqlite3_context* context, int, sqlite3_value** values) {
  if (!IsNull(values[0])) Collect(context, Ranked{sqlite3_value_double(values[0]), 50});
}

void PercentileStep(sqlite3_context* context, int, sqlite3_value** values) {
  const double percent = sqlite3_value_double(values[1]);
  if (!(percent >= 0 && percent <= 100)) {
    return sqlite3_result_error(context, "percentile(x, p) needs a p from 0 to 100", -1);
  }
  if (!IsNull(values[0])) Collect(context, Ranked{sqlite3_value_double(values[0]), percent});
}

// Interpolates linearly between the two nearest values (R's type 7, like NumPy and spreadsheets):
// for 10, 20, 30, 40 the 50th is at position 1.5, i.e. 25. Two selections instead of a sort: O(n).
// Rejects a `p` that differs between rows, because the order of rows would decide.
void PercentileFinal(sqlite3_context* context) {
  Finish<Ranked>(context, [context](std::span<Ranked> values) {
    const auto less = [](const Ranked& a, const Ranked& b) { return a.value < b.value; };
    const double percent = values.front().percent;
    if (std::ranges::any_of(values, [=](const Ranked& row) { return row.percent != percent; })) {
      return sqlite3_result_error(context, "percentile(x, p) needs the same p in all rows", -1);
    }
    const double at = percent / 100 * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(below),
                     values.end(), less);
    double found = values[below].value;
    const double rest = at - static_cast<double>(below);
    if (rest > 0) {
      const auto next = std::min_element(values.begin() + static_cast<std::ptrdiff_t>(below) + 1,
                                         values.end(), less);
      found += rest * (next->value - found);
    }
    sqlite3_result_double(context, found);
  });
}

// SQLite keeps the compiled pattern for later rows if it is a constant. RE2 is linear, so the
// product of program size and text length limits a call.
void Matches(sqlite3_context* context, int, sqlite3_value** values) {
  if (IsNull(values[0]) || IsNull(values[1])) return sqlite3_result_null(context);
  auto* pattern = static_cast<re2::RE2*>(sqlite3_get_auxdata(context, 0));
  std::unique_ptr<re2::RE2> made;
  if (pattern == nullptr) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    const std::string_view text = TextIn(values[0]);
    made = std::make_unique<re2::RE2>(re2::StringPiece(text.data(), text.size()), options);
    if (!made->ok()) {
      const std::string why = "REGEXP: " + made->error();
      return sqlite3_result_error(context, why.c_str(), -1);
    }
    pattern = made.get();
  }
  const std::string_view text = TextIn(values[1]);
  const auto steps = static_cast<std::size_t>(std::max(pattern->ProgramSize(), 1));
  if (steps * text.size() > kMostComparisons) return sqlite3_result_error_toobig(context);
  const bool found = re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *pattern);
  sqlite3_result_int(context, found ? 1 : 0);
  if (made == nullptr) return;
  sqlite3_set_auxdata(context, 0, made.release(),
                      [](void* old) { delete static_cast<re2::RE2*>(old); });
}

// Converts to units of `factor` base units.
template <std::int64_t numerator, std::int64_t denominator>
void Scaled(sqlite3_context* context, int, sqlite3_value** values) {
  if (IsNull(values[0])) return sqlite3_result_null(context);
  constexpr double kDecimals = 1000;
  const double value = sqlite3_value_double(values[0]) * static_cast<double>(numerator) /
                       static_cast<double>(denominator);
  // Larger doubles do not have so many exact decimals.
  const double rounded = std::abs(value) < 1e12 ? std::round(value * kDecimals) / kDecimals : value;
  sqlite3_result_double(context, rounded);
}

void Show(sqlite3_context* context, int, sqlite3_value** values) {
  const std::string_view name = TextIn(values[1]);
  for (int i = 0; i <= static_cast<int>(Unit::kFlopRate); ++i) {
    const auto unit = static_cast<Unit>(i);
    if (UnitName(unit) != name) continue;
    const auto set = [&](const Value& value) {
      SetText(context, WithPlainBlanks(FormatValue(value, unit)));
    };
    if (IsNull(values[0])) return set({});
    const int type = sqlite3_value_type(values[0]);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB) return SetText(context, TextIn(values[0]));
    return set(type == SQLITE_INTEGER ? Value(sqlite3_value_int64(values[0]))
                                      : Value(sqlite3_value_double(values[0])));
  }
  sqlite3_result_error(context,
                       "show(x, unit) needs a unit: ns, ratio, bytes, bytes/s, flop, flop/s, "
                       "count or number",
                       -1);
}

// "void at::native::f<4, g<int>>(int)" becomes "at::native::f". Unbalanced text is unchanged.
std::string ShortName(std::string_view name) {
  std::string kept;
  int depth = 0;
  for (const char c : name) {
    if (c == '<') ++depth;
    if (depth == 0) kept += c;
    if (c == '>' && depth > 0) --depth;
  }
  if (depth != 0) kept = name;
  if (kept.ends_with(')')) {
    int open = 0;
    for (std::size_t at = kept.size(); at-- > 0;) {
      open += kept[at] == ')' ? 1 : kept[at] == '(' ? -1 : 0;
      if (open != 0) continue;
      if (at > 0) kept.erase(at);
      break;
    }
  }
  constexpr std::string_view kResult = "void ";
  if (kept.starts_with(kResult)) kept.erase(0, kResult.size());
  return kept;
}

void Short(sqlite3_context* context, int, sqlite3_value** values) {
  if (IsNull(values[0])) return sqlite3_result_null(context);
  SetText(context, ShortName(TextIn(values[0])));
}

using Call = void (*)(sqlite3_context*, int, sqlite3_value**);
using Final = void (*)(sqlite3_context*);

}  // namespace

std::span<const FunctionDoc> Functions() { return kFunctions; }

int AddFunctions(sqlite3* connection) {
  struct Entry {
    const char* name;
    int arguments;
    Call call, step;
    Final final;
  };
  constexpr Entry kEntries[] = {
      {"union_time", 2, nullptr, Guarded<UnionStep>, UnionFinal},
      {"median", 1, nullptr, Guarded<MedianStep>, PercentileFinal},
      {"percentile", 2, nullptr, Guarded<PercentileStep>, PercentileFinal},
      {"regexp", 2, Guarded<Matches>, nullptr, nullptr},
      {"s", 1, Guarded<Scaled<1, 1'000'000'000>>, nullptr, nullptr},
      {"ms", 1, Guarded<Scaled<1, 1'000'000>>, nullptr, nullptr},
      {"us", 1, Guarded<Scaled<1, 1'000>>, nullptr, nullptr},
      {"pct", 1, Guarded<Scaled<100, 1>>, nullptr, nullptr},
      {"mib", 1, Guarded<Scaled<1, 1 << 20>>, nullptr, nullptr},
      {"show", 2, Guarded<Show>, nullptr, nullptr},
      {"short", 1, Guarded<Short>, nullptr, nullptr},
  };
  for (const Entry& entry : kEntries) {
    const int code = sqlite3_create_function_v2(connection, entry.name, entry.arguments,
                                                SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                                                entry.call, entry.step, entry.final, nullptr);
    if (code != SQLITE_OK) return code;
  }
  return AddBoundedFunctions(connection);
}

}  // namespace profgauge::query
