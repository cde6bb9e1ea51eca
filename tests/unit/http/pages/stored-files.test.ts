import { expect, test } from "vitest";
import { adaptToSettings } from "../../../../lib/http/pages/stored-files";

const PAGE_FORMS = [
  [
    '<html data-network="sandbox"><meta content="/social.png"/>',
    '<html data-network="NETWORK"><meta content="ORIGIN/social.png"/>',
  ],
  [
    String.raw`{\"data-network\":\"sandbox\"},{\"content\":\"/social.png\"}`,
    String.raw`{\"data-network\":\"NETWORK\"},{\"content\":\"ORIGIN/social.png\"}`,
  ],
  ['{"data-network":"sandbox","content":"/social.png"}', '{"data-network":"NETWORK","content":"ORIGIN/social.png"}'],
  ['"https://built.example/social.png"', '"ORIGIN/social.png"'],
  ['<html data-origin="">', '<html data-origin="ORIGIN">'],
  [String.raw`{\"data-origin\":\"https://built.example\"}`, String.raw`{\"data-origin\":\"ORIGIN\"}`],
  ["curl -s http://localhost:3000/api/plans", "curl -s ORIGIN/api/plans"],
] as const;

test.each(PAGE_FORMS)("a page gets the network and origin of the settings: %s", (builtPage, adaptedPage) => {
  const settings = { NETWORK: "mainnet-beta", PUBLIC_URL: "https://roundup.example/start?x=1", PORT: 3000 } as const;
  const expectedPage = adaptedPage.replace("NETWORK", "mainnet-beta").replace("ORIGIN", "https://roundup.example");
  expect(adaptToSettings(builtPage, settings)).toBe(expectedPage);
  expect(adaptToSettings(adaptToSettings(builtPage, settings), settings)).toBe(expectedPage);
});

test("without PUBLIC_URL, a page has relative URLs and its examples name localhost with the port", () => {
  const settings = { NETWORK: "sandbox", PUBLIC_URL: undefined, PORT: 4000 } as const;
  const builtPage = 'data-network="mainnet-beta" content="https://built.example/social.png" http://localhost:3000/api';
  expect(adaptToSettings(builtPage, settings)).toBe(
    'data-network="sandbox" content="/social.png" http://localhost:4000/api',
  );
});
