# Optimise HiGHS as far as the profile in Cargo.toml says. Left alone, highs-sys asks for CMake's "Release", which is -O3
# for tests too, where building it takes longer than all that it ever solves.
if(DEFINED ENV{OPT_LEVEL})
    foreach(language C CXX)
        set(CMAKE_${language}_FLAGS_RELEASE "-O$ENV{OPT_LEVEL} -DNDEBUG" CACHE STRING "")
    endforeach()
endif()
# Thirty files at a time: most of the time goes into reading the same headers again. With fifty, some names are there twice.
set(CMAKE_UNITY_BUILD ON CACHE BOOL "")
set(CMAKE_UNITY_BUILD_BATCH_SIZE 30 CACHE STRING "")
