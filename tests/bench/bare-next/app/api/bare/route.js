export const dynamic = "force-dynamic";

/** Answers with constant JSON, as the smallest possible Next route handler. */
export function GET() {
  return Response.json({ ok: true });
}
