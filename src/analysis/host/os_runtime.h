// Calls of the operating system, and how long it let threads run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// "; Nsight Systems records it with --cpuctxsw=…", where it can record the run's devices; else
/// empty. `what`: from "it" on.
std::string WithNsight(const Output& out, std::string_view what);

/// A profile's threads by process and number: in which order a file names them is its writer's.
std::vector<std::uint32_t> ThreadsInOrder(const Profile& profile);

/// Adds the tables os_calls and threads, where the profile has the OS runtime and scheduling.
void AddOsRuntime(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
