#pragma once

#include <span>

namespace starling {

/// Statistics of samples in any order and any unit. Each is NaN where there are no samples.

/// The middle sample; the mean of the middle two for an even number.
double median(std::span<const double> samples);

/// The value below which a share `share` of the samples lies, 0 <= share <= 1, linear between neighbours (Hyndman and
/// Fan 1996, type 7): 0 is the minimum, 0.5 the median, 1 the maximum.
double quantile(std::span<const double> samples, double share);

/// ADCL's rule: which times are outliers, and when they are left out.
struct OutlierRule {
  double factor = 3;      ///< a time of at least so many times the smallest is an outlier
  double fraction = 0.2;  ///< from this share of outliers on none is left out
};

/// The mean of times without outliers, or, where too many are outliers, the mean of all.
double filtered_mean(std::span<const double> samples, const OutlierRule& rule = {});

}  // namespace starling
