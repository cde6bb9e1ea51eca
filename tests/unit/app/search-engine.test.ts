import { expect, test } from "vitest";
import { searchEntries } from "@/app/docs/_components/search-engine";
import { GUIDES } from "@/app/docs/_content/guides";
import { listSearchEntries } from "@/app/docs/_content/search-entries";

const search = (query: string) => searchEntries(listSearchEntries(), query);
const findHrefs = (query: string) => search(query).map(({ href }) => href);

test.each([
  ["slippageBps", "/docs#quote-swap"],
  ["bps", "/docs#quote-swap"],
  ["already saved", "/docs/errors#already_saved"],
  ["POST /api/wrap", "/docs#build-wrap"],
  ["python", "/docs/any-language"],
  ["websocket", "/docs/sandbox#chain"],
  ["webhook", "/docs/agent#events"],
  ["rate limit", "/docs/limits"],
  ["install", "/docs/sdk"],
  ["test vectors", "/docs/service-wallet#vectors"],
])("the search finds “%s” at %s", (query, href) => {
  expect(findHrefs(query)).toContain(href);
});

test("the search lists every guide with its sections", () => {
  const hrefs = listSearchEntries().map(({ href }) => href);
  for (const { slug } of GUIDES) {
    expect(hrefs).toContain(`/docs/${slug}`);
    expect(
      hrefs.some((href) => href.startsWith(`/docs/${slug}#`)),
      slug,
    ).toBe(true);
  }
});
