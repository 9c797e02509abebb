# Writes HEADER with what this build is: the revision of SOURCE as it stands now, and COMPILER. Touches the file only if
# that has changed, so that nothing is compiled again for it.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=10
                OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(revision STREQUAL "")
    set(revision "unknown revision")
endif()
set(text "#define MXK_BUILD \"${revision} ${COMPILER}\"\n")
if(EXISTS ${HEADER})
    file(READ ${HEADER} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
    file(WRITE ${HEADER} "${text}")
endif()
