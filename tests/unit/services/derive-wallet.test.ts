import { describe, expect, test } from "vitest";
import { createLinkText, fillLink } from "../../../lib/domain/texts";
import type { Caller } from "../../../lib/ports/request-context";
import { deriveWallet } from "../../../lib/services/derive-wallet";
import { findServiceWallets } from "../../../lib/services/steps/service-wallets";
import { FEE_COLLECTORS, fakeDeps, outage } from "../../support/fakes/fake-deps";
import { signText, type TestWallet, testWallet } from "../../support/fixtures/test-wallets";
import { LINK_TEXT, SERVICE_WALLET_TEXT } from "../../support/fixtures/texts";

const owner = testWallet("owner");
const service = testWallet("service wallet");
const byWallet: Caller = { kind: "wallet", wallet: owner.address };
const byOperator: Caller = { kind: "static-key", wallet: null, keyId: "0" };

const proofOf = (by: TestWallet, of = owner.address, key = by.address) => signText(by, fillLink(LINK_TEXT, of, key));

const derive = (deps = fakeDeps(), input: object = {}, caller: Caller = byWallet) =>
  deriveWallet(
    deps,
    { publicKey: service.address, proof: proofOf(service), ...input },
    { caller, walletHeader: testWallet("whom the header names").address, isOperator: () => false },
  );

describe("a service wallet with a valid proof", () => {
  test.each<[string, object, Caller, object]>([
    ["of a proven owner", { index: 3 }, byWallet, { index: 3 }],
    [
      "of an owner whom only a static key names",
      { wallet: owner.address },
      byOperator,
      { index: 0, ownerProven: false },
    ],
  ])("%s is returned with its owner, index and text, and recorded", async (_what, input, caller, answer) => {
    const deps = fakeDeps();
    expect(await derive(deps, input, caller)).toEqual({
      publicKey: service.address,
      wallet: owner.address,
      message: SERVICE_WALLET_TEXT,
      ...answer,
    });
    expect(await findServiceWallets(deps, [service.address, owner.address])).toEqual(new Set([service.address]));
  });

  test("is owned by the caller, by signature or by key, whatever the x-wallet header names", async () => {
    const byKey: Caller = { kind: "api-key", wallet: owner.address, keyId: "0123456789abcdef" };
    expect((await derive(fakeDeps(), {}, byKey)).wallet).toBe(owner.address);
    const other: Caller = { kind: "wallet", wallet: testWallet("whom the header names").address };
    await expect(derive(fakeDeps(), {}, other)).rejects.toMatchObject({ code: "wrong_text_signed" });
  });

  test("can have its owner named by a static key only", async () => {
    const byKey: Caller = { kind: "api-key", wallet: owner.address, keyId: "0123456789abcdef" };
    for (const caller of [byWallet, byKey]) {
      const refused = expect(derive(fakeDeps(), { wallet: owner.address }, caller)).rejects;
      await refused.toMatchObject({ code: "invalid_request", details: { issues: [{ path: "wallet" }] } });
    }
  });

  test.each([
    ["wrong_text_signed", "another owner's proof", { wallet: testWallet("another owner").address }, byOperator],
    ["wallet_required", "a static key that names no owner", {}, byOperator],
    ["wallets_equal", "the owner's own key", { publicKey: owner.address, proof: proofOf(owner) }, byWallet],
    ["wallet_not_allowed", "a collector", { publicKey: FEE_COLLECTORS[1], proof: proofOf(service) }, byWallet],
    ["wrong_text_signed", "the owner's signature", { proof: signText(owner, "text") }, byWallet],
    ["wrong_text_signed", "a proof for another owner", { proof: proofOf(service, service.address) }, byWallet],
    ["wrong_text_signed", "the text with its places empty", { proof: signText(service, LINK_TEXT) }, byWallet],
  ] as const)("answers %s to %s, and remembers nothing", async (code, _what, input, caller) => {
    const deps = fakeDeps();
    await expect(derive(deps, input, caller)).rejects.toMatchObject({ code });
    expect(deps.calls).toEqual([]);
  });

  test("needs a proof over this deployment's text", async () => {
    const elsewhere = fillLink(createLinkText("https://roundup.example"), owner.address, service.address);
    const input = { proof: signText(service, elsewhere) };
    await expect(derive(fakeDeps(), input)).rejects.toMatchObject({ code: "wrong_text_signed" });
    const there = Object.assign(fakeDeps(), { deployment: "https://roundup.example" });
    expect((await derive(there, input)).message).toContain("(https://roundup.example)");
  });

  test("reports a failing store, because deposits into an unknown wallet would not carry the fee", async () => {
    const deps = fakeDeps();
    deps.before = () => {
      throw outage();
    };
    await expect(derive(deps)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});
