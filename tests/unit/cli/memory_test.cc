#include "cli/memory.h"

#include <gtest/gtest.h>

#include <new>

#include "base/errors.h"

namespace profgauge::cli {
namespace {

TEST(Memory, NamesLimitAndHelp) {
  EXPECT_EQ(RenderDiagnostic(OutOfMemory(std::nullopt), {}, false),
            "error: there is not enough memory for this run\n"
            "  help: use a machine with more memory, record fewer iterations, or leave out call "
            "stacks and shapes   [input/too-large]\n");
  EXPECT_EQ(RenderDiagnostic(OutOfMemory(200'000'000), {}, false),
            "error: there is not enough memory for this run, and `--max-memory` allows 200 MB\n"
            "  help: allow more, record fewer iterations, or leave out call stacks and shapes   "
            "[input/too-large]\n");
}

TEST(Memory, ReportsMemoryAtFailedAllocation) {
  WatchMemory();
  EXPECT_THROW(std::get_new_handler()(), std::bad_alloc);
  EXPECT_NE(OutOfMemory(std::nullopt).message.find("the run needs more than "), std::string::npos);
  std::set_new_handler(nullptr);
}

}  // namespace
}  // namespace profgauge::cli
