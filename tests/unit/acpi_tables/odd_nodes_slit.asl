/*
 * More localities than nodes; the third cannot reach the fifth.
 * Compile: iasl -p OUT THIS
 */
               Signature : "SLIT"
            Table Length : 00000000
                Revision : 01
                Checksum : 00
                  Oem ID : "MXK   "
            Oem Table ID : "MXKTEST "
            Oem Revision : 00000001
         Asl Compiler ID : "INTL"
   Asl Compiler Revision : 20200925

              Localities : 0000000000000006
            Locality   0 : 0A 15 16 17 18 19
            Locality   1 : 15 0A 17 18 19 1A
            Locality   2 : 16 17 0A 19 FF 1B
            Locality   3 : 17 18 19 0A 1B 1C
            Locality   4 : 18 19 1A 1B 0A 1D
            Locality   5 : 19 1A 1B 1C 1D 0A
