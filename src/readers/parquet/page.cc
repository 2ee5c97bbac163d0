#include "readers/parquet/page.h"

#include <limits>

#include "base/thrift.h"
#include "readers/parquet/errors.h"

namespace profgauge::readers::parquet {
namespace {

/// As it is written: numbers may be negative.
struct WrittenPage {
  std::int64_t kind = -1, size = -1, stored = -1;
  std::int64_t values = -1, encoding = -1, definition = 3, repetition = 3;
  std::int64_t definition_bytes = 0, repetition_bytes = 0;
  std::optional<std::int64_t> crc;
  bool is_packed = true;
};

// The three kinds of pages have the same fields by other numbers.
void ReadData(ThriftReader& thrift, WrittenPage& page) {
  thrift.Struct([&](std::int64_t field) {
    if (field == 1) page.values = thrift.Integer();
    if (field == 2) page.encoding = thrift.Integer();
    if (field == 3) page.definition = thrift.Integer();
    if (field == 4) page.repetition = thrift.Integer();
  });
}

void ReadDictionary(ThriftReader& thrift, WrittenPage& page) {
  thrift.Struct([&](std::int64_t field) {
    if (field == 1) page.values = thrift.Integer();
    if (field == 2) page.encoding = thrift.Integer();
  });
}

void ReadDataV2(ThriftReader& thrift, WrittenPage& page) {
  thrift.Struct([&](std::int64_t field) {
    if (field == 1) page.values = thrift.Integer();
    if (field == 4) page.encoding = thrift.Integer();
    if (field == 5) page.definition_bytes = thrift.Integer();
    if (field == 6) page.repetition_bytes = thrift.Integer();
    if (field == 7) page.is_packed = thrift.Bool();
  });
}

void ReadPage(ThriftReader& thrift, WrittenPage& page) {
  thrift.Struct([&](std::int64_t field) {
    switch (field) {
      case 1:
        page.kind = thrift.Integer();
        break;
      case 2:
        page.size = thrift.Integer();
        break;
      case 3:
        page.stored = thrift.Integer();
        break;
      case 4:
        page.crc = thrift.Integer();
        break;
      case 5:
        ReadData(thrift, page);
        break;
      case 7:
        ReadDictionary(thrift, page);
        break;
      case 8:
        ReadDataV2(thrift, page);
        break;
      default:
        break;
    }
  });
}

PageKind KindOf(std::int64_t kind) {
  return kind == 0   ? PageKind::kData
         : kind == 2 ? PageKind::kDictionary
         : kind == 3 ? PageKind::kDataV2
                     : PageKind::kOther;
}

bool IsSmall(std::int64_t number) {
  return number >= 0 && number <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace

Result<std::optional<PageHead>> ReadPageHead(std::string_view bytes) {
  ThriftReader thrift(bytes);
  WrittenPage page;
  ReadPage(thrift, page);
  if (!thrift.ok() && thrift.ended_early()) return std::nullopt;
  if (!thrift.ok()) return Damaged("the head of a page cannot be read");
  PageHead head;
  head.kind = KindOf(page.kind);
  head.bytes = thrift.used();
  if (!IsSmall(page.size) || !IsSmall(page.stored)) return Damaged("a page without a size");
  head.size = static_cast<std::uint64_t>(page.size);
  head.stored = static_cast<std::uint64_t>(page.stored);
  if (head.kind == PageKind::kOther) return head;
  if (!IsSmall(page.values) || !IsSmall(page.encoding)) return Damaged("a page without values");
  if (!IsSmall(page.definition_bytes) || !IsSmall(page.repetition_bytes)) {
    return Damaged("levels without a size");
  }
  head.values = static_cast<std::uint64_t>(page.values);
  head.encoding = static_cast<Encoding>(page.encoding);
  head.definition = static_cast<Encoding>(page.definition);
  head.repetition = static_cast<Encoding>(page.repetition);
  head.definition_bytes = static_cast<std::uint64_t>(page.definition_bytes);
  head.repetition_bytes = static_cast<std::uint64_t>(page.repetition_bytes);
  head.is_packed = page.is_packed;
  if (page.crc) head.crc = static_cast<std::uint32_t>(*page.crc);
  return head;
}

}  // namespace profgauge::readers::parquet
