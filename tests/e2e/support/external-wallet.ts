import type { Page } from "@playwright/test";
import { createSignInMessageText } from "@solana/wallet-standard-util";
import {
  ComputeBudgetProgram,
  Keypair,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { signWithKey } from "../../../lib/sdk/sign/transactions";
import { fromBase64, toBase64 } from "../../../lib/solana/bytes";
import { listHeaderlessMessages } from "../../../lib/solana/offchain-message";
import { signWithRandomNonce } from "../../support/fakes/sign-with-random-nonce";
import { encodeOffchainMessage } from "../../support/fixtures/offchain-messages";
import { SERVICE_WALLET_TEXT } from "../../support/fixtures/wallet-texts";
import { recordDerivation } from "./secrets";

export type WalletResponse =
  | "agree"
  | "refuse"
  | "locked"
  | "other-account"
  /** Raises the priority fee before it signs, as real wallets do. */
  | "raise-fee"
  | "add-transfer"
  | "random-signature"
  /** Signs a text as an off-chain message of version 0, as hardware wallets do, and does not say so. */
  | "offchain"
  /** As "offchain", and says which message it has signed. */
  | "stated-offchain"
  /** Signs an off-chain message without a signer, as old apps of hardware wallets do, and does not say so. */
  | "old-offchain"
  /** As "old-offchain", and says which message it has signed. */
  | "stated-old-offchain"
  | "with-reason"
  | "silent"
  /** Approves once the test calls `release`. */
  | "later"
  /** Approves the connection but exposes no account. */
  | "empty";

type RequestKind = "connect" | "signIn" | "signMessage" | "signOffchainMessage" | "signTransaction";

export interface ExternalWallet {
  name: string;
  keys: nacl.SignKeyPair;
  address: string;
  response: WalletResponse;
  /** One response for each of the next requests. `response` applies afterwards. */
  nextResponses: WalletResponse[];
  /** The page's requests so far. Silent connections are not included. */
  requests: RequestKind[];
  /** Lets the wallet answer the request that waits with the response "later". */
  release(): void;
  switchAccount(): Promise<void>;
}

interface WalletReply {
  error?: { message: string; code?: number };
  /** The address of the account that the wallet exposes. */
  address?: string;
  /** Public key, signature or signed transaction; base64. */
  bytes?: string;
  /** The text that was signed, if it is not the one that was asked for; base64. */
  signedText?: string;
}

export const WALLET_REASON = "Turn on <b>blind signing</b> on your device.";

type AskWallet = (kind: RequestKind, input: string | null) => Promise<WalletReply>;
type ExposeAccount = (account: { address: string; bytes: string }) => void;
/** The functions of each installed wallet, by their names in the page. */
type WalletWindow = Record<string, unknown>;

const walletCounts = new WeakMap<Page, number>();

const WALLET_NAME = "Test wallet";

const DEFAULT_OPTIONS = {
  signsTexts: true,
  signsOffchain: false,
  /** False for a wallet that sends each transaction as it signs it. */
  signsTransactions: true,
  signsIn: false,
  /** Answers a sign-in with the account's address alone. */
  namesAddressOnly: false,
};

/**
 * Installs a wallet as an extension would. It registers through the two events of Wallet Standard before the page's own
 * code runs. Its key stays in the test process. A second wallet of a page has the same name.
 */
export async function installWallet(
  page: Page,
  { keys = nacl.sign.keyPair(), ...options }: Partial<typeof DEFAULT_OPTIONS & { keys: nacl.SignKeyPair }> = {},
): Promise<ExternalWallet> {
  const number = (walletCounts.get(page) ?? 0) + 1;
  walletCounts.set(page, number);
  const functionNames = { ask: `e2eWalletAsk${number}`, expose: `e2eExposeAccount${number}` };
  const otherKeys = nacl.sign.keyPair();
  const describeAccount = () => {
    const { publicKey } = wallet.keys;
    return { address: bs58.encode(publicKey), bytes: toBase64(publicKey) };
  };
  const wallet: ExternalWallet = {
    name: WALLET_NAME,
    keys,
    address: bs58.encode(keys.publicKey),
    response: "agree",
    nextResponses: [],
    requests: [],
    release: () => {},
    async switchAccount() {
      wallet.keys = otherKeys;
      wallet.address = describeAccount().address;
      const input = { name: functionNames.expose, account: describeAccount() };
      await page.evaluate(
        ({ name, account }) => ((window as unknown as WalletWindow)[name] as ExposeAccount)(account),
        input,
      );
    },
  };
  await page.exposeFunction(
    functionNames.ask,
    async (kind: RequestKind, input: string | null): Promise<WalletReply> => {
      // A silent connection restores an earlier approval without a window.
      if (kind === "connect" && input === "silent") return describeAccount();
      wallet.requests.push(kind);
      const response = wallet.nextResponses.shift() ?? wallet.response;
      if (response === "silent") return new Promise(() => {});
      if (response === "later") await new Promise<void>((resolve) => (wallet.release = resolve));
      if (response === "refuse") return { error: { code: 4001, message: "User rejected the request." } };
      if (response === "with-reason") return { error: { message: WALLET_REASON } };
      if (response === "locked") return { error: { message: "Wallet is locked" } };
      if (kind === "connect") return response === "empty" ? {} : describeAccount();
      const signer = response === "other-account" ? otherKeys : wallet.keys;
      if (kind === "signIn") {
        const text = createSignInMessageText({ ...JSON.parse(input!), address: wallet.address });
        const signedMessage = Buffer.from(text);
        const signature = nacl.sign.detached(signedMessage, signer.secretKey);
        const parts = [wallet.keys.publicKey, signature, signedMessage];
        return { address: wallet.address, bytes: toBase64(Buffer.concat(parts)) };
      }
      const bytes = fromBase64(input!)!;
      if (kind === "signTransaction") {
        const transaction = tamperIfAsked(bytes, response);
        if (signer === otherKeys) return { bytes: toBase64(signWithOtherKey(transaction, signer)) };
        return { bytes: signWithKey(toBase64(transaction), signer) };
      }
      const text = Buffer.from(bytes).toString();
      const offchainMessage = writeOffchainMessage(kind, response, text, wallet.address);
      if (offchainMessage) {
        const signature = nacl.sign.detached(offchainMessage, signer.secretKey);
        const form = kind === "signOffchainMessage" ? "offchain-1" : "offchain-0";
        if (text === SERVICE_WALLET_TEXT) recordDerivation(signature, wallet.address, form);
        const isStated = kind === "signOffchainMessage" || response.startsWith("stated-");
        return { bytes: toBase64(signature), ...(isStated && { signedText: toBase64(offchainMessage) }) };
      }
      const signature =
        response === "random-signature"
          ? signWithRandomNonce(bytes, signer)
          : nacl.sign.detached(bytes, signer.secretKey);
      // The service key derives from this signature, so the tests check that no request contains it.
      if (text === SERVICE_WALLET_TEXT) recordDerivation(signature, wallet.address);
      return { bytes: toBase64(signature) };
    },
  );
  await page.addInitScript(registerWallet, { ...DEFAULT_OPTIONS, ...options, name: WALLET_NAME, functionNames });
  return wallet;
}

/** Returns the off-chain message that the wallet signs for a text. Returns null if it signs the plain text. */
function writeOffchainMessage(kind: RequestKind, response: WalletResponse, text: string, address: string) {
  if (kind === "signOffchainMessage") return encodeOffchainMessage(1, text, [address]);
  if (response.endsWith("old-offchain")) return listHeaderlessMessages(Buffer.from(text))[0]!;
  return response.endsWith("offchain") ? encodeOffchainMessage(0, text, [address]) : null;
}

function signWithOtherKey(transaction: Uint8Array, { secretKey }: nacl.SignKeyPair): Uint8Array {
  const signedTransaction = Uint8Array.from(transaction);
  signedTransaction.set(nacl.sign.detached(transaction.subarray(1 + 64 * transaction[0]!), secretKey), 1);
  return signedTransaction;
}

function tamperIfAsked(bytes: Uint8Array, response: WalletResponse): Uint8Array {
  const { message } = VersionedTransaction.deserialize(bytes);
  const decompiled = TransactionMessage.decompile(message);
  const { instructions, payerKey } = decompiled;
  if (response === "raise-fee") {
    const others = instructions.filter(({ programId }) => !programId.equals(ComputeBudgetProgram.programId));
    const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 50_000 });
    const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 20_000 });
    decompiled.instructions = [limit, price, ...others];
  } else if (response === "add-transfer") {
    const transfer = { fromPubkey: payerKey, toPubkey: Keypair.generate().publicKey, lamports: 1_000_000 };
    instructions.push(SystemProgram.transfer(transfer));
  } else return bytes;
  return new VersionedTransaction(decompiled.compileToV0Message()).serialize();
}

