/*
 * A DSDT in which a name that looks like \_S5 stands in a text, and then the package itself: types 5 and 6.
 * Compile: iasl -p OUT THIS
 */
DefinitionBlock ("", "DSDT", 2, "MXK", "MXKTEST", 0)
{
    Name (TEXT, "_S5_ is switched off")
    Name (\_S3, Package (4) { One, One, Zero, Zero })
    Name (\_S5, Package (4) { 0x05, 0x06, Zero, Zero })
}
