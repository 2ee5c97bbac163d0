// Texts that are put together from others, and still know where each token is in a file.
//
//     written   sum(slow)                  in line 12 of a file; `slow` is kernel.time * 2
//     made      sum((kernel.time * 2))     Part "sum(", Inserted "(kernel.time * 2)", Part ")"
//
// Expressions are replaced as text, so that the one compiler reports errors, and it reports them at
// places that the author knows.
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

  /// Bytes [begin, end) of `from`, with their places.
  void Part(const SourceText& from, std::size_t begin, std::size_t end);
  /// Text that is not in the file; an error in it points at `where`.
  void Inserted(std::string_view text, const Where& where);

  SourceText Take() { return std::move(out_); }
  std::size_t size() const { return out_.text.size(); }

 private:
  void Run(const Where& where);

  SourceText out_;
};

/// 'text', as the expression language writes it.
std::string QuotedText(std::string_view text);

/// A number as expressions and files write it, to all its digits.
std::string LiteralText(const Literal& value);

}  // namespace profgauge::rules
