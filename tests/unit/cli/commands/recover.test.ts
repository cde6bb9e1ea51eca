import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { VersionedTransaction } from "@solana/web3.js";
import nacl from "tweetnacl";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { parseRecovery, type RecoveryRun, runRecovery } from "../../../../lib/cli/commands/recover";
import { ASSETS } from "../../../../lib/domain/assets";
import { deriveServiceWalletPublicKey } from "../../../../lib/domain/service-wallet";
import { createDerivationText } from "../../../../lib/sdk/recover/recover";
import { toBase64 } from "../../../../lib/solana/bytes";
import { ONE_SOL } from "../../../support/chain/sandbox-rig";
import { runCommand } from "../../../support/client/cli-user";
import { encodeOffchainMessage } from "../../../support/fixtures/offchain-messages";
import { signText, toTestWallet } from "../../../support/fixtures/test-wallets";
import { createFolderForTest } from "../../../support/store/temp-folder";
import { createRecoverRig } from "../../../support/worlds/recover-rig";

const WALLET = toTestWallet("owner");
const NODE_OPTIONS = ["--origin", "sandbox", "--rpc", "http://127.0.0.1:8899"];

/** Writes the owner's key file, the owner's signature over the derivation text, and a JSON file that holds no key. */
async function createFiles() {
  const folder = createFolderForTest();
  const writeText = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return {
    keypair: writeText("id.json", JSON.stringify([...WALLET.keys.secretKey])),
    writeText,
    signature: writeText("signature", `${signText(WALLET, createDerivationText("sandbox"))}\n`),
    nonsense: writeText("nonsense", '{"a":1}'),
  };
}

describe("the options of recover", () => {
  test("accept a Solana CLI key file or an external signature of the same owner", async () => {
    const { keypair, signature } = await createFiles();
    const message = new TextEncoder().encode(createDerivationText("sandbox"));
    const signAsOwner = async (options: object) => {
      const recovery = parseRecovery({ origin: "sandbox", rpc: "http://127.0.0.1:8899", ...options }) as RecoveryRun;
      return [recovery.owner.address, await recovery.owner.signMessage(message)];
    };
    const fromKeyFile = await signAsOwner({ keypair });
    expect(fromKeyFile[0]).toBe(WALLET.address);
    expect(await signAsOwner({ owner: WALLET.address, signature })).toEqual(fromKeyFile);
  });

  test("accept a signature over an off-chain message, which opens the service wallet of its form", async () => {
    const { writeText } = await createFiles();
    const text = createDerivationText("sandbox");
    const messages = [
      ["offchain-0", encodeOffchainMessage(0, text, [WALLET.address])],
      ["offchain-0", encodeOffchainMessage(0, text, [WALLET.address], { format: 1 })],
      ["offchain-1", encodeOffchainMessage(1, text, [WALLET.address])],
    ] as const;
    for (const [form, message] of messages) {
      const signatureBytes = nacl.sign.detached(message, WALLET.keys.secretKey);
      const signature = writeText("recovery", `${toBase64(signatureBytes)}\n`);
      const options = { origin: "sandbox", rpc: "http://127.0.0.1:8899", owner: WALLET.address, signature };
      const rig = createRecoverRig();
      const serviceWallet = deriveServiceWalletPublicKey(signatureBytes, WALLET.address, 0, form);
      rig.chain.airdrop(serviceWallet, ONE_SOL);
      const { connection: chain, clock } = rig;
      const recovery = parseRecovery({ ...options, index: 0 }) as RecoveryRun;
      const lines: string[] = [];
      expect(await runRecovery({ ...recovery, chain, clock }, (line) => lines.push(line))).toBe(0);
      expect(lines.join("\n")).toContain(`Savings wallet ${serviceWallet}`);
      expect(rig.chain.getAccount(serviceWallet)).toBeNull();
    }
  });

  test("print the text to sign for an owner without a signature", async () => {
    vi.stubEnv("ROUNDUP_KEYPAIR", "/nowhere");
    onTestFinished(() => void vi.unstubAllEnvs());
    const argv = ["recover", "--origin", "https://roundup.example", "--owner", WALLET.address];
    expect(await runCommand(argv)).toEqual({
      exitCode: 0,
      outputLines: [createDerivationText("https://roundup.example")],
      errorLines: [],
    });
  });

  test.each([
    [["recover", "--rpc", "http://127.0.0.1:8899"]],
    [["recover", "--origin", "roundup.example", "--owner", WALLET.address]],
    [["recover", ...NODE_OPTIONS]],
    [["recover", ...NODE_OPTIONS, "--keypair", "a", "--owner", WALLET.address]],
    [["recover", ...NODE_OPTIONS, "--keypair", "/nowhere"]],
    [["recover", ...NODE_OPTIONS, "--owner", WALLET.address, "--signature", "/nowhere"]],
    [["recover", "--origin", "sandbox", "--keypair", "KEYPAIR"]],
    [["recover", ...NODE_OPTIONS, "--keypair", "NONSENSE"]],
    [["recover", ...NODE_OPTIONS, "--keypair", "KEYPAIR", "--index", "256"]],
    [["recover", ...NODE_OPTIONS, "--keypair", "KEYPAIR", "--index", "-1"]],
    [["recover", ...NODE_OPTIONS, "--keypair", "KEYPAIR", "--execute"]],
    [["recover", "--origin", "sandbox", "--rpc", "nowhere", "--keypair", "KEYPAIR"]],
    [["recover", "--revoke-allowance", ...NODE_OPTIONS]],
    [["recover", "--revoke-allowance", "--keypair", "KEYPAIR"]],
    [["recover", "--revoke-allowance", ...NODE_OPTIONS, "--keypair", "KEYPAIR", "--owner", WALLET.address]],
    [["recover", "--revoke-allowance", ...NODE_OPTIONS, "--keypair", "KEYPAIR", "--asset", "BTC"]],
  ])("are invalid in %j", async (argv) => {
    const { keypair, nonsense } = await createFiles();
    const filled = argv.map((word) => word.replace("KEYPAIR", keypair).replace("NONSENSE", nonsense));
    const { exitCode, outputLines, errorLines } = await runCommand(filled);
    expect({ exitCode, outputLines }).toEqual({ exitCode: 2, outputLines: [] });
    expect(errorLines.join("\n")).toMatch(/\w/);
  });
});

