// SPDX-License-Identifier: Apache-2.0
//
// Names of matrix products and convolutions.
#include <cctype>

#include "common/analysis/kernel_name.h"
#include "common/analysis/kernel_name_tokens.h"

namespace tracebook::detail {
namespace {

int number_after(std::string_view token, std::string_view prefix) {
  if (!token.starts_with(prefix)) return 0;
  int value = 0;
  for (const char c : token.substr(prefix.size())) {
    if (!is_digit(c) || value > 1000) return 0;
    value = value * 10 + (c - '0');
  }
  return value;
}

/// The identifier (letters, digits, underscores) that starts with `start`, or "".
std::string_view identifier_with(std::string_view name, std::string_view start) {
  auto at = name.find(start);
  if (at == std::string_view::npos) return {};
  const auto part_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  while (at > 0 && part_of_name(name[at - 1])) --at;
  std::size_t end = at;
  while (end < name.size() && part_of_name(name[end])) ++end;
  return name.substr(at, end - at);
}

std::string smaller_dtype(std::string_view token) {
  if (token.starts_with("bf16")) return "bf16";
  if (token.starts_with("fp16") || token.starts_with("f16")) return "fp16";
  if (token.starts_with("tf32")) return "tf32";
  if (token.starts_with("e4m3") || token.starts_with("e5m2") || token.starts_with("fp8"))
    return "fp8";
  if (token.starts_with("f64")) return "fp64";
  if (token.starts_with("f32") || token.starts_with("fp32")) return "fp32";
  if (token.starts_with("i8") || token.starts_with("s8") || token.starts_with("u8") ||
      token.starts_with("int8")) {
    return "int8";
  }
  return {};
}

/// "tn", and with the result's order "tnn".
bool is_layout(std::string_view token) {
  return (token.size() == 2 || token.size() == 3) &&
         token.find_first_not_of("nt") == std::string_view::npos;
}

/// nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_bias_TNT, cuBLAS's own kernels since Hopper.
/// Measured on an H200: `tst` is what bf16 products run; `bz` stands for beta=0, `badd` for beta=1,
/// `bx` for a C that is not D, `bias` for a bias vector in the epilogue. Inferred: letters of the
/// type as in cublas<t>gemm (h half, s single, d double; q, o the 8-bit floats), then the block's
/// tile, K and number of stages, the cluster, the order of tiles, which operand two groups share.
bool decode_nvjet(std::string_view name, DecodedKernel& out) {
  const std::string_view own = identifier_with(name, "nvjet_");
  if (own.empty() || !own.starts_with("nvjet_")) return false;
  out.library = KernelLibrary::kCublas;
  out.kind = KernelKind::kGemm;
  out.tensor_cores = TensorCores::kYes;
  std::string type;
  for (const std::string_view token : split(own.substr(6))) {
    if (token.starts_with("sm") && number_after(token, "sm") > 0)
      out.architecture = token;
    else if (is_size(token) && out.tile.empty())
      out.tile = token;
    else if (token == "bz")
      out.epilogue = "beta=0";
    else if (token == "badd")
      out.epilogue = "beta=1";
    else if (token == "bx")
      out.epilogue = "C apart from D";
    else if (token == "bias")
      out.epilogue += out.epilogue.empty() ? "bias" : ", bias";
    else if (token == "splitK")
      out.split_k = true;
    else if (token.size() >= 3 && token.size() <= 4 &&
             token.find_first_not_of("NT") == std::string_view::npos) {
      out.layout = token;
    } else if (type.empty() && out.tile.empty()) {
      type = token;
    }
  }
  switch (type.empty() ? ' ' : type.front()) {
    case 't':
      out.dtype = "bf16";
      break;
    case 'h':
      out.dtype = "fp16";
      break;
    case 's':
      out.dtype = "tf32";
      break;
    case 'q':
    case 'o':
      out.dtype = "fp8";
      break;
    case 'i':
      out.dtype = "int8";
      break;
    case 'd':
      out.dtype = "fp64";
      break;
    default:
      break;
  }
  return true;
}

/// sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x16_stage4_…_tensor16x8x8_alignc4_…
/// The first type pair is what the tensors hold, the second what is multiplied.
bool decode_xmma(std::string_view name, DecodedKernel& out) {
  const std::string_view own = identifier_with(name, "_xmma_");
  if (own.empty()) return false;
  const Tokens tokens = split(own);
  const bool conv = has(own, "fprop") || has(own, "dgrad") || has(own, "wgrad");
  if (!conv && !has(own, "gemm")) return false;
  out.kind = conv ? KernelKind::kConv : KernelKind::kGemm;
  out.library = conv || has(own, "cudnn") ? KernelLibrary::kCudnn : KernelLibrary::kCublas;
  if (has(own, "fprop")) out.operation = "forward";
  if (has(own, "dgrad")) out.operation = "input gradient";
  if (has(own, "wgrad")) out.operation = "weight gradient";
  bool tensor = false;
  int types = 0;
  for (const std::string_view token : tokens) {
    if (number_after(token, "sm") > 0)
      out.architecture = token;
    else if (const std::string dtype = smaller_dtype(token); !dtype.empty() && types < 2) {
      // "f32f32_tf32f32": stored as fp32, multiplied as TF32.
      if (types == 0 || (out.dtype == "fp32" && dtype == "tf32")) out.dtype = dtype;
      ++types;
    } else if (token.starts_with("tilesize"))
      out.tile = token.substr(8);
    else if (token.starts_with("tensor") || token.starts_with("warpgroupsize"))
      tensor = true;
    else if (is_layout(token) || token.starts_with("nhwc") || token.starts_with("nchw")) {
      out.layout += out.layout.empty() ? std::string(token) : "," + std::string(token);
    } else if (token.starts_with("align") && token.size() > 6) {
      // aligna4, alignb4, alignc8: the tightest of the operands counts.
      const int each = number_after(token.substr(6), "");
      if (each > 0 && (out.alignment == 0 || each < out.alignment)) out.alignment = each;
    } else if (token == "splitK")
      out.split_k = true;
  }
  // The tensor cores take every type but plain fp32.
  if (out.dtype == "fp32") {
    out.tensor_cores = TensorCores::kNo;
  } else if (tensor || !out.dtype.empty()) {
    out.tensor_cores = TensorCores::kYes;
  }
  return true;
}

/// The instruction in "s16816gemm", "h884gemm", "s64x128x16gemm", "i16832gemm", "sgemm": an
/// accumulator's letter and the shape of the tensor-core instruction; without a shape it is a
/// product on the ordinary units.
struct Instruction {
  char letter = 0;
  bool shaped = false;
  std::string_view operation;  // gemm, cudnn, fprop, dgrad, wgrad
};

Instruction instruction_in(std::string_view token) {
  for (const std::string_view operation : {"gemm", "cudnn", "fprop", "dgrad", "wgrad"}) {
    const auto at = token.find(operation);
    if (at == std::string_view::npos || at == 0) continue;
    const std::string_view before = token.substr(0, at);
    if (before.find_first_not_of("0123456789x", 1) != std::string_view::npos) continue;
    return {before.front(), before.size() > 1, operation};
  }
  return {};
}

std::string dtype_of_letter(char letter) {
  switch (letter) {
    case 'h':
      return "fp16";
    case 's':
      return "fp32";
    case 'd':
      return "fp64";
    case 'i':
      return "int8";
    default:
      return {};
  }
}

/// What cutlass_80_tensorop_… and ampere_bf16_s16816gemm_… have in common.
void decode_tokens(std::string_view own, DecodedKernel& out) {
  bool simt = has(own, "_simt_");
  bool tensor = has(own, "tensorop");
  bool typed = false;
  for (const std::string_view token : split(own)) {
    if (const Instruction found = instruction_in(token); found.letter != 0) {
      const bool conv = found.operation != "gemm";
      out.kind = conv ? KernelKind::kConv : KernelKind::kGemm;
      if (found.operation == "fprop") out.operation = "forward";
      if (found.operation == "dgrad") out.operation = "input gradient";
      if (found.operation == "wgrad") out.operation = "weight gradient";
      (found.shaped ? tensor : simt) = true;
      if (out.dtype.empty()) out.dtype = dtype_of_letter(found.letter);
    } else if (const std::string dtype = smaller_dtype(token); !dtype.empty()) {
      // After the instruction stands the type of the operands, before it that of the result.
      if (!typed || out.kind != KernelKind::kUnknown) out.dtype = dtype;
      typed = true;
    } else if (is_size(token) && out.tile.empty()) {
      out.tile = token;
    } else if (is_layout(token) || token == "nhwc" || token == "nchw") {
      out.layout = token;
    } else if (const int align = number_after(token, "align"); align > 0) {
      out.alignment = align;
    } else if (const int load = number_after(token, "ldg"); load > 0) {
      out.alignment = load;
    } else if (token == "relu") {
      // A relu that is switched off at run time carries the same name: not proof of one.
      out.epilogue = "relu possible";
    } else if (token == "splitK" || token == "splitk") {
      out.split_k = true;
    }
  }
  if (tensor)
    out.tensor_cores = TensorCores::kYes;
  else if (simt)
    out.tensor_cores = TensorCores::kNo;
  // An fp32 product in a tensor-core kernel whose name has no other type runs as TF32.
  if (tensor && out.dtype == "fp32") out.dtype = typed ? out.dtype : "tf32";
}

bool decode_cutlass(std::string_view name, DecodedKernel& out) {
  std::string_view own;
  for (const std::string_view start : {"cutlass_", "cutlass3x_", "cutlass2x_"}) {
    for (auto at = name.find(start); at != std::string_view::npos; at = name.find(start, at + 1)) {
      const std::string_view candidate = identifier_with(name.substr(at), start);
      if (has(candidate, "gemm") || has(candidate, "fprop") || has(candidate, "dgrad") ||
          has(candidate, "wgrad")) {
        own = candidate;
        break;
      }
    }
    if (!own.empty()) break;
  }
  if (own.empty() || name.starts_with("fmha")) return false;
  out.library = KernelLibrary::kCutlass;
  for (const std::string_view token : split(own)) {
    const int bare = number_after(token, "");
    if (out.architecture.empty() && bare >= 50 && bare < 200)
      out.architecture = "sm" + std::string(token);
    if (out.architecture.empty() && number_after(token, "sm") > 0) out.architecture = token;
  }
  decode_tokens(own, out);
  if (out.kind == KernelKind::kUnknown) out.kind = KernelKind::kGemm;
  return true;
}

struct Generation {
  std::string_view prefix;
  std::string_view architecture;
};

/// ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn, volta_sgemm_64x64_nn, …
bool decode_generation(std::string_view name, DecodedKernel& out) {
  constexpr Generation kGenerations[] = {{"maxwell_", "sm50"}, {"volta_", "sm70"},
                                         {"turing_", "sm75"},  {"ampere_", "sm80"},
                                         {"ada_", "sm89"},     {"hopper_", "sm90"}};
  // cuDNN 8 and older: cudnn_infer_ampere_scudnn_128x64_relu_interior_nn_v1
  for (const std::string_view before : {"void ", "cudnn_", "infer_", "train_"}) {
    if (name.starts_with(before)) name.remove_prefix(before.size());
  }
  for (const Generation& generation : kGenerations) {
    if (!name.starts_with(generation.prefix)) continue;
    const std::string_view own = identifier_with(name, generation.prefix);
    if (!has(own, "gemm") && !has(own, "cudnn")) return false;
    out.architecture = generation.architecture;
    decode_tokens(own, out);
    if (out.kind == KernelKind::kUnknown) {
      out.kind = has(own, "gemm") ? KernelKind::kGemm : KernelKind::kConv;
    }
    const bool conv = out.kind == KernelKind::kConv;
    out.library = conv ? KernelLibrary::kCudnn : KernelLibrary::kCublas;
    return true;
  }
  return false;
}

/// Tensile's Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI16x16x16x1_… of rocBLAS and hipBLASLt.
bool decode_tensile(std::string_view name, DecodedKernel& out) {
  if (!name.starts_with("Cijk_")) return false;
  out.library = KernelLibrary::kTensile;
  out.kind = KernelKind::kGemm;
  for (const std::string_view token : split(name)) {
    if (token.starts_with("MT") && is_size(token.substr(2))) out.tile = token.substr(2);
    if (token.starts_with("MI") && token.size() > 2 && is_digit(token[2])) {
      out.tensor_cores = TensorCores::kYes;  // AMD's matrix cores
    }
    if (token == "HHS" || token == "HB" || token == "HH") out.dtype = "fp16";
    if (token == "BBS" || token == "BB" || token == "BBH") out.dtype = "bf16";
    if (token == "SB" || token == "SS") out.dtype = "fp32";
  }
  return true;
}

}  // namespace

bool decode_product(std::string_view name, DecodedKernel& out) {
  return decode_nvjet(name, out) || decode_attention(name, out) || decode_xmma(name, out) ||
         decode_cutlass(name, out) || decode_generation(name, out) || decode_tensile(name, out) ||
         decode_named(name, out);
}

}  // namespace tracebook::detail
