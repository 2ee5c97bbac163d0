// Writes Thrift's compact protocol as Parquet's footers and page headers need it; base/thrift.h
// reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::exports {

/// Writes one struct. REQUIRES: fields come in ascending order of their ids.
///
///   field        (id - last id) << 4 | type      one byte, if the difference is 1 to 15
///                type, zigzag varint of the id   else
///   int          zigzag varint
///   text         varint of the size, bytes
///   list         size << 4 | element type        up to 14 elements
///                0xf0 | type, varint of the size else
///   end          0
class ThriftWriter {
 public:
  ThriftWriter() { BeginStruct(); }

  void Int32(int field, std::int64_t value);
  void Int64(int field, std::int64_t value);
  void Text(int field, std::string_view value);
  /// Begins a list of `size` elements; other functions add the elements.
  void ListOfInt32(int field, const std::vector<std::int64_t>& values);
  void ListOfTexts(int field, const std::vector<std::string>& values);
  void ListOfStructs(int field, std::size_t size);
  /// Begins a field that is a struct, or a struct in a list. End() ends it.
  void BeginField(int field);
  void BeginElement() { BeginStruct(); }
  void End();
  /// Returns the bytes. REQUIRES: every struct was ended.
  std::string Take();

 private:
  void BeginStruct() { last_.push_back(0); }
  void Head(int field, std::uint8_t type);
  void ListHead(std::size_t size, std::uint8_t type);
  void Varint(std::uint64_t value);
  void ZigZag(std::int64_t value);

  std::string out_;
  std::vector<int> last_;  // The last field of each open struct.
};

}  // namespace profgauge::exports
