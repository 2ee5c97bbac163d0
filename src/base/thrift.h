// Thrift's compact protocol, as Parquet's footers and page headers are written: the half that
// reads. Fields that are not asked for are skipped, so that newer writers may add some.
//
// The bytes of a struct, with `S = 1 (i32) 7; 3 (list of i32) [1, 2]`. Numbers are varints, signed
// ones zigzag (0, -1, 1, -2 as 0, 1, 2, 3):
//
//   15        0E    29                   25                 02  04   00
//   |         |     |                    |                  |   |    |
//   id + 1,   7     id + 2 (= 3),        2 elements         1   2    stop
//   type 5          type 9, a list       of type 5
//
// The upper half of a field's head is the step from the field before; 0 means that the id follows
// as a number. A truth value has no bytes: its type says it. In lists it has one.
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

/// One pass over bytes. Reading past their end, of a value that is another than asked for, or
/// deeper than kMostDepth makes ok() false for good; all values are 0 or empty then.
/// A reader makes one pass and keeps no values: the callers' structs do. Errors need no checks in
/// between: loops end since every call returns 0 or empty once ok() is false.
class ThriftReader {
 public:
  static constexpr int kMostDepth = 24;

  explicit ThriftReader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  /// Whether it was the end of the bytes that ended the reading: more of them may help.
  bool ended_early() const { return ended_early_; }
  /// Bytes that were read.
  std::size_t used() const { return at_; }

  /// Calls `take(id)` at each field of a struct: the bytes' own, or the value that is next. `take`
  /// reads the field's value with one call of those below, or leaves it.
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
  /// Calls `take(size)` once with the number of elements, then `each()` at each, which reads it as
  /// a field is read. Elements that are more than the bytes left make ok() false.
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
  /// Valid as long as the bytes are.
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
  /// Passes over the next value, where it is still there.
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
  bool in_list_ = false;                   ///< Truth values in lists have a separate byte.
  bool ok_ = true;
  bool ended_early_ = false;
};

}  // namespace profgauge
