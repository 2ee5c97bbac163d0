// Reads Thrift's compact protocol, used in Parquet's footers and page headers. Unknown fields are
// skipped, so that newer writers may add some.
//
// The example is a struct `S = 1 (i32) 7; 3 (list of i32) [1, 2]`. Numbers are varints, signed ones
// zigzag (0, -1, 1, -2 as 0, 1, 2, 3):
//
//   15        0E    29                   25                 02  04   00
//   |         |     |                    |                  |   |    |
//   id + 1,   7     id + 2 (= 3),        2 elements         1   2    stop
//   type 5          type 9, a list       of type 5
//
// The upper half of a field's head is the difference to the previous field's id; 0 means that the
// id follows as a number. A Boolean has no bytes, since its type is its value; in a list it has one
// byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace profgauge {

/// How a value is stored, by the protocol's numbers.
enum class ThriftType : std::uint8_t {
  kStop = 0,
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kInt16 = 4,
  kInt32 = 5,
  kInt64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
};

/// Reads bytes in one pass and stores no values. Reading past the end, a value of another type than
/// requested, or nesting beyond kMostDepth makes ok() false permanently; all values are 0 or empty
/// then. So loops end by themselves, and callers need not check for errors in between.
class ThriftReader {
 public:
  static constexpr int kMostDepth = 24;

  explicit ThriftReader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  /// True if the bytes ended too early: more bytes may help.
  bool ended_early() const { return ended_early_; }
  /// Number of bytes that were read.
  std::size_t used() const { return at_; }

  /// Reads a struct, the next value or the whole input: calls `take(id)` for each of its fields.
  /// `take` reads the field's value with one of the functions below, or ignores it.
  template <class Take>
  void Struct(Take take) {
    if (!Enter(ThriftType::kStruct)) return;
    std::int64_t field = 0;
    while (NextField(field)) {
      take(field);
      Skip();
    }
    Leave();
  }
  /// Calls `take(size)` once with the number of elements, then `each()` for each element, which
  /// reads it like a field. ok() becomes false if there are more elements than remaining bytes.
  template <class Take, class Each>
  void List(Take take, Each each) {
    std::size_t left = 0;
    ThriftType type = ThriftType::kStop;
    if (!EnterList(type, left)) return;
    take(left);
    for (; left > 0 && ok_; --left) {
      SetNext(type, true);
      each();
      Skip();
    }
    Leave();
  }

  std::int64_t Integer();
  bool Bool();
  /// Valid as long as the bytes.
  std::string_view Text();

 private:
  bool Enter(ThriftType expected);
  bool EnterList(ThriftType& type, std::size_t& size);
  void Leave() { --depth_; }
  bool NextField(std::int64_t& field);
  void SetNext(ThriftType type, bool in_list) {
    next_ = type;
    in_list_ = in_list;
  }
  /// Skips the next value, unless it was read.
  void Skip();
  void SkipElements(ThriftType first, ThriftType second, std::size_t count);
  bool Take(ThriftType type);
  void Fail() { ok_ = false; }
  std::uint8_t Byte();
  std::uint64_t Varint();
  std::int64_t ZigZag();
  std::size_t Size();

  std::string_view bytes_;
  std::size_t at_ = 0;
  int depth_ = 0;
  ThriftType next_ = ThriftType::kStruct;  ///< Type of the next value; kStop: it was read.
  bool in_list_ = false;                   ///< Booleans in lists have a separate byte.
  bool ok_ = true;
  bool ended_early_ = false;
};

}  // namespace profgauge
