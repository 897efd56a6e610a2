#!/usr/bin/env bash
# What run.sh does, then the tests but those of large sizes, then those that meet hostile input, where some had no turn
# yet, under the address and undefined-behavior sanitizers, those of failing ranks among them.
# shellcheck disable=SC2034 # run.sh reads the arrays
packages=(check python3 python3-h5py python3-numpy libopenmpi-dev openmpi-bin)
optional=(hdf5-tools file iproute2 python3-scipy python3-networkx metis valgrind strace) # tests that need them are skipped without
options=(-DRMAT_BUILD_TESTS=ON -DRMAT_WITH_MPI=ON)
# Where no GPU can run the kernels they are only compiled, which is done sooner without optimizing,
# and for the architecture that has most code of its own.
nvidia-smi -L &>/dev/null || optimize=OFF CUDAARCHS=${CUDAARCHS:-90}
# shellcheck source=run.sh
. "$(dirname "$0")/run.sh"
cmake --install build --prefix build/installed >build/install.log # it needs no more than run.sh builds

# Threads that wait leave the processor to the other tests; many of these wait for disks or for other ranks.
export OMP_WAIT_POLICY=passive
jobs=$(($(nproc) + 4))

build build
ctest --test-dir build --output-on-failure -j$jobs -LE "slow|sanitized"

# gcc warns of impossible cases in instrumented code, so warnings are no errors here.
configure build-asan -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O1 \
    -DRMAT_SANITIZE=address,undefined -DRMAT_WERROR=OFF -DRMAT_BUILD_TESTS=ON -DRMAT_WITH_MPI=ON \
    -DRMAT_WITH_CUDA=OFF
build build-asan --target hostile
ctest --test-dir build-asan --output-on-failure -j$jobs -L hostile

# The program without MPI, as it is built on a bare machine, and as Debian packages; their checks of buffers (fortify)
# need some optimization.
configure build-alone -C apps/package/debian.cmake -DCMAKE_C_FLAGS_RELEASE="-O1 -DNDEBUG" -DRMAT_BUILD_TESTS=ON \
    -DRMAT_WITH_MPI=OFF -DRMAT_WITH_CUDA=OFF
build build-alone --target rmat_cli rmat_engine_shared
ctest --test-dir build-alone --output-on-failure -j$jobs -R '^(cli_(languages|failures|stop)|package)$'
