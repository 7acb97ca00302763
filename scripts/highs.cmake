# Optimise HiGHS as far as the profile in Cargo.toml says. Left alone, highs-sys asks for CMake's "Release", which is -O3
# for tests too, where building it takes longer than all that it ever solves.
if(DEFINED ENV{OPT_LEVEL})
    foreach(language C CXX)
        set(CMAKE_${language}_FLAGS_RELEASE "-O$ENV{OPT_LEVEL} -DNDEBUG" CACHE STRING "")
    endforeach()
endif()
