# Sets CMAKE_CUDA_ARCHITECTURES, the GPUs that kernels are compiled for, unless the caller or the environment variable
# CUDAARCHS sets it.  The default is this machine's GPUs.  If nvidia-smi finds none, no kernel could run here: AUTO for
# RMAT_WITH_CUDA becomes OFF, and with ON the kernels are compiled for all GPUs of a package.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE failed)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" architectures "${capabilities}")
  string(REPLACE "." "" architectures "${architectures}")
  list(REMOVE_DUPLICATES architectures)
  if(architectures)
    set(CMAKE_CUDA_ARCHITECTURES ${architectures})
  elseif(RMAT_WITH_CUDA STREQUAL "ON")
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 90-virtual)
  else()
    set(RMAT_WITH_CUDA OFF)
    message(NOTICE "This machine has no GPU, so CUDA is left out. CUDAARCHS=90 ./run.sh compiles the kernels for H100 and H200.")
  endif()
endif()
