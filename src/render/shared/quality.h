// The profile's quality in words: the certificate of the report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace profgauge::render {

/// "whole", "limited" or "no verdict".
std::string_view TrustText(Trust trust);
/// "fine", "uncertain", "lost", "unknown".
std::string_view StateText(CheckState state);

/// "limited: 70 of 516 launches have no kernel (and 1 more)": the most severe check; empty where
/// the profile is whole.
std::string QualityText(const Certificate& recording);

/// Checks by weight: data loss, uncertain, unknown, fine; each in their order.
std::vector<const CertificateCheck*> ChecksByWeight(const Certificate& recording);

/// The check's result and effect: "70 of 516 launches have no kernel; affects idle, kernels".
std::string FoundText(const CertificateCheck& check);

}  // namespace profgauge::render
