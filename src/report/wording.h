// The words for a report's devices. Rules, metrics and tables are written of NVIDIA's GPUs; a
// report of other devices says the same in their words: a matrix core of AMD, an NPU and its cube
// unit, a NeuronCore and its tensor engine, a TPU.
//
// Only texts of ours are told so; ids, evidence, cells of tables, names of the recording inside of
// our sentences and all texts of users' rules stay what they are.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"

namespace profgauge::report {

/// `text` in the words of `accelerator` (ProfileInfo::accelerator). Whole words only; unchanged for
/// NVIDIA's and for unknown devices.
std::string Reworded(std::string_view text, std::string_view accelerator);

/// All texts of `report` that are ours, its timeline's too, in the words of its accelerator.
void Reword(Report& report);
/// The same for a timeline that joins its report later.
void Reword(Timeline& timeline, std::string_view accelerator);

}  // namespace profgauge::report
