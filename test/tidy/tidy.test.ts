import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Longest source file that a person is asked to hold in the head, in lines. */
const MAX_LINES = 400;

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !file.includes('/generated/'));
const sources = tracked.filter((file) => /^(apps|libs|scripts|test)\/.*\.ts$/.test(file));
const product = sources.filter((file) => /^(apps|libs)\//.test(file) && !file.endsWith('.test.ts'));
const text = (file: string): string => readFileSync(file, 'utf8');

function offenders(files: string[], isWrong: (file: string) => boolean): string[] {
  return files.filter(isWrong);
}

test('no source is longer than a person can hold in the head', () => {
  expect(offenders(product, (file) => text(file).split('\n').length > MAX_LINES)).toEqual([]);
});

test('files are kebab-case and named after what they hold', () => {
  const name = /^[a-z0-9]+(-[a-z0-9]+)*(\.(long|test|d))*\.ts$/;
  const empty = /^(utils?|helpers?|manager|misc|common)\b/;
  expect(
    offenders(sources, (file) => {
      const base = path.basename(file);
      return !name.test(base) || empty.test(base);
    }),
  ).toEqual([]);
});

test('every library says what it is for', () => {
  const indexes = tracked.filter((file) => /^libs\/[^/]+\/src\/index\.ts$/.test(file));
  expect(indexes.length).toBeGreaterThan(0);
  expect(offenders(indexes, (file) => !text(file).split('*/')[0]?.includes('@module'))).toEqual([]);
});

test('no checks are switched off and nothing is left unfinished', () => {
  const off = /@ts-ignore|@ts-expect-error|@ts-nocheck|eslint-disable|prettier-ignore/;
  const unfinished = /\b(TODO|FIXME|XXX)\b|not implemented/;
  const self = 'test/tidy/tidy.test.ts';
  expect(
    offenders(
      sources,
      (file) => file !== self && (off.test(text(file)) || unfinished.test(text(file))),
    ),
  ).toEqual([]);
});

test('no test is skipped for good or run alone', () => {
  const tests = sources.filter((file) => file.endsWith('.test.ts'));
  expect(
    offenders(tests, (file) => /\b(test|it|describe)\.(only|todo|fails)\b/.test(text(file))),
  ).toEqual([]);
  expect(offenders(tests, (file) => !/\bexpect|\bassert|fc\./.test(text(file)))).toEqual([]);
});

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}
const manifests = tracked
  .filter((file) => /^((apps|libs)\/[^/]+\/)?package\.json$/.test(file))
  .map((file) => JSON.parse(text(file)) as Manifest);

test('dependencies are pinned, and each one that runs has its line in docs/dependencies.md', () => {
  const page = text('docs/dependencies.md');
  for (const manifest of manifests) {
    const runtime = { ...manifest.dependencies, ...manifest.optionalDependencies };
    for (const [name, version] of Object.entries(runtime)) {
      if (name.startsWith('@baton/')) continue;
      expect(version, `${manifest.name}: ${name}`).toMatch(/^\d+\.\d+\.\d+$/);
      expect(page, `docs/dependencies.md has no line for ${name}`).toContain(`\`${name}\``);
    }
  }
});

test('imports of a workspace package are declared', () => {
  const missing: string[] = [];
  for (const file of sources.filter((name) => /^(apps|libs)\//.test(name))) {
    const room = file.split('/').slice(0, 2).join('/');
    const manifest = JSON.parse(text(`${room}/package.json`)) as Manifest;
    const declared = {
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
      ...(/\.test\.ts$|\/testing\//.test(file) ? manifest.devDependencies : {}),
    };
    for (const [, name] of text(file).matchAll(/from '(@baton\/[a-z-]+)'/g)) {
      if (name !== undefined && name !== manifest.name && !(name in declared))
        missing.push(`${file}: ${name}`);
    }
  }
  expect(missing).toEqual([]);
});

test('what a library exports has a user outside of it', () => {
  const names = /export \{([^}]*)\} from/g;
  const unused = tracked
    .filter((file) => /^libs\/[^/]+\/src\/index\.ts$/.test(file))
    .flatMap((index) => {
      const room = index.split('/').slice(0, 2).join('/');
      const others = sources.filter((file) => !file.startsWith(`${room}/`)).map(text);
      return [...text(index).matchAll(names)]
        .flatMap(([, list = '']) => list.split(','))
        .map((name) => name.trim())
        .filter((name) => name !== '' && !name.startsWith('type '))
        .filter((name) => !others.some((other) => new RegExp(`\\b${name}\\b`).test(other)))
        .map((name) => `${room}: ${name}`);
    });
  expect(unused).toEqual([]);
});

test('a workspace package that is declared is imported', () => {
  const idle = tracked
    .filter((file) => /^(apps|libs)\/[^/]+\/package\.json$/.test(file))
    .flatMap((file) => {
      const manifest = JSON.parse(text(file)) as Manifest;
      const own = sources.filter((source) => source.startsWith(`${path.dirname(file)}/`)).map(text);
      return Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
        .filter((name) => !own.some((source) => source.includes(`'${name}`)))
        .map((name) => `${manifest.name}: ${name}`);
    });
  expect(idle).toEqual([]);
});

test('nothing names a place outside the project', () => {
  const place = /(^|[\s'"`(=])\/(work|farm|root|home)\/|(registry\.npmjs|pypi)\.org\/simple/m;
  const checked = tracked.filter(
    (file) =>
      /\.(ts|js|md|json|proto|yaml|yml|sh)$|^\.ci\//.test(file) && file !== 'package-lock.json',
  );
  expect(
    offenders(checked, (file) => file !== 'test/tidy/tidy.test.ts' && place.test(text(file))),
  ).toEqual([]);
});

test('links of the documentation lead somewhere', () => {
  const broken: string[] = [];
  for (const file of tracked.filter((name) => name.endsWith('.md'))) {
    for (const [, target = ''] of text(file).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?:|#)/.test(target)) continue;
      const place = path.join(path.dirname(file), target.split('#')[0] ?? '');
      if (!existsSync(place)) broken.push(`${file}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});
