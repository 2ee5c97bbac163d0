#include "analysis/context/exposed.h"

#include <array>
#include <cstddef>
#include <mutex>

#include "analysis/context/context.h"
#include "analysis/context/observed.h"

namespace profgauge::analysis::context {

struct ExposedColumns::Columns {
  struct Column {
    std::once_flag is_made;
    OptionalColumn<Ns> times;
  };
  std::array<Column, 2> of;  // By classify::Exposable.
};

ExposedColumns::ExposedColumns() : columns_(std::make_shared<Columns>()) {}

const OptionalColumn<Ns>& ExposedColumns::Of(const RankContext& rank,
                                             classify::Exposable wanted) const {
  Columns::Column& column = columns_->of[static_cast<std::size_t>(wanted)];
  std::call_once(column.is_made, [&] {
    column.times = classify::ExposedTimes(*rank.profile, rank.classes, wanted,
                                          UncountedParts(rank.unobserved, rank.iterations));
  });
  return column.times;
}

}  // namespace profgauge::analysis::context
