import { expect, test } from "vitest";
import { buildExplorerLink, parseExplorer } from "@/app/dashboard/_components/explorer";

test("links a sandbox transaction to this site and a mainnet transaction to the chosen explorer", () => {
  expect(buildExplorerLink("sandbox", "sig", "solscan")).toBe("/tx/sig");
  expect(buildExplorerLink("mainnet-beta", "sig", "explorer")).toBe("https://explorer.solana.com/tx/sig");
  expect(buildExplorerLink("mainnet-beta", "sig", "solscan")).toBe("https://solscan.io/tx/sig");
  expect(buildExplorerLink("mainnet-beta", "sig", "solanafm")).toBe("https://solana.fm/tx/sig");
});

test("falls back to a known explorer for any stored value", () => {
  expect(parseExplorer('"solanafm"')).toBe("solanafm");
  for (const kept of [null, "broken", '"toString"', '{"name":"solscan"}', "7"]) {
    expect(parseExplorer(kept)).toBe("explorer");
  }
});
