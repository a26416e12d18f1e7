// fmt's compiled half as part of this library. Debian ships it as a shared object only, and a node of a cluster may
// have another one or none: the library must not depend on it (see CMakeLists.txt).
#include <fmt/format-inl.h>

template FMT_API auto fmt::detail::thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto fmt::detail::decimal_point_impl(locale_ref) -> char;
