// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/cupti/check.h"

#include "common/trace/error.h"

namespace tracebook {
namespace {

const char* hint(CUptiResult status) {
  switch (status) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_HARDWARE_BUSY:
      return "compute-sanitizer, Nsight or another profiler is at work here: end it, or record the "
             "CPU's side alone (activities cpu)";
    case CUPTI_ERROR_OUT_OF_MEMORY:
      return "choose smaller activity buffers";
    case CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED:
    case CUPTI_ERROR_NOT_COMPATIBLE:
      return "another part of CUPTI is in use and excludes this one";
    default:
      return nullptr;
  }
}

}  // namespace

bool is_not_permitted(CUptiResult status) {
  return status == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
         status == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES ||
         status == CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED ||
         status == CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED;
}

const char* permission_hint() {
  return "the driver permits profiling to the administrator only: run as root, or let it load with "
         "NVreg_RestrictProfilingToAdminUsers=0 (https://developer.nvidia.com/ERR_NVGPUCTRPERM); "
         "in "
         "a virtual machine the host must permit it";
}

std::string cupti_message(CUptiResult status, const char* call) {
  const char* words = nullptr;
  if (cuptiGetResultString(status, &words) != CUPTI_SUCCESS || words == nullptr) words = "unknown";
  std::string message = std::string("CUPTI refused ") + call + ": " + words + " (" +
                        std::to_string(static_cast<int>(status)) + ")";
  if (is_not_permitted(status)) {
    message = message + "; " + permission_hint();
  } else if (const char* advice = hint(status); advice != nullptr) {
    message = message + "; " + advice;
  }
  return message;
}

void check_cupti(CUptiResult status, const char* call) {
  if (status == CUPTI_SUCCESS) return;
  if (is_not_permitted(status)) throw CannotJudge(cupti_message(status, call));
  throw InputError(cupti_message(status, call));
}

}  // namespace tracebook
