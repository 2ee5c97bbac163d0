// Finds the rank of each profile of a run, and the source of this number.
//
// Profiles of several files are ranks of one run only if something states it: the rank that each
// file records, a process group in which all communicate, the NeuronCore that each records, the
// folder into which a tool writes the hosts of one session, the files' names, or the caller. A name
// states a rank by a number after "rank", "worker", "TP" or another such word (RanksOfNames()).
// Otherwise they may be separate runs, of which a good one would hide a bad one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge::readers {

/// Which sources may make profiles of several files ranks of one run.
enum class RanksFrom : std::uint8_t {
  kRecorded,  ///< Only the files: contents, folder or names.
  kListed,    ///< The caller: they are ranks 0, 1, … in the order given.
  kNothing,   ///< Nothing: each file is a separate run.
};

/// Finds ranks in the names of files; nullopt if they state none. Paths must be equal except for
/// numbers. Equal numbers and times are ignored; a number belongs to the word before it. The first
/// of "rank", "worker", "profile", "tp", "ep", "dp", … whose numbers all differ has the ranks. If
/// "rank" repeats, ranks are local ones, and the result is nullopt. If no single word is enough,
/// the numbers are coordinates in a grid that the files fill.
///
///   rank0.json, rank1.json             0 and 1; the same for worker0, TP-0
///   node1/rank0.json, node0/rank1.json 0 and 1: of whatever node
///   node0/rank0.json, node1/rank0.json nothing
///   tp0_pp0, tp1_pp0, tp0_pp1, tp1_pp1 0 to 3: tp changes fastest
///   step_1/rank0.json, step_2/rank1.json   nothing: of different moments
///   host_1.json, host_2.json           nothing: "host" is not a word for a rank
///   worker0.17…01.pt.trace.json, worker1.17…09.pt.trace.json   0 and 1: the others are times
///   rank0.json, rank0_copy.json        nothing: the texts differ
std::optional<std::vector<std::int64_t>> RanksOfNames(const std::vector<std::string>& paths);

/// The fact of a profile whose rank GiveRanks() set; its value is the source.
inline constexpr std::string_view kRanksGivenBy = "ranks given by";
/// The value of kRanksGivenBy if only the caller makes the files ranks of one run.
inline constexpr std::string_view kByOrder = "their order on the command line";

/// Sets the rank of profiles that record none, and notes this as a fact. kRecorded: by their names,
/// unless time, version, iterations or world size show different runs. kListed: by their order.
/// Recorded ranks stay. If a name contradicts a recorded rank, or its number exceeds the world
/// size, no name is used. A single profile gets no rank.
void GiveRanks(std::vector<Profile>& profiles, RanksFrom from);

/// Removes profiles of a server or launcher if the ranks of the run are complete without them (vLLM
/// writes one of its coordinator). Returns a line for each: path and reason.
std::vector<std::string> LeaveOutCoordinators(std::vector<Profile>& profiles);

/// True if the profiles are from one file, or something states that they are ranks of one run.
/// REQUIRES: GiveRanks() has been called.
bool AreRanksKnown(const std::vector<Profile>& profiles);

/// Fails unless AreRanksKnown(): kInput "input/ranks-unknown", with a command for each choice.
Status CheckRanksKnown(const std::vector<Profile>& profiles, const std::string& where);

}  // namespace profgauge::readers
