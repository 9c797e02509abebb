/*
 * Proximity domains 0, 7 and 65536 for the processors of x2apic_madt, by x2APIC records where the id needs it.
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
 Proximity Domain Low(8) : 07
                 Apic ID : 00
   Flags (decoded below) : 00000001
                 Enabled : 1
         Local Sapic EID : 00
Proximity Domain High(24) : 000000
            Clock Domain : 00000000

           Subtable Type : 02 [Processor Local x2APIC Affinity]
                  Length : 18
               Reserved1 : 0000
        Proximity Domain : 00000007
                 Apic ID : 00000002
   Flags (decoded below) : 00000001
                 Enabled : 1
            Clock Domain : 00000000
               Reserved2 : 00000000

           Subtable Type : 02 [Processor Local x2APIC Affinity]
                  Length : 18
               Reserved1 : 0000
        Proximity Domain : 00000000
                 Apic ID : 00000100
   Flags (decoded below) : 00000001
                 Enabled : 1
            Clock Domain : 00000000
               Reserved2 : 00000000

           Subtable Type : 02 [Processor Local x2APIC Affinity]
                  Length : 18
               Reserved1 : 0000
        Proximity Domain : 00000000
                 Apic ID : 00000102
   Flags (decoded below) : 00000001
                 Enabled : 1
            Clock Domain : 00000000
               Reserved2 : 00000000

           Subtable Type : 02 [Processor Local x2APIC Affinity]
                  Length : 18
               Reserved1 : 0000
        Proximity Domain : 00010000
                 Apic ID : 12345678
   Flags (decoded below) : 00000001
                 Enabled : 1
            Clock Domain : 00000000
               Reserved2 : 00000000

           Subtable Type : 02 [Processor Local x2APIC Affinity]
                  Length : 18
               Reserved1 : 0000
        Proximity Domain : 00000005
                 Apic ID : 00001002
   Flags (decoded below) : 00000001
                 Enabled : 1
            Clock Domain : 00000000
               Reserved2 : 00000000

           Subtable Type : 01 [Memory Affinity]
                  Length : 28
        Proximity Domain : 00000000
               Reserved1 : 0000
            Base Address : 0000000000000000
          Address Length : 0000000080000000
               Reserved2 : 00000000
   Flags (decoded below) : 00000001
                 Enabled : 1
           Hot Pluggable : 0
            Non-Volatile : 0
               Reserved3 : 0000000000000000

           Subtable Type : 01 [Memory Affinity]
                  Length : 28
        Proximity Domain : 00000007
               Reserved1 : 0000
            Base Address : 0000000100000000
          Address Length : 0000000080000000
               Reserved2 : 00000000
   Flags (decoded below) : 00000001
                 Enabled : 1
           Hot Pluggable : 0
            Non-Volatile : 0
               Reserved3 : 0000000000000000

           Subtable Type : 01 [Memory Affinity]
                  Length : 28
        Proximity Domain : 00010000
               Reserved1 : 0000
            Base Address : 0000000180000000
          Address Length : 0000000080000000
               Reserved2 : 00000000
   Flags (decoded below) : 00000001
                 Enabled : 1
           Hot Pluggable : 0
            Non-Volatile : 0
               Reserved3 : 0000000000000000
