#pragma once

#include <span>

namespace starling {

/// Statistics of samples in any order and any unit. Each is NaN where there are no samples.

/// The middle sample; the mean of the middle two for an even number.
double median(std::span<const double> samples);

/// The value below which a share `share` of the samples lies, 0 <= share <= 1, linear between neighbours (Hyndman and
/// Fan 1996, type 7): 0 is the minimum, 0.5 the median, 1 the maximum.
double quantile(std::span<const double> samples, double share);

/// The mean of times by ADCL's rule: a sample of at least 3 times the smallest is an outlier. If fewer than 20 % are
/// outliers, the mean of the others, else the mean of all.
double filtered_mean(std::span<const double> samples);

}  // namespace starling
