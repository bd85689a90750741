import { fork } from 'node:child_process';

const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
const child = fork(process.argv[2] ?? '', ['normal'], { stdio: [...stdio] });
child.once('message', () => process.send?.(child.pid));
process.on('disconnect', () => process.exit());
