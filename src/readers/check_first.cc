#include "readers/check_first.h"

namespace profgauge {
namespace {

struct Unseen {
  std::string_view format, dialect;  ///< How the source's dialect begins.
  std::string_view check;
};
constexpr Unseen kUnseen[] = {
    {"neuron", "tables as Parquet",
     "no file of neuron-explorer was at hand: check that utilizations lie between 0 and 100 %, "
     "that "
     "the total time fits the viewer's, that layers nest, and that no table is named as unread "
     "that you need; `parquet_form` says who wrote the tables, and how"},
    {"nsight_systems", "Parquet export",
     "no parquetdir of nsys was at hand: check kernels, calls and ranges against the same report "
     "as "
     "`--type sqlite`, and that names of kernels are there; `parquet_form` says who wrote the "
     "tables, and how"},
    {"rocprofv3", "rocprof-sys rocpd",
     "no database of rocprof-sys was at hand: check the number of kernels, and that threads and "
     "GPUs are those of the run; `rocpd_layout` says which tables and columns were found"},
    {"rocprofv3", "rocpd",
     "no database of rocprofv3 was at hand: check the numbers of kernels, calls and markers "
     "against `rocpd convert`, the rank, and names of markers; `rocpd_layout` says which tables "
     "and columns were found"},
};

}  // namespace

std::string_view WhatToCheckFirst(const Source& source) {
  for (const Unseen& unseen : kUnseen) {
    if (source.format == unseen.format && source.dialect.starts_with(unseen.dialect)) {
      return unseen.check;
    }
  }
  return {};
}

}  // namespace profgauge
