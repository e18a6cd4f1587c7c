# SPDX-License-Identifier: Apache-2.0
#
# Finds the CUDA Toolkit. Sets TRACEBOOK_HAS_CUDA and, with it, defines CUDA::cudart, CUDA::cublas,
# CUDA::cublasLt and tracebook::cupti. Whatever is missing stops TRACEBOOK_CUDA=ON, and turns AUTO
# into a build that only replays, with the reason.

set(TRACEBOOK_HAS_CUDA OFF)
if(NOT TRACEBOOK_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "TRACEBOOK_CUDA is '${TRACEBOOK_CUDA}': expected AUTO, ON or OFF")
endif()
if(TRACEBOOK_CUDA STREQUAL "OFF")
  message(STATUS "CUDA: off, the chapters will replay their recordings")
  return()
endif()

function(_tracebook_without_cuda reason)
  if(TRACEBOOK_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TRACEBOOK_CUDA=ON, but ${reason}.\nInstall the CUDA Toolkit 12.4 or newer "
      "(https://developer.nvidia.com/cuda-downloads), or use TRACEBOOK_CUDA=OFF: every chapter then "
      "replays its recordings.")
  endif()
  message(STATUS "CUDA: ${reason}; the chapters will replay their recordings")
endfunction()

# A toolkit is usually installed without being put on PATH.
find_program(TRACEBOOK_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_HOME ENV CUDA_PATH
  PATHS /usr/local/cuda /opt/cuda PATH_SUFFIXES bin)
mark_as_advanced(TRACEBOOK_NVCC)
if(NOT TRACEBOOK_NVCC)
  _tracebook_without_cuda("no nvcc on PATH, in $CUDA_HOME or in /usr/local/cuda")
  return()
endif()

# enable_language() would stop AUTO too where nvcc does not take this host compiler: try it first.
if(NOT TRACEBOOK_NVCC_WORKS STREQUAL "${TRACEBOOK_NVCC} ${CMAKE_CXX_COMPILER}")
  file(WRITE "${PROJECT_BINARY_DIR}/CMakeFiles/nvcc_works.cu" "#include <string>\n")
  execute_process(
    COMMAND "${TRACEBOOK_NVCC}" -ccbin "${CMAKE_CXX_COMPILER}" -std=c++20 -arch=sm_80
            -c nvcc_works.cu -o nvcc_works.o
    WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/CMakeFiles"
    RESULT_VARIABLE result ERROR_VARIABLE output OUTPUT_VARIABLE output)
  if(NOT result EQUAL 0)
    _tracebook_without_cuda("${TRACEBOOK_NVCC} with ${CMAKE_CXX_COMPILER} compiles no C++20:\n${output}")
    return()
  endif()
  set(TRACEBOOK_NVCC_WORKS "${TRACEBOOK_NVCC} ${CMAKE_CXX_COMPILER}" CACHE INTERNAL "")
endif()

if(NOT CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER "${TRACEBOOK_NVCC}" CACHE FILEPATH "CUDA compiler")
endif()
find_package(CUDAToolkit QUIET)
if(NOT CUDAToolkit_FOUND OR CUDAToolkit_VERSION VERSION_LESS 12.4)
  _tracebook_without_cuda("the CUDA Toolkit at ${TRACEBOOK_NVCC} (${CUDAToolkit_VERSION}) is older than 12.4")
  return()
endif()

set(missing "")
foreach(library IN ITEMS cudart cublas cublasLt)
  if(NOT TARGET CUDA::${library})
    list(APPEND missing ${library})
  endif()
endforeach()
# CUPTI lies with the other libraries in some packagings and under extras/ in others.
find_path(TRACEBOOK_CUPTI_INCLUDE cupti.h
  HINTS "${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include" "${CUDAToolkit_TARGET_DIR}/extras/CUPTI/include"
        "${CUDAToolkit_BIN_DIR}/../extras/CUPTI/include" ${CUDAToolkit_INCLUDE_DIRS})
find_library(TRACEBOOK_CUPTI_LIBRARY cupti
  HINTS "${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/lib64" "${CUDAToolkit_TARGET_DIR}/extras/CUPTI/lib64"
        "${CUDAToolkit_BIN_DIR}/../extras/CUPTI/lib64" "${CUDAToolkit_LIBRARY_DIR}")
mark_as_advanced(TRACEBOOK_CUPTI_INCLUDE TRACEBOOK_CUPTI_LIBRARY)
if(NOT TRACEBOOK_CUPTI_INCLUDE OR NOT TRACEBOOK_CUPTI_LIBRARY)
  list(APPEND missing cupti)
endif()
foreach(header IN ITEMS cublas_v2.h cublasLt.h)
  find_path(TRACEBOOK_PATH_OF_${header} ${header} HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_CACHE)
  if(NOT TRACEBOOK_PATH_OF_${header})
    list(APPEND missing ${header})
  endif()
endforeach()
if(missing)
  list(JOIN missing ", " missing)
  _tracebook_without_cuda("the CUDA Toolkit ${CUDAToolkit_VERSION} lacks ${missing} (NVIDIA's packages \
libcublas-dev-<version> and cuda-cupti-dev-<version>)")
  return()
endif()

# Machine code for the GPUs that people have (A100; RTX 30; RTX 40, L4, L40; H100, H200), PTX for
# newer ones: translating PTX would show in the first step of a cold trace. Each entry costs about
# 0.3 s a file. 8.0 is the floor since bfloat16, the chapters' default, needs it. Never "native",
# which cannot be configured where there is no GPU.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES "80-real;86-real;89-real;90" CACHE STRING "GPUs to compile for")
endif()
if(NOT CMAKE_CUDA_HOST_COMPILER)
  set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}" CACHE FILEPATH "Host compiler of nvcc")
endif()
# CUDA::cudart would otherwise bring in the static runtime too.
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
enable_language(CUDA)

add_library(tracebook_cupti INTERFACE)
add_library(tracebook::cupti ALIAS tracebook_cupti)
target_include_directories(tracebook_cupti SYSTEM INTERFACE "${TRACEBOOK_CUPTI_INCLUDE}")
target_link_libraries(tracebook_cupti INTERFACE "${TRACEBOOK_CUPTI_LIBRARY}" CUDA::cudart)

set(TRACEBOOK_HAS_CUDA ON)
message(STATUS "CUDA: ${CUDAToolkit_VERSION}, for ${CMAKE_CUDA_ARCHITECTURES}")
