# bench_rmat at tiny sizes: it runs, its JSON has what the tables of results are made from, it leaves
# no files, and it refuses bad options with one line.  No figure is judged here.
file(REMOVE_RECURSE ${DIR})
file(MAKE_DIRECTORY ${DIR})

execute_process(COMMAND ${BENCH} --scales 5,33 --threads 1,2 --isa generic --edges 3000 --runs 3
  --file-bytes 5M --dir ${DIR} RESULT_VARIABLE code OUTPUT_VARIABLE json ERROR_VARIABLE table)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "exit ${code}: ${table}")
endif()
file(GLOB left ${DIR}/*)
if(left)
  message(FATAL_ERROR "left behind: ${left}")
endif()

function(expect what value)
  string(JSON got GET "${json}" ${ARGN})
  if(NOT got ${what} ${value})
    message(FATAL_ERROR "${ARGN}: ${got}, expected ${what} ${value}\n${json}")
  endif()
endfunction()

expect(STREQUAL bench_rmat benchmark)
expect(GREATER 0 machine cores)
string(JSON rows LENGTH "${json}" memory)
if(NOT rows EQUAL 9) # (scale 5 at 32 and 64 bits, scale 33 at 64) x (1 thread, 2 threads, blocks)
  message(FATAL_ERROR "${rows} rows in memory\n${json}")
endif()
foreach(row RANGE 8)
  expect(STREQUAL generic memory ${row} isa)
  expect(GREATER 0 memory ${row} edges_per_second)
endforeach()
expect(GREATER 0 memory 1 speedup)
expect(EQUAL 2 memory 1 threads)
expect(STREQUAL block memory 8 mode)
expect(EQUAL 33 memory 8 scale)
string(JSON rows LENGTH "${json}" options)
if(NOT rows EQUAL 39) # 13 models x (scale 5 at 32 and 64 bits, scale 33 at 64)
  message(FATAL_ERROR "${rows} rows of options\n${json}")
endif()
expect(STREQUAL plain options 26 model)
expect(GREATER 0 options 38 time_over_plain)
expect(GREATER 0 fingerprint 0 edges_per_second)
expect(GREATER 0 fingerprint 1 edges_per_second)
expect(EQUAL 4997120 file bytes) # 2 x 610 pages
expect(GREATER 0 file ratio_median)
expect(GREATER 0 file ratios 2)

foreach(bad "--scales=0" "--scales=63" "--scales=5,,6" "--scales=" "--threads=0" "--isa=mmx" "--backend=tpu"
    "--isa=generic,generic,generic,generic" "--edges=0" "--edges=1e6x" "--edges=1e-6" "--runs=0" "--file-bytes=4095"
    "--dir=${DIR}/missing" "--nonsense" "--runs" "operand")
  execute_process(COMMAND ${BENCH} ${bad} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT code EQUAL 2 OR NOT out STREQUAL "" OR NOT err MATCHES "^[^\n]+\n$")
    message(FATAL_ERROR "${bad}: exit ${code}, stdout '${out}', stderr '${err}'")
  endif()
endforeach()

execute_process(COMMAND ${BENCH} --json=${DIR}/missing/x RESULT_VARIABLE code OUTPUT_VARIABLE out
  ERROR_VARIABLE err)
if(NOT code EQUAL 1 OR NOT out STREQUAL "" OR NOT err MATCHES "^[^\n]+\n$")
  message(FATAL_ERROR "--json in a missing folder: exit ${code}, stdout '${out}', stderr '${err}'")
endif()
