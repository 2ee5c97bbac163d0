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

/// Long names that are whole elsewhere in the page: in its findings or its table of kernels.
using SeenNames = std::set<std::string_view>;
/// Long names that the table of kernels shows whole. Empty if that table may be incomplete.
SeenNames NamesOfKernels(const report::Report& report);
/// The columns of the evidence that have a value in at least one row.
std::vector<std::size_t> EvidenceColumns(const report::Finding& finding);
/// Rows of evidence, at most `max_rows`; fewer if they would need too many bytes. Texts refer to
/// `finding`. Long names that are shown whole are added to `seen`, so that later ones are cut. For
/// links to the timeline, each row has its interval: "start,end,rank" in ns.
boost::json::array EvidenceRows(const report::Report& report, const report::Finding& finding,
                                std::size_t max_rows, SeenNames& seen);

}  // namespace profgauge::render::html
