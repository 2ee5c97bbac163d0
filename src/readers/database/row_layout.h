// How a row is stored: a header with the type of each value, and a body with the values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::readers {

/// Where the wanted numbers of a row are, which its header says. Neighbors mostly have the same.
///
///   header   04 | 01 | 06 | 09         its own size 4; one byte, eight bytes, the constant 1
///   body     2A | 00 00 00 17 48 76 E8 00              42, 100 000 000 000, and nothing for the 1
///
/// Types 1 to 6 are whole numbers of 1, 2, 3, 4, 6 and 8 bytes, the highest first; 8 and 9 are the
/// constants 0 and 1; 0 is null, 7 a real, 12 and more are bytes and texts.
class RowLayout {
 public:
  /// False where a wanted column holds something else.
  /// O(columns of the table). Only rows whose header differs need it; Read() is O(wanted columns).
  bool Set(std::string_view header, const std::vector<std::optional<std::size_t>>& columns);
  std::string_view header() const { return header_; }
  std::size_t body_size() const { return body_size_; }
  std::span<const std::uint8_t> types() const { return types_; }  ///< SQLite's, as wanted.
  /// REQUIRES: seven bytes before the body may be read.
  void Read(const char* body, std::int64_t* numbers) const;

 private:
  struct Number {
    std::uint32_t end = 0;  ///< In the body.
    std::uint8_t bytes = 0;
    std::uint8_t constant = 0;  ///< Without bytes.
  };
  struct Stored {
    std::uint64_t type = 0;
    std::size_t end = 0;
  };
  bool SetStored(std::string_view header);

  std::string header_;
  std::size_t body_size_ = 0;
  std::vector<Stored> stored_;
  std::vector<std::uint8_t> types_;
  std::vector<Number> numbers_;
};

}  // namespace profgauge::readers
