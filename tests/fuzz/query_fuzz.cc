// SQL text: a statement is refused, ends within its bounds, or returns rows; it never changes or
// opens anything.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "query/query.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace profgauge;
  static const auto& data = []() -> const query::Dataset& {
    auto& made = *new query::Dataset();
    made.DescribeItself();
    return made;
  }();
  const std::string sql(reinterpret_cast<const char*>(bytes), size);
  auto asked = query::Query::Prepare(sql, "", {}, data);
  if (!asked) return 0;
  asked->Start(std::chrono::milliseconds(20));
  std::vector<Cell> cells;
  for (int rows = 0; rows < 100; ++rows) {
    const auto more = asked->Step();
    if (!more || !*more) return 0;
    asked->Read(cells);
  }
  return 0;
}
