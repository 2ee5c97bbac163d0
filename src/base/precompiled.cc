// The translation unit that a set of precompiled headers needs; CMakeLists.txt lists the headers.
