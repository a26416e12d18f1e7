# cmake -DROOT=folder -DOUT=file.cpp -DNAME=kSymbol -P EmbedFolder.cmake: every *.toml and *.json in the folders below
# ROOT as {name, text} pairs in `extern const std::span<const EmbeddedFile>` of namespace orrery.
file(GLOB files RELATIVE ${ROOT} ${ROOT}/*/*.toml ${ROOT}/*/*.json)
list(SORT files)
set(entries "")
foreach(file IN LISTS files)
    file(READ ${ROOT}/${file} text)
    string(APPEND entries "    {\"${file}\", R\"orrery_text(${text})orrery_text\"},\n")
endforeach()
file(WRITE ${OUT} "#include \"data/catalog/embedded_file.hpp\"\nnamespace orrery {\nnamespace {\nconst EmbeddedFile kFiles[] = {\n${entries}};\n}\nextern const std::span<const EmbeddedFile> ${NAME};\nconst std::span<const EmbeddedFile> ${NAME}(kFiles);\n}\n")
