import { describe, expect, test } from "vitest";
import { createBucket, withBucket } from "../../../../lib/clients/quota/bucket";
import { meterPorts } from "../../../../lib/clients/quota/meter-ports";
import type { QuotaUser } from "../../../../lib/clients/quota/quota-port";
import { buildWrapContract } from "../../../../lib/contracts/build-wrap";
import type { Clock } from "../../../../lib/ports/clock";
import { buildWrap } from "../../../../lib/services/build-wrap";
import { getPortfolio } from "../../../../lib/services/get-portfolio";
import { parseInput } from "../../../support/client/contract-input";
import { createFakeDeps, createSolAccount } from "../../../support/fakes/fake-deps";
import { createManualClock } from "../../../support/fakes/manual-clock";
import { answerResults, createAddress, createRpcClient, STAGED_CONTEXT } from "../../../support/fakes/staged-rpc";
import { startStagedServerForFile } from "../../../support/fakes/staged-server";
import { toTestWallet } from "../../../support/fixtures/test-wallets";

const ADDRESS = createAddress();
const READER: QuotaUser = { priority: "other", kind: "address", id: "reader" };
const SAVER: QuotaUser = { priority: "money", kind: "address", id: "saver" };
const node = await startStagedServerForFile();

const createRpcBucket = (clock: Clock, gapMs = 1_000) =>
  createBucket({ upstream: "rpc", gapMs, burst: 8, maxWaitMs: 3_000, clock });

function createLimitedRpc() {
  const clock = createManualClock();
  return createRpcClient(node, { clock, bucket: createRpcBucket(clock) }).quotaRpc;
}

/** Returns whether the promise has settled by now. */
async function hasSettled(pending: Promise<unknown>): Promise<boolean> {
  const nextTurn = new Promise<boolean>((resolve) => setImmediate(resolve, false));
  const settled = pending.then(() => true).catch(() => true);
  return Promise.race([settled, nextTurn]);
}

const VALID_BLOCKHASH = { isBlockhashValid: { context: STAGED_CONTEXT, value: true } };
/** Makes calls of a public reader. */
const makeCalls = (rpc: ReturnType<typeof createLimitedRpc>, callCount: number) =>
  Promise.all(Array.from({ length: callCount }, () => rpc.isBlockhashValid(READER, ADDRESS)));

/** Returns whether a further call of a public reader waits, so that a later call of a saver reaches the node alone. */
async function isPublicQuotaUsedUp(rpc: ReturnType<typeof createLimitedRpc>): Promise<boolean> {
  const requestCount = node.requests.length;
  makeCalls(rpc, 1).catch(() => {});
  await rpc.isBlockhashValid(SAVER, ADDRESS);
  return node.requests.length === requestCount + 1;
}

describe("the bucket of node calls", () => {
  test("lets a build make the read for which a public caller without quota waits", async () => {
    node.stage = answerResults({
      ...VALID_BLOCKHASH,
      getMultipleAccounts: { context: STAGED_CONTEXT, value: [null] },
    });
    const rpc = createLimitedRpc();
    await makeCalls(rpc, 4);
    expect(await isPublicQuotaUsedUp(rpc)).toBe(true);
    const publicRead = rpc.readAccounts(READER, [ADDRESS]);
    expect(await rpc.readAccounts(SAVER, [ADDRESS])).toEqual([null]);
    expect(await publicRead).toEqual([null]);
    expect(node.requests.filter(({ body }) => body.includes("getMultipleAccounts"))).toHaveLength(1);
  });
});

test("while one client floods portfolios, a wrap is built at once and another client's portfolio within a second", async () => {
  const deps = createFakeDeps();
  const bucket = createRpcBucket(deps.clock, 100);
  // The rent is cached for all callers, so this test does not count its calls.
  const readRentExemptMinimum = (_: QuotaUser, bytes: number) => deps.rpc.readRentExemptMinimum(bytes);
  const meterRequest = meterPorts(deps, [], { rpc: { ...withBucket(bucket, deps.rpc), readRentExemptMinimum } });
  const createRequestDeps = (quotaUser: QuotaUser) => {
    const request = meterRequest();
    Object.assign(request.quotaUser, quotaUser);
    return request.deps;
  };
  const user = toTestWallet("user").address;
  const service = toTestWallet("service").address;
  deps.chain.accounts.set(user, createSolAccount(10n ** 9n));
  const answeredCalls: string[] = [];
  const wallets = Array.from({ length: 20 }, (_, walletIndex) => toTestWallet(`read ${walletIndex}`).address);
  const requestPortfolio = (name: string, wallet: string) =>
    getPortfolio(createRequestDeps({ ...READER, id: name }), { address: wallet })
      .then(() => answeredCalls.push(name))
      .catch(() => {});
  for (let second = 0; second < 5; second++) {
    for (const wallet of wallets) void requestPortfolio("flooder", wallet);
    await deps.clock.advance(0);
    const body = { txValueUsd: 27.63, userPubkey: user, serviceWalletPubkey: service };
    const pendingWrap = buildWrap(createRequestDeps(SAVER), parseInput(buildWrapContract, body));
    expect(await hasSettled(pendingWrap)).toBe(true);
    expect((await pendingWrap).instructions).toHaveLength(2);
    await deps.clock.advance(1_000);
  }
  void requestPortfolio("other", toTestWallet("other").address);
  await deps.clock.advance(1_000);
  expect(answeredCalls).toContain("other");
});
