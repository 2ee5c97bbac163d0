// Device work that iterations do not wait for.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <span>

#include "base/no_index.h"
#include "model/profile.h"

namespace profgauge {

inline constexpr std::uint32_t kNoIteration = kNoIndex;

/// Rows of device work that extend no iteration:
///
/// - copies and sets that still run when all kernels of the next iteration on their GPU are done,
/// as
///   those of an asynchronous checkpoint do;
/// - work of streams beside the main one, copies, collectives and kernels alike, beside which the
/// next iteration's kernels run on the main stream, if they do not wait for it and the next
///   iteration has nothing on that stream: of snapshots, averages of weights and outer all-reduces
/// every few iterations. Work that every iteration has on a stream is waited for in its order. The
///   main stream of a GPU is that whose kernels, without those that communicate, take most time: it
///   cannot wait for another one, however few kernels it has;
/// - on the streams of these, work that outlives the kernels of the last iteration.
///
/// `of_device`: by row, the iteration that launched it, or kNoIteration.
boost::unordered_flat_set<std::uint32_t> WorkBehind(const Profile& profile,
                                                    std::span<const std::uint32_t> of_device);

}  // namespace profgauge
