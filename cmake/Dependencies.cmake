# Libraries, all from Debian 12 (scripts/packages.txt). Found once here; each target links only what it uses.
find_package(Threads REQUIRED)
find_package(Eigen3 REQUIRED)
find_package(fmt REQUIRED)
find_package(TBB REQUIRED)  # threads of a search
find_library(ORRERY_SQLITE_ARCHIVE libsqlite3.a REQUIRED)  # static: the agent's library must not share a program's SQLite
add_library(orrery::sqlite INTERFACE IMPORTED)
target_link_libraries(orrery::sqlite INTERFACE ${ORRERY_SQLITE_ARCHIVE} Threads::Threads ${CMAKE_DL_LIBS} m)
find_package(SQLiteCpp REQUIRED)
set_target_properties(SQLiteCpp PROPERTIES INTERFACE_LINK_LIBRARIES orrery::sqlite)  # its own file names the shared one
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(simdjson REQUIRED)
find_package(ZLIB REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets Charts Svg Test)
