# Writes HEADERS of the tree SOURCE, and every header that these include, to DESTINATION/mxk as a user sees them:
#
#     base/units.hpp           mxk/base/units.hpp
#     arch/cpu.hpp             mxk/arch/cpu.hpp        (the seam: Linux's; so base/preemption.hpp)
#     main/library/runtime.hpp mxk/runtime.hpp
#     main/cluster/cluster.hpp mxk/cluster/cluster.hpp
#
# In the tree headers include each other from its root; names as short as base/ would collide with a user's folders.
cmake_minimum_required(VERSION 3.25)
set(queue ${HEADERS})
set(staged)
file(REMOVE_RECURSE ${DESTINATION}/mxk)
while(queue)
    list(POP_FRONT queue header)
    if(header IN_LIST staged)
        continue()
    endif()
    list(APPEND staged ${header})

    set(file ${SOURCE}/${header})
    if(header MATCHES "^(arch|base)/" AND NOT EXISTS ${file})
        set(file ${SOURCE}/arch/linux/${header})
    endif()
    if(header MATCHES "^thread_backend/")
        set(file ${SOURCE}/tasks/threads/posix/${header})
    endif()
    if(NOT EXISTS ${file})
        message(FATAL_ERROR "the library's headers include ${header}, which is not in ${SOURCE}")
    endif()

    file(READ ${file} text)
    string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${text}")
    list(TRANSFORM includes REPLACE "#include \"([^\"]+)\"" "\\1")
    list(APPEND queue ${includes})
    string(REGEX REPLACE "#include \"main/(library/|)([^\"]+)\"" "#include \"mxk/\\2\"" text "${text}")
    string(REGEX REPLACE "#include \"(arch|base|kernel|tasks|hashtable|locks|query|thread_backend)/([^\"]+)\"" "#include \"mxk/\\1/\\2\"" text "${text}")
    string(REGEX REPLACE "^main/(library/)?" "" name ${header})
    file(WRITE ${DESTINATION}/mxk/${name} "${text}")
endwhile()
