/*
 * library.h - the functions and ids of HDF5 that io/ uses, when HDF5 is not linked but loaded when
 * the first file needs it (RMAT_HDF5_AT_RUNTIME).  Private; for private.h, behind <hdf5.h>.
 *
 * The names stand for entries of a table, which library.c fills.  What is missing here the linker
 * misses.  The types are those of HDF5's headers, in the versions that CMakeLists.txt asks for:
 * those have the same layout in all releases that library.c accepts.
 */
#ifndef IO_HDF5_LIBRARY_H
#define IO_HDF5_LIBRARY_H

/* clang-format off */
#define EDGEFILE_HDF5_FUNCTIONS(X) \
    X(H5Aclose) X(H5Acreate2) X(H5Aexists) X(H5Aget_space) X(H5Aget_type) X(H5Aiterate2) \
    X(H5Aopen) X(H5Aread) X(H5Awrite) X(H5Dclose) X(H5Dcreate2) \
    X(H5Dget_create_plist) X(H5Dget_num_chunks) X(H5Dget_offset) X(H5Dget_space) X(H5Dget_type) \
    X(H5Dopen2) X(H5Dread) X(H5Dwrite) X(H5Dwrite_chunk) X(H5Eget_auto2) \
    X(H5Eset_auto2) X(H5Ewalk2) X(H5Fclose) X(H5Fcreate) \
    X(H5Fopen) X(H5Gget_info) X(H5Iget_type) X(H5Lexists) X(H5Lget_info) \
    X(H5Lget_name_by_idx) X(H5Oclose) X(H5Oopen) X(H5Ovisit) X(H5Pclose) X(H5Pcreate) \
    X(H5Pget_chunk) X(H5Pget_external_count) X(H5Pget_filter2) \
    X(H5Pget_layout) X(H5Pget_nfilters) X(H5Pset_alignment) X(H5Pset_alloc_time) \
    X(H5Pset_attr_phase_change) X(H5Pset_chunk) X(H5Pset_chunk_cache) X(H5Pset_deflate) \
    X(H5Pset_elink_cb) X(H5Pset_fapl_sec2) X(H5Pset_file_locking) X(H5Pset_fill_time) \
    X(H5Pset_fill_value) X(H5Pset_layout) X(H5Pset_libver_bounds) \
    X(H5Pset_obj_track_times) X(H5Pset_shuffle) X(H5Pset_virtual) X(H5Sclose) X(H5Screate) \
    X(H5Screate_simple) X(H5Sget_simple_extent_dims) X(H5Sget_simple_extent_ndims) \
    X(H5Sget_simple_extent_npoints) X(H5Sget_simple_extent_type) X(H5Sselect_all) \
    X(H5Sselect_hyperslab) X(H5Sselect_none) X(H5Tclose) X(H5Tcopy) X(H5Tequal) X(H5Tget_class) \
    X(H5Tget_cset) X(H5Tget_precision) X(H5Tget_sign) X(H5Tget_size) X(H5Tis_variable_str) \
    X(H5Tset_cset) X(H5Tset_size) X(H5Zfilter_avail) \
    X(H5dont_atexit) X(H5free_memory) X(H5get_libversion) X(H5open) X(H5set_free_list_limits)

/* Variables, which HDF5 sets when it begins. */
#define EDGEFILE_HDF5_IDS(X) \
    X(H5E_BADFILE_g) X(H5E_CANTALLOC_g) X(H5E_CANTCLOSEFILE_g) X(H5E_CANTGET_g) X(H5E_CANTINIT_g) \
    X(H5E_CANTLOCKFILE_g) X(H5E_CANTOPENFILE_g) X(H5E_FILE_g) X(H5E_IO_g) X(H5E_NOSPACE_g) \
    X(H5E_READERROR_g) X(H5E_RESOURCE_g) X(H5P_CLS_DATASET_ACCESS_ID_g) \
    X(H5P_CLS_DATASET_CREATE_ID_g) X(H5P_CLS_FILE_ACCESS_ID_g) X(H5P_CLS_FILE_CREATE_ID_g) \
    X(H5T_C_S1_g) X(H5T_IEEE_F32BE_g) X(H5T_IEEE_F32LE_g) X(H5T_NATIVE_DOUBLE_g) \
    X(H5T_NATIVE_FLOAT_g) X(H5T_NATIVE_INT32_g) X(H5T_NATIVE_INT64_g) X(H5T_NATIVE_UINT32_g) \
    X(H5T_NATIVE_UINT64_g) X(H5T_NATIVE_UINT8_g) X(H5T_STD_I32BE_g) X(H5T_STD_I32LE_g) \
    X(H5T_STD_U8BE_g) X(H5T_STD_U8LE_g)
