import type { SolanaSignInFeature, SolanaSignMessageFeature } from "@solana/wallet-standard-features";
import { StandardWalletAdapter } from "@solana/wallet-standard-wallet-adapter-base";
import type { Wallet, WalletAccount } from "@wallet-standard/base";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { describe, expect, test } from "vitest";
import { createNamedWallet } from "@/app/_client/wallet/named-wallet";
import { encodeUtf8 } from "@/lib/solana/bytes";
import { listHeaderlessMessages } from "@/lib/solana/offchain-message";
import { encodeOffchainMessage } from "../../support/fixtures/offchain-messages";

const FEATURES = ["solana:signMessage", "solana:signTransaction"] as const;
const keys = nacl.sign.keyPair();
const ACCOUNT: WalletAccount = {
  address: bs58.encode(keys.publicKey),
  publicKey: keys.publicKey,
  chains: ["solana:mainnet"],
  features: FEATURES,
};

interface Answers {
  accounts?: WalletAccount[];
  signIn?: SolanaSignInFeature["solana:signIn"]["signIn"];
  signMessage?: SolanaSignMessageFeature["solana:signMessage"]["signMessage"];
}

/** As an extension registers it: frozen, and with the members on the object itself. */
function createWallet({ accounts = [ACCOUNT], signIn, signMessage }: Answers = {}, name = "Wallet"): Wallet {
  return Object.freeze({
    version: "1.0.0",
    name,
    icon: "data:image/png;base64,",
    chains: ["solana:mainnet"],
    accounts,
    features: {
      "standard:connect": { version: "1.0.0", connect: async () => ({ accounts }) },
      "standard:events": { version: "1.0.0", on: () => () => {} },
      "solana:signTransaction": { version: "1.0.0", supportedTransactionVersions: [0] },
      ...(signIn && { "solana:signIn": { version: "1.0.0", signIn } }),
      ...(signMessage && { "solana:signMessage": { version: "1.0.0", signMessage } }),
    },
  } as unknown as Wallet);
}

const createAdapter = (answers: Answers) =>
  new StandardWalletAdapter({ wallet: createNamedWallet(createWallet(answers), "Wallet (2)") as never });

describe("a sign-in answer that names the account by its address alone", () => {
  const bareAccount = { address: ACCOUNT.address } as WalletAccount;
  const signIn: Answers["signIn"] = async () => [
    { account: bareAccount, signedMessage: new Uint8Array(1), signature: new Uint8Array(64) },
  ];

  test("connects an account that the wallet does not list yet, with all features of the wallet", async () => {
    const answerWithoutFeatures: Answers["signIn"] = async () => [
      { ...(await signIn())[0]!, account: { ...ACCOUNT, features: [] } },
    ];
    for (const answer of [signIn, answerWithoutFeatures]) {
      const adapter = createAdapter({ accounts: [], signIn: answer });
      const { account } = await adapter.signIn!();
      expect(account).toMatchObject({ address: ACCOUNT.address, publicKey: ACCOUNT.publicKey });
      expect(adapter.signTransaction).toBeDefined();
    }
  });
});

describe("a wallet that says that it signed another text", () => {
  const message = encodeUtf8("Sign this.");
  const signers = [ACCOUNT.address];
  const offchainMessages = [
    encodeOffchainMessage(0, "Sign this.", signers),
    encodeOffchainMessage(0, "Sign this.", signers, { format: 1 }),
    encodeOffchainMessage(1, "Sign this.", signers),
  ];
  const sign = (signedText: Uint8Array, statedText: Uint8Array) =>
    createAdapter({
      signMessage: async () => [
        { signedMessage: statedText, signature: nacl.sign.detached(signedText, keys.secretKey) },
      ],
      signIn: async () => [{ account: ACCOUNT, signedMessage: message, signature: new Uint8Array(64) }],
    });
  const signWith = async (adapter: StandardWalletAdapter) => {
    await adapter.signIn!();
    return adapter.signMessage!(message);
  };

  test("fails with the name of that fault", async () => {
    const application = Uint8Array.from(offchainMessages[0]!).fill(1, 17, 49);
    const otherMessages = [
      ...listHeaderlessMessages(message),
      application,
      encodeOffchainMessage(1, "Sign that.", signers),
      encodeUtf8("Sign that."),
    ];
    for (const otherText of otherMessages)
      await expect(signWith(sign(otherText, otherText))).rejects.toMatchObject({
        error: { name: "WrongTextSignedError" },
      });
  });

  test("may have signed an off-chain message that says the text", async () => {
    for (const offchainMessage of offchainMessages)
      expect(await signWith(sign(offchainMessage, offchainMessage))).toHaveLength(64);
  });

  test("is believed only if its signature is one over that text", async () => {
    expect(await signWith(sign(message, encodeUtf8("Sign that.")))).toHaveLength(64);
    expect(await signWith(sign(message, message))).toHaveLength(64);
  });
});
