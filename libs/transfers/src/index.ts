/**
 * Which KV moves for a plan, from where to where, and what became of it.
 *
 * `transferOrders` turns a plan into orders for agents, the ledger keeps those that have no final
 * status yet.
 * Invariants: an order names a run without a gap; a transfer ends exactly once; at rest nothing is
 * active.
 * Cost: linear in the keys of the plan.
 *
 * @module
 */
export { transferOrders } from './orders.ts';
export type { TransferOrder, TransferPlan, TransferReason } from './orders.ts';
export { TransferLedger } from './transfer-ledger.ts';
export type {
  TransferRecord,
  TransferResult,
  TransferStatus,
  TransferTotals,
} from './transfer-ledger.ts';
