#include "readers/neuron/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/errors.h"

namespace profgauge::readers::neuron {

Result<std::string_view> Input::Next() {
  PROFGAUGE_TRY(const std::size_t count, source_.Read(buffer_));
  const std::string_view piece(reinterpret_cast<const char*>(buffer_.data()), count);
  hash_.Add(piece);
  total_ += count;
  return piece;
}

double Input::ShareRead() const {
  const std::uint64_t stored = source_.stored_bytes();
  if (stored == 0) return 0;
  return std::min(1.0,
                  static_cast<double>(source_.stored_consumed()) / static_cast<double>(stored));
}

Error At(const ByteSource& source, Error error) {
  if (error.where.file.empty()) error.where.file = source.name();
  return error;
}

Error Truncated(const ByteSource& source, std::uint64_t offset, std::uint64_t rows) {
  return InputErrorAt(source.name(), offset, "neuron/truncated",
                      fmt::format("the profile ends early; {} of its rows are complete", rows),
                      "export it again, or pass --allow-incomplete to judge the readable part");
}

}  // namespace profgauge::readers::neuron
