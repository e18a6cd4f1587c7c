// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "common/gpu/ops.h"
#include "common/trace/error.h"

namespace tracebook {
namespace {

struct Place {
  std::int64_t batch, row, column;
};

/// Sample number `i` of `samples`: the four corners, then steps of the golden ratio, which never
/// fall into a pattern of tiles.
Place sample_place(const Shape& shape, std::int64_t i) {
  const std::int64_t last_row = shape.rows() - 1;
  const std::int64_t last_column = shape.columns() - 1;
  if (i < 4) {
    return {i == 3 ? shape.batch() - 1 : 0, i % 2 == 0 ? 0 : last_row,
            i / 2 == 0 ? 0 : last_column};
  }
  constexpr double kGolden = 0.6180339887498949;
  constexpr double kSilver = 0.4142135623730950;
  const auto spread = [&](double step, std::int64_t count) {
    const double share = std::fmod(static_cast<double>(i) * step, 1.0);
    return std::min(static_cast<std::int64_t>(share * static_cast<double>(count)), count - 1);
  };
  return {i % shape.batch(), spread(kGolden, shape.rows()), spread(kSilver, shape.columns())};
}

void compare(Verification& so_far, const char* op, const Place& place, double found, double exact,
             double tolerance) {
  ++so_far.checked;
  const double error = std::abs(found - exact);
  // Also true for a NaN.
  if (!(error <= tolerance)) {
    std::array<char, 256> text{};
    std::snprintf(text.data(), text.size(),
                  "%s is wrong at batch %lld, row %lld, column %lld: %.9g, expected %.9g ± %.3g",
                  op, static_cast<long long>(place.batch), static_cast<long long>(place.row),
                  static_cast<long long>(place.column), found, exact, tolerance);
    throw InputError(text.data());
  }
  so_far.worst = std::max(so_far.worst, tolerance > 0 ? error / tolerance : 0);
  so_far.error_squares += error * error;
  so_far.exact_squares += exact * exact;
}

double smallest_normal(Dtype dtype) {
  return dtype == Dtype::kFp16 ? 0x1p-14 : static_cast<double>(std::numeric_limits<float>::min());
}

}  // namespace

double matmul_tolerance(Dtype dtype, std::int64_t k, double magnitude, double exact) {
  if (dtype == Dtype::kInt8) return 0;
  constexpr double kTwiceFp32 = 2 * 0x1p-24;
  const double terms = static_cast<double>(k - 1) + (dtype == Dtype::kFp32 ? 1.0 : 0.0);
  const double summing = terms * kTwiceFp32 / (1 - terms * kTwiceFp32);
  const double rounding = dtype_rounding(dtype);
  double tolerance = summing * magnitude + rounding * std::abs(exact) * (1 + summing);
  if (dtype != Dtype::kFp32) tolerance += rounding * magnitude;
  return tolerance + rounding * smallest_normal(dtype);
}

std::string Verification::text() const {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%lld elements, worst error %.3f of its tolerance",
                static_cast<long long>(checked), worst);
  return text.data();
}

double Verification::relative_error() const {
  return exact_squares > 0 ? std::sqrt(error_squares / exact_squares) : 0;
}

namespace {

/// Σ x_i w_i and Σ|x_i w_i| of one element of the product.
struct ExactProduct {
  double value = 0;
  double magnitude = 0;
  std::int64_t terms = 0;
};

ExactProduct exact_product(const Tensor& x, const Tensor& w, const Place& place) {
  const std::vector<double> row = x.row(place.batch, place.row);
  const std::vector<double> column = w.column(place.batch, place.column);
  ExactProduct exact{.terms = static_cast<std::int64_t>(row.size())};
  for (std::size_t k = 0; k < row.size(); ++k) {
    exact.value += row[k] * column[k];
    exact.magnitude += std::abs(row[k] * column[k]);
  }
  return exact;
}

double element(const Tensor& tensor, const Place& place) {
  return tensor.row(place.batch, place.row)[static_cast<std::size_t>(place.column)];
}

}  // namespace

Verification verify_matmul(const Tensor& x, const Tensor& w, const Tensor& result,
                           std::int64_t samples) {
  Verification verification;
  for (std::int64_t i = 0; i < samples; ++i) {
    const Place place = sample_place(result.shape(), i);
    const ExactProduct exact = exact_product(x, w, place);
    compare(verification, "matmul", place, element(result, place), exact.value,
            matmul_tolerance(x.dtype(), exact.terms, exact.magnitude, exact.value));
  }
  return verification;
}

Verification verify_addmm(const Tensor& b, const Tensor& x, const Tensor& w, const Tensor& result,
                          std::int64_t samples) {
  Verification verification;
  for (std::int64_t i = 0; i < samples; ++i) {
    const Place place = sample_place(result.shape(), i);
    const ExactProduct product = exact_product(x, w, place);
    const Place addend_place{place.batch, b.shape().rows() == 1 ? 0 : place.row, place.column};
    const double addend = element(b, addend_place);
    const double exact = product.value + addend;
    const double tolerance = matmul_tolerance(x.dtype(), product.terms + 1,
                                              product.magnitude + std::abs(addend), exact) +
                             dtype_rounding(x.dtype()) * std::abs(product.value);
    compare(verification, "addmm", place, element(result, place), exact, tolerance);
  }
  return verification;
}

Verification verify_add(const Tensor& a, const Tensor& b, const Tensor& result,
                        std::int64_t samples) {
  Verification verification;
  const double rounding = dtype_rounding(result.dtype());
  for (std::int64_t i = 0; i < samples; ++i) {
    const Place place = sample_place(result.shape(), i);
    const auto column = static_cast<std::size_t>(place.column);
    const double exact =
        a.row(place.batch, place.row)[column] + b.row(place.batch, place.row)[column];
    // One rounding to fp32 and one to the dtype.
    const double tolerance = (rounding + 0x1p-24) * std::abs(exact) * (1 + rounding) +
                             rounding * smallest_normal(result.dtype());
    compare(verification, "add", place, result.row(place.batch, place.row)[column], exact,
            tolerance);
  }
  return verification;
}

}  // namespace tracebook
