// What the GPU sweep calls of the CUDA driver and of cuBLAS, opened at run time: no CUDA toolkit is needed to build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace orrery::bench {

/// The CUDA driver API; results are CUresult, 0 is success.
struct Driver {
    int (*init)(unsigned flags) = nullptr;
    int (*deviceGet)(int* device, int ordinal) = nullptr;
    int (*deviceGetName)(char* name, int size, int device) = nullptr;
    int (*retainContext)(void** context, int device) = nullptr;
    int (*setContext)(void* context) = nullptr;
    int (*allocate)(std::uint64_t* memory, std::size_t bytes) = nullptr;
    int (*release)(std::uint64_t memory) = nullptr;
    int (*fill)(std::uint64_t memory, unsigned char value, std::size_t bytes) = nullptr;
    int (*copy)(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) = nullptr;
    int (*eventCreate)(void** event, unsigned flags) = nullptr;
    int (*eventRecord)(void* event, void* stream) = nullptr;
    int (*eventSynchronize)(void* event) = nullptr;
    int (*eventElapsed)(float* milliseconds, void* begin, void* end) = nullptr;
};

/// cuBLAS; results are cublasStatus_t, 0 is success.
struct Blas {
    int (*create)(void** handle) = nullptr;
    int (*version)(void* handle, int* version) = nullptr;
    int (*gemm)(void* handle, int transposeA, int transposeB, int m, int n, int k, const void* alpha, const void* a,
                int typeA, int lda, const void* b, int typeB, int ldb, const void* beta, void* c, int typeC, int ldc,
                int computeType, int algorithm) = nullptr;
};

/// Throw InputError that names what is missing and the mend.
[[nodiscard]] Driver openDriver();
[[nodiscard]] Blas openBlas();

}  // namespace orrery::bench
