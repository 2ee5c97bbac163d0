// One pass over the bytes of a source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "base/read_block.h"
#include "profgauge/error.h"

namespace profgauge::readers {

/// The result of a pass in blocks of kReadBlock bytes, for text formats of any size. `failed` is
/// the source's read error; the caller may still use the bytes before it.
struct BlocksRead {
  std::uint64_t bytes = 0;
  std::optional<Error> failed;
};

/// Calls `use(bytes, before)` for each block, which is `before` bytes into the source, until the
/// end or an error of `use`. Returns only errors of `use`. Views are valid during the call.
template <class Use>
Result<BlocksRead> ForEachBlock(ByteSource& source, Use use) {
  std::vector<std::byte> block(kReadBlock);
  BlocksRead read;
  while (true) {
    auto got = source.Read(block);
    if (!got) read.failed = std::move(got).error();
    if (!got || *got == 0) return read;
    const std::uint64_t before = std::exchange(read.bytes, read.bytes + *got);
    PROFGAUGE_CHECK(
        use(std::string_view(reinterpret_cast<const char*>(block.data()), *got), before));
  }
}

/// Like ForEachBlock(), for a source that must be complete. Returns the number of bytes.
template <class Use>
Result<std::uint64_t> ForEachWholeBlock(ByteSource& source, Use use) {
  PROFGAUGE_TRY(BlocksRead read, ForEachBlock(source, use));
  if (read.failed) return Fail(*std::move(read.failed));
  return read.bytes;
}

}  // namespace profgauge::readers
