/*
 * APIC ids beyond 255, sparse; the first two processors also as x2APIC records, one disabled; a 64 bit APIC address;
 * no 8259.
 * Compile: iasl -p OUT THIS
 */
               Signature : "APIC"
            Table Length : 00000000
                Revision : 04
                Checksum : 00
                  Oem ID : "MXK   "
            Oem Table ID : "MXKTEST "
            Oem Revision : 00000001
         Asl Compiler ID : "INTL"
   Asl Compiler Revision : 20200925

      Local Apic Address : FEE00000
   Flags (decoded below) : 00000000
     PC-AT Compatibility : 0

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
           Local Apic ID : 02
   Flags (decoded below) : 00000001
       Processor Enabled : 1
  Runtime Online Capable : 0

           Subtable Type : 09 [Processor Local x2APIC]
                  Length : 10
                Reserved : 0000
     Processor x2Apic ID : 00000000
   Flags (decoded below) : 00000001
       Processor Enabled : 1
           Processor UID : 00000000

           Subtable Type : 09 [Processor Local x2APIC]
                  Length : 10
                Reserved : 0000
     Processor x2Apic ID : 00000002
   Flags (decoded below) : 00000001
       Processor Enabled : 1
           Processor UID : 00000001

           Subtable Type : 09 [Processor Local x2APIC]
                  Length : 10
                Reserved : 0000
     Processor x2Apic ID : 00000100
   Flags (decoded below) : 00000001
       Processor Enabled : 1
           Processor UID : 00000200

           Subtable Type : 09 [Processor Local x2APIC]
                  Length : 10
                Reserved : 0000
     Processor x2Apic ID : 00000102
   Flags (decoded below) : 00000001
       Processor Enabled : 1
           Processor UID : 00000201

           Subtable Type : 09 [Processor Local x2APIC]
                  Length : 10
                Reserved : 0000
     Processor x2Apic ID : 12345678
   Flags (decoded below) : 00000001
       Processor Enabled : 1
           Processor UID : 00000300

           Subtable Type : 09 [Processor Local x2APIC]
                  Length : 10
                Reserved : 0000
     Processor x2Apic ID : 00001002
   Flags (decoded below) : 00000000
       Processor Enabled : 0
           Processor UID : 00000301

           Subtable Type : 05 [Local APIC Address Override]
                  Length : 0C
                Reserved : 0000
            APIC Address : 00000001FEE00000

           Subtable Type : 01 [I/O APIC]
                  Length : 0C
             I/O Apic ID : 08
                Reserved : 00
                 Address : FEC00000
               Interrupt : 00000000

           Subtable Type : 01 [I/O APIC]
                  Length : 0C
             I/O Apic ID : 09
                Reserved : 00
                 Address : FEC01000
               Interrupt : 00000018

           Subtable Type : 0A [Local x2APIC NMI]
                  Length : 0C
   Flags (decoded below) : 0005
                Polarity : 1
            Trigger Mode : 1
           Processor UID : FFFFFFFF
    Interrupt Input LINT : 01
                Reserved : 000000

           Subtable Type : 0A [Local x2APIC NMI]
                  Length : 0C
   Flags (decoded below) : 000F
                Polarity : 3
            Trigger Mode : 3
           Processor UID : 00000200
    Interrupt Input LINT : 00
                Reserved : 000000
