import type { SolanaRpc } from "../../../lib/ports/solana-rpc";
import { readSignature } from "../worlds/relay-rig";
import type { SpendingWorld } from "../worlds/spending-world";
import { createOutage } from "./fake-deps";

/** Waiting bytes land when the test releases them, if their blockhash is still valid. */
export type SendOutcome = "land" | "get lost" | "wait" | "fail on the chain";
type NodeState = "good" | "behind" | "down" | "losing answers to sends";

/** Accesses the staged chain through a node that fails as real nodes do. */
export interface FaultyNode {
  sendOutcome: SendOutcome;
  state: NodeState;
  /** True if the wallet cannot pay. Nodes then refuse its transactions, and none of them lands. */
  isWalletEmpty: boolean;
  /** The signatures of the transactions that the service handed to a node. */
  sentSignatures: Set<string>;
  /** @param isDead returns whether the calling process has died; the node then drops its sends */
  openRpc(isDead: () => boolean): SolanaRpc;
  /** Submits bytes to the node, independently of the service. */
  submit(bytes: Uint8Array): void;
  /** Puts the waiting bytes on the chain. */
  release(): void;
  /** Returns whether the transaction is on the chain without an error. */
  hasLanded(signature: string): boolean;
}

/** A lag of about eight seconds. A node with this lag knows neither the newest payment nor the newest blockhash. */
const LAG_SLOTS = 20;

/** Creates a faultless node over the world's chain. The test changes its fields. */
export function createFaultyNode(world: SpendingWorld): FaultyNode {
  const { rpc, chain } = world.deps;
  const waitingTransactions: Uint8Array[] = [];
  const isKnown = (signature: string) => chain.getStatus(signature, true) !== null;

  const simulateAsFunded = chain.simulate;
  chain.simulate = (bytes) =>
    node.isWalletEmpty ? { error: "InsufficientFundsForFee", unitsConsumed: 0 } : simulateAsFunded(bytes);
  world.deps.beforeCall = () => {};
  // A lagging node knows neither the newest history nor the newest transactions.
  const [getHistory, getTransaction] = [
    chain.history.get.bind(chain.history),
    chain.transactions.get.bind(chain.transactions),
  ];
  chain.history.get = (address) => getHistory(address)?.filter(({ signature }) => isKnown(signature));
  chain.transactions.get = (signature) => (isKnown(signature) ? getTransaction(signature) : undefined);

  const node: FaultyNode = {
    sendOutcome: "land",
    state: "good",
    isWalletEmpty: false,
    sentSignatures: new Set(),
    submit(bytes) {
      if (node.isWalletEmpty) return;
      if (node.sendOutcome === "wait") waitingTransactions.push(bytes);
      if (node.sendOutcome === "land") world.putOnChain(bytes);
      if (node.sendOutcome === "fail on the chain") world.putOnChain(bytes, "InstructionError");
    },
    release() {
      for (const bytes of waitingTransactions.splice(0)) world.putOnChain(bytes);
    },
    hasLanded(signature) {
      world.lagSlots = 0;
      return chain.getStatus(signature, true)?.error === null;
    },
    openRpc(isDead) {
      const view: SolanaRpc = {
        ...rpc,
        send: async (bytes) => {
          if (isDead()) return;
          node.sentSignatures.add(readSignature(bytes));
          node.submit(bytes);
          if (node.state === "losing answers to sends") throw createOutage();
        },
      };
      return new Proxy(view, {
        get(target, method: string) {
          const member = Reflect.get(target, method) as (...args: unknown[]) => unknown;
          if (method === "invalidate" || method === "getSlotTime") return member;
          return async (...args: unknown[]) => {
            if (node.state === "down") throw createOutage();
            world.lagSlots = node.state === "behind" ? LAG_SLOTS : 0;
            return member(...args);
          };
        },
      });
    },
  };
  return node;
}
