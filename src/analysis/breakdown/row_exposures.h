// Fills the exposures of the tables whose rows represent device work, calls or operators: the
// maximum savings of changing those rows. catalog/row_exposure.h defines an exposure and answers
// questions about its costs; rules ask for the rows that a finding chose.
//
// There are two sweeps for each GPU. The first visits its work: a moment counts for the rows that
// run then, if all running work is selected and in the table; a collective beside other work is
// ignored. The second visits its gaps. Each gap counts for the work at both ends, for calls of any
// thread that touch it, for operators of the work after it, and for operators of calls that may
// have waited in it. Each thread is a cursor into the call table; calls still running are kept:
//
//   thread 1   [--a--]   [-b-]          [---c---]      gap 1 touches b and d
//   thread 2        [------------d------------]        gap 2 touches c and d
//   gaps                  |  1  |          |2|         d is kept from gap 1 to gap 2
#pragma once

#include <span>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::breakdown {

/// Sets an exposure for kernels_by_op, memcpys, collectives, tensor_core_ops and roofline if their
/// rows are linked, and for api_calls and ops. Ranks with an empty window have none.
/// REQUIRES: the tables are in `out`, and those of device work map events to rows
/// (Output::RowsOfDevice). O(n log n) over device rows, calls and gaps, with fixed limits on the
/// cost of concurrent events.
void AddExposures(std::span<const iterations::RankContext> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::breakdown
