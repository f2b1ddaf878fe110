//! The few numbers that a list of measurements is reduced to.

/// The value below which `percent` of the values lie.
pub(super) fn percentile(values: &[f64], percent: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(place).copied().unwrap_or(f64::NAN)
}

pub(super) fn median(values: &[f64]) -> f64 {
    percentile(values, 50)
}

pub(super) fn milliseconds(microseconds: u64) -> f64 {
    std::time::Duration::from_micros(microseconds).as_secs_f64() * 1000.0
}
