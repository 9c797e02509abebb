/*
 * Two proximity domains of two processors and 1 GiB each; a hot-pluggable window and non-volatile memory above.
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
 Proximity Domain Low(8) : 01
                 Apic ID : 02
   Flags (decoded below) : 00000001
                 Enabled : 1
         Local Sapic EID : 00
Proximity Domain High(24) : 000000
            Clock Domain : 00000000

           Subtable Type : 00 [Processor Local APIC/SAPIC Affinity]
                  Length : 10
 Proximity Domain Low(8) : 01
                 Apic ID : 03
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
          Address Length : 00000000000A0000
               Reserved2 : 00000000
   Flags (decoded below) : 00000001
                 Enabled : 1
           Hot Pluggable : 0
            Non-Volatile : 0
               Reserved3 : 0000000000000000

           Subtable Type : 01 [Memory Affinity]
                  Length : 28
        Proximity Domain : 00000000
               Reserved1 : 0000
            Base Address : 0000000000100000
          Address Length : 000000003FF00000
               Reserved2 : 00000000
   Flags (decoded below) : 00000001
                 Enabled : 1
           Hot Pluggable : 0
            Non-Volatile : 0
               Reserved3 : 0000000000000000

           Subtable Type : 01 [Memory Affinity]
                  Length : 28
        Proximity Domain : 00000001
               Reserved1 : 0000
            Base Address : 0000000040000000
          Address Length : 0000000040000000
               Reserved2 : 00000000
   Flags (decoded below) : 00000001
                 Enabled : 1
           Hot Pluggable : 0
            Non-Volatile : 0
               Reserved3 : 0000000000000000

           Subtable Type : 01 [Memory Affinity]
                  Length : 28
        Proximity Domain : 00000001
               Reserved1 : 0000
            Base Address : 0000000100000000
          Address Length : 0000000040000000
               Reserved2 : 00000000
   Flags (decoded below) : 00000003
                 Enabled : 1
           Hot Pluggable : 1
            Non-Volatile : 0
               Reserved3 : 0000000000000000

           Subtable Type : 01 [Memory Affinity]
                  Length : 28
        Proximity Domain : 00000000
               Reserved1 : 0000
            Base Address : 0000000200000000
          Address Length : 0000000040000000
               Reserved2 : 00000000
   Flags (decoded below) : 00000005
                 Enabled : 1
           Hot Pluggable : 0
            Non-Volatile : 1
               Reserved3 : 0000000000000000
