// How a function of ours becomes an export of the module. The module imports nothing.
#ifndef SHEAF_WASM_BORDER_H_
#define SHEAF_WASM_BORDER_H_

// Exported under `name`, which is the name in the .d.ts file beside the bindings.
#define SHEAF_EXPORT(name) extern "C" __attribute__((export_name(#name)))

#endif  // SHEAF_WASM_BORDER_H_
