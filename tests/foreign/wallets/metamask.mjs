import { registerSolanaWalletStandard } from "@metamask/solana-wallet-standard";
import { ed25519 } from "@noble/curves/ed25519";
import { createSignInMessage } from "@solana/wallet-standard-util";
import { Keypair, VersionedTransaction } from "@solana/web3.js";
import bs58 from "bs58";
import { Buffer } from "buffer";

/* Registers MetaMask's own Wallet Standard wallet, with a stand-in for the extension behind it. */

globalThis.Buffer = Buffer;
const keys = Keypair.generate();
const address = keys.publicKey.toBase58();
const sign = (bytes) => ed25519.sign(bytes, keys.secretKey.slice(0, 32));
let session;

const methods = {
  signIn: (params) => answerSigned(createSignInMessage(params)),
  signMessage: ({ message }) => answerSigned(Buffer.from(message, "base64")),
  signTransaction({ transaction }) {
    const signed = VersionedTransaction.deserialize(Buffer.from(transaction, "base64"));
    signed.sign([keys]);
    return { signedTransaction: Buffer.from(signed.serialize()).toString("base64") };
  },
};
const answerSigned = (bytes) => ({
  signedMessage: Buffer.from(bytes).toString("base64"),
  signature: bs58.encode(sign(bytes)),
  signatureType: "ed25519",
});

void registerSolanaWalletStandard({
  client: {
    onNotification: () => () => {},
    getSession: async () => session,
    async createSession({ optionalScopes }) {
      const toAccounts = (scope) => ({ accounts: [`${scope}:${address}`], methods: [], notifications: [] });
      const scopes = Object.keys(optionalScopes).map((scope) => [scope, toAccounts(scope)]);
      session = { sessionScopes: Object.fromEntries(scopes) };
      return session;
    },
    async revokeSession() {
      session = undefined;
    },
    invokeMethod: async ({ request: { method, params } }) => methods[method](params),
  },
});
