// Parts of the page for several views.
#pragma once

#include <array>
#include <boost/json.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/table.h"
#include "render/html/view.h"
#include "render/shared/looks.h"
#include "report/runs.h"

namespace profgauge::render::html {

// The parts of a rank's iterations: the columns of the tables of ranks, and their colors.

struct RankPart {
  std::string_view column, label;
  Paint paint;
};
/// The color of simultaneous computation and communication, which is no category.
inline constexpr Paint kBothPaint = {"k-both", "#7E6BB5", "#fff"};
/// The columns of the table of ranks that add up to a rank's iterations.
inline constexpr std::array<RankPart, 8> kRankParts = {
    {{"compute_only", "computing", PaintOf(Category::kOtherKernel)},
     {"overlapped", "computing and communicating", kBothPaint},
     {"transfer_exposed", "transferring", PaintOf(Category::kCommunication)},
     {"waiting_exposed", "waiting for ranks", PaintOf(Category::kWait)},
     {"copy", "copying", PaintOf(Category::kMemcpy)},
     {"dataloader", "data loader", PaintOf(Category::kDataLoader)},
     {"host_time", "host", PaintOf(Category::kCpu)},
     {"unattributed", "unattributed", PaintOf(Category::kOther)}}};

}  // namespace profgauge::render::html
