// How iterations end on the device: an iteration cut off by the end of a profile ends anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/profile.h"

namespace profgauge {

/// Whether the last of `count` iterations ends with the launches with which an earlier one ends and
/// which that one has nowhere else: such as those of its optimizer. `of_device` has for each device
/// row the iteration that launched it.
bool LastEndsLikeOthers(const Profile& profile, std::span<const std::uint32_t> of_device,
                        std::size_t count);

}  // namespace profgauge
