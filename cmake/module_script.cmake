# cmake -DMODULE=X.wasm -DSCRIPT=X.mjs -P module_script.cmake: a small module as a script that exports its bytes in
# hexadecimal. Compressed that is as short as the module, and shorter than base64, which hides where a byte begins.
file(READ "${MODULE}" bytes HEX)
file(WRITE "${SCRIPT}" "export default '${bytes}';\n")
