import protobuf from 'protobufjs/minimal.js';

// `--force-number` changes only the types. Without these two lines 64-bit fields are Long objects
// at run time. It has to happen before the generated code runs, which takes the defaults of its
// fields from here: hence a module of its own.
protobuf.util.Long = undefined as never;
protobuf.configure();