describe("recover", () => {
  /** Runs a recovery. @returns its exit code and its printed lines, joined */
  async function runRecover(rig: ReturnType<typeof createRecoverRig>, overrides: Partial<RecoveryRun> = {}) {
    const lines: string[] = [];
    const { wallet: owner, connection: chain, clock } = rig;
    const command = { owner, origin: "sandbox", chain, clock, isDryRun: false, isJson: false, ...overrides };
    return { exitCode: await runRecovery(command, (line) => lines.push(line)), output: lines.join("\n") };
  }

  test("sends nothing with --dry-run, and everything without it", async () => {
    const rig = createRecoverRig();
    rig.chain.airdrop(rig.serviceWallet, ONE_SOL);
    const { mint } = rig.putTokens(1_500_000n);
    const dryRun = await runRecover(rig, { isDryRun: true });
    expect(dryRun.exitCode).toBe(0);
    for (const part of [rig.serviceWallet, "  1 SOL", `1.5 ${mint.slice(0, 4)}`, "Would be sent"])
      expect(dryRun.output).toContain(part);
    expect(rig.listSentTransactions()).toEqual([]);

    const result = await runRecover(rig);
    expect(result.exitCode).toBe(0);
    expect(result.output).toMatch(/landed: \w{80,}\n.*Sent to \w+ in 1 transaction/s);
    expect(rig.chain.getAccount(rig.serviceWallet)).toBeNull();
    expect(await runRecover(rig)).toMatchObject({
      exitCode: 3,
      output: expect.stringContaining("This wallet is empty."),
    });
  });

  test("exits 3 with one JSON document when assets stay", async () => {
    const rig = createRecoverRig();
    rig.chain.airdrop(rig.serviceWallet, ONE_SOL);
    rig.putTokens(5n, { isFrozen: true });
    const { exitCode, output } = await runRecover(rig, { isJson: true });
    expect(exitCode).toBe(3);
    const document = { lamports: "1000000000", leftBehind: [{ amount: "5" }], landed: [expect.any(String)] };
    expect(JSON.parse(output)).toMatchObject(document);
  });

  test("exits 3, and says what stays and why, when the node refuses everything", async () => {
    const rig = createRecoverRig();
    rig.chain.airdrop(rig.serviceWallet, ONE_SOL);
    const { mint } = rig.putTokens(1_500_000n, { mint: ASSETS.USDC.mint });
    const simulateTransaction = async (transaction: VersionedTransaction) => {
      const isDraft = transaction.signatures[0]!.every((byte) => byte === 0);
      const err = isDraft ? null : { InstructionError: [0, { Custom: 77 }] };
      return { context: { slot: 10 ** 6 }, value: { err, logs: [], unitsConsumed: 20_000 } };
    };
    const chain = Object.create(rig.connection, { simulateTransaction: { value: simulateTransaction } });
    const { exitCode, output } = await runRecover(rig, { chain });
    expect(exitCode).toBe(3);
    for (const part of ["asset by asset", "Stays: 1.5 USDC", "Stays: 1 SOL", "77", mint])
      expect(output).toContain(part);
    expect(rig.listSentTransactions()).toEqual([]);
  });
});
