import { afterEach, describe, expect, inject, test } from "vitest";
import { healSandbox, newSaver, stageFault, UPSTREAM_TEXT } from "../support/chain/chain";
import { data, fund, get, newWallet, post } from "../support/client/client";

afterEach(healSandbox);

const read = (address: string, query = "") => data(get(`/api/accumulator/${address}${query}`));

describe("200", () => {
  test("reports no savings and the whole default threshold as missing for a wallet that does not exist", async () => {
    const { address } = await newWallet();
    expect(await read(address)).toEqual({
      walletAddress: address,
      network: "sandbox",
      balanceSol: 0,
      balanceLamports: 0,
      balanceUsd: 0,
      investableLamports: 0,
      investableUsd: 0,
      solPriceUsd: expect.any(Number),
      thresholdUsd: 5,
      thresholdReached: false,
      remaining: 5,
    });
  });

  test("reports the investable amount that build would swap and the portfolio shows", async () => {
    const { user, service } = await newSaver({ userSol: 0, serviceSol: 0.5 });
    const body = { serviceWalletPubkey: service.address };
    const { swappableLamports } = await data(post("/api/swap/build", body, { headers: user.headers }));
    const { investableLamports, investableUsd, solPriceUsd } = await read(service.address);
    expect(investableLamports).toBe(swappableLamports);
    expect(investableUsd).toBeCloseTo((investableLamports / 1e9) * solPriceUsd, 5);
    const portfolio = await data(get(`/api/portfolio/${service.address}`));
    expect(portfolio).toMatchObject({ investableLamports, investableUsd });
  });

  test("shows a deposit through the service in the next read", async () => {
    const { address } = await newWallet();
    await read(address);
    await fund(address, 1);
    expect((await read(address)).balanceLamports).toBe(1_000_000_000);
  });
});

describe("400", () => {
  test("refuses an address with malformed percent-encoding", async () => {
    const { status, body, text } = await get("/api/accumulator/%ff%zz");
    if (inject("door") === "server") expect([status, body?.code]).toEqual([400, "invalid_address"]);
    // Next refuses such a path before any route runs, with these three words and its own status.
    else expect(text).toBe("Internal Server Error");
  });
});

describe("50x", () => {
  test("504: reports a node that times out, and recovers within seconds when the node answers", async () => {
    const { address } = await newWallet();
    await stageFault("getMultipleAccounts", "slow", 30_000);
    const { status, body, text } = await get(`/api/accumulator/${address}`);
    expect([status, body?.code]).toEqual([504, "upstream_timeout"]);
    expect(text).not.toMatch(UPSTREAM_TEXT);
    await healSandbox();
    const again = async () => (await get(`/api/accumulator/${address}`)).status;
    await expect.poll(again, { timeout: 30_000, interval: 500 }).toBe(200);
  });
});
