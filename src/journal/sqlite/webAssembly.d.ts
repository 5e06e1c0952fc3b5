/** The part of the WebAssembly interface that the file shim uses. TypeScript declares it only together with the DOM, which is not here. */
declare namespace WebAssembly {
  type ImportValue = ((...values: (number | bigint)[]) => number) | object;
  type Imports = Record<string, Record<string, ImportValue>>;

  interface ImportDescriptor {
    readonly module: string;
    readonly name: string;
    readonly kind: string;
  }

  /** Opaque. */
  interface Module {
    readonly brand?: 'WebAssembly.Module';
  }

  const Module: { imports(module: Module): ImportDescriptor[] };

  class Memory {
    readonly buffer: ArrayBuffer;
  }

  class Instance {
    constructor(module: Module, imports: Imports);
    readonly exports: Record<string, unknown>;
  }

  function compile(bytes: Uint8Array<ArrayBuffer>): Promise<Module>;
}
