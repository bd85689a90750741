import type { TraceRequest } from '../trace/trace-line.ts';
import { multiTurnChat } from './multi-turn-chat.ts';
import { noSharing } from './no-sharing.ts';
import { ragDocuments } from './rag-documents.ts';
import { sharedSystemPrompts } from './shared-system-prompts.ts';
import type { WorkloadOptions } from './workload-options.ts';

/** Kinds of generated workloads by name. */
export const workloads = {
  'shared-system-prompts': sharedSystemPrompts,
  'multi-turn-chat': multiTurnChat,
  'rag-documents': ragDocuments,
  'no-sharing': noSharing,
} as const satisfies Record<string, (options: WorkloadOptions) => TraceRequest[]>;

export type WorkloadName = keyof typeof workloads;
