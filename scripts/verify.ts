// What CI runs: the checks that start nothing, two beside each other since each keeps one core busy, then the tests.
import { spawn } from 'node:child_process';

/** npm scripts, in each lane one after the other. Linting takes as long as the other two. */
const LANES = [['lint'], ['format:check', 'types']];

interface Ended {
  script: string;
  isGood: boolean;
  output: string;
}

function run(script: string, stdio: 'inherit' | 'pipe'): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '--silent', script], { stdio: ['inherit', stdio, stdio] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ script, isGood: code === 0, output }));
  });
}

/** All of them, also after one that failed: a person wants to know everything that is wrong. */
async function check(lane: readonly string[]): Promise<boolean> {
  let isGood = true;
  for (const script of lane) {
    const began = performance.now();
    const ended = await run(script, 'pipe');
    const tookSec = ((performance.now() - began) / 1_000).toFixed(1);
    console.log(`${ended.isGood ? 'passed' : 'FAILED'}: ${script} (${tookSec} s)`);
    if (!ended.isGood) console.log(ended.output);
    isGood &&= ended.isGood;
  }
  return isGood;
}

const results = await Promise.all(LANES.map(check));
const isGood = results.every(Boolean) && (await run('test', 'inherit')).isGood;
process.exitCode = isGood ? 0 : 1;
