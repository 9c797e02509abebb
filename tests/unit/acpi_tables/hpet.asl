/*
 * One HPET at the address that PCs have it.
 * Compile: iasl -p OUT THIS
 */
               Signature : "HPET"
            Table Length : 00000000
                Revision : 01
                Checksum : 00
                  Oem ID : "MXK   "
            Oem Table ID : "MXKTEST "
            Oem Revision : 00000001
         Asl Compiler ID : "INTL"
   Asl Compiler Revision : 20200925

       Hardware Block ID : 8086A201

    Timer Block Register : [Generic Address Structure]
                Space ID : 00 [SystemMemory]
               Bit Width : 40
              Bit Offset : 00
    Encoded Access Width : 00 [Undefined/Legacy]
                 Address : 00000000FED00000

         Sequence Number : 00
     Minimum Clock Ticks : 0080
   Flags (decoded below) : 00
         4K Page Protect : 0
        64K Page Protect : 0
