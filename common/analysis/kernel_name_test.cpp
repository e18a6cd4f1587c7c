// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/kernel_name.h"

#include <gtest/gtest.h>

#include <ostream>

namespace tracebook {
namespace {

using KernelKind::kAttention, KernelKind::kCommunication, KernelKind::kConv, KernelKind::kCopy,
    KernelKind::kElementwise, KernelKind::kGemm, KernelKind::kGemv, KernelKind::kOptimizer,
    KernelKind::kReduction, KernelKind::kScan;
using KernelLibrary::kAten, KernelLibrary::kCub, KernelLibrary::kCublas, KernelLibrary::kCudnn,
    KernelLibrary::kCutlass, KernelLibrary::kDriver, KernelLibrary::kFlashAttention,
    KernelLibrary::kNccl, KernelLibrary::kTensile, KernelLibrary::kTriton;

/// Names as they stand in traces of A100, H100, H200 and B200, and what must be read out of them.
struct Case {
  std::string_view name;
  KernelLibrary library;
  KernelKind kind;
  TensorCores tensor_cores;
  std::string_view dtype;
  std::string_view architecture = {};
  std::string_view tile = {};
  std::string_view layout = {};
  int alignment = 0;
  std::string_view operation = {};
  std::string_view epilogue = {};
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.name.substr(0, 60); }

constexpr auto kYes = TensorCores::kYes;
constexpr auto kNo = TensorCores::kNo;
constexpr auto kUnsaid = TensorCores::kUnknown;

const Case kCases[] = {
    // cuBLAS since Hopper
    {"nvjet_sm90_tst_64x8_64x16_1x4_h_bz_NNT", kCublas, kGemm, kYes, "bf16", "sm90", "64x8", "NNT",
     0, "", "beta=0"},
    {"nvjet_sm90_tst_256x128_64x4_1x2_h_badd_coopA_NNT", kCublas, kGemm, kYes, "bf16", "sm90",
     "256x128", "NNT", 0, "", "beta=1"},
    {"nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_bias_TNT", kCublas, kGemm, kYes, "bf16", "sm90",
     "256x128", "TNT", 0, "", "beta=0, bias"},
    {"nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNN", kCublas, kGemm, kYes, "bf16", "", "192x192",
     "TNN", 0, "", "beta=0"},
    {"nvjet_hsh_256x128_64x4_1x2_h_bz_coopA_NNT", kCublas, kGemm, kYes, "fp16", "", "256x128",
     "NNT", 0, "", "beta=0"},
    {"nvjet_sm100_tst_64x16_64x16_2x4_2cta_h_bz_splitK_TNT", kCublas, kGemm, kYes, "bf16", "sm100",
     "64x16", "TNT", 0, "", "beta=0"},
    {"nvjet_sm120_tst_mma_64x64x128_3_32x32x128_tmaAB_alignCD4_bz_TNNN", kCublas, kGemm, kYes,
     "bf16", "sm120", "64x64x128", "TNNN", 0, "", "beta=0"},
    // xmma
    {"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x128x8_stage3_warpsize2x4x1_ffma_aligna4_"
     "alignc4_"
     "execute_kernel__5x_cublas",
     kCublas, kGemm, kNo, "fp32", "sm80", "128x128x8", "nn", 4},
    {"sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x32_stage3_warpsize2x2x1", kCublas,
     kGemm, kYes, "bf16", "sm80", "128x128x32", "tn"},
    {"sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_stage4_"
     "warpsize2x2x1_g1_tensor16x8x8_alignc4_execute_kernel__5x_cudnn",
     kCudnn, kConv, kYes, "tf32", "sm80", "128x128x16", "nhwckrsc,nchw", 4, "forward"},
    {"sm80_xmma_wgrad_implicit_gemm_indexed_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_"
     "stage3_"
     "warpsize2x2x1_g1_tensor16x8x16_execute_kernel__5x_cudnn",
     kCudnn, kConv, kYes, "fp16", "sm80", "128x128x32", "nhwckrsc,nhwc", 0, "weight gradient"},
    {"sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x32_warpgroupsize1x1x1_execute_segment_"
     "k_on_"
     "kernel__5x_cublas",
     kCublas, kGemm, kYes, "tf32", "sm90", "128x128x32", "nn"},
    // Ampere and before
    {"ampere_sgemm_128x64_tn", kCublas, kGemm, kNo, "fp32", "sm80", "128x64", "tn"},
    {"ampere_sgemm_32x32_sliced1x4_nn", kCublas, kGemm, kNo, "fp32", "sm80", "32x32", "nn"},
    {"ampere_bf16_s16816gemm_bf16_64x64_sliced1x2_ldg8_relu_f2f_stages_64x5_tn", kCublas, kGemm,
     kYes, "bf16", "sm80", "64x64", "tn", 8, "", "relu possible"},
    {"ampere_s16816gemm_bf16_128x128_nt", kCublas, kGemm, kYes, "bf16", "sm80", "128x128", "nt"},
    {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn", kCublas, kGemm, kYes, "fp16", "sm70",
     "128x128", "tn", 8},
    {"volta_scudnn_128x64_relu_interior_nn_v1", kCudnn, kConv, kNo, "fp32", "sm70", "128x64", "nn",
     0, "", "relu possible"},
    // cutlass
    {"void "
     "cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_nn_align1>(cutlass_75_"
     "tensorop_"
     "bf16_s1688gemm_bf16_256x128_nn_align1::Params)",
     kCutlass, kGemm, kYes, "bf16", "sm75", "256x128", "nn", 1},
    {"void "
     "cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_32x6_nn_align2>(cutlass_"
     "80_"
     "tensorop_bf16_s16816gemm_relu_bf16_64x64_32x6_nn_align2::Params)",
     kCutlass, kGemm, kYes, "bf16", "sm80", "64x64", "nn", 2, "", "relu possible"},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(T1::Params)", kCutlass,
     kGemm, kNo, "fp32", "sm80", "256x128", "nn", 1},
    {"void "
     "cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4>(cutlass_80_tensorop_"
     "s1688gemm_128x128_32x3_nn_align4::Params)",
     kCutlass, kGemm, kYes, "tf32", "sm80", "128x128", "nn", 4},
    {"void "
     "cutlass__5x_cudnn::Kernel<cutlass_tensorop_s1688fprop_optimized_tf32_64x64_16x10_nhwc_align4>"
     "("
     "cutlass_tensorop_s1688fprop_optimized_tf32_64x64_16x10_nhwc_align4::Params)",
     kCutlass, kConv, kYes, "tf32", "", "64x64", "nhwc", 4, "forward"},
    {"cutlass3x_sm100_simt_sgemm_f32_f32_f32_f32_f32_32x32x16_1x1x1_3_tnn_align1_bias_f32_relu",
     kCutlass, kGemm, kNo, "fp32", "sm100", "32x32x16", "tnn", 1, "", "relu possible"},
    // the rest of cuBLAS
    {"void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float, __nv_bfloat16, "
     "false, "
     "float, __nv_bfloat16, __nv_bfloat16, true, true, false, "
     "false>(cublasLt::cublasSplitKParams<float>)",
     kCublas, kReduction, kNo, "", "", "", "", 0, "split-K reduce"},
    {"void gemv2T_kernel_val<int, int, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, 128, "
     "16, 4, 4, "
     "false, false, cublasGemvParamsEx<int>>(cublasGemvParamsEx<int>, float, float)",
     kCublas, kGemv, kNo, "bf16"},
    {"void gemmSN_TN_kernel<float, 128, 16, 2, 4, 4, 4, true, cublasGemvTensorStridedBatched<float "
     "const>>("
     "cublasGemmSmallNParams<float>)",
     kCublas, kGemm, kNo, "fp32"},
    // cuDNN
    {"void cudnn::engines_precompiled::nchwToNhwcKernel<float, float, float, false, true, "
     "(cudnnKernelDataType_t)2>(cudnn::engines_precompiled::nchw2nhwc_params_t<float>, float "
     "const*, float*)",
     kCudnn, kCopy, kNo, "fp32", "", "", "", 0, "nchw to nhwc"},
    {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, "
     "true>(cudnnTensorStruct, float "
     "const*)",
     kCudnn, kReduction, kNo, "fp32", "", "", "", 0, "batch norm"},
    {"void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, true, false, true>(int, "
     "int, int)",
     kCudnn, kConv, kNo, "fp32"},
    // attention
    {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_4x1x1_cga1x1x1_"
     "kernel0_0",
     kCudnn, kAttention, kYes, "", "sm90", "64x128x64", "", 0, "forward"},
    {"cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64x128_1x4x1", kCudnn,
     kAttention, kYes, "", "sm90", "64x64x128", "", 0, "backward"},
    {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, "
     "false, "
     "false, cutlass::bfloat16_t>>(pytorch_flash::Flash_fwd_params)",
     kFlashAttention, kAttention, kYes, "bf16", "", "", "", 0, "forward"},
    {"fmha_cutlassB_bf16_aligned_128x128_k128_sm80(PyTorchMemEffAttention::AttentionBackwardKernel<"
     "cutlass::arch::Sm80>)",
     kFlashAttention, kAttention, kYes, "bf16", "sm80", "", "", 0, "backward"},
    {"void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<"
     "flash::CollectiveMainloopFwdSm90<2, cute::tuple<int>>>>>(flash::Params)",
     kFlashAttention, kAttention, kYes, "", "sm90", "", "", 0, "forward"},
    // Triton
    {"triton_poi_fused_add_gelu_0", kTriton, kElementwise, kNo, "", "", "", "", 0, "add_gelu"},
    {"triton_red_fused_native_layer_norm_native_layer_norm_backward_relu_10", kTriton, kReduction,
     kNo, "", "", "", "", 0, "native_layer_norm_native_layer_norm_backward_relu"},
    {"triton_per_fused__log_softmax__to_copy_21", kTriton, kReduction, kNo, "", "", "", "", 0,
     "_log_softmax__to_copy"},
    {"triton_tem_fused_addmm_3", kTriton, kGemm, kUnsaid, "", "", "", "", 0, "addmm"},
    // ATen
    {"void at::native::vectorized_elementwise_kernel<8, "
     "at::native::CUDAFunctor_add<c10::BFloat16>, "
     "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, "
     "3ul>)",
     kAten, kElementwise, kNo, "bf16", "", "", "", 0, "add"},
    {"void at::native::vectorized_elementwise_kernel<8, "
     "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
     "at::native::GeluType)::{lambda()#2}::operator()"
     "() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, "
     "2ul> >(int)",
     kAten, kElementwise, kNo, "bf16", "", "", "", 0, "gelu"},
    {"void at::native::vectorized_elementwise_kernel<8, "
     "at::native::tanh_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
     "const>(int)",
     kAten, kElementwise, kNo, "", "", "", "", 0, "tanh"},
    {"void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::"
     "TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda(float)#1}, std::array<char*, "
     "2ul>, 4>",
     kAten, kCopy, kNo, "fp32", "", "", "", 0, "copy"},
    {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
     "at::native::MeanOps<float, float, "
     "float, float>, unsigned int, float, 4, 4> >(at::native::ReduceOp<float>)",
     kAten, kReduction, kNo, "fp32", "", "", "", 0, "mean"},
    {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float, "
     "false>(int)",
     kAten, kReduction, kNo, "bf16", "", "", "", 0, "layer norm"},
    {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::(anonymous "
     "namespace)::OpaqueType<2u>, unsigned int, 4, 64, 64>(at::native::(anonymous "
     "namespace)::OpaqueType<2u>*)",
     kAten, kCopy, kNo, "", "", "", "", 0, "cat"},
    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
     "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
     "namespace)::FusedAdamMathFunctor<float, 4> >(at::native::(anonymous namespace)::Metadata)",
     kAten, kOptimizer, kNo, "fp32", "", "", "", 0, "fused adam"},
    // NCCL
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", kNccl,
     kCommunication, kNo, "bf16", "", "", "", 0, "all_reduce"},
    {"ncclDevKernel_ReduceScatter_Sum_f32_RING_LL", kNccl, kCommunication, kNo, "fp32", "", "", "",
     0, "reduce_scatter"},
    {"ncclDevKernel_SendRecv", kNccl, kCommunication, kNo, "", "", "", "", 0, "send_recv"},
    {"ncclKernel_AllReduce_RING_LL_Sum_half(ncclDevComm*, unsigned long, ncclWork*)", kNccl,
     kCommunication, kNo, "fp16", "", "", "", 0, "all_reduce"},
    // others
    {"void at_cuda_detail::cub::DeviceRadixSortOnesweepKernel<at_cuda_detail::cub::Policy>(int)",
     kCub, kScan, kNo, ""},
    {"Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI16x16x16x1_SN_1LDSB0", kTensile, kGemm, kYes, "fp16", "",
     "128x128x32"},
    {"Memcpy HtoD (Pageable -> Device)", kDriver, kCopy, kNo, "", "", "", "", 0, "HtoD"},
    {"Memset (Device)", kDriver, kCopy, kNo, "", "", "", "", 0, "memset"},
};

