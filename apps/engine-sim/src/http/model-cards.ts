import { randomBytes } from 'node:crypto';
import type { Front } from './front.ts';

/** Entries of /v1/models: the model, and the adapters that are loaded. */
export function modelCards(front: Front): object[] {
  const { model, maxModelTokens } = front.settings;
  return [
    card(front, { id: model, root: model, parent: null, max_model_len: maxModelTokens }),
    ...front.adapters.list.map(({ name, path }) =>
      card(front, { id: name, root: path, parent: model, max_model_len: null }),
    ),
  ];
}

interface CardFields {
  id: string;
  root: string;
  parent: string | null;
  max_model_len: number | null;
}

function card({ createdSec }: Front, { id, root, parent, max_model_len }: CardFields): object {
  return {
    id,
    object: 'model',
    created: createdSec,
    owned_by: 'vllm',
    root,
    parent,
    max_model_len,
    permission: [
      {
        id: `modelperm-${randomBytes(8).toString('hex')}`,
        object: 'model_permission',
        created: createdSec,
        allow_create_engine: false,
        allow_sampling: true,
        allow_logprobs: true,
        allow_search_indices: false,
        allow_view: true,
        allow_fine_tuning: false,
        organization: '*',
        group: null,
        is_blocking: false,
      },
    ],
  };
}
