// Cells common to several tables of AWS Neuron profiles.
#pragma once

#include <array>
#include <cstddef>

#include "analysis/catalog/row_writer.h"
#include "model/neuron.h"

namespace profgauge::analysis::catalog {

/// Writes the cells of columns::kTraffic, in bytes. REQUIRES: they are next in the row.
template <class Writer>
void AppendTraffic(const profgauge::neuron::Traffic& moved, Writer& write) {
  write.Integer("hbm_read"_col, moved.hbm_read)
      .Integer("hbm_write"_col, moved.hbm_write)
      .Integer("sbuf_read"_col, moved.sbuf_read)
      .Integer("sbuf_write"_col, moved.sbuf_write)
      .Integer("psum_read"_col, moved.psum_read)
      .Integer("psum_write"_col, moved.psum_write)
      .Integer("spill_save"_col, moved.spill_save)
      .Integer("spill_reload"_col, moved.spill_reload);
}

/// Writes the cells of columns::kActiveByEngine, or of columns with the same names, in ns.
/// REQUIRES: they are next in the row.
template <class Writer>
void AppendActive(const std::array<Ns, profgauge::neuron::kEngines>& active, Writer& write) {
  const auto of = [&](profgauge::neuron::Engine engine) {
    return active[static_cast<std::size_t>(engine)];
  };
  write.Integer("tensor_active"_col, of(profgauge::neuron::Engine::kTensor))
      .Integer("vector_active"_col, of(profgauge::neuron::Engine::kVector))
      .Integer("scalar_active"_col, of(profgauge::neuron::Engine::kScalar))
      .Integer("gpsimd_active"_col, of(profgauge::neuron::Engine::kGpsimd))
      .Integer("sync_active"_col, of(profgauge::neuron::Engine::kSync));
}

}  // namespace profgauge::analysis::catalog
