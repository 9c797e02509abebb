# Writes HEADER with what this build is: the revision of SOURCE as it stands now, the day of its last commit, VERSION and
# COMPILER. Nothing of the machine or of the time at which it is built. Touches the file only if that has changed, so that
# nothing is compiled again for it.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=10
                OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(revision STREQUAL "")
    set(revision "unknown revision")
endif()
execute_process(COMMAND git -C ${SOURCE} show --no-patch --format=%cs HEAD
                OUTPUT_VARIABLE day OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(day STREQUAL "")
    set(day "unknown day")
endif()
set(text "#define MXK_VERSION \"${VERSION}\"
#define MXK_REVISION \"${revision}\"
#define MXK_COMMIT_DAY \"${day}\"
#define MXK_COMPILER \"${COMPILER}\"
#define MXK_BUILD MXK_REVISION \" \" MXK_COMPILER
")
if(EXISTS ${HEADER})
    file(READ ${HEADER} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
    file(WRITE ${HEADER} "${text}")
endif()
