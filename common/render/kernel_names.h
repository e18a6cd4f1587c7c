// SPDX-License-Identifier: Apache-2.0
//
// Kernel and op names as they fit into a line.
//
//   short_kernel_name("void at::native::vectorized_elementwise_kernel<8, at::native::F<c10::Half>
//   >(int)");
//   // "vectorized_elementwise_kernel<8, F<Half>>"
#pragma once

#include <string>
#include <string_view>

namespace tracebook {

/// A demangled C++ name without return type, parameters and namespaces; other names as they are.
std::string short_kernel_name(std::string_view name);

/// What follows the last "::": "matmul" of "aten::matmul".
std::string_view without_namespace(std::string_view name);

}  // namespace tracebook
