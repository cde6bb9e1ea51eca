import type { SolanaRpc } from "../../../lib/ports/solana-rpc";
import { signatureOf } from "../worlds/relay-rig";
import type { SpendingWorld } from "../worlds/spending-world";
import { unavailable } from "./fake-deps";

/**
 * The fate of bytes that a node accepts. Bytes that wait land when the test releases them, if their blockhash is still
 * valid.
 */
export type Fate = "land" | "get lost" | "wait" | "fail on the chain";
type Mood = "good" | "behind" | "down" | "losing answers to sends";

/** Accesses the staged chain through a node that fails as real nodes do. */
export interface MoodyNode {
  fate: Fate;
  mood: Mood;
  /** Whether the wallet cannot pay. Nodes then refuse its transactions, and none of them lands. */
  isEmpty: boolean;
  /** Signatures of the transactions that the service handed to a node. */
  letOut: Set<string>;
  /** @param isDead returns whether the calling process has died; its transactions are then dropped */
  rpcOf(isDead: () => boolean): SolanaRpc;
  /** Submits bytes to the node, independently of the service. */
  submit(bytes: Uint8Array): void;
  release(): void;
  /** Returns whether the transaction is on the chain without an error. */
  hasLanded(signature: string): boolean;
}

/** Lag of about eight seconds. Such a node knows neither the newest payment nor the newest blockhash. */
const LAG_SLOTS = 20;

export function moodyNode(world: SpendingWorld): MoodyNode {
  const { rpc, chain } = world.deps;
  const waiting: Uint8Array[] = [];
  const knows = (signature: string) => chain.status(signature, true) !== null;

  const { simulation } = chain;
  chain.simulation = (bytes) =>
    node.isEmpty ? { error: "InsufficientFundsForFee", logs: [], unitsConsumed: 0 } : simulation(bytes);
  world.deps.before = () => {};
  // A lagging node answers with an older state.
  const [history, transactions] = [
    chain.history.get.bind(chain.history),
    chain.transactions.get.bind(chain.transactions),
  ];
  chain.history.get = (address) => history(address)?.filter(({ signature }) => knows(signature));
  chain.transactions.get = (signature) => (knows(signature) ? transactions(signature) : undefined);

  const node: MoodyNode = {
    ...{ fate: "land", mood: "good", isEmpty: false },
    letOut: new Set(),
    submit(bytes) {
      if (node.isEmpty) return;
      if (node.fate === "wait") waiting.push(bytes);
      if (node.fate === "land") world.putOnChain(bytes);
      if (node.fate === "fail on the chain") world.putOnChain(bytes, "InstructionError");
    },
    release() {
      for (const bytes of waiting.splice(0)) world.putOnChain(bytes);
    },
    hasLanded(signature) {
      world.lag = 0;
      return chain.status(signature, true)?.error === null;
    },
    rpcOf(isDead) {
      const view: SolanaRpc = {
        ...rpc,
        send: async (bytes) => {
          if (isDead()) return;
          node.letOut.add(signatureOf(bytes));
          node.submit(bytes);
          if (node.mood === "losing answers to sends") throw unavailable();
        },
      };
      return new Proxy(view, {
        get(target, method: string) {
          const member = Reflect.get(target, method) as (...args: unknown[]) => unknown;
          if (method === "invalidate") return member;
          return async (...args: unknown[]) => {
            if (node.mood === "down") throw unavailable();
            world.lag = node.mood === "behind" ? LAG_SLOTS : 0;
            return member(...args);
          };
        },
      });
    },
  };
  return node;
}
