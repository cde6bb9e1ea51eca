import { describe, expect, test } from "vitest";
import { createLinkText, fillLink } from "../../../lib/domain/signed-texts";
import type { Caller } from "../../../lib/ports/request-context";
import { deriveWallet } from "../../../lib/services/derive-wallet";
import { createFakeDeps, FEE_COLLECTORS, failCalls } from "../../support/fakes/fake-deps";
import { signText, type TestWallet, toTestWallet } from "../../support/fixtures/test-wallets";
import { LINK_TEXT } from "../../support/fixtures/wallet-texts";

const owner = toTestWallet("owner");
const service = toTestWallet("service wallet");
const stranger = toTestWallet("stranger");
const WALLET_CALLER: Caller = { kind: "wallet", wallet: owner.address };
const KEY_CALLER: Caller = { kind: "api-key", wallet: owner.address, keyId: "0123456789abcdef" };
const STATIC_KEY_CALLER: Caller = { kind: "static-key", wallet: null, keyId: "0" };

const signProof = (signer: TestWallet, ownerAddress = owner.address, serviceAddress = signer.address) =>
  signText(signer, fillLink(LINK_TEXT, ownerAddress, serviceAddress));

const derive = (deps = createFakeDeps(), input: object = {}, caller: Caller = WALLET_CALLER) =>
  deriveWallet(
    deps,
    { publicKey: service.address, proof: signProof(service), ...input },
    { caller, walletHeader: stranger.address, hasStaticKey: () => false },
  );

describe("deriveWallet", () => {
  test("takes the owner from the caller's signature or key, not from the x-wallet header", async () => {
    expect((await derive(createFakeDeps(), {}, KEY_CALLER)).wallet).toBe(owner.address);
    const otherCaller: Caller = { kind: "wallet", wallet: stranger.address };
    await expect(derive(createFakeDeps(), {}, otherCaller)).rejects.toMatchObject({ code: "wrong_text_signed" });
  });

  test("accepts an owner in the request from a static key only", async () => {
    for (const caller of [WALLET_CALLER, KEY_CALLER]) {
      const rejection = expect(derive(createFakeDeps(), { wallet: owner.address }, caller)).rejects;
      await rejection.toMatchObject({ code: "invalid_request", details: { issues: [{ path: "wallet" }] } });
    }
  });

  test.each([
    ["wrong_text_signed", "another owner's proof", { wallet: stranger.address }, STATIC_KEY_CALLER],
    ["wallet_required", "a static key that does not name an owner", {}, STATIC_KEY_CALLER],
    ["wallets_equal", "the owner's own key", { publicKey: owner.address, proof: signProof(owner) }, WALLET_CALLER],
    ["wallet_not_allowed", "a collector", { publicKey: FEE_COLLECTORS[1], proof: signProof(service) }, WALLET_CALLER],
    ["wrong_text_signed", "the owner's signature", { proof: signText(owner, "text") }, WALLET_CALLER],
    ["wrong_text_signed", "a proof for another owner", { proof: signProof(service, service.address) }, WALLET_CALLER],
    ["wrong_text_signed", "the text with its placeholders", { proof: signText(service, LINK_TEXT) }, WALLET_CALLER],
  ] as const)("answers %s to %s and stores nothing", async (code, _caseName, input, caller) => {
    const deps = createFakeDeps();
    await expect(derive(deps, input, caller)).rejects.toMatchObject({ code });
    expect(deps.calls).toEqual([]);
  });

  test("requires a proof over this deployment's text", async () => {
    const otherDeploymentText = fillLink(createLinkText("https://roundup.example"), owner.address, service.address);
    const input = { proof: signText(service, otherDeploymentText) };
    await expect(derive(createFakeDeps(), input)).rejects.toMatchObject({ code: "wrong_text_signed" });
    const otherDeployment = Object.assign(createFakeDeps(), { deployment: "https://roundup.example" });
    expect((await derive(otherDeployment, input)).message).toContain("(https://roundup.example)");
  });

  test("reports a failing store, because deposits into an unknown wallet would not carry the fee", async () => {
    const deps = createFakeDeps();
    deps.beforeCall = failCalls("kv");
    await expect(derive(deps)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});
