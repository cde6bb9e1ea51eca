import { afterEach, expect, inject, test } from "vitest";
import { buy, healSandbox, newSaver, type Saver, stageFault, UPSTREAM_TEXT } from "../support/chain/chain";
import { expectFailure } from "../support/client/answers";
import { type Answer, get, newWallet, post } from "../support/client/client";

/**
 * A failing chain or market gives an error with a planned code: never an empty wallet, a zero balance, a built
 * transaction or the upstream's text. tests/faults stages failures at every single call.
 */

afterEach(healSandbox);

/** Requests of a fresh saver whose service wallet holds SOL, so that no cache can answer. */
const REQUESTS: Record<string, (saver: Saver) => Promise<Answer>> = {
  "get-accumulator": ({ service }) => get(`/api/accumulator/${service.address}`),
  "get-portfolio": ({ service }) => get(`/api/portfolio/${service.address}`),
  "build-wrap": ({ user, service }) => {
    const body = { txValueUsd: 3.45, userPubkey: user.address, serviceWalletPubkey: service.address };
    return post("/api/wrap", body, { headers: user.headers });
  },
  // Each amount is new, because the service caches recent quotes.
  "quote-swap": () =>
    post("/api/swap/quote", { inputLamports: amount++ }, { headers: { "x-api-key": inject("doors").apiKey } }),
  "build-swap": ({ user, service }) =>
    post("/api/swap/build", { serviceWalletPubkey: service.address }, { headers: user.headers }),
  "build-sale": async (saver) => {
    const body = { serviceWalletPubkey: saver.service.address, asset: "BTC", all: true, into: "SOL" };
    return post("/api/swap/sell", body, { headers: saver.user.headers });
  },
  "build-withdraw": async ({ user, service }) => {
    const body = { serviceWalletPubkey: service.address, destination: user.address, all: true };
    return post("/api/withdraw/build", body, { headers: user.headers });
  },
  airdrop: async () => post("/api/sandbox/airdrop", { address: (await newWallet()).address, sol: 1 }),
};
let amount = 250_000_123;

test.each([
  ["get-accumulator", "getMultipleAccounts", ["error", "garbage"]],
  ["get-portfolio", "getMultipleAccounts", ["error", "garbage"]],
  ["get-portfolio", "getTokenAccountsByOwner", ["error", "garbage"]],
  ["build-wrap", "getMultipleAccounts", ["error", "garbage"]],
  ["quote-swap", "/swap/v2/build", ["error", "garbage"]],
  ["build-swap", "/swap/v2/build", ["error", "garbage"]],
  ["build-swap", "getMultipleAccounts", ["error"]],
  ["build-swap", "simulateTransaction", ["error", "garbage"]],
  ["build-sale", "/swap/v2/build", ["error"]],
  ["build-withdraw", "getTokenAccountsByOwner", ["error"]],
  ["build-withdraw", "getMultipleAccounts", ["error"]],
  ["build-withdraw", "simulateTransaction", ["error"]],
  ["airdrop", "requestAirdrop", ["error"]],
] as const)("50x: %s answers nothing while %s fails, with %o", async (name, target, modes) => {
  for (const mode of modes) {
    const saver = await newSaver({ userSol: 0, serviceSol: 0.5 });
    if (name === "build-sale") await buy(saver, {});
    await stageFault(target, mode);
    const answer = await REQUESTS[name]!(saver);
    expectFailure(answer, mode === "error" ? "upstream_unavailable" : "upstream_invalid");
    expect(answer.text).not.toMatch(UPSTREAM_TEXT);
    await healSandbox();
  }
});
