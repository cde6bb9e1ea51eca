import { expect, test } from "vitest";
import { explorerLink, readExplorer } from "@/app/dashboard/_components/explorer";

test("a transaction of the sandbox has a page here, whatever is chosen; one of mainnet is looked at in the chosen explorer", () => {
  expect(explorerLink("sandbox", "sig", "solscan")).toBe("/tx/sig");
  expect(explorerLink("mainnet-beta", "sig", "explorer")).toBe("https://explorer.solana.com/tx/sig");
  expect(explorerLink("mainnet-beta", "sig", "solscan")).toBe("https://solscan.io/tx/sig");
  expect(explorerLink("mainnet-beta", "sig", "solanafm")).toBe("https://solana.fm/tx/sig");
});

test("whatever this browser has kept, the explorer is one of those there are", () => {
  expect(readExplorer('"solanafm"')).toBe("solanafm");
  for (const kept of [null, "broken", '"toString"', '{"name":"solscan"}', "7"]) {
    expect(readExplorer(kept)).toBe("explorer");
  }
});
