# How every target of Orrery is made: one function for a library folder, one for a program, one for a test program.
# A folder's sources are all its *.cpp, so a new file needs no CMake edit; what a target may use is what it links.

add_library(orrery_options INTERFACE)
target_compile_options(orrery_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Werror)
target_include_directories(orrery_options INTERFACE ${PROJECT_SOURCE_DIR})
if(ORRERY_SANITIZER)
    target_compile_options(orrery_options INTERFACE -fsanitize=${ORRERY_SANITIZER} -fno-omit-frame-pointer
                                                    -fno-sanitize-recover=all)
    target_link_options(orrery_options INTERFACE -fsanitize=${ORRERY_SANITIZER})
endif()
find_program(ORRERY_MOLD mold)
if(ORRERY_MOLD)
    target_link_options(orrery_options INTERFACE -fuse-ld=mold)
endif()

# orrery_library(model LINKS Eigen3::Eigen): static library orrery_model, alias orrery::model, from this folder's *.cpp
function(orrery_library name)
    cmake_parse_arguments(ARG "" "" "LINKS;PRIVATE_LINKS" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
    if(NOT sources)
        add_library(orrery_${name} INTERFACE)
        add_library(orrery::${name} ALIAS orrery_${name})
        target_link_libraries(orrery_${name} INTERFACE orrery_options ${ARG_LINKS})
        return()
    endif()
    add_library(orrery_${name} STATIC ${sources})
    add_library(orrery::${name} ALIAS orrery_${name})
    target_link_libraries(orrery_${name} PUBLIC orrery_options ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
endfunction()

# orrery_program(orrery LINKS orrery::data): executable from this folder's *.cpp
function(orrery_program name)
    cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
    add_executable(${name} ${sources})
    target_link_libraries(${name} PRIVATE orrery_options ${ARG_LINKS})
endfunction()

# orrery_tests(model LINKS orrery::model): Catch2 program from tests/model/*.cpp, every TEST_CASE a ctest of its own
# (so no name may begin with '-': Catch2 would read it as an option)
function(orrery_tests folder)
    cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(FILTER sources EXCLUDE REGEX "/programs/")  # programs that tests start, each with a main of its own
    if(NOT sources)
        return()
    endif()
    add_executable(${folder}_tests ${sources})
    target_link_libraries(${folder}_tests PRIVATE orrery_test_support ${ARG_LINKS})
    target_compile_definitions(${folder}_tests PRIVATE ORRERY_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
                               ORRERY_LIB_DIR="${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" ORRERY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    catch_discover_tests(${folder}_tests TEST_PREFIX "${folder}: " PROPERTIES TIMEOUT 300)
endfunction()

# orrery_embed(orrery_data kSchemaSql store/schema.sql): the file's text as a std::string_view in namespace orrery
function(orrery_embed target symbol file)
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp)
    add_custom_command(OUTPUT ${generated}
        COMMAND ${CMAKE_COMMAND} -DIN=${CMAKE_CURRENT_SOURCE_DIR}/${file} -DOUT=${generated} -DNAME=${symbol}
                -P ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
        DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake)
    target_sources(${target} PRIVATE ${generated})
endfunction()

# orrery_embed_folder(orrery_data kCatalogFiles catalog): the folder's TOML and JSON files inside the program
function(orrery_embed_folder target symbol folder)
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cpp)
    set(root ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
    file(GLOB files CONFIGURE_DEPENDS ${root}/*/*.toml ${root}/*/*.json)
    string(MD5 listing "${files}")  # part of the command, so that a file that went away is noticed, too
    add_custom_command(OUTPUT ${generated}
        COMMAND ${CMAKE_COMMAND} -DROOT=${root} -DOUT=${generated} -DNAME=${symbol} -DLISTING=${listing}
                -P ${PROJECT_SOURCE_DIR}/cmake/EmbedFolder.cmake
        DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/EmbedFolder.cmake)
    target_sources(${target} PRIVATE ${generated})
endfunction()
