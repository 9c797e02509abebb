/*
 * For two_nodes_madt: domain 0 has memory and two processors, domain 2 only processors, domain 4 only memory, domain 3
 * only a processor that the MADT does not list and disabled memory.
 * Compile: iasl -p OUT THIS
 */
               Signature : "SRAT"
            Table Length : 00000000
                Revision : 03
                Checksum : 00
                  Oem ID : "MXK   "
            Oem Table ID : "MXKTEST "
            Oem Revision : 00000001
         Asl Compiler ID : "INTL"
   Asl Compiler Revision : 20200925

          Table Revision : 00000001
                Reserved : 0000000000000000

           Subtable Type : 00 [Processor Local APIC/SAPIC Affinity]
                  Length : 10
 Proximity Domain Low(8) : 00
                 Apic ID : 00
   Flags (decoded below) : 00000001
                 Enabled : 1
         Local Sapic EID : 00
Proximity Domain High(24) : 000000
            Clock Domain : 00000000

           Subtable Type : 00 [Processor Local APIC/SAPIC Affinity]
                  Length : 10
 Proximity Domain Low(8) : 00
                 Apic ID : 01
   Flags (decoded below) : 00000001
                 Enabled : 1
         Local Sapic EID : 00
Proximity Domain High(24) : 000000
            Clock Domain : 00000000

           Subtable Type : 00 [Processor Local APIC/SAPIC Affinity]
                  Length : 10
 Proximity Domain Low(8) : 02
                 Apic ID : 02
   Flags (decoded below) : 00000001
                 Enabled : 1
         Local Sapic EID : 00
Proximity Domain High(24) : 000000
            Clock Domain : 00000000

           Subtable Type : 00 [Processor Local APIC/SAPIC Affinity]
                  Length : 10
 Proximity Domain Low(8) : 02
                 Apic ID : 03
   Flags (decoded below) : 00000001
                 Enabled : 1
         Local Sapic EID : 00
Proximity Domain High(24) : 000000
            Clock Domain : 00000000

           Subtable Type : 00 [Processor Local APIC/SAPIC Affinity]
                  Length : 10
 Proximity Domain Low(8) : 03
                 Apic ID : 09
   Flags (decoded below) : 00000001
                 Enabled : 1
         Local Sapic EID : 00
Proximity Domain High(24) : 000000
            Clock Domain : 00000000

           Subtable Type : 01 [Memory Affinity]
                  Length : 28
        Proximity Domain : 00000000
               Reserved1 : 0000
            Base Address : 0000000000000000
          Address Length : 0000000040000000
               Reserved2 : 00000000
   Flags (decoded below) : 00000001
                 Enabled : 1
           Hot Pluggable : 0
            Non-Volatile : 0
               Reserved3 : 0000000000000000

           Subtable Type : 01 [Memory Affinity]
                  Length : 28
        Proximity Domain : 00000003
               Reserved1 : 0000
            Base Address : 0000000040000000
          Address Length : 0000000010000000
               Reserved2 : 00000000
   Flags (decoded below) : 00000000
                 Enabled : 0
           Hot Pluggable : 0
            Non-Volatile : 0
               Reserved3 : 0000000000000000

           Subtable Type : 01 [Memory Affinity]
                  Length : 28
        Proximity Domain : 00000004
               Reserved1 : 0000
            Base Address : 0000000080000000
          Address Length : 0000000040000000
               Reserved2 : 00000000
   Flags (decoded below) : 00000001
                 Enabled : 1
           Hot Pluggable : 0
            Non-Volatile : 0
               Reserved3 : 0000000000000000
