"use client";

import {
  SolanaSignMessage,
  type SolanaSignMessageFeature,
  SolanaSignTransaction,
  type SolanaSignTransactionFeature,
} from "@solana/wallet-standard-features";
import type { Wallet, WalletAccount } from "@wallet-standard/base";
import {
  StandardConnect,
  type StandardConnectFeature,
  StandardDisconnect,
  type StandardDisconnectFeature,
  StandardEvents,
  type StandardEventsFeature,
} from "@wallet-standard/features";
import { registerWallet } from "@wallet-standard/wallet";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { createObservable } from "@/lib/sdk/observable";
import { signWithKey } from "@/lib/sdk/sign/transactions";
import { fromBase64, toBase64 } from "@/lib/solana/bytes";
import { browserStore } from "../local-storage/browser-storage";
import { requestApproval } from "./approval";
import { DEMO_SEED_STORAGE_KEY, DEMO_WALLET_NAME, recordDemoWallet } from "./demo-wallet-constants";

const CONNECTED_STORAGE_KEY = "roundup-demo-wallet-connected";
const CHAINS = ["solana:localnet", "solana:devnet", "solana:testnet", "solana:mainnet"] as const;
const ICON =
  "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAzMiAzMiI+PHJlY3Qgd2lkdGg9IjMyIiBoZWlnaHQ9IjMyIiByeD0iOCIgZmlsbD0iIzBhNmIzZCIvPjxwYXRoIGQ9Ik04IDEyaDE2djEwSDh6IiBmaWxsPSJub25lIiBzdHJva2U9IiNmZmYiIHN0cm9rZS13aWR0aD0iMi41Ii8+PGNpcmNsZSBjeD0iMjAiIGN5PSIxNyIgcj0iMS43IiBmaWxsPSIjZmZmIi8+PC9zdmc+";

type Features = StandardConnectFeature &
  StandardDisconnectFeature &
  StandardEventsFeature &
  SolanaSignMessageFeature &
  SolanaSignTransactionFeature;

/** Returns the seed, base64. */
function loadOrCreateSeed(): string {
  const storedSeed = browserStore.get(DEMO_SEED_STORAGE_KEY);
  if (fromBase64(storedSeed ?? "")?.length === 32) return storedSeed!;
  const seed = toBase64(nacl.randomBytes(32));
  browserStore.keep(DEMO_SEED_STORAGE_KEY, seed);
  return seed;
}

/** Signs in sequence, because each input may open the approval dialog. */
async function signOneAfterAnother<Input, Result>(
  inputs: readonly Input[],
  sign: (input: Input) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const input of inputs) results.push(await sign(input));
  return results;
}

/** A wallet for play money. Any script of the page can read its key, so it is loaded only in the sandbox. */
class DemoWallet implements Wallet {
  readonly version = "1.0.0" as const;
  readonly name = DEMO_WALLET_NAME;
  readonly icon = ICON as Wallet["icon"];
  readonly chains = CHAINS;
  readonly #accounts = createObservable<readonly WalletAccount[]>([]);
  #seed: string | null = null;

  get accounts(): readonly WalletAccount[] {
    return this.#accounts.get();
  }

  get features(): Features {
    return {
      [StandardConnect]: { version: "1.0.0", connect: async (input) => this.#connect(input?.silent ?? false) },
      [StandardDisconnect]: { version: "1.0.0", disconnect: async () => this.#disconnect() },
      [StandardEvents]: {
        version: "1.0.0",
        on: (_event, listener) => {
          const notify = listener as (change: { accounts: readonly WalletAccount[] }) => void;
          return this.#accounts.subscribe(() => notify({ accounts: this.accounts }));
        },
      },
      [SolanaSignMessage]: {
        version: "1.0.0",
        signMessage: (...inputs) =>
          signOneAfterAnother(inputs, async ({ message }) => {
            await requestApproval({ text: new TextDecoder().decode(message) });
            return { signedMessage: message, signature: nacl.sign.detached(message, this.#getKeys().secretKey) };
          }),
      },
      [SolanaSignTransaction]: {
        version: "1.0.0",
        supportedTransactionVersions: ["legacy", 0],
        signTransaction: (...inputs) =>
          signOneAfterAnother(inputs, async (input) => {
            const transaction = toBase64(input.transaction);
            await requestApproval({ transaction });
            return { signedTransaction: fromBase64(signWithKey(transaction, this.#getKeys()))! };
          }),
      },
    };
  }

  #connect(isSilent: boolean): { accounts: readonly WalletAccount[] } {
    if (isSilent && browserStore.get(CONNECTED_STORAGE_KEY) === null) return { accounts: [] };
    if (this.accounts.length === 0) {
      this.#seed = loadOrCreateSeed();
      const { publicKey } = this.#getKeys();
      const features = [SolanaSignMessage, SolanaSignTransaction] as const;
      browserStore.keep(CONNECTED_STORAGE_KEY, "1");
      this.#accounts.set([{ address: bs58.encode(publicKey), publicKey, chains: CHAINS, features }]);
    }
    return { accounts: this.accounts };
  }

  #disconnect(): void {
    this.#seed = null;
    browserStore.store(CONNECTED_STORAGE_KEY, null);
    this.#accounts.set([]);
  }

  #getKeys(): nacl.SignKeyPair {
    if (this.#seed === null) throw new Error("The demo wallet is not connected.");
    // Another tab may have deleted the seed. Whatever a deleted wallet receives is lost.
    if (browserStore.get(DEMO_SEED_STORAGE_KEY) !== this.#seed) throw new Error("The demo wallet was deleted.");
    return nacl.sign.keyPair.fromSeed(fromBase64(this.#seed)!);
  }
}

// Register at module scope: the adapter reads the list of wallets once, when it mounts.
const demoWallet = new DemoWallet();
recordDemoWallet(demoWallet);
registerWallet(demoWallet);
