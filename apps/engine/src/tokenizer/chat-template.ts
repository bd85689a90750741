import { Template } from '@huggingface/jinja';
import { BatonError } from '@baton/kv';
import { fieldError } from '@baton/openai';
import type { ChatRender } from './tokenizer-port.ts';

export interface ChatTemplateOptions {
  /** Jinja source from the model file; undefined when the model has none. */
  source: string | undefined;
  bosText: string;
  eosText: string;
}

const MAX_REASON_LENGTH = 500;

/** The model's own chat template. */
export class ChatTemplate {
  readonly #options: ChatTemplateOptions;
  #template: Template | undefined;

  constructor(options: ChatTemplateOptions) {
    this.#options = options;
  }

  /** @throws BatonError that names `messages` when the template refuses them or there is none. */
  render(request: ChatRender): string {
    const { source, bosText, eosText } = this.#options;
    if (source === undefined) {
      throw new BatonError('unsupported_parameter', 'This model has no chat template.', {
        details: { field: 'messages' },
      });
    }
    try {
      this.#template ??= new Template(source);
      return this.#template.render({
        ...request.variables,
        messages: request.messages,
        add_generation_prompt: request.addGenerationPrompt,
        bos_token: bosText,
        eos_token: eosText,
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw fieldError(
        'invalid_request',
        'messages',
        `messages: the chat template of this model refused them: ${reason.slice(0, MAX_REASON_LENGTH)}`,
      );
    }
  }
}
