// Finds the end of JSON values that need no general parser: strings of printable ASCII, numbers
// without exponent, words. Every parser accepts these texts. The result is nullptr, i.e. a parser
// must decide, for any other text and for text that reaches the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/text.h"

namespace profgauge::readers::json_scan {

/// The length limit of numbers. The JSON parser reads longer ones, by its rules for overflow.
inline constexpr std::ptrdiff_t kMaxNumber = 40;

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
/// True for a byte that does not end a string and needs no parser.
inline bool IsPlain(char c) { return c != '"' && c != '\\' && c >= 0x20 && c < 0x7f; }

/// The first byte from `at` on that is not plain, or `end`. Compares 16 bytes at a time if the
/// processor has SSE2.
inline const char* SkipPlain(const char* at, const char* end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i escape = _mm_set1_epi8('\\');
  const __m128i lowest = _mm_set1_epi8(0x20);
  const __m128i highest = _mm_set1_epi8(0x7e);
  while (end - at >= 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    // The comparison is signed, so bytes from 0x80 on are below 0x20, too.
    const __m128i odd =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, escape)),
                     _mm_or_si128(_mm_cmplt_epi8(bytes, lowest), _mm_cmpgt_epi8(bytes, highest)));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(odd));
    if (mask != 0) return at + __builtin_ctz(mask);
    at += 16;
  }
#endif
  while (at != end && IsPlain(*at)) ++at;
  return at;
}

/// The position after the string at `at`; nullptr if it is not plain or does not end.
inline const char* SkipString(const char* at, const char* end) {
  const char* const close = SkipPlain(at + 1, end);
  return close != end && *close == '"' ? close + 1 : nullptr;
}

/// The position after the digits at `at`.
inline const char* SkipDigits(const char* at, const char* end) {
#ifdef __SSE2__
  while (end - at >= 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i others = _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8('0')),
                                        _mm_cmpgt_epi8(bytes, _mm_set1_epi8('9')));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(others));
    if (mask != 0) return at + __builtin_ctz(mask);
    at += 16;
  }
#endif
  while (at != end && IsDigit(*at)) ++at;
  return at;
}

/// The position after the number, with its fraction, whose first digit is at `at`; nullptr if it is
/// no JSON number or has over kMaxNumber bytes. A number that reaches `end` may continue.
inline const char* SkipMantissa(const char* at, const char* end) {
  const char* const first = at;
  at = SkipDigits(at, end);
  if (*first == '0' && at - first > 1) return nullptr;
  if (at != end && *at == '.') {
    const char* const fraction = at + 1;
    at = SkipDigits(fraction, end);
    if (at == fraction) return nullptr;
  }
  return at == end || at - first > kMaxNumber ? nullptr : at;
}

/// Like SkipMantissa(), for a whole number text: nullptr if an exponent follows.
inline const char* SkipNumber(const char* at, const char* end) {
  at = SkipMantissa(at, end);
  return at == nullptr || *at == 'e' || *at == 'E' ? nullptr : at;
}

/// The position after `word`; nullptr if `at` has another word, or if no byte follows it.
inline const char* SkipWord(const char* at, const char* end, std::string_view word) {
  const auto room = static_cast<std::size_t>(end - at);
  return room > word.size() && std::memcmp(at, word.data(), word.size()) == 0 ? at + word.size()
                                                                              : nullptr;
}

/// The first character at or after `at` that is not JSON white space.
inline const char* SkipSpace(const char* at, const char* end) {
  while (at != end && IsSpace(*at)) ++at;
  return at;
}

}  // namespace profgauge::readers::json_scan
