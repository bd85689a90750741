#!/usr/bin/env node
// `npx baton` and npm scripts find the pinned Node first on PATH; node_modules/.bin/baton called directly may not.
if (!process.features.typescript) {
  console.error(
    `baton needs its own Node 24, this is ${process.version}: call it as "npx baton" inside the clone.`,
  );
  process.exit(1);
}
await import('../src/main.ts');
