"""The host driver: builds and boots the kernel in QEMU, reads its serial line, judges the run, keeps the results."""
