# Sets CMAKE_CUDA_ARCHITECTURES for the Python package, unless it or CUDAARCHS says them: pip compiles
# for the machine that it runs on, as run.sh does.  That is for the GPUs that are here; without one,
# for the oldest architecture that is supported, which runs on later ones, too.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE failed)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" CMAKE_CUDA_ARCHITECTURES "${capabilities}")
  string(REPLACE "." "" CMAKE_CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}")
  list(REMOVE_DUPLICATES CMAKE_CUDA_ARCHITECTURES)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80)
  endif()
endif()