/* clang-format on */

typedef struct {
#define EDGEFILE_HDF5_ENTRY(name) __typeof__(name) *p_##name;
    EDGEFILE_HDF5_FUNCTIONS(EDGEFILE_HDF5_ENTRY)
    EDGEFILE_HDF5_IDS(EDGEFILE_HDF5_ENTRY)
#undef EDGEFILE_HDF5_ENTRY
} edgefile_hdf5_table;

/* To be used between edgefile_hdf5_begin() and edgefile_hdf5_end(), once HDF5 is loaded. */
extern edgefile_hdf5_table edgefile_hdf5;

/* The headers' constants would have HDF5 begin, and end the process unless its version is the
 * headers' own.  library.c has it begin once, and checks the version. */
#undef H5OPEN
#define H5OPEN
#undef H5CHECK
#define H5CHECK

/* The latest that all releases know. */
#undef H5F_LIBVER_LATEST
#define H5F_LIBVER_LATEST H5F_LIBVER_V110

/* In later releases these are macros. */
#undef H5Lget_info
#undef H5Ovisit

#define H5Aclose                     (*edgefile_hdf5.p_H5Aclose)
#define H5Acreate2                   (*edgefile_hdf5.p_H5Acreate2)
#define H5Aexists                    (*edgefile_hdf5.p_H5Aexists)
#define H5Aget_space                 (*edgefile_hdf5.p_H5Aget_space)
#define H5Aget_type                  (*edgefile_hdf5.p_H5Aget_type)
#define H5Aiterate2                  (*edgefile_hdf5.p_H5Aiterate2)
#define H5Aopen                      (*edgefile_hdf5.p_H5Aopen)
#define H5Aread                      (*edgefile_hdf5.p_H5Aread)
#define H5Awrite                     (*edgefile_hdf5.p_H5Awrite)
#define H5Dclose                     (*edgefile_hdf5.p_H5Dclose)
#define H5Dcreate2                   (*edgefile_hdf5.p_H5Dcreate2)
#define H5Dget_create_plist          (*edgefile_hdf5.p_H5Dget_create_plist)
#define H5Dget_num_chunks            (*edgefile_hdf5.p_H5Dget_num_chunks)
#define H5Dget_offset                (*edgefile_hdf5.p_H5Dget_offset)
#define H5Dget_space                 (*edgefile_hdf5.p_H5Dget_space)
#define H5Dget_type                  (*edgefile_hdf5.p_H5Dget_type)
#define H5Dopen2                     (*edgefile_hdf5.p_H5Dopen2)
#define H5Dread                      (*edgefile_hdf5.p_H5Dread)
#define H5Dwrite                     (*edgefile_hdf5.p_H5Dwrite)
#define H5Dwrite_chunk               (*edgefile_hdf5.p_H5Dwrite_chunk)
#define H5Eget_auto2                 (*edgefile_hdf5.p_H5Eget_auto2)
#define H5Eset_auto2                 (*edgefile_hdf5.p_H5Eset_auto2)
#define H5Ewalk2                     (*edgefile_hdf5.p_H5Ewalk2)
#define H5Fclose                     (*edgefile_hdf5.p_H5Fclose)
#define H5Fcreate                    (*edgefile_hdf5.p_H5Fcreate)
#define H5Fopen                      (*edgefile_hdf5.p_H5Fopen)
#define H5Gget_info                  (*edgefile_hdf5.p_H5Gget_info)
#define H5Iget_type                  (*edgefile_hdf5.p_H5Iget_type)
#define H5Lexists                    (*edgefile_hdf5.p_H5Lexists)
#define H5Lget_info                  (*edgefile_hdf5.p_H5Lget_info)
#define H5Lget_name_by_idx           (*edgefile_hdf5.p_H5Lget_name_by_idx)
#define H5Oclose                     (*edgefile_hdf5.p_H5Oclose)
#define H5Oopen                      (*edgefile_hdf5.p_H5Oopen)
#define H5Ovisit                     (*edgefile_hdf5.p_H5Ovisit)
#define H5Pclose                     (*edgefile_hdf5.p_H5Pclose)
#define H5Pcreate                    (*edgefile_hdf5.p_H5Pcreate)
#define H5Pget_chunk                 (*edgefile_hdf5.p_H5Pget_chunk)
#define H5Pget_external_count        (*edgefile_hdf5.p_H5Pget_external_count)
#define H5Pget_filter2               (*edgefile_hdf5.p_H5Pget_filter2)
#define H5Pget_layout                (*edgefile_hdf5.p_H5Pget_layout)
#define H5Pget_nfilters              (*edgefile_hdf5.p_H5Pget_nfilters)
#define H5Pset_alignment             (*edgefile_hdf5.p_H5Pset_alignment)
#define H5Pset_alloc_time            (*edgefile_hdf5.p_H5Pset_alloc_time)
#define H5Pset_attr_phase_change     (*edgefile_hdf5.p_H5Pset_attr_phase_change)
#define H5Pset_chunk                 (*edgefile_hdf5.p_H5Pset_chunk)
#define H5Pset_chunk_cache           (*edgefile_hdf5.p_H5Pset_chunk_cache)
#define H5Pset_deflate               (*edgefile_hdf5.p_H5Pset_deflate)
#define H5Pset_elink_cb              (*edgefile_hdf5.p_H5Pset_elink_cb)
#define H5Pset_fapl_sec2             (*edgefile_hdf5.p_H5Pset_fapl_sec2)
#define H5Pset_file_locking          (*edgefile_hdf5.p_H5Pset_file_locking)
#define H5Pset_fill_time             (*edgefile_hdf5.p_H5Pset_fill_time)
#define H5Pset_fill_value            (*edgefile_hdf5.p_H5Pset_fill_value)
#define H5Pset_layout                (*edgefile_hdf5.p_H5Pset_layout)
#define H5Pset_libver_bounds         (*edgefile_hdf5.p_H5Pset_libver_bounds)
#define H5Pset_obj_track_times       (*edgefile_hdf5.p_H5Pset_obj_track_times)
#define H5Pset_shuffle               (*edgefile_hdf5.p_H5Pset_shuffle)
#define H5Pset_virtual               (*edgefile_hdf5.p_H5Pset_virtual)
#define H5Sclose                     (*edgefile_hdf5.p_H5Sclose)
#define H5Screate                    (*edgefile_hdf5.p_H5Screate)
#define H5Screate_simple             (*edgefile_hdf5.p_H5Screate_simple)
#define H5Sget_simple_extent_dims    (*edgefile_hdf5.p_H5Sget_simple_extent_dims)
#define H5Sget_simple_extent_ndims   (*edgefile_hdf5.p_H5Sget_simple_extent_ndims)
#define H5Sget_simple_extent_npoints (*edgefile_hdf5.p_H5Sget_simple_extent_npoints)
#define H5Sget_simple_extent_type    (*edgefile_hdf5.p_H5Sget_simple_extent_type)
#define H5Sselect_all                (*edgefile_hdf5.p_H5Sselect_all)
#define H5Sselect_hyperslab          (*edgefile_hdf5.p_H5Sselect_hyperslab)
#define H5Sselect_none               (*edgefile_hdf5.p_H5Sselect_none)
#define H5Tclose                     (*edgefile_hdf5.p_H5Tclose)
#define H5Tcopy                      (*edgefile_hdf5.p_H5Tcopy)
#define H5Tequal                     (*edgefile_hdf5.p_H5Tequal)
#define H5Tget_class                 (*edgefile_hdf5.p_H5Tget_class)
#define H5Tget_cset                  (*edgefile_hdf5.p_H5Tget_cset)
#define H5Tget_precision             (*edgefile_hdf5.p_H5Tget_precision)
#define H5Tget_sign                  (*edgefile_hdf5.p_H5Tget_sign)
#define H5Tget_size                  (*edgefile_hdf5.p_H5Tget_size)
#define H5Tis_variable_str           (*edgefile_hdf5.p_H5Tis_variable_str)
#define H5Tset_cset                  (*edgefile_hdf5.p_H5Tset_cset)
#define H5Tset_size                  (*edgefile_hdf5.p_H5Tset_size)
#define H5Zfilter_avail              (*edgefile_hdf5.p_H5Zfilter_avail)
#define H5dont_atexit                (*edgefile_hdf5.p_H5dont_atexit)
#define H5free_memory                (*edgefile_hdf5.p_H5free_memory)
#define H5get_libversion             (*edgefile_hdf5.p_H5get_libversion)
#define H5open                       (*edgefile_hdf5.p_H5open)
#define H5set_free_list_limits       (*edgefile_hdf5.p_H5set_free_list_limits)
#define H5E_BADFILE_g                (*edgefile_hdf5.p_H5E_BADFILE_g)
#define H5E_CANTALLOC_g              (*edgefile_hdf5.p_H5E_CANTALLOC_g)
#define H5E_CANTCLOSEFILE_g          (*edgefile_hdf5.p_H5E_CANTCLOSEFILE_g)
#define H5E_CANTGET_g                (*edgefile_hdf5.p_H5E_CANTGET_g)
#define H5E_CANTINIT_g               (*edgefile_hdf5.p_H5E_CANTINIT_g)
#define H5E_CANTLOCKFILE_g           (*edgefile_hdf5.p_H5E_CANTLOCKFILE_g)
#define H5E_CANTOPENFILE_g           (*edgefile_hdf5.p_H5E_CANTOPENFILE_g)
#define H5E_FILE_g                   (*edgefile_hdf5.p_H5E_FILE_g)
#define H5E_IO_g                     (*edgefile_hdf5.p_H5E_IO_g)
#define H5E_NOSPACE_g                (*edgefile_hdf5.p_H5E_NOSPACE_g)
#define H5E_READERROR_g              (*edgefile_hdf5.p_H5E_READERROR_g)
#define H5E_RESOURCE_g               (*edgefile_hdf5.p_H5E_RESOURCE_g)
#define H5P_CLS_DATASET_ACCESS_ID_g  (*edgefile_hdf5.p_H5P_CLS_DATASET_ACCESS_ID_g)
#define H5P_CLS_DATASET_CREATE_ID_g  (*edgefile_hdf5.p_H5P_CLS_DATASET_CREATE_ID_g)
#define H5P_CLS_FILE_ACCESS_ID_g     (*edgefile_hdf5.p_H5P_CLS_FILE_ACCESS_ID_g)
#define H5P_CLS_FILE_CREATE_ID_g     (*edgefile_hdf5.p_H5P_CLS_FILE_CREATE_ID_g)
#define H5T_C_S1_g                   (*edgefile_hdf5.p_H5T_C_S1_g)
#define H5T_IEEE_F32BE_g             (*edgefile_hdf5.p_H5T_IEEE_F32BE_g)
#define H5T_IEEE_F32LE_g             (*edgefile_hdf5.p_H5T_IEEE_F32LE_g)
#define H5T_NATIVE_DOUBLE_g          (*edgefile_hdf5.p_H5T_NATIVE_DOUBLE_g)
#define H5T_NATIVE_FLOAT_g           (*edgefile_hdf5.p_H5T_NATIVE_FLOAT_g)
#define H5T_NATIVE_INT32_g           (*edgefile_hdf5.p_H5T_NATIVE_INT32_g)
#define H5T_NATIVE_INT64_g           (*edgefile_hdf5.p_H5T_NATIVE_INT64_g)
#define H5T_NATIVE_UINT32_g          (*edgefile_hdf5.p_H5T_NATIVE_UINT32_g)
#define H5T_NATIVE_UINT64_g          (*edgefile_hdf5.p_H5T_NATIVE_UINT64_g)
#define H5T_NATIVE_UINT8_g           (*edgefile_hdf5.p_H5T_NATIVE_UINT8_g)
#define H5T_STD_I32BE_g              (*edgefile_hdf5.p_H5T_STD_I32BE_g)
#define H5T_STD_I32LE_g              (*edgefile_hdf5.p_H5T_STD_I32LE_g)
#define H5T_STD_U8BE_g               (*edgefile_hdf5.p_H5T_STD_U8BE_g)
#define H5T_STD_U8LE_g               (*edgefile_hdf5.p_H5T_STD_U8LE_g)

#endif
