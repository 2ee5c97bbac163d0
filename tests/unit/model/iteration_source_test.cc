#include "model/iteration_source.h"

#include <gtest/gtest.h>

namespace profgauge {
namespace {

// Files hold the text: a written text is read as the same, also by another version.
TEST(IterationSource, IsReadBackFromItsText) {
  for (const IterationSource& source :
       {IterationSource{}, IterationSource{IterationsBy::kMarkers, {}},
        IterationSource{IterationsBy::kMarkers, "step, not epoch"},
        IterationSource{IterationsBy::kProfilerSteps, {}},
        IterationSource{IterationsBy::kPattern, "^it +[0-9]"},
        IterationSource{IterationsBy::kKeyOp, "aten::mm"},
        IterationSource{IterationsBy::kRange, {}}, IterationSource{IterationsBy::kUndivided, {}},
        IterationSource{IterationsBy::kNoTimeline, {}},
        IterationSource{IterationsBy::kUnknown, "by a later version"}}) {
    EXPECT_EQ(ParseIterationSource(source.Text()), source) << source.Text();
  }
  EXPECT_EQ((IterationSource{IterationsBy::kKeyOp, "aten::mm"}).Text(), "key op aten::mm");
  EXPECT_EQ(ParseIterationSource("range of mine").by, IterationsBy::kUnknown);
  EXPECT_EQ(ParseIterationSource("").by, IterationsBy::kUnknown);
}

}  // namespace
}  // namespace profgauge
