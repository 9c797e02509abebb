"""`tools/mxk simulate`: the kernel in QEMU under a plugin that models a machine."""
