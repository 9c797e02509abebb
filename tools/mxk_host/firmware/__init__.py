"""Firmware's ACPI tables, made for the kernel to read in place of the machine's: sound ones, and such as lie."""
