import { z } from 'zod';

/** What discovery reads of a pod; everything else is dropped, so that a thousand of them stay small. */
export const podSchema = z.object({
  metadata: z.object({
    name: z.string().min(1),
    uid: z.string().min(1),
    deletionTimestamp: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
  spec: z.object({
    containers: z.array(
      z.object({
        ports: z
          .array(z.object({ name: z.string().optional(), containerPort: z.int() }))
          .optional(),
      }),
    ),
  }),
  status: z
    .object({
      phase: z.string().optional(),
      podIP: z.string().optional(),
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).optional(),
    })
    .default({}),
});

export type Pod = z.output<typeof podSchema>;
