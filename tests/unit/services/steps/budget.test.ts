import { beforeEach, expect, test } from "vitest";
import { createMeasures } from "../../../../lib/clients/solana/measures";
import { buildWrapContract } from "../../../../lib/contracts/build-wrap";
import type { Json } from "../../../../lib/ports/json";
import { buildWrap } from "../../../../lib/services/build-wrap";
import { addUnitMargin } from "../../../../lib/solana/budget";
import { toBase64 } from "../../../../lib/solana/bytes";
import { buildSetComputeUnitLimit } from "../../../../lib/solana/compute-budget";
import { readTransaction } from "../../../../lib/solana/read-transaction";
import { callService } from "../../../support/client/contract-input";
import {
  createFakeDeps,
  createOutage,
  createSimulation,
  createSolAccount,
  type FakeDeps,
  setPrices,
} from "../../../support/fakes/fake-deps";
import {
  buildTransaction,
  deriveServiceWallet,
  postSigned,
  readErrorCode,
  signBuild,
  stranger,
  user,
} from "../../../support/worlds/relay-rig";

/** Units that a marked saving uses in the staged simulations. */
const USED_UNITS = 1_263;
const UNIT_LIMIT = addUnitMargin(USED_UNITS);
/** The errors of two programs that lack units. */
const OUT_OF_UNITS = ["ComputationalBudgetExceeded", "ProgramFailedToComplete"].map((error) => ({
  InstructionError: [3, error],
}));

let deps: FakeDeps;
let serviceWallet: string;
let savingCount = 0;
beforeEach(async () => {
  deps = createFakeDeps();
  deps.measures = createMeasures({ clock: deps.clock, kv: deps.kv });
  deps.chain.simulate = createSimulation(null, USED_UNITS);
  serviceWallet = await deriveServiceWallet(deps);
  for (const { address } of [user, stranger]) deps.chain.accounts.set(address, createSolAccount(10n ** 9n));
});

/** Builds a saving with a mark. */
function buildSaving(userPubkey = user.address) {
  setPrices(deps);
  return callService(buildWrapContract, buildWrap, deps, {
    txValueUsd: 27.63,
    userPubkey,
    serviceWalletPubkey: serviceWallet,
    reference: `order ${savingCount++}`,
  });
}
const readLimit = async () => (await buildSaving()).computeUnits;

/** Posts signed bytes whose simulation fails with this error. @returns the code of the refusal */
async function postRefused(bytes: Uint8Array, error: Json) {
  deps.chain.simulate = createSimulation(error);
  return postSigned(deps, bytes).then(() => null, readErrorCode);
}

test.each(OUT_OF_UNITS)(
  "a saving that is refused with %j makes the next one ask for twice the units",
  async (error) => {
    const saving = signBuild(await buildSaving());
    expect(readTransaction(toBase64(saving)).unitLimit).toBe(UNIT_LIMIT);
    expect(await postRefused(saving, error)).toBe("simulation_failed");
    const nextLimit = await readLimit();
    expect(nextLimit).toBeGreaterThanOrEqual(2 * UNIT_LIMIT);
    expect(nextLimit).toBeLessThanOrEqual(2 * UNIT_LIMIT + 300);
    // An instance that starts now reads the same number from the store.
    deps.measures = createMeasures({ clock: deps.clock, kv: deps.kv });
    expect(await readLimit()).toBe(nextLimit);
  },
);

test("a saving that is refused for another reason changes no limit", async () => {
  const saving = signBuild(await buildSaving());
  expect(await postRefused(saving, { InstructionError: [0, { Custom: 1 }] })).toBe("simulation_failed");
  expect(await readLimit()).toBe(UNIT_LIMIT);
});

test("savings that were built before the limit was doubled do not double it again", async () => {
  const [first, second] = [signBuild(await buildSaving()), signBuild(await buildSaving())];
  await postRefused(first, OUT_OF_UNITS[0]!);
  const nextLimit = await readLimit();
  await postRefused(second, OUT_OF_UNITS[0]!);
  expect(await readLimit()).toBe(nextLimit);
});

test("a stranger's transaction with a low limit changes no limit", async () => {
  const { instructions } = await buildSaving(stranger.address);
  const bytes = buildTransaction([buildSetComputeUnitLimit(UNIT_LIMIT - 1), ...instructions], [stranger]);
  expect(await postRefused(bytes, OUT_OF_UNITS[0]!)).toBe("simulation_failed");
  expect(await readLimit()).toBe(UNIT_LIMIT);
});

test("a stranger's low limit with a byte too many, which the runtime accepts, changes no limit", async () => {
  const { instructions } = await buildSaving(stranger.address);
  const limit = buildSetComputeUnitLimit(400);
  const longLimit = { ...limit, data: toBase64(Uint8Array.of(...Buffer.from(limit.data, "base64"), 0)) };
  const bytes = buildTransaction([longLimit, ...instructions], [stranger]);
  expect(await postRefused(bytes, OUT_OF_UNITS[0]!)).toBe("simulation_failed");
  expect(await readLimit()).toBe(UNIT_LIMIT);
});

test("a fee that no node tells is the highest of the bytes, and is not kept", async () => {
  const readFee = deps.rpc.readFee;
  deps.rpc.readFee = () => Promise.reject(createOutage());
  const { breakdown, transaction } = await buildSaving();
  const { highestFeeLamports } = readTransaction(transaction!.base64);
  expect(BigInt(breakdown.networkFeeLamports)).toBe(highestFeeLamports);
  deps.rpc.readFee = readFee;
  expect((await buildSaving()).breakdown.networkFeeLamports).toBe(5_000);
});

test("a stranger's memo with more signers changes no limit of a saving", async () => {
  const { instructions } = await buildSaving(stranger.address);
  const [fee, memo, saving] = instructions;
  const signer = { pubkey: user.address, isSigner: true, isWritable: false };
  const longMemo = { ...memo!, accounts: [...memo!.accounts, signer] };
  const allInstructions = [buildSetComputeUnitLimit(100_000), fee!, longMemo, saving!];
  const bytes = buildTransaction(allInstructions, [stranger, user]);
  expect(await postRefused(bytes, OUT_OF_UNITS[0]!)).toBe("simulation_failed");
  expect(await readLimit()).toBe(UNIT_LIMIT);
});

test("a stranger's transaction sets no limit for a shape that was never measured", async () => {
  const { instructions } = await buildSaving(stranger.address);
  deps.measures = createMeasures({ clock: deps.clock });
  const bytes = buildTransaction([buildSetComputeUnitLimit(90_000), ...instructions], [stranger]);
  await postRefused(bytes, OUT_OF_UNITS[0]!);
  deps.chain.simulate = createSimulation(null, USED_UNITS);
  expect(await readLimit()).toBe(UNIT_LIMIT);
});
