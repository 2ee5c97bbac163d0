// Builds texts from parts of other texts; each token keeps its place in a file.
//
//     written   sum(slow)                  in line 12 of a file; `slow` is kernel.time * 2
//     made      sum((kernel.time * 2))     Part "sum(", Inserted "(kernel.time * 2)", Part ")"
//
// Expressions are replaced as text, so that a single compiler reports errors, at places that the
// author knows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "base/literal.h"

namespace profgauge::rules {

class TextBuilder {
 public:
  explicit TextBuilder(std::string file) { out_.file = std::move(file); }

  /// Appends the bytes [begin, end) of `from`, with their places.
  void Part(const SourceText& from, std::size_t begin, std::size_t end);
  /// Appends a text that is not in the file. An error in it points at `where`.
  void Inserted(std::string_view text, const Where& where);

  SourceText Take() { return std::move(out_); }
  std::size_t size() const { return out_.text.size(); }

 private:
  void Run(const Where& where);

  SourceText out_;
};

/// The text as a literal of expressions: 'text'.
std::string QuotedText(std::string_view text);

/// The number as a literal of expressions and files, with all its digits.
std::string LiteralText(const Literal& value);

}  // namespace profgauge::rules
