import { beforeEach, describe, expect, test } from "vitest";
import { parseRevocation, runRevocation } from "../../../../lib/cli/commands/recover";
import { ASSETS } from "../../../../lib/domain/assets";
import { deriveUsdcAccount } from "../../../../lib/domain/dollar-accounts";
import { encodeMint } from "../../../../lib/sandbox/chain/token-accounts";
import { inspectAllowance, revokeAllowance } from "../../../../lib/sdk/recover/revoke-allowance";
import { TOKEN_PROGRAM } from "../../../../lib/solana/programs";
import { buildApproveChecked, buildTransferChecked } from "../../../../lib/solana/token-instructions";
import { ONE_SOL, putAccount, putTokens } from "../../../support/chain/sandbox-rig";
import { toTestWallet } from "../../../support/fixtures/test-wallets";
import { createRecoverRig } from "../../../support/worlds/recover-rig";
import { buildTransaction } from "../../../support/worlds/relay-rig";

/* The end of an allowance with the main key and a node, without the service, on the sandbox's real Token program. */

const { USDC } = ASSETS;
const delegate = toTestWallet("savings");
let rig: ReturnType<typeof createRecoverRig>;

beforeEach(() => {
  rig = createRecoverRig();
  const { chain, owner } = rig;
  putAccount(chain, USDC.mint, TOKEN_PROGRAM, encodeMint(null, USDC.decimals));
  for (const { address } of [owner, delegate]) {
    putTokens(chain, address, USDC.mint, 100_000_000n);
    chain.airdrop(address, ONE_SOL);
  }
  const token = { account: deriveUsdcAccount(owner.address), owner: owner.address, ...USDC };
  send([buildApproveChecked({ ...token, delegate: delegate.address, amount: 25_000_000n })], owner);
});

function send(instructions: Parameters<typeof buildTransaction>[0], signer = rig.owner) {
  const { blockhash } = rig.chain.getLatestBlockhash();
  return rig.chain.findTransaction(rig.chain.send(buildTransaction(instructions, [signer], blockhash)));
}
const takeOneDollar = () => {
  const [source, destination] = [rig.owner, delegate].map(({ address }) => deriveUsdcAccount(address));
  const token = { source: source!, destination: destination!, authority: delegate.address, ...USDC };
  return buildTransferChecked({ ...token, amount: 1_000_000n });
};
const getOptions = () => ({ owner: rig.wallet, chain: rig.connection, clock: rig.clock });

test("ends an allowance, after which the delegate takes nothing more", async () => {
  expect(await inspectAllowance(getOptions())).toMatchObject({ delegate: delegate.address, amount: 25_000_000n });
  const { signature } = await revokeAllowance(getOptions());
  expect(rig.chain.findTransaction(signature!)).toMatchObject({ err: null });
  expect(await inspectAllowance(getOptions())).toMatchObject({ delegate: null, amount: 0n });
  rig.chain.advanceSlots(1);
  expect(() => send([takeOneDollar()], delegate)).toThrow();
});

test("sends nothing without an allowance", async () => {
  await revokeAllowance(getOptions());
  const { length } = rig.listSentTransactions();
  expect((await revokeAllowance(getOptions())).signature).toBeNull();
  expect(rig.listSentTransactions()).toHaveLength(length);
});

describe("recover --revoke-allowance", () => {
  const run = async (overrides = {}) => {
    const lines: string[] = [];
    const options = { ...getOptions(), isDryRun: false, isJson: false, ...overrides };
    return [await runRevocation(options, (line) => lines.push(line)), lines.join("\n")];
  };

  test("names the delegate and what it may take, and ends it unless it is a dry run", async () => {
    const text = `${delegate.address} may take 25 USDC from your account ${deriveUsdcAccount(rig.owner.address)}.`;
    expect(await run({ isDryRun: true })).toEqual([0, `${text}\nThis would end it.`]);
    expect(await run()).toEqual([0, expect.stringMatching(/may take 25 USDC.*\nEnded: \w+$/)]);
    expect(await run()).toEqual([3, "Nobody may take USDC from your account."]);
  });

  test.each([
    ["no key file", { rpc: "http://127.0.0.1:8899" }],
    ["no node", { keypair: "id.json" }],
    ["another wallet", { rpc: "http://127.0.0.1:8899", keypair: "id.json", owner: delegate.address }],
    ["an asset", { rpc: "http://127.0.0.1:8899", keypair: "id.json", asset: "BTC" as const }],
  ])("is refused with %s", (_name, options) => {
    expect(() => parseRevocation(options)).toThrow(/--/);
  });
});
