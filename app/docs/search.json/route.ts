import { listSearchEntries } from "@/app/docs/_content/search-entries";

export const dynamic = "force-static";

export function GET(): Response {
  return Response.json(listSearchEntries());
}
