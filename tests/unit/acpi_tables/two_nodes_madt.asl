/*
 * Four processors with dense APIC ids, one I/O APIC, the overrides of a PC, NMI on LINT1 of every processor.
 * Compile: iasl -p OUT THIS
 */
               Signature : "APIC"
            Table Length : 00000000
                Revision : 03
                Checksum : 00
                  Oem ID : "MXK   "
            Oem Table ID : "MXKTEST "
            Oem Revision : 00000001
         Asl Compiler ID : "INTL"
   Asl Compiler Revision : 20200925

      Local Apic Address : FEE00000
   Flags (decoded below) : 00000001
     PC-AT Compatibility : 1

           Subtable Type : 00 [Processor Local APIC]
                  Length : 08
            Processor ID : 00
           Local Apic ID : 00
   Flags (decoded below) : 00000001
       Processor Enabled : 1
  Runtime Online Capable : 0

           Subtable Type : 00 [Processor Local APIC]
                  Length : 08
            Processor ID : 01
           Local Apic ID : 01
   Flags (decoded below) : 00000001
       Processor Enabled : 1
  Runtime Online Capable : 0

           Subtable Type : 00 [Processor Local APIC]
                  Length : 08
            Processor ID : 02
           Local Apic ID : 02
   Flags (decoded below) : 00000001
       Processor Enabled : 1
  Runtime Online Capable : 0

           Subtable Type : 00 [Processor Local APIC]
                  Length : 08
            Processor ID : 03
           Local Apic ID : 03
   Flags (decoded below) : 00000001
       Processor Enabled : 1
  Runtime Online Capable : 0

           Subtable Type : 01 [I/O APIC]
                  Length : 0C
             I/O Apic ID : 04
                Reserved : 00
                 Address : FEC00000
               Interrupt : 00000000

           Subtable Type : 02 [Interrupt Source Override]
                  Length : 0A
                     Bus : 00
                  Source : 00
               Interrupt : 00000002
   Flags (decoded below) : 0000
                Polarity : 0
            Trigger Mode : 0

           Subtable Type : 02 [Interrupt Source Override]
                  Length : 0A
                     Bus : 00
                  Source : 09
               Interrupt : 00000009
   Flags (decoded below) : 000F
                Polarity : 3
            Trigger Mode : 3

           Subtable Type : 04 [Local APIC NMI]
                  Length : 06
            Processor ID : FF
   Flags (decoded below) : 0000
                Polarity : 0
            Trigger Mode : 0
    Interrupt Input LINT : 01
