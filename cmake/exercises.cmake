# SPDX-License-Identifier: Apache-2.0
#
# The checker of exercises is CTest: for each chapter an entry exercises/NN_questions, for each SQL
# and code exercise that exercises.json lists an entry exercises/NN_NAME. Labels: exercise, chapterNN.
# What is not started is skipped with its reason, what is wrong or does not run fails with the command
# for the next hint, and one that is not there fails with the command that puts it back.
#
# Code exercises are programs that nothing builds but what judges them: a student's file may well
# not compile. Targets, each a program of that name in bin/exercises/:
#   exercise_08_true_fusion   from exercises/08_addmm_fusion/true_fusion.cu
#   solution_…, wrong_…       from exercises/solutions/, where it is: the solution, the planted wrong one
#   skeleton_…                from what the solution leaves to the student
#   code_exercises            all solutions, planted wrong ones and skeletons; nothing without CUDA

# _tracebook_exercise_program(solution_08_true_fusion FILE)
function(_tracebook_exercise_program target source)
  set(own_text "${PROJECT_BINARY_DIR}/exercise_sources/${target}.cpp")
  add_custom_command(OUTPUT "${own_text}"
    COMMAND "${CMAKE_COMMAND}" -D "SOURCE=${source}" -D "OUTPUT=${own_text}"
      -P "${PROJECT_SOURCE_DIR}/cmake/embed_source.cmake"
    DEPENDS "${source}" "${PROJECT_SOURCE_DIR}/cmake/embed_source.cmake" VERBATIM)
  add_executable(${target} EXCLUDE_FROM_ALL "${source}" "${own_text}")
  target_link_libraries(${target} PRIVATE tracebook_options)
  _tracebook_link(${target} PRIVATE gpu profiler)
  target_link_libraries(${target} PRIVATE tracebook::workbook)
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin/exercises" BUILD_RPATH "$ORIGIN/..")
endfunction()

# _tracebook_listed_exercises(OUT FOLDER): the files that its exercises.json names, with the folder
# before them, whether they are there or not.
function(_tracebook_listed_exercises out folder)
  set(files "")
  set(list "${PROJECT_SOURCE_DIR}/${folder}/exercises.json")
  if(EXISTS "${list}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}")
    file(STRINGS "${list}" lines REGEX "^ *\"file\": *\"")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^ *\"file\": *\"([^\"]*)\".*" "${folder}/\\1" line "${line}")
      list(APPEND files "${line}")
    endforeach()
  endif()
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

add_custom_target(code_exercises)
if(TRACEBOOK_HAS_CUDA)
  # All that are there: a target does no harm, but one without a source would stop CMake.
  file(GLOB programs CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/exercises/[0-9][0-9]_*/*.cu")
  file(GLOB solutions CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/exercises/solutions/[0-9][0-9]_*/*.cu")
  # What only tests run is compiled once, not for each GPU: its own code is the CPU's.
  set(checked_for CUDA_ARCHITECTURES "80-virtual")
  foreach(program IN LISTS programs solutions)
    cmake_path(GET program PARENT_PATH folder)
    cmake_path(GET folder FILENAME chapter)
    string(SUBSTRING "${chapter}" 0 2 number)
    cmake_path(GET program STEM name)
    if(program IN_LIST programs)
      _tracebook_exercise_program(exercise_${number}_${name} "${program}")
    else()
      _tracebook_exercise_program(solution_${number}_${name} "${program}")
      # A skeleton begun as cmake/live.sh begins it, since as it is it would be "not started".
      set(made "${PROJECT_BINARY_DIR}/made_exercises")
      set(skeleton "${made}/skeletons/${chapter}/${name}.cu")
      set(wrong "${made}/wrong/${chapter}/${name}.wrong.cu")
      add_custom_command(OUTPUT "${skeleton}" "${wrong}"
        COMMAND "${CMAKE_COMMAND}" -E make_directory "${made}/skeletons/${chapter}" "${made}/wrong/${chapter}"
        COMMAND tracebook exercise --skeleton "${program}" > "${skeleton}"
        COMMAND "${CMAKE_COMMAND}" -E echo "static_assert(true)$<SEMICOLON>" >> "${skeleton}"
        COMMAND tracebook exercise --wrong "${program}" > "${wrong}"
        DEPENDS "${program}" tracebook VERBATIM)
      _tracebook_exercise_program(skeleton_${number}_${name} "${skeleton}")
      _tracebook_exercise_program(wrong_${number}_${name} "${wrong}")
      set(checked solution_${number}_${name} skeleton_${number}_${name} wrong_${number}_${name})
      # Two targets use what one command makes: it must not run twice at once.
      add_dependencies(wrong_${number}_${name} skeleton_${number}_${name})
      set_target_properties(${checked} PROPERTIES ${checked_for})
      add_dependencies(code_exercises ${checked})
    endif()
  endforeach()
endif()

if(TRACEBOOK_TESTS)
  file(GLOB lab_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
       "exercises/[0-9][0-9]_*/questions.json")
  foreach(sheet IN LISTS lab_files)
    cmake_path(GET sheet PARENT_PATH folder)
    _tracebook_listed_exercises(listed "${folder}")
    list(APPEND lab_files ${listed})
  endforeach()
  foreach(lab_file IN LISTS lab_files)
    string(REGEX MATCH "[0-9][0-9]" number "${lab_file}")
    cmake_path(GET lab_file STEM name)
    cmake_path(GET lab_file EXTENSION kind)
    set(test exercises/${number}_${name})
    if(name STREQUAL "questions")
      add_test(NAME ${test} COMMAND tracebook quiz ${number} --check
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    else()
      add_test(NAME ${test}
        COMMAND sh cmake/check_exercise.sh $<TARGET_FILE:tracebook> "${lab_file}"
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    endif()
    set_tests_properties(${test} PROPERTIES
      SKIP_RETURN_CODE 77 LABELS "exercise;chapter${number}")
    if(kind STREQUAL ".cu")
      # One after the other: they build in one folder, and run on one GPU.
      set_tests_properties(${test} PROPERTIES RESOURCE_LOCK "gpu;build_folder" TIMEOUT 900)
    endif()
  endforeach()
  if(TRACEBOOK_HAS_CUDA AND solutions)
    add_test(NAME lab/code_exercises_compile
      COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}" --target code_exercises)
    set_tests_properties(lab/code_exercises_compile PROPERTIES RESOURCE_LOCK build_folder)
  endif()
endif()
