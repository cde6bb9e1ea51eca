import { expect, test } from "vitest";
import { explorerLink } from "@/app/dashboard/_flow/explorer";

test("a transaction of the sandbox has a page here; one of mainnet is looked at in an explorer", () => {
  expect(explorerLink("sandbox", "sig")).toBe("/tx/sig");
  expect(explorerLink("mainnet-beta", "sig")).toBe("https://explorer.solana.com/tx/sig");
});
