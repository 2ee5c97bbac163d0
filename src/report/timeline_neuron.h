// The parts that only a NeuronCore's timeline has: engines with all their instructions, DMA by
// queue, layers as regions, dependencies, amounts; HFU, throughput, memory, throttling and
// semaphores over time.
#pragma once

#include <cstdint>
#include <vector>

#include "model/profile.h"
#include "report/report.h"
#include "report/timeline_budget.h"
#include "report/timeline_tracks.h"

namespace profgauge::report {

/// Kinds of Neuron have these facets, in this order.
std::vector<Timeline::Facet> NeuronFacets();

/// REQUIRES: profile.neuron is set, and `tracks` started its rank.
void AddNeuronTracks(const Profile& profile, const TimelineCut& cut, TimelineKinds& kinds,
                     TimelineTracks& tracks);

/// For the rank's events: amounts (columns are made for all events so far) and dependencies.
void AddNeuronAmounts(const Profile& profile, const TimelineTracks& tracks, Timeline& timeline);

void AddNeuronCounters(const Profile& profile, std::int64_t rank, Timeline& timeline);

}  // namespace profgauge::report
