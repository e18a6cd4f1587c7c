// SPDX-License-Identifier: Apache-2.0
#include "common/render/kernel_names.h"

#include <gtest/gtest.h>

namespace tracebook {
namespace {

TEST(KernelNames, DropsWhatSaysLittle) {
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<8, "
                              "at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >"
                              "(int, at::native::CUDAFunctor_add<c10::BFloat16>)"),
            "vectorized_elementwise_kernel<8, CUDAFunctor_add<BFloat16>, array<char*, 3ul>>");
  EXPECT_EQ(
      short_kernel_name("void at::native::(anonymous namespace)::CatArrayBatchedCopy<int>(int)"),
      "CatArrayBatchedCopy<int>");
  EXPECT_EQ(
      short_kernel_name("std::enable_if<!(false), void>::type internal::gemvx::kernel<int>(int)"),
      "kernel<int>");
  EXPECT_EQ(short_kernel_name("void a::Outer<b::Arg<int> >::run<c::D>(int)"), "run<D>");
  EXPECT_EQ(short_kernel_name("void gemm<(cutlass::Op)1>(int)"), "gemm<(Op)1>");
  EXPECT_EQ(short_kernel_name("void f(int)"), "f");
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<8, "
                              "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
                              "at::native::GeluType)::{lambda()#2}::operator()() const::"
                              "{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >(int)"),
            "vectorized_elementwise_kernel<8, GeluCUDAKernelImpl, array<char*, 2ul>>");
}

TEST(KernelNames, LeavesOtherNamesAlone) {
  for (const char* name :
       {"nvjet_sm90_tst_64x8_64x16_1x4_h_bz_NNT", "Memcpy DtoD (Device -> Device)",
        "Memset (Device)", "triton_poi_fused_add_0", "", "(", ")", ">>", "::", "a::"}) {
    EXPECT_EQ(short_kernel_name(name), name);
  }
}

TEST(KernelNames, WithoutNamespace) {
  EXPECT_EQ(without_namespace("aten::matmul"), "matmul");
  EXPECT_EQ(without_namespace("autograd::engine::evaluate_function: MmBackward0"),
            "evaluate_function: MmBackward0");
  EXPECT_EQ(without_namespace("step"), "step");
  EXPECT_EQ(without_namespace("odd::"), "odd::");
}

}  // namespace
}  // namespace tracebook
