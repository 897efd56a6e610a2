#=
Four edges of a graph with 2^40 vertices, from edge 10^12 on, through the C library.  It prints what
`rmat generate --scale 40 --edges 2T --first 1T --count 4 --format el -o -` prints.  Config repeats
rmat_config of rmat/rmat.h.  With the shared libraries of rmat in /usr/local/lib:

  LD_LIBRARY_PATH=/usr/local/lib julia edges.jl

This program has not been run yet: only its struct and its syntax have been checked.
=#
const librmat = "librmat_core.so"

mutable struct Config
    stream::Cint
    rows_scale::Cint
    cols_scale::Cint
    rows::UInt64
    cols::UInt64
    matrix::NTuple{4,Cdouble}
    levels::Ptr{Cvoid}
    noise::Cdouble
    permute::Cint
    no_self_loops::Cint
    symmetrize::Cint
    direction::Cint
    weights::Cint
    weight_min::Int32
    weight_max::Int32
    weight_low::Cfloat
    weight_high::Cfloat
    seed::UInt64
    seed2::UInt64
    first::UInt64
    edges::UInt64
    backend::Cint
    isa::Cint
    threads::Cint
    device::Cint
    stop::Ptr{Cvoid}
    stop_state::Ptr{Cvoid}
    function Config()
        config = new()
        ccall((:rmat_config_default, librmat), Cvoid, (Ref{Config},), config)
        return config
    end
end

function check(status)
    status == 0 || error(unsafe_string(ccall((:rmat_strerror, librmat), Cstring, (Cint,), status)))
end

config = Config()
config.rows_scale = config.cols_scale = 40
gen = Ref{Ptr{Cvoid}}(C_NULL)
check(ccall((:rmat_create, librmat), Cint, (Ref{Ptr{Cvoid}}, Ref{Config}), gen, config))
src = Vector{UInt64}(undef, 4)
dst = Vector{UInt64}(undef, 4)
check(ccall((:rmat_generate, librmat), Cint,
            (Ptr{Cvoid}, UInt64, UInt64, Ptr{UInt64}, Ptr{UInt64}),
            gen[], 1_000_000_000_000, 4, src, dst))
ccall((:rmat_destroy, librmat), Cvoid, (Ptr{Cvoid},), gen[])
for (s, d) in zip(src, dst)
    println(s, " ", d)
end
