/*
 * The file formats, one line each, in the order of help texts.
 *
 * GRAPHFILE_FORMAT(X, x) declares the constant GRAPHFILE_X of graphfile.h and enters the descriptor
 * graphfile_x_format into the table of formats.  The format's own file defines the descriptor.
 * There is no include guard: an including file defines GRAPHFILE_FORMAT first, for its purpose.
 * The list undefines it.
 */
GRAPHFILE_FORMAT(H5, h5)
GRAPHFILE_FORMAT(CSR, csr)
GRAPHFILE_FORMAT(EL, el)
GRAPHFILE_FORMAT(WEL, wel)
GRAPHFILE_FORMAT(TSV, tsv)
GRAPHFILE_FORMAT(CSV, csv)
GRAPHFILE_FORMAT(MTX, mtx)
GRAPHFILE_FORMAT(METIS, metis)
GRAPHFILE_FORMAT(BIN32, bin32)
GRAPHFILE_FORMAT(BIN64, bin64)
GRAPHFILE_FORMAT(GRAPH500, graph500)
GRAPHFILE_FORMAT(NPY, npy)
GRAPHFILE_FORMAT(PARQUET, parquet)
GRAPHFILE_FORMAT(ADJACENCY, adjacency)
GRAPHFILE_FORMAT(PARHIP, parhip)
GRAPHFILE_FORMAT(SG, sg)
GRAPHFILE_FORMAT(WSG, wsg)
#undef GRAPHFILE_FORMAT
