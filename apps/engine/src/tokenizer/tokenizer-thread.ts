import { parentPort, workerData } from 'node:worker_threads';
import { BatonError, toBatonError } from '@baton/kv';
import { LlamaModel } from '@baton/llama';
import { ChatTemplate } from './chat-template.ts';
import { packPieces } from './packed-pieces.ts';
import type { TokenizerJob, TokenizerReply, TokenizerRequest } from './tokenizer-port.ts';

export interface TokenizerThreadData {
  modelFile: string;
}

const port = parentPort;
if (!port) throw new BatonError('internal_error', 'This file is a worker thread.');
const reply = (message: TokenizerReply): void => port.postMessage(message);

/** Answers jobs one after the other, in the order in which they came. */
function serve(model: LlamaModel): void {
  const { facts, vocab } = model;
  const template = new ChatTemplate({
    source: facts.chatTemplate,
    bosText: facts.bosText,
    eosText: facts.eosText,
  });

  const answer = (id: number, job: TokenizerJob): TokenizerReply => {
    switch (job.type) {
      case 'text': {
        const options = { addSpecial: job.addSpecial, parseSpecial: true };
        return { type: 'tokens', id, tokens: vocab.tokenize(job.text, options) };
      }
      case 'chat': {
        const text = template.render(job.render);
        const options = { addSpecial: job.addSpecial, parseSpecial: true };
        return { type: 'tokens', id, tokens: vocab.tokenize(text, options) };
      }
      case 'detokenize': {
        const bytes = vocab.detokenize(job.tokens, true);
        return { type: 'text', id, text: new TextDecoder().decode(bytes) };
      }
    }
  };

  port?.on('message', ({ id, job }: TokenizerRequest) => {
    try {
      reply(answer(id, job));
    } catch (error) {
      const { code, message, details } = toBatonError(error);
      const field = typeof details['field'] === 'string' ? details['field'] : undefined;
      reply({ type: 'refused', id, code, message, field });
    }
  });
  reply({
    type: 'ready',
    facts: {
      tokenization: facts.tokenization,
      vocabSize: vocab.size,
      pieces: packPieces(vocab),
    },
  });
}

try {
  const { modelFile } = workerData as TokenizerThreadData;
  serve(new LlamaModel(modelFile, { vocabOnly: true }));
} catch (error) {
  const { code, message } = toBatonError(error);
  reply({ type: 'unusable', code, message });
}