type WalletOptions = typeof DEFAULT_OPTIONS & { name: string; functionNames: { ask: string; expose: string } };

/** Registers the wallet. Runs in the page before the page's own code. */
function registerWallet(options: WalletOptions): void {
  const { name, signsTexts, signsOffchain, signsTransactions, signsIn, namesAddressOnly, functionNames } = options;
  const ALLOWED = `allowed-${functionNames.ask}`;
  const pageFunctions = window as unknown as WalletWindow;
  const decodeBase64 = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const encodeBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));
  const ask = async (kind: RequestKind, input: string | null) => {
    const askWallet = pageFunctions[functionNames.ask] as AskWallet;
    const { error, address, bytes, signedText } = await askWallet(kind, input);
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    const decode = (text?: string) => (text === undefined ? undefined : decodeBase64(text));
    return { address, bytes: decode(bytes), signedText: decode(signedText) };
  };
  const chains = ["solana:mainnet", "solana:devnet", "solana:localnet"];
  const accountFeatures = [
    ...(signsTexts ? ["solana:signMessage"] : []),
    ...(signsOffchain ? ["solana:signOffchainMessage"] : []),
    signsTransactions ? "solana:signTransaction" : "solana:signAndSendTransaction",
  ];
  const listeners = new Set<(change: object) => void>();
  let accounts: object[] = [];
  /** Exposes the account, or none without an address. */
  const exposeAccount = (address?: string, publicKey?: Uint8Array) => {
    accounts = address ? [{ address, publicKey, chains, features: accountFeatures }] : [];
    for (const listener of listeners) listener({ accounts });
  };

  const features = {
    "standard:connect": {
      version: "1.0.0",
      async connect({ silent = false }: { silent?: boolean } = {}) {
        if (silent && !localStorage.getItem(ALLOWED)) return { accounts: [] };
        if (accounts.length === 0) {
          const { address, bytes } = await ask("connect", silent ? "silent" : null);
          exposeAccount(address, bytes);
        }
        if (accounts.length > 0) localStorage.setItem(ALLOWED, "1");
        return { accounts };
      },
    },
    "standard:disconnect": {
      version: "1.0.0",
      async disconnect() {
        localStorage.removeItem(ALLOWED);
        exposeAccount();
      },
    },
    "standard:events": {
      version: "1.0.0",
      on(_event: string, listener: (change: object) => void) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    ...(signsTexts && {
      "solana:signMessage": {
        version: "1.0.0",
        signMessage: async ({ message }: { message: Uint8Array }) => {
          const { bytes: signature, signedText } = await ask("signMessage", encodeBase64(message));
          return [{ signedMessage: signedText ?? message, signature }];
        },
      },
    }),
    ...(signsOffchain && {
      "solana:signOffchainMessage": {
        version: "1.0.0",
        supportedMessageVersions: [1],
        async signOffchainMessage(input: {
          messageVersion: number;
          message: string;
          account: object;
          requiredSigners: Uint8Array[];
        }) {
          const { messageVersion, message, account, requiredSigners } = input;
          if (messageVersion !== 1 || account !== accounts[0] || requiredSigners.length !== 1)
            throw new Error("The wallet expects version 1, its account and one signer.");
          const text = encodeBase64(new TextEncoder().encode(message));
          const { bytes: signature, signedText } = await ask("signOffchainMessage", text);
          return [{ signedOffchainMessage: signedText, signature }];
        },
      },
    }),
    ...(signsIn && {
      "solana:signIn": {
        version: "1.0.0",
        async signIn(input: object) {
          // Public key, signature and message, one after the other.
          const { address, bytes } = await ask("signIn", JSON.stringify(input));
          exposeAccount(address, bytes!.slice(0, 32));
          localStorage.setItem(ALLOWED, "1");
          const account = namesAddressOnly ? { address } : accounts[0];
          return [{ account, signature: bytes!.slice(32, 96), signedMessage: bytes!.slice(96) }];
        },
      },
    }),
    [signsTransactions ? "solana:signTransaction" : "solana:signAndSendTransaction"]: {
      version: "1.0.0",
      supportedTransactionVersions: ["legacy", 0],
      signTransaction: async ({ transaction }: { transaction: Uint8Array }) => [
        { signedTransaction: (await ask("signTransaction", encodeBase64(transaction))).bytes },
      ],
    },
  };
  const wallet = {
    version: "1.0.0",
    name,
    icon: "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA4IDgiPjxjaXJjbGUgY3g9IjQiIGN5PSI0IiByPSI0IiBmaWxsPSIjNTU0YWY0Ii8+PC9zdmc+",
    chains,
    features,
    get accounts() {
      return accounts;
    },
  };
  interface Api {
    register(wallet: object): void;
  }
  const register = ({ register }: Api) => register(wallet);
  window.addEventListener("wallet-standard:app-ready", (event) => register((event as CustomEvent<Api>).detail));
  window.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: register }));
  const expose: ExposeAccount = ({ address, bytes }) => exposeAccount(address, decodeBase64(bytes));
  pageFunctions[functionNames.expose] = expose;
}
