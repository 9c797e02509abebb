/*
 * Two proximity domains: latency in steps of 100 ps, reads and writes alike; bandwidth of reads only, in steps of
 * 100 MB/s; nothing said about the way from 1 to 0. A memory-side cache's latency, which does not count.
 * Compile: iasl -p OUT THIS
 */
                       Signature : "HMAT"
                    Table Length : 00000000
                        Revision : 02
                        Checksum : 00
                          Oem ID : "MXK   "
                    Oem Table ID : "MXKTEST "
                    Oem Revision : 00000001
                 Asl Compiler ID : "INTL"
           Asl Compiler Revision : 20200925

                        Reserved : 00000000

                  Structure Type : 0000 [Memory Proximity Domain Attributes]
                        Reserved : 0000
                          Length : 00000028
           Flags (decoded below) : 0001
Processor Proximity Domain Valid : 1
                       Reserved1 : 0000
Attached Initiator Proximity Domain : 00000000
         Memory Proximity Domain : 00000000
                       Reserved2 : 00000000
                       Reserved3 : 0000000000000000
                       Reserved4 : 0000000000000000

                  Structure Type : 0001 [System Locality Latency and Bandwidth Information]
                        Reserved : 0000
                          Length : 00000038
           Flags (decoded below) : 01
                Memory Hierarchy : 1
                       Data Type : 00
                       Reserved1 : 0000
 Initiator Proximity Domains # : 00000002
    Target Proximity Domains # : 00000002
                       Reserved2 : 00000000
                 Entry Base Unit : 0000000000000001
Initiator Proximity Domain List : 00000000
Initiator Proximity Domain List : 00000001
   Target Proximity Domain List : 00000000
   Target Proximity Domain List : 00000001
                           Entry : 0001
                           Entry : 0001
                           Entry : 0001
                           Entry : 0001

                  Structure Type : 0001 [System Locality Latency and Bandwidth Information]
                        Reserved : 0000
                          Length : 00000038
           Flags (decoded below) : 00
                Memory Hierarchy : 0
                       Data Type : 00
                       Reserved1 : 0000
 Initiator Proximity Domains # : 00000002
    Target Proximity Domains # : 00000002
                       Reserved2 : 00000000
                 Entry Base Unit : 0000000000000064
Initiator Proximity Domain List : 00000000
Initiator Proximity Domain List : 00000001
   Target Proximity Domain List : 00000000
   Target Proximity Domain List : 00000001
                           Entry : 0325
                           Entry : 0578
                           Entry : 0000
                           Entry : 0320

                  Structure Type : 0001 [System Locality Latency and Bandwidth Information]
                        Reserved : 0000
                          Length : 00000038
           Flags (decoded below) : 00
                Memory Hierarchy : 0
                       Data Type : 04
                       Reserved1 : 0000
 Initiator Proximity Domains # : 00000002
    Target Proximity Domains # : 00000002
                       Reserved2 : 00000000
                 Entry Base Unit : 0000000000000064
Initiator Proximity Domain List : 00000000
Initiator Proximity Domain List : 00000001
   Target Proximity Domain List : 00000000
   Target Proximity Domain List : 00000001
                           Entry : 00C8
                           Entry : 0064
                           Entry : 0000
                           Entry : 00C8
