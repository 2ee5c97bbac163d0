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

/// How far the pass came. `failed`: the source cannot be read on; who reads incomplete files keeps
/// what came before.
/// For text formats of any size: one block of kReadBlock bytes is in memory at a time.
struct BlocksRead {
  std::uint64_t bytes = 0;
  std::optional<Error> failed;
};

/// Calls `use(bytes, before)` for each block, `before` bytes into the source, until the end or an
/// error of `use`, which is the only one that is returned. Views hold during the call.
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

/// The same of a source that has to be whole; gives the number of bytes.
template <class Use>
Result<std::uint64_t> ForEachWholeBlock(ByteSource& source, Use use) {
  PROFGAUGE_TRY(BlocksRead read, ForEachBlock(source, use));
  if (read.failed) return Fail(*std::move(read.failed));
  return read.bytes;
}

}  // namespace profgauge::readers