class KernelName : public testing::TestWithParam<Case> {};

TEST_P(KernelName, IsDecoded) {
  const Case& expected = GetParam();
  const DecodedKernel kernel = decode_kernel_name(expected.name);
  EXPECT_EQ(library_name(kernel.library), library_name(expected.library));
  EXPECT_EQ(kind_name(kernel.kind), kind_name(expected.kind));
  EXPECT_EQ(static_cast<int>(kernel.tensor_cores), static_cast<int>(expected.tensor_cores));
  EXPECT_EQ(kernel.dtype, expected.dtype);
  EXPECT_EQ(kernel.architecture, expected.architecture);
  EXPECT_EQ(kernel.tile, expected.tile);
  EXPECT_EQ(kernel.layout, expected.layout);
  EXPECT_EQ(kernel.alignment, expected.alignment);
  EXPECT_EQ(kernel.operation, expected.operation);
  EXPECT_EQ(kernel.epilogue, expected.epilogue);
}

INSTANTIATE_TEST_SUITE_P(Real, KernelName, testing::ValuesIn(kCases));

TEST(KernelNames, UnknownIsSaidToBeUnknown) {
  for (const std::string_view name :
       {"my_kernel(float*, int)", "", "vecAdd", "void foo<int>(int)", "_Z3barv"}) {
    const DecodedKernel kernel = decode_kernel_name(name);
    EXPECT_EQ(kernel.library, KernelLibrary::kUnknown) << name;
    EXPECT_EQ(kernel.kind, KernelKind::kUnknown) << name;
    EXPECT_EQ(describe(kernel), "unknown kernel") << name;
  }
}

