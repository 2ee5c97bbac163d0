// Fills the exposures of the tables whose rows represent device work, calls or operators: the
// maximum savings of changing those rows. catalog/row_exposure.h defines an exposure and answers
// questions about its costs; rules ask for the rows that a finding chose.
//
// Two sweeps for each GPU. The first goes over its work: a moment counts for the rows that run
// then, if all of it is selected and counted by the table; a collective beside other work is left
// out. The second goes over its gaps: each counts for the work at both ends, for the calls of any
// thread that touch it, for the operators of the work after it, and for those of calls that may
// have waited in it. Each thread is a cursor into the call table, and calls that go on are kept:
//
//   thread 1   [--a--]   [-b-]          [---c---]      gap 1 touches b and d
//   thread 2        [------------d------------]        gap 2 touches c and d
//   gaps                  |  1  |          |2|         d is kept from gap 1 to gap 2
#pragma once

#include <span>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::breakdown {

/// Sets an exposure for kernels_by_op, memcpys, collectives, tensor_core_ops and roofline where
/// they link their rows, and for api_calls and ops. Ranks whose window is empty have none.
/// REQUIRES: the tables are in `out`, and those of device work say which row counts which event
/// (Output::RowsOfDevice). O(n log n) over device rows, calls and gaps, with fixed limits on the
/// cost of concurrent events.
void AddExposures(std::span<const iterations::RankContext> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::breakdown
