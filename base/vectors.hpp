// A function of which there is a second edition for processors with AVX2 and the instructions that came with it: one
// load and one comparison look at four 64-bit keys then, and shifts and multiplications need fewer moves. Whatever it
// calls that can be inlined becomes part of it. To be called where arch::has_avx2() only.
#pragma once

#define MXK_WITH_AVX2 gnu::target("avx2,bmi,bmi2,lzcnt,popcnt"), gnu::flatten
