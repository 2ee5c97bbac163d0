#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rich_text.h"
#include "render/shared/change.h"
#include "render/shared/columns.h"
#include "render/shared/looks.h"
#include "report/report.h"

namespace profgauge::render::html {

/// Long names that the page shows whole elsewhere: in its findings or its table of kernels.
using SeenNames = std::set<std::string_view>;
/// Long names that are whole in the table of kernels; none if the page may not have all of its
/// rows.
SeenNames NamesOfKernels(const report::Report& report);
/// Columns of the evidence with a value in some row.
std::vector<std::size_t> EvidenceColumns(const report::Finding& finding);
/// Rows of evidence, at most `max_rows`, fewer if they need too many bytes. Texts refer to
/// `finding`. Long names shown whole are added to `seen`, so that later ones are cut. Each row has
/// its interval, "start,end,rank" in ns, for links into the timeline.
boost::json::array EvidenceRows(const report::Report& report, const report::Finding& finding,
                                std::size_t max_rows, SeenNames& seen);

}  // namespace profgauge::render::html
