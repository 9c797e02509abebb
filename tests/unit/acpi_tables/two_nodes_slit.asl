/*
 * Two localities, not symmetric.
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

              Localities : 0000000000000002
            Locality   0 : 0A 15
            Locality   1 : 1F 0A
