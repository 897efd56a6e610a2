# Decides for which GPUs kernels are compiled: CMAKE_CUDA_ARCHITECTURES, unless the caller or the environment variable
# CUDAARCHS sets it.  That is the GPUs of this machine; where nvidia-smi finds none, nobody can run a kernel here, so
# RMAT_WITH_CUDA, if it is AUTO, becomes OFF.  With ON, the kernels are for all that a package is for.
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
