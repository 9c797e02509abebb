// Where the parts of the kernel's image lie: what boot/linker.ld and boot/entry.asm define. Addresses only; there is
// nothing to read in these arrays.
#pragma once

extern "C" {
extern char image_start[], image_end[], text_start[], text_end[], rodata_end[], data_end[];
extern char boot_code_end[], boot_tables_end[]; // physical: between them lie the boot page tables
extern char boot_stack_guard[], boot_stack_top[], boot_interrupt_stacks[], boot_interrupt_stacks_end[];
}
