# cmake -DIN=file -DOUT=file.cpp -DNAME=kSymbol -P EmbedText.cmake: a text file as `extern const std::string_view` in namespace orrery.
file(READ ${IN} text)
file(WRITE ${OUT} "#include <string_view>\nnamespace orrery {\nextern const std::string_view ${NAME};\nconst std::string_view ${NAME} = R\"orrery_text(${text})orrery_text\";\n}\n")