TEST(KernelNames, SplitKIsSeen) {
  EXPECT_TRUE(decode_kernel_name("nvjet_sm90_tst_64x32_64x16_4x2_h_bz_splitK_bias_TNT").split_k);
  EXPECT_FALSE(decode_kernel_name("nvjet_sm90_tst_64x32_64x16_4x2_h_bz_bias_TNT").split_k);
}

TEST(KernelNames, MisalignedMeansFewerThanSixteenBytesOnTensorCores) {
  const auto misaligned = [](std::string_view name) {
    return is_misaligned(decode_kernel_name(name));
  };
  EXPECT_TRUE(misaligned("cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_nn_align1"));
  EXPECT_TRUE(misaligned("cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_32x6_nn_align2"));
  EXPECT_FALSE(misaligned("cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_32x6_nn_align8"));
  // Four elements of TF32 are sixteen bytes; on the ordinary units one at a time is as it should
  // be.
  EXPECT_FALSE(misaligned("cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4"));
  EXPECT_FALSE(misaligned("cutlass_80_simt_sgemm_256x128_8x4_nn_align1"));
  EXPECT_FALSE(misaligned("nvjet_sm90_tst_64x8_64x16_1x4_h_bz_NNT"));
}

TEST(KernelNames, ShortNamesKeepWhatTellsThemApart) {
  EXPECT_EQ(short_kernel_name(
                "void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(T1::Params)"),
            "cutlass_80_simt_sgemm_256x128_8x4_nn_align1");
  EXPECT_EQ(short_kernel_name(
                "void at::native::vectorized_elementwise_kernel<8, "
                "at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int)"),
            "vectorized_elementwise_kernel (add)");
  EXPECT_EQ(short_kernel_name("Memcpy HtoD (Pageable -> Device)"),
            "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(short_kernel_name("abcdefghij", 8), "abcde...");
  EXPECT_EQ(short_kernel_name("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 8).substr(4), "...");
}

TEST(KernelNames, AnythingIsTaken) {
  // Cut-off and odd names must be answered, not read beyond their end.
  for (const Case& each : kCases) {
    for (std::size_t size = 0; size < each.name.size(); ++size) {
      const std::string cut(each.name.substr(0, size));
      EXPECT_FALSE(describe(decode_kernel_name(cut)).empty());
      EXPECT_LE(short_kernel_name(cut, 20).size(),
                std::max<std::size_t>(20, cut.starts_with("Mem") ? size : 0));
    }
  }
}

}  // namespace
}  // namespace tracebook
