export const dynamic = "force-dynamic";

/** The least a Next route handler can do. */
export function GET() {
  return Response.json({ ok: true });
}
