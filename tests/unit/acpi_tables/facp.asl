/*
 * A fixed description table (revision 6): 32 bit PM timer at I/O port 0x608, reset by writing 0x06 to port 0xcf9, an 8042
 * and a CMOS clock. The legacy PM timer block names another port than the extended one, which is to be preferred.
 * Compile: iasl -p OUT THIS
 */
                         Signature : "FACP"    [Fixed ACPI Description Table (FADT)]
                      Table Length : 00000114
                          Revision : 06
                          Checksum : 00
                            Oem ID : "MXK   "
                      Oem Table ID : "MXKTEST "
                      Oem Revision : 00000000
                   Asl Compiler ID : "INTL"
             Asl Compiler Revision : 20150410

                      FACS Address : 00000001
                      DSDT Address : 00000001
                             Model : 00
                        PM Profile : 00 [Unspecified]
                     SCI Interrupt : 0000
                  SMI Command Port : 00000000
                 ACPI Enable Value : 00
                ACPI Disable Value : 00
                    S4BIOS Command : 00
                   P-State Control : 00
          PM1A Event Block Address : 00000001
          PM1B Event Block Address : 00000000
        PM1A Control Block Address : 00000001
        PM1B Control Block Address : 00000000
         PM2 Control Block Address : 00000001
            PM Timer Block Address : 00000408
                GPE0 Block Address : 00000001
                GPE1 Block Address : 00000000
            PM1 Event Block Length : 04
          PM1 Control Block Length : 02
          PM2 Control Block Length : 01
             PM Timer Block Length : 04
                 GPE0 Block Length : 08
                 GPE1 Block Length : 00
                  GPE1 Base Offset : 00
                      _CST Support : 00
                        C2 Latency : 0000
                        C3 Latency : 0000
                    CPU Cache Size : 0000
                Cache Flush Stride : 0000
                 Duty Cycle Offset : 00
                  Duty Cycle Width : 00
               RTC Day Alarm Index : 00
             RTC Month Alarm Index : 00
                 RTC Century Index : 00
        Boot Flags (decoded below) : 0003
            Legacy Devices Supported (V2) : 1
         8042 Present on ports 60/64 (V2) : 1
                     VGA Not Present (V4) : 0
                   MSI Not Supported (V4) : 0
             PCIe ASPM Not Supported (V4) : 0
                CMOS RTC Not Present (V5) : 0
                          Reserved : 00
             Flags (decoded below) : 00000000
   WBINVD instruction is operational (V1) : 0
           WBINVD flushes all caches (V1) : 0
                 All CPUs support C1 (V1) : 0
               C2 works on MP system (V1) : 0
         Control Method Power Button (V1) : 0
         Control Method Sleep Button (V1) : 0
     RTC wake not in fixed reg space (V1) : 0
         RTC can wake system from S4 (V1) : 0
                     32-bit PM Timer (V1) : 1
                   Docking Supported (V1) : 0
            Reset Register Supported (V2) : 1
                         Sealed Case (V3) : 0
                 Headless - No Video (V3) : 0
     Use native instr after SLP_TYPx (V3) : 0
           PCIEXP_WAK Bits Supported (V4) : 0
                  Use Platform Timer (V4) : 0
            RTC_STS valid on S4 wake (V4) : 0
             Remote Power-on capable (V4) : 0
              Use APIC Cluster Model (V4) : 0
  Use APIC Physical Destination Mode (V4) : 0
                    Hardware Reduced (V5) : 0
                   Low Power S0 Idle (V5) : 0

                    Reset Register : [Generic Address Structure]
                          Space ID : 01 [SystemIO]
                         Bit Width : 08
                        Bit Offset : 00
              Encoded Access Width : 01 [Byte Access:8]
                           Address : 0000000000000CF9

              Value to cause reset : 06
         ARM Flags (decoded below) : 0000
                           PSCI Compliant : 0
                    Must use HVC for PSCI : 0

               FADT Minor Revision : 01
                      FACS Address : 0000000000000001
                      DSDT Address : 0000000000000001
                  PM1A Event Block : [Generic Address Structure]
                          Space ID : 01 [SystemIO]
                         Bit Width : 20
                        Bit Offset : 00
              Encoded Access Width : 02 [Word Access:16]
                           Address : 0000000000000001

                  PM1B Event Block : [Generic Address Structure]
                          Space ID : 01 [SystemIO]
                         Bit Width : 00
                        Bit Offset : 00
              Encoded Access Width : 00 [Undefined/Legacy]
                           Address : 0000000000000000

                PM1A Control Block : [Generic Address Structure]
                          Space ID : 01 [SystemIO]
                         Bit Width : 10
                        Bit Offset : 00
              Encoded Access Width : 02 [Word Access:16]
                           Address : 0000000000000001

                PM1B Control Block : [Generic Address Structure]
                          Space ID : 01 [SystemIO]
                         Bit Width : 00
                        Bit Offset : 00
              Encoded Access Width : 00 [Undefined/Legacy]
                           Address : 0000000000000000

                 PM2 Control Block : [Generic Address Structure]
                          Space ID : 01 [SystemIO]
                         Bit Width : 08
                        Bit Offset : 00
              Encoded Access Width : 00 [Undefined/Legacy]
                           Address : 0000000000000001

                    PM Timer Block : [Generic Address Structure]
                          Space ID : 01 [SystemIO]
                         Bit Width : 20
                        Bit Offset : 00
              Encoded Access Width : 03 [DWord Access:32]
                           Address : 0000000000000608

                        GPE0 Block : [Generic Address Structure]
                          Space ID : 01 [SystemIO]
                         Bit Width : 40
                        Bit Offset : 00
              Encoded Access Width : 01 [Byte Access:8]
                           Address : 0000000000000001

                        GPE1 Block : [Generic Address Structure]
                          Space ID : 01 [SystemIO]
                         Bit Width : 00
                        Bit Offset : 00
              Encoded Access Width : 00 [Undefined/Legacy]
                           Address : 0000000000000000


            Sleep Control Register : [Generic Address Structure]
                          Space ID : 01 [SystemIO]
                         Bit Width : 08
                        Bit Offset : 00
              Encoded Access Width : 01 [Byte Access:8]
                           Address : 0000000000000000

             Sleep Status Register : [Generic Address Structure]
                          Space ID : 01 [SystemIO]
                         Bit Width : 08
                        Bit Offset : 00
              Encoded Access Width : 01 [Byte Access:8]
                           Address : 0000000000000000

                     Hypervisor ID : 0000000000000000
