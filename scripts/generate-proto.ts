// Writes libs/proto/src/generated from /proto: `npm run generate`. Its output is committed.
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync } from 'node:fs';

const out = 'libs/proto/src/generated';
mkdirSync(out, { recursive: true });
const options = [
  '-t',
  'static-module',
  '-w',
  'esm',
  '--no-service',
  '--no-verify',
  '--no-convert',
  '--no-delimited',
  '--no-typeurl',
  '--force-number',
  '--dts',
  '-p',
  'proto',
];
const files = globSync('proto/**/*.proto').sort();
execFileSync('node_modules/.bin/pbjs', [...options, '-o', `${out}/baton.js`, ...files], {
  stdio: 'inherit',
});
