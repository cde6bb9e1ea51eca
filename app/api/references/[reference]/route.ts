import { getReferenceContract } from "@/lib/contracts/get-reference";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { getReference } from "@/lib/services/get-reference";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(getReference, getReferenceContract),
);
